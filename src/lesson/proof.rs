//! What proves that a kernel is wrong: an order of its warps that spoils C, or a size at which it does.

use super::judged::{Judged, ORDERS, Spoilt, Trial, program, search};
use crate::kernel::Problem;
use crate::launch::Dim3;
use crate::lesson::error::RunError;
use crate::matrix::Size;
use crate::sim::{Direction, Machine, Order, Program};
use crate::study::schedule::SearchResult;
use crate::work::WorkToken;
use ptx::Space;
use serde::Serialize;
use std::sync::Arc;

/// Steps after which a run is given up.
const MOST: usize = 1_000_000;

/// A proof that a screen can play.
#[derive(Clone, Debug)]
pub enum Proof {
    /// An order of the warps that spoils C, though others do not.
    Order(SpoilingOrder),
    /// A size at which C is wrong in the usual order, or at which the checks find something.
    Size(Judged),
}

/// An order of a block's warps that spoils C, shortened to the turns that matter.
#[derive(Clone, Debug, Serialize)]
pub struct SpoilingOrder {
    pub size: Size,
    pub block: Dim3,
    #[serde(serialize_with = "spelt")]
    pub order: Order,
    /// How often it takes the turn from a warp that could go on.
    pub preemptions: u64,
    /// The first wrong value that a thread loads from shared memory, if it is known.
    pub first: Option<WrongLoad>,
    /// Wrong elements of C at the end.
    pub wrong: usize,
    /// Elements of C that the block writes.
    pub elements: usize,
    /// How many random orders spoil C as well.
    pub spoilt: Spoilt,
}

/// A thread loads another value from shared memory than in an order in which C is right.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WrongLoad {
    /// The steps done when it has just been loaded.
    pub step: usize,
    pub warp: u32,
    pub lane: u32,
    /// Its place, as the source names it: `sB[0][3]`.
    pub element: String,
    /// The line of the source.
    pub line: Option<u32>,
    pub is: f32,
    /// What is loaded in an order in which C is right.
    pub should: f32,
}

impl Proof {
    /// Looks for an order that spoils C at the first size, and then for a size, in the order given.
    ///
    /// # Errors
    /// The source does not compile, or its launch does not fit.
    pub fn of(trial: &Trial, sizes: &[Size]) -> Result<Option<Self>, RunError> {
        let ready = trial.ready()?;
        if let Some(size) = sizes.first()
            && let Some(order) = SpoilingOrder::of(&ready.problem(*size)?, &WorkToken::default())?
        {
            return Ok(Some(Self::Order(order)));
        }
        for size in sizes {
            let judged = ready.judge(*size)?;
            if !judged.right || !judged.is_sound() {
                return Ok(Some(Self::Size(judged)));
            }
        }
        Ok(None)
    }
}

impl SpoilingOrder {
    /// Looks for one in a block that races; there is none if C is wrong in every order.
    ///
    /// # Errors
    /// PTX that cannot be run.
    pub fn of(problem: &Problem, token: &WorkToken) -> Result<Option<Self>, RunError> {
        let program = program(problem)?;
        let SearchResult { block, orders, .. } = search(problem, &program, ORDERS, token).run();
        let (Some(run), Some(right)) = (&orders.wrong, &orders.right) else { return Ok(None) };
        let (spoiling, right): (Order, Order) = (run.order.parse()?, right.order.parse()?);
        let loads = |order| Loads::of(problem, &program, block, order);
        let first = loads(spoiling.clone()).first_wrong(&loads(right), problem, &program);
        Ok(Some(Self {
            size: problem.size,
            block,
            order: spoiling,
            preemptions: run.preemptions,
            first,
            wrong: run.wrong,
            elements: run.elements,
            spoilt: Spoilt::counted(&orders),
        }))
    }
}

/// What each warp loads from shared memory in a run: its instructions in order.
struct Loads {
    warps: Vec<Vec<Option<SharedLoad>>>,
}

/// One load from shared memory.
struct SharedLoad {
    step: usize,
    line: Option<u32>,
    /// The words, with the lane and the address of each.
    words: Vec<(usize, u64, u32)>,
}

impl Loads {
    /// Runs a block under an order of its warps.
    fn of(problem: &Problem, program: &Arc<Program>, block: Dim3, order: Order) -> Self {
        let memory = problem.sparse_memory(program);
        let mut machine = problem.machine(Arc::clone(program), block, memory, order);
        let mut warps: Vec<_> = (0..machine.warps()).map(|_| Vec::new()).collect();
        for step in 1..=MOST {
            let Ok(Some(_)) = machine.step() else { break };
            warps[usize::from(machine.last().warp)].push(SharedLoad::last_of(&machine, step));
        }
        Self { warps }
    }

