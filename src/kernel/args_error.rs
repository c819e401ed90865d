//! Why the arguments of a launch do not fit a kernel, as messages that say what to write instead.

use super::buffer::BufferError;
use super::tensor_map::TensorMapError;
use crate::matrix::ElementType;
use crate::sim::TENSOR_MAP_BYTES;
use ptx::{Param, Type};
use std::fmt;

/// Stand for a number of elements and for a number that nobody states.
pub(super) const COUNT: &str = "COUNT";
pub(super) const NUMBER: &str = "NUMBER";

/// The words with which a kernel can be tried: so many elements, and this number, where nobody states
/// another; `None` if all is stated.
pub fn filled_words(words: &str, count: u64, number: u64) -> Option<String> {
    let filled = words
        .replace(&format!("[{COUNT}]"), &format!("[{count}]"))
        .replace(&format!("={NUMBER}"), &format!("={number}"));
    (filled != words).then_some(filled)
}

/// Why a list of arguments does not fit the parameters; positions are counted from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArgsError {
    /// A buffer that cannot be read.
    #[error(transparent)]
    Buffer(#[from] BufferError),
    /// A word that is to be a tensor map and is not.
    #[error(transparent)]
    TensorMap(#[from] TensorMapError),
    /// A word that is not a value.
    #[error(
        "`{0}` is not an argument: give A, B, C (pointers; A:f64 with the type of the elements), M, \
         N, K, lda, ldb, ldc, an integer, a float (1.0f), a double (1.0), alpha=2.0f or beta=0.5f \
         (C is then to be alpha A B + beta C), any number by its name (n=4096), {{M,K,A}} (a \
         structure), tensormap:A:64x64:swizzle128:f16 (a CUtensorMap), numba (Numba's arrays of A, B \
         and C; numba:A for one of them), or a buffer of your own (in:f32[4096])"
    )]
    Word(String),
    /// What follows a matrix is not known.
    #[error(
        "`{0}` is not an argument: after a matrix stand its element type (A:f64; {known}), and \
         `col` if it lies column-major, that is transposed (A:col, A:f64:col); C=0 says that the \
         host has zeroed C",
        known = ElementType::ALL.map(ElementType::name).join(", ")
    )]
    Matrix(String),
    /// `alpha=` or `beta=` occurs twice.
    #[error("`{0}=` stands twice among the arguments: the other is a plain number")]
    TwoFactors(&'static str),
    /// Two words say different things of a matrix.
    #[error("the argument `{0}` contradicts a word before it")]
    Twice(String),
    /// A leading dimension with which a matrix cannot lie in memory.
    #[error(
        "`{name}={lead}` does not fit this size: a row of the matrix, or a column with \
         `col`, has {least} elements, and all of it may have at most 2^31 - 1"
    )]
    Lead {
        name: &'static str,
        /// The least that is possible.
        least: u32,
        lead: u32,
    },
    /// Arithmetic on integers with a factor that is none.
    #[error("alpha and beta are whole numbers below 65536 where C is of integers")]
    Factor,
    #[error(
        "C is of {c} and A and B are of {a} and {b}: how a sum of floats becomes an integer is not \
         known; if they are integers, say so with A:i32 or another type"
    )]
    Mixed { a: ElementType, b: ElementType, c: ElementType },
    /// What the kernel does with a matrix does not say what its elements are.
    #[error(
        "what the elements of {matrix} are does not follow from what the kernel does with them: say \
         so, for example --launch '({example})' ({known})",
        known = ElementType::ALL.map(ElementType::name).join(", ")
    )]
    Elements { matrix: &'static str, example: String },
    /// Braces that do not match.
    #[error(
        "`{0}`: a structure that is passed by value is written as its members in one pair \
         of braces, for example {{M,K,A}}"
    )]
    Braces(String),
    /// Members that are not where the kernel reads some.
    #[error(
        "the kernel reads {bytes} bytes at byte {at} of {parameter}, and the members in braces have \
         none of them there"
    )]
    Read {
        bytes: u32,
        /// The offset in the parameter.
        at: i64,
        parameter: Box<NumberedParameter>,
    },
    /// Members that do not make up their parameter.
    #[error(
        "argument {}, `{word}`, takes {bytes} bytes, and {parameter} has {}",
        parameter.place, parameter.param.bytes
    )]
    Structure {
        word: String,
        /// The bytes that the members take.
        bytes: u32,
        /// The parameter at its position.
        parameter: Box<NumberedParameter>,
    },
    /// More values than parameters, or fewer.
    #[error(
        "the launch gives {given} values and the kernel takes {}: {}{}",
        parameters.len(), takes(parameters), missing(*given, parameters)
    )]
    Count {
        /// The number of values given.
        given: usize,
        parameters: Vec<Param>,
    },
    /// A value that does not fit the type of its parameter.
    #[error(
        "argument {}, `{word}`, is {what}, and {parameter} takes {}",
        parameter.place, parameter.wanted()
    )]
    Type {
        word: String,
        what: &'static str,
        /// The parameter at its position.
        parameter: Box<NumberedParameter>,
    },
    /// Nobody states the arguments of a kernel whose result is not judged.
    #[error(
        "the arguments are missing: the kernel takes {}{}",
        takes(parameters), for_each_thread(example.as_deref())
    )]
    Missing {
        parameters: Vec<Param>,
        /// Buffers and numbers with which it can be tried.
        example: Option<String>,
    },
    /// The types, the names and the use of the parameters do not show what they are for.
    #[error(
        "the arguments are missing: the kernel takes {}, and {doubt}{}{}",
        takes(parameters),
        say(example.as_deref()),
        or_any(any.as_deref())
    )]
    Unclear {
        parameters: Vec<Param>,
        /// The part that is unclear.
        doubt: &'static str,
        /// A list that the types allow, if there is one.
        example: Option<String>,
        /// The options for buffers of its own, if the types allow that.
        any: Option<String>,
    },
}

