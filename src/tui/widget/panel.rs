//! The frame of a panel: its number, its title, a note at the right, and the focus.

use super::pen::Pen;
use crate::tui::layout::inner;
use crate::tui::layout::text::width;
use crate::tui::theme::{Glyphs, Look};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use ratatui::symbols::border;
use ratatui::symbols::merge::MergeStrategy;
use ratatui::widgets::{Block, Clear, Widget};

/// A frame whose text is in its border, where it takes no extra row.
///
/// If frames share borders, [`frames`] draws them: that is why [`PanelFrame::border`] and
/// [`PanelFrame::title`] are separate.
#[derive(Clone, Copy, Debug)]
pub struct PanelFrame<'a> {
    /// The key that zooms it.
    pub number: Option<char>,
    /// What it shows.
    pub title: &'a str,
    /// A detail, right-aligned; omitted unless all of it fits.
    pub note: &'a str,
    /// Whether it has the focus: a double border and a reversed number.
    pub focused: bool,
    pub look: Look,
}

const ASCII: border::Set<'static> = border::Set {
    top_left: "+",
    top_right: "+",
    bottom_left: "+",
    bottom_right: "+",
    vertical_left: "|",
    vertical_right: "|",
    horizontal_top: "-",
    horizontal_bottom: "-",
};

const ASCII_FOCUSED: border::Set<'static> = border::Set {
    top_left: "#",
    top_right: "#",
    bottom_left: "#",
    bottom_right: "#",
    vertical_left: "#",
    vertical_right: "#",
    horizontal_top: "#",
    horizontal_bottom: "#",
};

/// Returns the first title and note that fit together in a frame `inside` columns wide inside,
/// preferring long notes over long titles; the shortest if none fit.
pub fn fitting<const N: usize, const M: usize>(
    titles: &[String; N],
    notes: &[String; M],
    inside: u16,
) -> (String, String) {
    let pairs = notes.iter().flat_map(|note| titles.iter().map(move |title| (title, note)));
    let mut pairs = pairs.map(|(title, note)| (title.clone(), note.clone()));
    let fits = |(title, note): &(String, String)| width(title) + width(note) + HEAD <= inside;
    let last = (titles.last().cloned(), notes.last().cloned());
    pairs.find(fits).unwrap_or((last.0.unwrap_or_default(), last.1.unwrap_or_default()))
}

/// Columns of the upper border in addition to the title and the note: number, blanks, corner.
const HEAD: u16 = 8;

/// Draws the frames of neighbouring panels, which share borders, over their contents: all borders,
/// the focused one last, then all titles.
pub fn frames(mut frames: Vec<(PanelFrame<'_>, Rect)>, buf: &mut Buffer) {
    frames.sort_by_key(|(frame, _)| frame.focused);
    for (frame, area) in &frames {
        frame.border(*area, buf);
    }
    for (frame, area) in &frames {
        frame.title(*area, buf);
    }
}

impl PanelFrame<'_> {
    /// Clears the area and draws the frame; returns the area inside the border.
    pub fn popup(self, area: Rect, buf: &mut Buffer) -> Rect {
        let area = area.intersection(buf.area);
        Clear.render(area, buf);
        buf.set_style(area, self.look.ground());
        self.render(area, buf);
        inner(area)
    }

    /// Draws the border alone, joined with the existing ones.
    pub fn border(&self, area: Rect, buf: &mut Buffer) {
        let set = match (self.look.glyphs, self.focused) {
            (Glyphs::Basic, false) => border::PLAIN,
            (Glyphs::Basic, true) => border::DOUBLE,
            (Glyphs::Ascii, false) => ASCII,
            (Glyphs::Ascii, true) => ASCII_FOCUSED,
        };
        let style = if self.focused { self.look.text() } else { self.look.border() };
        let joined = match self.look.glyphs {
            // Where no character joins double and single lines, the later frame keeps its own.
            Glyphs::Basic => MergeStrategy::Exact,
            Glyphs::Ascii => MergeStrategy::Replace,
        };
        Block::bordered()
            .border_set(set)
            .border_style(style)
            .merge_borders(joined)
            .render(area.intersection(buf.area), buf);
    }

    /// Writes number, title and note over the upper border.
    pub fn title(&self, area: Rect, buf: &mut Buffer) {
        let inside =
            Rect { x: area.x.saturating_add(1), width: area.width.saturating_sub(2), ..area };
        let mut pen = Pen::new(inside, buf, self.look);
        let mut end = 0;
        if let Some(number) = self.number {
            let style = if self.focused { self.look.key_cap() } else { self.look.dim() };
            end = pen.text(end, 0, &format!(" {number} "), style);
        }
        let lead = if self.number.is_none() || self.focused { " " } else { "" };
        let mut style = self.look.text();
        if self.focused {
            style = style.add_modifier(Modifier::BOLD);
        }
        end = pen.text(end, 0, &format!("{lead}{} ", self.title), style);
        let note = format!(" {} ", self.note);
        let room = pen.width().saturating_sub(end + 1);
        if !self.note.is_empty() && width(&note) <= room {
            pen.right(pen.width() - 1, 0, &note, self.look.dim());
        }
    }
}

impl Widget for PanelFrame<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        self.border(area, buf);
        self.title(area, buf);
    }
}
