//! Global memory as named buffers: bounds, alignment, and the neighbours of an invalid address.

use super::common_words::CommonWords;
use super::hash::OfNumbers;
use super::program::Program;
use crate::matrix::{ElementType, Elements, Operand};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

/// Start of shared memory in the generic address space, far above every buffer.
pub const SHARED_WINDOW: u64 = 0x7f00_0000_0000;

/// Address of the first buffer. Buffers are at least 2 MiB apart, and as far as the larger of two
/// is long, so that an out-of-bounds address of one does not fall into another by chance.
pub const FIRST: u64 = 0x7000_0000_0000;
const APART: u64 = 2 << 20;

/// An address below this is attributed to a null pointer: arrays are rarely larger, and nothing is
/// allocated so low.
const NULL: u64 = 1 << 32;

/// Start of the module's variables, above every buffer.
pub(super) const VARIABLES: u64 = 0x7d00_0000_0000;

/// Start of the module's constant memory.
pub(super) const CONSTANTS: u64 = 0x7e00_0000_0000;

/// Start of the launch's parameters, for kernels that take their addresses.
pub(super) const PARAMETERS: u64 = 0x7e80_0000_0000;

/// The buffers of one launch.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    buffers: Vec<Allocation>,
    /// Locked while two words are updated atomically, which 4-byte atomics cannot do.
    pairs: Arc<Mutex<()>>,
}

#[derive(Clone, Debug)]
pub struct Allocation {
    /// Its name in the kernel's source.
    pub name: String,
    /// The address of its first byte.
    pub base: u64,
    /// Its size in bytes.
    pub bytes: u64,
    /// Bytes from the start of a row to the next; all of them unless the buffer is a matrix.
    pub pitch: u64,
    words: BufferWords,
    /// A bit for each word, if only some are written before the launch.
    pub written: Option<Arc<[u64]>>,
}

/// The 4-byte words of a buffer.
#[derive(Clone, Debug)]
enum BufferWords {
    /// All words, shared by the machines of a grid.
    Dense(CommonWords),
    /// The words that one block has written, over a fill computed from the position: a block reads
    /// little of a matrix, and a checkpoint must be cheap to copy.
    Sparse { fill: Fill, written: HashMap<u64, u32, OfNumbers> },
    /// No words: reads return 0, and writes are dropped.
    BoundsOnly,
}

/// The contents of words that have not been written.
#[derive(Clone, Debug)]
pub enum Fill {
    /// Elements of an operand, of this type, generated from a seed.
    Matrix(u64, Operand, ElementType),
    /// Elements of another buffer.
    Elements(Elements),
    /// These words, starting at the buffer's first.
    Words(Arc<[u32]>),
    /// The contents of another memory.
    Under(Arc<[AtomicU32]>),
    Zero,
    /// Bits substituted for uninitialised memory.
    Poison(Poison),
    /// The same where a word has no bit, over another fill.
    Partly(Box<Fill>, Arc<[u64]>, Poison),
}

impl Fill {
    /// Returns 4-byte word number `index`.
    pub fn word(&self, index: u64) -> u32 {
        match self {
            Self::Matrix(seed, operand, of) => of.word(*seed, *operand, index),
            Self::Elements(elements) => elements.word(index),
            Self::Words(words) => words[index as usize],
            Self::Under(words) => words[index as usize].load(Relaxed),
            Self::Zero => 0,
            Self::Partly(under, written, _) if has_word(written, index) => under.word(index),
            Self::Poison(junk) | Self::Partly(_, _, junk) => junk.word(index),
        }
    }
}

/// Whether a word has its bit.
fn has_word(bits: &[u64], index: u64) -> bool {
    bits.get((index / 64) as usize).is_some_and(|word| word >> (index % 64) & 1 == 1)
}

/// Values substituted for uninitialised words: of moderate magnitude, not plausible as a result,
/// and different for each word. They are finite as float16 and float64, and as an integer far
/// outside every matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Poison {
    /// As float32 about 10,000.
    Above,
    /// As float32 about -10,000: a minimum picks it, a maximum does not.
    Below,
    /// As float32 between -1 and 1: what is near to something picks it.
    Near,
    /// As an integer from 0 to 100: an index, a count or a key that may well be there.
    Count,
    /// As an integer 1: a flag that is set.
    Set,
}

impl Poison {
    /// All kinds: one may affect a result that the other leaves unchanged.
    pub const ALL: [Self; 5] = [Self::Above, Self::Below, Self::Near, Self::Count, Self::Set];

    pub(super) const fn word(self, index: u64) -> u32 {
        let mixed = (index as u32).wrapping_mul(0x9e37_79b9);
        let above = 0x4640_e6b7 ^ mixed >> 10;
        match self {
            Self::Above => above,
            Self::Below => above | 1 << 31,
            // From 0.25 to 1, with either sign.
            Self::Near => (0x3e80_0000 + (mixed >> 8)) | mixed << 31,
            Self::Count => (mixed >> 16) % 101,
            Self::Set => 1,
        }
    }
}

