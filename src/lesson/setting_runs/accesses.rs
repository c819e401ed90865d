//! The accesses of a block to memory, by instruction and warp.

use crate::kernel::Problem;
use crate::sim::{Access, Direction, Machine, Memory, Pc, Program};
use ptx::Space;
use std::collections::BTreeMap;

/// The first executions of an instruction by a warp whose addresses are kept; later ones are run
/// again.
const KEPT: usize = 64;

/// An instruction that accesses memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessSite {
    pub pc: Pc,
    /// Global or shared memory.
    pub space: Space,
    /// Whether it loads or stores.
    pub direction: Direction,
    /// Bytes for each lane.
    pub bytes: u8,
    /// The matrix or shared array, if it lies in one.
    pub array: Option<AccessedArray>,
    /// Its line of the source.
    pub line: Option<u32>,
}

/// A matrix, or a shared array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessedArray {
    /// Its name in the source.
    pub name: String,
    /// The name of the whole of which it is a part, if it is.
    pub whole: String,
    pub first: u64,
    /// Words of a row, if it has rows.
    pub row: Option<u32>,
}

/// One execution of an instruction by a warp.
#[derive(Debug)]
pub(super) struct Execution {
    /// Steps done before it.
    pub(super) step: usize,
    /// Its access, if it is kept.
    pub(super) access: Option<Box<Access>>,
}

/// All accesses of a block with an active lane.
#[derive(Debug)]
pub(super) struct Accesses {
    pub(super) sites: BTreeMap<Pc, AccessSite>,
    pub(super) by_warp: BTreeMap<(Pc, u16), Vec<Execution>>,
}

impl Accesses {
    /// Reruns a block for this many steps, and keeps its accesses.
    pub(super) fn of(
        problem: &Problem,
        program: &Program,
        mut machine: Machine,
        steps: usize,
    ) -> Self {
        let mut all = Self { sites: BTreeMap::new(), by_warp: BTreeMap::new() };
        for index in 0..steps {
            let Ok(Some(step)) = machine.step() else { break };
            let (pc, warp) = (step.pc, step.warp);
            let Some(access) = seen(step.accesses()) else { continue };
            let executions = all.by_warp.entry((pc, warp)).or_default();
            let kept = (executions.len() < KEPT).then(|| Box::new(access.clone()));
            let access = access.clone();
            executions.push(Execution { step: index, access: kept });
            all.sites.entry(pc).or_insert_with(|| AccessSite {
                pc,
                space: access.space,
                direction: access.direction,
                bytes: access.bytes,
                array: array_of(problem, program, machine.memory(), &access),
                line: program.inst(pc).line,
            });
        }
        all
    }
}

/// The first access that reaches global or shared memory.
pub(super) fn seen(accesses: &[Access]) -> Option<&Access> {
    let reaches = |access: &&Access| {
        matches!(access.space, Space::Global | Space::Shared) && !access.active.is_empty()
    };
    accesses.iter().find(reaches)
}

/// The array that an access touches first.
fn array_of(
    problem: &Problem,
    program: &Program,
    memory: &Memory,
    access: &Access,
) -> Option<AccessedArray> {
    let (_, address) = access.touched().next()?;
    if access.space == Space::Global {
        let (buffer, _) = memory.locate(address)?;
        let name = buffer.name.clone();
        let row = u32::try_from(buffer.pitch / 4).ok().filter(|words| *words > 0);
        return Some(AccessedArray { whole: name.clone(), name, first: buffer.base, row });
    }
    let inside = |offset: u32, bytes: u32| address.wrapping_sub(offset.into()) < bytes.into();
    let whole = program.shared.iter().find(|array| inside(array.offset, array.bytes))?;
    let tile = problem.tile();
    let staged = problem.staged(program).find(|(staged, first, _)| {
        tile.is_some_and(|tile| inside(4 * first, 4 * staged.elements(tile)))
    });
    let (name, first, row) = staged.map_or_else(
        || (whole.name.clone(), u64::from(whole.offset), whole.columns()),
        |(staged, first, (_, columns))| {
            (staged.name.to_owned(), 4 * u64::from(first), Some(columns))
        },
    );
    Some(AccessedArray { name, whole: whole.name.clone(), first, row })
}

impl AccessedArray {
    /// Whether it is what a query calls by this name: `sA` is also `sA[1]` of a double buffer.
    pub fn is_called(&self, name: &str) -> bool {
        let (own, _) = self.name.split_once('[').unwrap_or((&self.name, ""));
        [own, &self.name, &self.whole].contains(&name)
    }
}
