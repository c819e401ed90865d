//! Every warp of the block with its 32 lanes: what each lane does, and which warps wait for which.

use super::pen::{Pen, fitting, width};
use crate::sim::{LaneMask, Pc};
use crate::trace::{Kind, WarpNow, WarpState, missing};
use crate::tui::theme::{Look, Role};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::widgets::Widget;

/// One row per warp: its number, its lanes, a word for its state.
#[derive(Clone, Copy, Debug)]
pub struct Warps<'a> {
    /// Every warp of the block.
    pub warps: &'a [WarpNow],
    /// The warp that the other panels show.
    pub selected: usize,
    /// The warp that executed the current step, if there was a step.
    pub issued: Option<usize>,
    /// Highlighted lanes, by warp: those involved with the followed value, or with a finding.
    pub lit: &'a [(usize, LaneMask, Role)],
    /// How it is drawn.
    pub look: Look,
}

/// The activity of a warp, as its row shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doing {
    /// Has not executed anything yet.
    Ready,
    /// Loads from global memory.
    Load,
    /// Stores to global memory.
    Store,
    /// Loads from shared memory.
    Read,
    /// Stores to shared memory.
    Write,
    /// Multiplies and adds.
    Fma,
    /// Computes addresses, compares, branches.
    Alu,
    /// Waits at a barrier.
    Wait,
    /// Has ended.
    Done,
}

/// Columns before the lanes: the mark, "w7" or "31", a blank.
const HEAD: u16 = 4;
/// Columns of 32 lanes with a gap after 16.
const LANES: u16 = 33;

impl Doing {
    /// Returns the activity of a warp.
    pub fn of(warp: &WarpNow) -> Self {
        match (warp.state, warp.kind) {
            (WarpState::Waiting, _) => Self::Wait,
            (WarpState::Exited, _) => Self::Done,
            (WarpState::Ready, Kind::Compute) if warp.pc == Pc(0) => Self::Ready,
            (WarpState::Ready, Kind::GlobalLoad) => Self::Load,
            (WarpState::Ready, Kind::GlobalStore) => Self::Store,
            (WarpState::Ready, Kind::SharedLoad) => Self::Read,
            (WarpState::Ready, Kind::SharedStore) => Self::Write,
            (WarpState::Ready, Kind::Fma) => Self::Fma,
            (WarpState::Ready, Kind::Compute | Kind::Branch | Kind::Exit) => Self::Alu,
            (WarpState::Ready, Kind::Barrier) => Self::Ready,
        }
    }

    /// The word for the activity.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Ready => "ready",
            Self::Load => "load",
            Self::Store => "store",
            Self::Read => "read",
            Self::Write => "write",
            Self::Fma => "FMA",
            Self::Alu => "ALU",
            Self::Wait => "WAIT",
            Self::Done => "done",
        }
    }

    fn glyph(self, look: Look) -> &'static str {
        match self {
            Self::Ready => look.pick("·", "."),
            Self::Load | Self::Read => look.pick("↓", "L"),
            Self::Store | Self::Write => look.pick("↑", "S"),
            Self::Fma => look.pick("■", "F"),
            Self::Alu => look.pick("+", "+"),
            Self::Wait => look.pick("─", "w"),
            Self::Done => " ",
        }
    }

    fn style(self, look: Look) -> Style {
        match self {
            Self::Load | Self::Store | Self::Read | Self::Write => look.ink(Role::Memory),
            Self::Fma => look.ink(Role::C),
            Self::Wait => look.ink(Role::Wait),
            Self::Alu => look.text(),
            Self::Ready | Self::Done => look.dim(),
        }
    }
}

