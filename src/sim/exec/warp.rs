//! What the lanes of a warp do together: shuffles, votes, matches, reductions.

use super::{Failed, Place};
use crate::ptx::{Reduce, Shuffle, Type, Vote, WarpOp};
use crate::sim::fault::FaultKind;
use crate::sim::mask::LaneMask;
use crate::sim::program::Reg;
use crate::sim::regs::Regs;

/// The operands of such an instruction.
pub(super) struct Operands<'a> {
    pub(super) op: WarpOp,
    pub(super) ty: Type,
    pub(super) dst: Option<Reg>,
    pub(super) pred: Option<Reg>,
    pub(super) negated: bool,
    pub(super) args: &'a [Reg],
    pub(super) members: Option<Reg>,
}

/// Executes it in the lanes of `mask`.
///
/// Lanes of different groups may execute it at once, each for its own group: what one gets
/// depends on the lanes of its group alone.
pub(super) fn execute(
    place: &mut Place<'_>,
    operands: &Operands<'_>,
    mask: LaneMask,
) -> Result<(), Failed> {
    let warp = &mut *place.warp;
    let groups = groups(&warp.regs, operands.members, mask, warp.live)?;
    let regs = &mut warp.regs;
    let (values, preds) = match operands.op {
        WarpOp::Shuffle(mode) => shuffle(regs, mode, operands.args),
        WarpOp::Vote(vote) => (votes(regs, operands, vote, &groups), LaneMask::NONE),
        WarpOp::Match { all } => matches(regs.wide(operands.args[0]), all, &groups),
        WarpOp::Reduce(reduce) => {
            let values = regs.wide(operands.args[0]);
            (reductions(reduce, operands.ty, &values, &groups), LaneMask::NONE)
        }
        WarpOp::Elect => elected(&groups),
        WarpOp::ActiveMask => ([u64::from(mask.0); 32], LaneMask::NONE),
        WarpOp::Sync => return Ok(()),
    };
    if let Some(dst) = operands.dst {
        regs.set_wide(dst, &values, mask);
    }
    if let Some(pred) = operands.pred {
        regs.set_pred(pred, preds, mask);
    }
    Ok(())
}

/// For each lane, the lanes that execute the instruction with it.
///
/// A lane must be a member of its own group, and the group's lanes that have not ended must be
/// here as well (PTX ISA, `bar.warp.sync`): no lane waits for one that is elsewhere.
fn groups(
    regs: &Regs,
    members: Option<Reg>,
    mask: LaneMask,
    live: LaneMask,
) -> Result<[LaneMask; 32], Failed> {
    let Some(members) = members else { return Ok([mask; 32]) };
    let members = regs.wide(members).map(|members| LaneMask(members as u32));
    for lane in mask.lanes() {
        let told = members[lane];
        if !told.has(lane) {
            return Err((FaultKind::NoMember { members: told }, Some(lane)));
        }
        let missing = told.and(live).without(mask);
        if !missing.is_empty() {
            return Err((FaultKind::MembersMissing { members: told, missing }, Some(lane)));
        }
    }
    Ok(members.map(|members| members.and(mask)))
}

/// `shfl`: each lane's value, and whether its source lies in the lane's segment.
///
/// What a lane that does not take part has is undefined; here it is what its register holds.
fn shuffle(regs: &Regs, mode: Shuffle, args: &[Reg]) -> ([u64; 32], LaneMask) {
    let rows: Vec<_> = args.iter().map(|arg| regs.wide(*arg)).collect();
    let mut inside = 0;
    let values = std::array::from_fn(|lane| {
        let source = mode.source(lane as u8, rows[1][lane] as u32, rows[2][lane] as u32);
        inside |= u32::from(source.is_some()) << lane;
        rows[0][source.map_or(lane, usize::from)]
    });
    (values, LaneMask(inside))
}

fn votes(regs: &Regs, operands: &Operands<'_>, vote: Vote, groups: &[LaneMask; 32]) -> [u64; 32] {
    let said = regs.pred(operands.args[0]);
    let said = if operands.negated { LaneMask::ALL.without(said) } else { said };
    groups.map(|group| {
        let ayes = group.and(said);
        match vote {
            Vote::All => u64::from(ayes == group),
            Vote::Any => u64::from(!ayes.is_empty()),
            Vote::Uniform => u64::from(ayes == group || ayes.is_empty()),
            Vote::Ballot => ayes.0.into(),
        }
    })
}

fn matches(values: [u64; 32], all: bool, groups: &[LaneMask; 32]) -> ([u64; 32], LaneMask) {
    let mut alike = 0;
    let result = std::array::from_fn(|lane| {
        let same = groups[lane].lanes().filter(|other| values[*other] == values[lane]);
        let same = same.fold(0, |same, other| same | 1 << other);
        let everyone = same == groups[lane].0;
        alike |= u32::from(everyone) << lane;
        u64::from(if all && !everyone { 0 } else { same })
    });
    (result, LaneMask(alike))
}

fn reductions(reduce: Reduce, ty: Type, values: &[u64; 32], groups: &[LaneMask; 32]) -> [u64; 32] {
    let join = |a: u32, b: u32| match reduce {
        Reduce::Add => a.wrapping_add(b),
        Reduce::Min if ty.is_signed() => (a as i32).min(b as i32) as u32,
        Reduce::Max if ty.is_signed() => (a as i32).max(b as i32) as u32,
        Reduce::Min => a.min(b),
        Reduce::Max => a.max(b),
        Reduce::And => a & b,
        Reduce::Or => a | b,
        Reduce::Xor => a ^ b,
    };
    groups
        .map(|group| group.lanes().map(|lane| values[lane] as u32).reduce(join).unwrap_or(0).into())
}

/// The lowest lane of each group; the manual leaves the choice open.
fn elected(groups: &[LaneMask; 32]) -> ([u64; 32], LaneMask) {
    let leaders = groups.map(|group| u64::from(group.0.trailing_zeros()));
    let leads = (0..32).filter(|lane| leaders[*lane] == *lane as u64);
    (leaders, LaneMask(leads.fold(0, |mask, lane| mask | 1 << lane)))
}
