//! The commands of the screen itself and of what lies over it.

use super::command::CommandGroup::{Overlay, Screen};
use super::command::KeyCommand;
use super::command::command;
use super::footer::QUIT;
use crate::tui::action::Action as Do;
use crate::tui::action::OverlayAction;

/// The commands of the screen, of the program, and of the overlays.
#[rustfmt::skip]
pub(super) const SCREEN: &[KeyCommand] = &[
    command(Screen, "help", &["?", "F1"], Do::Help, "This help: keys and words").in_footer("help"),
    command(Screen, "lesson", &["L"], Do::Lesson, "The lessons; in one: show its text again").in_footer("lesson"),
    command(Screen, "commands", &[":", "Ctrl-p"], Do::OpenPalette, "Every command by name").in_footer("commands"),
    command(Screen, "theme", &["t"], Do::NextTheme, "Theme: dark, light, stage (for projectors)").in_footer("theme"),
    command(Screen, "glyphs", &["y"], Do::SwitchGlyphs, "ASCII characters alone, or all"),
    command(Screen, "mouse", &["M"], Do::SwitchMouse, "Mouse on, or off to select text").native(),
    command(Screen, "blank", &[".", "b"], Do::Blank, "Blank the screen; any key brings it back"),
    command(Screen, "save", &["s"], Do::SavePicture, "Save the screen as SVG and as text"),
    command(Screen, "link", &["Y"], Do::CopyLink, "The link to what is shown, to keep or to hand out"),
    command(Screen, "redraw", &["Ctrl-l"], Do::Redraw, "Draw everything again").native(),
    command(Screen, "suspend", &["Ctrl-z"], Do::Suspend, "Stop the program; `fg` in the shell continues it").native(),
    command(Screen, "close", &["Esc"], Do::Escape, "Back one level; watch the warp that acts").in_footer("back"),
    command(Screen, "quit", &["q"], Do::BackOrQuit, "Back one level; at the top, quit").in_footer(QUIT).native(),
    command(Screen, "quit-now", &["Ctrl-c"], Do::Quit, "Quit at once").native(),

    command(Overlay, "overlay-down", &["Down", "j", "Ctrl-n"], Do::Overlay(OverlayAction::Down), "Down").in_footer("down"),
    command(Overlay, "overlay-up", &["Up", "k", "Ctrl-p"], Do::Overlay(OverlayAction::Up), "Up"),
    command(Overlay, "overlay-left", &["Left", "h"], Do::Overlay(OverlayAction::Left), "Left"),
    command(Overlay, "overlay-right", &["Right", "l"], Do::Overlay(OverlayAction::Right), "Right"),
    command(Overlay, "overlay-page-down", &["PageDown", "Space"], Do::Overlay(OverlayAction::PageDown), "One page down").in_footer("page"),
    command(Overlay, "overlay-page-up", &["PageUp"], Do::Overlay(OverlayAction::PageUp), "One page up"),
    command(Overlay, "overlay-first", &["Home", "g"], Do::Overlay(OverlayAction::First), "To the top"),
    command(Overlay, "overlay-last", &["End", "G"], Do::Overlay(OverlayAction::Last), "To the end"),
    command(Overlay, "overlay-accept", &["Enter"], Do::Overlay(OverlayAction::Accept), "Take what is selected; close the help").in_footer("choose"),
    command(Overlay, "overlay-erase", &["Backspace", "Ctrl-h"], Do::Overlay(OverlayAction::Erase), "Delete a letter"),
    command(Overlay, "overlay-close", &["Esc", "q", "?", "F1"], Do::Overlay(OverlayAction::Close), "Close").in_footer("close"),
    command(Overlay, "overlay-lesson", &["L"], Do::Overlay(OverlayAction::Lesson), "From the help: the lessons"),
    command(Overlay, "overlay-suspend", &["Ctrl-z"], Do::Suspend, "Stop the program").native(),
    command(Overlay, "overlay-quit", &["Ctrl-c"], Do::Quit, "Quit at once").native(),
];
