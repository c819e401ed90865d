//! The main screen: status, sentence, panels, scrubber, keys.

use super::{edit, footer, lesson, panels};
use crate::kernel::{BROKEN, Problem};
use crate::report::found::FindingOutcome;
use crate::report::number::grouped;
use crate::sim::Order;
use crate::trace::End;
use crate::trace::cursor::StepSize;
use crate::tui::edit::Editing;
use crate::tui::facts::listing::operands;
use crate::tui::facts::{CurrentInstruction, redacted};
use crate::tui::layout::text::wrap_balanced;
use crate::tui::layout::{Areas, Panel, inner};
use crate::tui::playback::Pace;
use crate::tui::session::Session;
use crate::tui::theme::Role;
use crate::tui::view_model::ViewModel;
use crate::tui::widget::panel::frames;
use crate::tui::widget::scrubber::Scrubber;
use crate::tui::widget::source::SourceBar;
use crate::tui::widget::status::StatusBar;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Text;
use ratatui::widgets::Widget;

/// Draws the screen, except the overlays.
pub fn draw(view: &ViewModel<'_>, areas: &Areas, buf: &mut Buffer) {
    status(view, areas.status, buf);
    sentence(view, areas.sentence, buf);
    if view.dials.is_none() && !view.over {
        strip(view, areas.strip, buf);
    }
    if view.dials.is_some() {
        if lesson::leave_text(areas) {
            lesson::draw(view, buf);
        }
        lesson::draw_dials(view, areas, buf);
    } else if view.over {
        lesson::draw(view, buf);
    } else {
        draw_panels(view, areas, buf);
        edit::draw(view, areas.text, buf);
        lesson::draw(view, buf);
        scrubber(view, areas.scrubber, buf);
    }
    footer::draw(view, areas.footer, buf);
}

fn status(view: &ViewModel<'_>, area: Rect, buf: &mut Buffer) {
    let session = view.session;
    let (problem, block) = (session.problem(), session.block());
    let grid = problem.launch.grid;
    let all = matches!(session.trace().end(), Some(End::Done | End::Fault(_)));
    let plus = if all { "" } else { "+" };
    let order = match session.order() {
        Order::ByPhase => String::new(),
        order => format!("warps: {}", order.label()),
    };
    let asks = view.redacted.asks;
    let wrong = !asks && session.found().is_some_and(|found| !found.is_empty());
    // Of a run with findings the order of the warps is the cause, and must not be cut.
    // Neither may the one of a lesson that chooses it.
    let first = wrong || view.lesson.is_some() && session.order() != Order::ByPhase;
    let [cause, order] = if first { [order, String::new()] } else { [String::new(), order] };
    // As wide as the last one: what follows keeps its place.
    let all = grouped(session.trace().len() as u64);
    let step = format!("step {:>1$} of {all}{plus}", grouped(session.at() as u64), all.len());
    let [early, step] = if wrong { [step, String::new()] } else { [String::new(), step] };
    let by = match view.playback.unit {
        StepSize::Event => String::new(),
        unit => format!("by {}", session.unit_name(unit)),
    };
    let compiled = problem.compiled_by().filter(|_| view.lesson.is_none());
    let items = [
        place(view, area.width),
        label(problem, view.redacted.asks_name),
        // While a question is open, they may be its answer.
        if asks { String::new() } else { findings(session) },
        cause,
        early,
        match session.replay().machine().blocks().count() {
            1 => format!("block ({})", block.place_in(grid)),
            blocks => format!("cluster of {blocks} with block ({})", block.place_in(grid)),
        },
        progress(view),
        step,
        session.under_way().map_or_else(String::new, |step| format!("going to {step}")),
        by,
        compiled.map_or_else(String::new, |by| format!("compiled by {by}")),
        order,
    ];
    let edited = view.app.mode.editing().map(Editing::status);
    let items: Vec<_> = edited.into_iter().chain(items).filter(|item| !item.is_empty()).collect();
    let speed = view.playback.speed;
    let pace = match view.playback.pace {
        Pace::Meaning => speed.to_string(),
        Pace::Even => format!("evenly {speed}"),
    };
    StatusBar { items: &items, pace: &pace, playing: view.playback.playing, look: view.look }
        .render(area, buf);
}

/// The lesson and its title, or in little room its page.
pub(super) fn place(view: &ViewModel<'_>, room: u16) -> String {
    let Some(lesson) = view.lesson else { return String::new() };
    let (number, title) = &lesson.now().lesson;
    match room {
        ROOMY.. => format!("Lesson {number} {title}"),
        _ => format!("{} {title}", lesson.place()),
    }
}

/// The columns with room for a lesson's title and for the word.
const ROOMY: u16 = 100;

