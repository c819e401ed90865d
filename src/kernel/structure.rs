//! Structures that a kernel takes by value, read from its source: the members of a matrix.

use crate::matrix::Operand;

/// A member of a structure.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Member {
    name: String,
    is_pointer: bool,
}

/// What people call the number of columns, of rows, and the leading dimension, in lower case without
/// underscores.
const COLUMNS: [&str; 9] =
    ["width", "w", "cols", "columns", "ncols", "numcols", "numcolumns", "ncolumns", "col"];
const ROWS: [&str; 7] = ["height", "h", "rows", "nrows", "numrows", "row", "r"];
const LEADS: [&str; 7] = ["stride", "pitch", "ld", "lead", "leading", "leadingdim", "rowstride"];

/// The structure `{K,M,A}` for a parameter of the type `name` that holds a matrix, or `None` unless
/// `text` declares one with a single pointer and other members that are all known.
pub(super) fn word(text: &str, name: &str, operand: Operand) -> Option<String> {
    let members = members(text, name)?;
    let pointers = members.iter().filter(|member| member.is_pointer).count();
    let words = members.iter().map(|member| member.word(operand));
    let words: Option<Vec<_>> = words.collect();
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
    Some(declarations.flat_map(|text| text.split(',').filter_map(member)).collect())
}

fn member(declarator: &str) -> Option<Member> {
    let name = declarator.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next()?;
    (!name.is_empty())
        .then(|| Member { name: name.to_owned(), is_pointer: declarator.contains('*') })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_members_of_a_matrix_are_known() {
        let text = "typedef struct { int width; // in elements\n int height; float* elements; } Matrix;\n\
                    struct View {\n const double *data;\n size_t rows, cols, ld;\n};\n\
                    struct Tile { float* data; int depth; };\n\
                    struct Two { float *a, *b; };\n\
                    struct Rich { float* data; int rows() const { return 1; } };";
        let of = |name, operand| word(text, name, operand);
        assert_eq!(of("Matrix", Operand::A).as_deref(), Some("{K,M,A}"));
        assert_eq!(of("Matrix", Operand::B).as_deref(), Some("{N,K,B}"));
        assert_eq!(of("View", Operand::C).as_deref(), Some("{C,M,N,ldc}"));
        for unknown in ["Tile", "Two", "Rich", "Matri", "Nothing"] {
            assert_eq!(of(unknown, Operand::A), None, "{unknown}");
        }
    }
}
