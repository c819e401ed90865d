//! The outcome of an order.

use crate::kernel::Problem;
use crate::matrix::ElementType;
use crate::sim::Order;

/// A stored word: number of the buffer, word, bits.
pub(super) type Word = (u32, u32, u32);

/// The outcome of an order.
#[derive(Debug)]
pub(super) struct OrderResult {
    pub(super) order: Order,
    /// How often a warp was left that could have continued and had not reached a barrier: a
    /// preemption (Musuvathi and Qadeer, "Iterative Context Bounding", 2007, section 2; there as
    /// here, yielding at a synchronisation is not one).
    pub(super) preemptions: u64,
    /// The number of instructions issued.
    pub(super) steps: u64,
    /// Whether the block completed.
    pub(super) ended: bool,
    /// The words of C, or of all buffers if C is not all that it computes, that it wrote, in
    /// ascending order.
    pub(super) c: Vec<Word>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct BufferElement {
    pub(super) number: u32,
    /// The element's number in memory.
    pub(super) index: u64,
}

impl OrderResult {
    /// A word of a buffer after the run.
    pub(super) fn word(&self, problem: &Problem, number: u32, word: u64) -> u32 {
        let key = |(number, word, _): &Word| (*number, u64::from(*word));
        let found = self.c.binary_search_by_key(&(number, word), key);
        found.map_or_else(|_| problem.word_before(number as usize, word), |at| self.c[at].2)
    }

    /// The elements in the words that it wrote, each once, in ascending order.
    pub(super) fn places(&self, problem: &Problem) -> Vec<BufferElement> {
        let mut places: Vec<_> = Vec::new();
        for (number, word, _) in &self.c {
            let bytes = u64::from(element_type(problem, *number).bytes());
            let first = 4 * u64::from(*word);
            let all = first / bytes..=(first + 3) / bytes;
            places.extend(all.map(|index| BufferElement { number: *number, index }));
        }
        // The words of one element are neighbours.
        places.dedup();
        places
    }

    /// Whether an element is not as before the launch.
    pub(super) fn changed(
        &self,
        problem: &Problem,
        BufferElement { number, index }: BufferElement,
    ) -> bool {
        let of = element_type(problem, number);
        let before = bits(of, index, |word| problem.word_before(number as usize, word));
        bits(of, index, |word| self.word(problem, number, word)) != before
    }
}

/// The type of the elements of a buffer.
pub(super) fn element_type(problem: &Problem, number: u32) -> ElementType {
    let (number, operands) = (number as usize, problem.operands);
    if let Some(operand) = operands.get(number) {
        return problem.element_type(*operand);
    }
    let own = problem.buffers.get(number - operands.len());
    own.map_or(ElementType::F32, |buffer| buffer.of)
}

/// The bits of an element, of which a `f64` cannot hold all.
pub(super) fn bits(of: ElementType, index: u64, word: impl Fn(u64) -> u32) -> u64 {
    let bytes = u64::from(of.bytes());
    let first = index * bytes / 4;
    match bytes {
        8 => u64::from(word(first)) | u64::from(word(first + 1)) << 32,
        4 => word(first).into(),
        _ => u64::from(word(first) >> (8 * (index * bytes % 4))) & ((1 << (8 * bytes)) - 1),
    }
}
