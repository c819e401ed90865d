//! Bricks as they are drawn: as high as the passes, as many as the sectors, at every size.

use super::picture::{self, ASCII, MONO, RICH};
use insta::assert_snapshot;
use matviz::matrix::Operand;
use matviz::sim::{Access, Direction, LaneMask, Route};
use matviz::tui::facts::{ExecutedSass, PaddedAccess};
use matviz::tui::theme::{Look, Role};
use matviz::tui::widget::bricks::*;
use ptx::Space;
use ratatui::layout::Rect;

fn access(direction: Direction, bytes: u8, word: impl Fn(u64) -> u64) -> Access {
    let addrs = std::array::from_fn(|lane| 4 * word(lane as u64));
    let (space, route, active) = (Space::Shared, Route::Lanes, LaneMask::ALL);
    Access { space, direction, bytes, route, active, addrs }
}

fn load(bytes: u8, word: impl Fn(u64) -> u64) -> Access {
    access(Direction::Load, bytes, word)
}

/// An access that is executed as written.
static WRITTEN: ExecutedSass =
    ExecutedSass { instead: None, words: Vec::new(), with: None, doubt: Vec::new() };

fn towers(access: &Access, look: Look) -> Towers<'_> {
    Towers {
        access: Some(access),
        warp: 3,
        operand: Some(Operand::B),
        becomes: &WRITTEN,
        values: None,
        pointed: 0,
        keeps: 0,
        motion: BrickMotion::Rest,
        padded: None,
        together: None,
        before: None,
        look,
    }
}

fn buckets(access: &Access, look: Look) -> BucketPanel<'_> {
    BucketPanel {
        access: Some(access),
        warp: 3,
        operand: Some(Operand::A),
        origin: 0,
        places: &[],
        pointed: &[],
        motion: BrickMotion::Rest,
        before: None,
        look,
    }
}

/// Two columns of a tile with 16 words a row.
fn columns(lane: u64) -> u64 {
    lane % 16 * 16 + lane / 16
}

#[test]
fn a_conflict_is_a_tower_of_all_its_passes() {
    let column = load(4, columns);
    assert_snapshot!("conflict_76x12", picture::text(towers(&column, RICH), 76, 12));
    assert_snapshot!("conflict_37x5", picture::text(towers(&column, ASCII), 37, 5));
    let buf = picture::buffer(towers(&column, RICH), 37, 5);
    let colours = [buf[(5, 3)].fg, buf[(5, 3)].bg, buf[(5, 0)].bg];
    let [bad, b] = [Role::Bad, Role::B].map(|role| RICH.pixel(role));
    assert_eq!(colours, [bad, b, bad], "what costs is red; the first pass is not");
    picture::survives(|look| towers(&column, look));
}

#[test]
fn a_pass_takes_away_the_lowest_of_every_tower() {
    let column = load(4, columns);
    let play = |pass| Towers { motion: BrickMotion::Pass(pass), ..towers(&column, ASCII) };
    assert_snapshot!("third_pass_76x12", picture::text(play(2), 76, 12));
    let heights = (0..8).map(|pass| {
        let text = picture::text(play(pass), 76, 12);
        text.lines().filter(|line| line.starts_with("pass ")).count()
    });
    assert_eq!(heights.collect::<Vec<_>>(), [8, 7, 6, 5, 4, 3, 2, 1]);
    let text = picture::text(play(99), 60, 12);
    assert!(text.contains("8-way bank conflict"), "no such pass: {text}");
    picture::survives(|look| Towers { motion: BrickMotion::Pass(3), ..towers(&column, look) });
}

#[test]
fn lanes_fall_from_a_row_on_their_banks() {
    let column = load(4, columns);
    let fall = |part| Towers { motion: BrickMotion::Falling(part), ..towers(&column, RICH) };
    let above = picture::text(fall(0.0), 110, 30);
    let first = above.lines().next().unwrap_or_default();
    let order: Vec<_> = first.split_whitespace().collect();
    assert_eq!(order, (0..32).map(|lane| lane.to_string()).collect::<Vec<_>>(), "{above}");
    let numbers = |text: String| text.lines().take(20).map(str::to_owned).collect::<Vec<_>>();
    let rest = picture::text(towers(&column, RICH), 110, 30);
    assert_eq!(numbers(picture::text(fall(1.0), 110, 30)), numbers(rest));
    picture::survives(|look| Towers { motion: BrickMotion::Falling(0.4), ..towers(&column, look) });
}

