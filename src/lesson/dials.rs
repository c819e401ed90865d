//! Dials: a kernel's source with choices, each of which is a macro.
//!
//! ```text
//! // dial EDGE (beyond the edge): zeros | nothing | no guard     the macro is 0, 1 or 2
//! // start: EDGE=nothing                                         where the dials stand first
//! // launch: <<<,16x16>>>
//! ```

mod count;

pub use count::{DialCount, DialSetting};

use super::error::RunError;
use super::judged::Trial;
use super::setting::{self as scene, KernelFrom};
use crate::kernel::Source;

/// The kernel with dials of the course, and its file's name.
pub const SHIPPED: (&str, &str) = ("dials.cu", include_str!("../../lessons/kernels/dials.cu"));

/// The most settings of a source: every one is simulated.
const MOST: usize = 4096;

/// The side of the tile for a source that leaves it to the compiler.
const TILE: u32 = 16;

/// Why dials cannot be read, or turned.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DialError {
    #[error("{0} has no dials: a dial is a comment `// dial NAME: a | b | c`")]
    None(String),
    #[error("{file}:{number}: give a dial as `// dial NAME (what it is): a | b | c`")]
    Unreadable { file: String, number: u32 },
    #[error("{file}:{number}: two dials are called {name}")]
    Twice { file: String, number: u32, name: String },
    #[error("{0} has more than {MOST} settings of its dials")]
    TooMany(String),
    #[error("{file}:{number}: {why}")]
    Start { file: String, number: u32, why: Box<Self> },
    #[error("there is no dial `{name}`: give {known}")]
    NoDial { name: String, known: String },
    #[error("{name} is not set to `{choice}`: give {known}")]
    NoChoice { name: String, choice: String, known: String },
    #[error(transparent)]
    Run(#[from] RunError),
}

/// A source with dials.
#[derive(Clone, Debug)]
pub struct Dials {
    /// The dials, in the order of the source.
    pub dials: Vec<Dial>,
    /// Where they stand first: the number of a choice for each.
    pub start: Vec<usize>,
    trial: Trial,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dial {
    pub name: String,
    /// What is chosen, in words: `beyond the edge`.
    pub title: String,
    /// The choices; the macro's value is the number of the choice, from 0.
    pub choices: Vec<String>,
}

impl Dials {
    /// The dials of the course.
    ///
    /// # Errors
    /// None, unless the shipped source is broken.
    pub fn shipped() -> Result<Self, DialError> {
        let (file, text) = SHIPPED;
        Self::read(file, text)
    }

    /// Reads the dials of a source.
    ///
    /// # Errors
    /// No dials, too many settings, a comment that is not understood (with its line), no launch.
    pub fn read(file: &str, text: &str) -> Result<Self, DialError> {
        let mut dials: Vec<Dial> = Vec::new();
        for (number, comment) in comments(text, "// dial ") {
            let dial = Dial::read(comment)
                .ok_or_else(|| DialError::Unreadable { file: file.to_owned(), number })?;
            if dials.iter().any(|other| other.name == dial.name) {
                return Err(DialError::Twice { file: file.to_owned(), number, name: dial.name });
            }
            dials.push(dial);
        }
        if dials.is_empty() {
            return Err(DialError::None(file.to_owned()));
        }
        let trial = Trial::of_file(file, text.to_owned(), TILE)?;
        let mut read = Self { start: vec![0; dials.len()], dials, trial };
        let sides = read.dials.iter().map(|dial| dial.choices.len());
        if sides.fold(1_usize, usize::saturating_mul) > MOST {
            return Err(DialError::TooMany(file.to_owned()));
        }
        for (number, comment) in comments(text, "// start:") {
            for turn in comment.split(',') {
                let turned = read.turned(&read.start, turn);
                read.start = turned.map_err(|why| DialError::Start {
                    file: file.to_owned(),
                    number,
                    why: Box::new(why),
                })?;
            }
        }
        Ok(read)
    }

    /// How many settings there are.
    pub fn settings(&self) -> usize {
        self.dials.iter().map(|dial| dial.choices.len()).product()
    }

