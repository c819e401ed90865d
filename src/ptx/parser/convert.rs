//! Conversions of values: `cvt`.

use super::tensor::expect;
use super::words::{Words, rounding};
use super::{Instruction, Opcode, Parser};
use crate::error::ParseError;
use crate::op::{BitsOp, Float, LaneOp, Op, Rounding};
use crate::types::Type;

pub(super) const OPCODES: &[Opcode] = &[("cvt", |p, words| p.cvt(words))];

impl Parser<'_> {
    /// `cvt{.irnd|.frnd}{.ftz}{.sat}.to.from d, a`, `cvt.frnd{.relu}{.satfinite}.to.f32 d, a`
    fn cvt(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        if words.take("pack") {
            return self.cvt_pack(words);
        }
        let told = words.take_as(modifier);
        let float =
            Float { relu: words.take("relu"), satfinite: words.take("satfinite"), ..words.float() };
        // ptxas takes the other order, too.
        let float = Float { relu: float.relu || words.take("relu"), ..float };
        let (to, from) = (words.element()?, words.element()?);
        words.end()?;
        if float.sat && represents(to, from) {
            return Err(words.refused("`.sat` has no effect where every value of the source fits"));
        }
        let fits = match (to.is_of_bytes(), from.is_of_bytes()) {
            (false, false) => exists(to, from, told) && has(to, from, told, float),
            _ => of_bytes_exists((to, from), told, float),
        };
        if !fits || to.bits() < 8 || from.bits() < 8 {
            return Err(words.unsupported());
        }
        let rounding = told.map(|told| told.rounding);
        if to.is_packed() && from == Type::F32 {
            let rounding = rounding.unwrap_or_default();
            let [dst, a, b] = self.operands()?;
            return Ok(Op::Lane(LaneOp::CvtPair { to, rounding, float, dst, a, b }));
        }
        let [dst, src] = self.operands()?;
        Ok(Op::Lane(LaneOp::Cvt { to, from, rounding, float, dst, src }))
    }

    /// `cvt.pack.sat.to.s32{.b32} d, a, b{, c}`
    fn cvt_pack(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        let (op, count) = pack(words)?;
        self.bits(Ok((op, Type::S32, count)))
    }
}

/// `.sat.to.s32{.b32}`: the operation and the number of its operands.
fn pack(words: &mut Words<'_>) -> Result<(BitsOp, usize), ParseError> {
    expect(words, &["sat"])?;
    let (bits, signed) = words.take_as(packed).ok_or_else(|| words.unsupported())?;
    expect(words, if bits == 16 { &["s32"] } else { &["s32", "b32"] })?;
    words.end()?;
    Ok((BitsOp::Pack { bits, signed }, if bits == 16 { 2 } else { 3 }))
}

/// The width and the signedness of the integers that `cvt.pack` makes.
fn packed(word: &str) -> Option<(u8, bool)> {
    let (signed, bits) = match word.strip_prefix('s') {
        Some(bits) => (true, bits),
        None => (false, word.strip_prefix('u')?),
    };
    let bits = bits.parse().ok()?;
    matches!(bits, 2 | 4 | 8 | 16).then_some((bits, signed))
}

/// Whether a `cvt` to or from a pair of 8-bit numbers exists (PTX ISA, `cvt`): to such a pair always
/// with `.satfinite`.
fn of_bytes_exists((to, from): (Type, Type), told: Option<RoundingModifier>, float: Float) -> bool {
    let Float { ftz, sat, satfinite, .. } = float;
    let nearest = told.is_some_and(|told| !told.integral && told.rounding == Rounding::Nearest);
    let types = match (to, from) {
        (Type::E4m3x2 | Type::E5m2x2, Type::F32 | Type::F16x2) => satfinite,
        (Type::F16x2, Type::E4m3x2 | Type::E5m2x2) => !satfinite,
        _ => false,
    };
    types && nearest && !ftz && !sat
}

/// The rounding modifier of a `cvt`, and whether it rounds to an integer (`rni`, not `rn`).
#[derive(Clone, Copy)]
struct RoundingModifier {
    rounding: Rounding,
    integral: bool,
}

fn modifier(word: &str) -> Option<RoundingModifier> {
    if word == "rna" {
        return Some(RoundingModifier { rounding: Rounding::NearestAway, integral: false });
    }
    let (word, integral) = match word.strip_suffix('i') {
        Some(word) => (word, true),
        None => (word, false),
    };
    Some(RoundingModifier { rounding: rounding(word)?, integral })
}

/// Whether an integer type represents every value of another.
fn represents(to: Type, from: Type) -> bool {
    let wider = to.bits() > from.bits() && (to.is_signed() || !from.is_signed());
    to.is_integer() && from.is_integer() && (wider || to == from)
}

/// Whether this `cvt` exists (PTX ISA, `cvt`): a rounding modifier is required exactly where the
/// result may be inexact.
fn exists(to: Type, from: Type, told: Option<RoundingModifier>) -> bool {
    let integral = told.is_some_and(|told| told.integral);
    let fractional = told.is_some_and(|told| !told.integral);
    let away = told.is_some_and(|told| told.rounding == Rounding::NearestAway);
    let halves_of_bytes = |byte: Type, half| byte.bits() == 8 && half == Type::Bf16;
    if from.is_packed() || from == Type::Tf32 || away && to != Type::Tf32 {
        return false;
    }
    match (to.is_float(), from.is_float()) {
        (false, false) => to.is_integer() && from.is_integer() && told.is_none(),
        (true, false) => {
            let scalar = !to.is_packed() && to != Type::Tf32 && !halves_of_bytes(from, to);
            scalar && from.is_integer() && fractional
        }
        (false, true) => to.is_integer() && integral && !halves_of_bytes(to, from),
        (true, true) if to.is_packed() || to == Type::Tf32 => from == Type::F32 && fractional,
        (true, true) if to.bits() < from.bits() => fractional,
        // float16 and bfloat16: neither can represent every value of the other.
        // Without a rounding, ptxas rounds to nearest.
        (true, true) if to != from && to.bits() == from.bits() => !integral,
        // ptxas takes a rounding here, which changes nothing.
        (true, true) if from == Type::Bf16 && to != from => !integral,
        (true, true) => told.is_none() || (integral && to == from),
    }
}

/// Whether that `cvt` accepts all these modifiers.
fn has(to: Type, from: Type, told: Option<RoundingModifier>, float: Float) -> bool {
    let Float { ftz, sat, relu, satfinite, .. } = float;
    let narrow = to.is_half() || to == Type::Tf32;
    let rounding = told.map(|told| told.rounding);
    let inwards = matches!(rounding, Some(Rounding::Nearest | Rounding::Zero));
    let plain = [to, from].iter().any(|ty| matches!(ty, Type::Bf16 | Type::Tf32)) || to.is_packed();
    let flushes = !to.is_packed() && to != Type::Tf32 && [to, from].contains(&Type::F32);
    let finite = match to {
        // For `tf32`, only rounding to nearest with ties away from zero has it.
        Type::Tf32 => rounding == Some(Rounding::NearestAway),
        _ => inwards,
    };
    (!ftz || flushes)
        && (!sat || !plain)
        && (!relu || narrow && from == Type::F32 && inwards && !sat && !ftz)
        && (!satfinite || narrow && from == Type::F32 && finite && !sat && !ftz)
}
