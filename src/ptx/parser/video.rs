//! Video instructions: arithmetic on the bytes, half-words and words of 32-bit registers.

use super::words::Words;
use super::{Instruction, Opcode, Parser};
use crate::ast::Operand;
use crate::error::ParseError;
use crate::lexer::TokenKind;
use crate::op::{BitsOp, Compare, LaneOp, Op, Picked, Then, Video, VideoOp, Written};
use crate::types::Type;

/// The opcodes parsed here.
pub(super) const OPCODES: &[Opcode] = &[
    ("vabsdiff", |p, words| p.video(words, VideoOp::AbsoluteDifference)),
    ("vabsdiff2", |p, words| p.video_of(words, VideoOp::AbsoluteDifference, 16)),
    ("vabsdiff4", |p, words| p.video_of(words, VideoOp::AbsoluteDifference, 8)),
    ("vadd", |p, words| p.video(words, VideoOp::Add)),
    ("vadd2", |p, words| p.video_of(words, VideoOp::Add, 16)),
    ("vadd4", |p, words| p.video_of(words, VideoOp::Add, 8)),
    ("vavrg2", |p, words| p.video_of(words, VideoOp::Average, 16)),
    ("vavrg4", |p, words| p.video_of(words, VideoOp::Average, 8)),
    ("vmad", |p, words| p.video_mad(words)),
    ("vmax", |p, words| p.video(words, VideoOp::Maximum)),
    ("vmax2", |p, words| p.video_of(words, VideoOp::Maximum, 16)),
    ("vmax4", |p, words| p.video_of(words, VideoOp::Maximum, 8)),
    ("vmin", |p, words| p.video(words, VideoOp::Minimum)),
    ("vmin2", |p, words| p.video_of(words, VideoOp::Minimum, 16)),
    ("vmin4", |p, words| p.video_of(words, VideoOp::Minimum, 8)),
    ("vset", |p, words| p.video(words, COMPARES)),
    ("vset2", |p, words| p.video_of(words, COMPARES, 16)),
    ("vset4", |p, words| p.video_of(words, COMPARES, 8)),
    ("vshl", |p, words| p.video(words, VideoOp::ShiftLeft { wrap: false })),
    ("vshr", |p, words| p.video(words, VideoOp::ShiftRight { wrap: false })),
    ("vsub", |p, words| p.video(words, VideoOp::Subtract)),
    ("vsub2", |p, words| p.video_of(words, VideoOp::Subtract, 16)),
    ("vsub4", |p, words| p.video_of(words, VideoOp::Subtract, 8)),
];

/// Stands for every comparison until the modifier has been parsed.
const COMPARES: VideoOp = VideoOp::Compare(Compare::Eq);

/// An operand that may be negated, and the word after its register: `h1` of `%r2.h1`.
struct Part {
    operand: Operand,
    negated: bool,
    selector: Option<String>,
}

