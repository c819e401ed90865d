//! Global memory as named buffers: bounds, alignment, and who lies next to a wrong address.

use super::program::Program;
use crate::matrix;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

/// Where shared memory lies in the generic address space; far above every buffer.
pub const SHARED_WINDOW: u64 = 0x7f00_0000_0000;

/// The first buffer's address; buffers are 2 MiB apart at least, so that a stray address of one
/// does not fall into another by chance.
const FIRST: u64 = 0x7000_0000_0000;
const APART: u64 = 2 << 20;

/// An address nearer to 0 than this is an element of an array that begins at a null pointer:
/// arrays are hardly larger, and nothing lies so low.
const NULL: u64 = 1 << 32;

/// Where the variables of a module lie: above every buffer.
pub(super) const VARIABLES: u64 = 0x7d00_0000_0000;

/// Where those in constant memory lie.
pub(super) const CONSTANTS: u64 = 0x7e00_0000_0000;

/// Where the parameters of the launch lie, for kernels that take their addresses.
pub(super) const PARAMETERS: u64 = 0x7e80_0000_0000;

/// The buffers of one launch.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    buffers: Vec<Buffer>,
    /// Held while two words are changed as one: no processor does so with 4-byte atomics.
    pairs: Arc<Mutex<()>>,
}

/// One allocation.
#[derive(Clone, Debug)]
pub struct Buffer {
    /// What the kernel's source calls it.
    pub name: String,
    /// The address of its first byte.
    pub base: u64,
    /// Its size in bytes.
    pub bytes: u64,
    /// 4-byte words in one of its rows; all of them, unless it is a matrix.
    pub columns: u32,
    words: Words,
}

/// The 4-byte words of a buffer.
#[derive(Clone, Debug)]
enum Words {
    /// All of them, shared by the machines of a grid: blocks run side by side, and what races
    /// there races on a GPU too.
    Dense(Arc<[AtomicU32]>),
    /// What one block has written, over a function of the place: a block reads little of a matrix,
    /// and a checkpoint must be cheap to copy.
    Sparse { fill: Fill, written: HashMap<u64, u32> },
    /// None: whatever is read is 0, and what is written is lost.
    Hollow,
}

/// What a word holds before anybody has written it.
#[derive(Clone, Debug)]
pub enum Fill {
    /// Elements of an operand, from a seed.
    Matrix(u64, matrix::Operand),
    /// The same in float16, two in a word.
    Halves(u64, matrix::Operand),
    /// These words, from the buffer's first on.
    Words(Arc<[u32]>),
    /// What another memory holds there.
    Under(Arc<[AtomicU32]>),
    /// Zeros.
    Zero,
    /// What never-written memory might hold.
    Junk(Poison),
}

impl Fill {
    fn word(&self, index: u64) -> u32 {
        match self {
            Self::Matrix(seed, operand) => matrix::element(*seed, *operand, index).to_bits(),
            Self::Halves(seed, operand) => {
                let at = |index| u32::from(matrix::half(matrix::element(*seed, *operand, index)));
                at(2 * index) | at(2 * index + 1) << 16
            }
            Self::Words(words) => words[index as usize],
            Self::Under(words) => words[index as usize].load(Relaxed),
            Self::Zero => 0,
            Self::Junk(junk) => junk.word(index),
        }
    }
}

/// Numbers of middling size that are nobody's result, different for each word: as float16 and
/// float64 finite, as an integer far outside every matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Poison {
    /// As float32 about 10,000.
    Above,
    /// As float32 about -10,000: what a minimum takes and a maximum leaves.
    Below,
}

impl Poison {
    /// Every kind: what one leaves as it is, another may change.
    pub const ALL: [Self; 2] = [Self::Above, Self::Below];

    pub(super) const fn word(self, index: u64) -> u32 {
        let above = 0x4640_e6b7 ^ (index as u32).wrapping_mul(0x9e37_79b9) >> 10;
        match self {
            Self::Above => above,
            Self::Below => above | 1 << 31,
        }
    }
}

