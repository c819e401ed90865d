//! A lowered program: operands are register rows, and labels are instruction indices.

use super::access::Pc;
use super::block_group::{BlockGroup, GroupShape, RefusedShape, UnfitBlocks};
use super::special::Special;
use crate::launch::{Dim3, Launch};
use crate::matrix::ElementType;
use ptx::{MemoryOp, Op, Param, PartOfArray, SourceFile, Space, Span, Type};
use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::sync::{Arc, Mutex, OnceLock};

/// A kernel that is ready to run.
#[derive(Debug)]
pub struct Program {
    pub name: String,
    /// The instructions, in PTX order.
    pub insts: Vec<Inst>,
    /// The module's `.file` directives: the sources from which it was compiled.
    pub files: Vec<SourceFile>,
    /// The number of the file that contains the kernel.
    pub own_file: u32,
    /// The `__shared__` arrays, in the order in which they are placed: by ascending address, except
    /// that a dynamic array, which is last in memory, may come before the others.
    pub shared: Vec<SharedArray>,
    /// Shared memory that a block needs, in bytes.
    pub shared_bytes: u32,
    /// The blocks that run together.
    pub(super) together: GroupShape,
    /// The module's `.global` and `.const` variables, by ascending address: see
    /// [`Memory::declare`](super::Memory::declare).
    pub variables: Vec<GlobalVariable>,
    /// The local memory of each function, the kernel's first.
    pub frames: Vec<LocalFrame>,
    /// The arguments and results of each call.
    pub calls: HashMap<Pc, CallSite>,
    /// Size of the parameter block in bytes.
    pub param_bytes: u32,
    /// The parameters, in order: type, size and offset in the block.
    pub params: Vec<Param>,
    /// Whether the kernel takes the address of a parameter or reads one at an address.
    pub(super) params_in_memory: bool,
    /// Whether it updates 8 bytes of global memory atomically.
    pub(super) atomic_pairs: bool,
    /// The instructions as the machine executes them: with each register replaced by its row.
    pub(super) code: Vec<Inst>,
    /// The row of each register, by register number.
    pub(super) placed: Vec<Reg>,
    /// For each register, by number, the instructions at which it may hold a value.
    pub(super) spans: Spans,
    /// The registers that a thread may read before it has set them.
    pub unset: Vec<Reg>,
    /// See [`Program::decides`].
    pub(super) decides: OnceLock<ControlState>,
    /// The last answer of [`Program::decides_among`], and to which instructions: those of most blocks
    /// are the same.
    pub(super) decides_among: Mutex<Option<(Vec<bool>, Arc<ControlState>)>>,
    /// See [`Program::rounds`].
    pub(super) rounds: OnceLock<Arc<[bool]>>,
    /// Number of rows in each register file.
    pub(super) rows: RowCounts,
    /// The initial values of rows: every constant, parameter, special register and array address
    /// that the PTX names is such a row. All other rows start at 0.
    pub init: Vec<(Reg, RowInit)>,
    /// The registers that the PTX names, in order of appearance.
    pub registers: Vec<Register>,
    /// The starts of loops that the PTX forbids to unroll.
    pub rolled: Vec<Pc>,
    /// The additions of an index to the address of a part of an array, as far as the compiler says so.
    pub indices: Vec<(Pc, PartOfArray)>,
    /// The sums that ptxas contracts with a product, or may contract, in the order of the text.
    pub contracted: Vec<Contracted>,
    /// For each instruction: the reconvergence point of a branch there, if it has one.
    pub(super) reconverge_at: Vec<Option<Pc>>,
    /// For each instruction: whether it only leads to the thread's exit.
    pub(super) ends: Vec<bool>,
}

impl Program {
    /// Leaves these bytes in a variable of the module, in the place of its first ones.
    pub fn leave(&mut self, name: &str, offset: u64, bytes: &[u8]) {
        let Some(variable) = self.variables.iter_mut().find(|one| one.name == name) else { return };
        let mut words = variable.words.to_vec();
        for (at, byte) in (offset..).zip(bytes) {
            let Some(word) = words.get_mut((at / 4) as usize) else { break };
            let shift = 8 * (at % 4);
            *word = *word & !(0xff << shift) | u32::from(*byte) << shift;
        }
        variable.words = words.into();
    }

    /// The PTX name of a register.
    pub fn register(&self, reg: Reg) -> Option<&str> {
        let named = self.registers.iter().find(|register| register.reg == reg);
        named.map(|register| register.name.as_str())
    }

    /// The file that contains the source line of an instruction, if it is not the kernel's own.
    pub fn other_file(&self, pc: Pc) -> Option<&SourceFile> {
        let number = self.inst(pc).file;
        let other = number > 0 && number != self.own_file;
        self.files.iter().find(|file| other && file.number == number)
    }

