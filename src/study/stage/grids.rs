//! The arrays of a program, as grids of elements.

use crate::kernel::{Problem, ROW};
use crate::matrix::{Layout, Operand};
use crate::sim::{Access, Memory, Program, SharedArray};
use std::collections::BTreeMap;
use std::ops::Range;

/// An array of global memory.
#[derive(Clone, Debug)]
pub(super) struct GlobalGrid {
    pub(super) name: String,
    pub(super) operand: Option<Operand>,
    base: u64,
    bytes: u64,
    /// Bytes of an element.
    pub(super) element: u64,
    pub(super) rows: u32,
    pub(super) columns: u32,
    layout: Option<Layout>,
}

impl GlobalGrid {
    /// The row and the column of the element at an address.
    pub(super) fn at(&self, addr: u64) -> Option<(u32, u32)> {
        let place = addr.checked_sub(self.base).filter(|at| *at < self.bytes)? / self.element;
        if let Some(layout) = self.layout {
            return layout.at((self.rows, self.columns), place);
        }
        let columns = u64::from(self.columns);
        Some(((place / columns) as u32, (place % columns) as u32))
    }

    /// The address of an element.
    pub(super) fn address(&self, row: u32, column: u32) -> u64 {
        let place = match self.layout {
            Some(layout) => layout.place((self.rows, self.columns), row, column),
            None => u64::from(row) * u64::from(self.columns) + u64::from(column),
        };
        self.base + place * self.element
    }

    /// Lays an array that has no rows of its own out in rows of this many elements.
    pub(super) fn fold(&mut self, columns: u32) {
        let elements = self.bytes / self.element.max(1);
        self.columns = columns.max(1);
        self.rows = elements.div_ceil(u64::from(self.columns)) as u32;
    }

    pub(super) const fn is_flat(&self) -> bool {
        self.operand.is_none()
    }
}

/// All arrays of global memory, in the order of their addresses.
#[derive(Clone, Debug)]
pub(super) struct GlobalGrids(pub(super) Vec<GlobalGrid>);

impl GlobalGrids {
    pub(super) fn of(problem: &Problem, memory: &Memory) -> Self {
        let grids = memory.buffers().iter().map(|buffer| {
            let operand = problem.operands.iter().find(|of| of.name() == buffer.name).copied();
            let own = problem.buffers.iter().find(|own| own.name == buffer.name);
            let layout = operand.map(|operand| problem.layout(operand));
            let element = match (layout, own) {
                (Some(layout), _) => layout.of.bytes(),
                (None, Some(own)) => own.of.bytes(),
                (None, None) => 4,
            };
            let (rows, columns) = match operand {
                Some(operand) => problem.size.shape(operand),
                None => (1, (buffer.bytes / u64::from(element)).max(1) as u32),
            };
            let (name, base, bytes) = (buffer.name.clone(), buffer.base, buffer.bytes);
            let element = u64::from(element);
            GlobalGrid { name, operand, base, bytes, element, rows, columns, layout }
        });
        Self(grids.collect())
    }

    /// The array that holds an address, and the element's row and column.
    pub(super) fn locate(&self, addr: u64) -> Option<(usize, u32, u32)> {
        let number = self.0.partition_point(|grid| grid.base <= addr).checked_sub(1)?;
        let (row, column) = self.0[number].at(addr)?;
        Some((number, row, column))
    }

    /// The same of the first element that an access touches.
    pub(super) fn first(&self, access: &Access) -> Option<(usize, u32, u32)> {
        access.touched().next().and_then(|(_, addr)| self.locate(addr))
    }

    pub(super) fn of_operand(&self, operand: Operand) -> Option<usize> {
        self.0.iter().position(|grid| grid.operand == Some(operand))
    }
}

/// A shared array, or one of the sets of one.
#[derive(Clone, Debug)]
pub(super) struct SharedGrid {
    /// Its name in the source, without an index of a set.
    pub(super) array: String,
    /// As it stands in a title: `sA[16][16]`.
    pub(super) title: String,
    /// Its first word in the block's shared memory.
    pub(super) first: u32,
    pub(super) rows: u32,
    /// Words of a row.
    pub(super) columns: u32,
}

impl SharedGrid {
    /// The row and the column of a word.
    pub(super) const fn at(&self, word: u32) -> Option<(u32, u32)> {
        let Some(index) = word.checked_sub(self.first) else { return None };
        if index < self.rows * self.columns {
            Some((index / self.columns, index % self.columns))
        } else {
            None
        }
    }
}

/// The shared arrays that hold words, in the order of their addresses: parts as the catalogue or the
/// declarations divide them, and whole arrays in rows of as many words as there are banks otherwise.
pub(super) fn shared_grids(problem: &Problem, program: &Program) -> Vec<SharedGrid> {
    let staged = problem.staged(program).map(|(staged, first, (rows, columns))| SharedGrid {
        array: staged.array.to_owned(),
        title: format!("{}[{rows}][{columns}]", staged.name),
        first,
        rows,
        columns,
    });
    let mut grids: Vec<_> = staged.collect();
    let known: Vec<String> = grids.iter().map(|grid| grid.array.clone()).collect();
    let others = program.shared.iter().filter(|array| !known.contains(&array.name));
    grids.extend(others.flat_map(declared));
    grids.sort_by_key(|grid| grid.first);
    grids
}

fn declared(array: &SharedArray) -> Vec<SharedGrid> {
    let (first, words) = (array.offset / 4, array.bytes.div_ceil(4));
    let sides = array.extents.iter().map(|side| format!("[{side}]")).collect::<Vec<_>>().concat();
    let grid = |title: String, first, rows, columns| SharedGrid {
        array: array.name.clone(),
        title,
        first,
        rows,
        columns,
    };
    match array.extents[..] {
        [sets, rows, _] if sets > 1 && words.is_multiple_of(sets * rows) => (0..sets)
            .map(|set| {
                let name = format!("{}[{set}]", array.name);
                let (each, columns) = (words / sets, words / sets / rows);
                grid(format!("{name}[{rows}][{columns}]"), first + set * each, rows, columns)
            })
            .collect(),
        [rows, _] if rows > 0 && words.is_multiple_of(rows) => {
            vec![grid(format!("{}{sides}", array.name), first, rows, words / rows)]
        }
        _ => {
            let columns = words.clamp(1, ROW);
            vec![grid(format!("{}{sides}", array.name), first, words.div_ceil(columns), columns)]
        }
    }
}

/// Counts how often each of these is among them.
pub(super) fn counted<T: Ord>(all: impl Iterator<Item = T>) -> BTreeMap<T, u32> {
    let mut counts = BTreeMap::new();
    all.for_each(|one| *counts.entry(one).or_default() += 1);
    counts
}

/// The numbers of the words of shared memory that an access touches.
pub(super) fn words(access: &Access) -> impl Iterator<Item = u32> {
    let count = u32::from(access.bytes).div_ceil(4);
    access.touched().flat_map(move |(_, addr)| (0..count).map(move |word| addr as u32 / 4 + word))
}

/// From the least to the greatest.
pub(super) fn span(all: impl Iterator<Item = u32>) -> Option<Range<u32>> {
    all.fold(None, |span: Option<Range<u32>>, one| match span {
        None => Some(one..one + 1),
        Some(span) => Some(span.start.min(one)..span.end.max(one + 1)),
    })
}
