//! The timeline: which warp computes, waits or moves data, and its legend.

use super::picture::{self, ASCII, MONO, RICH};
use insta::assert_snapshot;
use matviz::sim::Pc;
use matviz::study::superstep::{Superstep, UnorderedAccesses};
use matviz::trace::{OpKind, StepRecord};
use matviz::tui::chart::{ChartColumns, SpanMark, StepKind, across, columns, step_at};
use matviz::tui::theme::{Look, Role};
use matviz::tui::widget::timeline::*;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier};

/// Two warps, each run to its next barrier in turn: load, store, barrier, FMA, exit.
fn steps() -> Vec<StepRecord> {
    let load = [OpKind::GlobalLoad; 4].into_iter().chain([OpKind::SharedStore; 2]);
    let first: Vec<OpKind> = load.chain([OpKind::Barrier]).collect();
    let second = [OpKind::SharedLoad; 2].into_iter().chain([OpKind::Fma; 4]);
    let second: Vec<OpKind> = second.chain([OpKind::Exit]).collect();
    let run = |warp: u16, kinds: &[OpKind], released: bool| {
        let step = move |kind: &OpKind| StepRecord {
            pc: Pc(0),
            fma: 0,
            warp,
            kind: *kind,
            passes: 1,
            conflict: false,
            released: released && *kind == OpKind::Barrier,
            barrier: 0,
        };
        kinds.iter().map(step).collect::<Vec<_>>()
    };
    [run(0, &first, false), run(1, &first, true), run(0, &second, false), run(1, &second, false)]
        .concat()
}

fn chart_of(steps: &[StepRecord], width: usize) -> (ChartColumns, ExecutedKinds) {
    let mut executed = ExecutedKinds::default();
    executed.add(steps);
    (columns(0..steps.len(), width, 2, |step| steps[step]), executed)
}

fn timeline((columns, executed): &(ChartColumns, ExecutedKinds), look: Look) -> Timeline<'_> {
    let (found, bands, unordered, hides) = (&[][..], &[][..], &[][..], None);
    let (multiplies, at, selected) = ("FMA", 14, 1);
    Timeline { columns, executed, multiplies, at, selected, found, bands, unordered, hides, look }
}

#[test]
fn each_kind_has_a_mark_of_its_own() {
    let chart = chart_of(&steps(), 28);
    assert_snapshot!(picture::text(timeline(&chart, RICH), 90, 5));
    assert_snapshot!(picture::text(timeline(&chart, ASCII), 60, 5));
    assert_snapshot!(picture::text(timeline(&chart, MONO), 60, 9));
    for look in [RICH, ASCII, MONO] {
        let mut marks = StepKind::INSTRUCTIONS.map(|span| span.mark(look)).to_vec();
        marks
            .extend([StepKind::Wait, StepKind::Idle, StepKind::Before].map(|span| span.mark(look)));
        marks.sort_unstable();
        marks.dedup();
        assert_eq!(marks.len(), 10, "{look:?}");
    }
}

#[test]
fn a_conflict_is_not_drawn_like_a_single_pass() {
    let mut steps = steps();
    steps[14].passes = 32;
    steps[14].conflict = true;
    let chart = chart_of(&steps, 56);
    let buf = picture::buffer(timeline(&chart, RICH), 120, 8);
    // After the playhead: the first of two loads takes 32 passes.
    let cells = [33, 34, 35].map(|x| (buf[(x, 0)].symbol(), buf[(x, 0)].bg));
    let bad = RICH.pixel(Role::Bad);
    assert_eq!(cells[1..], [(" ", RICH.pale(Role::Shared)); 2], "it is still to come");
    let spans = [StepKind::Conflict, StepKind::Conflict, StepKind::SharedLoad];
    assert_eq!(chart.0.row(0)[28..31], spans.map(SpanMark::one));
    let elsewhere = Timeline { at: 28, ..timeline(&chart, RICH) };
    let buf = picture::buffer(elsewhere, 120, 8);
    let cells = [32, 33].map(|x| (buf[(x, 0)].symbol(), buf[(x, 0)].bg));
    assert_eq!(cells, [("3", bad), ("2", bad)]);
    let text = picture::text(elsewhere, 200, 8);
    assert!(text.contains("! bank conflict"), "{text}");
}

#[test]
fn a_legend_without_room_has_shorter_words() {
    let chart = chart_of(&steps(), 28);
    let legend = |width| {
        let text = picture::text(timeline(&chart, ASCII), width, 5);
        text.lines().last().unwrap_or_default().to_owned()
    };
    let all = "g global load  s shared load  S shared store  F FMA  : other  - wait";
    assert_eq!(legend(80), all);
    assert!(legend(120).ends_with("- wait  . not started"), "{}", legend(120));
    assert_eq!(legend(62), all.replace("load", "ld").replace("store", "st"));
    assert_eq!(legend(54), "g global  s shared  S store  F FMA  : other  - wait");
    assert_eq!(legend(40), "g global s shared S store F FMA : other");
}

