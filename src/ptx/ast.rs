//! A parsed module: its functions with their parameters, registers, variables and statements.

use super::error::{ParseError, Span};
use super::line::Loc;
use super::op::Op;
use super::types::{Space, Type};

/// One PTX file.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// `.version`: major and minor number.
    pub version: (u32, u32),
    /// `.target`, for example `sm_52`.
    pub target: String,
    /// `.file` directives, in order.
    pub files: Vec<SourceFile>,
    /// Variables declared outside functions.
    pub variables: Vec<Variable>,
    /// Kernels.
    pub functions: Vec<Function>,
    /// Device functions that kernels call.
    pub device_functions: Vec<Function>,
}

/// A `.file` directive: the file that a number in `.loc` refers to (PTX ISA, "Debugging Directives:
/// .file").
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    pub number: u32,
    /// Its path, as the compiler wrote it.
    pub path: String,
    /// Its size in bytes, if the compiler recorded it.
    pub bytes: Option<u64>,
}

impl SourceFile {
    /// The file name without directories, with the separators of any operating system.
    pub fn name(&self) -> &str {
        self.path.rsplit(['/', '\\']).next().unwrap_or(&self.path)
    }
}

impl Module {
    /// The kernel named `name`.
    pub fn entry(&self, name: &str) -> Option<&Function> {
        self.functions.iter().find(|function| function.name == name)
    }

    /// The device function named `name`, if this module has its body.
    pub fn device_function(&self, name: &str) -> Option<&Function> {
        self.device_functions.iter().find(|function| function.name == name)
    }
}

/// A kernel entry point: a function that can be launched.
pub type Entry = Function;

/// A function and its body.
#[derive(Clone, Debug, Default)]
pub struct Function {
    /// Its name, mangled if the compiler mangled it.
    pub name: String,
    /// Parameters, in order.
    pub params: Vec<Param>,
    /// The block sizes with which it may be launched, if declared.
    pub threads: Option<Threads>,
    /// How its blocks are grouped, if declared.
    pub cluster: ClusterDirectives,
    /// Return parameters of a device function.
    pub returns: Vec<Param>,
    /// For each `{ }` of the body, its enclosing scope; scope 0 is the body itself.
    pub scopes: Vec<Scope>,
    /// `.reg` declarations.
    pub registers: Vec<Registers>,
    /// Variables declared inside the body.
    pub variables: Vec<Variable>,
    /// Labels and instructions, in order.
    pub body: Vec<Statement>,
    /// Unsupported statements of the body, in order.
    pub unsupported: Vec<ParseError>,
}

/// A kernel's declared block size (PTX ISA, "Performance-Tuning Directives").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threads {
    /// `.maxntid`, which the compiler emits for `__launch_bounds__`.
    AtMost(u64),
    /// `.reqntid`.
    Exactly(u64),
}

impl Threads {
    /// The most threads that it allows.
    pub const fn most(self) -> u64 {
        match self {
            Self::AtMost(threads) | Self::Exactly(threads) => threads,
        }
    }
}

/// A kernel's declared clusters (PTX ISA, "Cluster Dimension Directives").
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClusterDirectives {
    /// `.reqnctapercluster`: the blocks of a cluster along x, y and z.
    pub shape: Option<[u32; 3]>,
    /// `.explicitcluster`: the launch must give clusters, if the kernel does not.
    pub explicit: bool,
    /// `.maxclusterrank`: the most blocks of a cluster.
    pub most: Option<u32>,
    /// `.pragma "barrier of the grid"`, which matviz's own compiler writes: all blocks of the launch are one
    /// cluster, since they wait for one another.
    pub is_grid: bool,
}

/// The number of a `{ }` in its function. A name refers to its declaration in the innermost
/// enclosing scope.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Scope(pub u32);

impl Function {
    /// The number of the file that contains the function: 1 in the output of every compiler,
    /// otherwise the file of the first line.
    pub fn own_file(&self) -> u32 {
        let mut files = self.body.iter().filter_map(|statement| match statement {
            Statement::Instruction { loc, .. } => loc.filter(|loc| loc.line > 0),
            _ => None,
        });
        let first = files.next().map_or(1, |loc| loc.file);
        if files.any(|loc| loc.file == 1) { 1 } else { first }
    }

