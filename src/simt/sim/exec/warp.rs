//! Instructions that the lanes of a warp execute together: shuffles, votes, matches, reductions.

use crate::sim::access::Pc;
use crate::sim::exec_context::ExecContext;
use crate::sim::failed::Failed;
use crate::sim::fault::FaultKind;
use crate::sim::mask::LaneMask;
use crate::sim::program::Reg;
use crate::sim::regs::Regs;
use crate::sim::step::Step;
use ptx::{Collective, Op, Reduce, Shuffle, Type, Vote, WarpOp};

/// Executes the instruction in the active lanes and in those that have waited for them. Lanes of a
/// group that is incomplete wait, and are active in a later step.
///
/// Lanes of different groups may execute it at once: a lane's result depends only on the lanes of
/// its own group.
pub(super) fn execute(
    place: &mut ExecContext<'_>,
    operands: &Collective<Reg>,
    step: &mut Step,
) -> Result<(), Failed> {
    let next = Pc(step.pc.0 + 1);
    let Some(members) = operands.members else {
        let active = step.active;
        step.undefined = result(place, operands, &[active; 32], active);
        place.warp.stack.advance(next);
        return Ok(());
    };
    let meeting = MemberGroups::of(place, operands.op, members, step)?;
    let groups = meeting.members.map(|members| members.and(meeting.all));
    step.undefined = result(place, operands, &groups, meeting.all);
    meeting.complete.iter().for_each(|members| place.warp.stack.resume_members(*members));
    if meeting.waiting.is_empty() {
        place.warp.stack.advance(next);
    } else {
        place.warp.stack.wait_for(&meeting.waiting);
    }
    step.active = meeting.all;
    Ok(())
}

/// The lanes that meet at an instruction with a member mask.
struct MemberGroups {
    members: [LaneMask; 32],
    /// The lanes that execute the instruction now.
    all: LaneMask,
    /// The groups that had been waiting and are complete now.
    complete: Vec<LaneMask>,
    /// Lanes that have arrived but whose group is incomplete, with the group's member mask.
    waiting: Vec<(LaneMask, LaneMask)>,
}

impl MemberGroups {
    /// A lane waits for all members of its group that have not exited (PTX ISA, `bar.warp.sync`,
    /// `shfl.sync`); since Volta, these may arrive at a different instruction of the program.
    fn of(place: &ExecContext<'_>, op: WarpOp, members: Reg, step: &Step) -> Result<Self, Failed> {
        let (warp, mask) = (&*place.warp, step.active);
        let members = warp.regs.wide(members).map(|members| LaneMask(members as u32));
        let mut meeting = Self { members, all: mask, complete: Vec::new(), waiting: Vec::new() };
        for lane in mask.lanes() {
            let told = members[lane];
            if !told.has(lane) {
                return Err((FaultKind::NoMember { members: told }, Some(lane)));
            }
            let missing = told.and(warp.live).without(mask);
            if missing.is_empty() || meeting.complete.contains(&told) {
                continue;
            }
            let alike = |pc: &Pc| matches!(place.program.inst(*pc).op, Op::Warp(Collective { op: other, .. }) if other == op);
            let came = warp.stack.members().filter(|(pc, _, all)| *all == told && alike(pc));
            let came: Vec<_> = came.map(|(pc, lanes, _)| (pc, lanes)).collect();
            let others = came.iter().fold(LaneMask::NONE, |all, (_, lanes)| all.or(*lanes));
            if !missing.without(others).is_empty() {
                meeting.wait(lane, told);
                continue;
            }
            let apart = came.iter().any(|(pc, _)| *pc != step.pc);
            if apart && op != WarpOp::Sync {
                return Err((FaultKind::MembersApart { members: told }, Some(lane)));
            }
            let here = came.iter().filter(|(pc, _)| *pc == step.pc);
            meeting.all = here.fold(meeting.all, |all, (_, lanes)| all.or(*lanes));
            meeting.complete.push(told);
        }
        let waiting = meeting.waiting.iter();
        meeting.all = waiting.fold(meeting.all, |all, (lanes, _)| all.without(*lanes));
        Ok(meeting)
    }

    fn wait(&mut self, lane: usize, told: LaneMask) {
        let one = LaneMask(1 << lane);
        match self.waiting.iter_mut().find(|(_, all)| *all == told) {
            Some((lanes, _)) => *lanes = lanes.or(one),
            None => self.waiting.push((one, told)),
        }
    }
}

/// Writes the results of the lanes in `mask`; returns the lanes whose result is undefined.
fn result(
    place: &mut ExecContext<'_>,
    operands: &Collective<Reg>,
    groups: &[LaneMask; 32],
    mask: LaneMask,
) -> LaneMask {
    let (junk, regs) = (place.junk, &mut place.warp.regs);
    let mut undefined = LaneMask::NONE;
    let (values, preds) = match operands.op {
        WarpOp::Shuffle(mode) => {
            let (mut values, inside, absent) = shuffle(regs, mode, &operands.args, groups);
            undefined = absent.and(mask);
            for lane in junk.iter().flat_map(|_| undefined.lanes()) {
                values[lane] = junk.map_or(values[lane], |junk| junk.word(lane as u64).into());
            }
            (values, inside)
        }
        WarpOp::Vote(vote) => (votes(regs, operands, vote, groups), LaneMask::NONE),
        WarpOp::Match { all } => matches(regs.wide(operands.args[0]), all, groups),
        WarpOp::Reduce(reduce) => {
            let values = regs.wide(operands.args[0]);
            (reductions(reduce, operands.ty, &values, groups), LaneMask::NONE)
        }
        WarpOp::Elect => elected(groups),
        WarpOp::ActiveMask => ([u64::from(mask.0); 32], LaneMask::NONE),
        WarpOp::Sync => return undefined,
    };
    if let Some(dst) = operands.dst {
        regs.set_wide(dst, &values, mask);
    }
    if let Some(pred) = operands.pred {
        regs.set_pred(pred, preds, mask);
    }
    undefined
}

/// `shfl`: each lane's value, the lanes whose source is inside their segment, and the lanes whose
/// source does not take part. For the latter the value is undefined; here it is the content of the
/// source's register.
fn shuffle(
    regs: &Regs,
    mode: Shuffle,
    args: &[Reg],
    groups: &[LaneMask; 32],
) -> ([u64; 32], LaneMask, LaneMask) {
    let rows: Vec<_> = args.iter().map(|arg| regs.wide(*arg)).collect();
    let (mut inside, mut absent) = (0, 0);
    let values = std::array::from_fn(|lane| {
        let source = mode.source(lane as u8, rows[1][lane] as u32, rows[2][lane] as u32);
        inside |= u32::from(source.is_some()) << lane;
        let source = source.map_or(lane, usize::from);
        absent |= u32::from(!groups[lane].has(source)) << lane;
        rows[0][source]
    });
    (values, LaneMask(inside), LaneMask(absent))
}

fn votes(
    regs: &Regs,
    operands: &Collective<Reg>,
    vote: Vote,
    groups: &[LaneMask; 32],
) -> [u64; 32] {
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
        let same: LaneMask = same.collect();
        let everyone = same == groups[lane];
        alike |= u32::from(everyone) << lane;
        u64::from(if all && !everyone { 0 } else { same.0 })
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

/// Elects the lowest lane of each group; the manual leaves the choice open.
fn elected(groups: &[LaneMask; 32]) -> ([u64; 32], LaneMask) {
    let leaders = groups.map(|group| u64::from(group.0.trailing_zeros()));
    let leads = (0..32).filter(|lane| leaders[*lane] == *lane as u64).collect();
    (leaders, leads)
}
