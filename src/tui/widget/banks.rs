//! The banks that the lanes of a shared access touch: one row per wavefront, one column per bank.

mod verdict;

use super::panel;
use super::pen::Pen;
use super::ruled::{ColumnState, Heading, Row, Ruled, VerdictMark};
use crate::analysis::banks::{BANKS, Pass, WORD, passes, wavefronts};
use crate::analysis::coalesce;
use crate::matrix::Operand;
use crate::report::number::Count;
use crate::sim::{Access, Direction, LaneMask, Route};
use crate::tui::facts::{ExecutedSass, SharedValues};
use crate::tui::layout::text::fitting;
use crate::tui::theme::{Look, Role, role};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use ratatui::widgets::Widget;
use std::collections::BTreeSet;
use std::slice;
use verdict::{play, shared_words, verdict};

/// The wavefronts that a warp's access to shared memory takes.
#[derive(Clone, Copy, Debug)]
pub struct Banks<'a> {
    /// The access as written in PTX, or `None` before the first one.
    pub access: Option<&'a Access>,
    /// The warp that made it.
    pub warp: u16,
    /// The matrix whose tile it touches, which determines the colour, if known.
    pub operand: Option<Operand>,
    /// The SASS that it becomes, and what is unknown about that.
    pub becomes: &'a ExecutedSass,
    /// The values in shared memory, if its words are those of the access.
    pub values: Option<&'a SharedValues>,
    /// The banks that are pointed at, bank 0 in the lowest bit.
    pub pointed: u32,
    /// The pass that is being played, from 0; `None` shows all passes at once.
    pub pass: Option<usize>,
    /// If several warps have just executed it together: how many, and the passes of all of them.
    pub together: Option<(usize, u32)>,
    pub look: Look,
}

/// Rows that the picture of the SASS accesses needs, with its heading and its verdict.
const PICTURE: u16 = 7;

