//! What the device holds while the host's program goes on: its buffers by identity, and which bytes
//! of them somebody has written.

use crate::kernel::{Contents, LeftWords, elements_named};
use crate::matrix::{ElementType, Elements, Values};
use crate::sim::{Fill, Memory, Poison};
use cudac::{ByteState, DevicePlace, HostBuffer, HostData, HostStep};
use std::ops::Range;
use std::sync::Arc;

/// The largest buffer that is kept by its bytes: of a larger one only whether it is written is known.
const MOST: u64 = 1 << 30;

/// The buffers of a program.
#[derive(Clone, Debug)]
pub(super) struct HeldMemory {
    buffers: Vec<HeldBuffer>,
    /// Whether what nobody has written holds random numbers: the host moves no data at all, so that
    /// it says nothing of what its buffers hold.
    is_sketch: bool,
    seed: u64,
    /// What is in the module's variables: name, first byte, bytes.
    symbols: Vec<(String, u64, Arc<[u8]>)>,
}

#[derive(Clone, Debug)]
struct HeldBuffer {
    /// What is not written is junk, so that a kernel that stores anything there is seen to do so.
    bytes: Vec<u8>,
    written: Vec<bool>,
    of: ElementType,
    is_touched: bool,
}

impl HeldMemory {
    /// Memory in which nothing is written.
    pub(super) fn new(buffers: &[HostBuffer], is_sketch: bool, seed: u64) -> Self {
        let held = |buffer: &HostBuffer| {
            let bytes = buffer.bytes.min(MOST) as usize;
            let of = element_type(&buffer.of).unwrap_or(ElementType::U8);
            let junk =
                |at: usize| Fill::Poison(Poison::Above).word(at as u64 / 4).to_le_bytes()[at % 4];
            let (junk, written) = ((0..bytes).map(junk).collect(), vec![false; bytes]);
            HeldBuffer { bytes: junk, written, of, is_touched: false }
        };
        Self { buffers: buffers.iter().map(held).collect(), is_sketch, seed, symbols: Vec::new() }
    }

    /// Memory of which only the lengths are kept: all of it holds random numbers.
    pub(super) fn sketch(buffers: &[HostBuffer], seed: u64) -> Self {
        let held = |buffer: &HostBuffer| {
            let of = element_type(&buffer.of).unwrap_or(ElementType::U8);
            HeldBuffer { bytes: Vec::new(), written: Vec::new(), of, is_touched: false }
        };
        let (buffers, symbols) = (buffers.iter().map(held).collect(), Vec::new());
        Self { buffers, is_sketch: true, seed, symbols }
    }

    /// Does what the host does between launches.
    pub(super) fn apply(&mut self, step: &HostStep) {
        match step {
            HostStep::Write { to, data, .. } => self.write(*to, data),
            HostStep::Copy { from, to, bytes } => self.copy(*from, *to, *bytes),
            HostStep::WriteSymbol { name, offset, data } => {
                let bytes: Arc<[u8]> = match data {
                    HostData::Same(byte, count) => vec![*byte; *count as usize].into(),
                    HostData::Bytes(bytes, _) => Arc::clone(bytes),
                    HostData::Unknown(_) => return,
                };
                self.symbols.push((name.clone(), *offset, bytes));
            }
            HostStep::Launch(_)
            | HostStep::Order(_)
            | HostStep::Transfer(_)
            | HostStep::Compare { .. }
            | HostStep::Free { .. } => {}
        }
    }

    fn write(&mut self, to: DevicePlace, data: &HostData) {
        let Some(buffer) = self.buffers.get_mut(to.buffer) else { return };
        buffer.is_touched = true;
        match data {
            HostData::Same(byte, count) => {
                let range = buffer.range(to.offset, *count);
                buffer.bytes[range.clone()].fill(*byte);
                buffer.written[range].fill(true);
            }
            HostData::Unknown(count) => {
                let range = buffer.range(to.offset, *count);
                buffer.randomise(range, self.seed, to.buffer);
            }
            HostData::Bytes(bytes, states) => {
                let range = buffer.range(to.offset, bytes.len() as u64);
                let start = range.start;
                for at in range {
                    match states[at - start] {
                        ByteState::NeverWritten => buffer.written[at] = false,
                        ByteState::OfDevice => {}
                        ByteState::Known => {
                            (buffer.bytes[at], buffer.written[at]) = (bytes[at - start], true);
                        }
                        ByteState::Unknown => {
                            buffer.randomise(at..at + 1, self.seed, to.buffer);
                        }
                    }
                }
            }
        }
    }

