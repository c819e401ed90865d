//! The blocks of a cluster: `mapa`, `getctarank`, and `barrier.cluster`.

use super::access::space_of;
use super::words::Words;
use super::{Instruction, Opcode, Parser};
use crate::error::ParseError;
use crate::op::{ControlOp, MemoryOp, Op};
use crate::types::{Space, Type};

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

    /// `getctarank{.shared::cluster}.type d, a`
    fn rank(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        let ty = mapped(words)?;
        let [dst, addr] = self.operands()?;
        Ok(Op::Memory(MemoryOp::RankOfShared { ty, dst, addr }))
    }

    /// `barrier.cluster.arrive{.order}{.aligned}`, `barrier.cluster.wait{.acquire}{.aligned}`.
    pub(super) fn cluster_barrier(words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        let waits = words.take("wait");
        if !waits && !words.take("arrive") {
            return Err(words.unsupported());
        }
        let orders = !words.take("relaxed");
        if orders {
            words.take(if waits { "acquire" } else { "release" });
        }
        let aligned = words.take("aligned");
        words.end()?;
        Ok(Op::Control(ControlOp::ClusterBarrier { waits, orders, aligned }))
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