/// What stands for all of shared memory in the place of the name of a buffer.
pub const SHARED: &str = "shared memory";

/// The buffer, or the array of local memory, that an address outside of all is nearest to; of shared
/// memory the name is [`SHARED`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NearestBuffer {
    pub buffer: String,
    /// The offset from its first byte.
    pub offset: i64,
}

/// Why an address is invalid, with text for display.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum AddressError {
    Outside(String),
    /// Outside every buffer, with the nearest one.
    Beyond(String, NearestBuffer),
    /// The offset from address 0 in bytes.
    Null(i64),
    Misaligned(String),
}

impl BufferWords {
    fn common(words: Arc<[AtomicU32]>) -> Self {
        Self::Dense(CommonWords::new(words))
    }
}

impl Memory {
    /// Creates a memory without buffers.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a buffer of float32 words and returns its address.
    pub fn add(&mut self, name: &str, values: &[f32]) -> u64 {
        let words = values.iter().map(|value| AtomicU32::new(value.to_bits())).collect();
        self.push(name, 4 * values.len() as u64, BufferWords::common(words))
    }

    /// Adds a buffer of `words` words, computed now.
    pub fn add_dense(&mut self, name: &str, words: u64, fill: &Fill) -> u64 {
        let all = (0..words as usize).map(|index| AtomicU32::new(fill.word(index as u64)));
        self.push(name, 4 * words, BufferWords::common(all.collect()))
    }

    /// Adds a buffer of `words` words, computed when they are read.
    pub fn add_sparse(&mut self, name: &str, words: u64, fill: Fill) -> u64 {
        self.push(name, 4 * words, BufferWords::Sparse { fill, written: HashMap::default() })
    }

    /// Adds the variables of `program`'s module with their initial values: once for all machines
    /// that share them, after all buffers.
    ///
    /// They are stored like the buffers: dense, or only the written words.
    pub fn declare(&mut self, program: &Program) {
        let sparse =
            self.buffers.iter().any(|buffer| matches!(buffer.words, BufferWords::Sparse { .. }));
        self.buffers.extend(program.variables.iter().map(|variable| {
            let words = if sparse {
                let fill = Fill::Words(Arc::clone(&variable.words));
                BufferWords::Sparse { fill, written: HashMap::default() }
            } else {
                BufferWords::common(
                    variable.words.iter().map(|word| AtomicU32::new(*word)).collect(),
                )
            };
            let (name, base, bytes) = (variable.name.clone(), variable.base, variable.bytes);
            Allocation { name, base, bytes, pitch: bytes, words, written: None }
        }));
    }

    /// Adds a buffer of `words` words without values, for runs that need only its bounds.
    pub fn add_bounds_only(&mut self, name: &str, words: u64) -> u64 {
        self.push(name, 4 * words, BufferWords::BoundsOnly)
    }

