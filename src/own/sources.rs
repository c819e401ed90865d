//! Finds the source files of PTX by its `.file` directives.
//!
//! The PTX's author chose these names. Only files in the PTX's own folder and below are read, so that
//! they cannot expose others.

use crate::kernel::Source;
use ptx::{Module, SourceFile, Statement};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// The maximum size of a source file in bytes.
const LARGEST: u64 = 4 << 20;

/// Why a file is not shown.
#[derive(Debug, thiserror::Error)]
enum NotShown {
    #[error("was not found")]
    Absent,
    #[error("lies outside the folder of the PTX: --source shows it")]
    Outside,
    #[error("is not a file")]
    NoFile,
    #[error("is too large: {0} bytes")]
    Large(u64),
    #[error("is not the one that was compiled: its size is another")]
    Other,
    #[error("has {count} lines, and the PTX names line {last} of it")]
    Short { count: usize, last: u32 },
    #[error("is not text")]
    NoText,
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// The files that were found, and those that were not.
#[derive(Debug, Default)]
pub(super) struct SourceFiles {
    /// The files, by the numbers in their directives.
    pub found: Vec<(u32, Source)>,
    /// For each of the others, its name and the reason why it is not shown.
    pub missing: Vec<String>,
}

/// Looks for the files whose lines `module` refers to: at the path in `.file` if that lies in
/// `folder`, which contains the PTX, or below, otherwise in `folder` itself (a compiler often writes
/// a path of another machine, or no folder at all).
pub(super) fn look_for(module: &Module, folder: &Path) -> SourceFiles {
    let mut sources = SourceFiles::default();
    let lines = last_lines(module);
    for file in &module.files {
        let Some(last) = lines.get(&file.number) else { continue };
        match find(file, *last, folder) {
            Ok(source) => sources.found.push((file.number, source)),
            Err(why) => sources.missing.push(format!("{} {why}", file.name())),
        }
    }
    sources
}

/// Those of the files of which a module was compiled, by the numbers of their directives, which name
/// them without folders.
pub(super) fn of_compiled(module: &Module, files: Vec<Source>) -> Vec<(u32, Source)> {
    let number = |name: &str| module.files.iter().find(|file| file.name() == name);
    files.into_iter().filter_map(|file| Some((number(&file.file)?.number, file))).collect()
}

/// For each file that the module refers to, the largest of its line numbers.
fn last_lines(module: &Module) -> BTreeMap<u32, u32> {
    let mut lines = BTreeMap::new();
    let functions = module.functions.iter().chain(&module.device_functions);
    for statement in functions.flat_map(|function| &function.body) {
        if let Statement::Instruction { loc: Some(loc), .. } = statement
            && loc.line > 0
        {
            let last = lines.entry(loc.file).or_insert(0);
            *last = loc.line.max(*last);
        }
    }
    lines
}

/// The file that can be the source, or the reason why there is none.
fn find(file: &SourceFile, last: u32, folder: &Path) -> Result<Source, NotShown> {
    let text = read(&place(file, folder)?, file.bytes)?;
    let count = text.lines().count();
    if count < last as usize {
        return Err(NotShown::Short { count, last });
    }
    Ok(Source { file: file.name().to_owned(), text, ..Source::default() })
}

/// The first existing place of a file in the PTX's folder or below, with all links followed.
fn place(file: &SourceFile, folder: &Path) -> Result<PathBuf, NotShown> {
    let folder = if folder == Path::new("") { Path::new(".") } else { folder };
    let folder = folder.canonicalize()?;
    let places = [folder.join(&file.path), folder.join(file.name())];
    let found: Vec<_> = places.iter().filter_map(|path| path.canonicalize().ok()).collect();
    let inside = found.iter().find(|path| path.starts_with(&folder)).cloned();
    inside.ok_or_else(|| match found[..] {
        [] => NotShown::Absent,
        [..] => NotShown::Outside,
    })
}

/// The text of a file, if it can be a source and has the size that the directive gives.
fn read(path: &Path, bytes: Option<u64>) -> Result<String, NotShown> {
    let about = fs::metadata(path)?;
    if !about.is_file() {
        return Err(NotShown::NoFile);
    }
    if about.len() > LARGEST {
        return Err(NotShown::Large(about.len()));
    }
    if bytes.is_some_and(|bytes| bytes != about.len()) {
        return Err(NotShown::Other);
    }
    let text = fs::read(path)?;
    let text = String::from_utf8(text).ok().filter(|text| !text.contains('\0'));
    text.ok_or(NotShown::NoText)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ptx::parse;

    /// PTX that refers to a line of each of `files`.
    fn module(files: &[(&str, u32)]) -> Module {
        let head = ".version 8.0\n.target sm_80\n.address_size 64\n";
        let files = files.iter().zip(1..);
        let directive = |((path, _), n): (&(&str, u32), u32)| format!(".file {n} \"{path}\"\n");
        let line =
            |((_, line), n): (&(&str, u32), u32)| format!(".loc {n} {line} 0\nbar.sync 0;\n");
        let directives = files.clone().map(directive).collect::<Vec<_>>().concat();
        let lines = files.map(line).collect::<Vec<_>>().concat();
        let text = format!("{head}.visible .entry k()\n{{\n{lines}ret;\n}}\n{directives}");
        parse(&text).expect("it is PTX")
    }

    #[test]
    fn a_source_is_found_where_the_ptx_lies_whatever_folder_it_had() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = folder.path();
        fs::create_dir(at.join("lib")).expect("a folder");
        fs::write(at.join("one.cu"), "1\n2\n3\n").expect("written");
        fs::write(at.join("lib/two.cuh"), "two\n").expect("written");
        let absolute = at.join("one.cu").display().to_string();
        for (path, name) in [
            (&*absolute, "one.cu"),
            ("one.cu", "one.cu"),
            ("/nowhere/one.cu", "one.cu"),
            ("C:\\kernels\\one.cu", "one.cu"),
            ("lib/two.cuh", "two.cuh"),
        ] {
            let found = look_for(&module(&[(path, 1)]), at);
            assert_eq!(found.missing, [""; 0], "{path}");
            assert_eq!(found.found.len(), 1, "{path}");
            assert_eq!((found.found[0].0, &*found.found[0].1.file), (1, name), "{path}");
        }
    }

