//! A panel's frame: what of its title and note stays where there is little room.

use super::picture::{self, ASCII, MONO, RICH};
use insta::assert_snapshot;
use matviz::tui::theme::Look;
use matviz::tui::widget::panel::*;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;

fn panel(focused: bool, look: Look) -> PanelFrame<'static> {
    let (title, note) = ("Shared memory", "7/8 warps loaded");
    PanelFrame { number: Some('2'), title, note, focused, look }
}

#[test]
fn number_title_and_note_sit_in_the_border() {
    assert_snapshot!(picture::text(panel(false, RICH), 44, 3), @"
    ┌ 2 Shared memory ────── 7/8 warps loaded ─┐
    │                                          │
    └──────────────────────────────────────────┘
    ");
    assert_snapshot!(picture::text(panel(true, RICH), 44, 3), @"
    ╔ 2  Shared memory ═════ 7/8 warps loaded ═╗
    ║                                          ║
    ╚══════════════════════════════════════════╝
    ");
    assert_snapshot!(picture::text(panel(true, ASCII), 44, 3), @"
    # 2  Shared memory ##### 7/8 warps loaded ##
    #                                          #
    ############################################
    ");
    assert_snapshot!(picture::text(panel(false, ASCII), 24, 3), @"
    + 2 Shared memory -----+
    |                      |
    +----------------------+
    ");
}

#[test]
fn the_focus_shows_without_colours() {
    let buf = picture::buffer(panel(true, MONO), 44, 3);
    assert_eq!(buf[(2, 0)].symbol(), "2");
    assert!(buf[(2, 0)].modifier.contains(Modifier::REVERSED));
    assert_eq!(buf[(0, 1)].symbol(), "║");
}

#[test]
fn shared_borders_join() {
    let mut buf = Buffer::empty(Rect::new(0, 0, 21, 5));
    let left = PanelFrame { number: Some('1'), title: "Left", note: "", ..panel(false, RICH) };
    let right = PanelFrame { number: Some('2'), title: "Right", ..left };
    let below = PanelFrame { number: Some('3'), title: "Below", focused: true, ..left };
    let panels = [
        (left, Rect::new(0, 0, 11, 3)),
        (right, Rect::new(10, 0, 11, 3)),
        (below, Rect::new(0, 2, 21, 3)),
    ];
    frames(panels.to_vec(), &mut buf);
    assert_snapshot!(picture::rows(&buf, |cell| cell.symbol().to_owned()), @"
    ┌ 1 Left ─┬ 2 Right ┐
    │         │         │
    ╔ 3  Below ═════════╗
    ║                   ║
    ╚═══════════════════╝
    ");
}

#[test]
fn every_size_survives() {
    picture::survives(|look| panel(true, look));
    picture::survives(|look| panel(false, look));
}
