//! What a learner answers.

use crate::lesson::target::Target;
use std::collections::BTreeSet;
use std::fmt;

/// An answer as it is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Attempt {
    Typed(String),
    /// Things on the picture that were pointed at.
    Picked(BTreeSet<Target>),
}

impl Attempt {
    /// The same without blanks around it.
    #[must_use]
    pub fn trimmed(self) -> Self {
        match self {
            Self::Typed(text) => text.trim().into(),
            Self::Picked(_) => self,
        }
    }
}

impl From<&str> for Attempt {
    fn from(text: &str) -> Self {
        Self::Typed(text.to_owned())
    }
}

/// As it could be typed.
impl fmt::Display for Attempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Typed(text) => f.write_str(text),
            Self::Picked(things) if things.is_empty() => f.write_str("none"),
            Self::Picked(things) => {
                let all: Vec<_> = things.iter().map(Target::to_string).collect();
                f.write_str(&all.join("; "))
            }
        }
    }
}
