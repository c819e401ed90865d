//! The listing, the help's words, the footer and the sentences.

use super::{app, app_of, click, foreign, options, press, shown, start};
use matviz::kernel::{BROKEN, KERNELS, Problem};
use matviz::launch::Dim3;
use matviz::matrix::Size;
use matviz::report;
use matviz::sim::Order;
use matviz::tui::layout::Panel;
use matviz::tui::theme::{Look, Role};
use matviz::tui::{App, StartOptions, frame};
use ratatui::buffer::Cell;

/// The rows inside a panel.
fn inside(app: &App, panel: Panel) -> Vec<String> {
    let area = app.areas().panel(panel).expect("it is on the screen");
    let text = shown(app);
    let rows = text.lines().skip(usize::from(area.y) + 1).take(usize::from(area.height) - 2);
    let columns = |row: &str| {
        row.chars().skip(usize::from(area.x) + 1).take(usize::from(area.width) - 2).collect()
    };
    rows.map(columns).collect()
}

/// The rows of the listing without the row of PTX below it.
fn listing(app: &App) -> Vec<String> {
    let mut rows = inside(app, Panel::Source);
    rows.pop();
    rows
}

/// The number of the line that a row of the listing begins, and the row's code.
fn numbered(row: &str) -> Option<(u32, &str)> {
    let row = row.trim_start_matches(['►', '·', '▏', ' ']);
    let end = row.find(' ').unwrap_or(row.len());
    Some((row[..end].parse().ok()?, &row[end..]))
}

/// The current line of the listing: its number and all of its code, and whether every row of it
/// ends outside of brackets.
fn current(app: &App) -> Option<(u32, String, bool)> {
    let rows = listing(app);
    let at = rows.iter().position(|row| row.starts_with('►'))?;
    let (number, first) = numbered(&rows[at])?;
    let further =
        rows[at + 1..].iter().map_while(|row| row.trim_start_matches(['▏', ' ']).strip_prefix('└'));
    let parts: Vec<&str> = std::iter::once(first).chain(further).collect();
    let open = |part: &&str| part.matches('[').count() == part.matches(']').count();
    Some((number, parts.concat(), parts.iter().all(open)))
}

fn without_blanks(text: &str) -> String {
    let code = text.split("//").next().unwrap_or(text);
    code.chars().filter(|c| !c.is_whitespace()).collect()
}

#[test]
fn the_current_line_of_every_kernel_is_whole() {
    for kernel in KERNELS {
        let mut app = app(kernel.name, 128, 120, 36);
        press(&mut app, "u");
        let mut seen = 0;
        for _ in 0..60 {
            press(&mut app, "Right");
            let Some((number, code, closed)) = current(&app) else { continue };
            let line = kernel.source.lines().nth(number as usize - 1).expect("it has that line");
            let (code, line) = (without_blanks(&code), without_blanks(line));
            assert!(code.starts_with(&line), "{} {number}: {code}\n{}", kernel.name, shown(&app));
            assert!(closed, "{} {number} is cut in an index\n{}", kernel.name, shown(&app));
            seen += 1;
        }
        assert!(seen > 5, "{}: {seen}", kernel.name);
    }
}

#[test]
fn the_listing_stands_still_while_the_loop_runs() {
    for (kernel, first, last) in
        [("tiled", "int t = ", "__syncthreads"), ("naive", "for (", "acc +=")]
    {
        let mut app = app(kernel, 64, 120, 36);
        press(&mut app, "n");
        let numbers = |app: &App| -> Vec<u32> {
            listing(app).iter().filter_map(|row| numbered(row)).map(|(number, _)| number).collect()
        };
        let (text, before) = (listing(&app).concat(), numbers(&app));
        assert!(text.contains(first) && text.contains(last), "{text}");
        for _ in 0..120 {
            press(&mut app, "Right");
            assert_eq!(numbers(&app), before, "{kernel}: {}", shown(&app));
        }
    }
}

#[test]
fn other_warps_are_named_where_they_wait() {
    let mut app = app("tiled", 64, 120, 36);
    // Each warp runs to its barrier before the next one moves.
    press(&mut app, "o Right Right Right Right Right Right Right Right");
    let text = listing(&app).join("\n");
    let barrier = text.lines().find(|row| row.contains("__syncthreads")).expect("it is in view");
    assert!(barrier.starts_with('·') && barrier.trim_end().ends_with("w0"), "{text}");
}

#[test]
fn the_help_has_twelve_keys_first_and_then_the_words_and_a_product_that_is_small_enough() {
    for (width, height) in [(80, 24), (120, 36), (200, 60)] {
        let mut app = app("tiled", 64, width, height);
        press(&mut app, "?");
        let keys = shown(&app);
        for does in
            ["Play or pause", "One step on, or back", "The lessons", "A value: where it came from"]
        {
            assert!(keys.contains(does), "{does}\n{keys}");
        }
        press(&mut app, "Right");
        let page = shown(&app);
        let words = [
            "lane",
            "warp",
            "block",
            "barrier",
            "tile",
            "register",
            "FMA",
            "sector",
            "coalesced",
            "bank",
            "conflict",
            "PTX, SASS",
        ];
        for word in words {
            let means = |row: &str| row.split_once(&format!(" {word} ")).is_some();
            assert!(page.lines().any(means), "{word}\n{page}");
        }
        assert!(page.contains("matviz --size 8 --tile 4 --fill small"), "{page}");
    }
}

