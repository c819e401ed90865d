//! The actions while an overlay is open.

use super::show::{go_to, select_block};
use super::tile;
use crate::launch::Dim3;
use crate::report::found::OtherBlock;
use crate::tui::action::{Action, OverlayAction};
use crate::tui::app::{App, Overlay, StartAt};
use crate::tui::help;
use crate::tui::keymap::Keymap;
use crate::tui::layout::text::position;

/// The number of commands or blocks on a page.
const PAGE: usize = 8;
/// The length of the longest position that can be typed: `65535,65535`.
const LONGEST: usize = 11;

/// Performs an action of the overlay; returns the action of the item that was chosen, if any, to be
/// performed after the overlay has closed.
pub(super) fn update(app: &mut App, motion: OverlayAction) -> Option<Action> {
    let overlay = app.overlay.take()?;
    let chosen = chosen(&app.keymap, &overlay, motion);
    app.overlay = match overlay {
        Overlay::Help(line) => help_page(app, line, motion),
        Overlay::Findings(selected) => findings(app, selected, motion),
        Overlay::Palette(query, selected) => palette(&app.keymap, query, selected, motion),
        Overlay::Blocks(block, typed) => blocks(app, block, typed, motion),
        Overlay::Tile => Some(Overlay::Tile).filter(|_| !tile::closes(motion)),
        // Any key brings the screen back.
        Overlay::Blank => None,
    };
    chosen
}

fn chosen(keymap: &Keymap, overlay: &Overlay, motion: OverlayAction) -> Option<Action> {
    match (overlay, motion) {
        (Overlay::Palette(query, selected), OverlayAction::Accept) => {
            keymap.found(query).get(*selected).map(|command| command.action)
        }
        (Overlay::Help(_), OverlayAction::Lesson) => Some(Action::Lesson),
        _ => None,
    }
}

fn help_page(app: &App, line: u16, motion: OverlayAction) -> Option<Overlay> {
    let lines = help::lines(&app.keymap, app.context());
    let (starts, room) = (help::starts(&lines), help::page(app.display.size));
    let page = help::page_of(&starts, line);
    let first = starts.get(page).copied().unwrap_or(0);
    let next = starts.get(page + 1).copied();
    let before = page.checked_sub(1).and_then(|before| starts.get(before).copied());
    let within = scrolled(line - first, motion, next.unwrap_or(lines.len() as u16) - first, room)?;
    let stays = first + within == line;
    let line = match motion {
        OverlayAction::Right => next.unwrap_or(line),
        OverlayAction::Left => before.unwrap_or(line),
        OverlayAction::Down | OverlayAction::PageDown if stays => next.unwrap_or(line),
        OverlayAction::Up | OverlayAction::PageUp if stays => before.unwrap_or(line),
        _ => first + within,
    };
    Some(Overlay::Help(line))
}

/// Returns the first line in view after a motion, or `None` if it closes the page.
fn scrolled(line: u16, motion: OverlayAction, lines: u16, page: u16) -> Option<u16> {
    let most = lines.saturating_sub(page);
    let line = match motion {
        OverlayAction::Down => line + 1,
        OverlayAction::Up => line.saturating_sub(1),
        OverlayAction::PageDown => line + page,
        OverlayAction::PageUp => line.saturating_sub(page),
        OverlayAction::First => 0,
        OverlayAction::Last => most,
        OverlayAction::Accept | OverlayAction::Close | OverlayAction::Lesson => return None,
        OverlayAction::Left
        | OverlayAction::Right
        | OverlayAction::Type(_)
        | OverlayAction::Erase => line,
    };
    Some(line.min(most))
}

/// Returns the selected line of a list after a motion.
fn selected(from: usize, last: usize, motion: OverlayAction) -> usize {
    match motion {
        OverlayAction::Down => (from + 1).min(last),
        OverlayAction::Up => from.saturating_sub(1),
        OverlayAction::PageDown => (from + PAGE).min(last),
        OverlayAction::PageUp => from.saturating_sub(PAGE),
        OverlayAction::First => 0,
        OverlayAction::Last => last,
        _ => from,
    }
}

