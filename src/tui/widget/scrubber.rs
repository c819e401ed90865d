//! The whole run on one row: what is done, the barriers, and where the playhead stands.

use super::pen::Pen;
use crate::tui::theme::{Look, Role};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;
use std::ops::Range;

/// A row to see the place in the run and to seek by the mouse.
#[derive(Clone, Copy, Debug)]
pub struct Scrubber<'a> {
    /// Steps of the run so far recorded.
    pub len: usize,
    /// Steps done.
    pub at: usize,
    /// Steps after which a barrier released the block, ascending.
    pub barriers: &'a [usize],
    /// The steps that the timeline shows, when not all.
    pub window: Option<&'a Range<usize>>,
    /// Whether it plays.
    pub playing: bool,
    /// How it is drawn.
    pub look: Look,
}

/// Columns before the row: a blank, "||" or "►", a blank.
const HEAD: u16 = 4;

/// The step (as many done) under a column of the screen, if it is on the row.
pub fn step_at(area: Rect, len: usize, x: u16) -> Option<usize> {
    let first = area.x.saturating_add(HEAD);
    let width = usize::from(area.width.saturating_sub(HEAD));
    let column = usize::from(x.checked_sub(first)?);
    (column < width).then(|| step(column, width, len))
}

/// The column of `width` in which `step` of `len` lies: the first for none done, the last for all.
fn column(step: usize, width: usize, len: usize) -> usize {
    step.min(len) * width.saturating_sub(1) / len.max(1)
}

/// The least step in a column: the other way round.
fn step(column: usize, width: usize, len: usize) -> usize {
    let last = width.saturating_sub(1).max(1);
    (column * len).div_ceil(last).min(len)
}

impl Widget for Scrubber<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let mut pen = Pen::new(area, buf, self.look);
        let here = self.look.strong(Role::Here);
        let state = if self.playing { self.look.pick("►", ">") } else { "||" };
        pen.text(1, 0, state, here);
        let width = usize::from(pen.width().saturating_sub(HEAD));
        let at = column(self.at, width, self.len);
        for column in 0..width {
            let past = column <= at;
            let glyph = if past { self.look.pick("━", "=") } else { self.look.pick("─", "-") };
            let style = if past { here } else { self.look.dim() };
            pen.text(HEAD + column as u16, 0, glyph, style);
        }
        // So many barriers that they touch would say nothing.
        if self.barriers.len() * 2 <= width {
            for barrier in self.barriers {
                let column = column(*barrier, width, self.len);
                let style = if column <= at { here } else { self.look.text() };
                pen.text(HEAD + column as u16, 0, self.look.pick("┼", "+"), style);
            }
        }
        for (step, basic, ascii) in self
            .window
            .map_or([None; 2], |window| {
                [Some((window.start, "├", "[")), Some((window.end, "┤", "]"))]
            })
            .into_iter()
            .flatten()
        {
            let column = column(step, width, self.len);
            pen.text(HEAD + column as u16, 0, self.look.pick(basic, ascii), self.look.text());
        }
        if width > 0 {
            pen.text(HEAD + at as u16, 0, self.look.pick("●", "O"), here);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::picture::{self, ASCII, RICH};
    use super::*;
    use insta::assert_snapshot;

    fn scrubber(look: Look) -> Scrubber<'static> {
        Scrubber { len: 100, at: 30, barriers: &[20, 50, 70], window: None, playing: false, look }
    }

    #[test]
    fn barriers_tick_and_the_past_is_heavier() {
        assert_snapshot!(picture::text(scrubber(RICH), 44, 1), @" || ━━━━━━━┼━━━●───────┼───────┼────────────");
        let window = 10..60;
        let playing = Scrubber { playing: true, window: Some(&window), ..scrubber(ASCII) };
        assert_snapshot!(picture::text(playing, 44, 1), @" >  ===[===+===O-------+---]---+------------");
    }

    #[test]
    fn clicks_reach_both_ends() {
        let area = Rect::new(0, 20, 44, 1);
        assert_eq!(step_at(area, 100, 4), Some(0));
        assert_eq!(step_at(area, 100, 43), Some(100));
        assert_eq!(step_at(area, 100, 3), None);
        assert_eq!(step_at(area, 100, 44), None);
        for x in 4..44 {
            let step = step_at(area, 100, x).expect("on the row");
            assert_eq!(
                column(step, 40, 100),
                usize::from(x - 4),
                "a click moves the playhead there"
            );
        }
    }

    #[test]
    fn every_size_survives() {
        picture::survives(scrubber);
        picture::survives(|look| Scrubber { len: 0, at: 9, ..scrubber(look) });
    }
}
