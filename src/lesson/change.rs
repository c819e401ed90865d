//! Known defects of the course's kernels, as changes of their text: `lessons/changes.toml`.

mod verify;

pub use verify::Verified;

use super::error::{ChangeError, EditError, RunError};
use super::judged::Trial;
use crate::kernel::{self, Kernel, Tile};
use crate::matrix::Size;
use serde::de::{Deserialize, Deserializer, Error};
use similar::TextDiff;
use std::collections::BTreeSet;
use std::sync::OnceLock;

/// The text of the shipped table.
const SHIPPED: &str = include_str!("../../lessons/changes.toml");

#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChangeTable {
    /// The side of the tile at which the table holds.
    pub tile: u32,
    /// The sizes at which it holds.
    #[serde(deserialize_with = "sizes")]
    pub sizes: Vec<Size>,
    #[serde(rename = "change")]
    pub changes: Vec<Change>,
}

/// A change of a kernel's text.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// Its name in lessons.
    pub id: String,
    /// The kernel of the catalogue that it changes.
    pub kernel: String,
    /// What is changed, as a learner would say it.
    pub title: String,
    /// The sizes of the table at which C is right when the warps take turns: what a test would see.
    #[serde(deserialize_with = "sizes")]
    pub right_at: Vec<Size>,
    /// The kinds of findings, at any size.
    pub finds: BTreeSet<String>,
    /// What it is made of, one after the other.
    #[serde(rename = "edit")]
    pub edits: Vec<Edit>,
}

/// A text that is replaced.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Edit {
    /// The text that is looked for.
    pub find: String,
    /// What takes its place.
    pub replace: String,
    /// How often it is found.
    #[serde(default = "once")]
    pub times: u32,
}

/// The shipped table.
///
/// # Errors
/// What is wrong in it, with its line.
pub fn table() -> Result<&'static ChangeTable, &'static ChangeError> {
    static TABLE: OnceLock<Result<ChangeTable, ChangeError>> = OnceLock::new();
    TABLE.get_or_init(|| ChangeTable::read(SHIPPED)).as_ref()
}

/// The shipped changes; none if their table is broken, which [`table`] explains.
pub fn changes() -> &'static [Change] {
    table().map_or(&[], |table| &table.changes)
}

/// The shipped change of that name.
pub fn find(id: &str) -> Option<&'static Change> {
    changes().iter().find(|change| change.id == id)
}

/// The shipped change of that name.
///
/// # Errors
/// There is none; the text lists those that there are.
pub fn named(id: &str) -> Result<&'static Change, ChangeError> {
    find(id).ok_or_else(|| {
        let ids: Vec<_> = changes().iter().map(|change| change.id.as_str()).collect();
        ChangeError::Unknown { id: id.to_owned(), known: ids.join(", ") }
    })
}

/// The source with the changes made, in their order.
///
/// # Errors
/// An unknown change, a text that does not occur exactly as often as it should.
pub fn applied(source: &str, ids: &[String]) -> Result<String, ChangeError> {
    ids.iter().try_fold(source.to_owned(), |text, id| named(id)?.apply(&text))
}

/// The source with the edits made, in their order.
///
/// # Errors
/// A text that does not occur exactly as often as it should.
pub fn edited(source: &str, edits: &[Edit]) -> Result<String, EditError> {
    edits.iter().try_fold(source.to_owned(), |text, Edit { find, replace, times }| {
        let found = text.matches(find.as_str()).count();
        if found == *times as usize {
            return Ok(text.replace(find.as_str(), replace));
        }
        Err(EditError { find: find.trim_end().to_owned(), times: *times, found })
    })
}

/// What differs between two texts: removed lines with `-`, new ones with `+`, and three lines around
/// them, with the numbers of the lines.
pub fn difference(before: &str, after: &str) -> String {
    TextDiff::from_lines(before, after).unified_diff().context_radius(3).to_string()
}

impl ChangeTable {
    /// Reads a table.
    ///
    /// # Errors
    /// What is wrong, with its line: TOML, a key, two changes of one name, a kernel or a size that is
    /// not there.
    pub fn read(text: &str) -> Result<Self, ChangeError> {
        let table: Self =
            toml::from_str(text).map_err(|error| ChangeError::Toml(error.to_string()))?;
        let mut ids = BTreeSet::new();
        for change in &table.changes {
            if !ids.insert(&change.id) {
                return Err(ChangeError::Twice(change.id.clone()));
            }
            change.base_kernel()?;
            if let Some(size) = change.right_at.iter().find(|size| !table.sizes.contains(size)) {
                return Err(ChangeError::NoSize { id: change.id.clone(), size: *size });
            }
        }
        Ok(table)
    }
}

impl Change {
    /// The kernel that it changes.
    ///
    /// # Errors
    /// The catalogue has none of that name.
    pub fn base_kernel(&self) -> Result<&'static Kernel, ChangeError> {
        let Self { id, kernel, .. } = self.clone();
        kernel::find(&self.kernel).ok_or(ChangeError::NoKernel { id, kernel })
    }

    /// The source with this change made.
    ///
    /// # Errors
    /// A text that does not occur exactly as often as it should.
    pub fn apply(&self, source: &str) -> Result<String, ChangeError> {
        edited(source, &self.edits).map_err(|why| {
            let (id, kernel) = (self.id.clone(), self.kernel.clone());
            ChangeError::NotThere { id, kernel, why }
        })
    }

    /// Its kernel, changed, with this tile.
    ///
    /// # Errors
    /// A text that does not occur exactly as often as it should; no such tile.
    pub fn trial(&self, tile: u32) -> Result<Trial, RunError> {
        let kernel = self.base_kernel()?;
        Trial::of_catalogue(kernel, Tile::square(tile), self.apply(kernel.source)?)
    }

    /// The other changes of its kernel, those first that are most easily taken for it: with the same
    /// findings, and right at the same sizes.
    pub fn lookalikes(&self) -> Vec<&'static Self> {
        let others = changes().iter().filter(|other| other.kernel == self.kernel);
        let mut others: Vec<_> = others.filter(|other| other.id != self.id).collect();
        others.sort_by_key(|other| (other.finds != self.finds, other.right_at != self.right_at));
        others
    }
}

const fn once() -> u32 {
    1
}

fn sizes<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Size>, D::Error> {
    let texts = Vec::<String>::deserialize(deserializer)?;
    texts.iter().map(|text| text.parse().map_err(D::Error::custom)).collect()
}

#[cfg(test)]
mod tests;