    /// `scope` and its enclosing scopes, innermost first.
    pub fn enclosing(&self, scope: Scope) -> impl Iterator<Item = Scope> {
        let outer = |inner: &Scope| {
            let around = self.scopes.get(inner.0 as usize).copied();
            around.filter(|around| around.0 < inner.0)
        };
        std::iter::successors(Some(scope), outer)
    }
}

/// A parameter or return parameter of a kernel or device function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    pub name: String,
    /// Its type; for a struct, `b8` as the element of an array.
    pub ty: Type,
    /// Offset in the parameter block, in bytes.
    pub offset: u32,
    /// Its alignment in bytes.
    pub align: u32,
    /// Its size in bytes.
    pub bytes: u32,
    /// Whether it is a register (`.reg`, device functions only) rather than a `.param` in memory.
    pub in_register: bool,
}

/// `.reg .f32 %f<79>;` (79 registers `%f0` to `%f78`) or `.reg .f32 x;` (one).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registers {
    /// The name, or its prefix if there is a count.
    pub name: String,
    pub ty: Type,
    /// The number of registers, or `None` for a single register with exactly that name.
    pub count: Option<u32>,
    /// The scope in which it is visible.
    pub scope: Scope,
    /// Whether they are declared as `.b128`: then the halves of each are registers, called like it with
    /// [`HALVES`] at the end.
    pub halved: bool,
}

/// The ends of the names of the lower and the upper half of a register of 128 bits.
pub const HALVES: [&str; 2] = [".lo", ".hi"];

impl Registers {
    /// Whether `name` is one of these registers.
    pub fn declares(&self, name: &str) -> bool {
        if !self.halved {
            return self.declares_whole(name);
        }
        HALVES.iter().filter_map(|end| name.strip_suffix(end)).any(|name| self.declares_whole(name))
    }

    fn declares_whole(&self, name: &str) -> bool {
        let Some(count) = self.count else { return self.name == name };
        let number = name
            .strip_prefix(self.name.as_str())
            .filter(|number| *number == "0" || (!number.starts_with('0') && !number.is_empty()));
        number.and_then(|number| number.parse::<u32>().ok()).is_some_and(|number| number < count)
    }
}

/// A `.shared`, `.global`, `.const`, `.local` or (in a body) `.param` variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name, mangled if the compiler mangled it.
    pub name: String,
    /// Its state space.
    pub space: Space,
    /// Its alignment in bytes.
    pub align: u32,
    /// Its size in bytes; 0 for an `.extern` array whose size the launch gives.
    pub bytes: u32,
    /// Whether it is `.extern`: defined in another module or sized by the launch.
    pub external: bool,
    /// Its initial value; the remaining bytes are zero.
    pub image: InitialImage,
    /// The scope in which it is visible, if it is declared in a body.
    pub scope: Scope,
    /// The location of its declaration.
    pub span: Span,
}

/// The initial value of a variable.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InitialImage {
    /// The bytes, little-endian.
    pub bytes: Vec<u8>,
    /// Addresses to be written over those bytes.
    pub pointers: Vec<StoredAddress>,
}

/// The address of a variable, stored in the initial value of another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredAddress {
    /// Its byte offset in the image.
    pub at: u32,
    /// Its size in bytes, 4 or 8.
    pub bytes: u32,
    /// The name of the variable whose address it is.
    pub name: String,
    /// Bytes to add to it.
    pub offset: i64,
    /// Whether it is a generic address rather than one in the variable's own space.
    pub generic: bool,
}