impl Banks<'_> {
    /// Returns the title and the note of the frame: the warp, and the origin of the figures.
    pub fn title(&self, width: u16) -> (String, String) {
        let [what, how] = match self.access.map(|access| access.direction) {
            None => ["memory", "memory"],
            Some(Direction::Load) => ["loads", "load"],
            Some(Direction::Store) => ["stores", "store"],
            Some(Direction::Atomic) => ["atomics", "atomic"],
        };
        let notes = [format!("w{}, simulated, PTX", self.warp), "PTX".to_owned()];
        let titles = [format!("Shared {what}: 32 banks"), format!("Shared {how}: banks")];
        panel::fitting(&titles, &notes, width)
    }

    fn table(&self, accesses: &[Access]) -> Ruled {
        let costs: Vec<_> = accesses.iter().map(wavefronts).collect();
        let passes: Vec<_> = accesses.iter().flat_map(ordered).collect();
        let playing = self.pass.filter(|pass| *pass < passes.len());
        let rows = passes.iter().enumerate().map(|(number, (pass, clash))| {
            let places = std::array::from_fn(|bank| {
                pass.cells[bank].map_or(ColumnState::Idle, |_| match self.pointed >> bank & 1 {
                    0 => self.place(clash[bank], number, playing),
                    _ => ColumnState::Used(Role::Here),
                })
            });
            let lanes = pass.cells.map(|cell| cell.map_or(LaneMask::NONE, |cell| cell.lanes));
            let label = format!("#{}", number + 1);
            Row { label: (label.clone(), label), places, lanes, values: self.values_of(pass) }
        });
        let products = accesses.iter().any(|access| access.route == Route::Wgmma);
        let verdict = match (playing, &passes[..]) {
            (Some(at), passes) => play(at, passes),
            (None, _) if products => verdict(&costs, (0, false), None),
            (None, passes) => {
                let first = accesses.first();
                let bytes = first.map_or(0, |access| access.bytes);
                let atomic = first.is_some_and(|access| access.direction == Direction::Atomic);
                verdict(&costs, (bytes, atomic), shared_words(accesses, passes))
            }
        };
        let names = [0, 8, 16, 24, 31].map(|bank: u16| (bank, bank.to_string())).to_vec();
        let bank = ("bank".to_owned(), "bank".to_owned());
        let loads = accesses.iter().all(|access| access.direction == Direction::Load);
        let conflicts = costs.iter().any(|cost| cost.conflicts > 0);
        Ruled {
            heading: Some(Heading { label: bank, names, numbered: true }),
            by_lane: by_lane(accesses),
            who: "above, lane by lane: the bank that it needs; marks below each other need the same one",
            names_rows: false,
            rows: rows.collect(),
            at: playing.unwrap_or(0),
            unit: "passes",
            mark: if conflicts { VerdictMark::Bad } else { VerdictMark::Good },
            verdict,
            asides: Vec::new(),
            hints: self.hints(products, accesses, &passes),
            legend: if loads {
                "a number is the lane that is served; + others get the same word: broadcast"
            } else {
                "a number is the lane that is served; + others store to the same word"
            },
        }
    }

    /// Returns the values of the words that a pass serves, as far as their types are known.
    fn values_of(&self, pass: &Pass) -> Vec<String> {
        let text = |word: u64| self.values?.brief(u32::try_from(word).ok()?);
        let texts = pass.cells.map(|cell| cell.and_then(|cell| text(cell.word)));
        texts.into_iter().map(Option::unwrap_or_default).collect()
    }

    /// Returns the state of a word that pass `number` serves, `clash` if its bank has others too.
    fn place(&self, clash: bool, number: usize, playing: Option<usize>) -> ColumnState {
        let role = if clash { Role::Bad } else { self.operand.map_or(Role::Shared, role) };
        match playing {
            Some(at) if number > at => ColumnState::Waiting,
            Some(at) if number < at => ColumnState::Past(role),
            Some(_) | None => ColumnState::Used(role),
        }
    }

    fn hints(
        &self,
        products: bool,
        accesses: &[Access],
        passes: &[(Pass, [bool; BANKS])],
    ) -> Vec<String> {
        let groups: BTreeSet<_> = passes.iter().map(|(pass, _)| pass.group.0).collect();
        let most = groups.iter().map(|lanes| lanes.count_ones()).max().unwrap_or(0);
        let lanes = match most {
            16 => "half a warp".to_owned(),
            8 => "a quarter of a warp".to_owned(),
            most => Count(most.into(), "lane").to_string(),
        };
        let bytes = accesses.first().map_or(0, |access| access.bytes);
        let groups = (groups.len() > 1 && !products)
            .then(|| format!("{bytes} bytes a lane: {lanes} a pass"));
        let part = products.then(|| "the last 32 pieces that tensor cores load".to_owned());
        let all = self.together.map(|(warps, passes)| {
            format!("shown: this warp; all {warps}: {}", Count(passes.into(), "pass"))
        });
        let rule = [
            "one row = one pass: fewer is faster",
            "bank = (byte address / 4) mod 32; in one pass a bank serves one word",
        ];
        part.into_iter().chain(groups).chain(all).chain(rule.map(str::to_owned)).collect()
    }

    /// Returns the tables and where they stand in a panel of this size: the access as written and,
    /// if there is room and it differs, as executed, one above the other.
    fn tables(&self, (width, height): (u16, u16)) -> Vec<(Rect, Ruled)> {
        let Some(access) = self.access else { return Vec::new() };
        let ExecutedSass { instead, words, doubt, .. } = self.becomes;
        let written = slice::from_ref(access);
        let whole = Rect { x: 0, y: 0, width, height };
        let Some(instead) = instead.as_deref().filter(|_| height >= 2 * PICTURE) else {
            let asides = [words, doubt].into_iter().filter(|words| !words.is_empty()).cloned();
            let table = self.table(written);
            return vec![(whole, Ruled { asides: asides.collect(), ..table })];
        };
        let half = height / 2;
        let parts = [(0, half, written), (half, height - half, instead)];
        let part = |(y, height, accesses)| {
            (
                Rect { y: y + 1, height: u16::saturating_sub(height, 2), ..whole },
                self.table(accesses),
            )
        };
        parts.map(part).into()
    }

    /// Draws the titles of the access as written and as executed, one above the other.
    fn titles(&self, pen: &mut Pen<'_>, instead: &[Access]) {
        let (width, half) = (pen.width(), pen.height() / 2);
        let bold = pen.look.text().add_modifier(Modifier::BOLD);
        let words = fitting(&self.becomes.words, width.saturating_sub(SASS.len() as u16));
        pen.text(0, 0, "PTX", bold);
        pen.text(0, half, &format!("{SASS}{words}"), bold);
        if instead.is_empty() {
            let line = self.becomes.with.map(|line| format!(", PTX line {line}"));
            let text = format!("Nothing here: it comes with that{}.", line.unwrap_or_default());
            pen.text(0, half + 1, &text, pen.look.text());
        }
    }
}