fn findings(app: &mut App, from: usize, motion: OverlayAction) -> Option<Overlay> {
    let found = app.run.session.found().unwrap_or_default();
    let motion = match motion {
        OverlayAction::Accept => {
            let chosen = found.get(from);
            let step = chosen.and_then(|found| Some(found.shows.first()?.step));
            let elsewhere = chosen.and_then(|found| found.elsewhere);
            match (step, elsewhere) {
                (Some(step), _) => go_to(app, step),
                (None, Some(OtherBlock { block, .. })) => {
                    select_block(app, block);
                    app.play.begin = StartAt::Finding;
                }
                (None, None) => {}
            }
            return None;
        }
        OverlayAction::Close => return None,
        OverlayAction::Right => OverlayAction::Down,
        OverlayAction::Left => OverlayAction::Up,
        other => other,
    };
    Some(Overlay::Findings(selected(from, found.len().saturating_sub(1), motion)))
}

fn palette(
    keymap: &Keymap,
    mut query: String,
    from: usize,
    motion: OverlayAction,
) -> Option<Overlay> {
    let last = keymap.found(&query).len().saturating_sub(1);
    let selected = match motion {
        OverlayAction::Accept | OverlayAction::Close => return None,
        OverlayAction::Type(letter) => {
            query.push(letter);
            0
        }
        OverlayAction::Erase => {
            query.pop();
            0
        }
        other => selected(from, last, other),
    };
    Some(Overlay::Palette(query, selected))
}

fn blocks(app: &mut App, block: Dim3, typed: String, motion: OverlayAction) -> Option<Overlay> {
    let grid = app.run.session.problem().launch.grid;
    let typed = retyped(typed, motion);
    let last = Dim3::at(grid.x - 1, grid.y - 1);
    let page = PAGE as u32;
    let block = match motion {
        OverlayAction::Left => Dim3 { x: block.x.saturating_sub(1), ..block },
        OverlayAction::Right => Dim3 { x: (block.x + 1).min(last.x), ..block },
        OverlayAction::Up => Dim3 { y: block.y.saturating_sub(1), ..block },
        OverlayAction::Down => Dim3 { y: (block.y + 1).min(last.y), ..block },
        OverlayAction::PageUp => Dim3 { y: block.y.saturating_sub(page), ..block },
        OverlayAction::PageDown => Dim3 { y: (block.y + page).min(last.y), ..block },
        OverlayAction::First => Dim3 { z: block.z, ..Dim3::at(0, 0) },
        OverlayAction::Last => Dim3 { z: block.z, ..last },
        OverlayAction::Accept => {
            select_block(app, block);
            return None;
        }
        OverlayAction::Close => return None,
        OverlayAction::Type(_) | OverlayAction::Erase => {
            parse(&typed, grid).map_or(block, |typed| Dim3 { z: block.z, ..typed })
        }
        OverlayAction::Lesson => block,
    };
    Some(Overlay::Blocks(block, typed))
}

/// Returns the text of a position's input line after a motion; an arrow clears it.
fn retyped(mut typed: String, motion: OverlayAction) -> String {
    match motion {
        OverlayAction::Type(letter) if typed.len() < LONGEST => typed.push(letter),
        OverlayAction::Type(_) => {}
        OverlayAction::Erase => _ = typed.pop(),
        _ => typed.clear(),
    }
    typed
}

/// Parses `x` or `x,y`, clamped to the grid.
fn parse(typed: &str, grid: Dim3) -> Option<Dim3> {
    position(typed).map(|(x, y)| Dim3::at(x.min(grid.x - 1), y.min(grid.y - 1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typed_block_is_held_within_the_grid() {
        let grid = Dim3::flat(4, 3);
        assert_eq!(parse("2,1", grid), Some(Dim3::at(2, 1)));
        assert_eq!(parse("2", grid), Some(Dim3::at(2, 0)));
        assert_eq!(parse("9,9", grid), Some(Dim3::at(3, 2)));
        assert_eq!(parse("1,2,3", grid), None);
    }

    #[test]
    fn a_page_scrolls_to_its_ends_and_no_further() {
        assert_eq!(scrolled(0, OverlayAction::Up, 30, 10), Some(0));
        assert_eq!(scrolled(15, OverlayAction::PageDown, 30, 10), Some(20));
        assert_eq!(scrolled(5, OverlayAction::Last, 4, 10), Some(0));
        assert_eq!(scrolled(5, OverlayAction::Close, 30, 10), None);
    }
}
