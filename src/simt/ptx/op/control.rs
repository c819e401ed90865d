//! Instructions about the way of the lanes rather than about values: branches, calls, barriers,
//! ends, and what changes times alone.

use crate::ptx::operand::Use::{self, Read, Write};
use crate::ptx::operand::{each, maybe};
use crate::ptx::types::Type;

/// Where the lanes go on, and when.
#[derive(Clone, Debug, PartialEq)]
#[expect(
    missing_docs,
    reason = "the fields are the manual's operands, named in each variant's text"
)]
pub enum ControlOp<O, L> {
    /// `bra`.
    Bra { target: L },
    /// `brx.idx`: to the place of that number in a list (until lowering, to the list's name).
    Switch { index: O, targets: Vec<L> },
    /// `bar.how id{, threads}`, `barrier.how`: without a number of threads, the whole block.
    Bar { how: Arrival<O>, id: O, threads: Option<O> },
    /// `call (returns), target, (args)`; what is passed is a `.param` of the scope, or a register.
    Call { target: L, returns: Vec<O>, args: Vec<O> },
    /// A call of a function of which the module has no body; of one that the simulator knows, with
    /// the addresses of its arguments in local memory.
    CallMissing { name: String, args: Vec<O> },
    /// `ret` in a device function: back to the caller.
    Ret,
    /// `exit`, and `ret` in a kernel: the thread ends.
    Exit,
    /// `trap`: the kernel is ended as wrong. `brkpt`: handed to a debugger, which is none here.
    Trap { breakpoint: bool },
    /// A register that tells the time: how many instructions the block has issued; or the upper half
    /// of that.
    Clock { ty: Type, upper: bool, dst: O },
    /// A prefetch, a pause or another hint: changes times, not values.
    Hint,
}

/// What a thread does at a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival<O> {
    /// `sync`: waits.
    Sync,
    /// `arrive`: goes on.
    Arrive,
    /// `red`: waits, and takes the result of a vote along.
    Reduce {
        /// Over the threads that arrive.
        reduction: Reduction,
        /// Where the result goes.
        dst: O,
        /// The thread's vote, and whether it is to be negated.
        vote: (bool, O),
    },
}

/// What `bar.red` makes of the votes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// How many are true.
    Popc,
    /// Whether all are.
    And,
    /// Whether one is.
    Or,
}

impl Reduction {
    /// The type of its result.
    const fn result(self) -> Type {
        match self {
            Self::Popc => Type::U32,
            Self::And | Self::Or => Type::Pred,
        }
    }
}

impl<O, L> ControlOp<O, L> {
    /// The type and the use of each operand: see [`super::Op::map`].
    pub(super) fn map<'s, P, M, E>(
        &'s self,
        o: &mut impl FnMut(&'s O, Type, Use) -> Result<P, E>,
        mut label: impl FnMut(&'s L) -> Result<M, E>,
    ) -> Result<ControlOp<P, M>, E> {
        Ok(match self {
            Self::Bra { target } => ControlOp::Bra { target: label(target)? },
            Self::Switch { index, targets } => ControlOp::Switch {
                index: o(index, Type::U32, Read)?,
                targets: targets.iter().map(&mut label).collect::<Result<_, _>>()?,
            },
            Self::Bar { how, id, threads } => ControlOp::Bar {
                how: how.map(o)?,
                id: o(id, Type::U32, Read)?,
                threads: maybe(threads.as_ref(), Type::U32, Read, o)?,
            },
            Self::Call { target, returns, args } => ControlOp::Call {
                target: label(target)?,
                returns: each(returns, Type::B32, Write, o)?,
                args: each(args, Type::B32, Read, o)?,
            },
            Self::CallMissing { name, args } => {
                ControlOp::CallMissing { name: name.clone(), args: each(args, Type::U64, Read, o)? }
            }
            Self::Ret => ControlOp::Ret,
            Self::Exit => ControlOp::Exit,
            Self::Trap { breakpoint } => ControlOp::Trap { breakpoint: *breakpoint },
            Self::Clock { ty, upper, dst } => {
                ControlOp::Clock { ty: *ty, upper: *upper, dst: o(dst, *ty, Write)? }
            }
            Self::Hint => ControlOp::Hint,
        })
    }

    /// Whether the next instruction of the text is not, or not always, executed next. (A call comes
    /// back.)
    pub(super) const fn ends_block(&self) -> bool {
        matches!(self, Self::Bra { .. } | Self::Switch { .. } | Self::Ret | Self::Exit)
    }

    /// Where a branch may go, besides the next instruction.
    pub(super) const fn targets(&self) -> &[L] {
        match self {
            Self::Bra { target } => std::slice::from_ref(target),
            Self::Switch { targets, .. } => targets.as_slice(),
            _ => &[],
        }
    }
}

impl<O> Arrival<O> {
    fn map<'s, P, E>(
        &'s self,
        o: &mut impl FnMut(&'s O, Type, Use) -> Result<P, E>,
    ) -> Result<Arrival<P>, E> {
        Ok(match self {
            Self::Sync => Arrival::Sync,
            Self::Arrive => Arrival::Arrive,
            Self::Reduce { reduction, dst, vote: (not, vote) } => Arrival::Reduce {
                reduction: *reduction,
                dst: o(dst, reduction.result(), Write)?,
                vote: (*not, o(vote, Type::Pred, Read)?),
            },
        })
    }
}