impl ArgsError {
    /// The same with other words in what it proposes.
    pub(super) fn with_words(self, words: impl Fn(String) -> String) -> Self {
        match self {
            Self::Unclear { parameters, doubt, example, any } => {
                let (example, any) = (example.map(&words), any.map(&words));
                Self::Unclear { parameters, doubt, example, any }
            }
            other => other,
        }
    }

    /// The same for a kernel whose result is not judged: with an element for each thread as an example.
    pub(super) fn unjudged(self, threads: u64) -> Self {
        match self {
            Self::Unclear { parameters, any, .. } => {
                let filled =
                    |words: String| filled_words(&words, threads, threads).unwrap_or(words);
                let example = any.map(filled);
                Self::Missing { parameters, example }
            }
            other => other,
        }
    }

    /// Whether no list of A, B and C would do.
    pub(super) fn is_no_product(&self) -> bool {
        matches!(self, Self::Unclear { example: None, .. })
    }
}

/// A parameter as a message names it, with its position, counted from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NumberedParameter {
    pub(super) place: usize,
    pub(super) param: Param,
}

impl NumberedParameter {
    /// Describes the values that it takes.
    fn wanted(&self) -> String {
        let Param { ty, bytes, .. } = self.param;
        let bits = ty.bits();
        match ty {
            _ if bytes as usize == TENSOR_MAP_BYTES => {
                "a structure, which may be a tensor map (tensormap:A:64x64:swizzle128:f16)"
                    .to_owned()
            }
            _ if bytes != ty.bytes() => "a structure, its members in braces".to_owned(),
            Type::F32 => "a float such as 1.0f".to_owned(),
            Type::F64 => "a double such as 1.0".to_owned(),
            _ if bits == 64 => "a pointer or an integer of 64 bits".to_owned(),
            _ => format!("an integer of {bits} bits"),
        }
    }
}

impl fmt::Display for NumberedParameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "parameter {} (`{}`, {})", self.place, self.param.name, param_type(&self.param))
    }
}

/// Names the first parameter that has no value.
fn missing(given: usize, params: &[Param]) -> String {
    let parameter =
        params.get(given).map(|param| NumberedParameter { place: given + 1, param: param.clone() });
    parameter.map_or_else(String::new, |parameter| format!("; nothing is given to {parameter}"))
}

/// The end of a message that asks for a list.
fn say(example: Option<&str>) -> String {
    example.map_or_else(String::new, |words| format!(": say, for example, --launch '({words})'"))
}

/// Buffers and numbers to try a kernel with, or how such are written.
fn for_each_thread(example: Option<&str>) -> String {
    example.map_or_else(
        || "; say each, a structure by its members: --launch '(void)({p:f32[64],n=64})'".to_owned(),
        |words| {
            format!("; for example, with an element for each thread: --launch '(void)({words})'")
        },
    )
}

/// What to say of a kernel that computes no product.
fn or_any(any: Option<&str>) -> String {
    any.map_or_else(String::new, |words| {
        format!("; if it computes something else than A x B: --launch '(void)({words})'")
    })
}

/// `.f32`, or `.b8[24]` for a structure.
fn param_type(param: &Param) -> String {
    let Param { ty, bytes, .. } = param;
    if *bytes == ty.bytes() { format!(".{ty}") } else { format!(".{ty}[{}]", bytes / ty.bytes()) }
}

/// Lists types as `.u64, .u64, .f32`, with a count where a type repeats.
fn takes(params: &[Param]) -> String {
    let types: Vec<_> = params.iter().map(param_type).collect();
    let runs = types.chunk_by(|a, b| a == b).map(|run| match run {
        [one] => one.clone(),
        [first, ..] => format!("{} x {first}", run.len()),
        [] => String::new(),
    });
    let listed = runs.collect::<Vec<_>>().join(", ");
    if listed.is_empty() { "nothing".to_owned() } else { listed }
}
