//! How an address was computed: ptxas joins accesses whose addresses it sees to be equal, and it sees
//! that only of some computations.

use ptx::{BinaryOp, LaneOp, TernaryOp, Type, Width};
use std::collections::HashMap;

/// A computation, without the constants added in it, as an index into [`Routes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ValueRoute(u32);

/// The last step of a computation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum RouteStep {
    /// A register that nothing has written yet.
    Initial(u32),
    /// A result that is not followed further: its instruction, and the index of the result.
    Written(u32, u32),
    /// A register at the start of a block that paths reach with different values: block, register.
    Met(usize, u32),
    /// An operation on two values.
    Binary(BinaryOp, Type, [ValueRoute; 2]),
    /// A multiplication with an addition.
    Mad(Width, Type, [ValueRoute; 3]),
    /// A conversion to the first type.
    Convert(Type, Type, ValueRoute),
}

/// Where a register got its value from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Origin {
    pub(super) route: ValueRoute,
    pub(super) place: ComputedAt,
}

/// Where a value is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum ComputedAt {
    Inst(u32),
    /// Where paths meet, at the start of a block.
    Block(u32),
}

impl ComputedAt {
    /// The start of the program.
    pub(super) const START: Self = Self::Block(0);
}

/// Every computation met so far.
#[derive(Debug, Default)]
pub(super) struct Routes(HashMap<RouteStep, ValueRoute>);

impl Routes {
    pub(super) fn intern(&mut self, step: RouteStep) -> ValueRoute {
        let next = ValueRoute(self.0.len() as u32);
        *self.0.entry(step).or_insert(next)
    }

    /// Returns the register into which an instruction puts an address or a part of one, and the
    /// result's origin. A constant that is added is no step of its own: ptxas moves it into the
    /// displacement.
    pub(super) fn result<R: Copy>(
        &mut self,
        pc: u32,
        op: &LaneOp<R>,
        is_known: impl Fn(R) -> bool,
        origin: impl Fn(R) -> Origin,
    ) -> Option<(R, Origin)> {
        let route = |reg| origin(reg).route;
        let adds = |op| matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Or);
        let (dst, step) = match *op {
            LaneOp::Mov { dst, src, .. } | LaneOp::Cvta { dst, src, .. } => {
                return Some((dst, origin(src)));
            }
            LaneOp::Cvt { to, from, dst, src, .. } if to.bits() == from.bits() => {
                return Some((dst, origin(src)));
            }
            LaneOp::Cvt { to, from, dst, src, .. } => {
                (dst, RouteStep::Convert(to, from, route(src)))
            }
            LaneOp::Binary { op, dst, a, b, .. } if adds(op) && is_known(b) => {
                return Some((dst, origin(a)));
            }
            LaneOp::Binary { op: BinaryOp::Add, dst, a, b, .. } if is_known(a) => {
                return Some((dst, origin(b)));
            }
            LaneOp::Binary { op, ty, dst, a, b, .. } => {
                (dst, RouteStep::Binary(op, ty, [a, b].map(route)))
            }
            LaneOp::Ternary { op: TernaryOp::Mad(width), ty, dst, abc, .. } => {
                (dst, RouteStep::Mad(width, ty, abc.map(route)))
            }
            _ => return None,
        };
        Some((dst, Origin { route: self.intern(step), place: ComputedAt::Inst(pc) }))
    }
}
