//! The sentence of the picture, for those who do not see it.

use super::state::LessonSession;
use crate::report::sentence;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PictureCaption {
    /// The kernel with its blocks, and the size: `tiled 16x16, 64`.
    pub what: String,
    /// The steps of the run.
    pub steps: usize,
    /// What happened last, without a limit on its length.
    pub sentence: String,
}

impl LessonSession {
    /// The run after this many steps, or `None` if the run cannot be simulated.
    pub fn picture(&self, step: usize) -> Option<PictureCaption> {
        let runs = self.cache.runs(&self.now.setting).ok()?;
        let replay = runs.at(step);
        let (problem, trace) = (&runs.problem, runs.trace());
        let sentence = sentence::in_source(problem, trace, &replay);
        Some(PictureCaption {
            what: format!("{}, {}", problem.label(), problem.size),
            steps: trace.len(),
            sentence: sentence.unwrap_or_else(|| sentence::whole(problem, trace, &replay)),
        })
    }
}
