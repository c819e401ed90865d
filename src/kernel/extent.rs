//! What people call the sizes of the matrices: `M`, `numARows`, `wA`, `width`.

use crate::matrix::Size;

/// A size of A (M x K), B (K x N) and C (M x N).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SizeName {
    /// The rows of A and C.
    M,
    /// The columns of B and C.
    N,
    /// The columns of A and the rows of B.
    K,
    /// The side of square matrices.
    Side,
}

/// The names, in lower case without underscores.
const NAMES: [(SizeName, &[&str]); 4] = [
    (
        SizeName::M,
        &[
            "m", "ha", "hc", "arows", "crows", "rowsa", "rowsc", "numarows", "numcrows", "nrowsa",
            "nrowsc", "heighta", "heightc", "aheight", "cheight", "mrows", "rowa", "rowc", "arow",
            "crow", "ny",
        ],
    ),
    (
        SizeName::N,
        &[
            "n",
            "wb",
            "wc",
            "bcols",
            "ccols",
            "colsb",
            "colsc",
            "numbcolumns",
            "numccolumns",
            "numbcols",
            "numccols",
            "bcolumns",
            "ccolumns",
            "columnsb",
            "columnsc",
            "ncolsb",
            "ncolsc",
            "widthb",
            "widthc",
            "bwidth",
            "cwidth",
            "colb",
            "colc",
            "bcol",
            "ccol",
            "nx",
        ],
    ),
    (
        SizeName::K,
        &[
            "k",
            "wa",
            "hb",
            "acols",
            "colsa",
            "brows",
            "rowsb",
            "numacolumns",
            "numacols",
            "numbrows",
            "acolumns",
            "columnsa",
            "ncolsa",
            "nrowsb",
            "widtha",
            "heightb",
            "awidth",
            "bheight",
            "inner",
            "cola",
            "rowb",
            "acol",
            "brow",
            "common",
            "shared",
        ],
    ),
    (
        SizeName::Side,
        &[
            "width",
            "size",
            "dim",
            "side",
            "height",
            "matrixsize",
            "matsize",
            "matrixwidth",
            "matrixdim",
            "msize",
            "nsize",
            "sizen",
            "rows",
            "cols",
            "columns",
            "numrows",
            "numcols",
            "nrows",
            "ncols",
            "row",
            "col",
            "len",
            "length",
            "num",
            "matdim",
            "matrixn",
            "order",
            "sizem",
            "mdim",
            "ndim",
            "matrixorder",
            "l",
            "w",
            "h",
            "p",
        ],
    ),
];

/// What people call the number of rows of a matrix.
const DOWN: [&str; 3] = ["row", "rows", "height"];

/// What they call the number of its columns.
const ACROSS: [&str; 5] = ["col", "cols", "column", "columns", "width"];

/// Words beside these that say nothing of the matrix.
const PASSED: [&str; 6] = ["num", "of", "in", "the", "mat", "matrix"];

fn is_among(part: &str, words: &[&str]) -> bool {
    words.contains(&part)
}

/// The words of a name in lower case: `numARows` has three.
fn parts(name: &str) -> Vec<String> {
    let mut parts: Vec<String> = vec![String::new()];
    let mut before = ' ';
    let letters: Vec<char> = name.chars().collect();
    for (at, letter) in letters.iter().copied().enumerate() {
        let begins_word = letter.is_uppercase()
            && (before.is_lowercase()
                || letters.get(at + 1).is_some_and(|next| next.is_lowercase()));
        let begins = begins_word || letter.is_ascii_digit() != before.is_ascii_digit();
        if letter == '_' || begins {
            parts.push(String::new());
        }
        if letter != '_' {
            parts.last_mut().into_iter().for_each(|part| part.extend(letter.to_lowercase()));
        }
        before = letter;
    }
    parts.retain(|part| !part.is_empty());
    parts
}

impl SizeName {
    /// What a name stands for, if people use it for that.
    pub fn of(name: &str) -> Option<Self> {
        let plain = name.replace('_', "").to_lowercase();
        let found = NAMES.iter().find(|(_, names)| names.contains(&&*plain));
        found.map(|(extent, _)| *extent).or_else(|| Self::of_matrix(name))
    }

    /// What a name stands for that consists of a side and a matrix: `row_M`, `colsOfB`, `P_width`.
    fn of_matrix(name: &str) -> Option<Self> {
        let parts = parts(name);
        let side = parts.iter().find(|part| is_among(part, &DOWN) || is_among(part, &ACROSS))?;
        let rest = parts.iter().filter(|part| *part != side && !is_among(part, &PASSED));
        let mut matrix: Vec<_> = rest.map(|part| &**part).collect();
        // The `n` of `nColsA` is for "number"; that of `row_n` is a matrix.
        if matrix.len() > 1 {
            matrix.retain(|part| *part != "n");
        }
        let [matrix] = matrix[..] else { return None };
        let is_down = is_among(side, &DOWN);
        match matrix {
            "a" | "m" | "1" => Some(if is_down { Self::M } else { Self::K }),
            "b" | "n" | "2" => Some(if is_down { Self::K } else { Self::N }),
            "c" | "p" | "3" => Some(if is_down { Self::M } else { Self::N }),
            _ => None,
        }
    }

    /// Its value; a side only if the matrices are square.
    pub fn value(self, size: Size) -> Option<u32> {
        match self {
            Self::M => Some(size.m),
            Self::N => Some(size.n),
            Self::K => Some(size.k),
            Self::Side => (size == Size::square(size.n)).then_some(size.n),
        }
    }

    /// The word in `--launch`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::M => "M",
            Self::N | Self::Side => "N",
            Self::K => "K",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_names_are_known_in_any_spelling() {
        for (name, extent) in [
            ("M", SizeName::M),
            ("numARows", SizeName::M),
            ("wB", SizeName::N),
            ("num_b_columns", SizeName::N),
            ("A_cols", SizeName::K),
            ("WIDTH", SizeName::Side),
            ("row_M", SizeName::M),
            ("col_M", SizeName::K),
            ("rowN", SizeName::K),
            ("num_cols_N", SizeName::N),
            ("colsOfB", SizeName::N),
            ("P_width", SizeName::N),
            ("height2", SizeName::K),
        ] {
            assert_eq!(SizeName::of(name), Some(extent), "{name}");
        }
        for name in ["alpha", "row", "first_row", "a_b_rows", "colour", "row_index_a"] {
            assert!(matches!(SizeName::of(name), None | Some(SizeName::Side)), "{name}");
        }
        assert_eq!(SizeName::Side.value(Size { m: 2, n: 3, k: 4 }), None);
        assert_eq!(SizeName::Side.value(Size::square(5)), Some(5));
    }
}
