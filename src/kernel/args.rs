//! Parses the arguments of a launch: one value for each parameter of a kernel, of the parameter's type.

mod own_buffers;

pub(super) use own_buffers::DeclaredBuffers;

use super::args_error::{ArgsError, NumberedParameter};
use super::assumption::Assumption;
use super::call::Arg;
use super::pointer::{self, MatrixPointer, StatedLayouts, pointer};
use super::tensor_map::{self, TensorMapArg};
use crate::matrix::{ElementType, Gemm, Layout, Major, Operand, Size};
use crate::sim::TENSOR_MAP_BYTES;
use cudac::expression::fold;
use own_buffers::flat;
use ptx::{Param, Type};

#[derive(Clone, Copy, Debug, PartialEq)]
enum ArgValue {
    Matrix(Operand),
    /// A buffer by its number.
    Buffer(usize),
    Integer(i128),
    Float(f32),
    Double(f64),
    TensorMap(TensorMapArg),
    /// The address of a map, which is in the buffer of this number.
    TensorMapAddress(TensorMapArg, usize),
}

/// What a list of words gives.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ParsedArgs {
    /// The arguments, one for each parameter.
    pub(super) args: Vec<Arg>,
    /// What the words say of the types of A, B and C.
    pub(super) stated: [Option<ElementType>; 3],
    /// How A, B and C lie in memory.
    pub(super) layouts: [Layout; 3],
    /// Whether the host has zeroed C.
    pub(super) zeroed: bool,
}

impl ParsedArgs {
    /// What was found out of the elements, where it is not the usual.
    pub(super) fn summary(&self) -> Option<Assumption> {
        let of = |operand: Operand| {
            let of = self.layouts[operand as usize].of;
            let is_said = self.stated[operand as usize].is_some();
            (!is_said).then(|| format!("{}:{of}", operand.name()))
        };
        let found: Vec<_> = Operand::ALL.into_iter().filter_map(of).collect();
        let usual = self.layouts.iter().all(|layout| layout.of == ElementType::F32);
        let told = || Assumption::new(found.join(", "), "by what it does with the elements");
        (!usual && !found.is_empty()).then(told)
    }
}

/// Returns what `words` give to parameters of these types; M, N and K are those of `size`, and the
/// elements have these types where the words do not say it.
///
/// # Errors
/// A word that is not a value, a wrong number of values, or a value of a wrong type or too large.
pub(super) fn typed(
    words: &str,
    params: &[Param],
    size: Size,
    types: [ElementType; 3],
) -> Result<ParsedArgs, ArgsError> {
    let own = DeclaredBuffers::of(words, size)?;
    let stated = stated(words)?;
    let layouts = stated.layouts(size, types)?;
    let mut next = own.first() + own.buffers.len();
    let list = ArgList { words, own, size, layouts };
    let mut values = Vec::new();
    for word in items(words)? {
        if word.starts_with('{') {
            values.push((word, None));
            continue;
        }
        if let Some(found) = tensor_map::parse(word) {
            let found = found?;
            let map = found.map(size, &layouts)?;
            let by_address = || ArgValue::TensorMapAddress(map, next);
            let value = if found.by_address { by_address() } else { ArgValue::TensorMap(map) };
            next += usize::from(found.by_address);
            values.push((word, Some(value)));
            continue;
        }
        let meant = list.meant(word).ok_or_else(|| ArgsError::Word(word.to_owned()))?;
        values.extend(meant.into_iter().map(|value| (word, Some(value))));
    }
    if values.len() != params.len() {
        return Err(ArgsError::Count { given: values.len(), parameters: params.to_vec() });
    }
    let arg = |(place, ((word, value), param)): (usize, ((&str, Option<ArgValue>), &Param))| {
        let parameter = || Box::new(NumberedParameter { place, param: param.clone() });
        match value {
            None => list.structure(word, param.bytes, parameter),
            Some(value) => fitted(value, param).ok_or_else(|| ArgsError::Type {
                word: word.to_owned(),
                what: value.kind(param.ty),
                parameter: parameter(),
            }),
        }
    };
    let args = (1..).zip(values.into_iter().zip(params)).map(arg).collect::<Result<_, _>>()?;
    Ok(ParsedArgs { args, stated: stated.of, layouts, zeroed: stated.zeroed })
}

