//! The legend of the timeline: every kind of instruction, and its share of the run recorded so far.

use crate::trace::StepRecord;
use crate::tui::chart::StepKind;
use crate::tui::layout::text::width;
use crate::tui::theme::{Depth, Glyphs, Look};
use crate::tui::widget::pen::Pen;

/// Executed instructions by kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InstructionTally {
    counts: [u64; StepKind::ALL.len()],
    /// The most passes of an access with a bank conflict.
    passes: u8,
}

impl InstructionTally {
    /// Counts the instructions of these steps.
    pub fn add(&mut self, steps: &[StepRecord]) {
        for step in steps {
            let span = StepKind::of(step);
            self.counts[span as usize] += 1;
            if span == StepKind::Conflict {
                self.passes = self.passes.max(step.passes);
            }
        }
    }

    /// Returns the share of all instructions that are of this kind, from 0 to 1.
    pub fn share(&self, span: StepKind) -> f64 {
        let all: u64 = self.counts.iter().sum();
        self.counts[span as usize] as f64 / all.max(1) as f64
    }

    /// Formats a share in per cent.
    fn percent(&self, span: StepKind) -> String {
        match 100.0 * self.share(span) {
            share if share > 0.0 && share < 0.5 => "<1%".to_owned(),
            share => format!("{share:.0}%"),
        }
    }
}

/// The share of the rarest kind up to which a legend without room leaves it out.
const RARE: f64 = 0.05;

/// What a legend says of each kind of instruction.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LegendWording {
    /// All kinds in whole words.
    Long,
    /// The kinds of at least half a per cent, in short words.
    Short,
    /// One word each: their letters distinguish a load from a store.
    Terse,
    /// The same by their letters alone.
    Letters,
}

impl InstructionTally {
    /// Returns the entries of the legend in a wording.
    fn entries(&self, wording: LegendWording, multiplies: &'static str) -> Vec<(StepKind, String)> {
        let always = [StepKind::GlobalLoad, StepKind::SharedLoad, StepKind::Fma];
        let shown = |span: &StepKind| match wording {
            LegendWording::Long => self.share(*span) > 0.0 || always.contains(span),
            LegendWording::Short | LegendWording::Terse | LegendWording::Letters => {
                self.share(*span) >= 0.005
            }
        };
        let entry = |span: StepKind| {
            let [long, short] = words(span, multiplies);
            let percent = self.percent(span);
            let passes = match (span, wording) {
                (StepKind::Conflict, LegendWording::Long) => {
                    format!(" (up to {} passes)", self.passes)
                }
                _ => String::new(),
            };
            let text = match wording {
                LegendWording::Long => format!("{long} {percent}{passes}"),
                LegendWording::Short => format!("{short} {percent}"),
                LegendWording::Terse => format!("{} {percent}", terse(span, short)),
                LegendWording::Letters => percent,
            };
            (span, text)
        };
        let waits = (StepKind::Wait, StepKind::Wait.words()[0].to_owned());
        StepKind::INSTRUCTIONS.into_iter().filter(shown).map(entry).chain([waits]).collect()
    }

    /// Returns the legend as text, the longest wording first, for where there is no row for it.
    pub(super) fn texts(&self, look: Look, multiplies: &'static str) -> [String; 4] {
        let text = |(span, text): (StepKind, String)| format!("{} {text}", span.mark(look));
        let all = |wording| {
            let entries = self.entries(wording, multiplies).into_iter();
            entries.map(text).collect::<Vec<_>>().join("  ")
        };
        let mut main = self.entries(LegendWording::Short, multiplies);
        main.retain(|(span, _)| {
            matches!(
                span,
                StepKind::GlobalLoad | StepKind::SharedLoad | StepKind::Fma | StepKind::Conflict
            )
        });
        let mark = |(span, _): &(StepKind, _)| {
            format!("{} {}", span.mark(look), words(*span, multiplies)[1])
        };
        let marks: Vec<_> = main.iter().map(mark).collect();
        let main: Vec<_> = main.into_iter().map(text).collect();
        [all(LegendWording::Long), all(LegendWording::Short), main.join(" "), marks.join("  ")]
    }

