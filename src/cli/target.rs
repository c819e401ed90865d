//! TARGET: a kernel of the catalogue, or a file with a kernel of one's own.

use super::BadUse;
use super::names::{COMMANDS, KERNELS_BY_NAME, meant};
use super::output::is_stdin;
use crate::kernel::{self, Kernel};
use crate::lesson::nearest::nearest;
use crate::tui::link::ScreenLink;
use clap::builder::{OsStringValueParser, PossibleValue, TypedValueParser};
use clap::error::Error;
use clap::{Arg, Command};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// What a command is about.
#[derive(Clone, Debug)]
pub enum KernelTarget {
    Catalogue(&'static Kernel),
    /// A file, or `-` for standard input; what kind of source it is, its text tells.
    File(PathBuf),
}

/// The word that names it.
#[derive(Clone, Debug, Default, clap::Args)]
#[group(skip)]
pub struct TargetArg {
    /// A kernel of the catalogue, or a file: .cu, .ptx, .py (it is run), .md with code; - is standard input
    #[arg(value_name = "TARGET", value_parser = TargetWord, hide_possible_values = true,
          value_hint = clap::ValueHint::FilePath)]
    target: Option<PathBuf>,
}

impl TargetArg {
    /// The target, if one is named.
    ///
    /// # Errors
    /// There is neither such a kernel nor such a file; what was probably meant.
    pub fn get(&self) -> Result<Option<KernelTarget>, BadUse> {
        self.target.as_deref().map(KernelTarget::find).transpose()
    }

    /// The place that a link names: `#kernel=tiled&step=240`, or the whole address of a page.
    ///
    /// # Errors
    /// It is a link that leads nowhere.
    pub(super) fn link(&self) -> Result<Option<ScreenLink>, BadUse> {
        let word = self.target.as_ref().map(|word| word.to_string_lossy()).unwrap_or_default();
        let place =
            word.split_once('#').filter(|(page, _)| page.is_empty() || page.contains("://"));
        place.map(|(_, place)| place.parse().map_err(BadUse::of)).transpose()
    }

    /// The word as a file's name.
    pub(super) fn file(&self) -> Option<&Path> {
        self.target.as_deref()
    }

    /// The target, which has no default.
    ///
    /// # Errors
    /// As above, and none is named.
    pub fn named(&self) -> Result<KernelTarget, BadUse> {
        let told = "which kernel? Give one of the catalogue (`matviz --help` lists them) or a file, for \
                    example `matviz check mine.cu`";
        self.get()?.ok_or_else(|| BadUse(told.to_owned()))
    }
}

/// Any word; completions offer the kernels of the catalogue.
#[derive(Clone, Copy)]
pub(super) struct TargetWord;

impl TypedValueParser for TargetWord {
    type Value = PathBuf;

    fn parse_ref(&self, it: &Command, arg: Option<&Arg>, word: &OsStr) -> Result<PathBuf, Error> {
        OsStringValueParser::new().parse_ref(it, arg, word).map(PathBuf::from)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let value = |kernel: &'static Kernel| PossibleValue::new(kernel.name).help(kernel.summary);
        Some(Box::new(kernel::all().map(value)))
    }
}

/// The commands that stand for those of earlier versions.
const EARLIER: &[(&str, &str)] = &[
    ("sim", "check TARGET"),
    ("race", "check TARGET --prove"),
    ("reconcile", "check --against REPORT.csv"),
    ("edit", "TARGET"),
    ("lesson", "learn LESSON"),
    ("lessons", "learn --list"),
    ("progress", "learn --progress"),
    ("picture", "export PICTURE"),
    ("changes", "course changes"),
    ("gaps", "course gaps"),
    ("dials", "course dials"),
    ("version", "doctor --json"),
    ("completions", "generate completions"),
    ("man", "generate man"),
    ("schema", "generate schema"),
];

impl KernelTarget {
    /// The kernel or the file that a word names.
    ///
    /// # Errors
    /// There is none; what was probably meant.
    pub(super) fn find(path: &Path) -> Result<Self, BadUse> {
        let word = path.to_string_lossy();
        if let Some(kernel) = kernel::find(&word) {
            return Ok(Self::Catalogue(kernel));
        }
        if path.is_dir() {
            let told = format!(
                "{word} is a folder: name a file in it; lessons in a folder are for `matviz learn --from \
                 {word}` and `matviz course check {word}`"
            );
            return Err(BadUse(told));
        }
        if is_stdin(path) || path.symlink_metadata().is_ok() {
            return Ok(Self::File(path.to_owned()));
        }
        Err(BadUse(absent(path, &word)))
    }

    /// The kernel of the catalogue, or the file.
    pub(super) fn apart(self) -> (Option<&'static Kernel>, Option<PathBuf>) {
        match self {
            Self::Catalogue(kernel) => (Some(kernel), None),
            Self::File(file) => (None, Some(file)),
        }
    }
}

/// What to say of a word that is neither a kernel nor a file.
fn absent(path: &Path, word: &str) -> String {
    if let Some((_, now)) = EARLIER.iter().find(|(name, _)| *name == word) {
        return format!("`matviz {word}` is `matviz {now}` now");
    }
    if path.extension().is_some() || path.parent().is_some_and(|folder| folder != Path::new("")) {
        return format!(
            "there is no file {word}{}",
            meant(word, near_files(path).iter().map(|it| &**it))
        );
    }
    let earlier = EARLIER.iter().map(|(name, _)| *name);
    let near = nearest(word, COMMANDS.iter().copied().chain(earlier));
    if let Some(near) = near {
        let now = EARLIER.iter().find(|(name, _)| *name == near).map_or(near, |(_, now)| now);
        let rival = nearest(word, KERNELS_BY_NAME.iter().copied());
        if rival.is_none() {
            return format!(
                "there is no command, kernel or file `{word}`; did you mean `matviz {now}`?"
            );
        }
    }
    let near = meant(word, KERNELS_BY_NAME.iter().copied());
    let lists = "; `matviz --help` lists commands and kernels";
    format!(
        "there is no command, kernel or file `{word}`{}",
        if near.is_empty() { lists } else { &near }
    )
}

/// The files beside a path that does not exist, as the user would name them.
fn near_files(path: &Path) -> Vec<String> {
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    let entries = fs::read_dir(folder.unwrap_or(Path::new("."))).into_iter().flatten().flatten();
    let name = |entry: fs::DirEntry| {
        let name = PathBuf::from(entry.file_name());
        let named = folder.map_or(name.clone(), |folder| folder.join(name));
        named.display().to_string()
    };
    entries.map(name).take(1000).collect()
}