/// The arguments of a kernel of the catalogue: matrices, tensor maps, and M, N and K.
pub(super) fn of_catalogue(words: &str, size: Size, layouts: &[Layout; 3]) -> Vec<Arg> {
    let arg = |word: &str| match word {
        "M" => Some(Arg::word(size.m)),
        "N" => Some(Arg::word(size.n)),
        "K" => Some(Arg::word(size.k)),
        _ => match tensor_map::parse(word) {
            Some(found) => found.ok()?.map(size, layouts).ok().map(Arg::TensorMap),
            None => pointer(word)?.ok().map(|pointer| Arg::matrix(pointer.operand)),
        },
    };
    words.split(',').filter_map(arg).collect()
}

/// The words of a list, a structure in braces being one.
fn items(words: &str) -> Result<Vec<&str>, ArgsError> {
    let braces = || ArgsError::Braces(words.to_owned());
    let (mut items, mut start, mut inside) = (Vec::new(), 0, false);
    for (at, c) in words.char_indices().chain([(words.len(), ',')]) {
        match c {
            '{' if inside => return Err(braces()),
            '}' if !inside => return Err(braces()),
            '{' | '}' => inside = c == '{',
            ',' if !inside || at == words.len() => {
                items.push(words[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    items.retain(|item| !item.is_empty());
    let whole =
        |item: &&str| !item.contains(['{', '}']) || item.starts_with('{') && item.ends_with('}');
    if inside || !items.iter().all(whole) { Err(braces()) } else { Ok(items) }
}

/// What the words say of the matrices.
fn stated(words: &str) -> Result<StatedLayouts, ArgsError> {
    let mut stated = StatedLayouts::default();
    for word in flat(words) {
        let matrix = own_buffers::of_array(word);
        if let Some(pointer) = pointer(matrix).filter(|_| !own_buffers::is_declared(word)) {
            stated.add(word, pointer?)?;
        }
        if let Some(lead) = pointer::lead(word) {
            let (operand, value) = lead?;
            stated.add_lead(word, operand, value)?;
        }
        if let Some(map) = tensor_map::parse(word) {
            let map = map?;
            stated.add(word, MatrixPointer::to(map.operand, map.of, map.major))?;
        }
    }
    Ok(stated)
}

/// A list of words, with what they stand for.
struct ArgList<'w> {
    words: &'w str,
    own: DeclaredBuffers,
    size: Size,
    layouts: [Layout; 3],
}

/// Returns the operation on C given by the words `alpha=` and `beta=`, each of which may occur
/// once.
pub(super) fn gemm(words: &str) -> Result<Gemm, ArgsError> {
    let factor = |name: &'static str, otherwise: f64| {
        let named = flat(words).filter_map(own_buffers::named);
        let mut given = named.filter(|(given, _)| *given == name).filter_map(|(_, n)| number(n));
        match (given.next(), given.next()) {
            (_, Some(_)) => Err(ArgsError::TwoFactors(name)),
            (factor, None) => Ok(factor.map_or(otherwise, ArgValue::factor)),
        }
    };
    let Gemm { alpha, beta } = Gemm::default();
    Ok(Gemm { alpha: factor("alpha", alpha)?, beta: factor("beta", beta)? })
}

impl ArgList<'_> {
    /// Returns the values of a word; only the `numba` words have several.
    fn meant(&self, word: &str) -> Option<Vec<ArgValue>> {
        let one = |value| Some(vec![value]);
        if let Some(number) = self.own.number(word) {
            return one(ArgValue::Buffer(number));
        }
        let matrix = |word| pointer(word)?.ok().map(|pointer| pointer.operand);
        if word == "numba" {
            return Some(Operand::ALL.into_iter().flat_map(|of| self.numba(of)).collect());
        }
        if let Some(array) = word.strip_prefix("numba1d:") {
            return matrix(array).map(|of| self.numba_row(of).to_vec());
        }
        if let Some(array) = word.strip_prefix("numba:") {
            let buffer = || self.numba_buffer(array);
            return buffer().or_else(|| matrix(array).map(|of| self.numba(of).to_vec()));
        }
        if let Some(operand) = matrix(word) {
            return one(ArgValue::Matrix(operand));
        }
        if let Some(Ok((operand, _))) = pointer::lead(word) {
            return one(ArgValue::Integer(self.lead(operand).into()));
        }
        match word {
            "M" => one(ArgValue::Integer(self.size.m.into())),
            "N" => one(ArgValue::Integer(self.size.n.into())),
            "K" => one(ArgValue::Integer(self.size.k.into())),
            _ => {
                let named = word.strip_prefix("alpha=").or_else(|| word.strip_prefix("beta="));
                let value = number(named.unwrap_or(word)).or_else(|| self.other(word));
                value.map(|value| vec![value])
            }
        }
    }

    /// The value of a word that declares a buffer, names a number, or is an expression.
    fn other(&self, word: &str) -> Option<ArgValue> {
        let declared = word.split_once(':').and_then(|(name, _)| self.own.number(name.trim()));
        if let Some(number) = declared {
            return Some(ArgValue::Buffer(number));
        }
        let (name, text) = own_buffers::named(word).unwrap_or(("", word));
        let names =
            |name: &str| own_buffers::number(name, self.words, self.size, own_buffers::DEEPEST);
        let whole = || {
            let of_matrix = matches!(name, "alpha" | "beta");
            let value = fold(text, &names).filter(|_| !of_matrix);
            value.map(ArgValue::Integer)
        };
        number(text).filter(|_| !name.is_empty()).or_else(whole)
    }

    fn lead(&self, of: Operand) -> u32 {
        self.layouts[of as usize].lead(self.size.shape(of))
    }

    /// Returns what Numba passes for a two-dimensional array: meminfo, parent, nitems, itemsize,
    /// data, the shape, the strides in bytes (numba/core/datamodel, `ArrayModel`; seen in its PTX).
    fn numba(&self, of: Operand) -> [ArgValue; 9] {
        let layout = self.layouts[of as usize];
        let (rows, columns) = self.size.shape(of);
        let integer = |value: u64| ArgValue::Integer(value.into());
        let item = u64::from(layout.of.bytes());
        let pitch = item * u64::from(self.lead(of));
        let strides = match layout.major {
            Major::Row => [pitch, item],
            Major::Column => [item, pitch],
        };
        let [down, across] = strides.map(integer);
        let [none, count, item] = [0, self.size.elements(of), item].map(integer);
        let [rows, columns] = [rows, columns].map(|side| integer(side.into()));
        [none, none, count, item, ArgValue::Matrix(of), rows, columns, down, across]
    }

    /// Returns what it passes for a matrix in an array of one dimension.
    fn numba_row(&self, of: Operand) -> [ArgValue; 7] {
        let item = u64::from(self.layouts[of as usize].of.bytes());
        let [none, count, item] =
            [0, self.size.elements(of), item].map(|value: u64| ArgValue::Integer(value.into()));
        [none, none, count, item, ArgValue::Matrix(of), count, item]
    }

    /// Returns what it passes for a buffer of one's own, `in:f32[64][32]`, whose last index is that of
    /// neighbours.
    fn numba_buffer(&self, word: &str) -> Option<Vec<ArgValue>> {
        let number = self.own.number(word.split(':').next()?.trim())?;
        let (buffer, _) = self.own.buffers.get(number - self.own.first())?;
        let names =
            |name: &str| own_buffers::number(name, self.words, self.size, own_buffers::DEEPEST);
        let extents = own_buffers::extents(word, &names)?;
        let item = i128::from(buffer.of.bytes() as u64);
        let mut pitch = item;
        let mut strides: Vec<_> = extents
            .iter()
            .rev()
            .map(|extent| {
                let own = pitch;
                pitch *= extent;
                ArgValue::Integer(own)
            })
            .collect();
        strides.reverse();
        let [none, count, item] = [0, buffer.count.into(), item].map(ArgValue::Integer);
        let before = [none, none, count, item, ArgValue::Buffer(number)];
        let shape = extents.into_iter().map(ArgValue::Integer);
        Some(before.into_iter().chain(shape).chain(strides).collect())
    }

    /// Returns a structure by its members, each at its natural alignment. Integers whose word does not
    /// say it (`lda:i64`) have 32 bits, or 64 where only that fills the parameter, or some of them 64
    /// if only one choice of them fills it.
    fn structure(
        &self,
        word: &str,
        bytes: u32,
        parameter: impl Fn() -> Box<NumberedParameter>,
    ) -> Result<Arg, ArgsError> {
        let mut members = Vec::new();
        for member in flat(word) {
            let (name, integer) = sized(member);
            match self.meant(name).as_deref() {
                Some([value @ ArgValue::Integer(_)]) => members.push((*value, integer)),
                Some([value]) if integer.is_none() => members.push((*value, None)),
                _ => return Err(ArgsError::Word(member.to_owned())),
            }
        }
        let is_open = |(value, ty): &(ArgValue, Option<Type>)| {
            matches!(value, ArgValue::Integer(_)) && ty.is_none()
        };
        let open = members.iter().filter(|member| is_open(member)).count().min(MIXED);
        let all = (1_u32 << open) - 1;
        let laid = |wide: u32| laid_out(&members, wide);
        let fills = |laid: &Arg| laid.width() == bytes as usize;
        let mut alike = [0, all].into_iter().filter_map(laid).filter(fills);
        let mut mixed = (1..all).filter_map(laid).filter(fills);
        let found = alike.next().or_else(|| mixed.next().filter(|_| mixed.next().is_none()));
        let least = laid(0).map_or(0, |laid| laid.width()) as u32;
        let fault =
            || ArgsError::Structure { word: word.to_owned(), bytes: least, parameter: parameter() };
        found.ok_or_else(fault)
    }
}

/// The most integers of a structure of which some may have 32 bits and others 64 without saying so.
const MIXED: usize = 8;

/// The name of a member, and the type that its word gives to an integer: `lda:i64`.
fn sized(member: &str) -> (&str, Option<Type>) {
    let ty = member.rsplit_once(':').and_then(|(name, ty)| match ty {
        "i32" | "u32" => Some((name, Type::U32)),
        "i64" | "u64" => Some((name, Type::U64)),
        _ => None,
    });
    let is_matrix = |name| pointer(name).is_some();
    match ty {
        Some((name, ty)) if !is_matrix(name) => (name, Some(ty)),
        _ => (member, None),
    }
}

/// Lays out the members of a structure, or returns `None` if one is too large. Of the integers
/// without a type, number n has 64 bits if bit n of `wide` is set.
fn laid_out(members: &[(ArgValue, Option<Type>)], wide: u32) -> Option<Arg> {
    let (mut end, mut align, mut all, mut open) = (0_u32, 1, Vec::new(), 0);
    for (value, stated) in members {
        let ty = match value {
            // No structure holds a map: it is a parameter of its own.
            ArgValue::TensorMap(_) | ArgValue::TensorMapAddress(..) => return None,
            ArgValue::Matrix(_) | ArgValue::Buffer(_) => Type::U64,
            ArgValue::Integer(_) => stated.unwrap_or_else(|| {
                let is_wide = wide.checked_shr(open).unwrap_or(0) & 1 == 1;
                open += 1;
                if is_wide { Type::U64 } else { Type::U32 }
            }),
            ArgValue::Float(_) => Type::F32,
            ArgValue::Double(_) => Type::F64,
        };
        let bytes = ty.bytes();
        let (name, offset) = (String::new(), end.next_multiple_of(bytes));
        let param = Param { name, ty, offset, align: bytes, bytes, in_register: false };
        all.push((offset, fitted(*value, &param)?));
        (end, align) = (offset + bytes, align.max(bytes));
    }
    Some(Arg::Members { bytes: end.next_multiple_of(align), members: all })
}

/// Parses `-3`, `0x1F`, `1.0f`, `1e-3`.
fn number(word: &str) -> Option<ArgValue> {
    let (sign, digits) = word.strip_prefix('-').map_or((1, word), |digits| (-1, digits));
    if let Some(hex) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        return i128::from_str_radix(hex, 16).ok().map(|value| ArgValue::Integer(sign * value));
    }
    if let Ok(value) = word.parse() {
        return Some(ArgValue::Integer(value));
    }
    if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    match word.strip_suffix(['f', 'F']) {
        Some(float) => float.parse().ok().map(ArgValue::Float),
        None => word.parse().ok().map(ArgValue::Double),
    }
}

impl ArgValue {
    fn factor(self) -> f64 {
        match self {
            Self::Matrix(_) | Self::Buffer(_) | Self::TensorMap(_) | Self::TensorMapAddress(..) => {
                f64::NAN
            }
            Self::Integer(value) => value as f64,
            Self::Float(value) => value.into(),
            Self::Double(value) => value,
        }
    }

    /// Describes a value that a parameter of type `ty` cannot hold.
    fn kind(self, ty: Type) -> &'static str {
        match self {
            Self::Matrix(_) | Self::Buffer(_) => "a pointer",
            Self::TensorMap(_) => "a tensor map",
            Self::TensorMapAddress(..) => "a pointer to a tensor map",
            Self::Integer(_) if ty.is_float() => "an integer",
            Self::Integer(_) => "too large",
            Self::Float(_) => "a float",
            Self::Double(_) => "a double",
        }
    }
}

