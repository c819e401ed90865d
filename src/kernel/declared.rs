//! Reads the shapes and the types of `__shared__` arrays from their declarations in the source; unless
//! one is certain, none is returned.

use super::Source;
use super::signature::element;
use crate::matrix::ElementType;
use std::collections::BTreeSet;

/// How many levels of names defined by other names are followed.
const DEPTH: u32 = 8;

/// Returns the extents of the `__shared__` array `name` of `bytes` bytes, the outermost first, as a
/// source declares it, or `None` unless exactly one reading gives this number of bytes.
///
/// An extent is a number, a macro or a constant to which the source (or -D) gives one value, or an
/// expression of such with `+`, `-` and `*`.
pub(super) fn shape(source: &Source, name: &str, bytes: u32) -> Option<Vec<u32>> {
    read_shape(source, name, bytes, "__shared__")
}

/// The same of an array that is declared anywhere.
pub(super) fn any_shape(source: &Source, name: &str, bytes: u32) -> Option<Vec<u32>> {
    read_shape(source, name, bytes, "")
}

fn read_shape(source: &Source, name: &str, bytes: u32, storage: &str) -> Option<Vec<u32>> {
    let text = without_comments(&source.text);
    let mut found = BTreeSet::new();
    for statement in text.split([';', '{', '}']).filter(|text| text.contains(storage)) {
        let Some((size, extents)) = declared(statement, name, storage) else { continue };
        let extents: Option<Vec<_>> =
            extents.iter().map(|extent| value(source, &text, extent, DEPTH)).collect();
        let Some(extents) = extents else {
            if storage.is_empty() {
                continue;
            }
            return None;
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
    let text = without_comments(text);
    let declarations = text.split([';', '{', '}']).filter_map(|statement| {
        let after = statement.split_once("__shared__")?.1;
        let named = after.match_indices(name).find(|(at, _)| is_word(after, *at, name.len()));
        named.map(|(at, _)| &after[..at])
    });
    let types = declarations.map(|before| {
        // Before the first name of several stands their type.
        let (first, is_first) =
            before.split_once(['[', ',']).map_or((before, true), |(first, _)| (first, false));
        let words = first.split_whitespace().filter(|word| !word.contains('('));
        element(&words.collect::<Vec<_>>().join(" "), is_first).map(|declared| declared.of)
    });
    let types: BTreeSet<_> = types.map(|of| of.map(ElementType::name)).collect();
    let only = types.first().copied().flatten().filter(|_| types.len() == 1)?;
    only.parse().ok()
}

/// Parses `__shared__ float a[2], name[16][16 + 1]`: returns the bytes of an element, and the texts
/// of the extents.
fn declared<'t>(statement: &'t str, name: &str, storage: &str) -> Option<(u32, Vec<&'t str>)> {
    let (before, after) = statement.split_once(storage)?;
    let mut words = before.split_whitespace().chain(after.split_whitespace());
    let size = words.find_map(bytes_of)?;
    let at = after.match_indices(name).find(|(at, _)| is_word(after, *at, name.len()))?.0;
    let mut rest = after[at + name.len()..].trim_start();
    let mut extents = Vec::new();
    while let Some(inside) = rest.strip_prefix('[') {
        let (extent, tail) = inside.split_once(']')?;
        extents.push(extent);
        rest = tail.trim_start();
    }
    (!extents.is_empty()).then_some((size, extents))
}

/// Returns the bytes of an element of a type that has the same size everywhere.
fn bytes_of(word: &str) -> Option<u32> {
    Some(match word {
        "char" | "int8_t" | "uint8_t" | "bool" => 1,
        "half" | "__half" | "__nv_bfloat16" | "short" | "int16_t" | "uint16_t" => 2,
        "float" | "int" | "int32_t" | "uint32_t" | "half2" | "__half2" => 4,
        "double" | "int64_t" | "uint64_t" | "float2" | "int2" | "uint2" => 8,
        "float3" | "int3" | "uint3" => 12,
        "float4" | "int4" | "uint4" | "double2" => 16,
        // The size depends on the system: 0 fits no array.
        "long" => 0,
        _ => return None,
    })
}

/// Evaluates a constant expression of `+ - *` without inner parentheses.
fn value(source: &Source, text: &str, expression: &str, depth: u32) -> Option<u32> {
    let expression = expression.trim();
    let expression = expression.strip_prefix('(').map_or(expression, |inside| {
        inside.strip_suffix(')').filter(|inside| !inside.contains(['(', ')'])).unwrap_or(expression)
    });
    let joined = |sign: char, join: fn(u32, u32) -> Option<u32>| {
        let (left, right) = expression.rsplit_once(sign)?;
        let [left, right] = [left, right].map(|side| value(source, text, side, depth));
        join(left?, right?)
    };
    if depth == 0 || expression.contains(['(', ')']) {
        None
    } else if expression.contains('+') && !expression.contains('-') {
        joined('+', u32::checked_add)
    } else if expression.contains('-') && !expression.contains('+') {
        joined('-', u32::checked_sub)
    } else if expression.contains('*') {
        joined('*', u32::checked_mul)
    } else if expression.starts_with(|first: char| first.is_ascii_digit()) {
        expression.trim_end_matches(['u', 'U']).parse().ok()
    } else {
        let is_name = expression.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        is_name.then(|| named(source, text, expression, depth - 1))?
    }
}

/// Returns the value of a name: from -D, or else the only one that the source gives it.
fn named(source: &Source, text: &str, name: &str, depth: u32) -> Option<u32> {
    let given = source.defines.iter().rev();
    let mut given = given.filter_map(|define| define.split_once('=')).filter(|(of, _)| *of == name);
    if let Some((_, given)) = given.next() {
        return value(source, text, given, depth);
    }
    let mut values = BTreeSet::new();
    for line in text.lines() {
        let macros = line.trim_start().strip_prefix('#').map(str::trim_start);
        let macros = macros.and_then(|line| line.strip_prefix("define")).map(str::trim_start);
        if let Some(is) = macros.and_then(|line| line.strip_prefix(name))
            && is.starts_with([' ', '\t'])
        {
            values.insert(value(source, text, is, depth)?);
        }
    }
    let constant = |statement: &&str| statement.contains("const");
    for statement in text.split([';', '{', '}', '\n', '(', ',']).filter(constant) {
        let Some((before, is)) = statement.split_once('=') else { continue };
        if before.split_whitespace().next_back() == Some(name) {
            values.insert(value(source, text, is, depth)?);
        }
    }
    // A parameter of a template may have another value each time.
    let varies = text.contains("template") && names_parameter(text, name);
    if values.len() == 1 && !varies { values.pop_first() } else { None }
}

/// Whether a template has a parameter of this name.
fn names_parameter(text: &str, name: &str) -> bool {
    let templates = text.split("template").skip(1).filter_map(|rest| rest.split_once('>'));
    templates
        .map(|(head, _)| head)
        .any(|head| head.match_indices(name).any(|(at, _)| is_word(head, at, name.len())))
}

/// Whether the text from `at` on is a whole identifier.
fn is_word(text: &str, at: usize, length: usize) -> bool {
    let part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !text[..at].ends_with(part) && !text[at + length..].starts_with(part)
}

fn without_comments(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("//").into_iter().chain(rest.find("/*")).min() {
        plain.push_str(&rest[..at]);
        let end = if rest[at..].starts_with("//") { "\n" } else { "*/" };
        let after = rest[at + 2..].find(end).map(|end| at + 2 + end);
        rest =
            after.map_or("", |after| if end == "\n" { &rest[after..] } else { &rest[after + 2..] });
    }
    plain + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, defines: &[&str], name: &str, bytes: u32) -> Option<Vec<u32>> {
        let defines = defines.iter().map(|define| (*define).to_owned()).collect();
        let source = Source { file: "k.cu".to_owned(), text: text.to_owned(), defines };
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