/// Why an address cannot be used; the words for a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Wrong {
    Outside(String),
    /// So many bytes from address 0.
    Null(i64),
    Misaligned(String),
}

impl Memory {
    /// No buffers.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a buffer of float32 words and returns its address.
    pub fn add(&mut self, name: &str, values: &[f32]) -> u64 {
        let words = values.iter().map(|value| AtomicU32::new(value.to_bits())).collect();
        self.push(name, 4 * values.len() as u64, Words::Dense(words))
    }

    /// Adds a buffer of `words` words that are computed now.
    pub fn add_dense(&mut self, name: &str, words: u64, fill: &Fill) -> u64 {
        let all = (0..words as usize).map(|index| AtomicU32::new(fill.word(index as u64)));
        self.push(name, 4 * words, Words::Dense(all.collect()))
    }

    /// Adds a buffer of `words` words that are computed when they are read.
    pub fn add_sparse(&mut self, name: &str, words: u64, fill: Fill) -> u64 {
        self.push(name, 4 * words, Words::Sparse { fill, written: HashMap::new() })
    }

    /// Adds the variables of `program`'s module, as they are before its launch: once for all
    /// machines that are to share them, after all buffers.
    ///
    /// They are kept as the buffers are: dense, or only what is written.
    pub fn declare(&mut self, program: &Program) {
        let sparse = self.buffers.iter().any(|buffer| matches!(buffer.words, Words::Sparse { .. }));
        self.buffers.extend(program.variables.iter().map(|variable| {
            let words = if sparse {
                let fill = Fill::Words(Arc::clone(&variable.words));
                Words::Sparse { fill, written: HashMap::new() }
            } else {
                Words::Dense(variable.words.iter().map(|word| AtomicU32::new(*word)).collect())
            };
            let (name, base, bytes) = (variable.name.clone(), variable.base, variable.bytes);
            Buffer { name, base, bytes, columns: all_words(bytes), words }
        }));
    }

    /// Adds a buffer of `words` words without any values, for runs that only need its bounds.
    pub fn add_hollow(&mut self, name: &str, words: u64) -> u64 {
        self.push(name, 4 * words, Words::Hollow)
    }

