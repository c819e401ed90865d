//! The end of a run as it is drawn: bars in the proportion of their times, and every number whole.

use super::picture::{self, ASCII, MONO, RICH};
use matviz::report::block_summary::BlockCount;
use matviz::report::sentence::Aside;
use matviz::tui::facts::race::{BEGINS, RaceBar, TimeRace};
use matviz::tui::theme::{Look, Role};
use matviz::tui::widget::finale::*;

fn bar(name: &str, ms: f64, own: bool) -> RaceBar {
    let waits =
        vec![format!("shared memory: {:.2} ms of it", 0.7 * ms), "shared memory".to_owned()];
    let short = name.split(' ').next().unwrap_or_default();
    RaceBar { names: [name, short].map(str::to_owned), ms, own, waits }
}

fn race() -> TimeRace {
    let bars = vec![
        bar("naive 16", 0.424, false),
        bar("tiled 16", 0.279, true),
        bar("blocked_1d 64x64x8", 0.114, false),
        bar("cuBLAS", 0.0571, false),
    ];
    TimeRace {
        origin: "recorded on NVIDIA H200, 2026-11-21".to_owned(),
        size: "1024 x 1024".to_owned(),
        run: None,
        slowed: 10_000.0,
        bars,
        next: Some(("blocked_1d".to_owned(), 2.4)),
    }
}

fn took() -> Vec<BlockCount> {
    let all = [
        (4_096, "sectors fetched, 8 words each, each used 16 times"),
        (13_312, "passes over the 32 banks, none of them for a conflict"),
        (262_144, "FMAs, 1,024 for each element"),
    ];
    all.map(|(count, words)| (count, words.to_owned())).to_vec()
}

fn notes() -> Vec<Aside> {
    let why = "naive asks for 8 times as many sectors; but L1 has 88 % of them.";
    let near = "cycles until a word is there: shared memory 23, DRAM 653.";
    let all = [("why only 1.5x", why), ("near and far", near)];
    all.map(|(label, text)| Aside { label: label.to_owned(), text: text.to_owned() }).to_vec()
}

/// What is drawn after so many seconds of the race.
fn drawn(race: &TimeRace, seconds: f64, look: Look, (width, height): (u16, u16)) -> String {
    let name = "C[512-527][512-527]".to_owned();
    let part = ResultPart { name, shape: (16, 16), wrong: Vec::new() };
    let right = (true, "C[512-527][512-527] is right.".to_owned());
    let finale = Finale {
        title: "Block (32,32) of tiled 16x16 is done",
        verdict: Some(&right),
        part: Some(&part),
        took: &took(),
        partly: false,
        race: Ok(race),
        notes: &notes(),
        keys: &[],
        seconds: BEGINS + seconds,
        from: None,
        look,
    };
    picture::text(finale, width, height)
}

/// The cells of a kernel's bar that are full, and all of them.
fn cells(text: &str, name: &str) -> (usize, usize) {
    let line =
        text.lines().find(|line| line.contains(name) && line.contains(" ms")).unwrap_or_default();
    let bar = line.trim_start_matches(|mark| !matches!(mark, '#' | '-'));
    let bar: Vec<_> = bar.chars().take_while(|cell| matches!(cell, '#' | '-')).collect();
    (bar.iter().filter(|cell| **cell == '#').count(), bar.len())
}

#[test]
fn bars_are_in_the_proportion_of_their_times() {
    let race = race();
    for seconds in [0.3, 0.5, 1.0, 2.0, 2.79, 4.0, 4.24] {
        let text = drawn(&race, seconds, ASCII, (120, 36));
        for bar in &race.bars {
            let (full, all) = cells(&text, bar.called(false));
            let should = seconds.min(bar.ms * race.slowed / 1e3) / race.seconds() * all as f64;
            assert!(all > 30, "{text}");
            assert!((full as f64 - should).abs() <= 1.0, "{} at {seconds}: {text}", bar.names[0]);
        }
    }
    // At the end they differ as the times do.
    let there = drawn(&race, 9.0, ASCII, (120, 36));
    let lengths: Vec<_> = race.bars.iter().map(|bar| cells(&there, bar.called(false)).0).collect();
    assert!(lengths.is_sorted_by(|slower, faster| slower > faster), "{lengths:?}: {there}");
    assert!((race.seconds() - 4.24).abs() < 1e-9);
}

#[test]
fn every_number_has_all_its_digits_at_every_size() {
    let race = race();
    for size in [(80, 22), (100, 28), (120, 34), (160, 43), (200, 58), (300, 78)] {
        for look in [RICH, MONO, ASCII] {
            let text = drawn(&race, 9.0, look, size);
            let numbers =
                ["4,096", "13,312", "262,144", "0.424 ms", "0.0571 ms", "10,000", "4.24 s"];
            let names = race.bars.iter().map(|bar| bar.called(true));
            for shown in numbers.into_iter().chain(names).chain(["shared memory", "2026-11-21"]) {
                assert!(text.contains(shown), "{shown} at {size:?}:\n{text}");
            }
            assert!(look != ASCII || text.is_ascii(), "{text}");
        }
    }
}

#[test]
fn what_it_took_stands_at_once_and_what_it_comes_to_after_the_race() {
    for size in [(80, 23), (120, 34), (300, 78)] {
        let at = |seconds| drawn(&race(), seconds, ASCII, size);
        let (first, last) = (at(-BEGINS), at(60.0));
        for shown in ["4,096", "sectors fetched"] {
            assert!(first.contains(shown) && last.contains(shown), "{shown}: {first}");
        }
        for shown in ["why only 1.5x", "L1 has 88 %"] {
            assert!(!first.contains(shown) && last.contains(shown), "{shown}: {first}{last}");
        }
    }
}

#[test]
fn what_is_wrong_is_red() {
    let name = "C[0-15][0-15]".to_owned();
    let part = ResultPart { name, shape: (16, 16), wrong: vec![(0, 0)] };
    let wrong = (false, "224 of 256 elements of C are wrong.".to_owned());
    let finale = |look| Finale {
        title: "Block (0,0) is done",
        verdict: Some(&wrong),
        part: Some(&part),
        took: &[],
        partly: true,
        race: Err("not measured"),
        notes: &[],
        keys: &[],
        seconds: 9.0,
        from: None,
        look,
    };
    let buf = picture::buffer(finale(RICH), 120, 36);
    let bad = RICH.pixel(Role::Bad);
    assert!(buf.content.iter().any(|cell| cell.bg == bad || cell.fg == bad));
    let text = picture::text(finale(RICH), 120, 36);
    assert!(text.contains("224 of 256 elements") && text.contains("not measured"), "{text}");
    picture::survives(finale);
    let race = race();
    picture::survives(|look| Finale { race: Ok(&race), ..finale(look) });
}
