//! Snapshot tests of the matrices: whole, in part, zoomed, with values.

use super::grounds;
use super::picture::{self, ASCII, MONO, RICH};
use insta::assert_snapshot;
use matviz::kernel::Tile;
use matviz::launch::Dim3;
use matviz::matrix::{Element, Operand, Size};
use matviz::tui::facts::staged::StagedContents;
use matviz::tui::facts::value::LitElements;
use matviz::tui::layout::Detail;
use matviz::tui::theme::{Look, Role, Tone};
use matviz::tui::widget::matrices::*;
use ratatui::layout::Rect;

/// The default picture: block (2,1) of a 64 x 64 product, second tile along K.
fn small(look: Look) -> MatricesPanel<'static> {
    let touched = &[Element { operand: Operand::A, row: 16, column: 16 }];
    MatricesPanel {
        size: Size::square(64),
        tile: Tile::square(16),
        block: Dim3::at(2, 1),
        grid: Dim3::flat(4, 4),
        place: (1, 2),
        work: BlockWork::Tiled(1),
        counts: true,
        touched,
        kept: &StagedContents::Unknown,
        wrong: &[],
        sums: &[],
        values: None,
        said: &[],
        detail: Detail::Tiles,
        look,
    }
}

#[test]
fn the_whole_of_a_small_problem_stands_in_an_l() {
    assert_snapshot!(picture::text(small(ASCII), 35, 19), @"
                     +B---------------+
    C = A x B        |....    ::::    |
                     |....    ::::    |
                     |    ....2bbb....|
                     |    ....bbbb....|
    @ touched now    |....    ,,,,    |
    a this tile      |....    ,,,,    |
    : used           |    ....,,,,....|
    , still to come  |    ....,,,,....|
    +A---------------+C---------------+
    |....    ....    |....    ....    |
    |....    ....    |....    ....    |
    |::::@aaa,,,,,,,,|    ....,,,,....|
    |::::aaaa,,,,,,,,|    ....,,,,....|
    |....    ....    |....    ....    |
    |....    ....    |....    ....    |
    |    ....    ....|    ....    ....|
    |    ....    ....|    ....    ....|
    +----------------+----------------+
    ");
    assert_snapshot!(picture::text(small(MONO), 20, 10), @"
             ┌B───────┐
    C = A x B│··  ▒▒  │
             │  ··bb··│
             │··  ░░  │
             │  ··░░··│
    ┌A───────┼C───────┤
    │··  ··  │··  ··  │
    │▒▒█a░░░░│  ··░░··│
    │··  ··  │··  ··  │
    │  ··  ··│  ··  ··│
    ");
}

#[test]
fn colours_say_which_matrix() {
    let look = RICH;
    let names = [
        (look.pixel(Role::A), "A"),
        (look.half(Role::A), "a"),
        (look.pixel(Role::B), "B"),
        (look.half(Role::B), "b"),
        (look.pixel(Role::C), "C"),
        (look.tone(Tone::Grown(Role::C, 35)), "c"),
        (look.pale(Role::A), "x"),
        (look.pale(Role::B), "y"),
        (look.pixel(Role::Here), "@"),
        (look.faint(), "."),
    ];
    let buf = picture::buffer(small(look), 20, 10);
    assert_snapshot!(grounds(&buf, &names), @"

             ..  bb
               ..BB..
             ..  yy
               ..yy..

    ..  ..   ..  ..
    aaAAxxxx   ..cc..
    ..  ..   ..  ..
      ..  ..   ..  ..
    ");
}

#[test]
fn a_large_problem_shows_a_window_and_says_so() {
    let large = MatricesPanel {
        size: Size { m: 1024, n: 1024, k: 1024 },
        block: Dim3::at(30, 0),
        grid: Dim3::flat(4, 4),
        place: (0, 30),
        work: BlockWork::Tiled(63),
        touched: &[],
        ..small(ASCII)
    };
    assert_snapshot!(picture::text(large, 35, 19), @"
                     +B- - - - - - - -+
    C = A x B         ....    ::::
    k 960-1023       |....    ::::    |
    rows 0-63 of 1024     ....::::....
    cols 448-511     |    ....::::....|
                      ....    ::::
                     |....    ::::    |
    @ now  a tile         ....64bb....
    : used , next    |    ....bbbb....#
    +A---------------+C---------------+
     ::::::::::::64aa ....    ,,,,
    |::::::::::::aaaa|....    ,,,,    |
         ....    ....     ....    ....
    |    ....    ....|    ....    ....|
     ....    ....     ....    ....
    |....    ....    |....    ....    |
         ....    ....     ....    ....
    |    ....    ....|    ....    ....|
    + - - - - - - - =+ - - - - - - - -+
    ");
    assert_snapshot!(picture::text(large, 20, 10), @"
             +B- - - -+
    C = A x B ..  ::
    rows 0-63|  ..::..|
              ..  ::
             |  ..bb..#
    +A-------+C-------+
     ::::::aa ..  ,,
    |  ..  ..|  ..  ..|
     ..  ..   ..  ..
    |  ..  ..|  ..  ..|
    ");
}

#[test]
fn ragged_edges_are_narrower() {
    let ragged = MatricesPanel {
        size: Size { m: 10, n: 20, k: 12 },
        tile: Tile::square(8),
        block: Dim3::at(1, 1),
        grid: Dim3::flat(4, 4),
        place: (1, 1),
        ..small(ASCII)
    };
    assert_snapshot!(picture::text(ragged, 44, 18), @"
                     +B-------------------+
    C = A x B        |........::::::::....|
                     |........::::::::....|
                     |........::::::::....|
                     |........::::::::....|
    @ touched now    |        tile 2bb    |
    a this tile      |        bbbbbbbb    |
    : used           |--------------------|
    , still to come  |                    |
    +A---------------+C-------------------+
    |........    |   |........        ....|
    |........    |   |........        ....|
    |........    |   |........        ....|
    |........    |   |........        ....|
    |::::::::2aaa|   |        ,,,,,,,,    |
    +----------------+--------------------+
    ");
}

#[test]
fn zoomed_each_touched_element_shows() {
    let row = [0, 1, 2, 3].map(|column| Element { operand: Operand::B, row: 4, column });
    let zoomed = MatricesPanel {
        size: Size::square(8),
        tile: Tile::square(4),
        block: Dim3::at(0, 0),
        grid: Dim3::flat(4, 4),
        place: (0, 0),
        work: BlockWork::Tiled(1),
        counts: true,
        touched: &row,
        kept: &StagedContents::Unknown,
        wrong: &[],
        sums: &[],
        values: None,
        said: &[],
        detail: Detail::Elements,
        look: ASCII,
    };
    assert_snapshot!(picture::text(zoomed, 70, 34), @"
                                     +B-------------------------------+
    C = A x B                        |::::::::::::::::                |
                                     |::::::::::::::::                |
                                     |::::::::::::::::                |
                                     |::::::::::::::::                |
                                     |::::::::::::::::                |
                                     |::::::::::::::::                |
                                     |::::::::::::::::                |
                                     |::::::::::::::::                |
                                     |@@@@@@@@@@@@@@@@................|
                                     |@@@@@@@@@@@@@@@@................|
                                     |bbbbbbbbbbbbbbbb................|
                                     |bbbbbbbbbbbbbbbb................|
    @ touched now                    |bbbbbbbbbbbbbbbb................|
    a this tile                      |bbbbbbbbbbbbbbbb................|
    : used                           |bbbbbbbbbbbbbbbb................|
    , still to come                  |bbbbbbbbbbbbbbbb................|
    +A-------------------------------+C-------------------------------+
    |::::::::::::::::tile 2aaaaaaaaaa|,,,,,,,,,,,,,,,,                |
    |::::::::::::::::aaaaaaaaaaaaaaaa|,,,,,,,,,,,,,,,,                |
    |::::::::::::::::aaaaaaaaaaaaaaaa|,,,,,,,,,,,,,,,,                |
    |::::::::::::::::aaaaaaaaaaaaaaaa|,,,,,,,,,,,,,,,,                |
    |::::::::::::::::aaaaaaaaaaaaaaaa|,,,,,,,,,,,,,,,,                |
    |::::::::::::::::aaaaaaaaaaaaaaaa|,,,,,,,,,,,,,,,,                |
    |::::::::::::::::aaaaaaaaaaaaaaaa|,,,,,,,,,,,,,,,,                |
    |::::::::::::::::aaaaaaaaaaaaaaaa|,,,,,,,,,,,,,,,,                |
    |                ................|                ................|
    |                ................|                ................|
    |                ................|                ................|
    |                ................|                ................|
    |                ................|                ................|
    |                ................|                ................|
    |                ................|                ................|
    |                ................|                ................|
    ");
}

#[test]
fn what_fed_a_value_is_lit_and_the_rest_is_quiet() {
    let part = |(operand, row, column), done| (Element { operand, row, column }, done);
    let parts =
        (0..4).flat_map(|k| [part((Operand::A, 2, k), k < 2), part((Operand::B, k, 1), k < 2)]);
    let element = Element { operand: Operand::C, row: 2, column: 1 };
    let pointed = Some(Element { operand: Operand::A, row: 2, column: 3 });
    let lit = LitElements { element, centre: [2, 1, 3], parts: parts.collect(), pointed };
    let followed = |look| MatricesPanel {
        size: Size::square(4),
        tile: Tile::square(4),
        work: BlockWork::Followed(&lit),
        touched: &[],
        detail: Detail::Elements,
        ..small(look)
    };
    assert_snapshot!(picture::text(followed(ASCII), 36, 19), @"
                     +B---------------+
    C = A x B        |....bbbb........|
    followed: C[2][1]|....bbbb........|
                     |....bbbb........|
                     |....bbbb........|
                     |....::::........|
                     |....::::........|
                     |....::::........|
                     |....::::........|
    +A---------------+C---------------+
    |................|................|
    |................|................|
    |................|................|
    |................|................|
    |aaaaaaaa::::::::|................|
    |aaaaaaaa::::::::|................|
    |................|................|
    |................|................|
    +----------------+----------------+
    ");
    picture::survives(followed);
}

#[test]
fn a_click_finds_the_element_and_nothing_between_the_matrices() {
    let area = Rect::new(3, 2, 35, 19);
    let at = |x, y| hit(&small(ASCII), area, x, y);
    let found: Vec<_> =
        (0..40).flat_map(|x| (0..24).map(move |y| (x, y))).filter_map(|(x, y)| at(x, y)).collect();
    for operand in Operand::ALL {
        let mine = found.iter().filter(|element| element.operand == operand);
        assert_eq!(mine.clone().count(), 16 * 8, "16 tiles of 4 x 2 cells");
        assert!(mine.clone().any(|element| (element.row, element.column) == (0, 0)));
        assert!(mine.clone().any(|element| element.row >= 48 && element.column >= 48));
    }
    assert_eq!(at(0, 0), None);
}

#[test]
fn every_size_survives() {
    picture::survives(small);
    picture::survives(|look| MatricesPanel { detail: Detail::Elements, ..small(look) });
    let ragged = Size { m: 100, n: 36, k: 257 };
    picture::survives(|look| MatricesPanel {
        size: ragged,
        work: BlockWork::Tiled(16),
        ..small(look)
    });
}

#[test]
fn a_matrix_has_an_outline_on_every_screen_of_some_size() {
    for (width, height) in [(20, 10), (35, 19), (70, 26), (118, 30)] {
        let quiet = MatricesPanel { touched: &[], kept: &StagedContents::Nothing, ..small(MONO) };
        let text = picture::text(quiet, width, height);
        assert!(text.contains("┌B"), "{width}x{height}:\n{text}");
        assert!(text.contains("┌A") && text.contains("┼C"), "{width}x{height}:\n{text}");
    }
}

#[test]
fn what_lies_in_shared_memory_is_solid_and_the_rest_is_used_or_to_come() {
    let row = |row| (16..32).map(move |column| Element { operand: Operand::A, row, column });
    let kept =
        StagedContents::These((16..24).flat_map(row).map(|element| (element, true)).collect());
    let loading = MatricesPanel { touched: &[], kept: &kept, ..small(MONO) };
    let text = picture::text(loading, 35, 19);
    let band: Vec<_> = text.lines().filter(|line| line.contains('▒')).collect();
    assert!(band.iter().any(|line| line.contains("▒▒▒▒2aaa░░░░░░░░")), "{text}");
    assert!(band.iter().any(|line| line.contains("▒▒▒▒░░░░░░░░░░░░")), "{text}");
}

#[test]
fn values_stand_in_the_elements_where_they_fit() {
    let whole = |from: u8| (from..from + 64).map(|value| Some(f64::from(value % 10))).collect();
    let sums = (0..64).map(|index| (index < 3).then_some(41.0)).collect();
    let values = MatrixValues([whole(0), whole(5), sums]);
    let toy = |look| MatricesPanel {
        size: Size::square(8),
        tile: Tile::square(4),
        place: (0, 0),
        touched: &[],
        kept: &StagedContents::Nothing,
        wrong: &[],
        sums: &[],
        values: Some(&values),
        ..small(look)
    };
    let text = picture::text(toy(RICH), 70, 30);
    let row = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.lines().any(|line| row(line).contains("│ 0 1 2 3 4 5 6 7 │ 41 41 41")), "{text}");
    assert!(text.lines().any(|line| row(line).contains("│ 5 6 7 8 9 0 1 2 │")), "{text}");
    picture::survives(toy);
}

#[test]
fn every_element_in_view_has_a_place_where_a_click_finds_it() {
    let area = Rect::new(3, 2, 118, 40);
    let matrices = MatricesPanel { detail: Detail::Elements, ..small(ASCII) };
    for (operand, row, column) in [(Operand::A, 16, 17), (Operand::B, 20, 32), (Operand::C, 31, 47)]
    {
        let element = Element { operand, row, column };
        let place = *halves_of(&matrices, area, &[element]).first().expect("it is in view");
        let (x, y) = (place.x, place.y / 2);
        assert!(area.contains((x, y).into()), "{place:?}");
        assert_eq!(hit(&matrices, area, x, y).map(|hit| hit.operand), Some(operand));
    }
    let far = Element { operand: Operand::A, row: 0, column: 0 };
    let large = MatricesPanel { size: Size::square(1024), place: (30, 30), ..small(ASCII) };
    assert_eq!(halves_of(&large, area, &[far]), []);
}

/// The number of the tile does not move with what is touched.
#[test]
fn the_number_of_the_tile_stays_in_its_place() {
    let rows = |of: std::ops::Range<u32>| -> Vec<Element> {
        let row = |row| (16..32).map(move |column| Element { operand: Operand::A, row, column });
        of.flat_map(row).collect()
    };
    let found = |touched: &[Element]| {
        let buf = picture::buffer(MatricesPanel { touched, ..small(RICH) }, 70, 34);
        let cells = (0..70).flat_map(|x| (17..34).map(move |y| (x, y)));
        cells.filter(|at| buf[*at].symbol() == "2").min().map(|at| (at, buf[at].bg))
    };
    let (place, ground) = found(&[]).expect("a number");
    for (first, end, role) in [(16, 18, Role::Here), (24, 26, Role::A), (16, 32, Role::Here)] {
        let touched = rows(first..end);
        assert_eq!(found(&touched), Some((place, RICH.pixel(role))), "rows {first} to {end}");
    }
    assert_eq!(ground, RICH.pixel(Role::A));
}

/// Enlarged, the tile that is loaded is in view before it becomes the current one.
#[test]
fn what_is_touched_is_in_view_while_the_next_tile_is_loaded() {
    let touched = [Element { operand: Operand::A, row: 16, column: 33 }];
    let close = MatricesPanel { touched: &touched, detail: Detail::Elements, ..small(ASCII) };
    let area = Rect::new(0, 0, 40, 24);
    assert!(!halves_of(&close, area, &touched).is_empty());
    let now = [Element { operand: Operand::A, row: 16, column: 17 }];
    assert!(!halves_of(&MatricesPanel { touched: &now, ..close }, area, &now).is_empty());
    // At the barrier nothing is touched, and the view stays.
    let kept = StagedContents::These(vec![(touched[0], true), (now[0], false)]);
    let waits = MatricesPanel { touched: &[], kept: &kept, ..close };
    assert!(!halves_of(&waits, area, &touched).is_empty());
}