impl Parser<'_> {
    /// `vop.dtype.atype.btype{.sat}{.then} d{.part}, a{.part}, b{.part}{, c}`; `vset` without a dtype.
    fn video(&mut self, words: &mut Words<'_>, op: VideoOp) -> Result<Instruction, ParseError> {
        let (op, signed, sat, then) = modifiers(words, op)?;
        let dst = self.video_part()?;
        let (a, b) = (self.next_video_part()?, self.next_video_part()?);
        let merges = dst.selector.is_some();
        // On an H100 `vsub` stored the upper half of its result there, not the lower one.
        let to_upper_half = dst.selector.as_deref() == Some("h1");
        if to_upper_half || !is_as_specified(op, signed, sat && merges, sat, then) {
            return Err(words.unsupported());
        }
        let c = if merges || then.is_some() { Some(self.next_video_part()?.operand) } else { None };
        let from = [picked(&a, 0), picked(&b, 32)];
        let to = picked(&dst, 0).map(|to| Written { bits: to.bits, mask: 1 << to.elements[0] });
        let ([Some(a_from), Some(b_from)], Some(to), false) = (from, to, merges && then.is_some())
        else {
            return Err(words.unsupported());
        };
        let video = Video { op, signed, from: [a_from, b_from], to, sat, then };
        Ok(instruction(video, [dst.operand, a.operand, b.operand], c))
    }

    /// `vop2.dtype.atype.btype{.sat|.add} d{.mask}, a{.elements}, b{.elements}, c`: elements of `bits`
    /// bits; `vset2` without a dtype.
    fn video_of(
        &mut self,
        words: &mut Words<'_>,
        op: VideoOp,
        bits: u8,
    ) -> Result<Instruction, ParseError> {
        let (op, signed, sat, then) = modifiers(words, op)?;
        let dst = self.video_part()?;
        let (a, b, c) = (self.next_video_part()?, self.next_video_part()?, self.next_video_part()?);
        let count = 32 / bits;
        let from = [elements(&a, bits, 0), elements(&b, bits, count)];
        let ([Some(a_from), Some(b_from)], Some(mask)) = (from, mask(&dst, bits)) else {
            return Err(words.unsupported());
        };
        if sat && then.is_some() || !matches!(then, None | Some(Then::Add)) {
            return Err(words.unsupported());
        }
        let to = Written { bits, mask };
        let video = Video { op, signed, from: [a_from, b_from], to, sat, then };
        Ok(instruction(video, [dst.operand, a.operand, b.operand], Some(c.operand)))
    }

    /// `vmad.dtype.atype.btype{.po}{.sat}{.scale} d, {-}a{.part}, {-}b{.part}, {-}c`
    fn video_mad(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        let signed = [signed(words)?, signed(words)?, signed(words)?];
        let (plus_one, sat) = (words.take("po"), words.take("sat"));
        let shift = words.take_as(|word| match word {
            "shr7" => Some(7),
            "shr15" => Some(15),
            _ => None,
        });
        words.end()?;
        // Unsigned, ptxas takes c for signed here.
        if sat && signed == [false; 3] {
            return Err(words.unsupported());
        }
        let dst = self.video_part()?;
        let (a, b, c) = (self.next_video_part()?, self.next_video_part()?, self.next_video_part()?);
        let (negates_product, negates_c) = (a.negated != b.negated, c.negated);
        let fits =
            dst.selector.is_none() && c.selector.is_none() && !(negates_product && negates_c);
        let ([Some(a_from), Some(b_from)], true) = ([picked(&a, 0), picked(&b, 32)], fits) else {
            return Err(words.unsupported());
        };
        let shift = shift.unwrap_or_default();
        let op = VideoOp::MultiplyAdd { negates_product, negates_c, plus_one, shift };
        let to = Written { bits: 32, mask: 1 };
        let video = Video { op, signed, from: [a_from, b_from], to, sat, then: None };
        Ok(instruction(video, [dst.operand, a.operand, b.operand], Some(c.operand)))
    }

    fn next_video_part(&mut self) -> Result<Part, ParseError> {
        self.sign(',')?;
        self.video_part()
    }

    fn video_part(&mut self) -> Result<Part, ParseError> {
        let of_register = matches!(self.tokens.get(self.at + 1), Some(token) if matches!(token.kind, TokenKind::Word(_)));
        let negated = of_register && self.take('-');
        let operand = self.operand()?;
        let Operand::Name(name, span) = &operand else {
            return Ok(Part { operand, negated, selector: None });
        };
        Ok(match name.split_once('.') {
            Some((register, selector)) => {
                let selector = Some(selector.to_owned());
                Part { operand: Operand::Name(register.to_owned(), *span), negated, selector }
            }
            None => Part { operand, negated, selector: None },
        })
    }
}

fn instruction(video: Video, [dst, a, b]: [Operand; 3], c: Option<Operand>) -> Instruction {
    let args = vec![a, b, c.unwrap_or(Operand::Integer(0))];
    Op::Lane(LaneOp::Bits { op: BitsOp::Video(video), ty: Type::B32, dst, args })
}

/// `.dtype.atype.btype{.sat}{.mode}{.then}`, or of a comparison `.atype.btype.cmp{.then}`.
fn modifiers(
    words: &mut Words<'_>,
    op: VideoOp,
) -> Result<(VideoOp, [bool; 3], bool, Option<Then>), ParseError> {
    let compares = matches!(op, VideoOp::Compare(_));
    let signed = if compares {
        let [a, b] = [signed(words)?, signed(words)?];
        [a, a, b]
    } else {
        [signed(words)?, signed(words)?, signed(words)?]
    };
    let sat = !compares && words.take("sat");
    let op = match op {
        VideoOp::Compare(_) => {
            VideoOp::Compare(words.take_as(compare).ok_or_else(|| words.unsupported())?)
        }
        VideoOp::ShiftLeft { .. } => VideoOp::ShiftLeft { wrap: wraps(words)? },
        VideoOp::ShiftRight { .. } => VideoOp::ShiftRight { wrap: wraps(words)? },
        other => other,
    };
    let then = words.take_as(|word| match word {
        "add" => Some(Then::Add),
        "min" => Some(Then::Minimum),
        "max" => Some(Then::Maximum),
        _ => None,
    });
    words.end()?;
    Ok((op, signed, sat, then))
}

