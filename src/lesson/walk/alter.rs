//! The change of a page's kernel, undone and made again by the learner, and its lines.

use super::state::Walk;
use crate::lesson::edit::difference::{Line, difference};
use crate::lesson::setting::Setting;

impl Walk {
    /// Whether the kernel's changes are made, or `None` if it has none that may be undone now.
    pub fn changed(&self) -> Option<bool> {
        let waits = self.now.question.is_some() || self.now.proof.is_some();
        match (self.setting.changes.is_empty(), self.undone.is_empty()) {
            _ if waits || self.now.dials.is_some() => None,
            (false, _) => Some(true),
            (true, false) => Some(false),
            (true, true) => None,
        }
    }

    /// Undoes the kernel's changes, or makes them again; the run begins anew.
    pub fn alter(&mut self) {
        if self.changed().is_some() {
            std::mem::swap(&mut self.setting.changes, &mut self.undone);
            self.stand("start");
        }
    }

    /// Makes the changes again that the learner has undone, before the lesson goes on.
    pub(super) fn restore(&mut self) {
        if !self.undone.is_empty() {
            self.setting.changes = std::mem::take(&mut self.undone);
            self.stand("start");
        }
    }

    /// The lines in which the kernel differs from the one without its changes; none if it has no
    /// changes, or while they are asked for.
    pub fn difference(&self) -> Vec<Line> {
        let Some(made) = self.changed() else { return Vec::new() };
        let changes = if made { &self.setting.changes } else { &self.undone };
        let text = |changes: Vec<String>| {
            let problem = Setting { changes, ..self.setting.clone() }.problem().ok()?;
            problem.source().map(|(_, text)| text.to_owned())
        };
        let both = text(Vec::new()).zip(text(changes.clone()));
        both.map_or_else(Vec::new, |(old, new)| difference(&old, &new))
    }
}