/// The kernel with its blocks; while a question is open, without what is broken in it.
fn label(problem: &Problem, asks: bool) -> String {
    let (name, label) = (problem.name(), problem.label());
    let broken = BROKEN.iter().find(|kernel| asks && kernel.name == name);
    broken.map_or(label.clone(), |kernel| label.replacen(name, kernel.beside, 1))
}

/// The number of findings of the run, for the status bar.
pub(super) fn findings(session: &Session) -> String {
    match session.found().map_or(0, <[_]>::len) {
        0 => String::new(),
        1 => "! 1 finding".to_owned(),
        count => format!("! {count} findings"),
    }
}

/// Returns the block's progress: in tiles along k, or in multiply-adds if it has done any.
fn progress(view: &ViewModel<'_>) -> String {
    let session = view.session;
    let tiles = session.k_tile().zip(session.problem().k_tiles());
    match (tiles, session.place().totals.sass().multiply_adds()) {
        // How many come may be asked.
        (Some((tile, _)), _) if view.redacted.asks => format!("tile {}", tile + 1),
        (Some((tile, tiles)), _) => {
            format!("tile {:>1$} of {tiles}", tile + 1, tiles.to_string().len())
        }
        (None, 0) => String::new(),
        (None, fma) => format!("{} FMAs", grouped(fma)),
    }
}

/// Draws the sentence in bold in the second row: heads hide the last rows of a projected screen.
fn sentence(view: &ViewModel<'_>, area: Rect, buf: &mut Buffer) {
    let shows = view.session.worst().map(|shows| shows.outcome);
    let (mark, style) = match shows {
        Some(FindingOutcome::Lucky) => (view.look.pick("◆ ", "* "), view.look.chosen()),
        Some(FindingOutcome::Spoilt) => (view.look.pick("▲ ", "! "), view.look.strong(Role::Bad)),
        Some(FindingOutcome::Error) => ("", view.look.strong(Role::Bad)),
        None => ("", view.look.bold()),
    };
    let (mark, style, sentence) = if let Some((sentence, style)) = lesson::sentence(view) {
        ("", style, sentence)
    } else {
        let line = redacted::in_source(view.app, area.width.saturating_sub(2));
        (mark, style, line.unwrap_or_else(|| view.app.sentence().to_owned()))
    };
    let sentence = redacted::sentence(view.app, &sentence);
    let room = usize::from(area.width.saturating_sub(2));
    let mark = if mark.len() + sentence.len() <= room { mark } else { "" };
    let said = format!("{mark}{sentence}");
    let inside = Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area };
    let lines = wrap_balanced(&said, inside.width, inside.height);
    Text::styled(lines.join("\n"), style).render(inside, buf);
}

fn strip(view: &ViewModel<'_>, area: Rect, buf: &mut Buffer) {
    if area.is_empty() {
        return;
    }
    let now = CurrentInstruction::of(view.session, view.run.warp);
    let (number, text, becomes) = (now.line, now.text(), &now.becomes[..]);
    let operands = operands(view.session);
    SourceBar { number, text, operands, ptx: now.ptx, becomes, look: view.look }.render(area, buf);
}

/// Draws all contents before all frames, since neighbours share borders.
pub(super) fn draw_panels(view: &ViewModel<'_>, areas: &Areas, buf: &mut Buffer) {
    let words: Vec<_> = areas
        .panels
        .iter()
        .map(|(panel, area)| draw_panel(view, *panel, inner(*area), buf))
        .collect();
    let all =
        areas.panels.iter().zip(&words).map(|((panel, area), (title, note))| {
            (panels::frame(view, *panel, title, note), *area)
        });
    frames(all.collect(), buf);
}

/// Draws a panel's content, with what a lesson has to do with it.
fn draw_panel(
    view: &ViewModel<'_>,
    panel: Panel,
    area: Rect,
    buf: &mut Buffer,
) -> (String, String) {
    let words = panels::draw(view, panel, area, buf);
    if view.hides(panel) {
        lesson::draw_prediction(view, panel, area, buf);
    } else {
        lesson::mark(view, panel, area, buf);
    }
    words
}

pub(super) fn scrubber(view: &ViewModel<'_>, area: Rect, buf: &mut Buffer) {
    let session = view.session;
    let asks = view.redacted.asks;
    // How many barriers come may be asked.
    let barriers = session.barriers();
    let passed = barriers.partition_point(|barrier| *barrier <= session.at());
    let barriers = if asks { &barriers[..passed] } else { barriers };
    let found = view.redacted.found;
    let window = &view.display.chart.columns.window;
    let window = Some(window).filter(|window| view.display.chart.closer > 0 && !window.is_empty());
    Scrubber {
        len: session.trace().len(),
        at: session.at(),
        barriers,
        found,
        window,
        playing: view.playback.playing,
        look: view.look,
    }
    .render(area, buf);
}
