//! The cost of the current step in four numbers, for screens without room for pictures of it.

use super::bricks::verdict;
use super::pen::Pen;
use crate::analysis::banks::Wavefronts;
use crate::analysis::coalesce::Sectors;
use crate::report::bricks::{CostMark, sector_mark};
use crate::report::number::{Count, percent, plural};
use crate::trace::WarpNow;
use crate::tui::facts::{Activity, ExecutedSass};
use crate::tui::layout::text::fitting;
use crate::tui::theme::Look;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;

/// Simulated costs of the accesses as written in PTX.
#[derive(Clone, Copy, Debug)]
pub struct CostPanel<'a> {
    /// The selected warp's last access to global memory.
    pub global: Option<Sectors>,
    /// Its last access to shared memory.
    pub shared: Option<Wavefronts>,
    /// Whether the kernel has shared memory.
    pub has_shared: bool,
    /// The SASS that the shared access becomes.
    pub becomes: &'a ExecutedSass,
    /// How often a word fetched from global memory has been used, over the block so far.
    pub reuse: Option<f64>,
    /// The instructions that multiply and add: "FMA", or those of tensor cores.
    pub multiplies: &'static str,
    /// Whether the reuse is meaningful: the kernel's work consists of fused multiply-adds.
    pub works: bool,
    /// The number of warps in each state.
    pub tally: WarpTally,
    pub look: Look,
}

/// The number of warps in each state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WarpTally {
    /// Warps that load or store.
    pub memory: usize,
    /// Warps that wait at a barrier.
    pub waiting: usize,
    /// Warps that multiply and add.
    pub fma: usize,
    /// All warps of the block.
    pub warps: usize,
}

impl WarpTally {
    /// Counts the warps of a block.
    pub fn of(warps: &[WarpNow]) -> Self {
        let count = |wanted: &[Activity]| {
            warps.iter().filter(|warp| wanted.contains(&Activity::of(warp))).count()
        };
        Self {
            memory: count(&[
                Activity::Load,
                Activity::Store,
                Activity::SharedLoad,
                Activity::SharedStore,
            ]),
            waiting: count(&[Activity::Wait]),
            fma: count(&[Activity::Fma]),
            warps: warps.len(),
        }
    }
}

impl CostPanel<'_> {
    /// Returns the note of the frame, which has room for little text.
    pub const fn note(height: u16) -> &'static str {
        if height < ROOMY { "PTX" } else { "simulated" }
    }

    /// Returns what the shared access becomes in SASS, the longest wording first.
    fn executed(&self) -> Vec<String> {
        let ExecutedSass { words, doubt, .. } = self.becomes;
        let doubted = if doubt.is_empty() { "SASS: as written" } else { "SASS: unknown" };
        if words.is_empty() { vec![doubted.to_owned()] } else { words.clone() }
    }

    fn lines(&self) -> (CostMark, Vec<String>) {
        let none = || (CostMark::Plain, vec!["sectors none yet".to_owned()]);
        let Some(cost) = self.global else { return none() };
        let percent = percent(cost.distinct, cost.fetched());
        let mark = sector_mark(&cost);
        let head = format!("sectors {:>2}", cost.sectors);
        (mark, vec![format!("{head}, {percent}% used"), format!("{head} {percent}%"), head])
    }

    fn banks(&self) -> (CostMark, Vec<String>) {
        let none = if self.has_shared { "banks   none yet" } else { "no shared memory" };
        let Some(cost) = self.shared else { return (CostMark::Plain, vec![none.to_owned()]) };
        let plural = plural(cost.wavefronts.into(), "pass");
        let head = format!("banks   {:>2} pass{plural}", cost.wavefronts);
        let long =
            if cost.conflicts > 0 { format!("{head}, {}-way", cost.ways) } else { head.clone() };
        let short = format!("banks {:>2} pass{plural}", cost.wavefronts);
        (if cost.conflicts == 0 { CostMark::Good } else { CostMark::Bad }, vec![long, head, short])
    }

    fn reuse(&self) -> (CostMark, Vec<String>) {
        if !self.works {
            let words = ["no FMA in this kernel", "no FMA here"];
            return (CostMark::Plain, words.map(str::to_owned).to_vec());
        }
        let Some(times) = self.reuse else {
            return (CostMark::Plain, vec!["reuse   none yet".to_owned()]);
        };
        let mark = if times > 2.0 {
            CostMark::Good
        } else if times == 0.0 || self.shared.is_some() {
            // A tile has been stored, and is used from now on.
            CostMark::Plain
        } else {
            // No word is used more than twice before it is fetched again.
            CostMark::Bad
        };
        let text = format!("reuse   {}x", figure(times));
        (mark, vec![format!("{text}, more is better"), text])
    }
}

/// The least number of rows at which one shows the SASS of the shared access.
const ROOMY: u16 = 6;

impl Widget for CostPanel<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let mut pen = Pen::new(area, buf, self.look);
        let room = pen.width().saturating_sub(3);
        for (y, (mark, words)) in (0..).zip([self.lines(), self.reuse(), self.banks()]) {
            verdict(&mut pen, y, mark, fitting(&words, room));
        }
        if pen.height() >= ROOMY && self.shared.is_some() {
            let style =
                if self.becomes.words.is_empty() { self.look.dim() } else { self.look.text() };
            let words = self.executed();
            pen.text(0, 3, fitting(&words, pen.width()), style);
        }
        let WarpTally { memory, waiting, fma, warps } = self.tally;
        let first = pen.height().saturating_sub(2).clamp(3, 4);
        // As wide as the largest count, so that nothing moves.
        let wide = warps.to_string().len();
        pen.text(0, first, &format!("load/store {memory:>wide$} wait {waiting}"), self.look.text());
        let all = Count(warps as u64, "warp");
        let text = format!("{} {fma:>wide$} of {all}", self.multiplies);
        pen.text(0, first + 1, &text, self.look.text());
    }
}

/// Formats a factor: with one decimal place below 10, otherwise with none.
pub(super) fn figure(times: f64) -> String {
    if times < 9.95 { format!("{times:.1}") } else { format!("{times:.0}") }
}
