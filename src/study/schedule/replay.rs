//! Runs a block under one order of its warps: what the block wrote, and where warps took turns.

use super::Search;
use super::played::{OrderResult, Word};
use crate::launch::Dim3;
use crate::matrix::Operand;
use crate::sim::{Effect, Machine, Order, Repetition, ScriptPiece, WarpState};
use std::sync::Arc;

impl Search<'_> {
    /// Runs the block under `order`.
    pub(super) fn play(&self, block: Dim3, order: Order) -> OrderResult {
        self.follow(block, order, |_| ())
    }

    /// Returns `order` as a script, which gives the same run step by step.
    pub(super) fn script(&self, block: Dim3, order: Order) -> Vec<ScriptPiece> {
        let mut pieces = Vec::new();
        self.follow(block, order, |piece| pieces.push(piece));
        pieces
    }

    /// Runs the block under `order` and passes every piece of it to `tell`.
    fn follow(&self, block: Dim3, order: Order, mut tell: impl FnMut(ScriptPiece)) -> OrderResult {
        let memory = self.problem.sparse_memory(self.program);
        let program = Arc::clone(self.program);
        let mut machine = self.problem.machine(program, block, memory, order.clone());
        let mut played =
            OrderResult { order, preemptions: 0, steps: 0, ended: false, c: Vec::new() };
        let mut repetition = Repetition::default();
        let (mut done, mut running) = (vec![0; machine.warps()], None);
        while played.steps < self.budget {
            let step = match machine.step() {
                Ok(Some(step)) => step,
                end => {
                    played.ended = end.is_ok();
                    break;
                }
            };
            let (warp, at_barrier) = (step.warp, matches!(step.effect, Effect::Barrier { .. }));
            if let Some(left) = running.filter(|running| *running != warp) {
                tell(ScriptPiece { warp: left as u8, until: Some(done[usize::from(left)]) });
                played.preemptions += 1;
            }
            played.steps += 1;
            done[usize::from(warp)] += 1;
            running = Some(warp);
            if at_barrier || machine.state(warp.into()) != WarpState::Ready {
                tell(ScriptPiece { warp: warp as u8, until: None });
                running = None;
            }
            if repetition.sees(&machine).is_some() {
                break;
            }
        }
        played.c = self.written(&machine);
        played
    }

    /// Returns the words of C that a block has written, or those of all buffers if C is not all that
    /// it computes.
    fn written(&self, machine: &Machine) -> Vec<Word> {
        let operands = self.problem.operands;
        let buffers = operands.len() + self.problem.buffers.len();
        let is_product = self.problem.is_product();
        let counts = |number: usize| {
            if is_product { operands.get(number) == Some(&Operand::C) } else { number < buffers }
        };
        let words = machine.memory().written().into_iter();
        let words = words.filter(|(number, ..)| counts(*number));
        let mut words: Vec<_> =
            words.map(|(number, word, bits)| (number as u32, word as u32, bits)).collect();
        words.sort_unstable();
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Problem, find};
    use crate::sim::Script;
    use crate::work::WorkToken;
    use std::borrow::Cow;

    #[test]
    fn a_script_is_the_order_that_it_was_written_from() {
        let kernel = find("tiled_no_load_barrier").expect("a kernel");
        let size = "40x36x44".parse().expect("a size");
        let ptx = Cow::Borrowed(kernel.embedded(8).expect("its PTX"));
        let problem = Problem::of(kernel, 8, size, ptx);
        let program = problem.program().expect("it can be run");
        let (problem, program) = (&problem, &program);
        let search = Search {
            problem,
            program,
            block: None,
            random: 0,
            budget: 1 << 20,
            token: &WorkToken::default(),
        };
        let block = Dim3::at(1, 1);
        let orders =
            [Order::Random(1), Order::Random(2), Order::RoundRobin, Order::InStep([].into())];
        for order in orders {
            let played = search.play(block, order.clone());
            let again = Script::new(&search.script(block, order));
            let text = again.to_string();
            let again = search.play(block, Order::Scripted(text.parse().expect("a script")));
            assert!(played.ended && played.preemptions > 0, "{played:?}");
            assert_eq!((again.preemptions, again.steps), (played.preemptions, played.steps));
            assert_eq!(again.c, played.c, "{text}");
        }
        assert_eq!(search.play(block, Order::ToBarrier).preemptions, 0);
    }
}
