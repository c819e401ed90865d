//! The arrays of shared memory: their pictures, their names and the types of their values.

use super::SharedValues;
use crate::kernel::ROW;
use crate::sim::SharedArray;
use crate::tui::session::Session;
use crate::tui::theme::{Role, role};

/// An array of words, as pictured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PicturedArray<'a> {
    /// The label above it.
    pub title: &'a str,
    /// A shorter label.
    pub name: &'a str,
    /// The index of its first word.
    pub first: u32,
    /// The number of rows.
    pub rows: u32,
    /// The number of words per row.
    pub columns: u32,
    /// The last columns of these that hold nothing, so that rows begin in different banks.
    pub pad: u32,
    /// The colour of its words: that of the matrix from which they come, if known.
    pub role: Role,
    /// The bytes of an element, in which its title and places count.
    pub element: u8,
}

impl PicturedArray<'_> {
    /// Whether it has the same shape.
    pub(in crate::tui) const fn is_like(&self, other: &Self) -> bool {
        self.rows == other.rows && self.columns == other.columns
    }

    pub(in crate::tui) fn index(&self, row: u32, column: u32) -> usize {
        (self.first + row * self.columns + column) as usize
    }

    /// Yields (row, column) of those of these words that are its elements.
    pub(in crate::tui) fn places(self, words: &[u32]) -> impl Iterator<Item = (u32, u32)> {
        let Self { first, rows, columns, .. } = self;
        let inside = words.iter().filter_map(move |word| word.checked_sub(first));
        let elements = inside.filter(move |index| *index < rows * columns);
        elements.map(move |index| (index / columns.max(1), index % columns.max(1)))
    }

    /// The elements of a row, without the padding.
    pub(in crate::tui) fn elements_across(&self) -> u32 {
        (self.columns - self.pad) * 4 / u32::from(self.element)
    }

    /// Yields (row, column) of the elements in these words.
    pub(in crate::tui) fn elements_of(
        self,
        words: impl Iterator<Item = (u32, u32)>,
    ) -> impl Iterator<Item = (u32, u32)> {
        let bytes = u32::from(self.element);
        words.flat_map(move |(row, word)| {
            let (first, last) = (4 * word / bytes, (4 * word + 3) / bytes);
            (first..=last).map(move |column| (row, column))
        })
    }

    /// Yields (row, column) of each element.
    pub(in crate::tui) fn elements(&self) -> impl Iterator<Item = (u32, u32)> + use<> {
        let columns = self.columns;
        (0..self.rows).flat_map(move |row| (0..columns).map(move |column| (row, column)))
    }
}

/// Returns the values in shared memory, as far as their types are known.
pub fn shared_values(session: &Session) -> SharedValues {
    let typed = |array: &SharedArray| {
        let end = (array.offset + array.bytes).div_ceil(4);
        array.of.map(|of| (array.offset / 4..end, of))
    };
    let types = session.trace().program().shared.iter().filter_map(typed).collect();
    SharedValues { words: session.replay().machine().shared().to_vec(), types }
}

/// Returns the title of each picture of shared memory.
pub fn shared_titles(session: &Session) -> Vec<String> {
    let staged = session.problem().staged(session.trace().program());
    let titles =
        staged.map(|(array, _, (rows, columns))| format!("{}[{rows}][{columns}]", array.name));
    let mut titles: Vec<_> = titles.collect();
    let declared = declared_arrays(session);
    titles.extend(declared.iter().map(|of| format!("{}{}", of.rank, titled(of.array))));
    let unknown = || vec![format!("{ROW} words a row, one in each bank")];
    if titles.is_empty() { unknown() } else { titles }
}

/// Of each block of the machine: its rank in words, empty for a block alone, and the first word of its
/// shared memory.
fn ranks(session: &Session) -> Vec<(String, u32)> {
    let blocks = session.replay().machine().blocks();
    if blocks.is_single() {
        return vec![(String::new(), 0)];
    }
    let of = |rank| (format!("rank {rank}: "), (blocks.start(rank) / 4) as u32);
    (0..blocks.count()).map(of).collect()
}

