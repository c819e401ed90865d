//! Snapshot tests of shared memory: one array, several, and data in flight.

use super::grounds;
use super::picture::{self, ASCII, MONO, RICH};
use insta::assert_snapshot;
use matviz::matrix::ElementType;
use matviz::trace::{Age, SharedWord};
use matviz::tui::facts::{PicturedArray, SharedValues};
use matviz::tui::theme::{Look, Role};
use matviz::tui::widget::shared::*;

/// Two arrays of `tile` rows: in each, two rows filled, two in flight, two old, the rest empty.
pub(super) fn words(tile: u32) -> Vec<SharedWord> {
    let side = tile as usize;
    let rows = (0..2 * side).map(|row| match row % side {
        0..2 => SharedWord::of(Age::Current),
        2..4 => SharedWord::of(Age::Empty).with_next(),
        4..6 => SharedWord::of(Age::Old),
        6.. => SharedWord::of(Age::Empty),
    });
    rows.flat_map(|word| std::iter::repeat_n(word, side)).collect()
}

/// Both arrays; an array begins at a multiple of 16 bytes.
fn arrays(tile: u32) -> &'static [PicturedArray<'static>] {
    let array = |name: &str, first: u32, role: Role| {
        let title = format!("{name}[{tile}][{tile}]").leak();
        let name = name.to_owned().leak();
        PicturedArray { title, name, first, rows: tile, columns: tile, pad: 0, role, element: 4 }
    };
    let second = (tile * tile).next_multiple_of(4);
    vec![array("sA", 0, Role::A), array("sB", second, Role::B)].leak()
}

pub(super) fn shared(tile: u32, words: &[SharedWord], look: Look) -> SharedPanel<'_> {
    let arrays = arrays(tile);
    SharedPanel {
        arrays,
        marks: &[],
        known: true,
        words,
        now: &[3, 19],
        hazards: &[],
        means: Role::Here,
        values: None,
        registers: "",
        look,
    }
}

