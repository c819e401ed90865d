//! Values of the command line that are names: completions offer them, and a mistyped one is met with
//! the name that was probably meant.

use super::BadUse;
use crate::kernel;
use crate::lesson::nearest::nearest;
use clap::builder::{PossibleValue, TypedValueParser};
use clap::error::Error;
use clap::{Arg, Command};
use std::ffi::OsStr;
use std::sync::LazyLock;

/// The names of the commands.
pub(super) const COMMANDS: [&str; 9] =
    ["learn", "check", "trace", "access", "bench", "export", "doctor", "course", "generate"];

/// A name, and what it stands for, if it does not say so itself.
type Named = (&'static str, &'static str);

/// How a value is read that is one of several names, or that often is.
#[derive(Clone, Copy)]
pub(super) struct NameParser<T> {
    pub of: fn() -> Vec<Named>,
    /// Reads a value; an error is a sentence without the name.
    pub parse: fn(&str) -> Result<T, BadUse>,
}

impl<T: Clone + Send + Sync + 'static> TypedValueParser for NameParser<T> {
    type Value = T;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<T, Error> {
        let Self { of, parse } = *self;
        let parse = move |text: &str| {
            parse(text).map_err(|told| {
                format!("{told}{}", meant(text, of().into_iter().map(|(name, _)| name)))
            })
        };
        parse.parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let value = |(name, help): Named| {
            let value = PossibleValue::new(name);
            if help.is_empty() { value } else { value.help(help) }
        };
        Some(Box::new((self.of)().into_iter().map(value)))
    }
}

/// `; did you mean `tiled`?`, if a word is near to one of `known`. A number of one or two digits is
/// near to too many.
pub(super) fn meant<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> String {
    let near = nearest(word, known).filter(|near| *near != word && word.len() > 2);
    near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"))
}

/// The names of the catalogue's kernels.
pub(super) static KERNELS_BY_NAME: LazyLock<Vec<&'static str>> =
    LazyLock::new(|| kernel::all().map(|kernel| kernel.name).collect());

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_met_with_the_name_and_another_word_with_nothing() {
        assert_eq!(meant("tild", ["naive", "tiled"]), "; did you mean `tiled`?");
        assert_eq!(meant("tiled", ["naive", "tiled"]), "");
        assert_eq!(meant("bandwidth", ["naive", "tiled"]), "");
    }
}
