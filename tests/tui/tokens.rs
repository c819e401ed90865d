//! Names of the source: what each is said to be is true of the lane, or nothing is said.

use super::pointing::{line, point, toy, until};
use super::{app, click, foreign, options, press, problem, shown, start};
use matviz::launch::Dim3;
use matviz::report::pointed::{PointedAt, SourcePosition, names};
use matviz::sim::Order;
use matviz::tui::{App, StartOptions};

const TILED: &str = include_str!("../../kernels/tiled.cu");
const NAIVE: &str = include_str!("../../kernels/naive.cu");

/// Points at a name on the line that contains this code, the first of that name on it; returns what
/// is said.
fn say(app: &mut App, text: &str, code: &str, name: &str) -> String {
    let lines = (1..).zip(text.lines());
    let found = lines.clone().find(|(_, line)| line.contains(code));
    let (line_of, _) = found.expect("the line");
    let (at, _) = names(text, line_of).into_iter().find(|(_, of)| *of == name).expect("the name");
    point(app, PointedAt::Token(SourcePosition { line: line_of, at }));
    line(app).trim_end_matches("Esc").trim_end().to_owned()
}

/// Looks at lane 17 of warp 3, when the sentence of its line contains this.
fn looking(kernel: &str, size: u32, said: &str) -> App {
    let mut app = app(kernel, size, 120, 36);
    point(&mut app, PointedAt::Lane { warp: 3, lane: 17 });
    until(&mut app, said);
    app
}

#[test]
fn a_name_says_what_it_is_for_the_lane_while_it_loads() {
    let mut app = looking("tiled", 64, ": loads A");
    let load = "A[row * K + t + tx]";
    let mut say = |code, name| say(&mut app, TILED, code, name);
    let said = say(load, "A");
    assert!(said.starts_with("A, w3 l17 = thread (1,7): loads A[23][1] = "), "{said}");
    assert!(said.contains("line A+0x1700 sector 0, slot sA[7][1], bank 17"), "{said}");
    let whom = "for w3 l17 = thread (1,7)";
    assert_eq!(say(load, "row"), format!("row = 23 {whom}"));
    assert_eq!(say(load, "t"), format!("t = 0 {whom} in this step"));
    assert_eq!(say(load, "endA"), format!("endA = 63 {whom}"));
    assert_eq!(say("tile < tiles", "tiles"), "tiles = 4, the same for every thread");
    assert_eq!(say(load, "K"), "K = 64, an argument: the same for every thread");
    assert!(say("[TILE][TILE]", "TILE").starts_with("TILE = 16, "));
    let said = say(load, "sA");
    assert!(said.starts_with("sA, w3 l17 = thread (1,7): sA[7][1], bank 17: empty"), "{said}");
    let said = say("C[row * N + col]", "C");
    assert!(said.contains(": C[23][17]: the sum of w3 l17, line C+0x1700 sector 2"), "{said}");
    assert_eq!(say("float acc", "acc"), "acc: the sum of w3 l17 for C[23][17], in a register");
    assert!(say("acc +=", "k").contains("not known"));
}

#[test]
fn what_a_loop_counts_is_known_from_what_is_multiplied() {
    for (kernel, text, code) in [("tiled", TILED, "acc +="), ("naive", NAIVE, "acc +=")] {
        let mut app = looking(kernel, 64, "acc = ");
        for _ in 0..3 {
            let said = say(&mut app, text, code, "acc");
            let (_, along) = said.split_once(" by A[").expect("the factors");
            let k = along.split(['[', ']']).nth(2).expect("k");
            let expected = format!("k = {k} for w3 l17 = thread (1,7) in this step");
            assert_eq!(say(&mut app, text, code, "k"), expected);
            let factor = if kernel == "tiled" { "sA" } else { "A" };
            let said = say(&mut app, text, code, factor);
            assert!(said.contains(&format!(": multiplies A[23][{k}] = ")), "{said}");
            point(&mut app, PointedAt::Lane { warp: 3, lane: 17 });
            until(&mut app, "acc = ");
        }
    }
}

#[test]
fn a_barrier_says_who_is_there() {
    let tiled = matviz::kernel::find("tiled").expect("a kernel");
    let options = options(vec![problem(tiled, 64)], 0, Dim3::at(1, 1));
    let mut app = start(StartOptions { order: Order::ToBarrier, ..options }, (120, 36));
    while !shown(&app).contains("Warp 2 waits at the barrier") {
        press(&mut app, "Right");
    }
    let said = say(&mut app, TILED, "__syncthreads", "__syncthreads");
    assert!(
        said.contains("__syncthreads(): 3 of 8 warps are here, w0-2; they wait for w3-7"),
        "{said}"
    );
}

#[test]
fn a_name_is_pointed_at_with_the_mouse_and_with_the_keys() {
    let mut app = app("tiled", 64, 120, 36);
    press(&mut app, "a 4 4 Tab");
    let text = shown(&app);
    let place = |name: &str| {
        let rows = text.lines().enumerate();
        let mut found = rows.filter_map(|(y, row)| Some((row.find(name)?, y, row)));
        let (at, y, row) = found.next().expect("on the screen");
        (row[..at].chars().count() as u16, y as u16)
    };
    let (x, y) = place("A[row * K");
    click(&mut app, x + 2, y);
    assert!(line(&app).starts_with("row = "), "{}", line(&app));
    click(&mut app, x, y);
    assert!(line(&app).starts_with("A, w"), "{}", line(&app));
    press(&mut app, "I Right");
    assert!(line(&app).starts_with("row = "), "{}", line(&app));
    press(&mut app, "Right");
    assert!(line(&app).starts_with("K = 64"), "{}", line(&app));
    press(&mut app, "Down Esc");
    assert!(!line(&app).contains("w0 l0"), "{}", line(&app));
}

/// A kernel of which only its text is known: a name that is declared twice has no value.
#[test]
fn of_a_foreign_kernel_nothing_false_is_said() {
    let text =
        std::fs::read_to_string("tests/data/kernel/foreign/sgemm_warptiled.cu").expect("committed");
    let (block, grid) = (Dim3::new(128, 1, 1), Some(Dim3::new(1, 2, 1)));
    let mut app = foreign("sgemm_warptiled", "128x64x16", block, grid, (120, 36));
    press(&mut app, "n n Right Right Right");
    point(&mut app, PointedAt::Lane { warp: 1, lane: 5 });
    let code: String = text.lines().collect::<Vec<_>>().join("\n");
    let uses = |name: &str, sign: &str| code.matches(&format!("{name}{sign}")).count();
    let lines = (1..).zip(text.lines());
    for (number, _) in lines.filter(|(number, _)| number % 5 == 0) {
        for (at, name) in names(&text, number) {
            point(&mut app, PointedAt::Token(SourcePosition { line: number, at }));
            let said = line(&app);
            assert!(said.starts_with(name), "{number}: {said}");
            let changes = uses(name, " += ") + uses(name, "++");
            assert!(changes == 0 || !said.contains(" = ") || said.contains("step"), "{said}");
        }
    }
}

#[test]
fn the_toy_tells_numbers() {
    let mut app = toy("tiled", (120, 36));
    point(&mut app, PointedAt::Lane { warp: 0, lane: 6 });
    until(&mut app, "acc = ");
    let said = say(&mut app, TILED, "acc +=", "sB");
    assert!(said.contains(": multiplies B[0][2] = ") && said.ends_with("from sB[0][2]"), "{said}");
}