/// Whether ptxas compiles it to what the manual says. On an H100 (driver 580.159.04) it did not for
/// these: results clamped to a part of d, or of operands of which one is signed, and the lesser or greater
/// of c and a comparison of such operands.
fn is_as_specified(
    op: VideoOp,
    [_, a, b]: [bool; 3],
    clamps_part: bool,
    sat: bool,
    then: Option<Then>,
) -> bool {
    let (shifts, compares) = match op {
        VideoOp::ShiftLeft { .. } | VideoOp::ShiftRight { .. } => (true, false),
        VideoOp::Compare(_) => (false, true),
        _ => (false, false),
    };
    let chooses = matches!(then, Some(Then::Minimum | Then::Maximum));
    !clamps_part && (a == b || shifts || !(sat || compares && chooses))
}

/// `.s32` or `.u32`
fn signed(words: &mut Words<'_>) -> Result<bool, ParseError> {
    match words.ty()? {
        Type::S32 => Ok(true),
        Type::U32 => Ok(false),
        _ => Err(words.unsupported()),
    }
}

/// `.wrap` or `.clamp`
fn wraps(words: &mut Words<'_>) -> Result<bool, ParseError> {
    let wrap = words.take("wrap");
    if wrap || words.take("clamp") { Ok(wrap) } else { Err(words.unsupported()) }
}

fn compare(word: &str) -> Option<Compare> {
    Some(match word {
        "eq" => Compare::Eq,
        "ne" => Compare::Ne,
        "lt" => Compare::Lt,
        "le" => Compare::Le,
        "gt" => Compare::Gt,
        "ge" => Compare::Ge,
        _ => return None,
    })
}

/// `b0` to `b3`, `h0`, `h1`, or the whole word, of the register whose first bit is `from`.
fn picked(part: &Part, from: u8) -> Option<Picked> {
    let (bits, number) = match part.selector.as_deref() {
        None => (32, 0),
        Some(selector) => {
            let (bits, digits) = width(selector)?;
            (bits, digits.parse::<u8>().ok().filter(|number| *number < 32 / bits)?)
        }
    };
    Some(Picked { bits, elements: [number + from / bits; 4] })
}

/// `h10`, `b7654`: the elements of both registers that are taken, the highest first; without them those of
/// one register, from `first`.
fn elements(part: &Part, bits: u8, first: u8) -> Option<Picked> {
    let count = usize::from(32 / bits);
    let mut elements = std::array::from_fn(|number| first + number as u8);
    if let Some(selector) = part.selector.as_deref() {
        let (of, digits) = width(selector)?;
        let digits: Vec<_> = digits.bytes().rev().map(|digit| digit.wrapping_sub(b'0')).collect();
        let fits = of == bits && digits.len() == count;
        if !fits || digits.iter().any(|digit| usize::from(*digit) >= 2 * count) {
            return None;
        }
        elements[..count].copy_from_slice(&digits);
    }
    Some(Picked { bits, elements })
}

/// `h1`, `b20`: the elements of d that are written, a bit for each; without them all.
fn mask(part: &Part, bits: u8) -> Option<u8> {
    let count = 32 / bits;
    let Some(selector) = part.selector.as_deref() else { return Some(u8::MAX >> (8 - count)) };
    let (of, digits) = width(selector)?;
    let bit = |digit: u8| Some(1 << digit.checked_sub(b'0').filter(|digit| *digit < count)?);
    let mask = digits.bytes().try_fold(0, |mask, digit| Some(mask | bit(digit)?));
    mask.filter(|_| of == bits)
}

/// The width that the letter of a selector stands for, and its digits.
fn width(selector: &str) -> Option<(u8, &str)> {
    let bytes = selector.strip_prefix('b').map(|digits| (8, digits));
    bytes.or_else(|| selector.strip_prefix('h').map(|digits| (16, digits)))
}
