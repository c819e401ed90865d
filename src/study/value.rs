//! Where a value came from and where it went, in elements of A, B and C.
//!
//! ```text
//! Question { problem, block, element }  ask()  ->  Answer .. Answer, the last one complete
//!   C[i][j]             Came: every load that fed it, in the block that computed it
//!   A[i][k], B[k][j]    Went: what a block did with it; how often the grid fetched and used it
//! ```
//!
//! An answer carries its question: its instructions and addresses are valid only for that program
//! and that run, whatever is on the screen when it arrives.
//!
//! All of it is simulated.

mod blocks;
mod sum;
mod term;

use sum::StoreFacts;
pub use sum::SumKind;
pub use term::Term;

use crate::kernel::Problem;
use crate::launch::Dim3;
use crate::matrix::{Element, Operand};
use crate::sim::{Machine, Order, Program};
use crate::trace::provenance::{
    ByteRange, GlobalLoad, LaneStep, ProvenanceError, Slice, ValueHistory,
};
use crate::work::WorkToken;
use std::collections::HashSet;
use std::sync::Arc;

/// A question about an element.
#[derive(Clone, Debug)]
pub struct ValueQuestion {
    /// The kernel and its launch.
    pub problem: Problem,
    pub program: Arc<Program>,
    /// The order of the warps of each block.
    pub order: Order,
    /// The block shown on the screen, which is run first.
    pub block: Dim3,
    pub element: Element,
}

/// The answer to a question, perhaps incomplete.
#[derive(Clone, Debug)]
pub struct ValueAnswer {
    pub question: Arc<ValueQuestion>,
    /// The facts known so far.
    pub known: Known,
}

/// The facts known about an element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Known {
    /// Where an element of C came from.
    Came(ElementSource),
    /// Where an element of A or B went.
    Went(ElementUses),
    /// No block that was run stores it: the number of blocks run, and of those in the grid.
    Nobody(u64, u64),
}

/// Where an element of C came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ElementSource {
    pub element: Element,
    /// The block that computed it.
    pub block: Dim3,
    /// The store that gave it its value.
    pub stored: LaneStep,
    /// Every load that fed it, in the order in which the values were used.
    pub terms: Vec<Term>,
    /// The number of rounds in which they were loaded.
    pub rounds: u32,
    /// The sum that the loads add up to.
    pub sum: SumKind,
    /// Whether earlier loads are omitted: only the last ones are listed.
    pub cut: bool,
}

/// Where an element of A or B went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ElementUses {
    pub element: Element,
    /// The block that is described: the one on the screen, or the first that uses the element.
    pub block: Dim3,
    /// The operations of that block on it.
    pub here: ValueHistory,
    /// The matrix elements that it goes into in that block.
    pub outputs: Vec<Element>,
    /// The totals over the blocks run so far.
    pub total: Total,
    /// Whether all blocks that need it do the same.
    pub alike: bool,
}

/// The operations of several blocks on an element.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Total {
    /// The number of blocks run so far.
    pub run: u64,
    /// The number of blocks to run.
    pub of: u64,
    /// The number of blocks that fetch it.
    pub fetching: u64,
    /// The number of lanes that fetch it from global memory.
    pub fetched: u64,
    /// The number of requests by which they do.
    pub requests: u64,
    /// How often it is combined with another value: see [`ValueHistory::used`].
    pub used: u64,
    /// The number of elements that it goes into.
    pub outputs: u64,
}

impl ValueQuestion {
    /// Answers the question: `tell` receives the partial answers and finally the complete one. The
    /// token is told the steps of the block that computes an element of C, or the blocks that may
    /// fetch one of A or B.
    ///
    /// # Errors
    /// It is cancelled, or a block does not end.
    pub fn ask(
        self,
        token: &WorkToken,
        mut tell: impl FnMut(ValueAnswer),
    ) -> Result<(), ProvenanceError> {
        let question = Arc::new(self);
        let mut tell = |known| tell(ValueAnswer { question: Arc::clone(&question), known });
        match question.element.operand {
            Operand::C => tell(question.came(token)?),
            Operand::A | Operand::B => question.went(token, &mut tell)?,
        }
        Ok(())
    }

    fn came(&self, token: &WorkToken) -> Result<Known, ProvenanceError> {
        let mut run = 0;
        for block in self.run_apart(blocks::writers(&self.problem, self.block, self.element)) {
            run += self.program.blocks_together();
            let machine = self.machine(block);
            let Some(bytes) = self.bytes(&machine) else { continue };
            let blocks = *machine.blocks();
            if let Some(origin) = Slice::of(machine, bytes, token)? {
                let block = blocks.block_of(origin.stored.warp);
                return Ok(Known::Came(self.named(block, origin)));
            }
        }
        Ok(Known::Nobody(run, self.problem.launch.blocks()))
    }