#[test]
fn the_footer_offers_the_lesson_and_says_what_space_does() {
    for (width, height) in [(80, 24), (80, 50), (100, 30), (120, 36), (200, 60)] {
        let mut app = app("tiled", 64, width, height);
        let footer = |app: &App| shown(app).trim_end().lines().last().unwrap_or("").to_owned();
        assert!(footer(&app).contains(" L  lesson"), "{width}x{height}: {}", footer(&app));
        assert!(footer(&app).contains("Space  play"), "{}", footer(&app));
        assert!(footer(&app).contains("n  barrier"), "{}", footer(&app));
        press(&mut app, "Space");
        assert!(footer(&app).contains("Space  pause"), "{}", footer(&app));
    }
    let naive = app("naive", 64, 80, 24);
    assert!(shown(&naive).contains("n  tile"), "it has no barriers: {}", shown(&naive));
}

#[test]
fn one_thing_has_one_name_in_every_sentence_and_the_block_is_done_at_the_end() {
    for (kernel, size) in [("tiled", 64), ("naive", 64), ("tiled_transposed", 64), ("sgemm", 128)] {
        let mut app = app(kernel, size, 120, 36);
        for _ in 0..400 {
            let sentence = app.sentence().to_owned();
            for other in [" read ", " reads ", "write", "k-tile", " a 8-way", "jump"] {
                assert!(!sentence.contains(other), "{kernel}: {sentence}");
            }
            assert!(sentence.chars().count() <= report::sentence::WIDTH, "{sentence}");
            press(&mut app, "Right");
        }
        press(&mut app, "G");
        let last = app.sentence();
        assert!(last.starts_with("The block is done: C["), "{kernel}: {last}");
    }
}

#[test]
fn a_kernel_without_shared_memory_has_no_panels_for_it() {
    for (width, height) in [(80, 24), (80, 50), (120, 36), (200, 60)] {
        let mut app = app("tiled", 64, width, height);
        let panels = |app: &App| {
            [Panel::Shared, Panel::Banks].map(|panel| app.areas().panel(panel).is_some())
        };
        let with = panels(&app);
        assert!(with[0], "{width}x{height}");
        press(&mut app, "v");
        assert!(shown(&app).contains("naive 16x16"));
        assert_eq!(panels(&app), [false, false], "{}", shown(&app));
        press(&mut app, "v");
        assert_eq!(panels(&app), with, "{width}x{height}");
    }
}

#[test]
fn the_tiles_have_their_names_where_there_is_no_row_for_them() {
    let app = app("tiled", 64, 80, 24);
    assert!(shown(&app).contains("Shared: sA, sB"), "{}", shown(&app));
}

/// Words that name the same access in another way, and the few places where they mean another
/// thing: the roof that a copy was measured under, and a page that is read.
fn other_words(text: &str) -> Vec<&str> {
    const OTHERS: [&str; 8] =
        ["read", "reads", "reading", "write", "writes", "written", "wrote", "copy"];
    let rows = text.lines().filter(|row| !row.contains("DRAM copy"));
    let words = |row| str::split(row, |c: char| !c.is_alphanumeric());
    rows.flat_map(words).filter(|word| OTHERS.contains(word)).collect()
}

#[test]
fn a_kernel_loads_and_stores_on_every_screen() {
    let screens = ["Tab", "1", "2", "3", "5", "6", "7", "8", "9", "m", "m 2", "m 3", "m 4", "m 5"];
    let pages =
        ["3 ?", "3 ? PageDown", "3 ? PageDown PageDown", "3 :", "3 : l o a d", "f", "f Tab"];
    for kernel in ["naive", "tiled", "sgemm", "half_wgmma"] {
        for keys in screens.iter().chain(&pages) {
            let mut app = app(kernel, 128, 200, 60);
            press(&mut app, "a a a a");
            press(&mut app, keys);
            let listing = app.areas().panel(Panel::Source).map(|_| inside(&app, Panel::Source));
            let listing = listing.filter(|_| !keys.starts_with('m'));
            let mut text = shown(&app);
            for row in listing.into_iter().flatten() {
                text = text.replace(&row, "");
            }
            assert_eq!(other_words(&text), [""; 0], "{kernel}, {keys}\n{text}");
        }
    }
}

