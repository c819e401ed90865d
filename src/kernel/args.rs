//! Parses `--args`: one value for each parameter of a kernel, of the parameter's type.

mod expression;
mod own;

pub use own::BufferError;
pub(super) use own::Own;

use super::call::Arg;
use crate::matrix::{Gemm, Operand, Size};
use crate::ptx::{Param, Type};
use own::split;
use std::fmt;

/// Why a list of arguments does not fit the parameters; positions are counted from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArgsError {
    /// A word that is not a value.
    #[error(
        "`{0}` is not an argument: give A, B, C (pointers), M, N, K, an integer, a float (1.0f), a \
         double (1.0), any of these by its name (n=4096), alpha=2.0f or beta=0.5f (C is then to be \
         alpha A B + beta C), numba (Numba's arrays of A, B and C; numba:A for one of them), or a \
         buffer of your own (in:f32[4096])"
    )]
    Word(String),
    /// A buffer that cannot be read.
    #[error(transparent)]
    Buffer(#[from] BufferError),
    /// `alpha=` or `beta=` occurs twice.
    #[error("`{0}=` stands twice in --args: the other is a plain number")]
    Twice(&'static str),
    /// More values than parameters, or fewer.
    #[error(
        "--args gives {given} values and the kernel takes {}: {}{}",
        parameters.len(), takes(parameters), missing(*given, parameters)
    )]
    Count {
        /// The number of values given.
        given: usize,
        /// The parameters.
        parameters: Vec<Param>,
    },
    /// A value that does not fit the type of its parameter.
    #[error(
        "argument {}, `{word}`, is {what}, and {parameter} takes {}",
        parameter.place, parameter.wanted()
    )]
    Type {
        /// The word as written.
        word: String,
        /// Its kind.
        what: &'static str,
        /// The parameter at its position.
        parameter: Box<Parameter>,
    },
    /// The types, the names and the use of the parameters do not show what they are for.
    #[error(
        "--args is missing: the kernel takes {}, and {doubt}{}{}",
        takes(parameters),
        say(example.as_deref()),
        or_any(any.as_deref())
    )]
    Unclear {
        /// The parameters.
        parameters: Vec<Param>,
        /// The part that is unclear.
        doubt: &'static str,
        /// A list that the types allow, if there is one.
        example: Option<String>,
        /// A list with buffers of its own, if the types allow that.
        any: Option<String>,
    },
}

/// A parameter as a message names it, with its position, counted from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    place: usize,
    param: Param,
}

impl Parameter {
    /// Describes the values that it takes.
    fn wanted(&self) -> String {
        let Param { ty, bytes, .. } = self.param;
        let bits = ty.bits();
        match ty {
            _ if bytes != ty.bytes() => "a structure, which no word stands for".to_owned(),
            Type::F32 => "a float such as 1.0f".to_owned(),
            Type::F64 => "a double such as 1.0".to_owned(),
            _ if bits == 64 => "a pointer or an integer of 64 bits".to_owned(),
            _ => format!("an integer of {bits} bits"),
        }
    }
}

impl fmt::Display for Parameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "parameter {} (`{}`, {})", self.place, self.param.name, spelt(&self.param))
    }
}

/// The value of a word.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Value {
    Matrix(Operand),
    /// A buffer by its number.
    Buffer(usize),
    Integer(i128),
    Float(f32),
    Double(f64),
}

/// Returns the arguments that `words` give to parameters of these types; M, N and K are those of
/// `size`.
///
/// # Errors
/// A word that is not a value, a wrong number of values, or a value of a wrong type or too large.
pub(super) fn typed(words: &str, params: &[Param], size: Size) -> Result<Vec<Arg>, ArgsError> {
    let own = Own::of(words, size)?;
    let mut values = Vec::new();
    for word in split(words) {
        let other = || other(word, words, &own, size).map(|value| vec![value]);
        let meant = own.number(word).map(|number| vec![Value::Buffer(number)]);
        let meant = meant.or_else(|| meant_by(word, size)).or_else(other);
        let meant = meant.ok_or_else(|| ArgsError::Word(word.to_owned()))?;
        values.extend(meant.into_iter().map(|value| (word, value)));
    }
    if values.len() != params.len() {
        return Err(ArgsError::Count { given: values.len(), parameters: params.to_vec() });
    }
    let arg = |(place, ((word, value), param)): (usize, ((&str, Value), &Param))| {
        fitted(value, param).ok_or_else(|| ArgsError::Type {
            word: word.to_owned(),
            what: value.kind(param.ty),
            parameter: Box::new(Parameter { place, param: param.clone() }),
        })
    };
    (1..).zip(values.into_iter().zip(params)).map(arg).collect()
}