    fn copy(&mut self, from: DevicePlace, to: DevicePlace, bytes: u64) {
        let Some(source) = self.buffers.get(from.buffer) else { return };
        let range = source.range(from.offset, bytes);
        let (data, written) =
            (source.bytes[range.clone()].to_vec(), source.written[range].to_vec());
        let Some(target) = self.buffers.get_mut(to.buffer) else { return };
        let range = target.range(to.offset, data.len() as u64);
        let length = range.len();
        target.bytes[range.clone()].copy_from_slice(&data[..length]);
        target.written[range].copy_from_slice(&written[..length]);
        target.is_touched = true;
    }

    /// What a buffer holds before a launch.
    pub(super) fn contents(&self, number: usize) -> Contents {
        let Some(buffer) = self.buffers.get(number) else { return Contents::Unfilled };
        if self.is_sketch && !buffer.is_touched {
            return Contents::Filled(Values::Random);
        }
        let all = buffer.written.iter().all(|written| *written);
        let word =
            |bytes: &[u8]| bytes.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte));
        let words = buffer.bytes.chunks(4).map(word).collect();
        let bits = || -> Arc<[u64]> {
            let has = |bytes: &[bool]| bytes.iter().all(|written| *written);
            let words: Vec<_> = buffer.written.chunks(4).map(has).collect();
            let bits = |bits: &[bool]| {
                (0..).zip(bits).fold(0, |sum, (at, bit)| sum | u64::from(*bit) << at)
            };
            words.chunks(64).map(bits).collect()
        };
        let written = (!all).then(bits);
        Contents::Left(Arc::new(LeftWords { words, written }))
    }

    /// The elements of a buffer, of its type or of another one.
    pub(super) fn elements(
        &self,
        number: usize,
        of: Option<ElementType>,
    ) -> (ElementType, Vec<f64>) {
        let Some(buffer) = self.buffers.get(number) else { return (ElementType::U8, Vec::new()) };
        let of = of.unwrap_or(buffer.of);
        let word = |index: u64| {
            let first = 4 * index as usize;
            let bytes = buffer.bytes.get(first..).unwrap_or_default().iter().take(4).rev();
            bytes.fold(0, |word, byte| word << 8 | u32::from(*byte))
        };
        let count = buffer.bytes.len() as u64 / u64::from(of.bytes());
        (of, (0..count).map(|index| of.read(index, word)).collect())
    }

    /// What is in the module's variables.
    pub(super) fn symbols(&self) -> Vec<(String, u64, Arc<[u8]>)> {
        self.symbols.clone()
    }

    /// Whether somebody has written all of a buffer, or nobody says what it holds.
    pub(super) fn is_filled(&self, number: usize) -> bool {
        self.buffers.get(number).is_some_and(|held| {
            self.is_sketch && !held.is_touched || held.written.iter().all(|one| *one)
        })
    }

    /// Takes what a launch has left: of its buffer `name` this program's number.
    pub(super) fn take(&mut self, memory: &Memory, names: &[(String, usize)]) {
        for (name, number) in names {
            let (Some(after), Some(held)) = (memory.named(name), self.buffers.get_mut(*number))
            else {
                continue;
            };
            let first = self.is_sketch && !held.is_touched;
            for (word, bytes) in held.bytes.chunks_mut(4).enumerate() {
                let now = after.load(word as u64).to_le_bytes();
                let range = 4 * word..4 * word + bytes.len();
                let changes = *bytes != now[..bytes.len()];
                if changes || first {
                    held.written[range].fill(true);
                }
                bytes.copy_from_slice(&now[..bytes.len()]);
            }
            held.is_touched = true;
        }
        let is_own = |name: &str| names.iter().any(|(own, _)| own == name);
        for variable in memory.buffers().iter().filter(|one| !is_own(&one.name)) {
            let words = 0..variable.bytes.div_ceil(4);
            let bytes = words.flat_map(|word| variable.load(word).to_le_bytes()).collect();
            self.symbols.retain(|(name, ..)| *name != variable.name);
            self.symbols.push((variable.name.clone(), 0, bytes));
        }
    }

    /// Takes it that a launch has written all of a buffer.
    pub(super) fn mark(&mut self, number: usize) {
        if let Some(held) = self.buffers.get_mut(number) {
            held.written.fill(true);
            held.is_touched = true;
        }
    }
}

impl HeldBuffer {
    fn range(&self, offset: u64, count: u64) -> Range<usize> {
        let end = offset.saturating_add(count).min(self.bytes.len() as u64);
        offset.min(end) as usize..end as usize
    }

    /// Fills bytes with numbers of the buffer's type.
    fn randomise(&mut self, range: Range<usize>, seed: u64, number: usize) {
        let (of, values, number) = (self.of, Values::Random, number as u64);
        let elements = Elements { of, values, seed, number };
        for at in range {
            let word = elements.word(at as u64 / 4).to_le_bytes();
            (self.bytes[at], self.written[at]) = (word[at % 4], true);
        }
    }
}

/// The type of a buffer's elements by its name in C.
pub(super) fn element_type(name: &str) -> Option<ElementType> {
    elements_named(name)
}
