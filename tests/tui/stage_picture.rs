//! The stage on frames: which place lies where, what is lit, and that no word is cut.

use crate::stage_scenes::{door_up, multiply, naive, range, registers, store};
use matviz::report::sentence::Aside;
use matviz::study::stage::{CellLevel, Hue, LowerRoom, PlaceId, StageScene};
use matviz::tui::facts::listing::Operands;
use matviz::tui::theme::{Depth, Glyphs, Look, Role, Theme};
use matviz::tui::widget::stage::{
    HalfRect, PlaceShape, PlacedTile, StageComparison, StageCount, StageHalf, StagePicture,
    StageSource, StageWords, arranged,
};
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use ratatui::style::Color;
use ratatui::widgets::Widget;
use std::collections::{BTreeSet, HashSet};
use std::sync::LazyLock;

type Screen = (u16, u16);

const SIZES: [Screen; 8] =
    [(80, 24), (100, 30), (120, 36), (160, 45), (200, 60), (300, 80), (44, 40), (40, 12)];

/// The part of a screen that a stage has: the bar, the scrubber and the keys have the other rows.
const fn area((columns, rows): Screen) -> Rect {
    Rect::new(0, 0, columns, rows - 3)
}

static WARP: LazyLock<[Aside; 1]> = LazyLock::new(|| {
    let [label, text] = ["warp", "32 threads that execute each instruction together"];
    [Aside { label: label.to_owned(), text: text.to_owned() }]
});

fn picture(scene: &StageScene, look: Look) -> StagePicture<'_> {
    StagePicture {
        scene,
        said: StageWords {
            sentence: "Warp 3 carries its 32 words of A into shared memory.",
            source: Some(StageSource {
                number: 34,
                text: "sA[ty][tx] = t < endA ? A[row * K + t + tx] : 0.0f;",
                operands: Operands::None,
            }),
            asides: &*WARP,
        },
        room_change: None,
        map: None,
        mark: None,
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
    let rows = rows.map(|row| row.iter().map(Cell::symbol).collect::<String>());
    rows.map(|row| row.trim_end().to_owned()).collect::<Vec<_>>().join("\n")
}

const MONO: Look = Look { theme: Theme::Dark, depth: Depth::Mono, glyphs: Glyphs::Basic };
const RICH: Look = Look { depth: Depth::True, ..MONO };
const ASCII: Look = Look { glyphs: Glyphs::Ascii, ..MONO };

