//! A parsed module: its functions with their parameters, registers, variables and statements.

use super::error::{ParseError, Span};
use super::line::Loc;
use super::op::Op;
use super::types::{Space, Type};

/// One PTX file.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// `.version`: major, minor.
    pub version: (u32, u32),
    /// `.target`, for example `sm_52`.
    pub target: String,
    /// `.file` directives, in order.
    pub files: Vec<SourceFile>,
    /// Variables declared outside functions.
    pub variables: Vec<Variable>,
    /// Kernels.
    pub functions: Vec<Function>,
    /// Functions that kernels call.
    pub device_functions: Vec<Function>,
}

/// A `.file` directive: what a number in `.loc` stands for (PTX ISA, "Debugging Directives: .file").
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// Its number.
    pub number: u32,
    /// Its path as the compiler wrote it.
    pub path: String,
    /// Its size in bytes, where the compiler wrote that.
    pub bytes: Option<u64>,
}

impl SourceFile {
    /// Its name without folders, of whichever system the compiler ran on.
    pub fn name(&self) -> &str {
        self.path.rsplit(['/', '\\']).next().unwrap_or(&self.path)
    }
}

impl Module {
    /// The kernel called `name`.
    pub fn entry(&self, name: &str) -> Option<&Function> {
        self.functions.iter().find(|function| function.name == name)
    }

    /// The device function called `name`, if it has a body here.
    pub fn device_function(&self, name: &str) -> Option<&Function> {
        self.device_functions.iter().find(|function| function.name == name)
    }
}

/// A kernel: what a launch names.
pub type Entry = Function;

/// A function with its body.
#[derive(Clone, Debug, Default)]
pub struct Function {
    /// Its name, mangled if the compiler did so.
    pub name: String,
    /// Parameters, in order.
    pub params: Vec<Param>,
    /// The threads of a block with which it may be launched, if it says so.
    pub threads: Option<Threads>,
    /// What a device function returns.
    pub returns: Vec<Param>,
    /// For each `{ }` of the body, the one around it; number 0 is the body itself.
    pub scopes: Vec<Scope>,
    /// `.reg` declarations.
    pub registers: Vec<Registers>,
    /// Variables declared inside the body.
    pub variables: Vec<Variable>,
    /// Labels and instructions, in order.
    pub body: Vec<Statement>,
    /// What else stands there and cannot be run, in order.
    pub unsupported: Vec<ParseError>,
}

/// What a kernel says of the threads of a block (PTX ISA, "Performance-Tuning Directives").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threads {
    /// `.maxntid`, as `__launch_bounds__` makes it.
    AtMost(u64),
    /// `.reqntid`.
    Exactly(u64),
}

/// The number of a `{ }` in its function: a name means what the innermost one around it declares.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Scope(pub u32);

impl Function {
    /// The number of the file that it stands in: 1 as every compiler writes it, or else that of its
    /// first line.
    pub fn own_file(&self) -> u32 {
        let mut files = self.body.iter().filter_map(|statement| match statement {
            Statement::Instruction { loc, .. } => loc.filter(|loc| loc.line > 0),
            _ => None,
        });
        let first = files.next().map_or(1, |loc| loc.file);
        if files.any(|loc| loc.file == 1) { 1 } else { first }
    }

    /// `scope` and those around it, from the innermost one on.
    pub fn enclosing(&self, scope: Scope) -> impl Iterator<Item = Scope> {
        let outer = |inner: &Scope| {
            let around = self.scopes.get(inner.0 as usize).copied();
            around.filter(|around| around.0 < inner.0)
        };
        std::iter::successors(Some(scope), outer)
    }
}

/// A parameter of a kernel or a function, or what a function returns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    /// Its name.
    pub name: String,
    /// Its type; an array of `b8` for a struct.
    pub ty: Type,
    /// Where it lies in the parameter block, in bytes.
    pub offset: u32,
    /// Its alignment in bytes.
    pub align: u32,
    /// Its size in bytes.
    pub bytes: u32,
    /// Whether it is a register (`.reg`, device functions only) and not a `.param` in memory.
    pub in_register: bool,
}

/// `.reg .f32 %f<79>;` (79 registers `%f0` to `%f78`) or `.reg .f32 x;` (one).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registers {
    /// The name, without the number if there is a count.
    pub name: String,
    /// The type of each.
    pub ty: Type,
    /// How many; none for a single register of just that name.
    pub count: Option<u32>,
    /// Where it is known.
    pub scope: Scope,
}

impl Registers {
    /// Whether `name` is one of them.
    pub fn declares(&self, name: &str) -> bool {
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
    /// Its name, mangled if the compiler did so.
    pub name: String,
    /// Where it lives.
    pub space: Space,
    /// Its alignment in bytes.
    pub align: u32,
    /// Its size in bytes; 0 for an `.extern` array whose size the launch gives.
    pub bytes: u32,
    /// Whether another module holds it (`.extern`), or the launch sizes it.
    pub external: bool,
    /// What it holds at the start; zeros behind the end.
    pub image: Image,
    /// Where it is known, if it is declared in a body.
    pub scope: Scope,
    /// Where it is declared.
    pub span: Span,
}

/// What a variable is initialised with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Image {
    /// The bytes, little-endian.
    pub bytes: Vec<u8>,
    /// Addresses to be written over them.
    pub pointers: Vec<Pointer>,
}

/// The address of a variable, in the image of another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pointer {
    /// At which byte of the image.
    pub at: u32,
    /// Bytes that it takes, 4 or 8.
    pub bytes: u32,
    /// Whose address.
    pub name: String,
    /// Bytes to add to it.
    pub offset: i64,
    /// Whether it is the generic address, not that of the variable's own space.
    pub generic: bool,
}

impl Variable {
    /// The name as written in CUDA: `_ZZ5tiledE2sA` is `sA`.
    ///
    /// A name local to a function is `_ZZ<function>E<length><name>` in the Itanium C++ ABI; NVRTC puts
    /// `_$_0` behind it, if its first element alone is used.
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
    /// A place to jump to.
    Label(String, Scope, Span),
    /// `.pragma "nounroll"`: the loop that begins here is left as it is.
    NoUnroll(Span),
    /// An instruction.
    Instruction {
        /// Its guard, if any.
        guard: Option<Guard>,
        /// What it does.
        op: Op<Operand, String>,
        /// The innermost `{ }` around it.
        scope: Scope,
        /// Where it stands in the PTX.
        span: Span,
        /// Where it comes from, by the last `.loc`.
        loc: Option<Loc>,
    },
}

/// `@%p` or `@!%p`: only lanes whose predicate is (not) set execute the instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guard {
    /// The predicate register's name.
    pub register: String,
    /// Whether the lanes without it execute.
    pub negated: bool,
}

/// The name of the thread's carry flag, which no text can spell.
pub const CARRY_FLAG: &str = "the carry flag";

/// An operand as written.
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
    /// The bits of a literal where an instruction takes a `ty`; none if it takes no such literal,
    /// or this is a name.
    ///
    /// "Each floating-point constant is converted to the appropriate size based on the data or
    /// instruction type at its use" (PTX ISA, "Floating-Point Constants"); ptxas 12.9 takes untyped
    /// bits from a literal of their own size only, and for a float64 it takes the bits of a float32
    /// as they are, against the manual: such a literal is refused.
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

/// The float32 nearest to a float64, each by its bits.
pub(super) fn narrowed(bits: u64) -> u32 {
    (f64::from_bits(bits) as f32).to_bits()
}
