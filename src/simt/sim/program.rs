//! A lowered program: instructions whose operands are rows of registers and whose labels are numbers.

use super::special::Special;
use super::step::Pc;
use crate::ptx::{MemoryOp, Op, Param, SourceFile, Space, Span, Type};
use std::collections::HashMap;
use std::sync::Arc;

/// A kernel ready to run.
#[derive(Debug)]
pub struct Program {
    /// The kernel's name.
    pub name: String,
    /// The instructions, in the order of the PTX.
    pub insts: Vec<Inst>,
    /// The module's `.file` directives: what it was compiled from.
    pub files: Vec<SourceFile>,
    /// The number of the file that the kernel stands in.
    pub own_file: u32,
    /// The `__shared__` arrays, in the order of their addresses.
    pub shared: Vec<SharedArray>,
    /// Bytes of shared memory that a block needs.
    pub shared_bytes: u32,
    /// The module's `.global` and `.const` variables, by ascending address: see
    /// [`Memory::declare`](super::Memory::declare).
    pub variables: Vec<GlobalVariable>,
    /// What each function keeps in local memory while it runs; the kernel's own is the first.
    pub frames: Vec<Frame>,
    /// What each call passes on.
    pub calls: HashMap<Pc, CallSite>,
    /// Bytes of the parameter block.
    pub param_bytes: u32,
    /// The parameters, in their order: type, size, and where each lies in the block.
    pub params: Vec<Param>,
    /// Whether the kernel takes the address of a parameter, or reads one at an address.
    pub(super) params_in_memory: bool,
    /// Whether it changes 8 bytes of global memory as one.
    pub(super) atomic_pairs: bool,
    /// The instructions as the machine executes them: every register where it lies.
    pub(super) code: Vec<Inst>,
    /// Where each register lies, by its number.
    pub(super) placed: Vec<Reg>,
    /// Rows of each file of registers.
    pub(super) rows: Rows,
    /// What rows hold before the first instruction; every constant, parameter, special register
    /// and array's address that the PTX names is such a row. The others hold 0.
    pub init: Vec<(Reg, Init)>,
    /// The registers that the PTX names, in the order in which it does.
    pub registers: Vec<Register>,
    /// Where loops begin that the PTX forbids to unroll.
    pub rolled: Vec<Pc>,
    /// For each instruction: where the lanes that a branch there parts meet again, if anywhere.
    pub(super) meet: Vec<Option<Pc>>,
    /// For each instruction: whether nothing but the thread's end follows.
    pub(super) ends: Vec<bool>,
}

impl Program {
    /// What the PTX calls a register.
    pub fn register(&self, reg: Reg) -> Option<&str> {
        let named = self.registers.iter().find(|register| register.reg == reg);
        named.map(|register| register.name.as_str())
    }

    /// The file that the line of an instruction is in, where that is not the kernel's own.
    pub fn other_file(&self, pc: Pc) -> Option<&SourceFile> {
        let number = self.inst(pc).file;
        let other = number > 0 && number != self.own_file;
        self.files.iter().find(|file| other && file.number == number)
    }

    /// The instruction at `pc`.
    pub fn inst(&self, pc: Pc) -> &Inst {
        &self.insts[pc.0 as usize]
    }
}

/// One instruction.
#[derive(Debug)]
pub struct Inst {
    /// What it does.
    pub op: Op<Reg, Pc>,
    /// Only lanes whose predicate is set (or, negated, not set) execute it.
    pub guard: Option<(Reg, bool)>,
    /// Where it stands in the PTX.
    pub span: Span,
    /// The line of the CUDA source that it comes from; none before the first `.loc`.
    pub line: Option<u32>,
    /// The number of the `.file` directive in whose file that line is; 0 where there is no line.
    pub file: u32,
}

impl Inst {
    /// The first word behind the guard, in the text that it was parsed from: `ld.shared.f32`.
    pub fn opcode<'p>(&self, ptx: &'p str) -> &'p str {
        let mut words = self.span.of(ptx).split_whitespace();
        let opcode = words.find(|word| !word.starts_with(['@', '!', '%']));
        opcode.unwrap_or_default().trim_end_matches(';')
    }

    /// The register into which a load brings its first element.
    pub fn loads_into(&self) -> Option<Reg> {
        match &self.op {
            Op::Memory(MemoryOp::Ld { dst, .. }) => dst.first().copied(),
            _ => None,
        }
    }

    /// Whether it touches memory that other warps see; if so, whether it may be shared memory.
    pub fn touches(&self) -> Option<bool> {
        match self.op.space()? {
            Space::Shared | Space::Generic => Some(true),
            Space::Global => Some(false),
            _ => None,
        }
    }

    /// The register whose value a store writes first.
    pub fn stores_from(&self) -> Option<Reg> {
        match &self.op {
            Op::Memory(MemoryOp::St { src, .. }) => src.first().copied(),
            _ => None,
        }
    }
}

/// A `__shared__` array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedArray {
    /// Its name in the CUDA source.
    pub name: String,
    /// Its first byte.
    pub offset: u32,
    /// Its size in bytes.
    pub bytes: u32,
    /// Its extents in the CUDA source, the outermost first; none where they are not known. The PTX
    /// does not tell them.
    pub extents: Vec<u32>,
}