    /// Adds the parameters of the launch as a buffer that is read.
    pub(super) fn add_parameters(&mut self, params: &[u8]) {
        let (name, bytes) = ("the parameters".to_owned(), params.len() as u64);
        let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |w, byte| w << 8 | u32::from(*byte));
        let fill = Fill::Words(params.chunks(4).map(word).collect());
        let words = Words::Sparse { fill, written: HashMap::new() };
        self.buffers.push(Buffer {
            name,
            base: PARAMETERS,
            bytes,
            columns: all_words(bytes),
            words,
        });
    }

    fn push(&mut self, name: &str, bytes: u64, words: Words) -> u64 {
        let end = self.buffers.last().map_or(FIRST, |last| last.base + last.bytes);
        let base = end.next_multiple_of(APART) + APART;
        let (name, columns) = (name.to_owned(), all_words(bytes));
        self.buffers.push(Buffer { name, base, bytes, columns, words });
        base
    }

    /// Says that the last buffer is a matrix with rows of so many words.
    pub fn lies_in_rows_of(&mut self, columns: u32) {
        if let Some(last) = self.buffers.last_mut() {
            last.columns = columns;
        }
    }

    /// Says that of the last buffer's last word only so many bytes of the whole are its own.
    pub fn ends_at(&mut self, bytes: u64) {
        if let Some(last) = self.buffers.last_mut() {
            last.bytes = bytes;
        }
    }

    /// A memory that reads as this one does now and keeps to itself what is written to it; buffers
    /// for which `fill` says so begin with that instead.
    #[must_use]
    pub fn layered(&self, fill: impl Fn(&Buffer) -> Option<Fill>) -> Self {
        let layer = |buffer: &Buffer| {
            let (under, written) = match &buffer.words {
                Words::Dense(words) => (Fill::Under(Arc::clone(words)), HashMap::new()),
                Words::Sparse { fill, written } => (fill.clone(), written.clone()),
                Words::Hollow => return buffer.clone(),
            };
            let fill = fill(buffer).unwrap_or(under);
            Buffer { words: Words::Sparse { fill, written }, ..buffer.clone() }
        };
        Self { buffers: self.buffers.iter().map(layer).collect(), pairs: Arc::default() }
    }

    /// The words that have been written over what the buffers began with: buffer, word, value.
    pub fn written(&self) -> Vec<(usize, u64, u32)> {
        let mut all = Vec::new();
        for (number, buffer) in self.buffers.iter().enumerate() {
            if let Words::Sparse { written, .. } = &buffer.words {
                all.extend(written.iter().map(|(word, value)| (number, *word, *value)));
            }
        }
        all.sort_unstable();
        all
    }

    /// Whether what one block has written is the same in both; never so where other blocks write as
    /// well.
    pub(super) fn is_as(&self, other: &Self) -> bool {
        self.buffers.iter().zip(&other.buffers).all(|(one, other)| {
            match (&one.words, &other.words) {
                (Words::Sparse { written, .. }, Words::Sparse { written: others, .. }) => {
                    written == others
                }
                _ => false,
            }
        })
    }

    /// The buffers, by ascending address.
    pub fn buffers(&self) -> &[Buffer] {
        &self.buffers
    }

    /// The buffer that holds `addr`, and the byte in it.
    pub fn locate(&self, addr: u64) -> Option<(&Buffer, u64)> {
        let buffer =
            self.buffers.iter().find(|buffer| addr.wrapping_sub(buffer.base) < buffer.bytes);
        buffer.map(|buffer| (buffer, addr - buffer.base))
    }

    /// The buffer called `name`.
    pub fn named(&self, name: &str) -> Option<&Buffer> {
        self.buffers.iter().find(|buffer| buffer.name == name)
    }

    /// Every word of the buffer called `name`, as float32.
    pub fn floats(&self, name: &str) -> Vec<f32> {
        self.named(name).map_or_else(Vec::new, |buffer| buffer.floats().collect())
    }

    /// The number of the buffer that holds all of an access, and its first byte there.
    ///
    /// `hint` is where the last lane found its buffer: the next one's is mostly the same.
    #[inline]
    pub(super) fn find(&self, addr: u64, bytes: u32, hint: usize) -> Result<(usize, u64), Wrong> {
        let inside = |buffer: &Buffer| {
            let offset = addr.wrapping_sub(buffer.base);
            offset < buffer.bytes && buffer.bytes - offset >= u64::from(bytes)
        };
        let index = match self.buffers.get(hint) {
            Some(buffer) if inside(buffer) => hint,
            _ => {
                let found = self.buffers.iter().position(inside);
                found.ok_or_else(|| self.outside(addr))?
            }
        };
        if addr & u64::from(bytes - 1) != 0 {
            return Err(Wrong::Misaligned(self.describe(addr)));
        }
        Ok((index, addr - self.buffers[index].base))
    }

    /// The number of the buffer that holds `addr`.
    #[inline]
    pub(super) fn holding(&self, addr: u64) -> Option<usize> {
        self.buffers.iter().position(|buffer| addr.wrapping_sub(buffer.base) < buffer.bytes)
    }

    /// Changes two words as one, the lower half in the first; what was there.
    pub(super) fn update_wide(
        &mut self,
        buffer: usize,
        index: u64,
        new: impl Fn(u64) -> u64,
    ) -> u64 {
        let pairs = Arc::clone(&self.pairs);
        let _alone = pairs.lock().unwrap_or_else(PoisonError::into_inner);
        let buffer = self.buffer_mut(buffer);
        let before = u64::from(buffer.load(index + 1)) << 32 | u64::from(buffer.load(index));
        let after = new(before);
        buffer.store(index, after as u32);
        buffer.store(index + 1, (after >> 32) as u32);
        before
    }

    /// The right to touch two words as one: for programs that change such pairs atomically, whose
    /// other accesses must not come between.
    pub(super) fn pairs(&self) -> Arc<Mutex<()>> {
        Arc::clone(&self.pairs)
    }

    pub(super) fn buffer(&self, index: usize) -> &Buffer {
        &self.buffers[index]
    }

    pub(super) fn buffer_mut(&mut self, index: usize) -> &mut Buffer {
        &mut self.buffers[index]
    }

    fn outside(&self, addr: u64) -> Wrong {
        let from_zero = addr as i64;
        if from_zero.unsigned_abs() < NULL {
            return Wrong::Null(from_zero);
        }
        Wrong::Outside(self.describe(addr))
    }

    /// Where an address is, in words: "`A` ends 12 bytes before it".
    fn describe(&self, addr: u64) -> String {
        if let Some((buffer, offset)) = self.locate(addr) {
            let left = buffer.bytes - offset;
            return format!(
                "begins {offset} bytes into `{}`, {left} bytes before its end",
                buffer.name
            );
        }
        let before = self.buffers.iter().rev().find(|buffer| buffer.base <= addr);
        let after = self.buffers.iter().find(|buffer| buffer.base > addr);
        let behind = before.map(|buffer| (addr - buffer.base - buffer.bytes, buffer));
        let ahead = after.map(|buffer| (buffer.base - addr, buffer));
        match (behind, ahead) {
            (Some((by, buffer)), None) => {
                format!("is outside: `{}` ends {by} bytes before it", buffer.name)
            }
            (Some((by, buffer)), Some((to, _))) if by <= to => {
                format!("is outside: `{}` ends {by} bytes before it", buffer.name)
            }
            (_, Some((to, buffer))) => {
                format!("is outside: `{}` begins {to} bytes after it", buffer.name)
            }
            (None, None) => "is outside: there are no buffers".to_owned(),
        }
    }
}

