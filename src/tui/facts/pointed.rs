//! What is pointed at: its line, and its place in each panel.

use crate::analysis::banks::BANKS;
use crate::launch::WARP_SIZE;
use crate::report::pointed::{PointedAt, PointedMoment, Related};
use crate::tui::app::App;
use crate::tui::facts;
use crate::tui::playback::WarpSelection;

/// Ends the line where there is room, since nothing else on the screen says how to end it.
const LEAVE: &str = "Esc";

pub fn moment<T>(app: &App, look: impl FnOnce(&PointedMoment<'_>) -> T) -> T {
    let session = &app.run.session;
    look(&PointedMoment {
        problem: session.problem(),
        program: session.trace().program(),
        replay: session.replay(),
        owned: session.owned(),
        held: &|word| facts::held_at(session, u64::from(word) * 4).first().copied(),
        warp: app.run.warp,
        lane: lane(app),
    })
}

/// The lane that was pointed at last, if the selected warp has it; otherwise its first one.
fn lane(app: &App) -> usize {
    let threads = app.run.session.problem().launch.threads() as usize;
    let exists = app.run.warp * (WARP_SIZE as usize) + app.run.lane < threads;
    if exists { app.run.lane } else { 0 }
}

/// Describes what is pointed at, in at most `room` columns.
pub fn line(app: &App, room: u16) -> Option<String> {
    let (point, room) = (app.run.pointed?, usize::from(room));
    let line = moment(app, |moment| moment.line(point, room));
    let spare = room.saturating_sub(line.chars().count());
    Some(if spare > LEAVE.len() + 2 { format!("{line}{LEAVE:>spare$}") } else { line })
}

/// Describes what a lane of the selected warp does with its registers, in at most `room`
/// columns; empty while something is pointed at, which has its own line.
pub fn registers(app: &App, room: u16) -> String {
    let lane = PointedAt::Lane { warp: app.run.warp, lane: lane(app) };
    let said = || moment(app, |moment| moment.line(lane, room.saturating_sub(2).into()));
    if app.run.pointed.is_some() { String::new() } else { said() }
}

/// Returns what belongs to the point in each panel, if something is pointed at.
pub fn related(app: &App) -> Option<Related> {
    let point = app.run.pointed?;
    Some(moment(app, |moment| moment.related(point)))
}

/// Returns the selected warp's part of the data, if the user has selected one.
pub fn part(app: &App) -> Option<Related> {
    (app.run.watch == WarpSelection::Chosen)
        .then(|| moment(app, |moment| moment.part(app.run.warp)))
}

/// Returns the banks whose words belong to the point, bank 0 in the lowest bit.
pub fn banks(related: &Related) -> u32 {
    related.words.iter().fold(0, |banks, word| banks | 1 << (*word as usize % BANKS))
}
