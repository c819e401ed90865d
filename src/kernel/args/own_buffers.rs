//! Buffers of one's own in `--launch`: `in:f32[64*64]`, `bins:u32[256]=0`, `at:i32[n]=0..256`.

use crate::kernel::buffer::{Buffer, BufferError, Contents};
use crate::kernel::pointer::pointer;
use crate::kernel::tensor_map;
use crate::matrix::{Operand, Size, Values};
use cudac::expression::fold;

/// What a list of arguments declares.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::kernel) struct DeclaredBuffers {
    /// The buffers; the contents of those of which the list does not say them are `None`.
    pub(in crate::kernel) buffers: Vec<(Buffer, Option<Contents>)>,
    /// Whether the matrices A, B and C come before them: unless buffers are declared, and none of
    /// the matrices stands in the list.
    pub(in crate::kernel) has_matrices: bool,
}

/// How deep names may stand for one another.
pub(super) const DEEPEST: u32 = 16;

/// Words for contents that nobody has written.
const UNFILLED: &str = "unfilled";

/// The most bytes of a buffer, more than a GPU has.
const MOST: u64 = 1 << 40;

impl DeclaredBuffers {
    /// Reads the declarations among the words of a list.
    ///
    /// # Errors
    /// A buffer whose type, number of elements or contents cannot be read; a name that stands for
    /// two things.
    pub(in crate::kernel) fn of(words: &str, size: Size) -> Result<Self, BufferError> {
        let names = |name: &str| number(name, words, size, DEEPEST);
        let mut own = Self::default();
        for word in flat(words) {
            let Some((name, rest)) = declared(word) else { continue };
            let wrong = |why: String| BufferError { word: word.to_owned(), why };
            let twice = || format!("another argument is called `{name}` as well");
            if own.number(name).is_some() || expression_of(name, words).is_some() {
                return Err(wrong(twice()));
            }
            own.buffers.push(buffer(name, rest, &names).map_err(wrong)?);
        }
        let is_matrix = |word: &str| {
            let is_one = pointer(word).is_some() || tensor_map::parse(word).is_some();
            let is_array = of_array(word) != word || word == "numba";
            !is_declared(word) && (is_one && own.number(word).is_none() || is_array)
        };
        own.has_matrices = own.buffers.is_empty() || flat(words).any(is_matrix);
        own.clash().map_or(Ok(()), Err)?;
        Ok(own)
    }

    /// The place of a buffer among all of the launch.
    pub(super) fn number(&self, name: &str) -> Option<usize> {
        let place = self.buffers.iter().position(|(buffer, _)| buffer.name == name)?;
        Some(self.first() + place)
    }

    /// The number of the first of these buffers.
    pub(in crate::kernel) const fn first(&self) -> usize {
        if self.has_matrices { Operand::ALL.len() } else { 0 }
    }

    /// A buffer that is called like a matrix of the same list.
    fn clash(&self) -> Option<BufferError> {
        let is_matrix = |name: &str| Operand::ALL.into_iter().any(|of| of.name() == name);
        let (buffer, _) = self.buffers.iter().find(|(buffer, _)| is_matrix(&buffer.name))?;
        self.has_matrices.then(|| BufferError {
            word: buffer.name.clone(),
            why: "A, B and C are the matrices as soon as one of them stands in the list without a \
                  number of elements: give the buffer another name"
                .to_owned(),
        })
    }
}

/// The words of a list and those in its structures.
pub(super) fn flat(words: &str) -> impl Iterator<Item = &str> {
    words.split([',', '{', '}']).map(str::trim).filter(|word| !word.is_empty())
}

/// What an array of Numba holds: the rest of `numba:A` and `numba1d:A`.
pub(super) fn of_array(word: &str) -> &str {
    let array = word.strip_prefix("numba:").or_else(|| word.strip_prefix("numba1d:"));
    array.unwrap_or(word)
}

/// The extents of a declared buffer: of `in:f32[64][32]` 64 and 32.
pub(super) fn extents(word: &str, names: &dyn Fn(&str) -> Option<i128>) -> Option<Vec<i128>> {
    let parts = word.split('[').skip(1);
    parts.map(|part| fold(part.split(']').next()?, names).filter(|side| *side > 0)).collect()
}