#[test]
fn of_unknown_shapes_all_words_are_shown_in_rows_of_all_banks() {
    let words = [
        &[SharedWord::of(Age::Current); 96][..],
        &[SharedWord::of(Age::Empty).with_next(); 32],
        &[SharedWord::of(Age::Old); 64],
        &[SharedWord::of(Age::Empty); 80],
    ];
    let words = words.concat();
    let title = "32 words a row";
    let all = PicturedArray {
        title,
        name: title,
        first: 0,
        rows: 9,
        columns: 32,
        pad: 0,
        role: Role::Memory,
        element: 4,
    };
    let marks = &[(0, "As"), (128, "Bs"), (130, "hidden")];
    let flat = SharedPanel { arrays: &[all], marks, now: &[0, 33, 66], ..shared(4, &words, ASCII) };
    assert_snapshot!(picture::text(flat, 42, 14), @"
     32 words a row
     @mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm < As
     m@mmmmmmmmmmmmmmmmmmmmmmmmmmmmmm
     mm@mmmmmmmmmmmmmmmmmmmmmmmmmmmmm
     ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
     :::::::::::::::::::::::::::::::: < Bs
     ::::::::::::::::::::::::::::::::
     ................................
     ................................
     ................

    . empty ~ on the way a A b B : old @ now
    ");
    assert_snapshot!(picture::text(flat, 42, 4), @"
    32 words a row
    @@@mmmmmmmmmmmmmmmmmmmmmmmmmmmmm < As
    :::::::::::::::::::::::::::::::: < Bs
    ................
    ");
    picture::survives(|look| SharedPanel { look, ..flat });
    let large = vec![SharedWord::of(Age::Current); 8192];
    let all = PicturedArray { rows: 256, ..all };
    let marks = &[(0, "tile")];
    let flat = SharedPanel { arrays: &[all], marks, words: &large, now: &[5000], ..flat };
    assert_snapshot!(picture::text(flat, 42, 12), @"
     32 words a row
     mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm < tile
     mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm
     mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm
     mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm
     mmmmmmmm@mmmmmmmmmmmmmmmmmmmmmmm
     mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm
     mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm
     mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm

    . empty ~ on the way a A b B : old @ now
    ");
}

/// Two pairs of tiles, as in kernels that load one while they use the other.
fn pairs(look: Look) -> SharedPanel<'static> {
    let array = |title, name, first, (rows, columns), role| PicturedArray {
        title,
        name,
        first,
        rows,
        columns,
        pad: 0,
        role,
        element: 4,
    };
    let arrays = vec![
        array("sA[0][8][36]", "sA[0]", 0, (8, 36), Role::A),
        array("sB[0][8][16]", "sB[0]", 288, (8, 16), Role::B),
        array("sA[1][8][36]", "sA[1]", 416, (8, 36), Role::A),
        array("sB[1][8][16]", "sB[1]", 704, (8, 16), Role::B),
    ];
    let words =
        [[SharedWord::of(Age::Current); 416], [SharedWord::of(Age::Empty).with_next(); 416]]
            .concat()
            .leak();
    SharedPanel { arrays: arrays.leak(), now: &[], ..shared(16, words, look) }
}

#[test]
fn no_array_lies_under_the_name_of_another() {
    assert_snapshot!(picture::text(pairs(ASCII), 42, 11), @"
    sA[0][8][36]          sB[0][8][16]
    aaaaaaaaaaaaaaaaaa    bbbbbbbbbbbbbbbb
    aaaaaaaaaaaaaaaaaa    bbbbbbbbbbbbbbbb
    aaaaaaaaaaaaaaaaaa    bbbbbbbbbbbbbbbb
    aaaaaaaaaaaaaaaaaa    bbbbbbbbbbbbbbbb
    sA[1][8][36]          sB[1][8][16]
    ~~~~~~~~~~~~~~~~~~    ~~~~~~~~~~~~~~~~
    ~~~~~~~~~~~~~~~~~~    ~~~~~~~~~~~~~~~~
    ~~~~~~~~~~~~~~~~~~    ~~~~~~~~~~~~~~~~
    ~~~~~~~~~~~~~~~~~~    ~~~~~~~~~~~~~~~~
    . empty ~ on the way a A b B : old @ now
    ");
    assert_snapshot!(picture::text(pairs(ASCII), 35, 8), @"
    sA[0][8][36]      sB[0][8][16]
    aaaaaaaaa         bbbbbbbbbbbbbbbb
    aaaaaaaaa         bbbbbbbbbbbbbbbb
    sA[1][8][36]      sB[1][8][16]
    ~~~~~~~~~         ~~~~~~~~~~~~~~~~
    ~~~~~~~~~         ~~~~~~~~~~~~~~~~

    . empty ~ on the way a A b B : old
    ");
    assert_snapshot!(picture::text(pairs(ASCII), 22, 8), @"
    sA[0]       sB[0]
    aaaaaaaaa   bbbbbbbb
    aaaaaaaaa   bbbbbbbb
    sA[1]       sB[1]
    ~~~~~~~~~   ~~~~~~~~
    ~~~~~~~~~   ~~~~~~~~

    . empty ~ on the way
    ");
    assert_snapshot!(picture::text(pairs(ASCII), 35, 4), @"
    sA[0]    sB[0]    sA[1]    sB[1]
    aaaaa    bbbb     ~~~~~    ~~~~
             bbbb              ~~~~
    . empty ~ on the way a A b B : old
    ");
    picture::survives(pairs);
}

#[test]
fn states_are_letters_without_pixels() {
    let words = words(16);
    assert_snapshot!(picture::text(shared(16, &words, ASCII), 42, 10), @"
       sA[16][16] col 3    sB[16][16]
       aaa@aaaaaaaaaaaa    bbbbbbbbbbbbbbbb
       ~~~~~~~~~~~~~~~~    ~~~~~~~~~~~~~~~~
       ::::::::::::::::    ::::::::::::::::
       ................    ................
       ................    ................
       ................    ................
       ................    ................
       ................    ................
    . empty ~ on the way a A b B : old @ now
    ");
    assert_snapshot!(picture::text(shared(16, &words, MONO), 34, 8), @"
    aaa█aaaaaaaaaaaa  bbbbbbbbbbbbbbbb
    ~~~~~~~~~~~~~~~~  ~~~~~~~~~~~~~~~~
    ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒  ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒
    ················  ················
    ················  ················
    ················  ················
    ················  ················
    ················  ················
    ");
}

#[test]
fn states_are_half_blocks_with_colours() {
    let words = words(4);
    let buf = picture::buffer(shared(4, &words, RICH), 20, 5);
    let names = [
        (RICH.pixel(Role::A), "A"),
        (RICH.pixel(Role::B), "B"),
        (RICH.pixel(Role::Wait), "~"),
        (RICH.pixel(Role::Here), "@"),
    ];
    assert_snapshot!(grounds(&buf, &names), @"

    AAAAAA@@   BBBBBB@@
    AAAAAAAA   BBBBBBBB
    ~~~~~~~~   ~~~~~~~~
    ~~~~~~~~   ~~~~~~~~
    ");
}

#[test]
fn a_tile_too_large_is_shown_smaller_and_a_small_one_larger() {
    let large = words(32);
    assert_snapshot!(picture::text(shared(32, &large, ASCII), 42, 10), @"
       sA[32][32]          sB[32][32]
       a@aaaaaaa@aaaaaa    bbbbbbbbbbbbbbbb
       ::::::::::::::::    ::::::::::::::::
       ................    ................
       ................    ................
       ................    ................
       ................    ................
       ................    ................
       ................    ................
    . empty ~ on the way a A b B : old @ now
    ");
    let small = words(8);
    assert_snapshot!(picture::text(shared(8, &small, ASCII), 72, 20), @"
    sA[8][8] col 3                      sB[8][8]
     0a  1a  2a  3@  4a  5a  6a  7a      0b  1b  2b  3b  4b  5b  6b  7b
    aaa aaa aaa @@@ aaa aaa aaa aaa     bbb bbb bbb bbb bbb bbb bbb bbb
     8a  9a 10a 11a 12a 13a 14a 15a      8b  9b 10b 11b 12b 13b 14b 15b
    aaa aaa aaa aaa aaa aaa aaa aaa     bbb bbb bbb bbb bbb bbb bbb bbb
    16~ 17~ 18~ 19@ 20~ 21~ 22~ 23~     16~ 17~ 18~ 19~ 20~ 21~ 22~ 23~
    ~~~ ~~~ ~~~ @@@ ~~~ ~~~ ~~~ ~~~     ~~~ ~~~ ~~~ ~~~ ~~~ ~~~ ~~~ ~~~
    24~ 25~ 26~ 27~ 28~ 29~ 30~ 31~     24~ 25~ 26~ 27~ 28~ 29~ 30~ 31~
    ~~~ ~~~ ~~~ ~~~ ~~~ ~~~ ~~~ ~~~     ~~~ ~~~ ~~~ ~~~ ~~~ ~~~ ~~~ ~~~
     0:  1:  2:  3:  4:  5:  6:  7:      0:  1:  2:  3:  4:  5:  6:  7:
    ::: ::: ::: ::: ::: ::: ::: :::     ::: ::: ::: ::: ::: ::: ::: :::
     8:  9: 10: 11: 12: 13: 14: 15:      8:  9: 10: 11: 12: 13: 14: 15:
    ::: ::: ::: ::: ::: ::: ::: :::     ::: ::: ::: ::: ::: ::: ::: :::
    16. 17. 18. 19. 20. 21. 22. 23.     16. 17. 18. 19. 20. 21. 22. 23.
    ... ... ... ... ... ... ... ...     ... ... ... ... ... ... ... ...
    24. 25. 26. 27. 28. 29. 30. 31.     24. 25. 26. 27. 28. 29. 30. 31.
    ... ... ... ... ... ... ... ...     ... ... ... ... ... ... ... ...

    . empty  ~ on the way  a from A  b from B  : old  @ touched now
    ");
}

#[test]
fn values_stand_in_the_elements_when_zoomed() {
    let words = words(4);
    let floats = (0..32_u8).map(|i| (f32::from(i) / 4.0).to_bits()).collect();
    let values = SharedValues { words: floats, types: vec![(0..32, ElementType::F32)] };
    let zoomed = SharedPanel { values: Some(&values), ..shared(4, &words, ASCII) };
    assert_snapshot!(picture::text(zoomed, 60, 14), @"
         sA[4][4] at 0,3                sB[4][4] at 0,3
    bank 0                         bank 16
       0  0.00  0.25  0.50  0.75     16  4.00  4.25  4.50  4.75
         aaaaa aaaaa aaaaa @@@@@        bbbbb bbbbb bbbbb @@@@@
       4  1.00  1.25  1.50  1.75     20  5.00  5.25  5.50  5.75
         aaaaa aaaaa aaaaa aaaaa        bbbbb bbbbb bbbbb bbbbb
       8 ~~~~~ ~~~~~ ~~~~~ ~~~~~     24 ~~~~~ ~~~~~ ~~~~~ ~~~~~
         ~~~~~ ~~~~~ ~~~~~ ~~~~~        ~~~~~ ~~~~~ ~~~~~ ~~~~~
      12 ~~~~~ ~~~~~ ~~~~~ ~~~~~     28 ~~~~~ ~~~~~ ~~~~~ ~~~~~
         ~~~~~ ~~~~~ ~~~~~ ~~~~~        ~~~~~ ~~~~~ ~~~~~ ~~~~~

    . empty ~ on the way a from A b from B : old @ touched now

     The numbers are banks: bank = (address / 4) mod 32.
    ");
}

#[test]
fn a_kernel_without_shared_memory_says_so() {
    let naive = SharedPanel { arrays: &[], ..shared(16, &[], ASCII) };
    assert_snapshot!(picture::text(naive, 42, 10), @"
    This kernel keeps nothing here:
    every lane loads from global
    memory, again and again.
    ");
}

#[test]
fn every_size_survives() {
    for tile in [1, 3, 4, 16, 32] {
        let words = words(tile.max(1));
        let types = vec![(0..words.len() as u32, ElementType::F32)];
        let values = SharedValues { words: vec![1.5_f32.to_bits(); words.len()], types };
        picture::survives(|look| SharedPanel {
            values: Some(&values),
            ..shared(tile, &words, look)
        });
    }
    picture::survives(|look| shared(16, &[], look));
}