    /// Adds the launch's parameters as a buffer.
    pub(super) fn add_parameters(&mut self, params: &[u8]) {
        let (name, bytes) = ("the parameters".to_owned(), params.len() as u64);
        let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |w, byte| w << 8 | u32::from(*byte));
        let fill = Fill::Words(params.chunks(4).map(word).collect());
        let words = BufferWords::Sparse { fill, written: HashMap::default() };
        self.buffers.push(Allocation {
            name,
            base: PARAMETERS,
            bytes,
            pitch: bytes,
            words,
            written: None,
        });
    }

    fn push(&mut self, name: &str, bytes: u64, words: BufferWords) -> u64 {
        let end = self.buffers.last().map_or(FIRST, |last| last.base + last.bytes);
        // An index that is a multiple of the right one leaves the buffer by as much as its size.
        let largest = self.buffers.last().map_or(0, |last| last.bytes).max(bytes);
        let base = end.next_multiple_of(APART) + largest.next_multiple_of(APART).max(APART);
        let name = name.to_owned();
        self.buffers.push(Allocation { name, base, bytes, pitch: bytes, words, written: None });
        base
    }

    /// Declares that the last buffer is a matrix with rows of `bytes` bytes.
    pub fn lies_in_rows_of(&mut self, bytes: u64) {
        if let Some(last) = self.buffers.last_mut() {
            last.pitch = bytes;
        }
    }

    /// Says which words of the last buffer are written before the launch, by a bit for each.
    pub fn is_written_at(&mut self, words: Arc<[u64]>) {
        if let Some(last) = self.buffers.last_mut() {
            last.written = Some(words);
        }
    }

    /// Sets the last buffer's size in bytes, which may end within its last word.
    pub fn ends_at(&mut self, bytes: u64) {
        if let Some(last) = self.buffers.last_mut() {
            last.bytes = bytes;
        }
    }

    /// From now on, block number `number` of a grid accesses it.
    pub(super) fn is_accessed_by(&mut self, number: u64) {
        for buffer in &mut self.buffers {
            if let BufferWords::Dense(words) = &mut buffer.words {
                words.who = number as u32 + 1;
            }
        }
    }

    /// A memory that reads like this one at present and keeps its own writes; buffers for which
    /// `fill` returns a fill start with that instead.
    #[must_use]
    pub fn layered(&self, fill: impl Fn(&Allocation) -> Option<Fill>) -> Self {
        let layer = |buffer: &Allocation| {
            let (under, written) = match &buffer.words {
                BufferWords::Dense(all) => {
                    (Fill::Under(Arc::clone(all.words())), HashMap::default())
                }
                BufferWords::Sparse { fill, written } => (fill.clone(), written.clone()),
                BufferWords::BoundsOnly => return buffer.clone(),
            };
            let fill = fill(buffer).unwrap_or(under);
            Allocation { words: BufferWords::Sparse { fill, written }, ..buffer.clone() }
        };
        let buffers = self.buffers.iter().map(layer).collect();
        Self { buffers, ..Self::default() }
    }

    /// The words written over the buffers' initial contents: buffer, word, value.
    pub fn written(&self) -> Vec<(usize, u64, u32)> {
        let mut all = Vec::new();
        for (number, buffer) in self.buffers.iter().enumerate() {
            if let BufferWords::Sparse { written, .. } = &buffer.words {
                all.extend(written.iter().map(|(word, value)| (number, *word, *value)));
            }
        }
        all.sort_unstable();
        all
    }

    /// The buffers, by ascending address.
    pub fn buffers(&self) -> &[Allocation] {
        &self.buffers
    }

    /// The buffer that contains `addr`, and the byte offset in it.
    pub fn locate(&self, addr: u64) -> Option<(&Allocation, u64)> {
        let buffer =
            self.buffers.iter().find(|buffer| addr.wrapping_sub(buffer.base) < buffer.bytes);
        buffer.map(|buffer| (buffer, addr - buffer.base))
    }

    /// The buffer named `name`.
    pub fn named(&self, name: &str) -> Option<&Allocation> {
        self.buffers.iter().find(|buffer| buffer.name == name)
    }

    /// Every word of the buffer named `name`, as float32.
    pub fn floats(&self, name: &str) -> Vec<f32> {
        self.named(name).map_or_else(Vec::new, |buffer| buffer.floats().collect())
    }

    /// The number of the buffer that contains all of an access, and the offset of its first byte.
    ///
    /// `hint` is the buffer found for the previous lane: the next lane's is usually the same.
    #[inline]
    pub(super) fn find(
        &self,
        addr: u64,
        bytes: u32,
        hint: usize,
    ) -> Result<(usize, u64), AddressError> {
        let inside = |buffer: &Allocation| {
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
            return Err(AddressError::Misaligned(self.describe(addr)));
        }
        Ok((index, addr - self.buffers[index].base))
    }

    /// The number of the buffer that contains `addr`.
    #[inline]
    pub(super) fn holding(&self, addr: u64) -> Option<usize> {
        self.buffers.iter().position(|buffer| addr.wrapping_sub(buffer.base) < buffer.bytes)
    }

    /// Updates values of two words each atomically, the lower half in the first word; returns the old
    /// ones.
    pub(super) fn update_wide<const COUNT: usize>(
        &mut self,
        buffer: usize,
        index: u64,
        new: impl Fn([u64; COUNT]) -> [u64; COUNT],
    ) -> [u64; COUNT] {
        let pairs = Arc::clone(&self.pairs);
        let _alone = pairs.lock().unwrap_or_else(PoisonError::into_inner);
        let buffer = self.buffer_mut(buffer);
        let before = std::array::from_fn(|number| {
            let index = index + 2 * number as u64;
            u64::from(buffer.kept(index + 1)) << 32 | u64::from(buffer.kept(index))
        });
        buffer.common().into_iter().for_each(|words| words.note_update(index));
        for (index, after) in (index..).step_by(2).zip(new(before)) {
            buffer.store(index, after as u32);
            buffer.store(index + 1, (after >> 32) as u32);
        }
        before
    }

    /// The lock for accesses to two words: in programs that update such pairs atomically, other
    /// accesses to them must not come between.
    pub(super) fn pairs(&self) -> Arc<Mutex<()>> {
        Arc::clone(&self.pairs)
    }

    pub(super) fn buffer(&self, index: usize) -> &Allocation {
        &self.buffers[index]
    }

    pub(super) fn buffer_mut(&mut self, index: usize) -> &mut Allocation {
        &mut self.buffers[index]
    }

    fn outside(&self, addr: u64) -> AddressError {
        let from_zero = addr as i64;
        if from_zero.unsigned_abs() < NULL {
            return AddressError::Null(from_zero);
        }
        let distance = |buffer: &&Allocation| {
            let last = buffer.base + buffer.bytes.saturating_sub(1);
            buffer.base.saturating_sub(addr).max(addr.saturating_sub(last))
        };
        let nearest = self.buffers.iter().min_by_key(distance);
        let near = nearest.map(|buffer| NearestBuffer {
            buffer: buffer.name.clone(),
            offset: addr.wrapping_sub(buffer.base) as i64,
        });
        let told = self.describe(addr);
        match near {
            Some(near) => AddressError::Beyond(told, near),
            None => AddressError::Outside(told),
        }
    }

    /// Describes an address relative to the buffers: "`A` ends 12 bytes before it".
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
                format!("is outside: `{}` ends {} before it", buffer.name, far(by))
            }
            (Some((by, buffer)), Some((to, _))) if by <= to => {
                format!("is outside: `{}` ends {} before it", buffer.name, far(by))
            }
            (_, Some((to, buffer))) => {
                format!("is outside: `{}` begins {to} bytes after it", buffer.name)
            }
            (None, None) => "is outside: there are no buffers".to_owned(),
        }
    }
}