impl Warps<'_> {
    /// Returns the note of the frame: which warps are in view, if not all are.
    pub fn note(&self, rows: u16) -> String {
        let shown = window(self.warps.len(), self.selected, rows);
        if shown.len() == self.warps.len() || shown.is_empty() {
            let free = self.lit.is_empty();
            return if free { "j/k selects".to_owned() } else { String::new() };
        }
        format!("w{}-{} of {}", shown.start, shown.end - 1, self.warps.len())
    }

    fn row(&self, pen: &mut Pen<'_>, y: u16, number: usize, wide: u16) {
        let warp = &self.warps[number];
        let doing = Doing::of(warp);
        let chosen = number == self.selected;
        let style = if chosen { self.look.strong(Role::Here) } else { self.look.text() };
        if chosen {
            pen.text(0, y, self.look.pick("►", ">"), style);
        }
        let name = if number < 10 { format!("w{number}") } else { number.to_string() };
        pen.text(1, y, &name, style);
        let mut end = HEAD;
        if pen.width() >= HEAD + LANES {
            for lane in 0..32_u16 {
                let (glyph, style) = self.lane(number, doing, usize::from(lane));
                let x = HEAD + (lane + lane / 16) * wide;
                pen.repeat(x, y, if glyph == "─" { wide } else { 1 }, glyph, style);
            }
            end += LANES * wide + 1;
        }
        let room = pen.width().saturating_sub(end);
        let mut style = doing.style(self.look);
        if self.issued == Some(number) || doing == Doing::Wait {
            style = style.add_modifier(Modifier::BOLD);
        }
        let words = self.words(doing);
        let word = match fitting(&words, room) {
            "" => doing.word(),
            word => word,
        };
        // A whole word without a blank before it is easier to read than a cut one.
        let end = pen.text(end - u16::from(width(word) > room && end > HEAD), y, word, style);
        if self.issued == Some(number) && width(" now") <= pen.width().saturating_sub(end) {
            pen.text(end, y, " now", self.look.ink(Role::Here));
        }
    }

    /// Returns the state of one lane: its warp's, unless the lane is inactive.
    fn lane(&self, number: usize, doing: Doing, lane: usize) -> (&'static str, Style) {
        let warp = &self.warps[number];
        let lit = self.lit.iter().find(|(warp, lanes, _)| *warp == number && lanes.has(lane));
        if let Some((_, _, role)) = lit {
            (self.look.pick("●", "@"), self.look.strong(*role))
        } else if !warp.live.has(lane) {
            (" ", self.look.dim())
        } else if taking_part(warp, doing).has(lane) {
            (doing.glyph(self.look), doing.style(self.look))
        } else {
            (self.look.pick("·", "."), self.look.dim())
        }
    }

    /// Returns the warps that are waited for: "w5-7", or their number.
    fn whom(&self) -> String {
        let missing = missing(self.warps);
        match missing[..] {
            [only] => format!("w{only}"),
            [first, .., last] if last - first + 1 == missing.len() => format!("w{first}-{last}"),
            _ => format!("{} warps", missing.len()),
        }
    }

    /// Describes the activity, the longest wording first: a waiting warp with those it waits for,
    /// or with the number that have arrived.
    fn words(&self, doing: Doing) -> Vec<String> {
        let word = doing.word().to_owned();
        if doing != Doing::Wait {
            return vec![word];
        }
        let count = |state| self.warps.iter().filter(|warp| warp.state == state).count();
        let waiting = count(WarpState::Waiting);
        let alive = self.warps.len() - count(WarpState::Exited);
        vec![
            format!("{word} for {}", self.whom()),
            format!("{word} {waiting} of {alive}"),
            format!("{word} {waiting}/{alive}"),
            word,
        ]
    }
}

impl Widget for Warps<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let mut pen = Pen::new(area, buf, self.look);
        let wide = lane_width(pen.width());
        let shown = window(self.warps.len(), self.selected, pen.height());
        let pitch = pitch(self.warps.len(), pen.height());
        for (y, number) in (0..).step_by(usize::from(pitch)).zip(shown.clone()) {
            self.row(&mut pen, y, number, wide);
            if pitch > 1 {
                pen.text(HEAD, y + 1, &history(&self.warps[number]), self.look.dim());
            }
        }
        let below = shown.len() as u16 * pitch;
        if below < pen.height() && pen.width() >= HEAD + LANES && !shown.is_empty() {
            pen.text(HEAD, below, "lane 0", self.look.dim());
            pen.right(HEAD + LANES * wide - (wide - 1), below, "lane 31", self.look.dim());
        }
        let (first, last) = (shown.start > 0, shown.end < self.warps.len());
        let column = pen.width().saturating_sub(1);
        if first {
            pen.text(column, 0, self.look.pick("▲", "^"), self.look.text());
        }
        if last {
            let row = pen.height().saturating_sub(1);
            pen.text(column, row, self.look.pick("▼", "v"), self.look.text());
        }
    }
}

