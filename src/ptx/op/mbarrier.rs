//! `mbarrier`: barriers in shared memory, at which threads arrive and asynchronous copies count
//! their bytes.

use crate::operand::Use::{self, Read, Write};
use crate::operand::{Address, each, maybe};
use crate::types::{Space, Type};

/// An operation on an mbarrier object.
#[derive(Clone, Debug, PartialEq)]
pub struct Mbarrier<O> {
    /// The operation.
    pub op: MbarrierOp,
    /// The space of the address: shared or generic.
    pub space: Space,
    /// The address of the object, 8 bytes in shared memory.
    pub addr: Address<O>,
    /// The state before an arrival, or whether a phase is complete.
    pub dst: Option<O>,
    /// The numbers that it takes, in the order of the PTX.
    pub args: Vec<O>,
}

/// The operations (PTX ISA, "Parallel Synchronization and Communication Instructions: mbarrier").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MbarrierOp {
    /// `mbarrier.init`: a phase is to be for so many arrivals.
    Init,
    /// `mbarrier.inval`: the memory may be used for something else.
    Invalidate,
    /// `mbarrier.arrive{.expect_tx}`, `mbarrier.arrive_drop`.
    Arrive {
        /// Whether it first adds its number to the bytes that the phase waits for; without, its
        /// number is that of the arrivals.
        expects: bool,
        /// Whether later phases are for that many arrivals less.
        drops: bool,
        /// Whether it releases what the thread did before (not with `.relaxed`).
        releases: bool,
    },
    /// `mbarrier.expect_tx`: the phase waits for so many bytes more.
    ExpectBytes,
    /// `mbarrier.complete_tx`: so many of the bytes have come.
    CompleteBytes,
    /// `mbarrier.test_wait`, `mbarrier.try_wait`: whether a phase is complete.
    Test {
        /// Whether the thread may be suspended until it is (`try_wait`).
        waits: bool,
        /// Whether the phase is given by its parity, and not by the state before it.
        parity: bool,
        /// Whether it acquires what the arrivals released (not with `.relaxed`).
        acquires: bool,
    },
    /// `cp.async.mbarrier.arrive`: an arrival as soon as the thread's copies have landed.
    CopiesArrive {
        /// Whether the phase waits for this arrival in any case (`.noinc`); without, it is one
        /// more.
        counted: bool,
    },
}

impl<O> Mbarrier<O> {
    /// Translates the operands, with the type and use of each: see [`super::Op::map`].
    pub(super) fn map<'s, P, E>(
        &'s self,
        o: &mut impl FnMut(&'s O, Type, Use) -> Result<P, E>,
    ) -> Result<Mbarrier<P>, E> {
        let (to, from) = self.op.types();
        Ok(Mbarrier {
            op: self.op,
            space: self.space,
            addr: self.addr.map(&mut *o)?,
            dst: maybe(self.dst.as_ref(), to, Write, o)?,
            args: each(&self.args, from, Read, o)?,
        })
    }

    /// Whether the object may lie in the shared memory of another block of the cluster (PTX ISA,
    /// `mbarrier.arrive`: without a result; `mbarrier.expect_tx`, `mbarrier.complete_tx`).
    pub const fn may_be_far(&self) -> bool {
        match self.op {
            MbarrierOp::Arrive { .. } => self.dst.is_none(),
            MbarrierOp::ExpectBytes | MbarrierOp::CompleteBytes => true,
            _ => false,
        }
    }

    /// Whether it tests a phase.
    pub const fn is_test(&self) -> bool {
        matches!(self.op, MbarrierOp::Test { .. })
    }

    /// Whether a thread may be suspended there.
    pub const fn may_wait(&self) -> bool {
        matches!(self.op, MbarrierOp::Test { waits: true, .. })
    }
}

impl MbarrierOp {
    /// The types of the result and of the numbers that it takes.
    const fn types(self) -> (Type, Type) {
        match self {
            Self::Test { parity, .. } => (Type::Pred, if parity { Type::U32 } else { Type::B64 }),
            _ => (Type::B64, Type::U32),
        }
    }
}
