//! From what was measured to each picture's widget.

use crate::gpu::pack::Pack;
use crate::kernel;
use crate::matrix::Size;
use crate::report::charts::counts::Subject;
use crate::report::charts::metrics::copies_in_bulk;
use crate::report::charts::{Picture, Shown, letter, occupancy, sizes, why};
use crate::report::charts::{Traffic, roofline};
use crate::report::ladder;
use crate::tui::board::Times;
use crate::tui::theme::Look;
use crate::tui::widget::ladder::{Ladder, Rung};
use crate::tui::widget::measured::{Series, Sweep};
use crate::tui::widget::occupancy::Filled;
use crate::tui::widget::roofline::Roofline;
use crate::tui::widget::why::Why;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::Widget;

/// What was measured, and how it is drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Of<'a> {
    pub(super) times: &'a Times,
    pub(super) look: Look,
}

/// Draws a picture; the note that its frame bears.
pub(super) fn draw(
    of: Of<'_>,
    shown: &Shown<'_>,
    picture: Picture,
    area: Rect,
    buf: &mut Buffer,
) -> String {
    match picture {
        Picture::Ladder => ladder(of, shown, area, buf),
        Picture::Sizes => over_sizes(of, shown, area, buf),
        Picture::Roofline => under_roofs(of, shown, area, buf),
        Picture::Occupancy => filled(of, shown, area, buf),
        Picture::Why => reasons(of, shown, area, buf),
    }
}

/// Where and when the figures were measured.
pub(super) fn origin(of: Of<'_>, shown: &Shown<'_>) -> String {
    let own = of.times.pack(true).is_some_and(|own| std::ptr::eq(own, shown.pack));
    let Pack { device, date, .. } = shown.pack;
    if own { format!("measured now on {device}, {date}") } else { shown.pack.label() }
}

fn ladder(of: Of<'_>, shown: &Shown<'_>, area: Rect, buf: &mut Buffer) -> String {
    let told = shown.rungs.iter().enumerate();
    let rungs: Vec<_> = told
        .map(|(index, told)| Rung {
            name: &told.name,
            precision: told.precision,
            gflops: told.row.gflops,
            of_library: told.of_library,
            over_previous: told.over_previous,
            library: told.is_library(),
            stale: told.is_stale(),
            current: index == shown.rung,
        })
        .collect();
    let older = if rungs.iter().any(|rung| rung.stale) { "; * of an older kernel" } else { "" };
    let origin = format!("size {}, {}{older}", shown.size, origin(of, shown));
    let idea = shown.current().and_then(idea).unwrap_or_default();
    Ladder { rungs: &rungs, idea: &idea, origin: &origin, look: of.look }.render(area, buf);
    "GFLOP/s, measured".to_owned()
}

/// What is new in a kernel; a library tells nothing of itself.
fn idea(rung: &ladder::Rung<'_>) -> Option<String> {
    let kernel = kernel::find(&rung.row.kernel)?;
    Some(format!("{}: {}", kernel.name, kernel.summary))
}

fn over_sizes(of: Of<'_>, shown: &Shown<'_>, area: Rect, buf: &mut Buffer) -> String {
    let all = sizes::series(shown);
    let series: Vec<_> = all
        .iter()
        .map(|series| Series {
            name: &series.name,
            letter: letter(series.rung),
            points: &series.points,
            current: series.rung == shown.rung,
        })
        .collect();
    if series.is_empty() {
        say(of, "one size was measured: record several with `matviz bench --ladder`", area, buf);
    }
    let at = (shown.size == Size::square(shown.size.n)).then_some(shown.size.n);
    Sweep { series: &series, at, look: of.look }.render(area, buf);
    "the tile chosen for each size, measured".to_owned()
}

