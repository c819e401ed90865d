//! The banks that the lanes of a shared access touch: one row per wavefront, one column per bank.

use super::panel;
use super::pen::{Pen, fitting};
use super::ruled::{Heading, Mark, Place, Row, Ruled};
use crate::analysis::banks::{BANKS, Pass, WORD, Wavefronts, passes, wavefronts};
use crate::analysis::coalesce;
use crate::matrix::Operand;
use crate::report::number::Count;
use crate::sim::{Access, Direction, LaneMask, Route};
use crate::tui::theme::{Look, Role, role};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use ratatui::widgets::Widget;
use std::slice;

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
    pub becomes: &'a Becomes,
    /// The banks that are pointed at, bank 0 in the lowest bit.
    pub pointed: u32,
    /// The pass that is being played, from 0; `None` shows all passes at once.
    pub pass: Option<usize>,
    /// If several warps have just executed it together: how many, and the passes of all of them.
    pub together: Option<(usize, u32)>,
    /// How it is drawn.
    pub look: Look,
}

/// The SASS that ptxas makes of an access.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Becomes {
    /// The accesses executed in its place, or `None` if it is executed as written; empty if its
    /// values come with another instruction.
    pub instead: Option<Vec<Access>>,
    /// A description, the longest wording first: `4 x ld.shared.f32 -> 1 x LDS.128`.
    pub words: Vec<String>,
    /// The PTX line at which the vectorised access is executed, if it is a different one.
    pub with: Option<u32>,
    /// Why the access stays as written, or what is unknown.
    pub doubt: Vec<String>,
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
                pass.cells[bank].map_or(Place::Idle, |_| match self.pointed >> bank & 1 {
                    0 => self.place(clash[bank], number, playing),
                    _ => Place::Used(Role::Here),
                })
            });
            let lanes = pass.cells.map(|cell| cell.map_or(LaneMask::NONE, |cell| cell.lanes));
            let label = format!("#{}", number + 1);
            Row { label: (label.clone(), label), places, lanes }
        });
        let products = accesses.iter().any(|access| access.route == Route::Wgmma);
        let verdict = match (playing, &passes[..]) {
            (Some(at), passes) => play(at, passes),
            (None, _) if products => verdict(&costs, 0, None),
            (None, passes) => {
                let bytes = accesses.first().map_or(0, |access| access.bytes);
                verdict(&costs, bytes, shared_words(accesses, passes))
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
            mark: if conflicts { Mark::Bad } else { Mark::Good },
            verdict,
            asides: Vec::new(),
            hints: self.hints(products),
            legend: if loads {
                "a number is the lane that is served; + others get the same word: broadcast"
            } else {
                "a number is the lane that is served; + others store to the same word"
            },
        }
    }

    /// Returns the state of a word that pass `number` serves, `clash` if its bank has others too.
    fn place(&self, clash: bool, number: usize, playing: Option<usize>) -> Place {
        let role = if clash { Role::Bad } else { self.operand.map_or(Role::Shared, role) };
        match playing {
            Some(at) if number > at => Place::Waiting,
            Some(at) if number < at => Place::Past(role),
            Some(_) | None => Place::Used(role),
        }
    }

    fn hints(&self, products: bool) -> Vec<String> {
        let part = products.then(|| "the last 32 pieces that tensor cores load".to_owned());
        let all = self.together.map(|(warps, passes)| {
            format!("shown: this warp; all {warps}: {}", Count(passes.into(), "pass"))
        });
        let rule = [
            "one row = one pass: fewer is faster",
            "bank = (byte address / 4) mod 32; in one pass a bank serves one word",
        ];
        part.into_iter().chain(all).chain(rule.map(str::to_owned)).collect()
    }

    /// Returns the tables and where they stand in a panel of this size: the access as written and,
    /// if there is room and it differs, as executed, one above the other.
    fn tables(&self, (width, height): (u16, u16)) -> Vec<(Rect, Ruled)> {
        let Some(access) = self.access else { return Vec::new() };
        let Becomes { instead, words, doubt, .. } = self.becomes;
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
        if let Some(access) = self.access.filter(|access| access.route.is_of_cluster()) {
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

/// Returns what tells the bank at a position of the screen.
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

/// Returns how many words one load's only pass delivers, and to how many lanes, if lanes share them.
fn shared_words(accesses: &[Access], passes: &[(Pass, [bool; BANKS])]) -> Option<(u64, u32)> {
    let ([access], [(pass, _)]) = (accesses, passes) else { return None };
    let words = pass.cells.iter().flatten();
    let shared = words.clone().any(|cell| cell.lanes.count() > 1);
    let lanes = words.clone().fold(LaneMask::NONE, |sum, cell| sum.or(cell.lanes)).count();
    (shared && access.direction == Direction::Load).then(|| (words.count() as u64, lanes))
}

/// Describes the pass that is being played.
fn play(at: usize, passes: &[(Pass, [bool; BANKS])]) -> Vec<String> {
    let count = |passes: &[(Pass, _)]| {
        let cells = passes.iter().flat_map(|(pass, _)| pass.cells).flatten();
        cells.fold(LaneMask::NONE, |sum, cell| sum.or(cell.lanes)).count()
    };
    let head = format!("pass {} of {}", at + 1, passes.len());
    let (now, rest) = (count(&passes[at..=at]), count(&passes[at + 1..]));
    let (served, waiting) = (Count(now.into(), "lane"), Count(rest.into(), "lane"));
    vec![
        format!("{head}: serves {served}, {waiting} still to be served"),
        format!("{head}: {now} served, {rest} wait"),
        head,
    ]
}

/// Returns the verdict: "1 pass: 2 words for 32 lanes", "16-way conflict: 16 passes". `shared` has
/// the number of words and of their lanes if several lanes get the same.
fn verdict(costs: &[Wavefronts], bytes: u8, shared: Option<(u64, u32)>) -> Vec<String> {
    let sum = |of: fn(&Wavefronts) -> u32| costs.iter().map(of).sum::<u32>();
    let (wavefronts, conflicts) = (sum(|cost| cost.wavefronts), sum(|cost| cost.conflicts));
    let passes = Count(wavefronts.into(), "pass").to_string();
    if conflicts > 0 {
        let least = sum(|cost| cost.groups);
        let ways = costs.iter().map(|cost| cost.ways).max().unwrap_or(0);
        return vec![
            format!("{ways}-way bank conflict: {passes} instead of {least}"),
            format!("{ways}-way conflict: {passes}"),
            passes,
        ];
    }
    let why = match shared {
        Some((words, lanes)) => {
            let (words, lanes) = (Count(words, "word"), Count(lanes.into(), "lane"));
            let text = format!("{words} for {lanes}");
            [format!("{text}, no bank conflict"), text]
        }
        None if wavefronts > 1 && bytes > 4 => [
            format!("the least for {bytes} bytes a lane, no bank conflict"),
            format!("the least for {bytes} B a lane"),
        ],
        None if wavefronts > 1 => {
            ["the least for these bytes, no bank conflict", "the least for these bytes"]
                .map(str::to_owned)
        }
        None => ["no bank has to serve two words".to_owned(), "no bank conflict".to_owned()],
    };
    let [long, short] = why.map(|why| format!("{passes}: {why}"));
    vec![long, short, format!("{passes}: no conflict"), passes]
}

#[cfg(test)]
mod tests {
    use super::super::picture::{self, ASCII, MONO, RICH};
    use super::*;
    use crate::ptx::Space;
    use insta::assert_snapshot;

    fn access(direction: Direction, bytes: u8, word: fn(u64) -> u64) -> Access {
        let addrs = std::array::from_fn(|lane| 4 * word(lane as u64));
        Access {
            space: Space::Shared,
            direction,
            bytes,
            route: Route::Lanes,
            active: LaneMask::ALL,
            addrs,
        }
    }

    /// An access that is executed as written.
    static WRITTEN: Becomes =
        Becomes { instead: None, words: Vec::new(), with: None, doubt: Vec::new() };

    fn panel(access: &Access, look: Look) -> Banks<'_> {
        Banks {
            access: Some(access),
            warp: 3,
            operand: Some(Operand::B),
            becomes: &WRITTEN,
            pointed: 0,
            pass: None,
            together: None,
            look,
        }
    }

    #[test]
    fn one_pass_is_fine_and_says_what_is_broadcast() {
        let row = access(Direction::Load, 4, |lane| lane % 16);
        assert_snapshot!(picture::text(panel(&row, ASCII), 37, 5), @"
        bank 0       8       16      24    31
        #1   bbbbbbbbbbbbbbbb................
        ok 1 pass: 16 words for 32 lanes
        one row = one pass: fewer is faster
        ");
        assert_snapshot!(picture::text(panel(&row, ASCII), 30, 2), @"
        ok 1 pass: no conflict
        ");
        let buf = picture::buffer(panel(&row, RICH), 72, 4);
        assert_eq!(buf[(10, 1)].bg, RICH.pixel(Role::B));
    }

    #[test]
    fn words_are_for_all_lanes_only_if_each_lane_gets_them() {
        let twice = access(Direction::Load, 4, |lane| if lane == 31 { 0 } else { lane });
        let text = picture::text(panel(&twice, ASCII), 72, 5);
        assert!(text.contains("1 pass: 31 words for 32 lanes, no bank conflict"), "{text}");
        let even = Wavefronts { wavefronts: 4, conflicts: 0, ways: 1, groups: 4, ideal: 4 };
        assert_eq!(verdict(&[even], 0, None)[1], "4 passes: the least for these bytes");
    }

    #[test]
    fn a_conflict_is_a_pile_of_rows_and_a_number() {
        let column = access(Direction::Store, 4, |lane| lane * 16);
        assert_snapshot!(picture::text(panel(&column, RICH), 37, 5), @"
        bank 0       8       16      24    31
        #1    ··············· ···············
        #2    ··············· ···············
            ... and 14 more passes
        ▲ 16-way conflict: 16 passes
        ");
        assert_snapshot!(picture::text(panel(&column, ASCII), 74, 6), @"
        bank 0                8                16               24            31
        #1   !!..............|................|!!..............|................
        #2   !!..............|................|!!..............|................
        #3   !!..............|................|!!..............|................
            ... and 13 more passes
        !! 16-way bank conflict: 16 passes instead of 1
        ");
        let buf = picture::buffer(panel(&column, RICH), 37, 5);
        assert_eq!(buf[(5, 1)].bg, RICH.pixel(Role::Bad));
    }

    #[test]
    fn only_the_banks_that_cost_a_pass_are_red() {
        let one_too_many = access(Direction::Load, 4, |lane| if lane == 31 { 32 } else { lane });
        let buf = picture::buffer(panel(&one_too_many, RICH), 37, 5);
        let grounds: Vec<_> = (5..8).map(|x| buf[(x, 1)].bg).collect();
        assert_eq!(grounds, [Role::Bad, Role::B, Role::B].map(|role| RICH.pixel(role)));
        assert_eq!(buf[(5, 2)].bg, RICH.pixel(Role::Bad));
    }

    #[test]
    fn passes_are_played_one_after_the_other() {
        let column = access(Direction::Load, 4, |lane| lane * 16);
        let play = |pass| Banks { pass: Some(pass), ..panel(&column, ASCII) };
        let text = picture::text(play(0), 60, 20);
        assert!(text.contains("pass 1 of 16: serves 2 lanes, 30 lanes still"), "{text}");
        assert!(text.contains("#16  w"), "the last pass waits: {text}");
        // Where not all fit, the one that is played is in view.
        let text = picture::text(play(9), 37, 6);
        assert!(text.contains("#10  !") && text.contains("pass 10 of 16"), "{text}");
        let text = picture::text(play(99), 37, 6);
        assert!(text.contains("16-way conflict"), "no such pass: {text}");
        picture::survives(|look| Banks { pass: Some(9), ..panel(&column, look) });
    }

    #[test]
    fn a_position_is_a_bank() {
        let row = access(Direction::Load, 4, |lane| lane);
        let (panel, area) = (panel(&row, RICH), Rect::new(2, 3, 37, 5));
        assert_eq!(bank_at(&panel, area)(2 + 5 + 17, 4), Some(17));
        assert_eq!(bank_at(&panel, area)(2, 4), None);
        assert_eq!(bank_at(&panel, area)(2 + 5 + 17, 7), None);
    }

    #[test]
    fn zoomed_each_lane_has_its_bank_and_each_word_its_lane() {
        let row = access(Direction::Load, 4, |lane| lane % 16);
        let text = picture::text(panel(&row, MONO), 118, 18);
        let line = |row| text.lines().nth(row).unwrap_or_default();
        assert!(line(0).starts_with("lane   0  1  2") && line(0).ends_with("31"), "{text}");
        assert!(line(1).starts_with("bank   0  1  2") && line(1).ends_with("15"), "{text}");
        assert!(text.contains("#1    0+ 1+ 2+"), "{text}");
    }

    #[test]
    fn with_much_room_a_picture_shows_where_each_lane_goes() {
        let column = access(Direction::Load, 4, |lane| lane * 16);
        let buf = picture::buffer(panel(&column, RICH), 118, 60);
        for lane in 0..32 {
            let red: Vec<_> = (0..32)
                .filter(|bank| buf[(6 + 3 * bank + bank / 8, 1 + lane)].bg == RICH.pixel(Role::Bad))
                .collect();
            assert_eq!(red, [lane % 2 * 16], "lane {lane}");
        }
        let text = picture::text(panel(&column, ASCII), 118, 30);
        assert!(text.contains("l2   '''") && text.contains("|,,,"), "{text}");
        picture::survives(|look| Banks { pass: Some(3), ..panel(&column, look) });
    }

    #[test]
    fn wide_loads_need_several_passes_without_a_conflict() {
        let four = access(Direction::Load, 16, |lane| lane * 4);
        assert_snapshot!(picture::text(panel(&four, ASCII), 54, 7), @"
        bank 0        8        16       24    31
        #1   bbbbbbbb|bbbbbbbb|bbbbbbbb|bbbbbbbb
        #2   bbbbbbbb|bbbbbbbb|bbbbbbbb|bbbbbbbb
        #3   bbbbbbbb|bbbbbbbb|bbbbbbbb|bbbbbbbb
        #4   bbbbbbbb|bbbbbbbb|bbbbbbbb|bbbbbbbb
        ok 4 passes: the least for 16 B a lane
        one row = one pass: fewer is faster
        ");
    }

    /// Four loads of one address each from neighbouring addresses, vectorised to a single load.
    fn joined(instead: Option<Vec<Access>>) -> Becomes {
        let words = ["4 x ld.shared.f32 -> 1 x LDS.128", "4 x ld -> 1 x LDS.128"];
        let words = words.map(str::to_owned).to_vec();
        Becomes { instead, words, with: Some(181), doubt: Vec::new() }
    }

    #[test]
    fn what_is_executed_instead_is_said_and_with_room_drawn() {
        let four = access(Direction::Load, 4, |lane| lane / 16 * 16);
        let wide = Access { bytes: 16, ..four.clone() };
        let becomes = joined(Some(vec![wide]));
        let panel = |look| Banks { becomes: &becomes, ..panel(&four, look) };
        assert_snapshot!(picture::text(panel(ASCII), 37, 5), @"
        bank 0       8       16      24    31
        #1   b...............b...............
        ok 1 pass: 2 words for 32 lanes
        4 x ld.shared.f32 -> 1 x LDS.128
        one row = one pass: fewer is faster
        ");
        assert_snapshot!(picture::text(panel(ASCII), 60, 16), @"
        PTX
        bank 0        8        16       24    31
        #1   b.......|........|b.......|........
        ok 1 pass: 2 words for 32 lanes, no bank conflict
        one row = one pass: fewer is faster



        SASS: 4 x ld.shared.f32 -> 1 x LDS.128
        bank 0        8        16       24    31
        #1   bbbb....|........|........|........
        #2   ........|........|bbbb....|........
        ok 2 passes: the least for 16 bytes a lane, no bank conflict
        one row = one pass: fewer is faster
        ");
        let nothing = joined(Some(Vec::new()));
        let later = |look| Banks { becomes: &nothing, ..panel(look) };
        assert_snapshot!(picture::text(later(ASCII), 60, 16), @"
        PTX
        bank 0        8        16       24    31
        #1   b.......|........|b.......|........
        ok 1 pass: 2 words for 32 lanes, no bank conflict
        one row = one pass: fewer is faster



        SASS: 4 x ld.shared.f32 -> 1 x LDS.128
        Nothing here: it comes with that, PTX line 181.
        ");
        let column = access(Direction::Load, 4, |lane| lane * 16);
        let bad = Banks { access: Some(&column), ..panel(ASCII) };
        assert_snapshot!(picture::text(bad, 37, 5), @"
        bank 0       8       16      24    31
        #1   !...............!...............
            ... and 15 more passes
        !! 16-way conflict: 16 passes
        4 x ld.shared.f32 -> 1 x LDS.128
        ");
        picture::survives(panel);
        picture::survives(later);
    }

    #[test]
    fn what_is_not_known_is_said_by_name() {
        let row = access(Direction::Load, 4, |lane| lane % 16);
        let doubt = ["SASS? ptxas may or may not unroll this loop", "SASS? may be unrolled"];
        let doubt = doubt.map(str::to_owned).to_vec();
        let becomes = Becomes { doubt, ..Becomes::default() };
        let panel = Banks { becomes: &becomes, ..panel(&row, ASCII) };
        assert_snapshot!(picture::text(panel, 37, 5), @"
        bank 0       8       16      24    31
        #1   bbbbbbbbbbbbbbbb................
        ok 1 pass: 16 words for 32 lanes
        SASS? may be unrolled
        one row = one pass: fewer is faster
        ");
        assert_snapshot!(picture::text(panel, 60, 5), @"
        bank 0        8        16       24    31
        #1   bbbbbbbb|bbbbbbbb|........|........
        ok 1 pass: 16 words for 32 lanes, no bank conflict
        SASS? ptxas may or may not unroll this loop
        one row = one pass: fewer is faster
        ");
    }

    #[test]
    fn every_size_survives() {
        let column = access(Direction::Load, 4, |lane| lane * 16);
        let nobody = Access { active: LaneMask::NONE, ..column.clone() };
        picture::survives(|look| panel(&column, look));
        picture::survives(|look| panel(&nobody, look));
        picture::survives(|look| Banks { access: None, ..panel(&column, look) });
    }
}
