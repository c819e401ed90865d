//! The words of a buffer that the blocks of a grid share, and whether blocks meet in them: one writes
//! what another touches. Blocks that do not meet may run in any order, and at the same time.

use std::sync::atomic::{
    AtomicBool, AtomicU32,
    Ordering::{Relaxed, SeqCst},
};
use std::sync::{Arc, OnceLock};

/// Words in a page of notes.
const PAGE: usize = 1 << 10;

/// Several blocks have read a word.
const SEVERAL: u32 = u32::MAX;

/// The words, as one block or the host sees them.
#[derive(Clone, Debug)]
pub(super) struct CommonWords {
    words: Arc<[AtomicU32]>,
    notes: Arc<AccessNotes>,
    /// The block, from 1 up; 0 is the host, of which nothing is noted.
    pub(super) who: u32,
}

/// What is noted of the accesses of blocks.
#[derive(Debug)]
struct AccessNotes {
    loaded: AtomicBool,
    stored: AtomicBool,
    /// Whether each word that is read is noted: only where blocks also write.
    reads: AtomicBool,
    meet: AtomicBool,
    /// Of pages in which words were noted.
    pages: Box<[OnceLock<Box<WordPage>>]>,
}

/// For each word of a page, who wrote and who read it.
#[derive(Debug)]
struct WordPage {
    /// The words before the first of them was written.
    before: [u32; PAGE],
    wrote: [AtomicU32; PAGE],
    /// Only where it is noted who reads.
    read: OnceLock<Box<[AtomicU32; PAGE]>>,
}

/// How blocks have come together in a memory so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Meeting {
    /// One has written what another has touched, or updated it by an atomic.
    pub meet: bool,
    /// They read and write the same buffer, and it was not noted which words they read.
    pub is_unknown: bool,
}

impl WordPage {
    fn read(&self) -> &[AtomicU32; PAGE] {
        self.read.get_or_init(|| Box::new(nobody()))
    }
}

impl CommonWords {
    pub(super) fn new(words: Arc<[AtomicU32]>) -> Self {
        let pages = (0..words.len().div_ceil(PAGE)).map(|_| OnceLock::new()).collect();
        let [loaded, stored, reads, meet] = [const { AtomicBool::new(false) }; 4];
        Self { words, notes: Arc::new(AccessNotes { loaded, stored, reads, meet, pages }), who: 0 }
    }

    pub(super) fn words(&self) -> &Arc<[AtomicU32]> {
        &self.words
    }

    /// All words, for loads, unless it is noted which are read.
    #[inline]
    pub(super) fn for_loads(&self) -> Option<&[AtomicU32]> {
        self.loads();
        (!self.notes.reads.load(Relaxed)).then_some(&*self.words)
    }

    #[inline]
    pub(super) fn load(&self, index: u64) -> u32 {
        self.loads();
        if self.notes.reads.load(Relaxed) && self.who != 0 {
            self.note_read(index as usize);
        }
        self.words[index as usize].load(Relaxed)
    }

    /// The word, to keep the part of it that is not written.
    #[inline]
    pub(super) fn kept(&self, index: u64) -> u32 {
        self.words[index as usize].load(Relaxed)
    }

    #[inline]
    pub(super) fn store(&self, index: u64, value: u32) {
        if self.who != 0 {
            self.note_write(index as usize);
        }
        self.words[index as usize].store(value, Relaxed);
    }

    /// Updates a word atomically; returns the old value.
    pub(super) fn update(&self, index: u64, new: impl Fn(u32) -> u32) -> u32 {
        self.note_update(index);
        let word = &self.words[index as usize];
        let updated = word.fetch_update(Relaxed, Relaxed, |word| Some(new(word)));
        updated.unwrap_or_else(|word| word)
    }

    /// Notes an atomic update: what others add may come before or after it.
    pub(super) fn note_update(&self, index: u64) {
        if self.who != 0 {
            let old = self.note_write(index as usize);
            if old != 0 && old != self.who {
                self.notes.meet.store(true, SeqCst);
            }
        }
    }

    #[inline]
    fn loads(&self) {
        if !self.notes.loaded.load(Relaxed) && self.who != 0 {
            self.notes.loaded.store(true, SeqCst);
        }
    }

    fn page(&self, index: usize) -> &WordPage {
        self.notes.pages[index / PAGE].get_or_init(|| {
            let words = &self.words[index / PAGE * PAGE..];
            let before = |word: usize| words.get(word).map_or(0, |word| word.load(Relaxed));
            let read = OnceLock::new();
            Box::new(WordPage { before: std::array::from_fn(before), wrote: nobody(), read })
        })
    }

    /// Notes a write; returns who wrote the word before.
    #[inline]
    fn note_write(&self, index: usize) -> u32 {
        let page = self.page(index);
        let wrote = &page.wrote[index % PAGE];
        if wrote.load(Relaxed) == self.who {
            return self.who;
        }
        self.note_first_write(page, index % PAGE)
    }

    #[cold]
    fn note_first_write(&self, page: &WordPage, index: usize) -> u32 {
        let notes = &self.notes;
        if !notes.stored.load(Relaxed) {
            notes.stored.store(true, SeqCst);
        }
        let old = page.wrote[index].swap(self.who, SeqCst);
        let read = if notes.reads.load(Relaxed) { page.read()[index].load(SeqCst) } else { 0 };
        if [old, read].iter().any(|other| *other != 0 && *other != self.who) {
            notes.meet.store(true, SeqCst);
        }
        old
    }

    #[cold]
    fn note_read(&self, index: usize) {
        let page = self.page(index);
        let (read, wrote) = (&page.read()[index % PAGE], &page.wrote[index % PAGE]);
        if let Err(other) = read.compare_exchange(0, self.who, SeqCst, SeqCst)
            && other != self.who
            && other != SEVERAL
        {
            read.store(SEVERAL, SeqCst);
        }
        let wrote = wrote.load(SeqCst);
        if wrote != 0 && wrote != self.who {
            self.notes.meet.store(true, SeqCst);
        }
    }

    pub(super) fn meeting(&self) -> Meeting {
        let AccessNotes { loaded, stored, reads, meet, .. } = &*self.notes;
        let both = loaded.load(SeqCst) && stored.load(SeqCst);
        Meeting { meet: meet.load(SeqCst), is_unknown: both && !reads.load(SeqCst) }
    }

    /// From now on, which words are read is noted if words are written too.
    pub(super) fn note_reads(&self) {
        if self.meeting().is_unknown {
            self.notes.reads.store(true, SeqCst);
        }
    }

    /// Takes back what blocks wrote, but for one of them, and forgets the others' accesses.
    pub(super) fn rewind(&self, but: Option<u32>) {
        for (page, words) in self.notes.pages.iter().zip(self.words.chunks(PAGE)) {
            let Some(page) = page.get() else { continue };
            for (index, word) in words.iter().enumerate() {
                let wrote = page.wrote[index].load(SeqCst);
                if wrote != 0 && Some(wrote) != but {
                    word.store(page.before[index], SeqCst);
                    page.wrote[index].store(0, SeqCst);
                }
                if let Some(read) = page.read.get() {
                    read[index].store(0, SeqCst);
                }
            }
        }
        let AccessNotes { loaded, stored, meet, .. } = &*self.notes;
        for note in [loaded, stored, meet] {
            note.store(false, SeqCst);
        }
    }
}

fn nobody() -> [AtomicU32; PAGE] {
    std::array::from_fn(|_| AtomicU32::new(0))
}
