//! A warp's part of the block's data: what it touches, what it has stored, what it computes.

use super::related::{of_lane, words_of};
use super::{PointedMoment, Related};
use crate::launch::WARP_SIZE;
use crate::matrix::{Element, Operand};
use crate::sim::LaneMask;
use crate::trace::{Age, Last};
use ptx::Space;

impl PointedMoment<'_> {
    /// Returns a warp's part: the words and elements that its last instruction touches or, if that
    /// is no access, those that it has stored for this tile; the elements of C that it computes.
    pub fn part(&self, warp: usize) -> Related {
        let Some(now) = self.now().warps.get(warp) else { return Related::default() };
        let all = [&now.global, &now.shared].into_iter().flatten();
        let acts = all.clone().find(|last| now.last == Some(last.pc));
        let mut part = match acts {
            Some(last) if last.access.space == Space::Shared => {
                self.with_elements(words_of(&last.access).collect())
            }
            Some(last) => self.loaded(last),
            None => self.with_elements(self.stored_by(warp)),
        };
        if let Some(last) = now.global.as_ref().filter(|_| part.elements.is_empty()) {
            part.elements = self.loaded(last).elements;
        }
        part.elements.retain(|element| element.operand != Operand::C);
        part.elements.extend((0..WARP_SIZE as usize).flat_map(|lane| self.sums(warp, lane)));
        Related { lanes: vec![(warp, LaneMask::ALL)], ..part }
    }

    /// Returns the words that a warp has stored for this tile.
    fn stored_by(&self, warp: usize) -> Vec<u32> {
        let words = (0..).zip(&self.now().shared);
        let own = words.filter(|(_, word)| {
            word.age == Age::Current && word.writer.map(usize::from) == Some(warp)
        });
        own.map(|(number, _)| number).collect()
    }

    fn with_elements(&self, words: Vec<u32>) -> Related {
        let elements = words.iter().filter_map(|word| self.held(*word)).collect();
        Related { elements, words, ..Related::default() }
    }

    /// Returns the elements of an access to global memory, and their words of shared memory.
    fn loaded(&self, last: &Last) -> Related {
        let lanes = last.access.active.lanes();
        let addresses: Vec<_> = lanes.flat_map(|lane| of_lane(&last.access, lane)).collect();
        let mut elements: Vec<Element> =
            addresses.iter().filter_map(|addr| self.at(*addr)).collect();
        elements.dedup();
        let words = elements.iter().filter_map(|element| self.slot(*element)).collect();
        Related { elements, words, addresses, ..Related::default() }
    }
}
