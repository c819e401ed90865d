//! Matrix fragments whose register layout is opaque: `wmma.load`, `wmma.mma`, `wmma.store`.

use super::access::space_of;
use super::tensor::{count, counted, expect, is_sum_of_halves, layout, layouts, shape};
use super::words::{Words, rounding};
use super::{Instruction, Opcode, Parser};
use crate::ast::Operand;
use crate::error::ParseError;
use crate::op::{MatrixOp, Op};
use crate::operand::Address;
use crate::tensor::{Arithmetic, Fragment, Matrix, MatrixLayout, Mma};
use crate::types::{Space, Type};

pub(super) const OPCODES: &[Opcode] = &[("wmma", |p, words| p.wmma(words))];

impl Parser<'_> {
    /// `wmma.{load,mma,store}`
    pub(super) fn wmma(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        match words.next() {
            Some("load") => self.load_fragment(words),
            Some("store") => self.store_fragment(words),
            Some("mma") => self.multiply_fragments(words),
            _ => Err(words.unsupported()),
        }
    }

    /// `wmma.load.{a,b,c}.sync.aligned.layout.shape{.ss}.type {r, ..}, [p]{, stride}`
    fn load_fragment(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        let told =
            WmmaModifiers::read(words, &[("a", Matrix::A), ("b", Matrix::B), ("c", Matrix::C)])?;
        let regs = self.registers_of(registers(told.matrix, told.shape, told.ty))?;
        self.sign(',')?;
        let addr = self.address()?;
        Ok(Op::Matrix(MatrixOp::LdFragment(Box::new(told.fragment(regs, addr, self.stride()?)))))
    }

    /// `wmma.store.d.sync.aligned.layout.shape{.ss}.type [p], {r, ..}{, stride}`
    fn store_fragment(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        let told = WmmaModifiers::read(words, &[("d", Matrix::C)])?;
        let addr = self.address()?;
        self.sign(',')?;
        let regs = self.registers_of(registers(told.matrix, told.shape, told.ty))?;
        Ok(Op::Matrix(MatrixOp::StFragment(Box::new(told.fragment(regs, addr, self.stride()?)))))
    }

    fn stride(&mut self) -> Result<Option<Operand>, ParseError> {
        if self.take(',') { self.operand().map(Some) } else { Ok(None) }
    }

    /// `wmma.mma{.bits.popc}.sync.aligned.alayout.blayout.shape{.rounding}.types{.satfinite}` with the
    /// operands `{d, ..}, {a, ..}, {b, ..}, {c, ..}`; the types are those of d and c for float16, and
    /// otherwise of d, a, b and c.
    fn multiply_fragments(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        let bits = if words.take("sync") { None } else { Some(counted(words)?) };
        let sync: &[&str] = if bits.is_some() { &["sync", "aligned"] } else { &["aligned"] };
        expect(words, sync)?;
        let layouts = layouts(words)?;
        let shape = words.take_as(shape).ok_or_else(|| words.unsupported())?;
        let rounding = words.take_as(rounding);
        let (sum, second) = (words.element()?, words.element()?);
        let of_halves = is_sum_of_halves(sum, second) && !words.begin_with(Type::of_element);
        let (factor, addend) = if of_halves { (Type::F16, second) } else { (second, sum) };
        if !of_halves && (words.element()? != factor || words.element()? != sum) {
            return Err(words.unsupported());
        }
        let satfinite = words.take("satfinite");
        words.end()?;
        let arithmetic = Arithmetic {
            satfinite,
            rounding: rounding.unwrap_or_default(),
            bits,
            at_once: if factor == Type::Tf32 { 4 } else { shape[2] },
        };
        let by_lines = layouts == [MatrixLayout::Row, MatrixLayout::Column];
        let fits = arithmetic.fits(sum, factor)
            && bits.is_some() == (factor == Type::B1)
            && (factor.bits() >= 8 || by_lines);
        if !fits || !multiplies(shape, factor, sum) {
            return Err(words.unsupported());
        }
        let d = self.registers_of(registers(Matrix::C, shape, sum))?;
        let mut next = |matrix, ty| {
            self.sign(',')?;
            self.registers_of(registers(matrix, shape, ty))
        };
        let (a, b) = (next(Matrix::A, factor)?, next(Matrix::B, factor)?);
        let c = next(Matrix::C, addend)?;
        // The layouts are those of the loads; the products take what these have put in the registers.
        let factors = [factor; 2];
        let whole = Mma { shape, factors, sum, addend, arithmetic, d, a, b, c };
        Ok(Op::Matrix(MatrixOp::Mma(parts(whole))))
    }
}

/// The modifiers of a load or a store.
struct WmmaModifiers {
    matrix: Matrix,
    layout: MatrixLayout,
    shape: [u16; 3],
    space: Space,
    ty: Type,
}

