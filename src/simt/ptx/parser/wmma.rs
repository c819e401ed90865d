//! Matrix fragments whose register layout is opaque: `wmma.load`, `wmma.mma`, `wmma.store`.

use super::access::space_of;
use super::tensor::{expect, shape};
use super::words::Words;
use super::{Instruction, Opcode, Parser};
use crate::ptx::ast::Operand;
use crate::ptx::error::ParseError;
use crate::ptx::op::{MatrixOp, Op};
use crate::ptx::operand::Address;
use crate::ptx::tensor::{Fragment, Layout, Matrix, Mma};
use crate::ptx::types::{Space, Type};

/// The opcodes parsed here.
pub(super) const OPCODES: &[Opcode] = &[("wmma", |p, words| p.wmma(words))];

impl Parser<'_> {
    /// `wmma.{load,mma,store}` for float16 and bfloat16.
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
        let told = Modifiers::read(words, &[("a", Matrix::A), ("b", Matrix::B), ("c", Matrix::C)])?;
        let regs = self.registers_of(registers(told.matrix, told.shape, told.ty))?;
        self.sign(',')?;
        let addr = self.address()?;
        Ok(Op::Matrix(MatrixOp::LdFragment(Box::new(told.fragment(regs, addr, self.stride()?)))))
    }

    /// `wmma.store.d.sync.aligned.layout.shape{.ss}.type [p], {r, ..}{, stride}`
    fn store_fragment(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        let told = Modifiers::read(words, &[("d", Matrix::C)])?;
        let addr = self.address()?;
        self.sign(',')?;
        let regs = self.registers_of(registers(told.matrix, told.shape, told.ty))?;
        Ok(Op::Matrix(MatrixOp::StFragment(Box::new(told.fragment(regs, addr, self.stride()?)))))
    }

    fn stride(&mut self) -> Result<Option<Operand>, ParseError> {
        if self.take(',') { self.operand().map(Some) } else { Ok(None) }
    }

    /// `wmma.mma.sync.aligned.alayout.blayout.shape.{d.c,d.a.b.c}` with the operands `{d, ..}, {a,
    /// ..}, {b, ..}, {c, ..}`
    fn multiply_fragments(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        expect(words, &["sync", "aligned"])?;
        let layouts = [words.take_as(layout), words.take_as(layout)];
        let shape = words.take_as(wmma_shape).filter(|_| layouts.iter().all(Option::is_some));
        let shape = shape.ok_or_else(|| words.unsupported())?;
        let (sum, factor) = (words.ty()?, words.ty()?);
        let factor = if factor == Type::Bf16 {
            expect(words, &["bf16", "f32"])?;
            factor
        } else {
            Type::F16
        };
        words.end()?;
        if !matches!((factor, sum), (_, Type::F32) | (Type::F16, Type::F16)) {
            return Err(words.unsupported());
        }
        let d = self.registers_of(registers(Matrix::C, shape, sum))?;
        let mut next = |matrix, ty| {
            self.sign(',')?;
            self.registers_of(registers(matrix, shape, ty))
        };
        let (a, b) = (next(Matrix::A, factor)?, next(Matrix::B, factor)?);
        let c = next(Matrix::C, sum)?;
        let whole = Mma { shape, factors: [factor; 2], sum, satfinite: false, d, a, b, c };
        Ok(Op::Matrix(MatrixOp::Mma(halves(&whole))))
    }
}

/// The modifiers of a load or a store.
struct Modifiers {
    matrix: Matrix,
    layout: Layout,
    shape: [u8; 3],
    space: Space,
    ty: Type,
}

impl Modifiers {
    fn read(words: &mut Words<'_>, matrices: &[(&str, Matrix)]) -> Result<Self, ParseError> {
        let named = |word: &str| matrices.iter().find(|(name, _)| *name == word);
        let matrix = words.take_as(|word| named(word).map(|(_, matrix)| *matrix));
        let matrix = matrix.ok_or_else(|| words.unsupported())?;
        expect(words, &["sync", "aligned"])?;
        // The manual puts the layout first; compilers write both orders.
        let first = words.take_as(layout);
        let shape = words.take_as(wmma_shape).ok_or_else(|| words.unsupported())?;
        let layout = first.or_else(|| words.take_as(layout)).ok_or_else(|| words.unsupported())?;
        let space = words.take_as(space_of).unwrap_or(Space::Generic);
        let ty = words.last_type()?;
        let elements = match matrix {
            Matrix::A | Matrix::B => [Type::F16, Type::Bf16],
            Matrix::C => [Type::F16, Type::F32],
        };
        let fits = matches!(space, Space::Generic | Space::Global | Space::Shared);
        if !fits || !elements.contains(&ty) {
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

fn layout(word: &str) -> Option<Layout> {
    match word {
        "row" => Some(Layout::Row),
        "col" => Some(Layout::Column),
        _ => None,
    }
}

/// The shapes for float16 and bfloat16.
fn wmma_shape(word: &str) -> Option<[u8; 3]> {
    shape::<u8>(word).filter(|shape| matches!(shape, [16, 16, 16] | [32, 8, 16] | [8, 32, 16]))
}

/// Number of registers in a fragment (PTX ISA, "Matrix Fragments for WMMA"): float16 factors always
/// have 8, some of which may be duplicates.
fn registers(matrix: Matrix, [m, n, k]: [u8; 3], ty: Type) -> usize {
    let packed = |rows: u8, columns: u8| usize::from(rows) * usize::from(columns) / 64;
    match (matrix, ty) {
        (Matrix::A, Type::Bf16) => packed(m, k),
        (Matrix::B, Type::Bf16) => packed(k, n),
        (Matrix::C, Type::F16) => packed(m, n),
        _ => 8,
    }
}

/// The two 16 x 8 x 16 products into which the hardware splits one of 16 x 16, 32 x 8 or (with the
/// factors exchanged) 8 x 32; ptxas 12.9 compiles them this way for compute capability 8.0 and 9.0.
/// Registers that are not used here are duplicates.
fn halves(whole: &Mma<Operand>) -> Vec<Mma<Operand>> {
    let half = |half: usize| {
        let factor = |all: &[Operand], from: usize, count: usize| all[from..from + count].to_vec();
        let (a, b) = match whole.shape {
            [16, ..] => (factor(&whole.a, 0, 4), factor(&whole.b, 2 * half, 2)),
            [32, ..] => (factor(&whole.a, 4 * half, 4), factor(&whole.b, 0, 2)),
            _ => (factor(&whole.b, 4 * half, 4), factor(&whole.a, 0, 2)),
        };
        let count = whole.c.len() / 2;
        let [d, c] = [&whole.d, &whole.c].map(|all| factor(all, half * count, count));
        Mma { shape: [16, 8, 16], d, a, b, c, ..whole.clone() }
    };
    vec![half(0), half(1)]
}
