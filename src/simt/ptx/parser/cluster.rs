//! Clusters, which here are of one block each: `mapa`, `getctarank`, and `barrier.cluster`.

use super::access::space_of;
use super::words::Words;
use super::{Instruction, Opcode, Parser};
use crate::ptx::ast::Operand;
use crate::ptx::error::ParseError;
use crate::ptx::op::{Arrival, CLUSTER_BARRIER, ControlOp, LaneOp, MemoryOp, Op};
use crate::ptx::types::{Space, Type};

/// The opcodes parsed here.
pub(super) const OPCODES: &[Opcode] =
    &[("getctarank", |p, words| p.rank(words)), ("mapa", |p, words| p.map_shared(words))];

impl Parser<'_> {
    /// `mapa{.shared::cluster}.type d, a, rank`
    fn map_shared(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        let ty = mapped(words)?;
        let [dst, addr, rank] = self.operands()?;
        Ok(Op::Memory(MemoryOp::MapShared { ty, dst, addr, rank }))
    }

    /// `getctarank{.shared::cluster}.type d, a`: there is one block.
    fn rank(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        mapped(words)?;
        let [dst, _] = self.operands()?;
        Ok(Op::Lane(LaneOp::Mov { ty: Type::U32, dst, src: Operand::Integer(0) }))
    }

    /// `barrier.cluster.arrive{.order}{.aligned}`, `barrier.cluster.wait{.acquire}{.aligned}`.
    ///
    /// In a cluster of one block, threads that wait for the arrival of all wait here for the wait
    /// of all: what lies between is taken as ordered, too.
    pub(super) fn cluster_barrier(words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        let waits = words.take("wait");
        if !waits && !words.take("arrive") {
            return Err(words.unsupported());
        }
        for word in ["acquire", "release", "relaxed", "aligned"] {
            words.take(word);
        }
        words.end()?;
        let id = Operand::Integer(CLUSTER_BARRIER);
        let barrier = ControlOp::Bar { how: Arrival::Sync, id, threads: None };
        Ok(Op::Control(if waits { barrier } else { ControlOp::Hint }))
    }
}

/// `{.shared::cluster}.type`: the type of an address.
fn mapped(words: &mut Words<'_>) -> Result<Type, ParseError> {
    let space = words.take_as(space_of);
    let ty = words.last_type()?;
    let fits = match ty {
        Type::U32 => space == Some(Space::Shared),
        Type::U64 => matches!(space, None | Some(Space::Shared)),
        _ => false,
    };
    if fits { Ok(ty) } else { Err(words.unsupported()) }
}
