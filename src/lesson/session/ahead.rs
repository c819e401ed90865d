//! Prefetches slow queries in the background, so that later pages need not wait: times on a GPU, and
//! results for all settings of dials.

use super::seed::choose;
use super::state::LessonSession;
use crate::lesson::clock::Clock;
use crate::lesson::document::PageBlock;
use crate::lesson::expr::{Bindings, EvalContext, Query};
use crate::lesson::setting::Setting;
use crate::lesson::setting_runs::SettingCache;
use std::sync::Arc;

/// What a lesson will ask that takes long.
#[derive(Debug)]
pub struct AskAhead {
    questions: Vec<(Query, Setting)>,
    clock: Option<Arc<dyn Clock>>,
}

impl AskAhead {
    pub fn run(self) {
        let cache = SettingCache::timed_by(self.clock);
        for (want, setting) in self.questions {
            // One that has no answer says so on its page.
            let given = Bindings::default();
            let _ = EvalContext { cache: &cache, setting: &setting, given: &given }.answer(&want);
        }
    }
}

impl LessonSession {
    /// What this lesson will ask that takes long, if it does.
    pub fn ask_ahead(&self) -> Option<AskAhead> {
        let (questions, clock) = (self.slow_questions(), self.cache.clock().map(Arc::clone));
        (!questions.is_empty()).then_some(AskAhead { questions, clock })
    }

    /// The questions of the lesson that take long, each in the variant that will be chosen.
    fn slow_questions(&self) -> Vec<(Query, Setting)> {
        let beats = self.lesson().pages.iter().flat_map(|page| &page.blocks);
        let (mut stands, mut questions) = (None, Vec::new());
        for page_block in beats {
            match page_block {
                PageBlock::Scene(scene) => {
                    stands = scene.variants.get(choose(scene.variants.len(), self.seed));
                }
                PageBlock::Ask(ask) if is_slow(&ask.want) => {
                    let asked = stands.map(|setting| (ask.want.clone(), setting.clone()));
                    questions.extend(asked);
                }
                _ => {}
            }
        }
        questions
    }
}

fn is_slow(want: &Query) -> bool {
    let meaning = want.meaning();
    let mut calls = meaning.iter().flat_map(|meaning| meaning.calls());
    calls.any(|call| call.function.is_slow)
}
