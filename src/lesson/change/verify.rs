//! Whether a change does what its table says: it applies, compiles, and shows these symptoms.

use super::{Change, ChangeTable};
use crate::lesson::error::RunError;
use crate::lesson::judged::Judged;
use crate::matrix::Size;
use crate::work::{WorkToken, on_all_cores};
use std::collections::BTreeSet;

/// What the simulator says of a change.
#[derive(Debug)]
pub struct Verified<'t> {
    pub change: &'t Change,
    /// Its kernel's results at the sizes of the table.
    ///
    /// # Errors
    /// Why there are none: a text that is not found, or that does not compile.
    pub judged: Result<Vec<Judged>, RunError>,
}

impl ChangeTable {
    /// Makes each change and simulates it at all sizes, on all cores, until it is cancelled.
    pub fn verify(&self, token: &WorkToken) -> Vec<Verified<'_>> {
        on_all_cores(&self.changes, (token, "change"), |change| {
            let judged = change.trial(self.tile).and_then(|trial| trial.judge(&self.sizes));
            Verified { change, judged }
        })
    }
}

impl Verified<'_> {
    /// What is not as the table says; empty if everything holds.
    pub fn complaints(&self) -> Vec<String> {
        let judged = match &self.judged {
            Ok(judged) => judged,
            Err(told) => return vec![told.to_string()],
        };
        let right = judged.iter().filter(|judged| judged.right).map(|judged| judged.size);
        let right: Vec<_> = right.collect();
        let finds: BTreeSet<_> = judged.iter().flat_map(Judged::kinds).map(str::to_owned).collect();
        let mut told = Vec::new();
        if right != self.change.right_at {
            let [is, said] = [&right, &self.change.right_at].map(|sizes| size_list(sizes));
            told.push(format!("C is right at {is}, and the table says at {said}"));
        }
        if finds != self.change.finds {
            let [is, said] = [&finds, &self.change.finds].map(listed);
            told.push(format!("the checks find {is}, and the table says {said}"));
        }
        told
    }
}

fn size_list(sizes: &[Size]) -> String {
    let sizes: Vec<_> = sizes.iter().map(Size::to_string).collect();
    if sizes.is_empty() { "no size".to_owned() } else { sizes.join(", ") }
}

fn listed(kinds: &BTreeSet<String>) -> String {
    let kinds: Vec<_> = kinds.iter().map(String::as_str).collect();
    if kinds.is_empty() { "nothing".to_owned() } else { kinds.join(", ") }
}
