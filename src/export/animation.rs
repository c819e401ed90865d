//! Frames that follow each other as one SVG that moves: CSS alone, so that it plays wherever a picture
//! is allowed.
//!
//! A cell that looks the same for a time is stored once for that time, and all cells with the same
//! beginning and end are one group, shown by an animation of `visibility`. Where nothing may move, and
//! in programs that know no animations, the last frame stands.

use super::svg::{self, CellDrawing, Ground, alike, escaped};
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::time::Duration;

/// Frames, added one after the other.
#[derive(Debug)]
pub struct Animation {
    area: Rect,
    ground: Ground,
    /// What each cell shows, and since when, in milliseconds.
    shown: Vec<(Cell, u64)>,
    /// The cells that were shown from one moment to another, with their places.
    over: BTreeMap<(u64, u64), Vec<(usize, Cell)>>,
}

impl Animation {
    /// Begins with the first frame.
    pub fn new(first: &Buffer, ground: Ground) -> Self {
        let shown = first.content.iter().map(|cell| (cell.clone(), 0)).collect();
        Self { area: first.area, ground, shown, over: BTreeMap::new() }
    }

    /// Adds a frame of the same size, which is shown from a moment on, counted from the first frame.
    pub fn show(&mut self, since: Duration, frame: &Buffer) {
        let now = millis(since);
        for (place, (cell, shown)) in frame.content.iter().zip(&mut self.shown).enumerate() {
            if !alike(cell, &shown.0, self.ground) {
                let (before, began) = std::mem::replace(shown, (cell.clone(), now));
                if began < now {
                    self.over.entry((began, now)).or_default().push((place, before));
                }
            }
        }
    }

    /// The picture, with a title for those who do not see it. It begins anew after `length`.
    pub fn svg(mut self, length: Duration, title: &str) -> String {
        let length = millis(length);
        let mut last = BTreeMap::<u64, Vec<(usize, Cell)>>::new();
        for (place, (cell, since)) in std::mem::take(&mut self.shown).into_iter().enumerate() {
            last.entry(since).or_default().push((place, cell));
        }
        let still = last.remove(&0).unwrap_or_default();
        let mut out = svg::opening(self.area, self.ground, &self.style(&last, length));
        let _ = writeln!(out, "<title>{}</title>", escaped(title));
        self.drawing(&still).write(&mut out);
        for ((since, until), cells) in &self.over {
            self.group(&mut out, (*since, *until, length), "m", cells);
        }
        for (since, cells) in &last {
            self.group(&mut out, (*since, length, length), "m s", cells);
        }
        out.push_str("</svg>\n");
        out
    }

    /// The cells that are shown from one moment to another.
    fn group(
        &self,
        out: &mut String,
        (since, until, length): (u64, u64, u64),
        class: &str,
        cells: &[(usize, Cell)],
    ) {
        let mut drawn = String::new();
        self.drawing(cells).write(&mut drawn);
        if drawn.is_empty() {
            return;
        }
        // A delay that is over already: the animation is somewhere in its course when it begins.
        let (shown, delay) = (until - since, length - since);
        let style = format!("animation-name:w{shown};animation-delay:-{delay}ms");
        let _ = write!(out, "<g class=\"{class}\" style=\"{style}\">\n{drawn}</g>\n");
    }

    /// One animation for each length of time for which something is shown.
    fn style(&self, last: &BTreeMap<u64, Vec<(usize, Cell)>>, length: u64) -> String {
        let mut style = format!(
            "{}.m{{visibility:hidden;animation:{length}ms step-end infinite}}.s{{visibility:visible}}",
            svg::BOLD
        );
        let over = self.over.keys().map(|(since, until)| until - since);
        let lengths: BTreeSet<_> = over.chain(last.keys().map(|since| length - since)).collect();
        for shown in lengths {
            let part = 100.0 * shown as f64 / length as f64;
            let _ = write!(
                style,
                "\n@keyframes w{shown}{{0%{{visibility:visible}}{part:.4}%,to{{visibility:hidden}}}}"
            );
        }
        style + "\n@media(prefers-reduced-motion:reduce){.m{animation:none!important}}"
    }

    fn drawing(&self, cells: &[(usize, Cell)]) -> CellDrawing {
        let width = usize::from(self.area.width).max(1);
        let mut rows = BTreeMap::<usize, Vec<Cell>>::new();
        for (place, cell) in cells {
            let row = rows.entry(place / width).or_insert_with(|| vec![Cell::default(); width]);
            row[place % width] = cell.clone();
        }
        let mut drawing = CellDrawing::default();
        for (row, cells) in rows {
            drawing.row(&cells, row as u32, self.ground);
        }
        drawing
    }
}

fn millis(time: Duration) -> u64 {
    (time.as_secs_f64() * 1000.0).round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::style::{Color, Style};

    const GROUND: Ground = Ground { text: 0xe6_e6_e6, ground: 0x1e_1e_1e };

    fn frame(text: &str, ground: Color) -> Buffer {
        let mut buf = Buffer::empty(Rect::new(0, 0, 4, 1));
        buf.set_string(0, 0, text, Style::new().bg(ground));
        buf
    }

    /// Three frames: `ab` for one second, `ac` for two, `a` on blue for one.
    fn moving() -> String {
        let mut animation = Animation::new(&frame("ab", Color::Reset), GROUND);
        animation.show(Duration::from_secs(1), &frame("ac", Color::Reset));
        animation.show(Duration::from_secs(3), &frame("a", Color::Indexed(21)));
        animation.svg(Duration::from_secs(4), "a < b")
    }

    #[test]
    fn a_cell_is_stored_once_for_the_time_for_which_it_looks_the_same() {
        insta::assert_snapshot!(moving(), @r##"
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 16" font-family="DejaVu Sans Mono,Menlo,Consolas,monospace" font-size="13" shape-rendering="crispEdges">
        <style>.b{font-weight:bold}.m{visibility:hidden;animation:4000ms step-end infinite}.s{visibility:visible}
        @keyframes w1000{0%{visibility:visible}25.0000%,to{visibility:hidden}}
        @keyframes w2000{0%{visibility:visible}50.0000%,to{visibility:hidden}}
        @keyframes w3000{0%{visibility:visible}75.0000%,to{visibility:hidden}}
        @media(prefers-reduced-motion:reduce){.m{animation:none!important}}</style>
        <rect width="32" height="16" fill="#1e1e1e"/>
        <title>a &lt; b</title>
        <g class="m" style="animation-name:w1000;animation-delay:-4000ms">
        <g fill="#e6e6e6"><text x="8" y="12">b</text></g>
        </g>
        <g class="m" style="animation-name:w3000;animation-delay:-4000ms">
        <g fill="#e6e6e6"><text x="0" y="12">a</text></g>
        </g>
        <g class="m" style="animation-name:w2000;animation-delay:-3000ms">
        <g fill="#e6e6e6"><text x="8" y="12">c</text></g>
        </g>
        <g class="m s" style="animation-name:w1000;animation-delay:-1000ms">
        <path fill="#0000ff" d="M0 0h8v16h-8z"/>
        <g fill="#e6e6e6"><text x="0" y="12">a</text></g>
        </g>
        </svg>
        "##);
    }

    #[test]
    fn what_does_not_change_does_not_move() {
        let mut animation = Animation::new(&frame("ab", Color::Reset), GROUND);
        animation.show(Duration::from_secs(1), &frame("ab", Color::Reset));
        let svg = animation.svg(Duration::from_secs(2), "");
        assert!(!svg.contains("<g class") && !svg.contains("@keyframes"), "{svg}");
    }
}