#[test]
fn padding_lets_a_tower_fall_flat() {
    let column = load(4, columns);
    let access = load(4, |lane| columns(lane) + lane % 16);
    let kernel = Some("V  tiled_padded".to_owned());
    let padded = PaddedAccess { access, array: "sA".to_owned(), longer: true, kernel };
    let panel = |look| Towers { padded: Some(&padded), ..towers(&column, look) };
    let text = picture::text(panel(ASCII), 118, 30);
    let (above, below) = text.split_once("The same if each row of sA").unwrap_or_default();
    let passes = |text: &str| text.lines().filter(|line| line.starts_with("pass ")).count();
    assert_eq!((passes(above), passes(below)), (8, 2), "{text}");
    assert!(below.contains("V  tiled_padded") && below.contains("2 passes"), "{text}");
    let text = picture::text(panel(ASCII), 76, 14);
    assert!(text.contains("if each row of sA has one word more: 2 passes"), "{text}");
    picture::survives(panel);
}

#[test]
fn wide_bricks_lie_on_the_banks_of_all_their_words() {
    let four = load(16, |lane| lane * 4);
    assert_snapshot!("wide_106x9", picture::text(towers(&four, ASCII), 106, 9));
    let text = picture::text(towers(&four, ASCII), 54, 7);
    assert!(text.contains("ok 4 passes: 16 B a lane, no conflict"), "{text}");
    assert!(text.contains("16 bytes a lane: a quarter of the warp a pass"), "{text}");
    picture::survives(|look| towers(&four, look));
}

#[test]
fn what_was_before_is_not_an_alarm() {
    let column = load(4, columns);
    let old = Towers { before: Some(33), ..towers(&column, RICH) };
    let buf = picture::buffer(old, 37, 5);
    let [bad, ink] = [RICH.pixel(Role::Bad), RICH.strong(Role::Bad).fg.unwrap_or_default()];
    assert!(buf.content.iter().all(|cell| cell.bg != bad && cell.fg != ink && cell.fg != bad));
    assert!(old.title(39).1.starts_with("line 33, before"), "{:?}", old.title(39));
    let request = load(4, |lane| lane * 1024);
    let old = BucketPanel { before: Some(33), ..buckets(&request, RICH) };
    let buf = picture::buffer(old, 37, 12);
    assert!(buf.content.iter().all(|cell| cell.bg != bad && cell.fg != ink));
}

#[test]
fn a_position_is_a_bank() {
    let row = load(4, |lane| lane);
    let (panel, area) = (towers(&row, RICH), Rect::new(2, 3, 37, 5));
    assert_eq!(bank_at(&panel, area)(2 + 5 + 17, 3), Some(17));
    assert_eq!(bank_at(&panel, area)(2, 3), None);
    assert_eq!(bank_at(&panel, area)(2 + 5 + 17, 7), None);
}

#[test]
fn sectors_are_buckets_with_their_empty_places() {
    let tile = load(4, |lane| lane / 16 * 1024 + lane % 16);
    assert_snapshot!("tile_37x5", picture::text(buckets(&tile, ASCII), 37, 5));
    assert_snapshot!("tile_76x8", picture::text(buckets(&tile, MONO), 76, 8));
    let column = load(4, |lane| lane * 1024);
    assert_snapshot!("column_37x9", picture::text(buckets(&column, ASCII), 37, 9));
    assert_snapshot!("column_37x4", picture::text(buckets(&column, ASCII), 37, 4));
    let buf = picture::buffer(buckets(&column, RICH), 37, 9);
    let red = buf.content.iter().filter(|cell| cell.bg == RICH.half(Role::Bad)).count();
    assert_eq!(red, 32 * 7, "seven words of each sector are fetched for nothing");
    picture::survives(|look| buckets(&column, look));
    picture::survives(|look| BucketPanel {
        motion: BrickMotion::Falling(0.3),
        ..buckets(&column, look)
    });
}

#[test]
fn lines_of_a_matrix_are_named_by_what_tells_them_apart() {
    let tile = load(4, |lane| lane / 16 * 1024 + lane % 16);
    let named = |places: &[(u32, u32)]| {
        picture::text(BucketPanel { places, ..buckets(&tile, ASCII) }, 60, 8)
    };
    let text = named(&[(512, 0), (513, 0)]);
    assert!(text.contains("A row 512") && text.contains("A row 513"), "{text}");
    let text = named(&[(0, 0), (0, 1024)]);
    assert!(text.contains("A col 0") && text.contains("A col 1024"), "{text}");
    assert!(named(&[]).contains("A+0x1000"), "all digits of an address");
}