/// Returns the value of a word that declares a buffer, names a number, or is an expression.
fn other(word: &str, words: &str, own: &Own, size: Size) -> Option<Value> {
    if let Some(number) = word.split_once(':').and_then(|(name, _)| own.number(name.trim())) {
        return Some(Value::Buffer(number));
    }
    let (name, text) = own::named(word).unwrap_or(("", word));
    let names = |name: &str| own::number(name, words, size, expression::DEEPEST);
    let whole = || {
        let of_matrix = matches!(name, "alpha" | "beta");
        let value = expression::value(text, &names).filter(|_| !of_matrix);
        value.map(Value::Integer)
    };
    number(text).filter(|_| !name.is_empty()).or_else(whole)
}

/// Returns the operation on C given by the words `alpha=` and `beta=`, each of which may occur
/// once.
///
/// # Errors
/// One of them occurs twice.
pub(super) fn gemm(words: &str) -> Result<Gemm, ArgsError> {
    let factor = |name: &'static str, otherwise: f64| {
        let named = split(words).filter_map(own::named);
        let mut given = named.filter(|(given, _)| *given == name).filter_map(|(_, n)| number(n));
        match (given.next(), given.next()) {
            (_, Some(_)) => Err(ArgsError::Twice(name)),
            (factor, None) => Ok(factor.map_or(otherwise, Value::factor)),
        }
    };
    let Gemm { alpha, beta } = Gemm::default();
    Ok(Gemm { alpha: factor("alpha", alpha)?, beta: factor("beta", beta)? })
}

/// Returns the values of a word; only the `numba` words have several.
fn meant_by(word: &str, size: Size) -> Option<Vec<Value>> {
    let one = |value| Some(vec![value]);
    match word {
        "A" => one(Value::Matrix(Operand::A)),
        "B" => one(Value::Matrix(Operand::B)),
        "C" => one(Value::Matrix(Operand::C)),
        "M" => one(Value::Integer(size.m.into())),
        "N" => one(Value::Integer(size.n.into())),
        "K" => one(Value::Integer(size.k.into())),
        "numba" => Some(Operand::ALL.into_iter().flat_map(|of| numba(of, size)).collect()),
        "numba:A" => Some(numba(Operand::A, size).to_vec()),
        "numba:B" => Some(numba(Operand::B, size).to_vec()),
        "numba:C" => Some(numba(Operand::C, size).to_vec()),
        _ => {
            let named = word.strip_prefix("alpha=").or_else(|| word.strip_prefix("beta="));
            number(named.unwrap_or(word)).map(|value| vec![value])
        }
    }
}

/// Returns what Numba passes for a two-dimensional array: meminfo, parent, nitems, itemsize, data,
/// the shape, the strides in bytes (numba/core/datamodel, `ArrayModel`; seen in its PTX).
fn numba(of: Operand, size: Size) -> [Value; 9] {
    let (rows, columns) = size.shape(of);
    let integer = |value: u64| Value::Integer(value.into());
    let count = size.elements(of);
    let [none, item] = [0, 4].map(integer);
    let [rows, pitch, columns] = [rows.into(), u64::from(columns) * 4, columns.into()].map(integer);
    [none, none, integer(count), item, Value::Matrix(of), rows, columns, pitch, item]
}

/// Parses `-3`, `0x1F`, `1.0f`, `1e-3`.
fn number(word: &str) -> Option<Value> {
    let (sign, digits) = word.strip_prefix('-').map_or((1, word), |digits| (-1, digits));
    if let Some(hex) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        return i128::from_str_radix(hex, 16).ok().map(|value| Value::Integer(sign * value));
    }
    if let Ok(value) = word.parse() {
        return Some(Value::Integer(value));
    }
    if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    match word.strip_suffix(['f', 'F']) {
        Some(float) => float.parse().ok().map(Value::Float),
        None => word.parse().ok().map(Value::Double),
    }
}

impl Value {
    /// A number as a factor.
    fn factor(self) -> f64 {
        match self {
            Self::Matrix(_) | Self::Buffer(_) => f64::NAN,
            Self::Integer(value) => value as f64,
            Self::Float(value) => value.into(),
            Self::Double(value) => value,
        }
    }