fn all_words(bytes: u64) -> u32 {
    u32::try_from(bytes.div_ceil(4)).unwrap_or(u32::MAX)
}

impl Buffer {
    /// Every word, as float32.
    pub fn floats(&self) -> impl Iterator<Item = f32> {
        (0..self.bytes.div_ceil(4)).map(|word| f32::from_bits(self.load(word)))
    }

    /// The 4-byte word number `index`.
    #[inline]
    pub fn load(&self, index: u64) -> u32 {
        match &self.words {
            Words::Dense(words) => words[index as usize].load(Relaxed),
            Words::Sparse { fill, written } => {
                let word = if written.is_empty() { None } else { written.get(&index) };
                word.copied().unwrap_or_else(|| fill.word(index))
            }
            Words::Hollow => 0,
        }
    }

    /// Its words, if all of them are kept.
    #[inline]
    pub(super) fn dense(&self) -> Option<&[AtomicU32]> {
        match &self.words {
            Words::Dense(words) => Some(words),
            Words::Sparse { .. } | Words::Hollow => None,
        }
    }

    /// Whether all that is read of it is 0.
    #[inline]
    pub(super) fn is_hollow(&self) -> bool {
        matches!(self.words, Words::Hollow)
    }

    /// Changes a word as one, whatever others do to it at the same time; what was there.
    pub(super) fn update(&mut self, index: u64, new: impl Fn(u32) -> u32) -> u32 {
        match &mut self.words {
            Words::Dense(words) => {
                let word = &words[index as usize];
                let updated = word.fetch_update(Relaxed, Relaxed, |word| Some(new(word)));
                updated.unwrap_or_else(|word| word)
            }
            Words::Sparse { .. } | Words::Hollow => {
                let before = self.load(index);
                self.store(index, new(before));
                before
            }
        }
    }

    #[inline]
    pub(super) fn store(&mut self, index: u64, value: u32) {
        match &mut self.words {
            Words::Dense(words) => words[index as usize].store(value, Relaxed),
            Words::Sparse { written, .. } => {
                written.insert(index, value);
            }
            Words::Hollow => {}
        }
    }
}
