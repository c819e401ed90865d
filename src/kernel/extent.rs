//! What people call the sizes of the matrices: `M`, `numARows`, `wA`, `width`.

use crate::matrix::Size;

/// A size of A (M x K), B (K x N) and C (M x N).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
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
const NAMES: [(Extent, &[&str]); 4] = [
    (
        Extent::M,
        &[
            "m", "ha", "hc", "arows", "crows", "rowsa", "rowsc", "numarows", "numcrows", "nrowsa",
            "nrowsc", "heighta", "heightc", "aheight", "cheight", "mrows", "rowa", "rowc", "arow",
            "crow", "ny",
        ],
    ),
    (
        Extent::N,
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
        Extent::K,
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
        Extent::Side,
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

impl Extent {
    /// What a name stands for, if people use it for that.
    pub fn of(name: &str) -> Option<Self> {
        let plain = name.replace('_', "").to_lowercase();
        let found = NAMES.iter().find(|(_, names)| names.contains(&&*plain));
        found.map(|(extent, _)| *extent)
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

    /// The word in `--args`.
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
            ("M", Extent::M),
            ("numARows", Extent::M),
            ("wB", Extent::N),
            ("num_b_columns", Extent::N),
            ("A_cols", Extent::K),
            ("WIDTH", Extent::Side),
        ] {
            assert_eq!(Extent::of(name), Some(extent), "{name}");
        }
        assert_eq!(Extent::of("alpha"), None);
        assert_eq!(Extent::Side.value(Size { m: 2, n: 3, k: 4 }), None);
        assert_eq!(Extent::Side.value(Size::square(5)), Some(5));
    }
}