fn scenes() -> [(&'static str, StageScene); 7] {
    [
        ("store", store(0.5)),
        ("multiply", multiply((16, 16, 16))),
        ("door up", door_up()),
        ("naive", naive()),
        ("multiply 128 x 128 x 16", multiply((128, 128, 16))),
        ("multiply 32 x 32 x 32", multiply((32, 32, 32))),
        ("registers", registers()),
    ]
}

fn looks() -> Vec<Look> {
    let depths = [Depth::Mono, Depth::Ansi, Depth::Indexed, Depth::True];
    let glyphs = [Glyphs::Basic, Glyphs::Ascii];
    let all = Theme::ALL.into_iter().flat_map(|theme| {
        depths.into_iter().flat_map(move |depth| {
            glyphs.into_iter().map(move |glyphs| Look { theme, depth, glyphs })
        })
    });
    all.collect()
}

#[test]
fn moments_of_two_kernels_at_three_sizes() {
    let frames = scenes().into_iter().take(4).flat_map(|(name, scene)| {
        [(40, 12), (80, 24), (120, 36)].map(|screen| {
            let text = text(&buffer(picture(&scene, MONO), screen));
            format!("{name} {}x{}\n{text}\n", screen.0, screen.1)
        })
    });
    insta::assert_snapshot!("stage_moments", frames.collect::<Vec<_>>().join("\n"));
}

#[test]
fn rows_of_the_cross_are_rows_of_the_screen_and_columns_are_columns() {
    for screen in SIZES {
        for (name, scene) in scenes() {
            let plan = arranged(&scene, area(screen).as_size());
            let place = |place| plan.place(place).filter(|tile| tile.shape == PlaceShape::Grid);
            let Some(corner) = place(PlaceId::Corner) else { continue };
            let rows = |tile: &PlacedTile, row| {
                let area = tile.of(&range((row, row + 1), (0, 1)));
                (area.y, area.height)
            };
            let columns = |tile: &PlacedTile, column| {
                let area = tile.of(&range((0, 1), (column, column + 1)));
                (area.x, area.width)
            };
            for beside in [PlaceId::Left, PlaceId::LeftCollar].into_iter().filter_map(place) {
                for row in 0..corner.rows {
                    assert_eq!(rows(beside, row), rows(corner, row), "{name} {screen:?} row {row}");
                }
            }
            for above in [PlaceId::Top, PlaceId::TopCollar].into_iter().filter_map(place) {
                for column in 0..corner.columns {
                    let both = [above, corner].map(|tile| columns(tile, column));
                    assert_eq!(both[0], both[1], "{name} {screen:?} column {column}");
                }
            }
        }
    }
}

/// The cells of a frame that show what happens now.
fn lit(buf: &Buffer, look: Look) -> Vec<(u16, u16)> {
    let now = look.pixel(Role::Here);
    let cells = buf.area.positions().filter(|at| {
        let cell = &buf[*at];
        cell.bg == now || matches!(cell.symbol(), "▀" | "▄") && cell.fg == now
    });
    cells.map(|at| (at.x, at.y)).collect()
}

#[test]
fn a_row_that_is_lit_is_one_row_of_the_screen_in_every_theme() {
    for look in Theme::ALL.map(|theme| Look { theme, ..RICH }) {
        for screen in SIZES {
            let mut scene = multiply((16, 16, 16));
            let LowerRoom::Cross(cross) = &mut scene.below else { panic!("a cross") };
            (cross.k, cross.followed) = (None, None);
            for tile in [&mut cross.left, &mut cross.corner, &mut cross.top] {
                for (i, cell) in (0..).zip(&mut tile.cells) {
                    let beside = tile.hue != Hue::Second;
                    cell.level =
                        if beside && i / 16 == 7 { CellLevel::Now } else { CellLevel::Held };
                }
            }
            let plan = arranged(&scene, area(screen).as_size());
            let [left, corner] = [PlaceId::Left, PlaceId::Corner]
                .map(|place| plan.place(place).expect("it is there").area);
            let lit = lit(&buffer(picture(&scene, look), screen), look);
            let rows = |area: HalfRect| {
                let inside = lit.iter().filter(|(x, y)| area.has(*x, 2 * y));
                inside.map(|(_, y)| *y).collect::<BTreeSet<_>>()
            };
            if screen.1 > 12 {
                assert_eq!(rows(left), rows(corner), "{screen:?} {look:?}");
                assert!(!rows(left).is_empty(), "{screen:?} {look:?}");
            }
        }
    }
}

#[test]
fn a_strip_covers_no_word_and_its_goal_is_dark_until_it_arrives() {
    for screen in SIZES.into_iter().filter(|screen| *screen != (40, 12)) {
        let still = buffer(picture(&store(0.0), RICH), screen);
        let plan = arranged(&store(0.0), area(screen).as_size());
        let place = |i| *plan.place(PlaceId::Above(i)).expect("it is there");
        let (global, shared) = (place(0), place(2));
        let goal = shared.of(&range((6, 8), (0, 16)));
        let mut moved = 0;
        for part in 1..20 {
            let frame = buffer(picture(&store(part as f32 / 20.0), RICH), screen);
            let changed: Vec<_> =
                frame.area.positions().filter(|at| frame[*at] != still[*at]).collect();
            moved += changed.len();
            let front = changed.iter().map(|at| at.x).max().unwrap_or(0);
            assert!(front <= goal.right(), "{screen:?} {part} of 20");
            for at in changed {
                let halves = [2 * at.y, 2 * at.y + 1];
                let on = |area: HalfRect| halves.iter().any(|y| area.has(at.x, *y));
                let where_ = format!("{screen:?} {part} of 20 at {at:?}");
                assert!(!on(global.area), "{where_}: on words of A");
                assert!(!on(shared.area) || on(goal), "{where_}: on words of sA");
                let old = still[at].symbol();
                assert!(!old.contains(|c: char| c.is_alphanumeric()), "{where_}: on a word");
            }
            // Before the front nothing is lit yet.
            let ahead =
                (front + 1..goal.right()).all(|x| frame[(x, goal.y / 2)] == still[(x, goal.y / 2)]);
            assert!(ahead, "{screen:?} {part} of 20");
        }
        assert!(moved > 20, "{screen:?}: something flies");
        let there = buffer(picture(&store(1.0), RICH), screen);
        assert_eq!(there[(goal.x, goal.y / 2)].bg, RICH.pixel(Role::A), "{screen:?}");
    }
}

#[test]
fn at_most_three_areas_have_their_full_colour() {
    let full = [Role::A, Role::B, Role::C, Role::Here].map(|role| RICH.pixel(role));
    for (name, scene) in scenes() {
        for screen in SIZES {
            let buf = buffer(picture(&scene, RICH), screen);
            let plan = arranged(&scene, buf.area.as_size());
            let is_full = |tile: &&PlacedTile| {
                let cells = tile
                    .area
                    .rows()
                    .flat_map(|y| (tile.area.x..tile.area.right()).map(move |x| (x, y)));
                cells.into_iter().any(|at| full.contains(&buf[at].bg))
            };
            let group = |tile: &PlacedTile| match tile.place {
                // Column and row are one source, both collars one way.
                PlaceId::Left | PlaceId::Top => PlaceId::Left,
                PlaceId::LeftCollar | PlaceId::TopCollar => PlaceId::LeftCollar,
                place => place,
            };
            let groups: HashSet<_> = plan.tiles.iter().filter(is_full).map(group).collect();
            assert!(groups.len() <= 3, "{name} {screen:?}: {groups:?}");
        }
    }
}

/// Every word that the pictures of these scenes may show.
fn offered(scene: &StageScene) -> BTreeSet<String> {
    let all = format!("{scene:?} {:?}", picture(scene, RICH));
    let own = "above below the barrier k w sectors fetched different ones each once times At end for a \
        cell is x words one column for element fetched then tile of turned set rows ok v o x b c";
    let words = |text: &str| -> Vec<String> {
        text.split(|c: char| !c.is_ascii_alphabetic()).map(str::to_owned).collect()
    };
    words(&all).into_iter().chain(words(own)).collect()
}

#[test]
fn no_word_is_cut_at_any_size() {
    for (name, scene) in scenes() {
        let offered = offered(&scene);
        for columns in (40..=170).step_by(5) {
            for rows in (12..=50).step_by(2) {
                let text = text(&buffer(picture(&scene, MONO), (columns, rows)));
                assert!(!text.contains(".."), "{name} {columns}x{rows}\n{text}");
                for word in text.split(|c: char| !c.is_ascii_alphabetic()) {
                    assert!(offered.contains(word), "{word}: {name} {columns}x{rows}\n{text}");
                }
            }
        }
    }
}

#[test]
fn sentence_door_and_counts_are_always_there() {
    for (name, scene) in scenes() {
        for screen in SIZES {
            let frame = text(&buffer(picture(&scene, MONO), screen));
            let words: Vec<_> = frame.split_whitespace().collect();
            let says = |wanted: &str| {
                let all: Vec<_> = wanted.split(' ').collect();
                words.windows(all.len()).any(|window| window == all)
            };
            assert!(says("Warp 3 carries its 32 words of A into"), "{name} {screen:?}\n{frame}");
            let balls = frame.matches(['●', '○']).count();
            let seats: usize = scene.doors.iter().map(|door| door.seats.len()).sum();
            assert!(balls >= seats, "{name} {screen:?}\n{frame}");
            assert!(words.contains(&"64"), "{name} {screen:?}\n{frame}");
        }
    }
}

#[test]
fn ascii_is_only_ascii_and_colours_are_only_colours_where_there_are_some() {
    for (name, scene) in scenes() {
        for screen in SIZES {
            for look in looks() {
                let buf = buffer(picture(&scene, look), screen);
                for cell in &buf.content {
                    let ascii = look.glyphs == Glyphs::Basic || cell.symbol().is_ascii();
                    assert!(ascii, "{name} {screen:?} {look:?}: {}", cell.symbol());
                    let plain = [cell.fg, cell.bg] == [Color::Reset; 2];
                    assert!(look.depth != Depth::Mono || plain, "{name} {screen:?} {look:?}");
                }
            }
        }
    }
}

#[test]
fn levels_and_both_sides_of_the_door_are_told_without_colours() {
    let levels = [
        CellLevel::Empty,
        CellLevel::Padding,
        CellLevel::Next,
        CellLevel::Held,
        CellLevel::Loaded,
        CellLevel::Waits,
        CellLevel::Now,
    ];
    for look in [MONO, ASCII] {
        let drawn = levels.map(|level| {
            let mut scene = store(0.0);
            scene.above[0].cells.iter_mut().for_each(|cell| cell.level = level);
            let buf = buffer(picture(&scene, look), (120, 36));
            let plan = arranged(&scene, buf.area.as_size());
            let place = plan.place(PlaceId::Above(0)).expect("it is there").area;
            buf[(place.x, place.rows().start)].symbol().to_owned()
        });
        let different: HashSet<_> = drawn.iter().collect();
        assert_eq!(different.len(), levels.len(), "{drawn:?}");
    }
    let names = |scene: &StageScene| {
        let frame = text(&buffer(picture(scene, MONO), (120, 36)));
        let row = |found: &str| frame.lines().position(|line| line.contains(found));
        (row("__syncthreads()").expect("a door"), row("w0  w1  w2").expect("names"))
    };
    let (line, above) = names(&store(0.5));
    assert_eq!(above + 1, line);
    let (line, below) = names(&door_up());
    assert_eq!(below, line + 1);
}

#[test]
fn nothing_moves_between_moments_of_one_room() {
    for screen in SIZES {
        let tiles = |scene: &StageScene| {
            let plan = arranged(scene, area(screen).as_size());
            (plan.tiles, plan.doors, plan.phases)
        };
        assert_eq!(tiles(&store(0.0)), tiles(&store(0.7)), "{screen:?}");
        assert_eq!(tiles(&multiply((16, 16, 16))), tiles(&door_up()), "{screen:?}");
    }
}

#[test]
fn cells_are_as_large_as_they_can_be() {
    let cell = |scene: &StageScene, screen, place| {
        let plan = arranged(scene, area(screen).as_size());
        let tile = *plan.place(place).expect("it is there");
        let (down, across) = tile.cells();
        let size = (u32::from(tile.area.width) / across, u32::from(tile.area.height) / down);
        (size, (tile.bundle.rows, tile.bundle.columns))
    };
    let load = |screen| cell(&store(0.0), screen, PlaceId::Above(0)).0;
    assert_eq!(
        [(80, 24), (120, 36), (160, 45), (200, 60)].map(load),
        [(1, 1), (2, 2), (3, 2), (3, 2)]
    );
    let corner = |size, screen| cell(&multiply(size), screen, PlaceId::Corner);
    for screen in [(80, 24), (100, 30), (120, 36)] {
        assert_eq!(corner((16, 16, 16), screen), ((2, 1), (1, 1)), "{screen:?}");
        assert_eq!(corner((32, 32, 32), screen).1, (2, 2), "{screen:?}");
        assert_eq!(corner((128, 128, 16), screen).1, (8, 8), "{screen:?}");
    }
    assert_eq!(corner((16, 16, 16), (300, 80)).0, (4, 2));
}

#[test]
fn the_door_moves_and_the_tiles_grow() {
    let scene = multiply((16, 16, 16));
    let area = area((120, 36));
    let at = |part: Option<f32>| {
        let plan = StagePicture { room_change: part, ..picture(&scene, RICH) }.plan(area);
        let corner = plan.place(PlaceId::Corner).expect("it is there").area;
        (plan.doors[0], corner.width * corner.height)
    };
    let all: Vec<_> = (0..=10).map(|tenth| at(Some(tenth as f32 / 10.0))).collect();
    assert!(all.windows(2).all(|two| two[0].0 >= two[1].0 && two[0].1 <= two[1].1), "{all:?}");
    assert!(all[0].0 > all[10].0 + 10 && all[0].1 * 4 < all[10].1, "{all:?}");
    assert_eq!(all[10], at(None));
}

#[test]
fn every_size_is_survived() {
    for (_, scene) in scenes() {
        for columns in (0..60).step_by(3).chain([80, 132]) {
            for rows in (3..50).step_by(3) {
                buffer(picture(&scene, RICH), (columns, rows));
            }
        }
    }
}

#[test]
fn two_stages_at_the_same_k_are_alike_but_for_what_they_fetched() {
    let scenes = [naive(), multiply((16, 16, 16))];
    let count = |value, note| StageCount { words: "sectors", value, note, role: Role::Memory };
    let counts = [[count(192, "")], [count(64, "enough until k = 15")]];
    let half = |i: usize| StageHalf {
        title: ["naive 16", "tiled 16"][i],
        note: "every product: from global memory",
        scene: &scenes[i],
        counts: &counts[i],
        most: 0,
    };
    let last = "At the end: 2,048 sectors and 256.";
    for screen in [(120, 36), (160, 45), (200, 60)] {
        let area = area(screen);
        assert!(StageComparison::fits(area));
        let sentence = "Both add the product of k = 5.";
        let drawn = |look| {
            let mut buf = Buffer::empty(area);
            StageComparison { sentence, halves: [half(0), half(1)], last, look }
                .render(area, &mut buf);
            buf
        };
        let frame = text(&drawn(MONO));
        let twice = |words: &str| frame.lines().any(|line| line.matches(words).count() == 2);
        assert!(twice("k 5 ►") && twice("▼ k 5") && twice("6 of 64 products"), "{frame}");
        for words in [sentence, last, "192", "64  enough until k = 15"] {
            assert!(frame.contains(words), "{words}\n{frame}");
        }
        let buf = drawn(RICH);
        let now = RICH.pixel(Role::Here);
        let lit = |from: u16, to: u16| {
            let cells = (0..area.height).flat_map(|y| (from..to).map(move |x| (x, y)));
            let lit = cells.filter(|at| buf[*at].bg == now).map(|(x, y)| (x - from, y));
            lit.collect::<Vec<_>>()
        };
        let middle = area.width / 2;
        // Row k of both upper tiles is one row of the screen, in the same columns of both halves.
        let [left, right] = [lit(0, middle), lit(middle + 1, area.width)];
        let alike = left.iter().all(|at| right.contains(at));
        assert!(alike && !left.is_empty(), "{screen:?}: {left:?}, {right:?}");
    }
}