/// Returns the name of a declared buffer, and what follows its colon.
fn declared(word: &str) -> Option<(&str, &str)> {
    let (name, rest) = of_array(word).split_once(':')?;
    rest.contains('[').then_some((name.trim(), rest.trim()))
}

pub(super) fn is_declared(word: &str) -> bool {
    declared(word).is_some()
}

/// Reads `f32[64*64]=0`; names in it have the values that `names` returns.
fn buffer(
    name: &str,
    text: &str,
    names: &dyn Fn(&str) -> Option<i128>,
) -> Result<(Buffer, Option<Contents>), String> {
    if name.is_empty() || !name.chars().all(is_part) {
        return Err(format!("`{name}` is no name"));
    }
    let (of, rest) = text.split_once('[').unwrap_or((text, ""));
    let of = of.trim().parse().map_err(|error| format!("{error}"))?;
    let (count, after) = rest.rsplit_once(']').ok_or("its `]` is missing")?;
    let sides = count.split("][").map(|side| fold(side, names));
    let number = sides.into_iter().try_fold(1_i128, |all, side| all.checked_mul(side?));
    let number = number.and_then(|count| u64::try_from(count).ok());
    let none =
        || format!("`{count}` is no number of elements: give for example 4096, 64*64 or M*N");
    let count = number.filter(|count| *count > 0).ok_or_else(none)?;
    let (name, contents) = (name.to_owned(), Contents::Unfilled);
    let buffer = Buffer { name, of, count, contents };
    if count > MOST || buffer.bytes() > MOST {
        return Err(format!("{count} elements are more than any GPU has memory for"));
    }
    let said = match after.trim() {
        "" => None,
        after => {
            let fill = after.strip_prefix('=').ok_or_else(|| {
                format!("what follows its `]` is `{after}`: give = and what it holds, or nothing")
            })?;
            Some(contents_of(fill.trim(), &buffer, names)?)
        }
    };
    Ok((buffer, said))
}

/// Reads what a buffer holds before the launch: `0`, `1.5`, `0..256`, `random`, `unfilled`.
fn contents_of(
    text: &str,
    buffer: &Buffer,
    names: &dyn Fn(&str) -> Option<i128>,
) -> Result<Contents, String> {
    let of = buffer.of;
    let whole = |text: &str| fold(text, names).and_then(|n| i64::try_from(n).ok());
    let holds = |value: f64| !of.is_integer() || of.round(value).to_bits() == value.to_bits();
    let values = match (text, text.split_once("..")) {
        (UNFILLED, _) => return Ok(Contents::Unfilled),
        ("random", _) => Values::Random,
        ("ascending", _) => Values::Ascending,
        (_, Some((first, end))) => {
            let none = || format!("`{text}` is no range: 0..256 is the numbers from 0 to 255");
            let (first, end) = whole(first).zip(whole(end)).ok_or_else(none)?;
            if first >= end {
                return Err(none());
            }
            let last = end - 1;
            if !holds(first as f64) || !holds(last as f64) {
                return Err(format!("{of} does not hold all numbers from {first} to {last}"));
            }
            Values::Between(first, last)
        }
        _ => {
            let float = || text.trim_end_matches(['f', 'F']).parse().ok();
            let value = whole(text).map(|value| value as f64).or_else(float);
            let none = || {
                format!(
                    "`{text}` is nothing that it can hold: give for example 0, 1.5, 0..256, random, ascending or {UNFILLED}"
                )
            };
            let value = value.filter(|value: &f64| value.is_finite()).ok_or_else(none)?;
            if !holds(value) {
                return Err(format!("{of} does not hold {text}"));
            }
            Values::Constant(value)
        }
    };
    Ok(Contents::Filled(values))
}

/// Returns the value of a name in an expression: M, N, K, or a number that the list names.
pub(super) fn number(name: &str, words: &str, size: Size, deep: u32) -> Option<i128> {
    let deep = deep.checked_sub(1)?;
    if let Some(text) = expression_of(name, words) {
        return fold(text, &|name| number(name, words, size, deep));
    }
    match name {
        "M" => Some(size.m.into()),
        "N" => Some(size.n.into()),
        "K" => Some(size.k.into()),
        _ => None,
    }
}

/// Returns what follows `name=` in a list.
fn expression_of<'w>(name: &str, words: &'w str) -> Option<&'w str> {
    flat(words).find_map(|word| named(word).filter(|(given, _)| *given == name)).map(|word| word.1)
}

