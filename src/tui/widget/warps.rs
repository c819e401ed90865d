//! The block's warps, one in a row: what each does, and who waits for whom.

mod gate;
mod lanes;
mod plan;
pub(super) use self::plan::window;
use crate::tui::facts::listing::list;
use crate::tui::facts::{Activity, BarrierGate};

use self::plan::{HEAD, WarpsPlan};
use super::panel;
use super::pen::Pen;
use crate::launch::{Dim3, WARP_SIZE};
use crate::report::number::Count;
use crate::sim::LaneMask;
use crate::trace::{WarpNow, WarpState, missing};
use crate::tui::layout::text::{fitting, width};
use crate::tui::theme::{Look, Role};
use ratatui::buffer::Buffer;
use ratatui::layout::{Offset, Rect};
use ratatui::style::Modifier;
use ratatui::widgets::Widget;

/// The warps of a block as bands of lanes, each with a word for what it does, and the gate at which
/// they wait for each other.
#[derive(Clone, Copy, Debug)]
pub struct Warps<'a> {
    /// Every warp of the block.
    pub warps: &'a [WarpNow],
    /// The block's threads along x, y and z.
    pub block: Dim3,
    /// The number of blocks: several if they run together, whose warps are numbered through.
    pub blocks: usize,
    /// What each warp's last access touched (`A`, `sB`), empty if unknown; may be shorter than
    /// `warps`.
    pub names: &'a [&'a str],
    /// The warp that the other panels show.
    pub selected: usize,
    /// The warp that executed the current step, if there was a step.
    pub issued: Option<usize>,
    /// The barrier of all warps, if the kernel has no other kind.
    pub gate: Option<BarrierGate>,
    /// Its instructions that multiply and add: "FMA", or those of tensor cores.
    pub multiplies: &'static str,
    /// Highlighted lanes, by warp: those involved with a finding, and those that wait for a bank.
    pub lit: &'a [(usize, LaneMask, Role)],
    pub look: Look,
}

impl Warps<'_> {
    /// Returns the title and the note of the frame: the block's shape, and which barrier is being
    /// waited for.
    pub fn title(&self, area: Rect) -> (String, String) {
        let (x, y, z) = (self.block.x, self.block.y, self.block.z);
        let shape = match (y, z) {
            (1, 1) => format!("Threads {x}"),
            (_, 1) => format!("Threads {x} x {y}"),
            _ => format!("Threads {x} x {y} x {z}"),
        };
        let count = self.warps.len();
        let titles = [format!("{shape} in {}", self.warps_of_32()), shape, "Threads".to_owned()];
        let notes = self.barrier().unwrap_or_else(|| {
            let shown = self.plan(area).shown;
            let note = if shown.len() < count && !shown.is_empty() {
                format!("w{}-w{} of {count}", shown.start, shown.end - 1)
            } else {
                String::new()
            };
            std::array::from_fn(|_| note.clone())
        });
        panel::fitting(&titles, &notes, area.width)
    }

    /// "8 warps of 32", "2 warps" if the last one is not full, "1 warp".
    fn warps_of_32(&self) -> String {
        let (warps, threads) = (self.warps.len(), self.block.volume());
        let full = warps > 1 && threads.is_multiple_of(WARP_SIZE.into());
        let blocks =
            if self.blocks > 1 { format!(" of {} blocks", self.blocks) } else { String::new() };
        let of_32 = if full && self.blocks == 1 { " of 32" } else { "" };
        format!("{}{of_32}{blocks}", Count(warps as u64, "warp"))
    }

    /// Describes the next barrier, from its first warp to its last: the words never come and go.
    fn barrier(&self) -> Option<[String; 2]> {
        let gate = self.gate?;
        let (arrived, all) = self.arrived();
        let state = if gate.open { "open".to_owned() } else { format!("{arrived} of {all}") };
        Some([format!("barrier {}: {state}", gate.number), state])
    }

    /// Returns the number of warps that wait, and of those that have not exited.
    fn arrived(&self) -> (usize, usize) {
        let count = |state| self.warps.iter().filter(|warp| warp.state == state).count();
        (count(WarpState::Waiting), self.warps.len() - count(WarpState::Exited))
    }

    fn plan(&self, area: Rect) -> WarpsPlan {
        let size = (area.width, area.height);
        WarpsPlan::new(self.block, self.warps.len(), self.selected, size)
    }

    fn row(&self, pen: &mut Pen<'_>, plan: &WarpsPlan, number: usize) {
        let Some(y) = plan.row(number) else { return };
        let doing = Activity::of(&self.warps[number]);
        let chosen = number == self.selected;
        let style = if chosen { self.look.chosen() } else { self.look.text() };
        if chosen {
            pen.text(0, y, self.look.pick("►", ">"), style);
        }
        pen.text(1, y, &format!("w{number}"), style);
        self.lanes(pen, plan, number);
        let start = HEAD + plan.span() + u16::from(plan.wide > 0);
        let start = if self.gate.is_some() { start + gate::WIDTH + 1 } else { start };
        let room = pen.width().saturating_sub(start);
        let mut style = doing.style(self.look);
        if self.issued == Some(number) || doing == Activity::Wait {
            style = style.add_modifier(Modifier::BOLD);
        }
        let words = self.words(number, doing);
        let end = pen.text(start, y, fitting(&words, room), style);
        if self.issued == Some(number) && end + width(" now") <= pen.width() {
            pen.text(end, y, " now", self.look.ink(Role::Here));
        }
    }

    /// Returns the position in the block of a lane's thread: a number where the block has one dimension.
    fn thread(&self, warp: usize, lane: u64) -> String {
        let first = self.within_block(warp) as u64 * u64::from(WARP_SIZE);
        let place = self.block.place(first + lane);
        if self.is_flat() {
            place.x.to_string()
        } else {
            format!("({})", place.place_in(self.block))
        }
    }

    const fn is_flat(&self) -> bool {
        self.block.y == 1 && self.block.z == 1
    }

    /// The number of a warp in its block.
    const fn within_block(&self, warp: usize) -> usize {
        if self.blocks > 1 { warp % (self.warps.len() / self.blocks) } else { warp }
    }

    /// Describes the activity, the longest wording first: a load with what is loaded, a waiting
    /// warp with those it waits for.
    fn words(&self, number: usize, doing: Activity) -> Vec<String> {
        let word = doing.word();
        let name = self.names.get(number).copied().unwrap_or_default();
        match (doing, doing.memory()) {
            (_, Some(memory)) if name.is_empty() => {
                vec![format!("{word} {memory} memory"), format!("{word} {memory}"), word.to_owned()]
            }
            (_, Some(memory)) => vec![
                format!("{word} {name}, {memory} memory"),
                format!("{word} {name}"),
                word.to_owned(),
            ],
            (Activity::Fma, None) => vec![self.multiplies.to_owned()],
            (Activity::Wait, None) if self.gate.is_some_and(|gate| !gate.open) => {
                vec![format!("{word} for {}", self.whom()), word.to_owned()]
            }
            (Activity::Released, None) if self.gate.is_some() => {
                vec![word.to_owned(), "free".to_owned()]
            }
            // Their grey says as much.
            (Activity::Released | Activity::Ready, None) => Vec::new(),
            (_, None) => vec![word.to_owned()],
        }
    }

    /// Returns the warps that are waited for.
    fn whom(&self) -> String {
        let missing = missing(self.warps);
        if missing.is_empty() { "other lanes".to_owned() } else { list(&missing) }
    }

    /// Writes below the warps which threads the selected one's lanes are.
    fn names_of_lanes(&self, pen: &mut Pen<'_>, plan: &WarpsPlan) {
        // A block need not fill its last warp.
        let rest = self.block.volume();
        let before = self.within_block(self.selected) as u64 * u64::from(WARP_SIZE);
        let rest = rest.saturating_sub(before);
        let last = rest.clamp(1, WARP_SIZE.into()) - 1;
        // Along x alone the last lane says as much as one in the second row.
        let inner = if self.is_flat() { last } else { last.min(17) };
        let thread =
            |lane: u64| format!("lane {lane} = thread {}", self.thread(self.selected, lane));
        let name = format!("w{}: ", self.selected);
        let mut named = vec![
            format!("{name}{}, {}", thread(0), thread(inner)),
            format!("{name}{}", thread(inner)),
        ];
        if inner < last {
            named.insert(0, format!("{name}{}, {}, {}", thread(0), thread(inner), thread(last)));
        }
        pen.text(HEAD, plan.bottom(), fitting(&named, pen.width() - HEAD), pen.look.dim());
    }
}

