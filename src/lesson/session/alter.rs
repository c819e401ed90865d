//! The change of a page's kernel, undone and made again by the learner, and its lines.

use super::state::LessonSession;
use crate::lesson::edit::difference::{DiffLine, Sign, difference};
use crate::lesson::expr::Parsed;
use crate::lesson::setting::Setting;

impl LessonSession {
    /// Whether the kernel's changes are made, or `None` if it has none that may be undone now.
    pub fn changed(&self) -> Option<bool> {
        let waits = self.now.question.is_some() || self.now.proof.is_some();
        match (self.setting.changes.is_empty(), self.undone.is_empty()) {
            _ if waits || self.now.dials.is_some() || self.now.over => None,
            (false, _) => Some(true),
            (true, false) => Some(false),
            (true, true) => None,
        }
    }

    /// Undoes the kernel's changes, or makes them again; the run begins anew.
    pub fn alter(&mut self) {
        if self.changed().is_some() {
            std::mem::swap(&mut self.setting.changes, &mut self.undone);
            self.stand(&Parsed::start());
        }
    }

    /// Makes the changes again that the learner has undone, before the lesson goes on.
    pub(super) fn restore(&mut self) {
        if !self.undone.is_empty() {
            self.setting.changes = std::mem::take(&mut self.undone);
            self.stand(&Parsed::start());
        }
    }

    /// Whether it may be seen in which lines the kernel is changed: not while that is asked.
    pub fn is_different(&self) -> bool {
        let changes = self.setting.changes.len() + self.undone.len();
        changes > 0 && self.now.question.is_none() && !self.now.over
    }

    /// The lines in which the kernel differs from the one without its changes; none if that may not
    /// be seen.
    pub fn difference(&self) -> Vec<DiffLine> {
        if !self.is_different() {
            return Vec::new();
        }
        let made = self.undone.is_empty();
        self.difference_by(if made { &self.setting.changes } else { &self.undone })
    }

    /// The lines of the source in which the kernel of a scene is changed: those that are new, and
    /// those after lines that are gone.
    pub(super) fn changed_lines(&self) -> Vec<u32> {
        let (mut changed, mut gone) = (Vec::new(), false);
        for line in self.difference_by(&self.setting.changes) {
            if line.sign == Sign::New || gone && line.sign == Sign::Same {
                changed.push(line.number);
            }
            gone = line.sign == Sign::Gone;
        }
        changed
    }

    fn difference_by(&self, changes: &[String]) -> Vec<DiffLine> {
        let text = |changes: &[String]| {
            let setting = Setting { changes: changes.to_vec(), ..self.setting.clone() };
            let problem = setting.problem().ok()?;
            problem.source.map(|source| source.text.clone())
        };
        let changes = Some(changes).filter(|changes| !changes.is_empty());
        let both = changes.and_then(|changes| text(&[]).zip(text(changes)));
        both.map_or_else(Vec::new, |(old, new)| difference(&old, &new))
    }
}
