//! Draws the lanes of a warp, and above them the numbers of their columns.

use super::plan::{HEAD, LANES, WarpsPlan};
use super::{Activity, Warps};
use crate::sim::LaneMask;
use crate::trace::{WarpNow, WarpState};
use crate::tui::layout::text::width;
use crate::tui::theme::{Depth, Role, Tone};
use crate::tui::widget::canvas::{Canvas, block};
use crate::tui::widget::pen::Pen;
use ratatui::layout::Rect;
use ratatui::style::Style;

/// What is drawn of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LaneCell {
    /// It has exited, or never existed.
    Gone,
    /// It does not execute what its warp does.
    Inactive,
    Active,
    /// It is highlighted.
    Lit(Role),
}

/// Columns of a lane in which its number fits.
const NUMBERED: u16 = 3;

/// Draws an activity: a solid cell, or a character without colours. Waiting has both, since its grey
/// is close to that of lanes that have nothing to do.
fn activity(pen: &mut Pen<'_>, x: u16, y: u16, doing: Activity, tone: Tone) {
    let look = pen.look;
    if !look.has_pixels() {
        pen.text(x, y, doing.glyph(look), doing.style(look));
        return;
    }
    block(pen, x, y, tone);
    if doing == Activity::Wait {
        pen.text(x, y, doing.glyph(look), look.past(Role::Wait));
    }
}