    #[test]
    fn what_is_not_the_source_is_named_and_not_shown() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = folder.path();
        fs::create_dir(at.join("folder.cu")).expect("a folder");
        fs::write(at.join("short.cu"), "1\n2\n").expect("written");
        fs::write(at.join("binary.cu"), b"\x7fELF\0\0\0").expect("written");
        fs::write(at.join("bytes.cu"), b"\xff\xfe\n").expect("written");
        let large = fs::File::create(at.join("large.cu")).expect("a file");
        large.set_len(LARGEST + 1).expect("it grows");
        for (path, why) in [
            ("absent.cu", "was not found"),
            ("folder.cu", "is not a file"),
            ("short.cu", "has 2 lines, and the PTX names line 3 of it"),
            ("binary.cu", "is not text"),
            ("bytes.cu", "is not text"),
            ("large.cu", "is too large: 4194305 bytes"),
            ("/dev/zero", "lies outside the folder of the PTX: --source shows it"),
        ] {
            let found = look_for(&module(&[(path, if path == "short.cu" { 3 } else { 1 })]), at);
            let name = path.rsplit('/').next().unwrap_or(path);
            assert_eq!(found.missing, [format!("{name} {why}")]);
            assert!(found.found.is_empty());
        }
    }

    #[test]
    fn nothing_outside_the_folder_of_the_ptx_is_read_whatever_its_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let (at, secret) = (folder.path().join("kernel"), folder.path().join("id_rsa"));
        fs::create_dir_all(at.join("lib")).expect("a folder");
        fs::write(&secret, "a key\n").expect("written");
        fs::write(at.join("lib/own.cu"), "1\n").expect("written");
        #[cfg(unix)]
        std::os::unix::fs::symlink(&secret, at.join("link.cu")).expect("a link");
        let absolute = secret.display().to_string();
        let paths = ["../id_rsa", "lib/../../id_rsa", "./..//id_rsa", &absolute, "link.cu"];
        for path in paths.iter().take(if cfg!(unix) { 5 } else { 4 }) {
            let SourceFiles { found, missing } = look_for(&module(&[(path, 1)]), &at);
            assert!(found.is_empty(), "{path}: {found:?}");
            assert!(missing[0].ends_with("--source shows it"), "{missing:?}");
        }
        assert_eq!(look_for(&module(&[("lib/../lib/own.cu", 1)]), &at).found.len(), 1);
    }

    #[test]
    fn a_file_of_another_size_than_the_directive_says_is_not_the_one() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("one.cu"), "1234\n").expect("written");
        for (bytes, count) in [(5, 1), (6, 0)] {
            let mut module = module(&[("one.cu", 1)]);
            module.files[0].bytes = Some(bytes);
            assert_eq!(look_for(&module, folder.path()).found.len(), count, "{bytes}");
        }
    }

    #[test]
    fn a_file_without_a_line_in_the_code_is_not_looked_for() {
        let mut module = module(&[("one.cu", 0)]);
        module.files[0].path = "absent.cu".to_owned();
        assert!(look_for(&module, Path::new(".")).missing.is_empty());
    }
}
