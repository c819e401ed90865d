//! Collects what the end of a run says.

use super::stage::stage;
use crate::report::block_summary::{title, took, verdict};
use crate::report::number::Range;
use crate::study::stage::PlaceId;
use crate::trace::End;
use crate::tui::facts;
use crate::tui::facts::ending;
use crate::tui::facts::race::TimeRace;
use crate::tui::input::AGAIN;
use crate::tui::keymap::Key;
use crate::tui::layout::Areas;
use crate::tui::view_model::ViewModel;
use crate::tui::widget::finale::{Finale, ResultPart};
use crate::tui::widget::stage::PlaceShape;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;

/// The commands that are offered beside those of the race itself, and what each shows; `{}` is the
/// name of the kernel beside this one. The first is only for a run with findings.
const NEXT: [(&str, &str); 9] = [
    ("findings", "what is wrong"),
    ("measure-screen", "why"),
    (TILE, "other tile"),
    ("lesson", "lessons"),
    ("kernel", "{}"),
    ("follow", "follow an element"),
    ("play", "from the start"),
    ("help", "help"),
    ("quit", "quit"),
];

/// The command that only kernels with several tiles obey.
const TILE: &str = "tile";

pub fn draw(view: &ViewModel<'_>, areas: &Areas, buf: &mut Buffer) {
    let session = view.session;
    let (problem, block, place) = (session.problem(), session.block(), session.place());
    let found = session.found().unwrap_or_default();
    let end = session.trace().end();
    let verdict = verdict((problem, block), end, session.judged(), found);
    let part = part(view);
    let elements = part.as_ref().map(|part| u64::from(part.shape.0) * u64::from(part.shape.1));
    let took = took(
        &place.totals,
        place.interval,
        (facts::reuse(session), elements),
        (session.at(), place.warps.len()),
    );
    let race = TimeRace::of(view.app);
    let unmeasured = format!("{} was not measured on a GPU: matviz bench", problem.label());
    let title = &title(problem, block, end, session.at());
    let (keys, notes) = (keys(view, race.as_ref()), ending::notes(view.app));
    // Below the status bar, all of the screen: its own keys stand in the last row.
    let y = areas.status.bottom();
    let height = buf.area.bottom().saturating_sub(y);
    Finale {
        title,
        verdict: verdict.as_ref(),
        part: part.as_ref(),
        took: &took,
        partly: !matches!(end, Some(End::Done) | None),
        race: race.as_ref().ok_or(&unmeasured),
        notes: &notes,
        keys: &keys,
        seconds: view.app.finale_seconds(),
        from: corner(view),
        look: view.look,
    }
    .render(Rect { y, height, ..buf.area }, buf);
}

/// Where C lies on the stage.
fn corner(view: &ViewModel<'_>) -> Option<Rect> {
    let (_, plan) = stage(view.app)?;
    let placed = plan.place(PlaceId::Corner).filter(|tile| tile.shape == PlaceShape::Grid)?;
    let (area, rows) = (view.areas.stage, placed.area.rows());
    let (y, height) = (area.y + rows.start, rows.len() as u16);
    Some(Rect { x: area.x + placed.area.x, y, width: placed.area.width, height })
}

/// The part of C that the block computes, and what is wrong in it.
fn part(view: &ViewModel<'_>) -> Option<ResultPart> {
    let (problem, block) = (view.session.problem(), view.session.block());
    let (rows, columns) =
        problem.part(block).filter(|(rows, columns)| !rows.is_empty() && !columns.is_empty())?;
    let [down, across] =
        [&rows, &columns].map(|span| Range(span.start.into(), u64::from(span.end) - 1));
    let wrong = view.session.wrong().iter().filter_map(|off| {
        Some((off.row.checked_sub(rows.start)?, off.column.checked_sub(columns.start)?))
    });
    Some(ResultPart {
        name: format!("C[{down}][{across}]"),
        shape: (rows.len() as u32, columns.len() as u32),
        wrong: wrong.collect(),
    })
}

/// The keys that lead on.
fn keys(view: &ViewModel<'_>, race: Option<&TimeRace>) -> Vec<(Key, String)> {
    let name = |place| view.kernels.cache.problem(place).label();
    let beside = view.kernels.beside().map(name);
    let faster = race.and_then(|race| race.next.as_ref());
    let next = view.app.next_climb().map(|place| match faster {
        Some((_, times)) => format!("next: {}, {times:.1} times as fast", name(place)),
        None => format!("next: {}", name(place)),
    });
    let enter = next.and_then(|text| Some(("Enter".parse().ok()?, text)));
    let again = || Some((AGAIN.to_string().parse().ok()?, "race again".to_owned()));
    let of = |(command, text): &(&str, &str)| {
        let key = *view.keymap.key_of(command)?;
        let found = view.session.found().is_some_and(|found| !found.is_empty());
        if *command == "findings" && !found {
            return None;
        }
        match (text.contains("{}"), &beside) {
            (true, Some(name)) => Some((key, text.replace("{}", name))),
            (true, None) => None,
            (false, _) => Some((key, (*text).to_owned())),
        }
    };
    let tiles = view.kernels.cache.tiles(view.kernels.shown).len();
    let idle = view.app.idle();
    let offered = NEXT.iter().filter(|(command, _)| !idle.contains(command));
    let offered = offered.filter(|(command, _)| tiles > 1 || *command != TILE).filter_map(of);
    enter.into_iter().chain(again().filter(|_| race.is_some())).chain(offered).collect()
}