#[test]
fn the_footer_offers_only_what_can_be_done() {
    let footer = |app: &App| shown(app).trim_end().lines().last().unwrap_or("").to_owned();
    for (width, height) in [(80, 24), (120, 36), (200, 60)] {
        let mut measures = app("tiled", 64, width, height);
        press(&mut measures, "m");
        assert!(footer(&measures).contains(" c  compare"), "{}", footer(&measures));
        assert!(!footer(&measures).contains(" r  measure"), "no GPU: {}", footer(&measures));
        press(&mut measures, "r");
        assert!(footer(&measures).contains("nothing is measured"), "{}", footer(&measures));
        let alone = foreign("numba_tiled", "256", Dim3::flat(16, 16), None, (width, height));
        assert!(!footer(&alone).contains("kernel"), "there is one: {}", footer(&alone));
        assert!(!footer(&alone).contains("compare"), "{}", footer(&alone));
    }
}

#[test]
fn an_open_page_and_a_zoomed_panel_offer_their_own_keys() {
    let footer = |keys: &str| {
        let mut app = app("tiled", 64, 120, 36);
        press(&mut app, keys);
        shown(&app).trim_end().lines().last().unwrap_or("").to_owned()
    };
    for keys in [":", "m :"] {
        assert!(footer(keys).contains(" Enter  choose   Esc  close"), "{}", footer(keys));
        assert!(!footer(keys).contains(" play"), "{}", footer(keys));
    }
    assert!(!footer("?").contains(" play"), "no piece of it beside the page: {}", footer("?"));
    assert!(footer("3").contains(" q  back"), "{}", footer("3"));
    assert!(footer("3 q").contains(" q  quit"), "{}", footer("3 q"));
}

#[test]
fn the_first_sentence_is_whole_for_every_tile() {
    for kernel in &KERNELS[..4] {
        for variant in kernel.variants {
            let ptx = variant.ptx.unwrap_or_default().into();
            let problem = Problem::of(kernel, *variant, Size::square(1024), ptx);
            let app = app_of(vec![problem], 0, Dim3::at(16, 16), (120, 36));
            assert!(!app.sentence().ends_with("..."), "{}", app.sentence());
        }
    }
}

/// The hue of what happens now marks nothing else, so that a viewer can trust it.
#[test]
fn what_is_chosen_has_not_the_hue_of_what_is_touched() {
    let look = Look::default();
    let touched = [look.ink(Role::Here).fg, Some(look.pixel(Role::Here))];
    let hued = |cell: &Cell| touched.contains(&Some(cell.fg)) || touched.contains(&Some(cell.bg));
    for keys in [":", "? End", "L", "m", "m 2", "m 3", "m 4", "m 5"] {
        let mut app = app("tiled", 64, 120, 36);
        let before = frame(&app, 120, 36);
        press(&mut app, keys);
        let after = frame(&app, 120, 36);
        let new = after.content.iter().zip(&before.content).filter(|(is, was)| is != was);
        let found: String = new.filter(|(is, _)| hued(is)).map(|(is, _)| is.symbol()).collect();
        assert_eq!(found, "", "{keys}\n{}", shown(&app));
    }
}

/// What a barrier means follows from what is done with the words that were stored before it.
#[test]
fn a_barrier_after_the_products_lets_the_tiles_be_overwritten() {
    for order in [Order::RoundRobin, Order::ToBarrier, Order::ByPhase] {
        let kernel = BROKEN.iter().find(|known| known.name == "tiled_no_load_barrier");
        let kernel = kernel.expect("a kernel").problem_for(Size::square(64));
        let options = options(vec![kernel], 0, Dim3::at(1, 1));
        let mut app = start(StartOptions { order: order.clone(), ..options }, (120, 36));
        press(&mut app, "n");
        let opens = "the barrier opens: the tiles may be overwritten";
        assert!(app.sentence().contains(opens), "{order:?}: {}", app.sentence());
    }
}

/// To go from panel to panel moves none of them.
#[test]
fn the_focus_of_a_panel_that_is_shown_moves_none() {
    let mut app = app("naive", 64, 80, 24);
    let before = app.areas().panels.clone();
    for _ in 0..before.len() {
        press(&mut app, "Tab");
        assert_eq!(app.areas().panels, before, "{}", shown(&app));
    }
    let lines = app.areas().panel(Panel::Lines).expect("it is shown");
    click(&mut app, lines.x + 3, lines.y + 1);
    assert_eq!(app.areas().panels, before, "{}", shown(&app));
}

#[test]
fn a_guest_that_a_kernel_has_nothing_for_leaves() {
    let mut app = app("tiled", 64, 80, 24);
    press(&mut app, "6");
    assert!(app.areas().panel(Panel::Banks).is_some(), "{}", shown(&app));
    press(&mut app, "v");
    assert!(shown(&app).contains("naive 16x16"), "{}", shown(&app));
    assert!(app.areas().panel(Panel::Banks).is_none(), "{}", shown(&app));
    assert!(app.areas().panel(Panel::Warps).is_some(), "{}", shown(&app));
}

/// An asynchronous copy is a load as well, in its own sentence and in that of those like it.
#[test]
fn asynchronous_copies_load() {
    let mut app = app("double_buffered", 64, 120, 36);
    press(&mut app, "a");
    assert!(app.sentence().contains(" loads A["), "{}", app.sentence());
    assert!(app.sentence().contains(" by cp.async"), "{}", app.sentence());
}
