//! The screens of a text that is longer than its room: which is in view, and which comes next.

/// The end of a text, however long it is, and what is asked after it.
pub const END: u16 = u16::MAX;

/// A text of several lines in the given room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Paging {
    pub lines: u16,
    /// The lines in view.
    pub room: u16,
    /// The line that is of interest now.
    pub newest: u16,
    pub part: PageSlice,
}

/// What of a page stands in its room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageSlice {
    /// The text, and below it what is asked.
    Both,
    /// The text alone, with this many pages to read before the question.
    Text(u16),
    /// The question after this many pages of text, and the last line at which one of them begins.
    Question(u16, u16),
}

impl Paging {
    /// The last line that can be the first in view.
    pub const fn last(&self) -> u16 {
        self.lines.saturating_sub(self.room)
    }

    /// The first line in view.
    pub fn first(&self, turned: Option<u16>) -> u16 {
        turned.unwrap_or(self.newest).min(self.last())
    }

    /// The screens that the text takes.
    pub fn screens(&self) -> u16 {
        self.last().div_ceil(self.room.max(1)) + 1
    }

    /// Which of how many screens is in view, and whether it is the last.
    pub fn place(&self, first: u16) -> (u16, u16, bool) {
        let ends = first == self.last();
        let at = if ends { self.screens() } else { first / self.room.max(1) + 1 };
        match self.part {
            PageSlice::Both => (at, self.screens(), ends),
            PageSlice::Text(screens) => (at, screens + 1, false),
            PageSlice::Question(screens, _) => (screens + 1, screens + 1, true),
        }
    }

    /// Whether the text is still read, so that the question is not in view yet.
    pub const fn reads(&self) -> bool {
        matches!(self.part, PageSlice::Text(_))
    }

    /// The first line in view after the text is turned by this many pages.
    pub fn turned(&self, turned: Option<u16>, by: i8) -> u16 {
        let first = self.first(turned);
        match self.part {
            PageSlice::Text(_) if by > 0 && first == self.last() => END,
            PageSlice::Question(..) if by > 0 => END,
            PageSlice::Question(_, last) => last,
            PageSlice::Both | PageSlice::Text(_) => {
                let by = i32::from(by) * i32::from(self.room.max(1));
                first.saturating_add_signed(by as i16).min(self.last())
            }
        }
    }
}