/// Returns the warp in the row at `y` of the screen.
pub fn warp_at(warps: &Warps<'_>, area: Rect, y: u16) -> Option<usize> {
    let pitch = pitch(warps.warps.len(), area.height);
    let row = usize::from(y.checked_sub(area.y)? / pitch);
    let shown = window(warps.warps.len(), warps.selected, area.height);
    shown.clone().nth(row)
}

/// Returns the lane in the column at `x` of the screen.
pub fn lane_at(area: Rect, x: u16) -> Option<usize> {
    let column = x.checked_sub(area.x + HEAD)? / lane_width(area.width);
    // The column after lane 15 is a gap.
    let lane = column - u16::from(column > 16);
    let shown = area.width >= HEAD + LANES && column != 16 && lane < 32;
    shown.then_some(lane.into())
}

/// Returns the columns of a lane in a panel of this width.
fn lane_width(panel: u16) -> u16 {
    let room = panel.saturating_sub(HEAD + width("WAIT 31 of 32"));
    (room / LANES).clamp(1, 3)
}

/// Describes what a warp has done so far.
fn history(warp: &WarpNow) -> String {
    format!("FMAs {:<6} arrivals at a barrier {}", warp.fma, warp.arrivals)
}

/// Returns the rows per warp: with much room, the lanes form a square pattern.
fn pitch(warps: usize, rows: u16) -> u16 {
    let room = usize::from(rows.saturating_sub(1)).checked_div(warps).unwrap_or(1);
    room.clamp(1, 3) as u16
}

/// Returns the warps that `rows` rows show: all, or as many as fit with the selected one among
/// them.
pub(super) fn window(warps: usize, selected: usize, rows: u16) -> std::ops::Range<usize> {
    let rows = usize::from(rows).min(warps);
    let first = selected.saturating_sub(rows / 2).min(warps - rows);
    first..first + rows
}

/// Returns the lanes that took part in the warp's last activity.
fn taking_part(warp: &WarpNow, doing: Doing) -> LaneMask {
    let last = match doing {
        Doing::Load | Doing::Store => &warp.global,
        Doing::Read | Doing::Write => &warp.shared,
        Doing::Wait | Doing::Ready | Doing::Done => return warp.live,
        Doing::Fma | Doing::Alu => return warp.active,
    };
    last.as_ref().map_or(warp.active, |last| last.access.active)
}

#[cfg(test)]
mod tests {
    use super::super::picture::{self, ASCII, MONO, RICH};
    use super::*;
    use insta::assert_snapshot;

    fn warp(state: WarpState, kind: Kind) -> WarpNow {
        let (live, active) = (LaneMask::ALL, LaneMask::ALL);
        WarpNow {
            state,
            live,
            active,
            pc: Pc(7),
            kind,
            last: None,
            fma: 0,
            multiplied: 0,
            arrivals: 0,
            global: None,
            shared: None,
        }
    }

    /// A warp in each state.
    fn block() -> Vec<WarpNow> {
        let ready = |kind| warp(WarpState::Ready, kind);
        vec![
            warp(WarpState::Waiting, Kind::Barrier),
            ready(Kind::GlobalLoad),
            ready(Kind::SharedStore),
            WarpNow { active: LaneMask::first(20), ..ready(Kind::Fma) },
            WarpNow { live: LaneMask::first(8), ..ready(Kind::Compute) },
            WarpNow { pc: Pc(0), ..ready(Kind::Compute) },
            WarpNow { live: LaneMask::NONE, ..warp(WarpState::Exited, Kind::Exit) },
        ]
    }

