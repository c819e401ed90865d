//! Answers that are pointed at on the picture.

use super::focus::focus;
use crate::analysis::banks::BANKS;
use crate::launch::{Dim3, WARP_SIZE};
use crate::lesson::document::AskKind;
use crate::lesson::gap;
use crate::lesson::target::{Target, View};
use crate::matrix::{Element, Operand};
use crate::report::pointed::PointedAt;
use crate::tui::action::Action;
use crate::tui::app::App;
use crate::tui::facts::{self, listing, things};
use crate::tui::layout::{PANELS, Panel};
use crate::tui::lesson::{ActiveLesson, kind, of_point, panel_of, view_of};
use std::ops::RangeInclusive;

/// Where pointing begins: at the first target of that kind in the picture, whatever the answer is.
pub(super) fn first(app: &App) -> Option<Target> {
    let question = app.mode.lesson().and_then(ActiveLesson::question)?;
    let session = &app.run.session;
    let part = || session.problem().part(session.block());
    Some(match kind(question)? {
        Target::Element(Element { operand: operand @ Operand::C, .. }) => {
            let (rows, columns) = part().unwrap_or((0..1, 0..1));
            Target::Element(Element { operand, row: rows.start, column: columns.start })
        }
        // A text is put into the kernel: from where its work begins.
        Target::Line(_) if question.kind == AskKind::Gap => {
            let line = listing::opens(app).and_then(|pc| session.trace().line(pc));
            Target::Line(line.or_else(|| Some(kernel_lines(app)?.0))?)
        }
        Target::Line(_) => {
            Target::Line(facts::CurrentInstruction::of(session, app.run.warp).line.max(1))
        }
        Target::Panel(_) => {
            Target::Panel(view_of(app.display.wanted.focus).unwrap_or(View::Matrices))
        }
        other => other,
    })
}

/// Moves the pointer, no further than to the last of its kind.
pub(super) fn walk(app: &mut App, down: i32, right: i32) {
    let start = app.mode.lesson().and_then(|lesson| lesson.input.pointer.clone());
    let Some(from) = start.or_else(|| first(app)) else { return };
    let to = walked(app, &from, down, right);
    if let Target::Panel(view) = to {
        focus(app, panel_of(view));
    }
    if let Some(lesson) = app.mode.lesson_mut() {
        lesson.input.pointer = Some(to);
    }
}

/// The first and the last line of the kernel after which a text is inside it.
fn kernel_lines(app: &App) -> Option<(u32, u32)> {
    let source = app.run.session.problem().source.as_ref()?;
    gap::body(&source.text).map(RangeInclusive::into_inner)
}

/// Moves a number, to one from 0 to the last of `count`.
fn moved(from: u32, by: i32, count: u32) -> u32 {
    from.saturating_add_signed(by).min(count.saturating_sub(1))
}

fn walked(app: &App, from: &Target, down: i32, right: i32) -> Target {
    let problem = app.run.session.problem();
    let block = problem.launch.block;
    let question = app.mode.lesson().and_then(ActiveLesson::question);
    let gap = question.filter(|question| question.kind == AskKind::Gap).map(|_| ());
    match from {
        Target::Element(Element { operand, row, column }) => {
            let (rows, columns) = problem.size.shape(*operand);
            let (row, column) = (moved(*row, down, rows), moved(*column, right, columns));
            Target::Element(Element { operand: *operand, row, column })
        }
        Target::Thread { x, y } => {
            Target::Thread { x: moved(*x, right, block.x), y: moved(*y, down, block.y) }
        }
        Target::Warp(warp) => Target::Warp(moved(*warp, down + right, problem.launch.warps())),
        Target::Lane(lane) => Target::Lane(moved(*lane, right + 8 * down, WARP_SIZE)),
        Target::Bank(bank) => Target::Bank(moved(*bank, right + 8 * down, BANKS as u32)),
        Target::Word { array, index } => {
            let (columns, words) = things::array(app, array).map_or((1, 1), |(_, shape)| shape);
            let index = moved(*index, right + columns as i32 * down, words);
            Target::Word { array: array.clone(), index }
        }
        Target::Sector(sector) => {
            let all = things::sectors(app).len() as u32;
            Target::Sector(moved(*sector, right + 4 * down, all.max(1)))
        }
        Target::Line(line) => {
            if let Some((first, last)) = gap.and_then(|()| kernel_lines(app)) {
                let to = line.saturating_add_signed(down + right);
                return Target::Line(to.clamp(first, last));
            }
            let lines = problem.source.as_ref();
            let lines = lines.map_or(1, |source| source.text.lines().count() as u32);
            Target::Line(moved(*line, down + right, lines + 1).max(1))
        }
        Target::Panel(view) => Target::Panel(panel_beside(app, *view, down + right)),
    }
}

/// The panel this many places further among those on the screen, or among all if only one is shown.
fn panel_beside(app: &App, view: View, by: i32) -> View {
    let areas = app.areas();
    let one = areas.panels.len() < 2;
    let shown = |panel: &Panel| one || areas.panel(*panel).is_some();
    let ring: Vec<_> =
        PANELS.iter().map(|row| row.panel).filter(shown).filter_map(view_of).collect();
    let at = ring.iter().position(|other| *other == view).unwrap_or(0) as i32;
    let to = (at + by).rem_euclid(ring.len().max(1) as i32);
    ring.get(to as usize).copied().unwrap_or(view)
}

/// The answer that a click gives, if it hit a target of the kind asked for.
pub(super) fn hit(app: &App, action: Action) -> Option<Target> {
    let lesson = app.mode.lesson().filter(|lesson| lesson.is_pick())?;
    let kind = kind(lesson.question()?)?;
    let point = match action {
        Action::Point(point) => point,
        Action::FollowElement(element) => PointedAt::Element(element),
        Action::SelectWarp(warp) => PointedAt::Lane { warp, lane: 0 },
        Action::Focus(panel) if matches!(kind, Target::Panel(_)) => {
            return view_of(panel).map(Target::Panel);
        }
        _ => return None,
    };
    match (&kind, point) {
        (Target::Thread { .. }, PointedAt::Lane { warp, lane }) => {
            let Dim3 { x: columns, .. } = app.run.session.problem().launch.block;
            let thread = warp as u32 * WARP_SIZE + lane as u32;
            Some(Target::Thread { x: thread % columns, y: thread / columns })
        }
        (Target::Word { .. }, PointedAt::Word(word)) => things::word(app, word),
        (Target::Sector(_), PointedAt::Sector(address)) => {
            let at = things::sectors(app).iter().position(|sector| *sector == address)?;
            Some(Target::Sector(at as u32))
        }
        _ => of_point(&kind, point),
    }
}
