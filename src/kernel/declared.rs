//! Reads the shapes and the types of `__shared__` arrays from their declarations in the source; unless
//! one is certain, none is returned.

use super::Source;
use super::signature::element;
use crate::matrix::ElementType;
use cudac::expression::fold_lexemes;
use cudac::{CudaSource, Lexeme, indices, lexemes};
use std::collections::BTreeSet;

/// How many levels of names defined by other names are followed.
const DEPTH: u32 = 8;

const SHARED: &str = "__shared__";

/// Returns the extents of the `__shared__` array `name` of `bytes` bytes, the outermost first, as a
/// source declares it, or `None` unless exactly one reading gives this number of bytes.
///
/// An extent is a number, a macro or a constant to which the source (or -D) gives one value, or an
/// expression of such.
pub(super) fn shape(source: &Source, name: &str, bytes: u32) -> Option<Vec<u32>> {
    read_shape(source, name, bytes, true)
}

/// The same of an array that is declared anywhere.
pub(super) fn any_shape(source: &Source, name: &str, bytes: u32) -> Option<Vec<u32>> {
    read_shape(source, name, bytes, false)
}

fn read_shape(source: &Source, name: &str, bytes: u32, is_shared: bool) -> Option<Vec<u32>> {
    let text = CudaSource::read(source.declarations());
    let mut found = BTreeSet::new();
    for statement in text.statements() {
        let start = if is_shared { after_shared(statement) } else { Some(0) };
        let declared = start.and_then(|start| declared(statement, start, name));
        let Some((size, extents)) = declared else { continue };
        let extents: Option<Vec<_>> =
            extents.iter().map(|extent| value(source, &text, extent, DEPTH)).collect();
        let Some(extents) = extents else {
            if is_shared {
                return None;
            }
            continue;
        };
        let all = extents.iter().try_fold(size, |all, extent| all.checked_mul(*extent));
        if all == Some(bytes) {
            found.insert(extents);
        }
    }
    if found.len() == 1 { found.pop_first() } else { None }
}

/// Returns the type of the elements of the `__shared__` array `name`, if every declaration of that
/// name in the source gives it the same one. That of a `float4` is float32.
pub(super) fn element_type(text: &str, name: &str) -> Option<ElementType> {
    let text = CudaSource::read(text);
    let declarations = text.statements().filter_map(|statement| {
        let after = &statement[after_shared(statement)?..];
        Some(&after[..after.iter().position(|one| one.text == name)?])
    });
    let types = declarations.map(|before| {
        // Before the first name of several stands their type.
        let end = before.iter().position(|one| matches!(one.text, "[" | ","));
        let first = &before[..end.unwrap_or(before.len())];
        let attribute = first.iter().rposition(|one| one.text == ")").map_or(0, |at| at + 1);
        let words: Vec<_> = first[attribute..].iter().map(|word| word.text).collect();
        element(&words.join(" "), end.is_none()).map(|declared| declared.of)
    });
    let types: BTreeSet<_> = types.map(|of| of.map(ElementType::name)).collect();
    let only = types.first().copied().flatten().filter(|_| types.len() == 1)?;
    only.parse().ok()
}

fn after_shared(statement: &[Lexeme<'_>]) -> Option<usize> {
    statement.iter().position(|one| one.text == SHARED).map(|at| at + 1)
}

/// Reads `float a[2], name[16][16 + 1]`: returns the bytes of an element, and the extents.
fn declared<'s, 't>(
    statement: &'s [Lexeme<'t>],
    start: usize,
    name: &str,
) -> Option<(u32, Vec<&'s [Lexeme<'t>]>)> {
    let size = statement.iter().find_map(|word| bytes_of(word.text))?;
    let at = statement[start..].iter().position(|one| one.text == name)?;
    let extents = indices(&statement[start + at + 1..])?;
    (!extents.is_empty()).then_some((size, extents))
}

/// Returns the bytes of an element of a type that has the same size everywhere.
fn bytes_of(word: &str) -> Option<u32> {
    match word {
        // A word that may precede another.
        "unsigned" => None,
        // The size depends on the system: 0 fits no array.
        "long" => Some(0),
        _ => element(word, true).map(|declared| u32::from(declared.of.bytes()) * declared.lanes),
    }
}

