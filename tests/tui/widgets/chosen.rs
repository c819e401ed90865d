//! How the selected warp's part of a picture is marked, with colours and without.

use matviz::tui::theme::{Depth, Glyphs, Look, Role, Theme, Tone};
use matviz::tui::widget::chosen::*;
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

#[test]
fn half_a_cell_can_be_marked_and_what_is_lit_stays() {
    for theme in Theme::ALL {
        let look = Look { theme, ..Look::default() };
        let (a, here) = (look.pixel(Role::A), look.pixel(Role::Here));
        let mut buf = Buffer::empty(Rect::new(0, 0, 3, 1));
        buf.set_string(0, 0, "  ", Style::new().bg(a));
        buf.set_string(2, 0, "▀", Style::new().fg(here).bg(a));
        mark(&mut buf, look, &[Rect::new(0, 1, 1, 1), Rect::new(1, 0, 2, 2)]);
        let own = look.marked(a);
        assert_ne!(own, look.tone(Tone::Half(Role::A)));
        let colours = [0, 1, 2].map(|x| (buf[(x, 0)].symbol().to_owned(), buf[(x, 0)].bg));
        assert_eq!(colours, [("▀", own), (" ", own), ("▀", own)].map(|(s, c)| (s.to_owned(), c)));
        assert_eq!((buf[(0, 0)].fg, buf[(2, 0)].fg), (a, here));
    }
}

#[test]
fn evidence_is_bracketed_and_keeps_its_colours() {
    for look in [Look::default(), Look { glyphs: Glyphs::Ascii, ..Look::default() }] {
        let (bad, here) = (look.pixel(Role::Bad), look.pixel(Role::Here));
        let mut buf = Buffer::empty(Rect::new(0, 0, 4, 1));
        buf.set_string(0, 0, "    ", Style::new().bg(bad));
        evidence(&mut buf, look, &[Rect::new(0, 0, 4, 2)]);
        let drawn: String = buf.content.iter().map(Cell::symbol).collect();
        assert_eq!(drawn, "[  ]");
        assert_eq!([buf[(1, 0)].bg, buf[(2, 0)].bg], [bad; 2]);
        assert!(buf.content.iter().all(|cell| cell.bg != here), "it is not what happens now");
    }
}

#[test]
fn without_pixels_marks_are_underlined() {
    let look = Look { depth: Depth::Mono, ..Look::default() };
    let mut buf = Buffer::empty(Rect::new(0, 0, 2, 1));
    mark(&mut buf, look, &[Rect::new(1, 0, 1, 1)]);
    let marked = [0, 1].map(|x| buf[(x, 0)].modifier.contains(Modifier::UNDERLINED));
    assert_eq!(marked, [false, true]);
    assert_eq!(legend(look, 3), "w3 underlined");
}
