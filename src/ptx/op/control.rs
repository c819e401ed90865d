//! Control flow and synchronisation: branches, calls, barriers, exits, and hints that affect timing
//! only.

use crate::operand::Use::{self, Read, Write};
use crate::operand::{each, maybe};
use crate::types::Type;

/// A control-flow or synchronisation instruction.
#[derive(Clone, Debug, PartialEq)]
pub enum ControlOp<O, L> {
    /// `bra`.
    Bra { target: L },
    /// `brx.idx`: a branch to the entry `index` of a list (before lowering, the name of the list).
    Switch { index: O, targets: Vec<L> },
    /// `bar.how id{, threads}`, `barrier.how`: without a thread count, the whole block.
    Bar { how: BarrierAction<O>, id: O, threads: Option<O> },
    /// `call (returns), target, (args)`; arguments are `.param` variables of the scope, or
    /// registers.
    Call { target: L, returns: Vec<O>, args: Vec<O> },
    /// A call of a function whose body the module does not contain; for a function that the
    /// simulator implements, `args` are the addresses of its arguments in local memory.
    CallMissing { name: String, args: Vec<O> },
    /// `ret` in a device function: returns to the caller.
    Ret,
    /// `exit`, or `ret` in a kernel: the thread ends.
    Exit,
    /// `trap`: aborts the kernel. `brkpt`: breaks into a debugger, of which there is none here.
    Trap { breakpoint: bool },
    /// Reads a clock register: the number of instructions that the block has issued, or the upper
    /// half of that number.
    Clock { ty: Type, upper: bool, dst: O },
    /// A prefetch, a pause or another hint: affects timing, not values.
    Hint,
}

/// The way in which a thread takes part in a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BarrierAction<O> {
    /// `sync`: waits.
    Sync,
    /// `arrive`: continues without waiting.
    Arrive,
    /// `red`: waits and receives a reduction of the threads' predicates.
    Reduce {
        /// The reduction over the arriving threads.
        reduction: Reduction,
        /// The destination register.
        dst: O,
        /// Whether the thread's predicate is negated, and the predicate.
        vote: (bool, O),
    },
}

/// How `bar.red` combines the predicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// The number of true predicates.
    Popc,
    /// Whether all are true.
    And,
    /// Whether any is true.
    Or,
}

impl Reduction {
    const fn result(self) -> Type {
        match self {
            Self::Popc => Type::U32,
            Self::And | Self::Or => Type::Pred,
        }
    }
}

impl<O, L> ControlOp<O, L> {
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

    /// Whether the next instruction in the text is not, or not always, executed next. (A call
    /// returns.)
    pub(super) const fn ends_block(&self) -> bool {
        matches!(self, Self::Bra { .. } | Self::Switch { .. } | Self::Ret | Self::Exit)
    }

    /// Possible branch targets other than the next instruction.
    pub(super) const fn targets(&self) -> &[L] {
        match self {
            Self::Bra { target } => std::slice::from_ref(target),
            Self::Switch { targets, .. } => targets.as_slice(),
            _ => &[],
        }
    }
}

impl<O> BarrierAction<O> {
    fn map<'s, P, E>(
        &'s self,
        o: &mut impl FnMut(&'s O, Type, Use) -> Result<P, E>,
    ) -> Result<BarrierAction<P>, E> {
        Ok(match self {
            Self::Sync => BarrierAction::Sync,
            Self::Arrive => BarrierAction::Arrive,
            Self::Reduce { reduction, dst, vote: (not, vote) } => BarrierAction::Reduce {
                reduction: *reduction,
                dst: o(dst, reduction.result(), Write)?,
                vote: (*not, o(vote, Type::Pred, Read)?),
            },
        })
    }
}