/// The value of a constant expression.
fn value(source: &Source, text: &CudaSource<'_>, of: &[Lexeme<'_>], depth: u32) -> Option<u32> {
    let depth = depth.checked_sub(1)?;
    fold_lexemes(of, &|name| named(source, text, name, depth).map(i128::from))?.try_into().ok()
}

/// Returns the value of a name: from -D, or else the only one that the source gives it.
fn named(source: &Source, text: &CudaSource<'_>, name: &str, depth: u32) -> Option<u32> {
    let given = source.defines.iter().rev();
    let mut given = given.filter_map(|define| define.split_once('=')).filter(|(of, _)| *of == name);
    if let Some((_, given)) = given.next() {
        return value(source, text, &lexemes(given), depth);
    }
    let values = text.values().filter(|one| one.name.text == name);
    let values = values.map(|one| value(source, text, one.value, depth));
    let mut values = values.collect::<Option<BTreeSet<_>>>()?;
    // A parameter of a template may have another value each time.
    let varies = text.is_template_parameter(name);
    if values.len() == 1 && !varies { values.pop_first() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, defines: &[&str], name: &str, bytes: u32) -> Option<Vec<u32>> {
        let defines = defines.iter().map(|define| (*define).to_owned()).collect();
        let source = Source { text: text.to_owned(), defines, ..Source::default() };
        shape(&source, name, bytes)
    }

    #[test]
    fn a_shape_is_read_from_the_declaration() {
        let plain = "__global__ void k() {\n  __shared__ float sA[16][17], sB[16]; // [3]\n}";
        assert_eq!(read(plain, &[], "sA", 1088), Some(vec![16, 17]));
        assert_eq!(read(plain, &[], "sB", 64), Some(vec![16]));
        assert_eq!(read(plain, &[], "s", 64), None);
        let macros = "#ifndef TILE\n#define TILE 16\n#endif\nconstexpr int PAD = 1;\n\
                      void k() { __shared__ __align__(16) float s[2][TILE][TILE + PAD]; }";
        assert_eq!(read(macros, &[], "s", 2176), Some(vec![2, 16, 17]));
        assert_eq!(read(macros, &["TILE=8"], "s", 576), Some(vec![2, 8, 9]));
    }

    #[test]
    fn the_type_is_read_from_the_declaration() {
        let text = "__global__ void k() {\n  __shared__ float sA[16][17], sB[16]; // half sC[3]\n\
                    __shared__ __align__(16) unsigned char bytes[64];\n\
                    extern __shared__ half rest[]; __shared__ thing t[4]; }";
        let of = |name| element_type(text, name);
        assert_eq!([of("sA"), of("sB")], [Some(ElementType::F32); 2]);
        assert_eq!([of("bytes"), of("rest")], [Some(ElementType::U8), Some(ElementType::F16)]);
        assert_eq!([of("t"), of("sC")], [None; 2]);
        let two = "void k() { __shared__ float s[8]; } void l() { __shared__ int s[8]; }";
        assert_eq!(element_type(two, "s"), None);
    }

    #[test]
    fn what_is_not_certain_is_left_open() {
        let wrong_bytes = "void k() { __shared__ float s[16][16]; }";
        assert_eq!(read(wrong_bytes, &[], "s", 512), None);
        let two = "void k() { __shared__ float s[8][16]; } void l() { __shared__ float s[16][8]; }";
        assert_eq!(read(two, &[], "s", 512), None);
        let unknown = "void k() { __shared__ float s[N][16]; } void l() { __shared__ thing t[4]; }";
        assert_eq!((read(unknown, &[], "s", 1024), read(unknown, &[], "t", 16)), (None, None));
        let branches = "#if X\n#define N 8\n#else\n#define N 4\n#endif\n__shared__ float s[N][4];";
        assert_eq!(read(branches, &[], "s", 128), None);
        let template = "const int N = 8; template <int N> void k() { __shared__ float s[N][4]; }";
        assert_eq!(read(template, &[], "s", 128), None);
    }
}
