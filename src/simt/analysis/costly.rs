//! Finds the instructions of a block whose memory accesses cost more than their addresses need.

use super::{async_copy, banks, coalesce};
use crate::sim::{Access, AsyncEffect, Direction, Effect, Machine, Pc};
use ptx::Space;
use std::collections::BTreeMap;

/// One instruction's accesses to memory, over the run of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Costly {
    /// The instruction.
    pub pc: Pc,
    /// Global or shared memory.
    pub space: Space,
    /// Load or store.
    pub direction: Direction,
    /// Warp-wide accesses.
    pub accesses: u64,
    /// 32-byte sectors of global memory, or passes through the banks of shared memory.
    pub cost: u64,
    /// Sectors or passes that would suffice for the same bytes.
    pub ideal: u64,
    /// Sectors that would suffice if each run of neighbouring bytes began at a sector; in shared
    /// memory the cost.
    pub aligned: u64,
}

impl Costly {
    /// Whether it is worth reporting: at least 1.5 times the ideal. Less comes from rows that begin
    /// in the middle of a sector, which no order of the lanes can avoid.
    fn matters(&self) -> bool {
        2 * self.cost >= 3 * self.ideal
    }

    /// Whether it costs what it does only because runs of neighbouring bytes begin within a sector.
    pub const fn is_misaligned(&self) -> bool {
        2 * self.aligned < 3 * self.ideal
    }

    /// Its cost beyond the ideal.
    fn excess(&self) -> u64 {
        self.cost - self.ideal
    }
}

/// Runs a block for at most `budget` instructions and returns the instructions that cost more than
/// they need, the worst first. A fault ends the run; the accesses up to it count.
pub fn find(mut machine: Machine, budget: u64) -> Vec<Costly> {
    let mut seen = InstructionSums::default();
    for _ in 0..budget {
        let Ok(Some(step)) = machine.step() else { break };
        match &step.effect {
            Effect::Memory(access) => seen.add_access(step.pc, access),
            Effect::Accesses(all) => all.iter().for_each(|access| seen.add_access(step.pc, access)),
            Effect::Async(AsyncEffect::Copy(copy)) => seen.add_copy(step.pc, copy),
            _ => {}
        }
    }
    let mut costly: Vec<_> = seen.0.into_values().filter(Costly::matters).collect();
    costly.sort_by_key(|costly| std::cmp::Reverse(costly.excess()));
    costly
}

/// The sums of each instruction; a copy has one in each memory space.
#[derive(Default)]
struct InstructionSums(BTreeMap<(Pc, bool), Costly>);

impl InstructionSums {
    fn add_access(&mut self, pc: Pc, access: &Access) {
        match access.space {
            _ if access.direction == Direction::Atomic || access.route.is_distributed() => {}
            Space::Global => {
                let sectors = coalesce::sectors(access);
                // A broadcast takes a sector for each address: nothing can be coalesced.
                let ideal = if is_broadcast(access) { sectors.sectors } else { sectors.ideal() };
                self.add(pc, access, (sectors.sectors, ideal, aligned(access)));
            }
            Space::Shared => {
                let passes = banks::wavefronts(access);
                self.add(pc, access, (passes.wavefronts, passes.least(), passes.wavefronts));
            }
            _ => {}
        }
    }

    fn add_copy(&mut self, pc: Pc, copy: &[Access; 2]) {
        let ([from, into], cost) = (copy, async_copy::cost(copy));
        self.add(pc, from, (cost.sectors, coalesce::sectors(from).ideal(), aligned(from)));
        self.add(pc, into, (cost.wavefronts, cost.ideal, cost.wavefronts));
    }

    fn add(&mut self, pc: Pc, access: &Access, (cost, ideal, aligned): (u32, u32, u32)) {
        let Access { space, direction, active, .. } = *access;
        if active.is_empty() {
            return;
        }
        let none = Costly { pc, space, direction, accesses: 0, cost: 0, ideal: 0, aligned: 0 };
        let sum = self.0.entry((pc, space == Space::Shared)).or_insert(none);
        sum.accesses += 1;
        sum.cost += u64::from(cost);
        sum.ideal += u64::from(ideal);
        sum.aligned += u64::from(aligned);
    }
}

/// The sectors that an access takes if each run of neighbouring bytes begins at a sector.
fn aligned(access: &Access) -> u32 {
    let bytes = u64::from(access.bytes);
    let mut starts: Vec<_> = access.touched().map(|(_, addr)| addr).collect();
    starts.sort_unstable();
    starts.dedup();
    let runs = starts.chunk_by(|one, next| next - one <= bytes);
    let length = |run: &[u64]| run.last().zip(run.first()).map_or(0, |(last, first)| last - first);
    runs.map(|run| (length(run) + bytes).div_ceil(coalesce::SECTOR) as u32).sum()
}

/// The smallest run of neighbouring lanes with one address that counts as a broadcast.
const ALIKE: usize = 4;

