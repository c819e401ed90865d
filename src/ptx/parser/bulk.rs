//! Bulk copies by the async proxy: `cp.async.bulk`, `cp.async.bulk.tensor`, `cp.reduce.async.bulk`.

use super::Instruction;
use super::Parser;
use super::access::{is_cache_word, space_of};
use super::tensor::expect;
use super::words::Words;
use crate::ast::Operand;
use crate::error::ParseError;
use crate::op::{AtomicOp, BulkCopy, BulkPlace, BulkWay, ControlOp, CopyGroup, MemoryOp, Op};
use crate::operand::Address;
use crate::types::{Space, Type};

/// The words after the spaces.
struct Modifiers {
    /// `.mbarrier::complete_tx::bytes`, rather than `.bulk_group`.
    signals: bool,
    multicast: bool,
    policy: bool,
    /// The operation and the type of a reduction.
    reduces: Option<(AtomicOp, Type)>,
}

impl Parser<'_> {
    /// What follows `cp.async.bulk`.
    pub(super) fn bulk(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        if words.take("commit_group") {
            words.end()?;
            let (group, read) = (CopyGroup::Commit, false);
            return Ok(Op::Memory(MemoryOp::BulkGroup { group, read }));
        }
        if words.take("wait_group") {
            let read = words.take("read");
            words.end()?;
            let group = CopyGroup::WaitAllBut(self.small_constant()?);
            return Ok(Op::Memory(MemoryOp::BulkGroup { group, read }));
        }
        if words.take("prefetch") {
            return self.bulk_prefetch(words);
        }
        let dimensions = if words.take("tensor") { Some(dimensions(words)?) } else { None };
        let spaces = [words.take_as(space_of), words.take_as(space_of)];
        words.take("tile");
        let how = modifiers(words)?;
        match (spaces, how.signals) {
            ([Some(Space::Shared), Some(Space::Global)], true) => {
                self.bulk_load(words, dimensions, &how)
            }
            ([Some(Space::Global), Some(Space::Shared)], false) if !how.multicast => {
                self.bulk_store(dimensions, &how)
            }
            ([Some(Space::Shared), Some(Space::Shared)], true)
                if dimensions.is_none() && !how.multicast =>
            {
                self.bulk_across(&how)
            }
            _ => Err(words.unsupported()),
        }
    }

    /// What follows `cp.reduce`: `.async.bulk.to.from.completion.op{.noftz}.type`, on whole blocks of
    /// memory only: the type of a tensor's elements is in its tensor map.
    pub(super) fn bulk_reduction(
        &mut self,
        words: &mut Words<'_>,
    ) -> Result<Instruction, ParseError> {
        expect(words, &["async", "bulk"])?;
        let spaces = [words.take_as(space_of), words.take_as(space_of)];
        let mut how = modifiers_before(words)?;
        let op = words.take_as(AtomicOp::from_word).ok_or_else(|| words.unsupported())?;
        let noftz = words.take("noftz");
        let ty = words.last_type()?;
        how.reduces = Some((op, ty));
        let is_narrow = matches!(ty, Type::F16 | Type::Bf16);
        let is_word = matches!(ty.bits(), 32 | 64) && !ty.is_packed();
        let of_exchange = matches!(op, AtomicOp::Exchange | AtomicOp::CompareAndSwap);
        let across = spaces == [Some(Space::Shared); 2];
        let adds_narrow = is_narrow && op == AtomicOp::Add;
        let fits = op.fits(ty) && (is_word || is_narrow) && noftz == adds_narrow && !of_exchange;
        if !fits
            || how.multicast
            || across && (ty.is_float() || ty.bits() == 64 && op != AtomicOp::Add)
        {
            return Err(words.unsupported());
        }
        match (spaces, how.signals) {
            ([Some(Space::Global), Some(Space::Shared)], false) => self.bulk_store(None, &how),
            _ if across && how.signals => self.bulk_across(&how),
            _ => Err(words.unsupported()),
        }
    }

    /// `[shared], [source], size, [mbarrier]`
    fn bulk_across(&mut self, how: &Modifiers) -> Result<Instruction, ParseError> {
        let shared = self.address()?;
        self.sign(',')?;
        let addr = self.address()?;
        self.sign(',')?;
        let other = BulkPlace::Bytes { addr, size: self.operand()? };
        self.sign(',')?;
        let mbarrier = self.address()?;
        let (way, reduces) = (BulkWay::Across { mbarrier }, how.reduces);
        Ok(copy(BulkCopy { way, reduces, shared, other }))
    }

    /// `[shared], [global]{, size}, [mbarrier]{, blocks}{, policy}`
    fn bulk_load(
        &mut self,
        words: &Words<'_>,
        dimensions: Option<usize>,
        how: &Modifiers,
    ) -> Result<Instruction, ParseError> {
        let shared = self.address()?;
        self.sign(',')?;
        let other = if let Some(dimensions) = dimensions {
            self.place_in_tensor(dimensions)?
        } else {
            let addr = self.address()?;
            self.sign(',')?;
            BulkPlace::Bytes { addr, size: self.operand()? }
        };
        self.sign(',')?;
        let mbarrier = self.address()?;
        if self.begins_offsets() {
            return Err(words.unsupported());
        }
        let blocks = if how.multicast {
            self.sign(',')?;
            Some(self.operand()?)
        } else {
            None
        };
        self.policy(how.policy)?;
        let way = BulkWay::Load { mbarrier, blocks };
        Ok(copy(BulkCopy { way, reduces: None, shared, other }))
    }

    /// `[global], [shared]{, size}{, policy}`
    fn bulk_store(
        &mut self,
        dimensions: Option<usize>,
        how: &Modifiers,
    ) -> Result<Instruction, ParseError> {
        let (shared, other) = if let Some(dimensions) = dimensions {
            let other = self.place_in_tensor(dimensions)?;
            self.sign(',')?;
            (self.address()?, other)
        } else {
            let addr = self.address()?;
            self.sign(',')?;
            let shared = self.address()?;
            self.sign(',')?;
            (shared, BulkPlace::Bytes { addr, size: self.operand()? })
        };
        self.policy(how.policy)?;
        Ok(copy(BulkCopy { way: BulkWay::Store, reduces: how.reduces, shared, other }))
    }

    /// A prefetch into the L2 cache changes no value.
    fn bulk_prefetch(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        let dimensions = if words.take("tensor") { Some(dimensions(words)?) } else { None };
        let Some(dimensions) = dimensions else { return self.hint(words) };
        let policy = words.hold("L2::cache_hint");
        while words.next().is_some() {}
        self.place_in_tensor(dimensions)?;
        self.policy(policy)?;
        Ok(Op::Control(ControlOp::Hint))
    }

    /// `[map, {x, y, ..}]`
    fn place_in_tensor(&mut self, dimensions: usize) -> Result<BulkPlace<Operand>, ParseError> {
        self.sign('[')?;
        let base = self.operand()?;
        let offset = self.displacement()?;
        self.sign(',')?;
        let span = self.span();
        let at = self.vector()?;
        if at.len() != dimensions {
            return Err(ParseError::new(span, format!("expected {dimensions} coordinates")));
        }
        self.sign(']')?;
        Ok(BulkPlace::Box { map: Address { base, offset }, at })
    }

    /// Whether offsets of an im2col copy follow, which only that mode has.
    fn begins_offsets(&self) -> bool {
        self.follows('{')
    }
}

/// `1d` to `5d`
fn dimensions(words: &mut Words<'_>) -> Result<usize, ParseError> {
    let read = |word: &str| word.strip_suffix('d')?.parse().ok();
    let told = words.take_as(read).filter(|count| (1..=5).contains(count));
    told.ok_or_else(|| words.unsupported())
}

fn modifiers(words: &mut Words<'_>) -> Result<Modifiers, ParseError> {
    let how = modifiers_before(words)?;
    words.end()?;
    Ok(how)
}

/// `.completion{.multicast}{.cache ..}`
fn modifiers_before(words: &mut Words<'_>) -> Result<Modifiers, ParseError> {
    let signals = words.take("mbarrier::complete_tx::bytes");
    if !signals && !words.take("bulk_group") {
        return Err(words.unsupported());
    }
    let multicast = words.take("multicast::cluster");
    let policy = words.take("L2::cache_hint");
    words.take_as(|word| is_cache_word(word).then_some(()));
    Ok(Modifiers { signals, multicast, policy, reduces: None })
}

fn copy(operation: BulkCopy<Operand>) -> Instruction {
    Op::Memory(MemoryOp::BulkCopy(Box::new(operation)))
}
