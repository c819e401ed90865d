//! Values of the command line that are names: completions offer them, and a mistyped one is met with
//! the name that was probably meant.

use super::BadUse;
use crate::kernel;
pub(super) use crate::lesson::nearest::meant;
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

/// The names of the catalogue's kernels.
pub(super) static KERNELS_BY_NAME: LazyLock<Vec<&'static str>> =
    LazyLock::new(|| kernel::all().map(|kernel| kernel.name).collect());