    /// Describes a value that a parameter of type `ty` cannot hold.
    fn kind(self, ty: Type) -> &'static str {
        match self {
            Self::Matrix(_) | Self::Buffer(_) => "a pointer",
            Self::Integer(_) if ty.is_float() => "an integer",
            Self::Integer(_) => "too large",
            Self::Float(_) => "a float",
            Self::Double(_) => "a double",
        }
    }
}

/// Returns the value as its parameter holds it, or `None` if it cannot. Compilers write `.u32` for
/// an `int`, so an integer fits if it is in the signed or the unsigned range.
fn fitted(value: Value, param: &Param) -> Option<Arg> {
    let (ty, bytes) = (param.ty, param.ty.bytes() as u8);
    let whole = param.bytes == ty.bytes();
    let arg = |bits: u64| Arg::Value { bits, bytes };
    let is_pointer = bytes == 8 && !ty.is_float();
    match value {
        _ if !whole => None,
        Value::Matrix(operand) => is_pointer.then(|| Arg::matrix(operand)),
        Value::Buffer(number) => is_pointer.then_some(Arg::Buffer(number)),
        Value::Integer(value) => {
            let (low, high) = (-(1_i128 << (ty.bits() - 1)), 1_i128 << ty.bits());
            let fits = !ty.is_float() && (low..high).contains(&value);
            fits.then(|| arg(value as u64 & (u64::MAX >> (64 - ty.bits()))))
        }
        Value::Float(value) => {
            matches!(ty, Type::F32 | Type::B32).then(|| arg(value.to_bits().into()))
        }
        Value::Double(value) => matches!(ty, Type::F64 | Type::B64).then(|| arg(value.to_bits())),
    }
}

/// Names the first parameter that has no value.
fn missing(given: usize, params: &[Param]) -> String {
    let parameter =
        params.get(given).map(|param| Parameter { place: given + 1, param: param.clone() });
    parameter.map_or_else(String::new, |parameter| format!("; nothing is given to {parameter}"))
}

/// The end of a message that asks for a list.
fn say(example: Option<&str>) -> String {
    example.map_or_else(String::new, |words| format!(": say, for example, --args {words}"))
}

/// What to say of a kernel that computes no product.
fn or_any(any: Option<&str>) -> String {
    any.map_or_else(String::new, |words| {
        format!("; if it computes something else than A x B: --result any --args '{words}'")
    })
}

/// `.f32`, or `.b8[24]` for a structure.
fn spelt(param: &Param) -> String {
    let Param { ty, bytes, .. } = param;
    if *bytes == ty.bytes() { format!(".{ty}") } else { format!(".{ty}[{}]", bytes / ty.bytes()) }
}