impl WmmaModifiers {
    fn read(words: &mut Words<'_>, matrices: &[(&str, Matrix)]) -> Result<Self, ParseError> {
        let named = |word: &str| matrices.iter().find(|(name, _)| *name == word);
        let matrix = words.take_as(|word| named(word).map(|(_, matrix)| *matrix));
        let matrix = matrix.ok_or_else(|| words.unsupported())?;
        expect(words, &["sync", "aligned"])?;
        // The manual puts the layout first; compilers write both orders.
        let first = words.take_as(layout);
        let shape = words.take_as(shape).ok_or_else(|| words.unsupported())?;
        let layout = first.or_else(|| words.take_as(layout)).ok_or_else(|| words.unsupported())?;
        let space = words.take_as(space_of).unwrap_or(Space::Generic);
        let ty = words.element()?;
        words.end()?;
        let fits = matches!(space, Space::Generic | Space::Global | Space::Shared);
        if !fits || !holds(matrix, layout, shape, ty) {
            return Err(words.unsupported());
        }
        Ok(Self { matrix, layout, shape, space, ty })
    }

    fn fragment(
        self,
        regs: Vec<Operand>,
        addr: Address<Operand>,
        stride: Option<Operand>,
    ) -> Fragment<Operand> {
        let Self { matrix, layout, shape, space, ty } = self;
        Fragment { matrix, shape, layout, space, ty, regs, addr, stride }
    }
}

/// The types of the products of a shape: of the factors and of the sum (PTX ISA, "WMMA: Matrix Data
/// Types and Shapes").
fn products(shape: [u16; 3]) -> &'static [(Type, Type)] {
    match shape {
        [16, 16, 16] | [32, 8, 16] | [8, 32, 16] => &[
            (Type::F16, Type::F16),
            (Type::F16, Type::F32),
            (Type::Bf16, Type::F32),
            (Type::S8, Type::S32),
            (Type::U8, Type::S32),
        ],
        [16, 16, 8] => &[(Type::Tf32, Type::F32)],
        [8, 8, 4] => &[(Type::F64, Type::F64)],
        [8, 8, 32] => &[(Type::S4, Type::S32), (Type::U4, Type::S32)],
        [8, 8, 128] => &[(Type::B1, Type::S32)],
        _ => &[],
    }
}

fn multiplies(shape: [u16; 3], factor: Type, sum: Type) -> bool {
    products(shape).contains(&(factor, sum))
}

/// Whether there are such fragments: a is row-major and b column-major where a byte holds several
/// elements.
fn holds(matrix: Matrix, layout: MatrixLayout, shape: [u16; 3], ty: Type) -> bool {
    let along_k = match matrix {
        Matrix::A => layout == MatrixLayout::Row,
        Matrix::B => layout == MatrixLayout::Column,
        Matrix::C => return products(shape).iter().any(|(_, sum)| *sum == ty),
    };
    products(shape).iter().any(|(factor, _)| *factor == ty) && (ty.bits() >= 8 || along_k)
}

/// Number of registers in a fragment (PTX ISA, "Matrix Fragments for WMMA"): float16 factors always
/// have 8, some of which may be duplicates.
fn registers(matrix: Matrix, [m, n, k]: [u16; 3], ty: Type) -> usize {
    let elements = match matrix {
        Matrix::A => m * k,
        Matrix::B => k * n,
        Matrix::C => m * n,
    };
    match (matrix, ty) {
        (Matrix::A | Matrix::B, Type::F16) => 8,
        _ => count(elements.into(), ty),
    }
}

/// The products that the hardware knows (ptxas 12.9, compute capability 8.0 and 9.0): of 16 x 16,
/// 32 x 8 and (with the factors exchanged) 8 x 32 elements it makes two of 16 x 8. Registers that are
/// not used here are duplicates.
fn parts(whole: Mma<Operand>) -> Vec<Mma<Operand>> {
    let [m, n, k] = whole.shape;
    if (m, n) == (8, 8) {
        return vec![whole];
    }
    // The registers of 16 rows of a factor, and of 8.
    let (tall, flat) =
        (count(16 * u32::from(k), whole.factors[0]), count(8 * u32::from(k), whole.factors[0]));
    let half = |half: usize| {
        let factor = |all: &[Operand], from: usize, count: usize| all[from..from + count].to_vec();
        let (a, b) = match m {
            16 => (factor(&whole.a, 0, tall), factor(&whole.b, flat * half, flat)),
            32 => (factor(&whole.a, tall * half, tall), factor(&whole.b, 0, flat)),
            _ => (factor(&whole.b, tall * half, tall), factor(&whole.a, 0, flat)),
        };
        let part = |all: &[Operand]| factor(all, half * (all.len() / 2), all.len() / 2);
        let (d, c) = (part(&whole.d), part(&whole.c));
        Mma { shape: [16, 8, k], d, a, b, c, ..whole.clone() }
    };
    vec![half(0), half(1)]
}