    fn named(&self, block: Dim3, origin: Slice) -> ElementSource {
        let memory = self.problem.sparse_memory(&self.program);
        let mut intervals: Vec<_> = origin.loads.iter().map(|load| load.interval).collect();
        intervals.sort_unstable();
        intervals.dedup();
        let term = |load: GlobalLoad| Term {
            load,
            element: self.problem.element(&memory, load.bytes.addr).map(element),
            round: intervals.partition_point(|interval| *interval < load.interval) as u32,
        };
        let terms: Vec<_> = origin.loads.into_iter().map(term).collect();
        let Slice { unwritten, cut, atomic, .. } = origin;
        let sum = SumKind::of(
            self.problem.size,
            self.element,
            &terms,
            &StoreFacts { unwritten, cut, atomic },
        );
        let (element, stored) = (self.element, origin.stored);
        ElementSource { element, block, stored, terms, rounds: intervals.len() as u32, sum, cut }
    }

    fn went(&self, token: &WorkToken, tell: &mut dyn FnMut(Known)) -> Result<(), ProvenanceError> {
        let blocks = blocks::readers(&self.problem, self.block, self.element);
        let blocks = self.run_apart(blocks);
        let mut total = Total { of: blocks.len() as u64, ..Total::default() };
        let mut shown: Option<(Dim3, ValueHistory)> = None;
        for (number, block) in blocks.into_iter().enumerate() {
            let machine = self.machine(block);
            let Some(bytes) = self.bytes(&machine) else { continue };
            // To be followed, it asks whether to go on.
            _ = token.step("block", total.run, total.of);
            let reach = ValueHistory::of(machine, bytes, token)?;
            total.add(&reach);
            if shown
                .as_ref()
                .is_none_or(|(_, here)| here.events.is_empty() && !reach.events.is_empty())
            {
                shown = Some((block, reach));
            }
            if let (true, Some((block, here))) =
                (number % TOLD == 0 || total.run == total.of, &shown)
            {
                tell(Known::Went(self.gone(*block, here.clone(), total)));
            }
        }
        Ok(())
    }

    fn gone(&self, block: Dim3, here: ValueHistory, total: Total) -> ElementUses {
        let memory = self.problem.sparse_memory(&self.program);
        let outputs = here.outputs.iter();
        let outputs = outputs.filter_map(|output| self.problem.element(&memory, output.addr));
        let outputs = outputs.map(element).collect();
        ElementUses {
            element: self.element,
            block,
            here,
            outputs,
            total,
            alike: self.problem.is_even(),
        }
    }

    fn machine(&self, block: Dim3) -> Machine {
        let (program, memory) =
            (Arc::clone(&self.program), self.problem.sparse_memory(&self.program));
        self.problem.machine(program, block, memory, self.order.clone())
    }

    /// Those of the blocks that do not run together.
    fn run_apart(&self, mut blocks: Vec<Dim3>) -> Vec<Dim3> {
        let (launch, mut seen) = (self.problem.launch, HashSet::new());
        if self.program.blocks_together() > 1 {
            blocks.retain(|block| seen.insert(self.program.blocks_of(launch, *block).place(0)));
        }
        blocks
    }

    fn bytes(&self, machine: &Machine) -> Option<ByteRange> {
        let (addr, count) = self.problem.place(machine.memory(), self.element)?;
        Some(ByteRange { addr, count })
    }
}

impl ValueAnswer {
    /// The element in question.
    pub fn element(&self) -> Element {
        self.question.element
    }

    /// The block whose run is described.
    pub const fn block(&self) -> Option<Dim3> {
        match &self.known {
            Known::Came(came) => Some(came.block),
            Known::Went(went) => Some(went.block),
            Known::Nobody(..) => None,
        }
    }

    /// Whether it is about runs of this very program, its warps in this order.
    pub fn is_of(&self, program: &Arc<Program>, order: &Order) -> bool {
        Arc::ptr_eq(&self.question.program, program) && self.question.order == *order
    }
}

/// The number of blocks between two partial answers.
const TOLD: usize = 16;

impl ElementUses {
    /// The totals over all blocks, if they are known: all have been run, or all do the same.
    /// Otherwise those over the blocks run so far.
    pub fn in_all(&self) -> Total {
        let Total { run, of, .. } = self.total;
        if run == of || !self.alike {
            return self.total;
        }
        let ((fetched, requests), (used, _)) = (self.here.fetched(), self.here.used());
        Total {
            run: of,
            of,
            fetching: of * u64::from(fetched > 0),
            fetched: of * fetched,
            requests: of * requests,
            used: of * used,
            outputs: of * self.here.outputs.len() as u64,
        }
    }
}

impl Total {
    fn add(&mut self, reach: &ValueHistory) {
        let ((fetched, requests), (used, _)) = (reach.fetched(), reach.used());
        self.run += 1;
        self.fetching += u64::from(fetched > 0);
        self.fetched += fetched;
        self.requests += requests;
        self.used += used;
        self.outputs += reach.outputs.len() as u64;
    }
}

const fn element((operand, row, column): (Operand, u32, u32)) -> Element {
    Element { operand, row, column }
}
