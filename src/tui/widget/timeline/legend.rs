//! The legend of the timeline: every kind of instruction that the run has shown so far.

use crate::trace::StepRecord;
use crate::tui::chart::StepKind;
use crate::tui::layout::text::width;
use crate::tui::theme::{Depth, Glyphs, Look};
use crate::tui::widget::pen::Pen;

/// The kinds of instructions that a run has executed so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExecutedKinds([bool; StepKind::ALL.len()]);

/// A kind of instruction, and what a legend says of it.
type Entry = (StepKind, &'static str);

impl ExecutedKinds {
    pub fn add(&mut self, steps: &[StepRecord]) {
        for step in steps {
            self.0[StepKind::of(step) as usize] = true;
        }
    }

    /// Returns the entries of a legend, the longest wording first; the last has one word each, and
    /// leaves the letters to distinguish a load from a store.
    fn wordings(&self, multiplies: &'static str) -> [Vec<Entry>; 3] {
        let executed = |kind: &StepKind| self.0[*kind as usize];
        let kinds = StepKind::INSTRUCTIONS.into_iter().filter(executed).chain([StepKind::Wait]);
        let kinds: Vec<_> = kinds.collect();
        let one: [fn(StepKind, [&'static str; 2]) -> &'static str; 3] =
            [|_, [long, _]| long, |_, [_, short]| short, |kind, [_, short]| terse(kind, short)];
        one.map(|one| {
            kinds.iter().map(|kind| (*kind, one(*kind, words(*kind, multiplies)))).collect()
        })
    }

    /// Returns the legend as text, the longest wording first, for where there is no row for it.
    pub(super) fn texts(&self, look: Look, multiplies: &'static str) -> [String; 4] {
        let [long, short, terse] = self.wordings(multiplies);
        let main = |(kind, _): &&Entry| {
            use StepKind::{Conflict, Fma, GlobalLoad, SharedLoad};
            matches!(kind, GlobalLoad | SharedLoad | Fma | Conflict)
        };
        let main = terse.iter().filter(main).copied().collect();
        let text = |(kind, text): &Entry| format!("{} {text}", kind.mark(look));
        let join = |all: Vec<Entry>| all.iter().map(text).collect::<Vec<_>>().join("  ");
        [long, short, terse, main].map(join)
    }

    /// Draws the legend, in the longest wording that fits.
    pub(super) fn draw(&self, pen: &mut Pen<'_>, y: u16, multiplies: &'static str) {
        let forms =
            self.wordings(multiplies).into_iter().flat_map(|all| [(all.clone(), 2), (all, 1)]);
        let forms: Vec<_> = forms.collect();
        let fits = |(all, gap): &&(Vec<Entry>, u16)| columns(all, *gap) <= pen.width();
        let Some((entries, gap)) = forms.iter().find(fits).or(forms.last()) else { return };
        let (look, mut x) = (pen.look, 0);
        let before = (StepKind::Before, StepKind::Before.words()[0]);
        for (kind, text) in entries.iter().chain([&before]) {
            if x + width(text) + 2 > pen.width() {
                return;
            }
            pen.text(x, y, label(*kind, look), kind.style(look));
            x = pen.text(x + 2, y, text, look.text()) + gap;
        }
    }
}

/// Returns the word for what a warp does, and a shorter one; `multiplies` is the word for FMAs.
const fn words(kind: StepKind, multiplies: &'static str) -> [&'static str; 2] {
    match kind {
        StepKind::Fma => [multiplies; 2],
        _ => kind.words(),
    }
}

/// Returns the first word of a short name: a store's is that it is one, beside the loads.
fn terse(kind: StepKind, short: &'static str) -> &'static str {
    match kind {
        StepKind::SharedStore | StepKind::GlobalStore => "store",
        _ => short.split(' ').next().unwrap_or(short),
    }
}

/// The columns that entries take, with a gap between them.
fn columns(entries: &[Entry], gap: u16) -> u16 {
    entries.iter().map(|(_, text)| width(text) + 2 + gap).sum::<u16>().saturating_sub(gap)
}

/// Returns what the first cell of a run of equal cells shows, on its colour if there is one.
pub(super) fn label(kind: StepKind, look: Look) -> &'static str {
    match kind {
        StepKind::Fma if look.depth != Depth::Mono && look.glyphs == Glyphs::Basic => " ",
        _ => kind.mark(look),
    }
}