#[test]
fn what_tensor_cores_execute_is_no_fma() {
    let chart = chart_of(&steps(), 28);
    let tensor = |look| Timeline { multiplies: "mma", ..timeline(&chart, look) };
    let text = picture::text(tensor(ASCII), 120, 5);
    assert!(text.contains("mma") && !text.contains("FMA"), "{text}");
}

#[test]
fn what_is_to_be_predicted_is_hidden() {
    let chart = chart_of(&steps(), 56);
    for look in [RICH, ASCII, MONO] {
        let hides = Timeline { at: 7, hides: Some(7), ..timeline(&chart, look) };
        let text = picture::text(hides, 80, 8);
        assert!(text.contains("hidden until you answer"), "{text}");
        // What costs is asked of the present step, too: the playhead stands in what is hidden.
        for at in [3, 9, 14, 20, 27] {
            let text = picture::text(Timeline { at, hides: Some(0), ..hides }, 80, 8);
            assert!(text.contains("hidden until you answer"), "step {at}: {text}");
        }
        assert!(!text.contains('%') && !text.contains("FMA"), "the legend counts: {text}");
        let buf = picture::buffer(hides, 80, 8);
        let ground = look.ground().bg.unwrap_or(Color::Reset);
        let hidden = (20..60).flat_map(|x| (0..5).map(move |y| (x, y)));
        assert!(hidden.clone().all(|at| buf[at].bg == ground), "{text}");
        let shown = picture::buffer(Timeline { hides: None, ..hides }, 80, 8);
        assert_eq!(
            (4..16).map(|x| &buf[(x, 0)]).collect::<Vec<_>>(),
            (4..16).map(|x| &shown[(x, 0)]).collect::<Vec<_>>()
        );
    }
}

#[test]
fn the_playhead_and_the_selected_warp_are_marked() {
    let columns = chart_of(&steps(), 28);
    let buf = picture::buffer(timeline(&columns, RICH), 33, 3);
    let here = RICH.ink(Role::Here).fg.expect("an ink has a colour");
    assert_eq!((buf[(18, 0)].symbol(), buf[(18, 0)].fg), ("┃", here));
    assert_eq!(buf[(0, 1)].symbol(), "►");
    assert!(buf[(0, 1)].modifier.contains(Modifier::BOLD));
    assert_ne!(buf[(0, 1)].fg, here, "what is chosen is not what happens now");
}

#[test]
fn supersteps_are_numbered_between_the_barriers() {
    let chart = chart_of(&steps(), 56);
    let bands = [0..14, 14..28].map(|steps| Superstep { steps, ..Superstep::default() });
    let text = picture::text(Timeline { bands: &bands, ..timeline(&chart, ASCII) }, 80, 9);
    let axis = text.lines().find(|row| row.contains('=')).unwrap_or_default().to_owned();
    assert!(axis.contains("= 1 =") && axis.contains("- 2 -"), "{text}");
    let none = picture::text(Timeline { bands: &bands[..1], ..timeline(&chart, ASCII) }, 80, 9);
    assert!(!none.contains(" 1 "), "one superstep is the whole run: {none}");
}

#[test]
fn a_missing_barrier_is_drawn_between_the_accesses_that_meet() {
    let chart = chart_of(&steps(), 56);
    let bands = [0..14, 14..28].map(|steps| Superstep { steps, ..Superstep::default() });
    let unordered = [UnorderedAccesses { superstep: 1, steps: [16, 25], lines: [None; 2] }];
    let timeline = Timeline { bands: &bands, unordered: &unordered, ..timeline(&chart, ASCII) };
    let text = picture::text(timeline, 80, 9);
    assert!(text.contains(" 2: no barrier ") && text.contains(':'), "{text}");
    let hidden = picture::text(Timeline { hides: Some(14), ..timeline }, 80, 9);
    assert!(!hidden.contains("barrier"), "what is asked is not told: {hidden}");
}

#[test]
fn a_click_goes_to_the_step_under_it() {
    let area = Rect::new(10, 2, 33, 3);
    assert_eq!(across(area), 14..42);
    let columns = chart_of(&steps(), 28);
    let step_at = |x| step_at(area, &columns.0, x);
    assert_eq!((step_at(14), step_at(24)), (Some(0), Some(10)));
    assert_eq!((step_at(13), step_at(42)), (None, None));
    assert_eq!(warp_at(&timeline(&columns, RICH), area, 3), Some(1));
    assert_eq!(warp_at(&timeline(&columns, RICH), area, 4), None);
}

#[test]
fn every_size_survives() {
    let chart = chart_of(&steps(), 28);
    picture::survives(|look| timeline(&chart, look));
    let none = columns(0..0, 40, 0, |_| unreachable!("there is no step"));
    let none = (none, ExecutedKinds::default());
    picture::survives(|look| timeline(&none, look));
}