    /// The first load whose value is not that of the same instruction of the same warp in `right`.
    fn first_wrong(&self, right: &Self, problem: &Problem, program: &Program) -> Option<WrongLoad> {
        let pairs = (0..).zip(self.warps.iter().zip(&right.warps));
        let loads = pairs.flat_map(|(warp, (is, should))| {
            let both = is.iter().zip(should);
            both.filter_map(move |(is, should)| Some((warp, is.as_ref()?, should.as_ref()?)))
        });
        let wrong = loads.filter(|(_, is, should)| is.words != should.words);
        let (warp, is, should) = wrong.min_by_key(|(_, is, _)| is.step)?;
        let mut words = is.words.iter().zip(&should.words);
        let ((lane, addr, word), (.., other)) = words.find(|(is, should)| is != should)?;
        let (array, row, column) = problem.shared_element(program, *addr)?;
        Some(WrongLoad {
            step: is.step,
            warp,
            lane: *lane as u32,
            element: format!("{array}[{row}][{column}]"),
            line: is.line,
            is: f32::from_bits(*word),
            should: f32::from_bits(*other),
        })
    }
}

impl SharedLoad {
    /// The load of the machine's last step, if it was one.
    fn last_of(machine: &Machine, step: usize) -> Option<Self> {
        let last = machine.last();
        let access = last.accesses().first()?;
        if access.space != Space::Shared || access.direction != Direction::Load {
            return None;
        }
        let word = |addr: u64| machine.shared().get(addr as usize / 4).copied().unwrap_or(0);
        let words = access.touched().flat_map(|(lane, addr)| {
            let all = (0..u64::from(access.bytes)).step_by(4).map(move |offset| addr + offset);
            all.map(move |addr| (lane, addr, word(addr)))
        });
        let (words, line) = (words.collect(), machine.program().inst(last.pc).line);
        Some(Self { step, line, words })
    }
}

fn spelt<S: serde::Serializer>(order: &Order, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(order)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lesson::change;
    use crate::lesson::judged::sizes;

    fn proof(id: &str, texts: &[&str]) -> Option<Proof> {
        let trial = change::find(id).expect("a change").trial(16).expect("a kernel");
        Proof::of(&trial, &sizes(texts).expect("sizes")).expect("it compiles")
    }

    fn order(proof: Option<Proof>) -> Option<SpoilingOrder> {
        if let Some(Proof::Order(order)) = proof { Some(order) } else { None }
    }

    fn size(proof: Option<Proof>) -> Option<Judged> {
        if let Some(Proof::Size(judged)) = proof { Some(judged) } else { None }
    }

    #[test]
    fn a_missing_barrier_is_proved_by_an_order_that_can_be_played() {
        for id in ["no-load-barrier", "no-compute-barrier"] {
            let found = order(proof(id, &["64"])).expect("an order");
            assert!(found.spoilt.orders == ORDERS && found.spoilt.wrong > 0, "{found:?}");
            assert!(found.wrong > 0 && found.wrong <= found.elements, "{found:?}");
            let first = found.first.expect("a wrong value");
            assert!(first.is.to_bits() != first.should.to_bits() && first.line.is_some());
            // Played again, that step is the one at which the value is loaded.
            let trial = change::find(id).expect("a change").trial(16).expect("a kernel");
            let ready = trial.ready().expect("it compiles");
            let problem = ready.problem(found.size).expect("a launch");
            let program = problem.program().expect("it can be run");
            let memory = problem.sparse_memory(&program);
            let mut machine = problem.machine(program, found.block, memory, found.order);
            for _ in 0..first.step {
                machine.step().expect("no fault").expect("a step");
            }
            let lanes = machine.last().accesses()[0].touched().collect::<Vec<_>>();
            let (_, addr) =
                lanes.iter().find(|(lane, _)| *lane == first.lane as usize).expect("it");
            let word = machine.shared()[*addr as usize / 4];
            assert_eq!(
                (u32::from(machine.last().warp), f32::from_bits(word)),
                (first.warp, first.is)
            );
        }
    }

    #[test]
    fn other_defects_are_proved_by_a_size_and_a_sound_kernel_by_nothing() {
        let found = size(proof("tiles-from-grid", &["64", "64x48x96"])).expect("a size");
        assert_eq!((found.size.to_string(), found.right), ("64x48x96".into(), false));
        assert!(proof("pad-a", &["64", "60"]).is_none());
    }
}