/// Introduces the SASS accesses.
const SASS: &str = "SASS: ";

impl Widget for Banks<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let mut pen = Pen::new(area, buf, self.look);
        if self.access.is_none() {
            let text = format!("w{}: no access to shared memory yet", self.warp);
            pen.text(0, 0, &text, self.look.dim());
        }
        if let Some(access) = self.access.filter(|access| access.route.is_distributed()) {
            let [_, far] = access.near_and_far();
            let lanes = Count(far.active.count().into(), "lane");
            let sectors = Count(coalesce::sectors(&far).sectors.into(), "sector");
            let text = format!("w{}: {lanes} in other blocks' memory", self.warp);
            pen.text(0, 0, &text, self.look.text());
            pen.text(0, 1, &format!("a request of {sectors} of 32 bytes:"), self.look.text());
            pen.text(0, 2, "no banks are counted for it", self.look.dim());
            return;
        }
        let tables = self.tables((pen.width(), pen.height()));
        if let (Some(instead), 2..) = (&self.becomes.instead, tables.len()) {
            self.titles(&mut pen, instead);
        }
        for (part, table) in tables.into_iter().filter(|(_, table)| !table.rows.is_empty()) {
            table.draw(&mut pen.part(part));
        }
    }
}

/// Returns the description of the bank at a position of the screen.
pub fn bank_at(banks: &Banks<'_>, area: Rect) -> impl Fn(u16, u16) -> Option<u8> + use<> {
    let tables = banks.tables((area.width, area.height)).into_iter();
    let hits: Vec<_> =
        tables.map(|(part, table)| (part, table.hits((part.width, part.height)))).collect();
    move |x, y| {
        let (x, y) = (x.checked_sub(area.x)?, y.checked_sub(area.y)?);
        let (part, hit) = hits.iter().find(|(part, _)| part.contains((x, y).into()))?;
        hit((x - part.x, y - part.y)).map(|(_, bank)| bank)
    }
}

/// Returns the passes of an access, each with the banks that make further passes necessary.
fn ordered(access: &Access) -> Vec<(Pass, [bool; BANKS])> {
    let passes = passes(access);
    let clash = |pass: &Pass| {
        let group = || passes.iter().filter(|other| other.group == pass.group);
        std::array::from_fn(|bank| group().filter(|pass| pass.cells[bank].is_some()).count() > 1)
    };
    let clashes: Vec<_> = passes.iter().map(clash).collect();
    passes.into_iter().zip(clashes).collect()
}

/// Returns the bank of each lane's first word; nothing for several accesses.
fn by_lane(accesses: &[Access]) -> Vec<(&'static str, [Option<u8>; 32])> {
    let [access] = accesses else { return Vec::new() };
    let mut banks = [None; 32];
    for (lane, addr) in access.touched() {
        banks[lane] = Some((addr / WORD % BANKS as u64) as u8);
    }
    vec![("lane", std::array::from_fn(|lane| Some(lane as u8))), ("bank", banks)]
}

#[cfg(test)]
mod tests;
