//! What was found by trying: where a text belongs in the source, and which order of the warps spoils
//! C.

use crate::kernel::Problem;
use crate::lesson::error::RunError;
use crate::lesson::gap::{self, Gap};
use crate::lesson::judged::Trial;
use crate::lesson::proof::SpoilingOrder;
use crate::work::WorkToken;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The gaps of a source by the text that was put there, or why they cannot be tried.
type Gaps = BTreeMap<String, Result<Arc<Vec<Gap>>, RunError>>;

#[derive(Debug, Default)]
pub(super) struct TriedChanges {
    gaps: Mutex<Gaps>,
    spoiling: OnceLock<Result<Option<SpoilingOrder>, RunError>>,
}

impl TriedChanges {
    /// What a kernel does with a text after each line of its source in turn, at its size.
    ///
    /// # Errors
    /// The source is missing, or does not compile as it is.
    pub(super) fn gaps(
        &self,
        problem: &Problem,
        text: &str,
        token: &WorkToken,
    ) -> Result<Arc<Vec<Gap>>, RunError> {
        // Who asks for the same meanwhile waits, and gets it.
        let mut known = self.gaps.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.get(text) {
            return known.clone();
        }
        let (trial, sizes) = (Trial::of_problem(problem), [problem.size]);
        let tried = trial.ok_or(RunError::NoSource);
        let tried =
            tried.and_then(|trial| token.during(|token| gap::gaps(&trial, text, &sizes, token)));
        let tried = tried.map(Arc::new);
        known.insert(text.to_owned(), tried.clone());
        tried
    }

    /// An order of the warps that spoils C, if one is found.
    pub(super) fn spoiling_order(
        &self,
        problem: &Problem,
        token: &WorkToken,
    ) -> Result<Option<&SpoilingOrder>, RunError> {
        let search = || token.during(|token| SpoilingOrder::of(problem, token));
        self.spoiling.get_or_init(search).as_ref().map(Option::as_ref).map_err(Clone::clone)
    }
}