/// The shared arrays of a kernel that hold no tile of the catalogue, or none unless the shapes of all
/// are known.
fn declared_arrays(session: &Session) -> Vec<DeclaredArray<'_>> {
    let shapes = declared_shapes(session);
    let of_rank = |(rank, start): (String, u32)| {
        let each = shapes.iter().map(move |(array, rows, columns)| DeclaredArray {
            rank: rank.clone(),
            array,
            first: start + array.offset / 4,
            rows: *rows,
            columns: *columns,
        });
        each.collect::<Vec<_>>()
    };
    ranks(session).into_iter().flat_map(of_rank).collect()
}

/// A shared array of one block, whose shape its source declares.
struct DeclaredArray<'a> {
    rank: String,
    array: &'a SharedArray,
    /// Its first word in the shared memory of all blocks that run together.
    first: u32,
    rows: u32,
    columns: u32,
}

/// Those arrays with the (rows, words of a row) that the source declares.
fn declared_shapes(session: &Session) -> Vec<(&SharedArray, u32, u32)> {
    let program = session.trace().program();
    let is_staged = |array: &&SharedArray| {
        session.problem().staged(program).any(|(staged, ..)| staged.array == array.name)
    };
    let known = program.shared.iter().filter(|array| !is_staged(array)).map(|array| {
        let rows = array.extents.split_last()?.1.iter().product::<u32>();
        let words = (array.bytes / 4).checked_div(rows)?;
        if rows == 1 && words > ROW && words.is_multiple_of(ROW) {
            // A long row is folded, so that a column is a bank.
            return Some((array, words / ROW, ROW));
        }
        (words * rows * 4 == array.bytes).then_some((array, rows, words))
    });
    known.collect::<Option<_>>().unwrap_or_default()
}

/// The bytes of an element of a declared array, or of a part of it where it is a vector.
fn element_bytes(array: &SharedArray) -> u8 {
    let bytes = array.element_bytes().and_then(|bytes| u8::try_from(bytes).ok());
    bytes.filter(|bytes| matches!(bytes, 1 | 2 | 4 | 8)).unwrap_or(4)
}

/// An array as it is declared: `sA[16][17]`.
fn titled(array: &SharedArray) -> String {
    let sides = array.extents.iter().map(|side| format!("[{side}]"));
    format!("{}{}", array.name, sides.collect::<Vec<_>>().concat())
}

/// Returns the pictures of shared memory, and the (first word, name) labels. Each tile of a
/// catalogue kernel has a picture of its own, and so has each other array whose source declares its
/// shape; otherwise one picture shows all words.
pub fn shared_arrays<'a>(
    session: &'a Session,
    titles: &'a [String],
) -> (Vec<PicturedArray<'a>>, Vec<(u32, &'a str)>) {
    let program = session.trace().program();
    let arrays = &program.shared;
    let title = "";
    let staged = session.problem().staged(program);
    let staged = staged.map(|(staged, first, (rows, columns))| PicturedArray {
        title,
        name: staged.name,
        first,
        rows,
        columns,
        pad: staged.pad,
        role: role(staged.of),
        element: 4,
    });
    let declared = declared_arrays(session).into_iter().map(|of| PicturedArray {
        title,
        name: &of.array.name,
        first: of.first,
        rows: of.rows,
        columns: of.columns,
        pad: 0,
        role: Role::Shared,
        element: element_bytes(of.array),
    });
    let known = staged.chain(declared).zip(titles);
    let known: Vec<_> = known.map(|(array, title)| PicturedArray { title, ..array }).collect();
    if !known.is_empty() {
        return (known, Vec::new());
    }
    let words = session.place().shared.len() as u32;
    let all = titles.iter().filter(|_| words > 0).map(|title| PicturedArray {
        title,
        name: "all words",
        first: 0,
        rows: words.div_ceil(ROW),
        columns: ROW,
        pad: 0,
        role: Role::Shared,
        element: 4,
    });
    let labels = ranks(session).into_iter().flat_map(|(_, start)| {
        arrays.iter().map(move |array| (start + array.offset / 4, &*array.name))
    });
    (all.collect(), labels.collect())
}
