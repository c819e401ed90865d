//! Instructions of which something is in flight when the thread goes on: `cp.async`, `mbarrier`, bulk
//! copies, `st.async`, and those of the blocks of a cluster.

use super::access::{MAX_BYTES, accessed, elements, is_cache_word, space_of};
use super::tensor::expect;
use super::words::Words;
use super::{Instruction, Opcode, Parser};
use crate::ast::Operand;
use crate::asynchronous::{
    AsyncOp, BulkCopy, BulkPlace, BulkWay, CopyGroup, CopyPart, Mbarrier, MbarrierOp, StoreAsync,
};
use crate::error::ParseError;
use crate::lexer::TokenKind;
use crate::op::{AtomicOp, ControlOp, LaneOp, MemoryScope, Op};
use crate::operand::Address;
use crate::types::{Space, Type};

pub(super) const OPCODES: &[Opcode] = &[
    (
        "barrier",
        |p, words| if words.take("cluster") { cluster_barrier(words) } else { p.bar(words) },
    ),
    ("cp", |p, words| p.cp(words)),
    ("getctarank", |p, words| p.rank(words)),
    ("mapa", |p, words| p.map_shared(words)),
    ("mbarrier", |p, words| p.mbarrier(words)),
];

/// `cp.async`.
impl Parser<'_> {
    /// `cp.async.{ca,cg}.shared.global{.level} [d], [a], bytes{, size}{, policy}`, with `{!}ignored`
    /// in place of the size, and the group instructions.
    fn cp(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        if words.take("reduce") {
            return self.bulk_reduction(words);
        }
        if !words.take("async") {
            return Err(words.unsupported());
        }
        if words.take("bulk") {
            return self.bulk(words);
        }
        if words.take("mbarrier") {
            return self.copies_arrive(words);
        }
        if words.take("commit_group") {
            words.end()?;
            return Ok(Op::Async(AsyncOp::CopyGroup(CopyGroup::Commit)));
        }
        if words.take("wait_all") {
            words.end()?;
            return Ok(Op::Async(AsyncOp::CopyGroup(CopyGroup::WaitAll)));
        }
        if words.take("wait_group") {
            words.end()?;
            return Ok(Op::Async(AsyncOp::CopyGroup(CopyGroup::WaitAllBut(
                self.small_constant()?,
            ))));
        }
        self.copy(words)
    }

    fn copy(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        let only_16 = words.take("cg");
        if !only_16 && !words.take("ca") {
            return Err(words.unsupported());
        }
        let spaces = [Space::Shared, Space::Global];
        if spaces.iter().any(|space| words.take_as(space_of).as_ref() != Some(space)) {
            return Err(words.unsupported());
        }
        let policy = words.take("L2::cache_hint");
        words.take_as(|word| is_cache_word(word).then_some(()));
        words.end()?;
        let dst = self.address()?;
        self.sign(',')?;
        let src = self.address()?;
        self.sign(',')?;
        let bytes = self.copied(only_16)?;
        let part = if self.follows_part(policy) { self.part()? } else { CopyPart::All };
        self.policy(policy)?;
        Ok(Op::Async(AsyncOp::Copy { bytes, past_l1: only_16, dst, src, part }))
    }

    /// The number of bytes that each thread copies.
    fn copied(&mut self, only_16: bool) -> Result<u8, ParseError> {
        let span = self.span();
        match self.small_constant()? {
            bytes @ (4 | 8) if !only_16 => Ok(bytes as u8),
            16 => Ok(16),
            _ if only_16 => Err(ParseError::new(span, "`cp.async.cg` copies 16 bytes")),
            _ => Err(ParseError::new(span, "`cp.async.ca` copies 4, 8 or 16 bytes")),
        }
    }

    /// Whether the next operand is a size or a predicate; if there is a cache policy, it is the last
    /// operand.
    fn follows_part(&self, policy: bool) -> bool {
        let comma = TokenKind::Sign(',');
        let negated = usize::from(self.follows('!'));
        let next = self.tokens.get(self.at + 2 + negated).map(|token| token.kind);
        self.kind() == Some(comma) && (!policy || next == Some(comma))
    }

    /// `, size`, `, {!}ignored`. Lowering tells a predicate that is not negated from a size.
    fn part(&mut self) -> Result<CopyPart<Operand>, ParseError> {
        self.sign(',')?;
        if self.take('!') {
            return Ok(CopyPart::Unless { pred: self.operand()?, negated: true });
        }
        self.operand().map(CopyPart::First)
    }
}

/// The words after the spaces.
struct BulkModifiers {
    /// `.mbarrier::complete_tx::bytes`, rather than `.bulk_group`.
    signals: bool,
    multicast: bool,
    policy: bool,
    /// The operation and the type of a reduction.
    reduces: Option<(AtomicOp, Type)>,
}

