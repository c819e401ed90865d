//! Matrices held in the registers of a warp: `ldmatrix`, `stmatrix`, `movmatrix`, `mma`.

use super::access::space_of;
use super::words::{Words, rounding};
use super::{Instruction, Opcode, Parser};
use crate::ast::Operand;
use crate::error::ParseError;
use crate::lexer::TokenKind;
use crate::op::{Boolean, MatrixOp, Op, Rounding};
use crate::tensor::{Arithmetic, MatrixLayout, Mma};
use crate::types::{Space, Type};
use std::str::FromStr;

pub(super) const OPCODES: &[Opcode] = &[
    ("ldmatrix", |p, words| p.ldmatrix(words)),
    ("mma", |p, words| p.mma(words)),
    ("movmatrix", |p, words| p.movmatrix(words)),
    ("stmatrix", |p, words| p.stmatrix(words)),
];

impl Parser<'_> {
    /// `ldmatrix.sync.aligned.m8n8.num{.trans}{.shared}.b16 {d, ..}, [p]`
    fn ldmatrix(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        let told = MatrixModifiers::read(words)?;
        let dst = self.registers_of(told.count)?;
        self.sign(',')?;
        let addr = self.address()?;
        Ok(Op::Matrix(MatrixOp::LdMatrix {
            transposed: told.transposed,
            space: told.space,
            dst,
            addr,
        }))
    }

    /// `stmatrix.sync.aligned.m8n8.num{.trans}{.shared}.b16 [p], {a, ..}`
    fn stmatrix(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        let told = MatrixModifiers::read(words)?;
        let addr = self.address()?;
        self.sign(',')?;
        let src = self.registers_of(told.count)?;
        Ok(Op::Matrix(MatrixOp::StMatrix {
            transposed: told.transposed,
            space: told.space,
            addr,
            src,
        }))
    }

    /// `movmatrix.sync.aligned.m8n8.trans.b16 d, a`
    fn movmatrix(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        expect(words, &["sync", "aligned", "m8n8", "trans", "b16"])?;
        words.end()?;
        let [dst, src] = self.operands()?;
        Ok(Op::Matrix(MatrixOp::MovMatrix { dst, src }))
    }

    /// `mma.sync.aligned.shape.row.col{.satfinite}{.rounding}.d.a.b.c d, a, b, c`
    pub(super) fn mma(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        expect(words, &["sync", "aligned"])?;
        let shape = words.take_as(shape).ok_or_else(|| words.unsupported())?;
        let layouts = layouts(words)?;
        let satfinite = words.take("satfinite");
        let before = words.take_as(rounding);
        let sum = words.ty()?;
        // ptxas takes the rounding on either side of the sum's type.
        let rounding = before.or_else(|| words.take_as(rounding));
        let factors = [words.element()?, words.element()?];
        let addend = words.ty()?;
        words.end()?;
        let arithmetic = Arithmetic {
            satfinite,
            rounding: rounding.unwrap_or_default(),
            bits: None,
            at_once: shape[2],
        };
        let fits = arithmetic.fits(sum, factors[0]) && (rounding.is_none() || sum == Type::F64);
        let exists = exists(shape, factors, sum) && addend == sum;
        if !exists || !fits || layouts != [MatrixLayout::Row, MatrixLayout::Column] {
            return Err(words.unsupported());
        }
        let [m, n, k] = shape.map(u32::from);
        let d = self.registers_of(count(m * n, sum))?;
        let mut next = |elements, ty| {
            self.sign(',')?;
            self.registers_of(count(elements, ty))
        };
        let (a, b) = (next(m * k, factors[0])?, next(k * n, factors[1])?);
        let c = next(m * n, addend)?;
        let mma = Mma { shape, factors, sum, addend, arithmetic, d, a, b, c };
        Ok(Op::Matrix(MatrixOp::Mma(vec![mma])))
    }

    /// `{r, ..}`: a vector of `count` registers.
    pub(super) fn registers_of(&mut self, count: usize) -> Result<Vec<Operand>, ParseError> {
        let span = self.span();
        let met =
            if self.kind() == Some(TokenKind::Sign('{')) { self.vector()? } else { Vec::new() };
        if met.len() == count {
            return Ok(met);
        }
        let plural = if count == 1 { "" } else { "s" };
        Err(ParseError::new(span, format!("expected {count} register{plural} in braces")))
    }
}

/// The modifiers of `ldmatrix` and `stmatrix`.
struct MatrixModifiers {
    count: usize,
    transposed: bool,
    space: Space,
}