impl Widget for Warps<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let plan = self.plan(area);
        let mut pen = Pen::new(area, buf, self.look);
        if plan.top > 0 {
            self.heading(&mut pen, &plan);
        }
        for number in plan.shown.clone() {
            self.row(&mut pen, &plan, number);
        }
        if let Some(gate) = self.gate {
            gate.draw(&mut pen, &plan, self.warps);
        }
        if pen.width() > HEAD + width("w0: lane 17 = thread (0,0)") {
            self.names_of_lanes(&mut pen, &plan);
            self.legend(&mut pen, &plan);
        }
        // The mark of the selected warp is in the same column, but never in a row that hides more.
        if plan.shown.start > 0 && plan.shown.len() > 1 {
            pen.text(0, 0, self.look.pick("▲", "^"), self.look.text());
        }
        if plan.shown.end < self.warps.len() && plan.shown.len() > 1 {
            let row = pen.height().saturating_sub(1);
            pen.text(0, row, self.look.pick("▼", "v"), self.look.text());
        }
    }
}

/// Returns the warp in the row at `y` of the screen.
pub fn warp_at(warps: &Warps<'_>, area: Rect, y: u16) -> Option<usize> {
    let plan = warps.plan(area);
    let row = y.checked_sub(area.y)?.checked_sub(plan.top)? / plan.tall;
    plan.shown.clone().nth(row.into())
}

/// Returns the warp and the lane at a position of the screen. Where two lanes share a cell, it is
/// the upper one.
pub fn lane_at(warps: &Warps<'_>, area: Rect, x: u16, y: u16) -> Option<(usize, usize)> {
    let warp = warp_at(warps, area, y)?;
    let at = (x.checked_sub(area.x)?, y.checked_sub(area.y)?);
    let plan = warps.plan(area);
    let live = warps.warps[warp].live;
    let hit = |lane: &u16| plan.lane(warp, *lane).is_some_and(|cell| cell.contains(at.into()));
    let lane = (0..WARP_SIZE as u16).find(hit).map(usize::from)?;
    live.has(lane).then_some((warp, lane))
}

/// Returns the columns and half rows of the screen that show these lanes, as far as they are in view.
pub fn halves_of(warps: &Warps<'_>, area: Rect, lanes: &[(usize, LaneMask)]) -> Vec<Rect> {
    let plan = warps.plan(area);
    let each = lanes.iter().flat_map(|(warp, lanes)| lanes.lanes().map(|lane| (*warp, lane)));
    let halves = each.filter_map(|(warp, lane)| plan.halves(warp, lane as u16));
    halves.map(|half| half.offset(Offset { x: area.x.into(), y: 2 * i32::from(area.y) })).collect()
}
