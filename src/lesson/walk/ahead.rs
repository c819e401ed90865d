//! Prefetches slow queries in the background, so that later pages need not wait: times on a GPU, and
//! results for all settings of dials.

use super::seed::choose;
use super::state::Walk;
use crate::lesson::document::Beat;
use crate::lesson::expr::{Context, Given, Query};
use crate::lesson::setting::Setting;
use crate::lesson::stage::Stages;
use std::sync::Arc;
use std::thread;

impl Walk {
    /// Asks ahead what this lesson will ask.
    pub fn ask_ahead(&self) {
        let (questions, clock) = (self.slow_questions(), self.stages.clock().map(Arc::clone));
        if questions.is_empty() {
            return;
        }
        thread::spawn(move || {
            let stages = Stages::timed_by(clock);
            for (want, setting) in questions {
                // One that has no answer says so on its page.
                let given = Given::default();
                let _ = Context { stages: &stages, setting: &setting, given: &given }.answer(&want);
            }
        });
    }

    /// The questions of the lesson that take long, each in the variant that will be chosen.
    fn slow_questions(&self) -> Vec<(Query, Setting)> {
        let beats = self.lesson().pages.iter().flat_map(|page| &page.beats);
        let (mut stands, mut questions) = (None, Vec::new());
        for beat in beats {
            match beat {
                Beat::Scene(scene) => {
                    stands = scene.variants.get(choose(scene.variants.len(), self.seed));
                }
                Beat::Ask(ask) if is_slow(&ask.want) => {
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