#[test]
fn a_position_is_a_sector_of_its_line() {
    let tile = load(4, |lane| lane / 16 * 1024 + lane % 16);
    let (panel, area) = (buckets(&tile, RICH), Rect::new(2, 3, 60, 12));
    let at = sector_at(&panel, area);
    let all: std::collections::BTreeSet<_> =
        area.positions().filter_map(|place| at(place.x, place.y)).collect();
    assert_eq!(all.into_iter().collect::<Vec<_>>(), [(0, 0), (0, 1), (4096, 0), (4096, 1)]);
}

#[test]
fn what_is_executed_instead_is_said_and_with_room_drawn() {
    let four = load(4, |lane| lane / 16 * 16);
    let words = ["4 x ld.shared.f32 -> 1 x LDS.128", "4 x ld -> 1 x LDS.128"];
    let words = words.map(str::to_owned).to_vec();
    let wide = Access { bytes: 16, ..four.clone() };
    let joined = |instead| ExecutedSass {
        instead,
        words: words.clone(),
        with: Some(181),
        doubt: Vec::new(),
    };
    let becomes = joined(Some(vec![wide]));
    let panel = |look| Towers { becomes: &becomes, ..towers(&four, look) };
    assert!(picture::text(panel(ASCII), 37, 5).contains("4 x ld.shared.f32 -> 1 x LDS.128"));
    let text = picture::text(panel(ASCII), 60, 16);
    assert!(text.contains("PTX\n") && text.contains("SASS: 4 x ld.shared.f32"), "{text}");
    assert!(text.contains("ok 1 pass: 2 words for 32 lanes, no bank conflict"), "{text}");
    assert!(text.contains("ok 2 passes: the least for 16 bytes a lane"), "{text}");
    let nothing = joined(Some(Vec::new()));
    let later = |look| Towers { becomes: &nothing, ..panel(look) };
    let text = picture::text(later(ASCII), 60, 16);
    assert!(text.contains("Nothing here: it comes with that, PTX line 181."), "{text}");
    picture::survives(panel);
    picture::survives(later);
}

#[test]
fn every_size_survives() {
    let column = load(4, |lane| lane * 16);
    let nobody = Access { active: LaneMask::NONE, ..column.clone() };
    picture::survives(|look| towers(&nobody, look));
    picture::survives(|look| buckets(&nobody, look));
    picture::survives(|look| Towers { access: None, ..towers(&column, look) });
    picture::survives(|look| BucketPanel { access: None, ..buckets(&column, look) });
}

/// The rows of a picture that are passes: their label, and where each lane stands.
fn lanes(text: &str) -> Vec<Vec<String>> {
    let rows = text.lines().map(str::trim_start).filter(|line| line.starts_with("pass "));
    let numbers = rows.map(|row| {
        let split = row.split(|mark: char| !mark.is_ascii_digit());
        split.filter(|number| !number.is_empty()).map(str::to_owned).collect()
    });
    numbers.collect()
}

/// The panel and `matviz access` show the same lanes in the same passes.
#[test]
fn the_picture_of_an_expression_is_that_of_the_panel() {
    use matviz::launch::Dim3;
    use matviz::report::access::{Calculation, IndexExpr, Pattern, Style, picture as draw};
    for (expression, bytes) in [("tx*16 + ty", 4), ("tx*17 + ty", 4), ("tid", 16), ("tid*3", 8)] {
        let pattern = Pattern {
            space: Space::Shared,
            direction: Direction::Store,
            bytes,
            block: Dim3::flat(16, 2),
            at: Dim3::new(0, 0, 0),
        };
        let index = IndexExpr::parse(expression).expect("an expression");
        let accesses = pattern.accesses(&index).expect("it has a value");
        let warps: Vec<_> = (0..).zip(accesses).collect();
        let told =
            draw(&Calculation { expression, pattern: &pattern, warps: &warps }, Style::default());
        let shown = picture::text(towers(&warps[0].1, MONO), 76, 40);
        assert!(!lanes(&told).is_empty(), "{told}");
        assert_eq!(lanes(&told), lanes(&shown), "{expression}\n{told}\n{shown}");
        let verdict = shown.lines().find_map(|line| line.strip_prefix(['▲', '●']));
        assert!(told.contains(verdict.unwrap_or("?")), "{told}\n{shown}");
    }
}
