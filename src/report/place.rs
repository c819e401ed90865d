//! The names of places in memory: `sA[3][7]`, `smem[12]`, `C[5][2]`.

use crate::kernel::{Problem, ROW};
use crate::matrix::ElementType;
use crate::sim::{Memory, Program, SharedArray};
use std::fmt;

/// The sources of names for places.
#[derive(Clone, Copy, Debug)]
pub struct PlaceNames<'a> {
    /// The launch.
    pub problem: &'a Problem,
    pub program: &'a Program,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ArrayElement<'a> {
    /// The array, the row and the column.
    Cell(&'a str, u32, u32),
    /// The array and the index: of a word, if the array's shape is not known, or of an element of an
    /// array of one dimension or of a user's buffer.
    Word(&'a str, u64),
}

impl<'a> PlaceNames<'a> {
    /// The element at an address of global memory, in a matrix or another buffer.
    pub(super) fn in_global(self, memory: &'a Memory, addr: u64) -> Option<ArrayElement<'a>> {
        if let Some((operand, row, column)) = self.problem.element(memory, addr) {
            return Some(ArrayElement::Cell(operand.name(), row, column));
        }
        if let Some((buffer, index)) = self.problem.own_element(memory, addr) {
            return Some(ArrayElement::Word(&buffer.name, index));
        }
        let (buffer, offset) = memory.locate(addr)?;
        Some(ArrayElement::Word(&buffer.name, offset / 4))
    }

    /// The element at an address of shared memory.
    pub(super) fn in_shared(self, addr: u64) -> Option<ArrayElement<'a>> {
        let (name, row, column) = self.problem.shared_element(self.program, addr)?;
        let array = self.program.shared.iter().find(|array| array.name == name);
        let has_rows = array.is_some_and(|array| array.columns().is_some());
        Some(if has_rows || self.problem.staged_in(name).is_some() {
            ArrayElement::Cell(name, row, column)
        } else {
            ArrayElement::Word(name, (row * ROW + column).into())
        })
    }

    /// The bytes of an element of the shared array at an address, or of a word where its extents are
    /// not known.
    pub(super) fn element_bytes(self, addr: u64) -> u32 {
        self.array(addr).and_then(SharedArray::element_bytes).filter(|each| *each <= 8).unwrap_or(4)
    }

    /// The type of the elements of the shared array at an address, if it is known.
    pub(super) fn shared_type(self, addr: u64) -> Option<ElementType> {
        self.array(addr)?.of
    }

    fn array(self, addr: u64) -> Option<&'a SharedArray> {
        let inside =
            |array: &&SharedArray| addr.wrapping_sub(array.offset.into()) < array.bytes.into();
        self.program.shared.iter().find(inside)
    }

    /// The name of a place in global memory.
    pub(super) fn global(self, memory: &Memory, addr: u64) -> String {
        let element = self.in_global(memory, addr);
        element.map_or_else(|| format!("global byte {addr:#x}"), |element| element.to_string())
    }

    /// The name of a place in shared memory, of several blocks with the rank of its own. In an array of
    /// unknown extents, the index counts elements of `bytes` bytes.
    pub(super) fn shared(self, addr: u64, bytes: u32) -> String {
        let (rank, addr) = self.problem.in_block(self.program, addr);
        let name = self.in_block(addr, bytes);
        if self.program.blocks_together() > 1 { format!("{name} of rank {rank}") } else { name }
    }

    /// The name of a place in the shared memory of its block.
    pub(super) fn in_block(self, addr: u64, bytes: u32) -> String {
        if let Some(cell @ ArrayElement::Cell(..)) = self.in_shared(addr) {
            return cell.to_string();
        }
        match self.array(addr) {
            Some(array) => array.element(addr as u32 - array.offset, bytes),
            None => format!("shared byte {addr}"),
        }
    }

    /// The name of a word of shared memory.
    pub(super) fn word(self, addr: u32) -> String {
        self.shared(addr.into(), 4)
    }

    /// The name of a word of one of the module's variables.
    pub(super) fn variable(self, addr: u64) -> String {
        let mut variables = self.program.variables.iter();
        let found = variables.find(|variable| addr.wrapping_sub(variable.base) < variable.bytes);
        match found {
            Some(variable) => format!("{}[{}]", variable.name, (addr - variable.base) / 4),
            None => format!("{addr:#x}"),
        }
    }
}

impl<'a> ArrayElement<'a> {
    /// The array, the row if it has rows, and the column.
    pub(super) const fn place(self) -> (&'a str, Option<u64>, u64) {
        match self {
            Self::Cell(name, row, column) => (name, Some(row as u64), column as u64),
            Self::Word(name, word) => (name, None, word),
        }
    }
}

impl fmt::Display for ArrayElement<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cell(name, row, column) => write!(f, "{name}[{row}][{column}]"),
            Self::Word(name, word) => write!(f, "{name}[{word}]"),
        }
    }
}
