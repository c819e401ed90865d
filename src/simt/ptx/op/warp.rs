//! Instructions that the lanes of a warp execute together: what one lane has goes to others.

use crate::ptx::operand::Use::{self, Read, Write};
use crate::ptx::operand::{each, maybe};
use crate::ptx::types::Type;

/// One such instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct Collective<O> {
    /// What the lanes do together.
    pub op: WarpOp,
    /// The type of the values.
    pub ty: Type,
    /// What each lane gets.
    pub dst: Option<O>,
    /// A second result.
    pub pred: Option<O>,
    /// Whether the predicate that a lane brings along counts as its opposite.
    pub negated: bool,
    /// What each lane brings along.
    pub args: Vec<O>,
    /// The lanes that are to come; `None` means those that do.
    pub members: Option<O>,
}

impl<O> Collective<O> {
    /// The type and the use of each operand: see [`super::Op::map`].
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

/// What the lanes do together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WarpOp {
    /// `shfl`: each lane gets another's value.
    Shuffle(Shuffle),
    /// `vote`: what the lanes' predicates say together.
    Vote(Vote),
    /// `match`: which lanes have the same value.
    Match {
        /// Whether all must have it, and not any.
        all: bool,
    },
    /// `redux`: one value of all.
    Reduce(Reduce),
    /// `elect`: one of the lanes.
    Elect,
    /// `activemask`: which lanes execute this.
    ActiveMask,
    /// `bar.warp.sync`: they wait for each other.
    Sync,
}

/// From which lane `shfl` takes a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shuffle {
    /// So many lanes below.
    Up,
    /// So many lanes above.
    Down,
    /// The lane's number with these bits turned.
    Butterfly,
    /// That one.
    Index,
}

/// What `vote` tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vote {
    /// Whether all predicates are true.
    All,
    /// Whether one is.
    Any,
    /// Whether they are alike.
    Uniform,
    /// Which are true.
    Ballot,
}

/// How `redux` joins two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the manual's")]
pub enum Reduce {
    Add,
    Min,
    Max,
    And,
    Or,
    Xor,
}

impl Shuffle {
    /// The lane whose value `lane` gets, if it lies in its segment; else the lane keeps its own
    /// (PTX ISA, `shfl.sync`: `by` and `clamp` are its operands b and c).
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
    /// The types of the result and of what each lane brings along.
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
