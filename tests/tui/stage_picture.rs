//! The stage on frames: which place lies where, what is lit, and that no word is cut.

use crate::stage_scenes::{door_up, multiply, naive, store};
use matviz::study::stage::StageScene;
use matviz::tui::facts::listing::Operands;
use matviz::tui::theme::{Depth, Glyphs, Look, Theme};
use matviz::tui::widget::stage::{StagePicture, StageSource};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;

type Screen = (u16, u16);

const SIZES: [Screen; 8] =
    [(80, 24), (100, 30), (120, 36), (160, 45), (200, 60), (300, 80), (44, 40), (40, 12)];

/// The part of a screen that a stage has: the bar, the scrubber and the keys have the other rows.
const fn area((columns, rows): Screen) -> Rect {
    Rect::new(0, 0, columns, rows - 3)
}

fn picture(scene: &StageScene, look: Look) -> StagePicture<'_> {
    StagePicture {
        scene,
        sentence: "Warp 3 carries its 32 words of A into shared memory.",
        source: Some(StageSource {
            number: 34,
            text: "sA[ty][tx] = t < endA ? A[row * K + t + tx] : 0.0f;",
            operands: Operands::None,
        }),
        first_word: Some(("warp", "32 threads that execute each instruction together")),
        room_change: None,
        look,
    }
}

fn buffer(picture: StagePicture<'_>, screen: Screen) -> Buffer {
    let mut buf = Buffer::empty(area(screen));
    picture.render(buf.area, &mut buf);
    buf
}

fn text(buf: &Buffer) -> String {
    let rows = buf.content.chunks(usize::from(buf.area.width));
    let rows = rows.map(|row| row.iter().map(|cell| cell.symbol()).collect::<String>());
    rows.map(|row| row.trim_end().to_owned()).collect::<Vec<_>>().join("\n")
}

const MONO: Look = Look { theme: Theme::Dark, depth: Depth::Mono, glyphs: Glyphs::Basic };

#[test]
fn prints() {
    for (name, scene) in [
        ("store", store(0.5)),
        ("multiply", multiply((16, 16, 16))),
        ("door up", door_up()),
        ("naive", naive()),
        ("128", multiply((128, 128, 16))),
        ("32", multiply((32, 32, 32))),
    ] {
        for screen in SIZES {
            println!("==== {name} {screen:?}");
            println!("{}", text(&buffer(picture(&scene, MONO), screen)));
        }
    }
}