    /// Every setting, the last dial turning fastest: the number of a choice for each dial.
    pub fn all(&self) -> Vec<Vec<usize>> {
        let setting = |mut number: usize| {
            let mut at = vec![0; self.dials.len()];
            for (place, dial) in at.iter_mut().zip(&self.dials).rev() {
                (*place, number) = (number % dial.choices.len(), number / dial.choices.len());
            }
            at
        };
        (0..self.settings()).map(setting).collect()
    }

    /// A setting with one dial turned, as `NAME=CHOICE` says.
    ///
    /// # Errors
    /// No such dial or choice; the text lists those that there are.
    pub fn turned(&self, at: &[usize], turn: &str) -> Result<Vec<usize>, DialError> {
        let (name, choice) = turn.split_once('=').unwrap_or((turn, ""));
        let (name, choice) = (name.trim(), choice.trim());
        let dial = self.dials.iter().position(|dial| dial.name.eq_ignore_ascii_case(name));
        let dial = dial.ok_or_else(|| {
            let names: Vec<_> = self.dials.iter().map(|dial| dial.name.as_str()).collect();
            DialError::NoDial { name: name.to_owned(), known: names.join(", ") }
        })?;
        let Dial { name, choices, .. } = &self.dials[dial];
        let chosen = choices.iter().position(|known| known.eq_ignore_ascii_case(choice));
        let chosen = chosen.ok_or_else(|| {
            let choices: Vec<_> = choices.iter().map(|known| format!("'{name}={known}'")).collect();
            let (name, choice) = (name.clone(), choice.to_owned());
            DialError::NoChoice { name, choice, known: choices.join(", ") }
        })?;
        let mut turned = at.to_vec();
        turned[dial] = chosen;
        Ok(turned)
    }

    /// The choices of a setting, in words: `8`, or `zeros, as it lies`.
    pub fn chosen(&self, at: &[usize]) -> String {
        let choices = self.dials.iter().zip(at).map(|(dial, choice)| dial.choices.get(*choice));
        choices.flatten().cloned().collect::<Vec<_>>().join(", ")
    }

    /// The macros of a setting, as `NAME=VALUE`.
    pub fn defines(&self, at: &[usize]) -> Vec<String> {
        let dials = self.dials.iter().zip(at);
        dials.map(|(dial, choice)| format!("{}={choice}", dial.name)).collect()
    }

    /// The kernel of a setting.
    pub fn trial(&self, at: &[usize]) -> Trial {
        let Source { defines, .. } = &self.trial.source;
        let defines = [&defines[..], &self.defines(at)].concat();
        let source = Source { defines, ..self.trial.source.clone() };
        Trial { source, ..self.trial.clone() }
    }
}

impl Dials {
    /// The kernel of a setting as a scene has it, on matrices of the usual size.
    pub fn scene(&self, at: &[usize]) -> scene::Setting {
        let Trial { source: Source { file, text, defines, .. }, launch, .. } = self.trial(at);
        scene::Setting {
            kernel: KernelFrom::File { name: file, text },
            threads: launch.block,
            rolled: true,
            defines,
            ..scene::Setting::default()
        }
    }
}

impl Dial {
    /// Reads `NAME (what it is): a | b | c`.
    fn read(comment: &str) -> Option<Self> {
        let (head, choices) = comment.split_once(':')?;
        let (name, title) = match head.split_once('(') {
            Some((name, title)) => (name.trim(), title.trim().strip_suffix(')')?.trim()),
            None => (head.trim(), head.trim()),
        };
        let choices: Vec<_> = choices.split('|').map(|choice| choice.trim().to_owned()).collect();
        let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let begins = name.starts_with(|c: char| !c.is_ascii_digit());
        let differ = (1..choices.len()).all(|end| !choices[..end].contains(&choices[end]));
        let fits = is_name && begins && differ && choices.len() > 1;
        let fits = fits && choices.iter().all(|choice| !choice.is_empty());
        fits.then(|| Self { name: name.to_owned(), title: title.to_owned(), choices })
    }
}

/// The comments of a source that begin so, with the numbers of their lines.
fn comments<'t>(text: &'t str, begin: &'t str) -> impl Iterator<Item = (u32, &'t str)> {
    let lines = (1..).zip(text.lines());
    lines.filter_map(move |(number, line)| Some((number, line.trim().strip_prefix(begin)?)))
}

#[cfg(test)]
mod tests;