    fn warps(warps: &[WarpNow], look: Look) -> Warps<'_> {
        Warps { warps, selected: 3, issued: Some(2), lit: &[], look }
    }

    #[test]
    fn every_state_has_its_glyph_and_its_word() {
        let block = block();
        assert_snapshot!(picture::text(warps(&block, RICH), 50, 8), @"
         w0 ──────────────── ──────────────── WAIT 1 of 6
         w1 ↓↓↓↓↓↓↓↓↓↓↓↓↓↓↓↓ ↓↓↓↓↓↓↓↓↓↓↓↓↓↓↓↓ load
         w2 ↑↑↑↑↑↑↑↑↑↑↑↑↑↑↑↑ ↑↑↑↑↑↑↑↑↑↑↑↑↑↑↑↑ write now
        ►w3 ■■■■■■■■■■■■■■■■ ■■■■············ FMA
         w4 ++++++++                          ALU
         w5 ················ ················ ready
         w6                                   done
            lane 0                    lane 31
        ");
        assert_snapshot!(picture::text(warps(&block, ASCII), 42, 7), @"
         w0 wwwwwwwwwwwwwwww wwwwwwwwwwwwwwww WAIT
         w1 LLLLLLLLLLLLLLLL LLLLLLLLLLLLLLLL load
         w2 SSSSSSSSSSSSSSSS SSSSSSSSSSSSSSSSwrite
        >w3 FFFFFFFFFFFFFFFF FFFF............ FMA
         w4 ++++++++                          ALU
         w5 ................ ................ready
         w6                                   done
        ");
    }

    #[test]
    fn zoomed_the_lanes_stand_apart() {
        assert_snapshot!(picture::text(warps(&block()[..4], MONO), 100, 5), @"
         w0 ────────────────────────────────  ──────────────────────────────── WAIT for w1-3
         w1 ↓ ↓ ↓ ↓ ↓ ↓ ↓ ↓ ↓ ↓ ↓ ↓ ↓ ↓ ↓ ↓   ↓ ↓ ↓ ↓ ↓ ↓ ↓ ↓ ↓ ↓ ↓ ↓ ↓ ↓ ↓ ↓  load
         w2 ↑ ↑ ↑ ↑ ↑ ↑ ↑ ↑ ↑ ↑ ↑ ↑ ↑ ↑ ↑ ↑   ↑ ↑ ↑ ↑ ↑ ↑ ↑ ↑ ↑ ↑ ↑ ↑ ↑ ↑ ↑ ↑  write now
        ►w3 ■ ■ ■ ■ ■ ■ ■ ■ ■ ■ ■ ■ ■ ■ ■ ■   ■ ■ ■ ■ · · · · · · · · · · · ·  FMA
            lane 0                                                    lane 31
        ");
    }

    #[test]
    fn without_room_for_lanes_the_words_stay() {
        assert_snapshot!(picture::text(warps(&block(), ASCII), 16, 7), @"
         w0 WAIT 1 of 6
         w1 load
         w2 write now
        >w3 FMA
         w4 ALU
         w5 ready
         w6 done
        ");
    }

    #[test]
    fn thirty_two_warps_scroll_around_the_selected_one() {
        let block = vec![warp(WarpState::Ready, Kind::Fma); 32];
        let panel = Warps { selected: 20, issued: None, ..warps(&block, ASCII) };
        assert_snapshot!(picture::text(panel, 43, 4), @"
         18 FFFFFFFFFFFFFFFF FFFFFFFFFFFFFFFF FMA ^
         19 FFFFFFFFFFFFFFFF FFFFFFFFFFFFFFFF FMA
        >20 FFFFFFFFFFFFFFFF FFFFFFFFFFFFFFFF FMA
         21 FFFFFFFFFFFFFFFF FFFFFFFFFFFFFFFF FMA v
        ");
        assert_eq!(panel.note(4), "w18-21 of 32");
        assert_eq!(panel.note(32), "j/k selects");
        let area = Rect::new(2, 5, 43, 4);
        let rows = (4..10).map(|y| warp_at(&panel, area, y)).collect::<Vec<_>>();
        assert_eq!(rows, [None, Some(18), Some(19), Some(20), Some(21), None]);
    }

    #[test]
    fn every_size_survives() {
        let block = block();
        picture::survives(|look| warps(&block, look));
        picture::survives(|look| warps(&[], look));
    }
}
