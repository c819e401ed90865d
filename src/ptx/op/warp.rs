//! Instructions that the lanes of a warp execute together to exchange values.

use crate::operand::Use::{self, Read, Write};
use crate::operand::{each, maybe};
use crate::types::Type;

/// An instruction that exchanges values between the lanes of a warp.
#[derive(Clone, Debug, PartialEq)]
pub struct Collective<O> {
    /// The operation.
    pub op: WarpOp,
    /// The type of the values.
    pub ty: Type,
    /// Each lane's result.
    pub dst: Option<O>,
    /// A second result, a predicate.
    pub pred: Option<O>,
    /// Whether each lane's input predicate is negated.
    pub negated: bool,
    /// Each lane's inputs.
    pub args: Vec<O>,
    /// The member mask: the lanes that take part; `None` means the active lanes.
    pub members: Option<O>,
}

impl<O> Collective<O> {
    pub(super) fn map<'s, P, E>(
        &'s self,
        o: &mut impl FnMut(&'s O, Type, Use) -> Result<P, E>,
    ) -> Result<Collective<P>, E> {
        let (to, from) = self.op.types(self.ty);
        Ok(Collective {
            op: self.op,
            ty: self.ty,
            dst: maybe(self.dst.as_ref(), to, Write, o)?,
            pred: maybe(self.pred.as_ref(), Type::Pred, Write, o)?,
            negated: self.negated,
            args: each(&self.args, from, Read, o)?,
            members: maybe(self.members.as_ref(), Type::B32, Read, o)?,
        })
    }
}

/// An operation of several lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WarpOp {
    /// `shfl`: each lane receives another lane's value.
    Shuffle(Shuffle),
    /// `vote`: combines the lanes' predicates.
    Vote(Vote),
    /// `match`: the lanes that have the same value.
    Match {
        /// Whether all members must have the same value (`.all`), rather than any (`.any`).
        all: bool,
    },
    /// `redux`: reduces the lanes' values to one.
    Reduce(Reduce),
    /// `elect`: chooses one lane.
    Elect,
    /// `activemask`: the active lanes.
    ActiveMask,
    /// `bar.warp.sync`: the lanes wait for each other.
    Sync,
}

/// How `shfl` chooses the source lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shuffle {
    /// N lanes below.
    Up,
    /// N lanes above.
    Down,
    /// The lane's own number with the given bits flipped.
    Butterfly,
    /// The given lane.
    Index,
}

/// The result of `vote`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vote {
    /// Whether all predicates are true.
    All,
    /// Whether any predicate is true.
    Any,
    /// Whether all predicates are equal.
    Uniform,
    /// The mask of lanes whose predicate is true.
    Ballot,
}

/// How `redux` combines two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduce {
    Add,
    Min,
    Max,
    And,
    Or,
    Xor,
}

impl Shuffle {
    /// The lane whose value `lane` receives, or `None` if it lies outside the segment, in which
    /// case the lane keeps its own value (PTX ISA, `shfl.sync`: `by` and `clamp` are its operands b
    /// and c).
    pub const fn source(self, lane: u8, by: u32, clamp: u32) -> Option<u8> {
        let (own, by) = (lane as i32, by as i32 & 31);
        let (segment, clamp) = (clamp as i32 >> 8 & 31, clamp as i32 & 31);
        let (first, last) = (own & segment, own & segment | clamp & !segment);
        let (from, fits) = match self {
            Self::Up => (own - by, own - by >= last),
            Self::Down => (own + by, own + by <= last),
            Self::Butterfly => (own ^ by, own ^ by <= last),
            Self::Index => {
                let from = first | by & !segment;
                (from, from <= last)
            }
        };
        if fits { Some(from as u8) } else { None }
    }
}

impl WarpOp {
    /// The types of the result and of each lane's inputs.
    const fn types(self, ty: Type) -> (Type, Type) {
        match self {
            Self::Vote(Vote::All | Vote::Any | Vote::Uniform) => (Type::Pred, Type::Pred),
            Self::Vote(Vote::Ballot) => (Type::B32, Type::Pred),
            Self::Match { .. } => (Type::B32, ty),
            Self::Shuffle(_) | Self::Reduce(_) | Self::Elect | Self::ActiveMask | Self::Sync => {
                (ty, ty)
            }
        }
    }
}