impl Variable {
    /// The name as written in CUDA: `_ZZ5tiledE2sA` is `sA`.
    ///
    /// In the Itanium C++ ABI, a name local to a function is `_ZZ<function>E<length><name>`; NVRTC
    /// appends `_$_0` if only the first element is used.
    pub fn source_name(&self) -> &str {
        let local = self.name.strip_prefix("_ZZ").and_then(|rest| {
            rest.match_indices('E').find_map(|(at, _)| {
                let tail = rest.get(at + 1..)?;
                let tail = tail.split_once("_$_").map_or(tail, |(name, _)| name);
                let digits =
                    tail.len() - tail.trim_start_matches(|c: char| c.is_ascii_digit()).len();
                let length: usize = tail[..digits].parse().ok()?;
                (tail.len() - digits == length).then(|| &tail[digits..])
            })
        });
        local.unwrap_or(&self.name)
    }
}

/// A label or an instruction.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    /// A branch target.
    Label(String, Scope, Span),
    /// `.pragma "nounroll"`: the loop that begins here must not be unrolled.
    NoUnroll(Span),
    /// `.pragma "index of row s[16]"`, which matviz's own compiler writes: the next instruction adds
    /// an index of this array to the array's address.
    Index(PartOfArray),
    Instruction {
        /// Its guard, if any.
        guard: Option<Guard>,
        op: Op<Operand, String>,
        /// The innermost `{ }` around it.
        scope: Scope,
        /// Its location in the PTX.
        span: Span,
        /// Its source location, from the last `.loc`.
        loc: Option<Loc>,
    },
}

/// An array that is a part of a larger one or of a structure: an index beyond it takes what lies
/// beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartOfArray {
    /// Whether it is a member of a structure; otherwise it is a row.
    pub is_member: bool,
    /// The name of the member, or of the array of which it is a row.
    pub name: String,
    pub elements: u32,
}

impl PartOfArray {
    /// Reads what a pragma says.
    pub(crate) fn read(pragma: &str) -> Option<Self> {
        let (kind, array) = pragma.strip_prefix("index of ")?.split_once(' ')?;
        let is_member = match kind {
            "member" => true,
            "row" => false,
            _ => return None,
        };
        let (name, elements) = array.strip_suffix(']')?.split_once('[')?;
        Some(Self { is_member, name: name.to_owned(), elements: elements.parse().ok()? })
    }
}

/// `@%p` or `@!%p`: only lanes whose predicate is true (or, negated, false) execute the
/// instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guard {
    /// The predicate register's name.
    pub register: String,
    /// Whether the lanes with a false predicate execute instead.
    pub negated: bool,
}

/// The name of the thread's carry flag; the space makes it impossible to write in PTX.
pub const CARRY_FLAG: &str = "the carry flag";

/// An operand as written in the text.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// A register, special register, variable or parameter.
    Name(String, Span),
    /// An integer; negative ones in two's complement.
    Integer(u64),
    /// `0f3F800000`: a float32 by its bits.
    Float32(u32),
    /// `0d3FF0000000000000`, or `1.0`: a float64 by its bits.
    Float64(u64),
}

impl Operand {
    /// The bits of a literal as an operand of type `ty`, or `None` if the instruction does not
    /// accept such a literal or the operand is a name.
    ///
    /// "Each floating-point constant is converted to the appropriate size based on the data or
    /// instruction type at its use" (PTX ISA, "Floating-Point Constants"). For untyped operands,
    /// ptxas 12.9 accepts only a literal of the operand's size; for a float64 operand it takes the
    /// bits of a float32 literal unconverted, contrary to the manual, so such a literal is rejected
    /// here.
    pub fn bits(&self, ty: Type) -> Option<u64> {
        match (self, ty) {
            (Self::Integer(value), Type::Pred) => Some(u64::from(*value != 0)),
            (Self::Integer(value), _) if !ty.is_float() => Some(*value),
            (Self::Float32(bits), Type::F32 | Type::B32) => Some(u64::from(*bits)),
            (Self::Float64(bits), Type::F64 | Type::B64) => Some(*bits),
            (Self::Float64(bits), Type::F32) => Some(u64::from(narrowed(*bits))),
            _ => None,
        }
    }
}

/// The bits of the float32 nearest to a float64, given by its bits.
pub(super) fn narrowed(bits: u64) -> u32 {
    (f64::from_bits(bits) as f32).to_bits()
}
