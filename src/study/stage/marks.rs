//! What is marked on a scene, since somebody speaks of it: its cells wherever they are shown.

use super::moment::{Now, StageMark};
use super::scene::WordTile;
use crate::analysis::coalesce::SECTOR;
use crate::matrix::Element;

impl Now<'_> {
    /// Marks what is marked of an array's elements on a tile that shows them from this place on.
    pub(super) fn mark_elements(&self, shown: &mut WordTile, array: usize, from: (u32, u32)) {
        for (row, column) in self.marked_elements(array) {
            if let Some(at) = row.checked_sub(from.0).zip(column.checked_sub(from.1)) {
                shown.mark(at);
            }
        }
    }

    /// The rows and columns of the elements of an array that are marked.
    pub(super) fn marked_elements(&self, array: usize) -> Vec<(u32, u32)> {
        let grid = &self.plan.grids.0[array];
        let of_mark = |mark: &StageMark| match *mark {
            StageMark::Element(Element { operand, row, column }) => {
                Vec::from_iter((grid.operand == Some(operand)).then_some((row, column)))
            }
            StageMark::Sector(addr) => {
                let all = (addr..addr + SECTOR).step_by(grid.element as usize);
                all.filter_map(|addr| grid.at(addr)).collect()
            }
            _ => Vec::new(),
        };
        self.at.focus.marks.iter().flat_map(of_mark).collect()
    }

    /// Marks what is marked of the words of shared memory that a tile shows.
    pub(super) fn mark_words(
        &self,
        shown: &mut WordTile,
        place: impl Fn(u32) -> Option<(u32, u32)>,
    ) {
        for mark in self.at.focus.marks {
            if let StageMark::Word(word) = mark
                && let Some(at) = place(*word)
            {
                shown.mark(at);
            }
        }
    }

    pub(super) fn is_marked(&self, lane: (u16, usize)) -> bool {
        self.at.focus.marks.iter().any(|mark| mark.is_of(lane))
    }
}

impl WordTile {
    fn mark(&mut self, at: (u32, u32)) {
        self.mark_if(at, true);
    }

    pub(super) fn mark_if(&mut self, at: (u32, u32), is_marked: bool) {
        if let Some(cell) = self.cell_mut(at) {
            cell.marked |= is_marked;
        }
    }
}