impl Warps<'_> {
    /// Writes the numbers of the columns: the threads' x, or the lanes.
    pub(super) fn heading(&self, pen: &mut Pen<'_>, plan: &WarpsPlan) {
        let dim = self.look.dim();
        if plan.wide == 0 || plan.across < LANES && plan.group != plan.across {
            return;
        }
        let last = plan.across - 1;
        let x = |lane| HEAD + plan.column(lane);
        let what = if plan.across < LANES { "tx" } else { "lane" };
        // The first number needs a blank before it.
        if HEAD < x(0) + plan.wide {
            pen.right(HEAD - 1, 0, what, dim);
        }
        let every = if plan.wide >= NUMBERED { 1 } else { 8 };
        for lane in (0..last).step_by(every) {
            pen.right(x(lane) + plan.wide.max(1 + u16::from(lane > 9)), 0, &lane.to_string(), dim);
        }
        pen.right(x(last) + plan.wide, 0, &last.to_string(), dim);
    }

    /// Writes what the colours mean, below the names of lanes.
    pub(super) fn legend(&self, pen: &mut Pen<'_>, plan: &WarpsPlan) {
        let (mut x, y, look) = (4, plan.bottom() + 2, self.look);
        let coloured = [
            (Activity::Load, "load or store in global memory"),
            (Activity::SharedLoad, "in shared memory"),
            (Activity::Fma, self.multiplies),
            (Activity::Wait, "waits"),
            (Activity::Ready, "ready, or other instructions"),
        ];
        // Without colours, a load and a store have a character each.
        let plain = [
            (Activity::Load, "global load"),
            (Activity::Store, "global store"),
            (Activity::SharedLoad, "shared load"),
            (Activity::SharedStore, "shared store"),
            (Activity::Fma, self.multiplies),
            (Activity::Wait, "waits"),
            (Activity::Other, "other"),
        ];
        let items = if look.has_pixels() { &coloured[..] } else { &plain[..] };
        for &(doing, meaning) in items {
            if x + 3 + width(meaning) > pen.width() {
                break;
            }
            (x..x + 2).for_each(|x| activity(pen, x, y, doing, doing.tone(true)));
            x = pen.text(x + 3, y, meaning, look.dim()) + 2;
        }
    }

    pub(super) fn lanes(&self, pen: &mut Pen<'_>, plan: &WarpsPlan, number: usize) {
        if plan.wide == 0 {
            return;
        }
        if plan.halves_rows() {
            self.halves(pen, plan, number);
        } else {
            self.whole(pen, plan, number);
        }
    }

    fn whole(&self, pen: &mut Pen<'_>, plan: &WarpsPlan, number: usize) {
        let doing = Activity::of(&self.warps[number]);
        let tone = doing.tone(self.bright(number));
        let named = number == self.selected && plan.wide >= NUMBERED;
        for lane in 0..LANES {
            let Some(cell) = plan.lane(number, lane) else { continue };
            let state = self.lane(number, doing, lane);
            self.cell(pen, cell, state, doing, tone);
            if named && matches!(state, LaneCell::Active | LaneCell::Lit(_)) {
                let style = match (state, tone) {
                    (LaneCell::Lit(role), _) | (_, Tone::Full(role)) => self.look.fill(role),
                    (_, Tone::Half(role)) => self.look.past(role),
                    _ => self.look.text(),
                };
                // Without colours the number leaves the glyph in sight.
                let style = if self.look.depth == Depth::Mono { Style::new() } else { style };
                pen.right(cell.right(), cell.y, &format!("{lane:>2}"), style);
            }
        }
    }

    fn cell(&self, pen: &mut Pen<'_>, cell: Rect, state: LaneCell, doing: Activity, tone: Tone) {
        let (look, inactive) = (self.look, self.look.pick("·", "."));
        for (x, y) in cell.positions().map(|at| (at.x, at.y)) {
            match state {
                LaneCell::Gone => {}
                LaneCell::Inactive if x > cell.x => {}
                LaneCell::Inactive => _ = pen.text(x, y, inactive, look.dim()),
                LaneCell::Lit(role) => _ = pen.text(x, y, self.lit_mark(role), look.fill(role)),
                LaneCell::Active => activity(pen, x, y, doing, tone),
            }
        }
    }

    /// The character of a highlighted lane.
    const fn lit_mark(&self, role: Role) -> &'static str {
        match role {
            Role::Wait => Activity::Wait.glyph(self.look),
            _ => self.look.pick("●", "@"),
        }
    }

    /// Draws two rows of threads in each row.
    fn halves(&self, pen: &mut Pen<'_>, plan: &WarpsPlan, number: usize) {
        let Some(band) = plan.band(number) else { return };
        let doing = Activity::of(&self.warps[number]);
        if self.look.has_pixels() {
            return self.pixels(pen, plan, number, band);
        }
        let upper = (0..LANES).filter(|lane| (lane / plan.across).is_multiple_of(2));
        for lane in upper {
            let Some(cell) = plan.lane(number, lane) else { continue };
            let pair = [lane, lane + plan.across].map(|lane| self.lane(number, doing, lane));
            let (glyph, style) = self.pair(pair, doing);
            pen.repeat(cell.x, cell.y, cell.width, glyph, style);
        }
    }

    /// Draws two rows of threads in each row, as half blocks.
    fn pixels(&self, pen: &mut Pen<'_>, plan: &WarpsPlan, number: usize, band: Rect) {
        let warp = &self.warps[number];
        let doing = Activity::of(&self.warps[number]);
        let tone = doing.tone(self.bright(number));
        let mut canvas = Canvas::new(band.width, band.height);
        for lane in 0..LANES {
            let tone = match self.lane(number, doing, lane) {
                LaneCell::Gone => Tone::None,
                LaneCell::Inactive => Tone::Faint,
                LaneCell::Active => tone,
                LaneCell::Lit(role) => Tone::Full(role),
            };
            let x = plan.column(lane);
            (x..x + plan.wide).for_each(|x| canvas.set(x, lane / plan.across, tone));
        }
        canvas.draw(pen, band.x, band.y);
        let lit = self.lit.iter().any(|(warp, ..)| *warp == number);
        if doing == Activity::Wait && warp.live == LaneMask::ALL && !lit {
            band.positions().for_each(|at| activity(pen, at.x, at.y, doing, tone));
        }
    }

    /// Returns the character of two lanes, one above the other, without colours.
    fn pair(&self, pair: [LaneCell; 2], doing: Activity) -> (&'static str, Style) {
        let look = self.look;
        let lit = pair
            .iter()
            .find_map(|lane| if let LaneCell::Lit(role) = lane { Some(*role) } else { None });
        let style = doing.style(look);
        match (lit, pair) {
            (Some(role), _) => (self.lit_mark(role), look.fill(role)),
            (_, [LaneCell::Active, LaneCell::Active]) => (doing.glyph(look), style),
            (_, [LaneCell::Active, _]) => (look.pick("▀", "'"), style),
            (_, [_, LaneCell::Active]) => (look.pick("▄", ","), style),
            (_, [LaneCell::Gone, LaneCell::Gone]) => (" ", style),
            (None, _) => (look.pick("·", "."), look.dim()),
        }
    }

    /// Returns the state of one lane: its warp's, unless the lane is inactive.
    fn lane(&self, number: usize, doing: Activity, lane: u16) -> LaneCell {
        let (warp, lane) = (&self.warps[number], usize::from(lane));
        let lit = self.lit.iter().find(|(warp, lanes, _)| *warp == number && lanes.has(lane));
        if let Some((_, _, role)) = lit {
            LaneCell::Lit(*role)
        } else if !warp.live.has(lane) {
            LaneCell::Gone
        } else if doing.lanes(warp).has(lane) {
            LaneCell::Active
        } else {
            LaneCell::Inactive
        }
    }

    /// Whether a warp is among those that moved last, where not all did: then it is brighter.
    fn bright(&self, number: usize) -> bool {
        let Some(issued) = self.issued.and_then(|issued| self.warps.get(issued)) else {
            return false;
        };
        let moved = |warp: &&WarpNow| warp.last.is_some() && warp.last == issued.last;
        let live = |warp: &&WarpNow| warp.state != WarpState::Exited;
        let some = self.warps.iter().filter(live).any(|warp| !moved(&warp));
        some && moved(&&self.warps[number])
    }
}
