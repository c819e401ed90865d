//! What the order of a grid's blocks changes in its result.

use super::buffers::bytes;
use crate::kernel::sha256;
use crate::report::number::grouped;
use crate::sim::{Allocation, Memory};
use crate::study::schedule::{Backwards, Changed};
use serde::Serialize;
use std::fmt::Write;

/// The result of the blocks from the first to the last, beside that from the last to the first.
#[derive(Debug, Serialize)]
pub(super) struct BlockOrders {
    /// The elements that differ, over all buffers.
    elements: u64,
    /// The first of them: what it is from the last to the first, and what it was.
    first: Changed,
    buffers: Vec<Row>,
}

/// A buffer that differs.
#[derive(Debug, Serialize)]
struct Row {
    name: String,
    /// SHA-256 of its bytes, from the first block to the last.
    sha256: String,
    /// The same, from the last to the first.
    sha256_backwards: String,
}

impl BlockOrders {
    pub(super) fn new(usual: &Memory, backwards: &Backwards) -> Self {
        let pairs = usual.buffers().iter().zip(backwards.memory.buffers());
        let row = |(one, other): (&Allocation, &Allocation)| {
            let [sha256, sha256_backwards] = [one, other].map(|buffer| sha256(&bytes(buffer)));
            let name = one.name.clone();
            (sha256 != sha256_backwards).then_some(Row { name, sha256, sha256_backwards })
        };
        let (elements, first) = (backwards.elements, backwards.first.clone());
        Self { elements, first, buffers: pairs.filter_map(row).collect() }
    }

    pub(super) fn text(&self) -> String {
        let Changed { element, is, was } = &self.first;
        let names: Vec<_> = self.buffers.iter().map(|row| &*row.name).collect();
        let depends = if names.len() == 1 { "depends" } else { "depend" };
        let names = names.join(", ");
        let mut text = format!(
            "\n{names} {depends} on the order of the blocks: {element} = {was} from the first to the \
             last, {is} from the last to the first"
        );
        if self.elements > 1 {
            let _ = write!(text, " ({} elements differ)", grouped(self.elements));
        }
        text.push('\n');
        let width = self.buffers.iter().map(|row| row.name.chars().count()).max().unwrap_or(0);
        for Row { name, sha256_backwards, .. } in &self.buffers {
            let _ = writeln!(text, "{name:<width$}  {sha256_backwards} from the last to the first");
        }
        text
    }
}
