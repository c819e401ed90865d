//! The run on one row.

use super::picture::{self, ASCII, RICH};
use insta::assert_snapshot;
use matviz::tui::theme::{Look, Role};
use matviz::tui::widget::scrubber::*;
use ratatui::layout::Rect;

fn scrubber(look: Look) -> Scrubber<'static> {
    let (barriers, found) = (&[20, 50, 70][..], &[][..]);
    Scrubber { len: 100, at: 30, barriers, found, window: None, playing: false, look }
}

#[test]
fn barriers_tick_and_the_past_is_heavier() {
    assert_snapshot!(picture::text(scrubber(RICH), 44, 1), @" || ━━━━━━━┼━━━●───────┼───────┼────────────");
    let window = 10..60;
    let playing = Scrubber { playing: true, window: Some(&window), ..scrubber(ASCII) };
    assert_snapshot!(picture::text(playing, 44, 1), @" >  ===[===+===O-------+---]---+------------");
}

#[test]
fn findings_are_marked() {
    let found = &[10, 60][..];
    let text = picture::text(Scrubber { found, ..scrubber(ASCII) }, 44, 1);
    assert_eq!(text.trim_end(), " || ===!===+===O-------+---!---+------------");
    let buf = picture::buffer(Scrubber { found, ..scrubber(RICH) }, 44, 1);
    assert_eq!(
        (buf[(7, 0)].symbol(), buf[(7, 0)].fg),
        ("▲", RICH.strong(Role::Bad).fg.expect("red"))
    );
}

#[test]
fn clicks_reach_both_ends() {
    let area = Rect::new(0, 20, 44, 1);
    assert_eq!(step_at(area, 100, 4), Some(0));
    assert_eq!(step_at(area, 100, 43), Some(100));
    assert_eq!(step_at(area, 100, 3), None);
    assert_eq!(step_at(area, 100, 44), None);
    for x in 4..44 {
        let step = step_at(area, 100, x).expect("on the row");
        let drawn = picture::buffer(Scrubber { at: step, ..scrubber(ASCII) }, 44, 1);
        assert_eq!(drawn[(x, 0)].symbol(), "O", "a click moves the playhead there");
    }
}

#[test]
fn every_size_survives() {
    picture::survives(scrubber);
    picture::survives(|look| Scrubber { len: 0, at: 9, ..scrubber(look) });
}