/// Returns the value as its parameter holds it, or `None` if it cannot. Compilers write `.u32` for
/// an `int`, so an integer fits if it is in the signed or the unsigned range.
fn fitted(value: ArgValue, param: &Param) -> Option<Arg> {
    let (ty, bytes) = (param.ty, param.ty.bytes() as u8);
    let whole = param.bytes == ty.bytes();
    let arg = |bits: u64| Arg::Value { bits, bytes };
    let is_pointer = bytes == 8 && !ty.is_float();
    match value {
        ArgValue::TensorMap(map) => {
            (param.bytes as usize == TENSOR_MAP_BYTES).then_some(Arg::TensorMap(map))
        }
        _ if !whole => None,
        ArgValue::Matrix(operand) => is_pointer.then(|| Arg::matrix(operand)),
        ArgValue::Buffer(number) => is_pointer.then_some(Arg::Buffer(number)),
        ArgValue::TensorMapAddress(map, buffer) => {
            is_pointer.then_some(Arg::TensorMapAddress { map, buffer })
        }
        ArgValue::Integer(value) => {
            let (low, high) = (-(1_i128 << (ty.bits() - 1)), 1_i128 << ty.bits());
            let fits = !ty.is_float() && (low..high).contains(&value);
            fits.then(|| arg(value as u64 & (u64::MAX >> (64 - ty.bits()))))
        }
        ArgValue::Float(value) => {
            matches!(ty, Type::F32 | Type::B32).then(|| arg(value.to_bits().into()))
        }
        ArgValue::Double(value) => {
            matches!(ty, Type::F64 | Type::B64).then(|| arg(value.to_bits()))
        }
    }
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

    fn plain(words: &str, types: &str) -> Result<Vec<Arg>, ArgsError> {
        typed(words, &params(types), SIZE, [ElementType::F32; 3]).map(|given| given.args)
    }

    fn error(words: &str, types: &str) -> String {
        plain(words, types).unwrap_err().to_string()
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
        assert_eq!(plain(words, types), Ok(expected.to_vec()));
    }

    #[test]
    fn numba_passes_nine_values_for_each_array() {
        let all = plain("numba", &"u64 ".repeat(27)).unwrap();
        let value = |bits| Arg::Value { bits, bytes: 8 };
        let b = [0, 0, 15, 4].map(value).into_iter().chain([Arg::Buffer(1)]);
        let b: Vec<_> = b.chain([3, 5, 20, 4].map(value)).collect();
        assert_eq!(all[9..18], b);
        let alone = plain("numba:B,numba:C,1.0f", &("u64 ".repeat(18) + "f32"));
        assert_eq!(alone.unwrap()[..18], all[9..]);
    }

    #[test]
    fn what_does_not_fit_is_said_with_the_parameter_and_its_type() {
        insta::assert_snapshot!(error("A,B", "u64 u64 f32"), @"the launch gives 2 values and the kernel takes 3: 2 x .u64, .f32; nothing is given to parameter 3 (`k_param_2`, .f32)");
        insta::assert_snapshot!(error("A,B,C", "u64 u64"), @"the launch gives 3 values and the kernel takes 2: 2 x .u64");
        insta::assert_snapshot!(error("A,B,1.0", "u64 u64 f32"), @"argument 3, `1.0`, is a double, and parameter 3 (`k_param_2`, .f32) takes a float such as 1.0f");
        insta::assert_snapshot!(error("A,1.0f,B", "u64 u64 f32"), @"argument 2, `1.0f`, is a float, and parameter 2 (`k_param_1`, .u64) takes a pointer or an integer of 64 bits");
        insta::assert_snapshot!(error("A,C", "u64 u32"), @"argument 2, `C`, is a pointer, and parameter 2 (`k_param_1`, .u32) takes an integer of 32 bits");
        insta::assert_snapshot!(error("4294967296", "u32"), @"argument 1, `4294967296`, is too large, and parameter 1 (`k_param_0`, .u32) takes an integer of 32 bits");
        insta::assert_snapshot!(error("1", "f64"), @"argument 1, `1`, is an integer, and parameter 1 (`k_param_0`, .f64) takes a double such as 1.0");
        insta::assert_snapshot!(error("1", "b8*24"), @"argument 1, `1`, is too large, and parameter 1 (`k_param_0`, .b8[24]) takes a structure, its members in braces");
        insta::assert_snapshot!(error("A,D", "u64 u64"), @"`D` is not an argument: give A, B, C (pointers; A:f64 with the type of the elements), M, N, K, lda, ldb, ldc, an integer, a float (1.0f), a double (1.0), alpha=2.0f or beta=0.5f (C is then to be alpha A B + beta C), any number by its name (n=4096), {M,K,A} (a structure), tensormap:A:64x64:swizzle128:f16 (a CUtensorMap), numba (Numba's arrays of A, B and C; numba:A for one of them), or a buffer of your own (in:f32[4096])");
        insta::assert_snapshot!(error("", "u64 u64 u32"), @"the launch gives 0 values and the kernel takes 3: 2 x .u64, .u32; nothing is given to parameter 1 (`k_param_0`, .u64)");
        insta::assert_snapshot!(error("A,alpha=2.0", "u64 f32"), @"argument 2, `alpha=2.0`, is a double, and parameter 2 (`k_param_1`, .f32) takes a float such as 1.0f");
        for word in [
            "alpha=", "beta=A", "alpha=x", "gamma=", "2*x", "nan", "inf", "1.0.0", "0x", "--1",
            "f", ".f", "1x", "a", "a:f32", "numba:D",
        ] {
            assert!(plain(word, "f32").is_err(), "{word}");
        }
    }

    fn given(words: &str, types: &str) -> ParsedArgs {
        typed(words, &params(types), SIZE, [ElementType::F32; 3]).unwrap()
    }

    #[test]
    fn words_say_how_the_matrices_lie_in_memory() {
        use ElementType::{F32, F64, I32};
        let found = given("A:f64,B:col,C:i32=0,lda,ldb=9,ldc", "u64 u64 u64 u32 u32 u32");
        let value = |bits| Arg::Value { bits, bytes: 4 };
        assert_eq!(found.args[3..], [value(3), value(9), value(5)]);
        let of = found.layouts.map(|layout| (layout.of, layout.major, layout.lead));
        let (row, column) = (Major::Row, Major::Column);
        assert_eq!(of, [(F64, row, None), (F32, column, Some(9)), (I32, row, None)]);
        assert!(found.zeroed && !given("C", "u64").zeroed);
        insta::assert_snapshot!(error("A:f64,A:f32", "u64 u64"), @"the argument `A:f32` contradicts a word before it");
        insta::assert_snapshot!(error("A,lda=2", "u64 u32"), @"`lda=2` does not fit this size: a row of the matrix, or a column with `col`, has 3 elements, and all of it may have at most 2^31 - 1");
        insta::assert_snapshot!(error("A:f8", "u64"), @"`A:f8` is not an argument: after a matrix stand its element type (A:f64; f32, f64, f16, bf16, i8, u8, i16, u16, i32, u32, i64, u64), and `col` if it lies column-major, that is transposed (A:col, A:f64:col); C=0 says that the host has zeroed C");
        for word in ["A=0", "A:", "A:col:col", "A:f32:f32", "C:row", "lda=x", "lda="] {
            assert!(plain(word, "u64").is_err(), "{word}");
        }
    }

    #[test]
    fn a_structure_is_its_members_where_a_compiler_puts_them() {
        let found = given("{K,M,A},7", "b8*16 u32");
        let members = |words: &str, bytes| match &given(words, &format!("b8*{bytes}")).args[..] {
            [Arg::Members { members, .. }] => members.iter().map(|(at, _)| *at).collect(),
            _ => Vec::new(),
        };
        assert_eq!(found.args.len(), 2);
        assert_eq!(members("{K,M,A}", 16), [0, 4, 8]);
        assert_eq!(members("{K,M,lda,A}", 24), [0, 4, 8, 16]);
        assert_eq!(members("{A,1.0f,M}", 16), [0, 8, 12]);
        assert_eq!(members("{M,K,A}", 24), [0, 8, 16], "its integers have 64 bits");
        assert_eq!(members("{M,K:i64,A}", 24), [0, 8, 16], "one of them has 64 bits");
        assert_eq!(members("{A,M,K,lda:i64}", 24), [0, 8, 12, 16]);
        assert_eq!(members("{A,M:i32,K,lda,N}", 40), [0, 8, 16, 24, 32], "the others have 64 bits");
        assert!(plain("{A,M,K,lda,N}", "b8*32").is_err(), "M or K may have 64 bits");
        let bases = [1, 2, 3];
        let bytes = found.args[0].bytes(&bases);
        assert_eq!(bytes, [3, 0, 0, 0, 7, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]);
        insta::assert_snapshot!(error("{M,A,B}", "b8*16"), @"argument 1, `{M,A,B}`, takes 24 bytes, and parameter 1 (`k_param_0`, .b8[16]) has 16");
        for list in ["{M,K,A", "M}", "{{M}}", "x{M}", "{M}x", "{D}"] {
            assert!(plain(list, "b8*16").is_err(), "{list}");
        }
    }

    #[test]
    fn alpha_and_beta_are_named_once() {
        let named = |words| gemm(words).map(|Gemm { alpha, beta }| (alpha, beta));
        assert_eq!(named("M,N,K,alpha=2.0f,A,B,beta=-0.5,C"), Ok((2.0, -0.5)));
        assert_eq!(named("A,B,C,3.0f"), Ok((1.0, 0.0)));
        assert_eq!(named("alpha=3"), Ok((3.0, 0.0)));
        assert_eq!(named("beta=1.0f,beta=1.0f"), Err(ArgsError::TwoFactors("beta")));
    }
}
