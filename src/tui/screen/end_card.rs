//! Collects what the card at the end of a run says.

use crate::report::block_summary::{cost, title, verdict};
use crate::tui::facts;
use crate::tui::facts::counts;
use crate::tui::keymap::Key;
use crate::tui::measurements::{MeasuredWhen, Row};
use crate::tui::view_model::ViewModel;
use crate::tui::widget::end_card::EndCard;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;

/// The commands that the card offers, and what each shows; `{}` is a kernel's name. The first is only
/// for a run with findings.
const NEXT: [(&str, &str); 7] = [
    ("findings", "what is wrong"),
    ("play", "again"),
    ("kernel", "{}, the same block"),
    (TILE, "what another tile changes"),
    ("follow", "where an element came from"),
    ("measure-screen", "why it takes this long"),
    ("lesson", "the lesson"),
];

/// The command that only kernels with several tiles obey.
const TILE: &str = "tile";

pub fn draw(view: &ViewModel<'_>, area: Rect, buf: &mut Buffer) {
    let session = view.session;
    let (problem, block, place) = (session.problem(), session.block(), session.place());
    let found = session.found().unwrap_or_default();
    let end = session.trace().end();
    let verdict = verdict((problem, block), end, session.judged(), found);
    let mut lines = cost(&place.totals, place.interval, facts::reuse(session), end);
    lines.extend(times(view));
    let title = &title(problem, block, end, session.at());
    let (next, look) = (next(view), view.look);
    let card = EndCard { title, verdict: verdict.as_ref(), facts: &lines, next: &next, look };
    card.render(area, buf);
}

/// The times of this kernel and of those that stand beside it, and what limits it.
fn times(view: &ViewModel<'_>) -> Vec<String> {
    let problem = view.session.problem();
    let Some(row) = view.measuring.measures.row(problem) else {
        return vec![format!("{} was not measured on a GPU.", problem.label())];
    };
    let others = view.measuring.measures.rows.iter().filter(|other| {
        let of = &other.measurement;
        let landmark = of.is_library() || matches!(&*of.kernel, "naive" | "tiled");
        landmark && of.precision() == row.measurement.precision() && other.name != row.name
    });
    let time = |row: &Row| format!("{} in {:.3} ms", row.name, row.measurement.ms.median);
    let times: Vec<_> = std::iter::once(row).chain(others).map(time).collect();
    let origin = match &row.origin {
        MeasuredWhen::Now => format!("Measured on this machine's {}", row.measurement.device),
        MeasuredWhen::Recorded(label, _) => capitalised(label),
    };
    let (name, size) = (&row.name, row.measurement.size);
    let times = format!("{origin}, at {size}: {}.", times.join("; "));
    let limit = counts::limit_line(view.app);
    let limit = limit.map(|(limit, from)| format!("{name} at {size}: {limit} ({}).", from.word()));
    std::iter::once(times).chain(limit).collect()
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// The keys that lead on.
fn next(view: &ViewModel<'_>) -> Vec<(Key, String)> {
    let beside = view.kernels.beside().map(|place| view.kernels.cache.problem(place).label());
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
    NEXT.iter().filter(|(command, _)| tiles > 1 || *command != TILE).filter_map(of).collect()
}