fn under_roofs(of: Of<'_>, shown: &Shown<'_>, area: Rect, buf: &mut Buffer) -> String {
    let spots = roofline::spots(shown);
    let tensor = spots.iter().map(|spot| spot.roofs);
    let float32 = roofline::roofs(shown.pack, shown.traffic, false);
    let mut roofs: Vec<_> = float32.into_iter().chain(tensor).collect();
    roofs.dedup();
    if shown.pack.ceilings.is_none() {
        say(of, "this pack holds no ceilings of the GPU: record it anew", area, buf);
    } else if spots.is_empty() && shown.traffic == Traffic::Shared {
        say(of, &counting(of, shown), area, buf);
    } else {
        let (traffic, current, look) = (shown.traffic, shown.rung, of.look);
        Roofline { roofs: &roofs, traffic, spots: &spots, current, look }.render(area, buf);
    }
    roofline::origin(shown.traffic, &spots)
}

fn filled(of: Of<'_>, shown: &Shown<'_>, area: Rect, buf: &mut Buffer) -> String {
    let has = occupancy::multiprocessor(shown.pack);
    let taken = shown.current().and_then(|rung| Some((rung, occupancy::demand(rung)?)));
    if let Some((has, (rung, demand))) = has.zip(taken) {
        let known = |rung: &ladder::Rung<'_>| {
            Some((ladder::short_name(rung.row), occupancy::demand(rung)?))
        };
        let all: Vec<_> = shown.rungs.iter().filter_map(known).collect();
        let before = shown.rungs[..shown.rung].iter().filter_map(known).count();
        let (name, all, look) = (&*rung.name, (&all[..], before), of.look);
        Filled { name, demand, has, all, look }.render(area, buf);
    } else {
        let library = shown.current().is_some_and(ladder::Rung::is_library);
        let why =
            if library { "the library chooses its own blocks" } else { "the driver was not asked" };
        say(of, &format!("nothing is known of its registers: {why}"), area, buf);
    }
    "of one multiprocessor (SM)".to_owned()
}

fn reasons(of: Of<'_>, shown: &Shown<'_>, area: Rect, buf: &mut Buffer) -> String {
    let Some(pair) = shown.pair() else {
        say(of, "the first of the story: choose a later kernel", area, buf);
        return String::new();
    };
    let figures = why::figures(shown);
    let moved = why::moved(&figures);
    let note = counting(of, shown);
    let names = [&*pair[0].name, &*pair[1].name];
    let ideas: Vec<_> = pair.iter().filter_map(|rung| idea(rung)).collect();
    let (figures, note, ideas) = (&figures[..], &note[..], &ideas[..]);
    Why { names, figures, moved, note, ideas, look: of.look }.render(area, buf);
    let marked = shown.beside != shown.rung.checked_sub(1);
    if marked { "beside the one marked with c" } else { "beside the one before" }.to_owned()
}

/// What is being simulated, or why it cannot be.
fn counting(of: Of<'_>, shown: &Shown<'_>) -> String {
    if let Some(counting) = &of.times.counting {
        return counting.line();
    }
    let pair = shown.pair().into_iter().flatten();
    let failed = pair.filter_map(|rung| {
        let why = shown.counts.known(&Subject::of(rung.row)?)?.as_ref().err()?;
        Some(format!("{} cannot be counted: {why}", rung.name))
    });
    let stale = shown.pair().into_iter().flatten().find(|rung| rung.is_stale());
    let stale = stale.map(|rung| format!("{} has changed since: it is not simulated", rung.name));
    let mut unseen = shown.pair().into_iter().flatten().filter(|rung| copies_in_bulk(rung.row));
    let unseen = unseen.next().map(|rung| {
        format!(
            "{} copies whole tiles in bulk (TMA): its loads and stores are not counted",
            rung.name
        )
    });
    failed.chain(stale).chain(unseen).next().unwrap_or_default()
}

fn say(of: Of<'_>, text: &str, area: Rect, buf: &mut Buffer) {
    Line::styled(format!(" {text}"), of.look.dim()).render(area, buf);
}