/// Whether the lanes form runs of four or more that each load one address.
fn is_broadcast(access: &Access) -> bool {
    let lanes: Vec<_> = access.touched().map(|(_, addr)| addr).collect();
    access.direction == Direction::Load
        && lanes.chunk_by(|one, next| one == next).all(|run| run.len() >= ALIKE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::{Dim3, Launch};
    use crate::sim::{Memory, Order, lower};
    use ptx::parse;
    use std::sync::Arc;

    /// The costly instructions of a warp that runs `body` on 4,096 words: %a is their address,
    /// %lane the lane, and %far and %near the start of its row of 32 words in each memory.
    fn costly(body: &str) -> Vec<Costly> {
        let text = format!(
            ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p) {{\n\
             .reg .b32 %lane, %near, %r; .reg .b64 %a, %far; .shared .align 128 .b8 s[4096];\n\
             ld.param.u64 %a, [p]; mov.u32 %lane, %tid.x; mad.wide.u32 %far, %lane, 128, %a;\n\
             mov.u32 %near, s; mad.lo.u32 %near, %lane, 128, %near;\n{body}\nret;\n}}\n"
        );
        let module = parse(&text).expect("it can be read");
        let program = Arc::new(lower(&module, "k").expect("it can be run"));
        let mut memory = Memory::new();
        let params = memory.add("A", &[0.0; 4096]).to_le_bytes();
        let launch = Launch { grid: Dim3::flat(1, 1), block: Dim3::flat(32, 1) };
        let order = Order::default();
        find(Machine::new(program, launch, Dim3::at(0, 0), &params, memory, order), 1000)
    }

    /// The costs alone: space, direction, accesses, cost, ideal.
    fn costs_of(body: &str) -> Vec<(Space, Direction, u64, u64, u64)> {
        let of = |c: &Costly| (c.space, c.direction, c.accesses, c.cost, c.ideal);
        costly(body).iter().map(of).collect()
    }

    #[test]
    fn two_rows_of_doubles_in_the_same_banks_cost_more_than_one_pass() {
        let body = "mov.u32 %near, s; shr.u32 %r, %lane, 4; \
                    mad.lo.u32 %near, %r, PITCH, %near; ld.shared.u64 %a, [%near];";
        let at = |pitch: &str| costs_of(&body.replace("PITCH", pitch));
        // A row of 16 doubles, and one of 17.
        assert_eq!(at("128"), [(Space::Shared, Direction::Load, 1, 2, 1)]);
        assert_eq!(at("136"), []);
    }

    #[test]
    fn columns_are_costly_and_the_worst_comes_first() {
        let body = "st.global.u32 [%far], %lane; st.shared.u32 [%near], %lane; \
                    ld.global.u64 %a, [%far];";
        let expected = [
            (Space::Shared, Direction::Store, 1, 32, 1),
            (Space::Global, Direction::Store, 1, 32, 4),
            (Space::Global, Direction::Load, 1, 32, 8),
        ];
        assert_eq!(costs_of(body), expected);
    }

    #[test]
    fn rows_are_not_costly_nor_are_atomic_operations() {
        let body = "mad.wide.u32 %a, %lane, 4, %a; ld.global.u32 %r, [%a]; \
                    ld.global.u32 %r, [%a+16]; red.global.add.u32 [%far], 1;";
        assert_eq!(costs_of(body), [], "the second load takes 5 sectors where 4 would do");
    }

    #[test]
    fn rows_that_begin_within_a_sector_are_misaligned_and_columns_are_not() {
        let row = "div.u32 %near, %lane, 8; rem.u32 %lane, %lane, 8; \
                   mad.wide.u32 %a, %near, 144, %a; mad.wide.u32 %a, %lane, 4, %a;";
        let is = |body: &str| costly(body).iter().map(Costly::is_misaligned).collect::<Vec<_>>();
        let load = "ld.global.u32 %r, [%a+4];";
        assert_eq!(is(&format!("{row} {load}")), [true]);
        assert_eq!(is("ld.global.u32 %r, [%far+4];"), [false]);
        assert_eq!(is("st.shared.u32 [%near], %lane;"), [false]);
    }

    #[test]
    fn a_broadcast_of_a_few_rows_is_not_costly_but_pairs_of_lanes_are() {
        let row = |lanes: u32| {
            let row = format!("div.u32 %lane, %lane, {lanes}; mad.wide.u32 %a, %lane, 128, %a;");
            costs_of(&format!("{row} ld.global.u32 %r, [%a];"))
        };
        assert_eq!((row(16), row(8), row(4)), (vec![], vec![], vec![]));
        assert_eq!(row(2), [(Space::Global, Direction::Load, 1, 16, 2)]);
    }

    #[test]
    fn a_loop_sums_up_until_a_fault() {
        let body = "mov.u32 %r, 0;\nL: ld.global.u32 %lane, [%far]; add.s64 %far, %far, 4096; \
                    bra L;";
        assert_eq!(costs_of(body), [(Space::Global, Direction::Load, 4, 128, 16)]);
    }

    #[test]
    fn a_copy_can_be_costly_on_both_sides() {
        let body = "cp.async.ca.shared.global [%near], [%far], 4; cp.async.wait_all;";
        let expected = [
            (Space::Shared, Direction::Store, 1, 32, 1),
            (Space::Global, Direction::Load, 1, 32, 4),
        ];
        assert_eq!(costs_of(body), expected);
    }
}