/// Whether a name may contain this character.
fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Splits `n=4096` into its name and its value.
pub(super) fn named(word: &str) -> Option<(&str, &str)> {
    let (name, value) = word.split_once('=')?;
    let name = name.trim();
    let begins = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
    (begins && name.chars().all(is_part)).then_some((name, value.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::ElementType;

    const SIZE: Size = Size { m: 7, n: 5, k: 3 };

    fn own(words: &str) -> DeclaredBuffers {
        DeclaredBuffers::of(words, SIZE).expect("it can be read")
    }

    fn error(words: &str) -> String {
        DeclaredBuffers::of(words, SIZE).expect_err("it is wrong").to_string()
    }

    #[test]
    fn a_buffer_has_a_type_a_number_of_elements_and_contents() {
        let all =
            own("in:f32[n], out : u16[ M*N ] = 3, n = 2*16, at:i8[1]=-3..2, x:f64[4]=unfilled");
        let seen: Vec<_> = all
            .buffers
            .iter()
            .map(|(Buffer { name, of, count, .. }, said)| (&**name, *of, *count, said.clone()))
            .collect();
        let filled = |values| Some(Contents::Filled(values));
        assert_eq!(
            seen,
            [
                ("in", ElementType::F32, 32, None),
                ("out", ElementType::U16, 35, filled(Values::Constant(3.0))),
                ("at", ElementType::I8, 1, filled(Values::Between(-3, 1))),
                ("x", ElementType::F64, 4, Some(Contents::Unfilled)),
            ]
        );
        assert!(!all.has_matrices && all.first() == 0);
        assert!(own("A,B,C,bias:f32[N]").has_matrices, "beside the matrices");
        assert!(own("A,B,C,M,N,K").has_matrices);
        assert!(!own("A:f32[8],B:f32[8],C:f32[8],A").has_matrices, "their names are free");
    }

    #[test]
    fn what_cannot_be_read_is_said_with_what_could() {
        insta::assert_snapshot!(error("x:f8[3]"), @"`x:f8[3]` is no buffer: `f8` is not an element type: give f32, f64, f16, bf16, i8, u8, i16, u16, i32, u32, i64, u64");
        insta::assert_snapshot!(error("x:f32[n]"), @"`x:f32[n]` is no buffer: `n` is no number of elements: give for example 4096, 64*64 or M*N");
        insta::assert_snapshot!(error("x:f32[0]"), @"`x:f32[0]` is no buffer: `0` is no number of elements: give for example 4096, 64*64 or M*N");
        insta::assert_snapshot!(error("x:f32[4"), @"`x:f32[4` is no buffer: its `]` is missing");
        insta::assert_snapshot!(error("x:f32[4]0"), @"`x:f32[4]0` is no buffer: what follows its `]` is `0`: give = and what it holds, or nothing");
        insta::assert_snapshot!(error("x:u8[4]=0..257"), @"`x:u8[4]=0..257` is no buffer: u8 does not hold all numbers from 0 to 256");
        insta::assert_snapshot!(error("x:i32[4]=1.5"), @"`x:i32[4]=1.5` is no buffer: i32 does not hold 1.5");
        insta::assert_snapshot!(error("x:i32[4]=3..3"), @"`x:i32[4]=3..3` is no buffer: `3..3` is no range: 0..256 is the numbers from 0 to 255");
        insta::assert_snapshot!(error("x:i32[4]=nan"), @"`x:i32[4]=nan` is no buffer: `nan` is nothing that it can hold: give for example 0, 1.5, 0..256, random, ascending or unfilled");
        insta::assert_snapshot!(error("x:f32[4],x:f32[4]"), @"`x:f32[4]` is no buffer: another argument is called `x` as well");
        insta::assert_snapshot!(error("A:f32[4],B"), @"`A` is no buffer: A, B and C are the matrices as soon as one of them stands in the list without a number of elements: give the buffer another name");
        insta::assert_snapshot!(error("x:i64[2**50]"), @"`x:i64[2**50]` is no buffer: `2**50` is no number of elements: give for example 4096, 64*64 or M*N");
        insta::assert_snapshot!(error("x:i64[1024*1024*1024*1024]"), @"`x:i64[1024*1024*1024*1024]` is no buffer: 1099511627776 elements are more than any GPU has memory for");
    }
}
