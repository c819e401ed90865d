//! What actions do while something lies over the panels.

use super::super::action::Action;
use super::super::app::{App, Overlay};
use super::super::keymap::{COMMANDS, Command, Context};
use super::super::widget::help;
use crate::launch::Dim3;

pub(super) fn update(app: &mut App, action: Action) {
    match action {
        Action::Quit => app.over = true,
        Action::Suspend => app.tasks.push(super::Task::Suspend),
        _ => {
            let Some(overlay) = app.overlay.take() else { return };
            app.overlay = match overlay {
                Overlay::Help(line) => help_page(app, line, action),
                Overlay::Lesson(line) => lesson_page(app, line, action),
                Overlay::Palette(query, selected) => palette(app, query, selected, action),
                Overlay::Blocks(block, typed) => blocks(app, block, typed, action),
                // Any key brings the screen back.
                Overlay::Blank => None,
            };
        }
    }
}

fn help_page(app: &App, line: u16, action: Action) -> Option<Overlay> {
    match action {
        Action::Lesson => return Some(Overlay::Lesson(0)),
        Action::Help => return None,
        _ => {}
    }
    let lines = help::lines(&app.keymap).len() as u16;
    scrolled(line, action, lines, help::page(app.size)).map(Overlay::Help)
}

fn lesson_page(app: &App, line: u16, action: Action) -> Option<Overlay> {
    if action == Action::Lesson {
        return None;
    }
    let page = help::page(app.size);
    let lines = help::lesson(help::inner(app.size).width).len() as u16;
    scrolled(line, action, lines, page).map(Overlay::Lesson)
}

/// The first line in view after an action; none if it closes the page.
fn scrolled(line: u16, action: Action, lines: u16, page: u16) -> Option<u16> {
    let most = lines.saturating_sub(page);
    let line = match action {
        Action::Down => line + 1,
        Action::Up => line.saturating_sub(1),
        Action::PageDown | Action::Right => line + page,
        Action::PageUp | Action::Left => line.saturating_sub(page),
        Action::First => 0,
        Action::Last => most,
        Action::Accept | Action::Escape => return None,
        _ => line,
    };
    Some(line.min(most))
}

fn palette(app: &mut App, mut query: String, selected: usize, action: Action) -> Option<Overlay> {
    let found = palette_entries(&query);
    let last = found.len().saturating_sub(1);
    let selected = match action {
        Action::Down => (selected + 1).min(last),
        Action::Up => selected.saturating_sub(1),
        Action::PageDown => (selected + 10).min(last),
        Action::PageUp => selected.saturating_sub(10),
        Action::First => 0,
        Action::Last => last,
        Action::Accept => {
            if let Some(command) = found.get(selected) {
                super::on_panels(app, command.action);
            }
            return app.overlay.take();
        }
        Action::Escape => return None,
        Action::Type(letter) => {
            query.push(letter);
            0
        }
        Action::Erase => {
            query.pop();
            0
        }
        _ => selected,
    };
    Some(Overlay::Palette(query, selected))
}

/// The commands that match, in the order of the table, those that begin so first.
pub fn palette_entries(query: &str) -> Vec<&'static Command> {
    let query = query.to_lowercase();
    let mut found: Vec<_> = COMMANDS
        .iter()
        .filter(|command| command.context == Context::Main)
        .filter_map(|command| {
            let text = format!("{} {}", command.name, command.help).to_lowercase();
            Some((matches(&query, &text)?, command))
        })
        .collect();
    found.sort_by_key(|(cost, _)| *cost);
    found.into_iter().map(|(_, command)| command).collect()
}

/// Whether the letters of `query` stand in `text` in this order; the less between and before them,
/// the better.
pub fn matches(query: &str, text: &str) -> Option<usize> {
    if let Some(at) = text.find(query) {
        return Some(at);
    }
    let mut rest = text.char_indices();
    let mut cost = 0;
    let mut last = 0;
    for letter in query.chars() {
        let (at, _) = rest.find(|(_, other)| *other == letter)?;
        cost += at - last;
        last = at;
    }
    // Letters apart are worse than letters together, wherever those stand.
    Some(text.len() + cost)
}

fn blocks(app: &mut App, block: Dim3, mut typed: String, action: Action) -> Option<Overlay> {
    let grid = app.session.problem().launch().grid;
    let page = 8;
    let block = match action {
        Action::Left => Dim3 { x: block.x.saturating_sub(1), ..block },
        Action::Right => Dim3 { x: (block.x + 1).min(grid.x - 1), ..block },
        Action::Up => Dim3 { y: block.y.saturating_sub(1), ..block },
        Action::Down => Dim3 { y: (block.y + 1).min(grid.y - 1), ..block },
        Action::PageUp => Dim3 { y: block.y.saturating_sub(page), ..block },
        Action::PageDown => Dim3 { y: (block.y + page).min(grid.y - 1), ..block },
        Action::First => Dim3::at(0, 0),
        Action::Last => Dim3::at(grid.x - 1, grid.y - 1),
        Action::Accept => {
            super::on_panels(app, Action::SelectBlock(block));
            return None;
        }
        Action::Escape => return None,
        Action::Type(letter) if letter.is_ascii_digit() || letter == ',' => {
            typed.push(letter);
            typed.truncate(12);
            parse(&typed, grid).unwrap_or(block)
        }
        Action::Erase => {
            typed.pop();
            parse(&typed, grid).unwrap_or(block)
        }
        _ => block,
    };
    let typed =
        if matches!(action, Action::Type(_) | Action::Erase) { typed } else { String::new() };
    Some(Overlay::Blocks(block, typed))
}

/// `x` or `x,y`, held within the grid.
fn parse(typed: &str, grid: Dim3) -> Option<Dim3> {
    let (x, y) = typed.split_once(',').unwrap_or((typed, ""));
    let number = |text: &str| if text.is_empty() { Some(0) } else { text.parse::<u32>().ok() };
    Some(Dim3::at(number(x)?.min(grid.x - 1), number(y)?.min(grid.y - 1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_together_come_before_letters_apart() {
        let names = |query| palette_entries(query).iter().map(|c| c.name).collect::<Vec<_>>();
        assert_eq!(names("theme")[0], "theme");
        assert_eq!(names("cmpr")[0], "compare");
        assert_eq!(names("qqqq"), Vec::<&str>::new());
        assert_eq!(names("").len(), COMMANDS.iter().filter(|c| c.context == Context::Main).count());
    }

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
        assert_eq!(scrolled(0, Action::Up, 30, 10), Some(0));
        assert_eq!(scrolled(15, Action::PageDown, 30, 10), Some(20));
        assert_eq!(scrolled(5, Action::Last, 4, 10), Some(0));
        assert_eq!(scrolled(5, Action::Escape, 30, 10), None);
    }
}