    /// The blocks that run together with a block of a launch.
    pub fn blocks_of(&self, launch: Launch, block: Dim3) -> BlockGroup {
        BlockGroup::new(launch, self.together.shape, block, self.shared_bytes)
    }

    /// Has a launch run blocks of this shape together.
    ///
    /// # Errors
    /// The kernel declares another shape, or a maximum that is smaller.
    pub fn launched_in(&mut self, shape: Dim3) -> Result<(), RefusedShape> {
        self.together.launched_in(&self.name, shape)
    }

    /// Whether all blocks of a launch run together, as they wait for one another.
    pub const fn is_of_grid(&self) -> bool {
        self.together.is_grid
    }

    /// The contraction in which an instruction takes part, as its sum or, if that is executed so, as
    /// its product.
    pub fn contraction(&self, pc: Pc) -> Option<&Contracted> {
        self.contracted.iter().find(|one| one.sum == pc || one.fused && one.product == pc)
    }

    /// Checks whether a launch can be divided into blocks that run together.
    ///
    /// # Errors
    /// Why no GPU, or no machine, would run them.
    pub fn fits(&self, launch: Launch) -> Result<(), UnfitBlocks> {
        BlockGroup::fits(launch, self.together.shape)
    }

    /// The number of blocks that run together, mostly one.
    pub const fn blocks_together(&self) -> u64 {
        self.together.shape.volume()
    }

    /// The same along each axis.
    pub const fn cluster_shape(&self) -> Dim3 {
        self.together.shape
    }

    /// The instruction at `pc`.
    pub fn inst(&self, pc: Pc) -> &Inst {
        &self.insts[pc.0 as usize]
    }
}

/// The first to last instruction at which each register may hold a value, by register number, or
/// `None` if it never does.
pub(super) type Spans = Vec<Option<RangeInclusive<usize>>>;

/// The state on which a block's way depends, and not what it only sums up.
#[derive(Debug)]
pub(super) struct ControlState {
    /// The rows of the registers that decide, and the instructions at which they hold their values.
    pub(super) registers: Vec<(Reg, RangeInclusive<usize>)>,
    /// Whether values from memory that a kernel can write decide.
    pub(super) reads: bool,
    /// For each of those instructions: whether it may load such a value from global memory.
    pub(super) reads_global: Vec<bool>,
    /// Likewise, if what the kernel stores to memory decides nothing when it is loaded again.
    pub(super) reads_at_once: Vec<bool>,
    /// Whether the program reads the clock.
    pub(super) clock: bool,
}

/// A sum of floats and a product that ptxas makes one instruction of, or may: see
/// [`Contraction`](ptx::Contraction).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contracted {
    pub sum: Pc,
    pub product: Pc,
    /// Whether it is executed so here.
    pub fused: bool,
    /// Whether ptxas certainly does the same.
    pub certain: bool,
}

/// A lowered instruction.
#[derive(Debug)]
pub struct Inst {
    pub op: Op<Reg, Pc>,
    /// Only lanes whose predicate is true (or, negated, false) execute it.
    pub guard: Option<(Reg, bool)>,
    /// Its location in the PTX.
    pub span: Span,
    /// The line of the CUDA source that it comes from, or `None` before the first `.loc`.
    pub line: Option<u32>,
    /// The number of the `.file` directive for that line, or 0 if there is no line.
    pub file: u32,
}

impl Inst {
    /// The opcode in the text from which it was parsed, without the guard: `ld.shared.f32`.
    pub fn opcode<'p>(&self, ptx: &'p str) -> &'p str {
        let mut words = self.span.of(ptx).split_whitespace();
        let opcode = words.find(|word| !word.starts_with(['@', '!', '%']));
        opcode.unwrap_or_default().trim_end_matches(';')
    }

    /// The first destination register of a load.
    pub fn loads_into(&self) -> Option<Reg> {
        match &self.op {
            Op::Memory(MemoryOp::Ld { dst, .. }) => dst.first().copied(),
            _ => None,
        }
    }

    /// Whether it may access shared memory, or `None` if it accesses no memory that other warps
    /// see.
    pub fn touches(&self) -> Option<bool> {
        match self.op.space()? {
            Space::Shared | Space::Distributed | Space::Generic => Some(true),
            Space::Global => Some(false),
            _ => None,
        }
    }

    /// Whether it may change global memory by an atomic operation.
    pub fn updates_global(&self) -> bool {
        match &self.op {
            Op::Memory(MemoryOp::Atom { space, .. }) => {
                !matches!(space, Space::Shared | Space::Distributed)
            }
            Op::Async(op) => op.updates_global(),
            _ => false,
        }
    }

    /// Whether a warp may be suspended there.
    pub(super) fn may_wait(&self) -> bool {
        matches!(&self.op, Op::Async(op) if op.may_wait())
    }

    /// The first source register of a store.
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
    /// The offset of its first byte.
    pub offset: u32,
    /// Its size in bytes.
    pub bytes: u32,
    /// Its extents in the CUDA source, outermost first; empty if unknown. The PTX does not contain
    /// them.
    pub extents: Vec<u32>,
    /// The type of its elements, if it is known. The PTX declares bytes.
    pub of: Option<ElementType>,
}