impl MatrixModifiers {
    fn read(words: &mut Words<'_>) -> Result<Self, ParseError> {
        expect(words, &["sync", "aligned"])?;
        let (mut shaped, mut count, mut transposed) = (false, None, false);
        // The manual prescribes an order; CUTLASS writes `.x4.trans.m8n8`, and ptxas accepts any
        // order.
        for _ in 0..3 {
            shaped = shaped || words.take("m8n8");
            count = count.or_else(|| words.take_as(matrices));
            transposed = transposed || words.take("trans");
        }
        let count = count.filter(|_| shaped).ok_or_else(|| words.unsupported())?;
        let space = words.take_as(space_of).unwrap_or(Space::Shared);
        expect(words, &["b16"])?;
        words.end()?;
        if space == Space::Shared {
            Ok(Self { count, transposed, space })
        } else {
            Err(words.unsupported())
        }
    }
}

/// `x4`: the number of matrices.
fn matrices(word: &str) -> Option<usize> {
    match word {
        "x1" => Some(1),
        "x2" => Some(2),
        "x4" => Some(4),
        _ => None,
    }
}

/// Words that must follow in this order.
pub(super) fn expect(words: &mut Words<'_>, all: &[&str]) -> Result<(), ParseError> {
    if all.iter().all(|word| words.take(word)) { Ok(()) } else { Err(words.unsupported()) }
}

/// `xor.popc`, `and.popc`: the operation on single bits whose ones are counted.
pub(super) fn counted(words: &mut Words<'_>) -> Result<Boolean, ParseError> {
    let bits = words.take_as(|word| match word {
        "xor" => Some(Boolean::Xor),
        "and" => Some(Boolean::And),
        _ => None,
    });
    expect(words, &["popc"])?;
    bits.ok_or_else(|| words.unsupported())
}

impl Arithmetic {
    /// Whether sums of type `sum` of products of type `factor` have these modifiers.
    pub(super) fn fits(self, sum: Type, factor: Type) -> bool {
        (!self.satfinite || sum == Type::S32 && factor != Type::B1)
            && (self.rounding == Rounding::Nearest || sum == Type::F64)
    }
}

/// `row.col`: the layouts of the factors.
pub(super) fn layouts(words: &mut Words<'_>) -> Result<[MatrixLayout; 2], ParseError> {
    let mut next = || words.take_as(layout).ok_or_else(|| words.unsupported());
    Ok([next()?, next()?])
}

pub(super) fn layout(word: &str) -> Option<MatrixLayout> {
    match word {
        "row" => Some(MatrixLayout::Row),
        "col" => Some(MatrixLayout::Column),
        _ => None,
    }
}

/// Whether float16 products have sums d of the first type and addends c of the second.
pub(super) fn is_sum_of_halves(sum: Type, addend: Type) -> bool {
    [sum, addend].iter().all(|ty| matches!(ty, Type::F16 | Type::F32))
}

/// `m16n8k16`
pub(super) fn shape<T: FromStr>(word: &str) -> Option<[T; 3]> {
    let (m, rest) = word.strip_prefix('m')?.split_once('n')?;
    let (n, k) = rest.split_once('k')?;
    Some([m.parse().ok()?, n.parse().ok()?, k.parse().ok()?])
}

/// Registers per lane for a matrix of `elements` elements distributed over the warp.
pub(super) fn count(elements: u32, ty: Type) -> usize {
    // Each tf32 element takes a whole register.
    let bits = if ty == Type::Tf32 { 32 } else { ty.bits() };
    let register = bits.max(32);
    (elements * bits / register / 32) as usize
}

/// Whether `mma` multiplies these matrices here (PTX ISA, "Warp-level Matrix Instructions"): those of
/// compute capability 8.0 and newer, but for what no compiler of C emits: single bits, which it
/// multiplies by `wmma`, and 8-bit floats, which tensor cores of 9.0 multiply for `wgmma` only.
fn exists([m, n, k]: [u16; 3], factors: [Type; 2], sum: Type) -> bool {
    let shapes: &[(u16, u16)] = match (factors, sum) {
        ([Type::F16, Type::F16], Type::F16 | Type::F32) | ([Type::Bf16, Type::Bf16], Type::F32) => {
            &[(16, 8), (16, 16)]
        }
        ([Type::Tf32, Type::Tf32], Type::F32) => &[(16, 4), (16, 8)],
        ([Type::F64, Type::F64], Type::F64) => &[(8, 4), (16, 4), (16, 8), (16, 16)],
        ([Type::S8 | Type::U8, Type::S8 | Type::U8], Type::S32) => &[(8, 16), (16, 16), (16, 32)],
        ([Type::S4 | Type::U4, Type::S4 | Type::U4], Type::S32) => &[(8, 32), (16, 32), (16, 64)],
        _ => &[],
    };
    n == 8 && shapes.contains(&(m, k))
}
