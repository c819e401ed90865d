//! Collects what the card at the end of a run says.

use super::measured;
use crate::report::block_summary::{cost, verdict};
use crate::tui::app::App;
use crate::tui::keymap::Key;
use crate::tui::measurements::{Origin, Row};
use crate::tui::widget::cost::reuse;
use crate::tui::widget::end_card::EndCard;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;

/// The commands that the card offers, and what each shows; `{}` stands for a kernel's name.
const NEXT: [(&str, &str); 6] = [
    ("play", "again"),
    ("kernel", "{}, the same block"),
    (TILE, "what another tile changes"),
    ("follow", "where an element came from"),
    ("measure-screen", "why it takes this long"),
    ("lesson", "the lesson"),
];

/// The command that only kernels with several tiles obey.
const TILE: &str = "tile";

/// Draws the card.
pub fn draw(app: &App, area: Rect, buf: &mut Buffer) {
    let session = &app.session;
    let (problem, block, place) = (session.problem(), session.block(), session.place());
    let verdict = verdict(problem, block, session.judged());
    let mut facts = cost(&place.totals, place.interval, reuse(&place.totals));
    facts.push(times(app));
    facts.extend(measured::limit_line(app));
    let subject =
        format!("Block ({}) of {}", block.place_in(problem.launch().grid), problem.label());
    let (next, look) = (next(app), app.look);
    let card =
        EndCard { subject: &subject, verdict: verdict.as_ref(), facts: &facts, next: &next, look };
    card.render(area, buf);
}

/// The times of this kernel and of those that stand beside it.
fn times(app: &App) -> String {
    let problem = app.session.problem();
    let is_it = |row: &&Row| {
        row.measurement.kernel == problem.name() && row.measurement.tile == problem.tile()
    };
    let rows = &app.measures.rows;
    let Some(row) = rows.iter().find(is_it) else {
        return format!("{} was not measured on a GPU.", problem.label());
    };
    let others = rows.iter().filter(|other| {
        let of = &other.measurement;
        let landmark = of.is_library() || matches!(&*of.kernel, "naive" | "tiled");
        landmark && of.precision() == row.measurement.precision() && !is_it(other)
    });
    let time = |row: &Row| format!("{} {:.3} ms", row.name, row.measurement.ms.median);
    let times: Vec<_> = std::iter::once(row).chain(others).map(time).collect();
    let origin = match &row.origin {
        Origin::Now => format!("Measured on this machine's {}", row.measurement.device),
        Origin::Recorded(label, _) => capitalised(label),
    };
    format!("{origin}, at {}: {}.", row.measurement.size, times.join("; "))
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// The keys that lead on.
fn next(app: &App) -> Vec<(Key, String)> {
    let beside = app.beside().map(|place| app.shelf.problem(place).label());
    let of = |(command, text): &(&str, &str)| {
        let key = *app.keymap.key_of(command)?;
        match (text.contains("{}"), &beside) {
            (true, Some(name)) => Some((key, text.replace("{}", name))),
            (true, None) => None,
            (false, _) => Some((key, (*text).to_owned())),
        }
    };
    let tiles = app.shelf.tiles(app.kernel).len();
    NEXT.iter().filter(|(command, _)| tiles > 1 || *command != TILE).filter_map(of).collect()
}