/// How far an address is past the end of a buffer.
pub(super) fn far(bytes: u64) -> String {
    if bytes == 0 { "just".to_owned() } else { format!("{bytes} bytes") }
}

impl Allocation {
    /// Its words with this poison where nothing was written before the launch; `None` if all was.
    pub fn poisoned(&self, poison: Poison) -> Option<Fill> {
        let written = self.written.clone()?;
        let under = match &self.words {
            BufferWords::Dense(all) => Fill::Under(Arc::clone(all.words())),
            BufferWords::Sparse { fill, .. } => fill.clone(),
            BufferWords::BoundsOnly => return None,
        };
        Some(Fill::Partly(Box::new(under), written, poison))
    }

    /// Every word, as float32.
    pub fn floats(&self) -> impl Iterator<Item = f32> {
        (0..self.bytes.div_ceil(4)).map(|word| f32::from_bits(self.load(word)))
    }

    /// Returns element number `index`, if it holds elements of this type.
    pub fn element(&self, of: ElementType, index: u64) -> f64 {
        of.read(index, |word| self.load(word))
    }

    /// Returns the 4-byte word number `index`.
    #[inline]
    pub fn load(&self, index: u64) -> u32 {
        match &self.words {
            BufferWords::Dense(words) => words.load(index),
            BufferWords::Sparse { fill, written } => {
                let word = if written.is_empty() { None } else { written.get(&index) };
                word.copied().unwrap_or_else(|| fill.word(index))
            }
            BufferWords::BoundsOnly => 0,
        }
    }

    /// Its words, for loads, if all of them are stored and it is not noted which are read.
    #[inline]
    pub(super) fn for_loads(&self) -> Option<&[AtomicU32]> {
        match &self.words {
            BufferWords::Dense(words) => words.for_loads(),
            BufferWords::Sparse { .. } | BufferWords::BoundsOnly => None,
        }
    }

    /// The word number `index`, of which a part is about to be written.
    #[inline]
    pub(super) fn kept(&self, index: u64) -> u32 {
        match &self.words {
            BufferWords::Dense(words) => words.kept(index),
            BufferWords::Sparse { .. } | BufferWords::BoundsOnly => self.load(index),
        }
    }

    pub(super) fn common(&self) -> Option<&CommonWords> {
        match &self.words {
            BufferWords::Dense(words) => Some(words),
            BufferWords::Sparse { .. } | BufferWords::BoundsOnly => None,
        }
    }

    /// Whether every read returns 0.
    #[inline]
    pub(super) fn is_bounds_only(&self) -> bool {
        matches!(self.words, BufferWords::BoundsOnly)
    }

    /// Updates a word atomically with respect to other threads; returns the old value.
    pub(super) fn update(&mut self, index: u64, new: impl Fn(u32) -> u32) -> u32 {
        match &mut self.words {
            BufferWords::Dense(words) => words.update(index, new),
            BufferWords::Sparse { .. } | BufferWords::BoundsOnly => {
                let before = self.load(index);
                self.store(index, new(before));
                before
            }
        }
    }

    #[inline]
    pub(super) fn store(&mut self, index: u64, value: u32) {
        match &mut self.words {
            BufferWords::Dense(words) => words.store(index, value),
            BufferWords::Sparse { written, .. } => {
                written.insert(index, value);
            }
            BufferWords::BoundsOnly => {}
        }
    }
}
