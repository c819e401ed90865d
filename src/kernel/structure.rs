//! Structures that a kernel takes by value, read from its source: the members of a matrix.

use super::args_error::{COUNT, NUMBER};
use super::signature::elements_named;
use crate::matrix::{ElementType, Operand};
use cudac::{CudaSource, Lexeme, closing, listed, until};

#[derive(Clone, Debug, PartialEq, Eq)]
struct StructMember {
    name: String,
    is_pointer: bool,
    /// Whether it is an integer of 64 bits, as the declaration says.
    is_wide: bool,
    /// The type before it, or before its `*`, as it is written.
    of: String,
}

/// What people call the number of columns, of rows, and the leading dimension, in lower case without
/// underscores.
const COLUMNS: [&str; 9] =
    ["width", "w", "cols", "columns", "ncols", "numcols", "numcolumns", "ncolumns", "col"];
const ROWS: [&str; 7] = ["height", "h", "rows", "nrows", "numrows", "row", "r"];
const LEADS: [&str; 7] = ["stride", "pitch", "ld", "lead", "leading", "leadingdim", "rowstride"];

/// The integers of 64 bits, where CUDA runs on Linux.
const WIDE: [&str; 6] = ["long", "size_t", "ssize_t", "ptrdiff_t", "int64_t", "uint64_t"];

/// The structure `{K,M,A}` for a parameter of the type `name` that holds a matrix, or `None` unless
/// `text` declares one with a single pointer and other members that are all known.
pub(super) fn word(text: &str, name: &str, operand: Operand) -> Option<String> {
    let members = members(text, name)?;
    let pointers = members.iter().filter(|member| member.is_pointer).count();
    let integers = || members.iter().filter(|member| !member.is_pointer);
    let mixed = integers().any(|member| member.is_wide) && !integers().all(|member| member.is_wide);
    let word = |member: &StructMember| {
        let word = member.word(operand)?;
        Some(if mixed && member.is_wide { format!("{word}:i64") } else { word.to_owned() })
    };
    let words: Option<Vec<_>> = members.iter().map(word).collect();
    words.filter(|_| pointers == 1).map(|words| format!("{{{}}}", words.join(",")))
}

/// The structure `{p_at:f32[COUNT],p_n=NUMBER}` for a parameter of the type `ty` that is called `name`, with
/// buffers and numbers of its own; `None` if a member is neither.
pub(super) fn own_words(text: &str, ty: &str, name: &str) -> Option<String> {
    let word = |member: &StructMember| {
        let own = format!("{name}_{}", member.name);
        let of = elements_named(&member.of)?;
        Some(match of {
            _ if member.is_pointer => format!("{own}:{of}[{COUNT}]"),
            ElementType::I32 | ElementType::U32 => format!("{own}={NUMBER}"),
            ElementType::F32 => format!("{own}=1.0f"),
            ElementType::F64 => format!("{own}=1.0"),
            _ => return None,
        })
    };
    let words: Option<Vec<_>> = members(text, ty)?.iter().map(word).collect();
    words.map(|words| format!("{{{}}}", words.join(",")))
}

impl StructMember {
    fn word(&self, operand: Operand) -> Option<&'static str> {
        if self.is_pointer {
            return Some(operand.name());
        }
        let name = self.name.replace('_', "").to_lowercase();
        let is = |names: &[&str]| names.contains(&&*name);
        let (rows, columns, lead) = match operand {
            Operand::A => ("M", "K", "lda"),
            Operand::B => ("K", "N", "ldb"),
            Operand::C => ("M", "N", "ldc"),
        };
        match () {
            () if is(&COLUMNS) => Some(columns),
            () if is(&ROWS) => Some(rows),
            () if is(&LEADS) => Some(lead),
            () => None,
        }
    }
}

/// The members of a structure, in order, if it has nothing else.
fn members(text: &str, name: &str) -> Option<Vec<StructMember>> {
    let all = &CudaSource::read(text).lexemes[..];
    let is_name = |one: Option<&Lexeme<'_>>| one.is_some_and(|one| one.text == name);
    let mut bodies = (0..all.len()).filter(|at| all[*at].text == "struct").filter_map(|at| {
        let (head, rest) = all[at..].split_at(until(&all[at..], &["{", ";"]).len());
        let end = closing(rest).filter(|_| rest[0].text == "{")?;
        let is_it = is_name(head.last()) || is_name(until(&rest[end + 1..], &[";"]).last());
        is_it.then(|| &rest[1..end])
    });
    let body = bodies.next()?;
    if body.iter().any(|one| matches!(one.text, "(" | "{" | ":" | "::" | "<")) {
        return None;
    }
    let declarations = body.split(|one| one.text == ";");
    let members = declarations.flat_map(|declaration| {
        let is_wide = declaration.iter().any(|one| WIDE.contains(&one.text));
        let first = until(declaration, &[",", "*"]);
        let is_pointer = declaration.get(first.len()).is_some_and(|one| one.text == "*");
        let words =
            if is_pointer { first } else { first.split_last().map_or(first, |(_, words)| words) };
        let of = words.iter().map(|one| one.text).collect::<Vec<_>>().join(" ");
        listed(declaration).filter_map(move |declarator| {
            let name = declarator.last().filter(|name| name.is_word())?.text.to_owned();
            let is_pointer = declarator.iter().any(|one| one.text == "*");
            let (is_wide, of) = (is_wide && !is_pointer, of.clone());
            Some(StructMember { name, is_pointer, is_wide, of })
        })
    });
    Some(members.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_members_of_a_matrix_are_known() {
        let text = "typedef struct { int width; // in elements\n int height; float* elements; } Matrix;\n\
                    struct View {\n const double *data;\n size_t rows, cols, ld;\n};\n\
                    struct Long { float* data; int rows, cols; size_t stride; };\n\
                    struct Tile { float* data; int depth; };\n\
                    struct Two { float *a, *b; };\n\
                    struct Rich { float* data; int rows() const { return 1; } };";
        let of = |name, operand| word(text, name, operand);
        assert_eq!(of("Matrix", Operand::A).as_deref(), Some("{K,M,A}"));
        assert_eq!(of("Matrix", Operand::B).as_deref(), Some("{N,K,B}"));
        assert_eq!(of("View", Operand::C).as_deref(), Some("{C,M,N,ldc}"));
        assert_eq!(of("Long", Operand::A).as_deref(), Some("{A,M,K,lda:i64}"));
        assert_eq!(
            own_words(text, "Tile", "t").as_deref(),
            Some("{t_data:f32[COUNT],t_depth=NUMBER}")
        );
        assert_eq!(own_words(text, "Two", "t").as_deref(), Some("{t_a:f32[COUNT],t_b:f32[COUNT]}"));
        assert_eq!(own_words(text, "Rich", "t"), None);
        for unknown in ["Tile", "Two", "Rich", "Matri", "Nothing"] {
            assert_eq!(of(unknown, Operand::A), None, "{unknown}");
        }
    }
}
