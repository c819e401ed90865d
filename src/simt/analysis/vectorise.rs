//! Predicts which accesses of the PTX ptxas vectorises in SASS.
//!
//! ptxas combines neighbouring accesses to shared memory into wider ones, and those to global memory
//! where a vector beside them tells that they are aligned; so a warp executes fewer instructions
//! than the PTX has, with other wavefronts and sectors. The rule was found by compiling small kernels with ptxas 11.8 to 13.5 for compute
//! capability 7.5 to 12.0 and reading the SASS; they are test data (tests/data/analysis/joins).

mod beside;
mod dataflow;
mod note;
mod route;
mod rule;
mod sass_access;
mod site;
mod value;

use crate::sim::flow::FlowGraph;
use crate::sim::{Pc, Program};
use dataflow::Dataflow;
pub use note::{ExecutedRange, Note, NoteKind};
use note::{NoteBuilder, general};
use rule::{BaseAccesses, Executed, Joined, alone, classes, combined, stores};
pub use sass_access::SassAccess;
use site::{Needs, Site, sites};

/// One SASS access that replaces several PTX instructions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VectorisedAccess {
    /// The PTX instructions, ascending.
    pub of: Vec<Pc>,
    /// The one of them in whose place it is executed.
    pub at: Pc,
    /// Bytes per lane.
    pub bytes: u8,
}

/// What SASS executes in place of an access.
#[derive(Clone, Copy, Debug, Default)]
pub struct Replacement<'a> {
    /// The accesses, or `None` if it is executed as written.
    pub pieces: Option<&'a [SassAccess]>,
    /// What else may be executed where this is uncertain.
    pub doubt: Option<ExecutedRange>,
}

/// The SASS accesses in place of each access to shared or global memory of a program.
#[derive(Debug, Default)]
pub struct SmemVectorisation {
    /// For each instruction the accesses in its place, or `None` if it is executed as written.
    pieces: Vec<Option<Box<[SassAccess]>>>,
    /// For each instruction what else may be executed: see [`Replacement::doubt`].
    doubts: Vec<Option<ExecutedRange>>,
    /// The SASS accesses that replace several of the PTX, in order.
    pub joins: Vec<VectorisedAccess>,
    /// Where ptxas may deviate from the rule, or knows too little to vectorise.
    pub notes: Vec<Note>,
}

impl SmemVectorisation {
    pub fn of(program: &Program) -> Self {
        let flow = FlowGraph::of(&program.insts);
        let mut dataflow = Dataflow::new(program);
        let Some(states) = dataflow.settle(&flow) else {
            return Self { notes: vec![general(NoteKind::Unknown, 0)], ..Self::default() };
        };
        let needs = Needs::of(program);
        let mut all = Vec::new();
        for block in flow.graph.order.iter().copied() {
            let Some(state) = states[block].clone() else { continue };
            let insts = flow.blocks[block].clone();
            all.extend(sites(program, &mut dataflow, &needs, (block, insts), state));
        }
        let mut executed = alone(&all, &flow);
        let told = BaseAccesses::by(program, &all, &flow);
        let sure = told.for_sure();
        let classes = classes(&all, &told);
        for class in &classes {
            executed.extend(class.joined(&flow));
        }
        let mut overwritten = Vec::new();
        let [all_told, for_sure] = [&told, &sure].map(|told| {
            let mut stored = Executed::new();
            overwritten = stores(program, &all, told, &flow, &mut stored);
            stored
        });
        let met = |joined: &&Joined| combined(&for_sure).any(|other| other == *joined);
        let untold: Vec<_> = combined(&all_told)
            .filter(|joined| !met(joined))
            .flat_map(|joined| joined.of.iter().copied())
            .collect();
        let joined: Vec<_> = combined(&all_told).map(|joined| joined.of.clone()).collect();
        executed.extend(all_told);
        let found = NoteBuilder {
            program,
            flow: &flow,
            dataflow: &mut dataflow,
            states: &states,
            sites: &all,
            classes: &classes,
            executed: &executed,
            told: &told,
            sure: &sure,
        };
        let notes = found.notes(&overwritten, &untold, &joined);
        Self::new(program, &all, &executed, notes)
    }

    fn new(program: &Program, sites: &[Site], executed: &Executed, notes: Vec<Note>) -> Self {
        let mut joins = Self { notes, ..Self::default() };
        joins.pieces.resize_with(program.insts.len(), || None);
        joins.doubts.resize(program.insts.len(), None);
        for site in sites {
            let note = |note: &&Note| note.of.is_empty() || note.of.contains(&Pc(site.pc as u32));
            let doubts = joins.doubts().filter(note).filter_map(|note| note.kind.doubt(site));
            joins.doubts[site.pc] = doubts.reduce(ExecutedRange::or);
            let Some(joined) = executed.get(&site.pc) else { continue };
            let pieces: Box<[_]> = joined.iter().map(|joined| joined.piece).collect();
            if *pieces != [SassAccess { shift: 0, bytes: site.bytes() }] {
                joins.pieces[site.pc] = Some(pieces);
            }
            for joined in joined.iter().filter(|joined| joined.of.len() > 1) {
                let of = joined.of.iter().map(|pc| Pc(*pc as u32)).collect();
                let at = Pc(site.pc as u32);
                joins.joins.push(VectorisedAccess { of, at, bytes: joined.piece.bytes });
            }
        }
        joins.joins.sort_by_key(|join| (join.at, join.of[0]));
        joins
    }

    /// Whether all accesses are executed as written.
    pub fn is_empty(&self) -> bool {
        self.pieces.iter().all(Option::is_none)
    }

    /// The notes that put the counts in doubt.
    pub fn doubts(&self) -> impl Iterator<Item = &Note> {
        self.notes.iter().filter(|note| note.kind.is_doubt())
    }

    /// Returns the accesses in place of the instruction at `pc`, or `None` if it is executed as
    /// written. The slice is empty where another instruction's access includes it.
    #[inline]
    pub fn pieces(&self, pc: Pc) -> Option<&[SassAccess]> {
        self.pieces.get(pc.0 as usize)?.as_deref()
    }

    /// Returns what SASS executes in place of the instruction at `pc`.
    #[inline]
    pub fn instead(&self, pc: Pc) -> Replacement<'_> {
        let doubt = self.doubts.get(pc.0 as usize).copied().flatten();
        Replacement { pieces: self.pieces(pc), doubt }
    }

    /// The notes about the access at `pc`.
    pub fn notes_at(&self, pc: Pc) -> impl Iterator<Item = &Note> {
        self.notes.iter().filter(move |note| note.of.contains(&pc))
    }
}