    /// Draws the legend, in the longest wording that fits.
    pub(super) fn draw(&self, pen: &mut Pen<'_>, y: u16, multiplies: &'static str) {
        let forms = [
            (LegendWording::Long, "run:"),
            (LegendWording::Short, "run:"),
            (LegendWording::Short, ""),
        ];
        let mut forms =
            forms.into_iter().map(|(wording, lead)| (self.entries(wording, multiplies), lead));
        let around = |lead: &str| width(lead) + u16::from(!lead.is_empty());
        let wide = forms.find(|(entries, lead)| columns(entries, 2) + around(lead) <= pen.width());
        let (gap, (entries, lead)) = match (wide, self.close(pen.width(), multiplies)) {
            (Some(form), _) => (2, form),
            (None, Some(entries)) => (1, (entries, "")),
            (None, None) => (2, (self.entries(LegendWording::Letters, multiplies), "")),
        };
        let look = pen.look;
        let mut x = pen.text(0, y, lead, look.dim());
        x += u16::from(x > 0);
        for (span, text) in entries {
            if x + width(&text) + 2 > pen.width() {
                return;
            }
            pen.text(x, y, label(span, look), span.style(look));
            x = pen.text(x + 2, y, &text, look.text()) + gap;
        }
        let (before, text) = (StepKind::Before, StepKind::Before.words()[0]);
        if x + width(text) + 2 <= pen.width() {
            pen.text(x, y, before.mark(look), before.style(look));
            pen.text(x + 2, y, text, look.text());
        }
    }

    /// Returns the words close together: with all figures, if need be one word each, or else with
    /// those of as many of the largest shares as fit, since words say more than letters with figures.
    /// What is rare is left out before that.
    fn close(&self, room: u16, multiplies: &'static str) -> Option<Vec<(StepKind, String)>> {
        let with_lines = |wording| self.entries(wording, multiplies);
        let of = |wording| {
            let mut entries = with_lines(wording);
            entries.retain(|(span, _)| *span != StepKind::Wait);
            entries
        };
        // What a line means is worth more than the figures of what is rare.
        let mut common = with_lines(LegendWording::Terse);
        for (span, text) in common.iter_mut().filter(|(span, _)| self.share(*span) <= RARE) {
            terse(*span, words(*span, multiplies)[1]).clone_into(text);
        }
        let [short, tersely] = [LegendWording::Short, LegendWording::Terse];
        let whole = [with_lines(short), with_lines(tersely), common, of(short), of(tersely)];
        let fits = |entries: &Vec<_>| columns(entries, 1) <= room;
        if let Some(all) = whole.into_iter().find(fits) {
            return Some(all);
        }
        let mut entries = of(short);
        let mut smallest: Vec<_> = (0..entries.len()).collect();
        smallest.sort_by(|one, other| {
            let [one, other] = [one, other].map(|index| self.share(entries[*index].0));
            one.total_cmp(&other)
        });
        for index in &smallest {
            if columns(&entries, 1) <= room {
                break;
            }
            let (span, text) = &mut entries[*index];
            words(*span, multiplies)[1].clone_into(text);
        }
        // A conflict is rare, and matters most.
        let mut rare = smallest.iter().map(|index| entries[*index].0);
        let rarest = rare.find(|span| *span != StepKind::Conflict);
        if columns(&entries, 1) > room {
            entries.retain(|(span, _)| Some(*span) != rarest || self.share(*span) > RARE);
        }
        (columns(&entries, 1) <= room).then_some(entries)
    }
}

/// Returns the word for what a warp does, and a shorter one; `multiplies` is the word for multiply-adds.
const fn words(span: StepKind, multiplies: &'static str) -> [&'static str; 2] {
    match span {
        StepKind::Fma => [multiplies; 2],
        _ => span.words(),
    }
}

/// Returns the first word of a short name: a store's is that it is one, beside the loads.
fn terse(span: StepKind, short: &'static str) -> &'static str {
    match span {
        StepKind::SharedStore | StepKind::GlobalStore => "store",
        _ => short.split(' ').next().unwrap_or(short),
    }
}

/// The columns that entries take, with a gap between them.
fn columns(entries: &[(StepKind, String)], gap: u16) -> u16 {
    entries.iter().map(|(_, text)| width(text) + 2 + gap).sum::<u16>().saturating_sub(gap)
}

/// Returns what the first cell of a run of equal cells shows, on its colour if there is one.
pub(super) fn label(span: StepKind, look: Look) -> &'static str {
    match span {
        StepKind::Fma if look.depth != Depth::Mono && look.glyphs == Glyphs::Basic => " ",
        _ => span.mark(look),
    }
}