impl SharedArray {
    /// The words in a row, if it is known to have rows of words.
    pub fn columns(&self) -> Option<u32> {
        match self.extents[..] {
            [rows, columns] if rows * columns * 4 == self.bytes => Some(columns),
            _ => None,
        }
    }

    /// The element at a byte of it, as the source writes it: `sA[3][7]`; where its extents are not
    /// known, counted in elements of `width` bytes: `sA[55]`.
    pub fn element(&self, byte: u32, width: u32) -> String {
        let all: u32 = self.extents.iter().product();
        if self.extents.is_empty() || all == 0 {
            let alone = self.bytes == width;
            return if alone {
                self.name.clone()
            } else {
                format!("{}[{}]", self.name, byte / width)
            };
        }
        let (mut index, mut left) = (byte / (self.bytes / all).max(1), all);
        self.extents.iter().fold(self.name.clone(), |name, extent| {
            left /= extent;
            let at = index / left;
            index %= left;
            format!("{name}[{at}]")
        })
    }
}

/// A variable of the module, in global or constant memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GlobalVariable {
    /// Its name in the CUDA source.
    pub name: String,
    /// The address of its first byte.
    pub base: u64,
    /// Its size in bytes.
    pub bytes: u64,
    /// What it holds at the start, in 4-byte words.
    pub words: Arc<[u32]>,
}

/// The local memory of a function while it runs: its variables and its parameters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// The function's name.
    pub function: String,
    /// Where it begins in local memory: no function calls itself, so each has its own place.
    pub base: u32,
    /// Its variables, by ascending place.
    pub variables: Vec<LocalVariable>,
    /// Bytes of all of them.
    pub bytes: u32,
}

/// What a call passes to the function and what comes back.
#[derive(Debug, Default)]
pub struct CallSite {
    /// The arguments.
    pub args: Vec<Transfer>,
    /// The results.
    pub results: Vec<Transfer>,
}

/// One argument or result: outside, in the caller, and inside, in the function's local memory.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(missing_docs, reason = "the fields are named in the text above them")]
pub enum Transfer {
    /// From local memory to local memory.
    Bytes { outside: u32, inside: u32, bytes: u32 },
    /// From a register, or to it.
    Row { outside: Reg, inside: u32, ty: Type },
}

impl Transfer {
    /// The caller's register.
    pub(super) const fn outside(&self) -> Option<Reg> {
        match self {
            Self::Bytes { .. } => None,
            Self::Row { outside, .. } => Some(*outside),
        }
    }
}

/// A variable of one thread, in local memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalVariable {
    /// Its name in the CUDA source.
    pub name: String,
    /// Its first byte.
    pub offset: u32,
    /// Its size in bytes.
    pub bytes: u32,
}

/// A register: one value per lane, in a row that others may have before and after. Outside the
/// machine it is a name, to be compared with another: what was written here and is read there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Reg {
    pub(super) file: File,
    pub(super) row: u16,
}

impl Reg {
    /// A number of its own among the registers of its program; they are numbered almost densely.
    pub fn number(self) -> usize {
        3 * usize::from(self.row) + self.file as usize
    }

    /// The register that has a number.
    pub(super) const fn numbered(number: usize) -> Self {
        let file = match number % 3 {
            0 => File::Pred,
            1 => File::Word,
            _ => File::Double,
        };
        Self { file, row: (number / 3) as u16 }
    }

    /// Its width in bits: 1, 32 or 64. Only the low bits of a narrower one mean anything.
    pub fn bits(self) -> u32 {
        match self.file {
            File::Pred => 1,
            File::Word => 32,
            File::Double => 64,
        }
    }
}

/// A register as the PTX declares it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Register {
    /// Its row.
    pub reg: Reg,
    /// Its name, for example `%rd7`.
    pub name: String,
    /// Its type.
    pub ty: Type,
}

/// The files of registers, by the width of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum File {
    /// One bit per lane.
    Pred,
    /// Up to 32 bits per lane; of a narrower register only the low bits mean anything, and whoever
    /// reads it cuts them out.
    Word,
    /// 64 bits per lane.
    Double,
}

impl File {
    /// The file that holds values of `ty`.
    pub(super) const fn of(ty: Type) -> Self {
        match ty.bits() {
            1 => Self::Pred,
            64 => Self::Double,
            _ => Self::Word,
        }
    }
}

/// How many rows each file has.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rows {
    pub(super) preds: u16,
    pub(super) words: u16,
    pub(super) doubles: u16,
}

impl Rows {
    /// How many the file with the most has.
    pub(super) fn most(self) -> u16 {
        self.preds.max(self.words).max(self.doubles)
    }
}

/// What a row holds before the first instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Init {
    /// The same number in every lane.
    Constant(u64),
    /// The address of a `__shared__` array: its offset in shared memory.
    Shared(u32),
    /// The address of a variable in local memory: its place in the function's frame.
    Local(u32),
    /// A parameter of the launch, or a part of one: where it lies, and as what it is read.
    Param(u32, Type),
    /// The address of a parameter of the launch, or of a part of one: where it lies in the block.
    ParamAddress(u32),
    /// A special register.
    Special(Special),
}