/// Bulk copies.
impl Parser<'_> {
    /// What follows `cp.async.bulk`.
    fn bulk(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        if words.take("commit_group") {
            words.end()?;
            let (group, read) = (CopyGroup::Commit, false);
            return Ok(Op::Async(AsyncOp::BulkGroup { group, read }));
        }
        if words.take("wait_group") {
            let read = words.take("read");
            words.end()?;
            let group = CopyGroup::WaitAllBut(self.small_constant()?);
            return Ok(Op::Async(AsyncOp::BulkGroup { group, read }));
        }
        if words.take("prefetch") {
            return self.bulk_prefetch(words);
        }
        let dimensions = if words.take("tensor") { Some(dimensions(words)?) } else { None };
        let spaces = [words.take_as(space_of), words.take_as(space_of)];
        words.take("tile");
        let how = modifiers_of_bulk(words)?;
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
    fn bulk_reduction(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
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
    fn bulk_across(&mut self, how: &BulkModifiers) -> Result<Instruction, ParseError> {
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
        how: &BulkModifiers,
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
        how: &BulkModifiers,
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

fn modifiers_of_bulk(words: &mut Words<'_>) -> Result<BulkModifiers, ParseError> {
    let how = modifiers_before(words)?;
    words.end()?;
    Ok(how)
}

/// `.completion{.multicast}{.cache ..}`
fn modifiers_before(words: &mut Words<'_>) -> Result<BulkModifiers, ParseError> {
    let signals = words.take("mbarrier::complete_tx::bytes");
    if !signals && !words.take("bulk_group") {
        return Err(words.unsupported());
    }
    let multicast = words.take("multicast::cluster");
    let policy = words.take("L2::cache_hint");
    words.take_as(|word| is_cache_word(word).then_some(()));
    Ok(BulkModifiers { signals, multicast, policy, reduces: None })
}

fn copy(operation: BulkCopy<Operand>) -> Instruction {
    Op::Async(AsyncOp::Bulk(Box::new(operation)))
}

/// `st.async`, `red.async`.
impl Parser<'_> {
    /// `st.async{.weak}.shared::cluster.mbarrier::complete_tx::bytes{.vec}.type [a], b, [mbarrier]`
    pub(super) fn store_async(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        words.take("weak");
        words.take("shared::cluster");
        if !words.take("mbarrier::complete_tx::bytes") {
            return Err(words.unsupported());
        }
        let lanes = words.take_as(elements).unwrap_or(1);
        let ty = words.last_type()?;
        if !matches!(ty.bytes(), 4 | 8)
            || ty == Type::Pred
            || lanes * ty.bytes() as usize > MAX_BYTES
        {
            return Err(words.unsupported());
        }
        self.stores(None, ty, lanes)
    }

    /// `[a], b, [mbarrier]`: a store, or a reduction, of `lanes` elements.
    fn stores(
        &mut self,
        reduces: Option<AtomicOp>,
        ty: Type,
        lanes: usize,
    ) -> Result<Instruction, ParseError> {
        let addr = self.address()?;
        self.sign(',')?;
        let src = self.vector()?;
        self.expect_elements(src.len(), lanes)?;
        self.sign(',')?;
        let mbarrier = self.address()?;
        let store = StoreAsync { reduces, ty, addr, src, mbarrier };
        Ok(Op::Async(AsyncOp::Store(Box::new(store))))
    }

    /// `red.async.relaxed.cluster{.shared::cluster}.mbarrier::complete_tx::bytes.op.type [a], b,
    /// [mbarrier]`
    pub(super) fn reduce_async(
        &mut self,
        words: &mut Words<'_>,
    ) -> Result<Instruction, ParseError> {
        expect(words, &["relaxed", "cluster"])?;
        words.take("shared::cluster");
        expect(words, &["mbarrier::complete_tx::bytes"])?;
        let op = words.take_as(AtomicOp::from_word).ok_or_else(|| words.unsupported())?;
        let ty = words.last_type()?;
        let wide = ty == Type::U64 && op == AtomicOp::Add;
        let swaps = matches!(op, AtomicOp::Exchange | AtomicOp::CompareAndSwap);
        if !op.fits(ty) || ty.is_float() || swaps || ty.bits() != 32 && !wide {
            return Err(words.unsupported());
        }
        self.stores(Some(op), ty, 1)
    }
}

/// `mbarrier`.
impl Parser<'_> {
    /// `mbarrier.op{.modifiers}.b64 {d,} [addr]{, a}`
    fn mbarrier(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        let name = words.next();
        if name == Some("pending_count") {
            return self.pending_count(words);
        }
        let (expects, parity) = (words.take("expect_tx"), words.take("parity"));
        let no_complete = words.take("noComplete");
        let (space, ordered) = space_and_order(words)?;
        let op = match name {
            Some("init") => MbarrierOp::Init,
            Some("inval") => MbarrierOp::Invalidate,
            Some("expect_tx") => MbarrierOp::ExpectBytes,
            Some("complete_tx") => MbarrierOp::CompleteBytes,
            Some("arrive") => MbarrierOp::Arrive { expects, drops: false, releases: ordered },
            Some("arrive_drop") => MbarrierOp::Arrive { expects, drops: true, releases: ordered },
            Some("test_wait") => MbarrierOp::Test { waits: false, parity, acquires: ordered },
            Some("try_wait") => MbarrierOp::Test { waits: true, parity, acquires: ordered },
            _ => return Err(words.unsupported()),
        };
        let arrives = matches!(op, MbarrierOp::Arrive { .. });
        let tests = matches!(op, MbarrierOp::Test { .. });
        if (expects || no_complete) && !arrives || parity && !tests {
            return Err(words.unsupported());
        }
        let dst = if (arrives || tests) && self.kind() != Some(TokenKind::Sign('[')) {
            let dst = self.operand()?;
            self.sign(',')?;
            // The sink takes no result.
            Some(dst).filter(|dst| !matches!(dst, Operand::Name(name, _) if name == "_"))
        } else {
            None
        };
        let addr = self.address()?;
        let args = self.numbers(op)?;
        Ok(mbarrier(Mbarrier { op, space, addr, dst, args }))
    }

    /// The numbers after the address; the time limit of `try_wait` changes nothing here.
    fn numbers(&mut self, op: MbarrierOp) -> Result<Vec<Operand>, ParseError> {
        match op {
            MbarrierOp::Invalidate | MbarrierOp::CopiesArrive { .. } => return Ok(Vec::new()),
            MbarrierOp::Arrive { expects: false, .. } if !self.take(',') => {
                return Ok(vec![Operand::Integer(1)]);
            }
            MbarrierOp::Arrive { expects: false, .. } => {}
            _ => self.sign(',')?,
        }
        let number = self.operand()?;
        if matches!(op, MbarrierOp::Test { waits: true, .. }) && self.take(',') {
            self.operand()?;
        }
        Ok(vec![number])
    }

    /// `mbarrier.pending_count.b64 d, state`: the low half of a state, as the simulator makes it.
    fn pending_count(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        if words.last_type()? != Type::B64 {
            return Err(words.unsupported());
        }
        let span = self.span();
        let [count, src] = self.operands()?;
        let parts = vec![count, Operand::Name("_".to_owned(), span)];
        Ok(Op::Lane(LaneOp::Unpack { ty: Type::B64, parts, src }))
    }

    /// `cp.async.mbarrier.arrive{.noinc}{.shared}.b64 [addr]`
    fn copies_arrive(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        if !words.take("arrive") {
            return Err(words.unsupported());
        }
        let op = MbarrierOp::CopiesArrive { counted: words.take("noinc") };
        let (space, _) = space_and_order(words)?;
        let addr = self.address()?;
        Ok(mbarrier(Mbarrier { op, space, addr, dst: None, args: Vec::new() }))
    }
}

/// `{.order}{.scope}{.shared}.b64`: the space, and whether the operation orders others.
fn space_and_order(words: &mut Words<'_>) -> Result<(Space, bool), ParseError> {
    let relaxed = words.take("relaxed");
    if !relaxed && !words.take("release") {
        words.take("acquire");
    }
    words.take_as(MemoryScope::from_word);
    let space = words.take_as(accessed).unwrap_or(Space::Generic);
    if !matches!(space, Space::Generic | Space::Shared | Space::Distributed) {
        return Err(words.unsupported());
    }
    if words.last_type()? != Type::B64 {
        return Err(words.unsupported());
    }
    Ok((space, !relaxed))
}

fn mbarrier(operation: Mbarrier<Operand>) -> Instruction {
    Op::Async(AsyncOp::Mbarrier(Box::new(operation)))
}

/// The blocks of a cluster.
impl Parser<'_> {
    /// `mapa{.shared::cluster}.type d, a, rank`
    fn map_shared(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        let ty = mapped(words)?;
        let [dst, addr, rank] = self.operands()?;
        Ok(Op::Async(AsyncOp::MapShared { ty, dst, addr, rank }))
    }

    /// `getctarank{.shared::cluster}.type d, a`
    fn rank(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        let ty = mapped(words)?;
        let [dst, addr] = self.operands()?;
        Ok(Op::Async(AsyncOp::RankOfShared { ty, dst, addr }))
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

/// `barrier.cluster.arrive{.order}{.aligned}`, `barrier.cluster.wait{.acquire}{.aligned}`.
fn cluster_barrier(words: &mut Words<'_>) -> Result<Instruction, ParseError> {
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
    Ok(Op::Async(AsyncOp::ClusterBarrier { waits, orders, aligned }))
}
