//! Structures that a kernel takes by value, read from its source: the members of a matrix.

use crate::matrix::Operand;

#[derive(Clone, Debug, PartialEq, Eq)]
struct Member {
    name: String,
    is_pointer: bool,
    /// Whether it is an integer of 64 bits, as the declaration says.
    is_wide: bool,
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
    let word = |member: &Member| {
        let word = member.word(operand)?;
        Some(if mixed && member.is_wide { format!("{word}:i64") } else { word.to_owned() })
    };
    let words: Option<Vec<_>> = members.iter().map(word).collect();
    words.filter(|_| pointers == 1).map(|words| format!("{{{}}}", words.join(",")))
}

impl Member {
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
fn members(text: &str, name: &str) -> Option<Vec<Member>> {
    let code: Vec<_> = text.lines().map(|line| line.split("//").next().unwrap_or("")).collect();
    let code = code.join("\n");
    let is_name = |text: &str| text.split_whitespace().next_back() == Some(name);
    let mut bodies = code.match_indices("struct").filter_map(|(at, word)| {
        let (head, rest) = code[at + word.len()..].split_once('{')?;
        let (body, tail) = rest.split_once('}')?;
        let after = tail.split(';').next().unwrap_or("");
        let is_it = !head.contains([';', '(', ')']) && (is_name(head) || is_name(after));
        is_it.then(|| body.to_owned())
    });
    let body = bodies.next()?;
    if body.contains(['(', '{', ':', '<']) {
        return None;
    }
    let declarations = body.split(';').map(str::trim).filter(|text| !text.is_empty());
    let of = |text: &'_ str| {
        let is_wide = text.split_whitespace().any(|word| WIDE.contains(&word));
        text.split(',').filter_map(|text| member(text, is_wide)).collect::<Vec<_>>()
    };
    Some(declarations.flat_map(of).collect())
}

fn member(declarator: &str, is_wide: bool) -> Option<Member> {
    let name = declarator.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next()?;
    let (name, is_pointer) = (name.to_owned(), declarator.contains('*'));
    (!name.is_empty()).then_some(Member { name, is_pointer, is_wide: is_wide && !is_pointer })
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
        for unknown in ["Tile", "Two", "Rich", "Matri", "Nothing"] {
            assert_eq!(of(unknown, Operand::A), None, "{unknown}");
        }
    }
}
