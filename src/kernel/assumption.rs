//! What matviz assumes of a launch since nobody states it.

use crate::launch::Dim3;
use serde::{Serialize, Serializer};
use std::fmt;

/// What nobody states of a launch, in the order in which it is told.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Assumptions(#[serde(serialize_with = "told")] Vec<Assumption>);

/// One part of a launch that was assumed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Assumption {
    /// What was assumed, in the words of the command line where it can be stated there; empty if it
    /// is not told.
    pub what: String,
    /// Why, with the sign that parts it from `what`; empty if it is only usual.
    #[serde(serialize_with = "without_sign")]
    pub why: String,
    /// What was chosen, if the code does not bear it out: what is found may come from it.
    #[serde(skip)]
    pub choice: Option<Chosen>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Chosen {
    /// The threads of a block.
    Block(Dim3),
    Grid(Dim3),
    /// What the parameters stand for, by their types alone.
    Parameters(String),
    /// Numbers that are the size, where the host's code passes a name of one, as `n=1024`.
    Sizes(Vec<String>),
    /// What these buffers hold before the launch.
    Contents(Vec<String>),
}

impl Assumptions {
    pub fn extend(&mut self, more: impl IntoIterator<Item = Assumption>) {
        self.0.extend(more);
    }

    /// These, and then the others.
    #[must_use]
    pub fn and(mut self, others: Self) -> Self {
        self.extend(others.0);
        self
    }

    pub fn told(&self) -> impl Iterator<Item = &Assumption> {
        self.0.iter().filter(|one| one.is_told())
    }

    /// Those that nothing but custom speaks for.
    pub fn usual(&self) -> impl Iterator<Item = &Assumption> {
        self.told().filter(|one| one.why.is_empty())
    }

    pub fn choices(&self) -> impl Iterator<Item = &Chosen> {
        self.0.iter().filter_map(|one| one.choice.as_ref())
    }

    /// Whether this option of the command line was left to matviz.
    pub fn has(&self, option: &str) -> bool {
        self.0.iter().any(|one| one.what.starts_with(option))
    }

    pub fn has_grid(&self) -> bool {
        self.choices().any(|choice| matches!(choice, Chosen::Grid(_)))
    }

    pub fn is_empty(&self) -> bool {
        self.told().next().is_none()
    }
}

impl FromIterator<Assumption> for Assumptions {
    fn from_iter<T: IntoIterator<Item = Assumption>>(all: T) -> Self {
        Self(all.into_iter().collect())
    }
}

impl Assumption {
    pub fn usual(what: impl Into<String>) -> Self {
        Self { what: what.into(), why: String::new(), choice: None }
    }

    pub fn new(what: impl Into<String>, why: impl fmt::Display) -> Self {
        Self { why: format!(": {why}"), ..Self::usual(what) }
    }

    /// The reason is a part of the sentence: `, although this does not look like a product`.
    pub fn sentence(what: impl Into<String>, why: String) -> Self {
        Self { why, ..Self::usual(what) }
    }

    /// A choice that is told only where something is found.
    pub fn silent(choice: Chosen) -> Self {
        Self::usual("").choosing(Some(choice))
    }

    const fn is_told(&self) -> bool {
        !self.what.is_empty()
    }

    #[must_use]
    pub fn choosing(self, choice: Option<Chosen>) -> Self {
        Self { choice, ..self }
    }
}

impl fmt::Display for Assumption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.what, self.why)
    }
}

fn told<S: Serializer>(all: &[Assumption], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(all.iter().filter(|one| one.is_told()))
}

fn without_sign<S: Serializer>(why: &str, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(why.trim_start_matches([':', ';', ',', ' ']))
}

impl Chosen {
    pub const fn option(&self) -> &'static str {
        match self {
            Self::Block(_) => "the block in --launch",
            Self::Grid(_) => "the grid in --launch",
            Self::Sizes(_) => "--size",
            Self::Parameters(_) | Self::Contents(_) => "the arguments in --launch",
        }
    }
}