/// Lists types as `.u64, .u64, .f32`, with a count where a type repeats.
fn takes(params: &[Param]) -> String {
    let types: Vec<_> = params.iter().map(spelt).collect();
    let runs = types.chunk_by(|a, b| a == b).map(|run| match run {
        [one] => one.clone(),
        [first, ..] => format!("{} x {first}", run.len()),
        [] => String::new(),
    });
    let listed = runs.collect::<Vec<_>>().join(", ");
    if listed.is_empty() { "nothing".to_owned() } else { listed }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn params(types: &str) -> Vec<Param> {
        let mut end = 0;
        let param = |(place, word): (usize, &str)| {
            let (word, count) = word.split_once('*').unwrap_or((word, "1"));
            let ty = Type::from_word(word).unwrap();
            let bytes = ty.bytes() * count.parse::<u32>().unwrap();
            let offset = u32::next_multiple_of(end, ty.bytes());
            end = offset + bytes;
            let (name, align) = (format!("k_param_{place}"), ty.bytes());
            Param { name, ty, offset, align, bytes, in_register: false }
        };
        types.split_whitespace().enumerate().map(param).collect()
    }

    const SIZE: Size = Size { m: 7, n: 5, k: 3 };

    fn error(words: &str, types: &str) -> String {
        typed(words, &params(types), SIZE).unwrap_err().to_string()
    }

    #[test]
    fn each_word_becomes_what_its_parameter_holds() {
        let types = "u64 b64 u64 u32 s64 u16 f32 f64 s32 u32 b32 u8";
        let words = "C, A,B,M,N,K,1.5f,-2.5e1,-1,0xFFFFFFFF,1f,-0x80";
        let value = |bits, bytes| Arg::Value { bits, bytes };
        let expected = [
            Arg::Buffer(2),
            Arg::Buffer(0),
            Arg::Buffer(1),
            value(7, 4),
            value(5, 8),
            value(3, 2),
            value(1.5_f32.to_bits().into(), 4),
            value((-25.0_f64).to_bits(), 8),
            value(0xffff_ffff, 4),
            value(0xffff_ffff, 4),
            value(1.0_f32.to_bits().into(), 4),
            value(0x80, 1),
        ];
        assert_eq!(typed(words, &params(types), SIZE), Ok(expected.to_vec()));
    }

    #[test]
    fn numba_passes_nine_values_for_each_array() {
        let all = typed("numba", &params(&"u64 ".repeat(27)), SIZE).unwrap();
        let value = |bits| Arg::Value { bits, bytes: 8 };
        let b = [0, 0, 15, 4].map(value).into_iter().chain([Arg::Buffer(1)]);
        let b: Vec<_> = b.chain([3, 5, 20, 4].map(value)).collect();
        assert_eq!(all[9..18], b);
        let alone = typed("numba:B,numba:C,1.0f", &params(&("u64 ".repeat(18) + "f32")), SIZE);
        assert_eq!(alone.unwrap()[..18], all[9..]);
    }

    #[test]
    fn what_does_not_fit_is_said_with_the_parameter_and_its_type() {
        insta::assert_snapshot!(error("A,B", "u64 u64 f32"), @"--args gives 2 values and the kernel takes 3: 2 x .u64, .f32; nothing is given to parameter 3 (`k_param_2`, .f32)");
        insta::assert_snapshot!(error("A,B,C", "u64 u64"), @"--args gives 3 values and the kernel takes 2: 2 x .u64");
        insta::assert_snapshot!(error("A,B,1.0", "u64 u64 f32"), @"argument 3, `1.0`, is a double, and parameter 3 (`k_param_2`, .f32) takes a float such as 1.0f");
        insta::assert_snapshot!(error("A,1.0f,B", "u64 u64 f32"), @"argument 2, `1.0f`, is a float, and parameter 2 (`k_param_1`, .u64) takes a pointer or an integer of 64 bits");
        insta::assert_snapshot!(error("A,C", "u64 u32"), @"argument 2, `C`, is a pointer, and parameter 2 (`k_param_1`, .u32) takes an integer of 32 bits");
        insta::assert_snapshot!(error("4294967296", "u32"), @"argument 1, `4294967296`, is too large, and parameter 1 (`k_param_0`, .u32) takes an integer of 32 bits");
        insta::assert_snapshot!(error("1", "f64"), @"argument 1, `1`, is an integer, and parameter 1 (`k_param_0`, .f64) takes a double such as 1.0");
        insta::assert_snapshot!(error("1", "b8*24"), @"argument 1, `1`, is too large, and parameter 1 (`k_param_0`, .b8[24]) takes a structure, which no word stands for");
        insta::assert_snapshot!(error("A,D", "u64 u64"), @"`D` is not an argument: give A, B, C (pointers), M, N, K, an integer, a float (1.0f), a double (1.0), any of these by its name (n=4096), alpha=2.0f or beta=0.5f (C is then to be alpha A B + beta C), numba (Numba's arrays of A, B and C; numba:A for one of them), or a buffer of your own (in:f32[4096])");
        insta::assert_snapshot!(error("", "u64 u64 u32"), @"--args gives 0 values and the kernel takes 3: 2 x .u64, .u32; nothing is given to parameter 1 (`k_param_0`, .u64)");
        insta::assert_snapshot!(error("A,alpha=2.0", "u64 f32"), @"argument 2, `alpha=2.0`, is a double, and parameter 2 (`k_param_1`, .f32) takes a float such as 1.0f");
        for word in [
            "alpha=", "beta=A", "alpha=x", "gamma=", "2*x", "nan", "inf", "1.0.0", "0x", "--1",
            "f", ".f", "1x", "a", "a:f32", "numba:D",
        ] {
            assert!(typed(word, &params("f32"), SIZE).is_err(), "{word}");
        }
    }

    #[test]
    fn alpha_and_beta_are_named_once() {
        let named = |words| gemm(words).map(|Gemm { alpha, beta }| (alpha, beta));
        assert_eq!(named("M,N,K,alpha=2.0f,A,B,beta=-0.5,C"), Ok((2.0, -0.5)));
        assert_eq!(named("A,B,C,3.0f"), Ok((1.0, 0.0)));
        assert_eq!(named("alpha=3"), Ok((3.0, 0.0)));
        assert_eq!(named("beta=1.0f,beta=1.0f"), Err(ArgsError::Twice("beta")));
    }
}