impl SharedArray {
    /// The bytes of an element, if its extents are known.
    pub fn element_bytes(&self) -> Option<u32> {
        let all: u32 = self.extents.iter().product();
        self.bytes.checked_div(all).filter(|each| *each > 0 && each * all == self.bytes)
    }

    /// The number of elements in a row, if it is known to consist of rows of elements of up to 8
    /// bytes.
    pub fn columns(&self) -> Option<u32> {
        match self.extents[..] {
            [_, columns] if self.element_bytes()? <= 8 => Some(columns),
            _ => None,
        }
    }

    /// The element at a byte offset, as the source writes it: `sA[3][7]`. If the extents are
    /// unknown, the index counts elements of the array's type, or else of `width` bytes: `sA[55]`.
    pub fn element(&self, byte: u32, width: u32) -> String {
        let width = self.of.map_or(width, |of| of.bytes().into());
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
    /// Its initial value, in 4-byte words.
    pub words: Arc<[u32]>,
}

/// The local memory of a function: its variables and its parameters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LocalFrame {
    pub function: String,
    /// Its start in local memory. No function is recursive, so each has a fixed frame.
    pub base: u32,
    /// Its variables, by ascending offset.
    pub variables: Vec<LocalVariable>,
    /// Its total size in bytes.
    pub bytes: u32,
}

/// The arguments and results of a call.
#[derive(Debug, Default)]
pub struct CallSite {
    pub args: Vec<Transfer>,
    pub results: Vec<Transfer>,
}

/// One argument or result: `outside` is in the caller, `inside` in the function's local memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Transfer {
    /// Copied between two locations in local memory.
    Bytes { outside: u32, inside: u32, bytes: u32 },
    /// Copied from or to a register.
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

/// A variable of a thread in local memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalVariable {
    /// Its name in the CUDA source.
    pub name: String,
    /// The offset of its first byte.
    pub offset: u32,
    /// Its size in bytes.
    pub bytes: u32,
}

/// A register: one value per lane. In the machine it designates a row, which other registers may
/// use at other times; elsewhere it only identifies the register, for example to match a write with
/// a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Reg {
    pub(super) file: RegFile,
    pub(super) row: u16,
}

impl Reg {
    /// A number that is unique among the registers of the program, and nearly dense.
    pub fn number(self) -> usize {
        3 * usize::from(self.row) + self.file as usize
    }

    /// The register with this number.
    pub(super) const fn numbered(number: usize) -> Self {
        let file = match number % 3 {
            0 => RegFile::Pred,
            1 => RegFile::Word,
            _ => RegFile::Double,
        };
        Self { file, row: (number / 3) as u16 }
    }

    /// Its width in bits: 1, 32 or 64. Of a narrower value, only the low bits are significant.
    pub fn bits(self) -> u32 {
        match self.file {
            RegFile::Pred => 1,
            RegFile::Word => 32,
            RegFile::Double => 64,
        }
    }
}

/// A register as the PTX declares it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Register {
    /// The register that it is lowered to.
    pub reg: Reg,
    /// Its name, for example `%rd7`.
    pub name: String,
    pub ty: Type,
}

/// The register files, by the width of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum RegFile {
    /// One bit per lane.
    Pred,
    /// Up to 32 bits per lane. Of a narrower value, only the low bits are significant, and the
    /// reader must mask them.
    Word,
    /// 64 bits per lane.
    Double,
}

impl RegFile {
    /// The file that holds values of `ty`.
    pub(super) const fn of(ty: Type) -> Self {
        match ty.bits() {
            1 => Self::Pred,
            64 => Self::Double,
            _ => Self::Word,
        }
    }
}

/// The number of rows in each file.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RowCounts {
    pub(super) preds: u16,
    pub(super) words: u16,
    pub(super) doubles: u16,
}

impl RowCounts {
    /// The number of rows in the largest file.
    pub(super) fn most(self) -> u16 {
        self.preds.max(self.words).max(self.doubles)
    }
}

/// The initial value of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RowInit {
    /// The same value in every lane.
    Constant(u64),
    /// The address of a `__shared__` array: its offset in shared memory.
    Shared(u32),
    /// The address of a variable in local memory: its offset.
    Local(u32),
    /// A parameter of the launch, or part of one: its offset and the type as which it is read.
    Param(u32, Type),
    /// The address of a parameter of the launch, or of part of one: its offset in the parameter
    /// block.
    ParamAddress(u32),
    /// A special register.
    Special(Special),
}
