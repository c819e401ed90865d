//! A wrong C of a user's kernel on the screen: the entry among the findings says what `sim` says.

use super::{app_of, press, shown};
use cudac::CompileOptions;
use matviz::kernel::{LaunchSpec, Source};
use matviz::launch::Dim3;
use matviz::matrix::Size;
use matviz::own::launch::StatedLaunch;
use matviz::tui::App;

/// A kernel of tests/data/study/wrong with its block (0,0) recorded.
fn wrong(name: &str, screen: (u16, u16)) -> App {
    let file = format!("{name}.cu");
    let text =
        std::fs::read_to_string(format!("tests/data/study/wrong/{file}")).expect("committed");
    let options = CompileOptions { file: &file, ..CompileOptions::default() };
    let ptx = cudac::compile(&text, &options).expect("it compiles").ptx;
    let module = ptx::parse(&ptx).expect("PTX");
    let launch = StatedLaunch::written(&text).expect("a launch");
    let size = launch.size.unwrap_or(Size::square(40));
    let wanted = LaunchSpec {
        grid: launch.grid,
        block: launch.block.expect("a block"),
        args: launch.args,
        source: Some(Source { file, text, ..Source::default() }),
        ..LaunchSpec::default()
    };
    let problem = wanted.problem(&module, ptx, size).expect("it can be launched");
    app_of(vec![problem], 0, Dim3::at(0, 0), screen)
}

/// What stands in the list of findings, in one line.
fn words(app: &App) -> String {
    let text = shown(app);
    let lines = text.lines().skip_while(|line| !line.contains("What is wrong")).skip(1);
    let inside = lines.map_while(|line| Some(line.split_once('║')?.1.rsplit_once('║')?.0));
    inside.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
}

#[test]
fn the_list_of_findings_says_the_cause_of_a_wrong_block() {
    let mut app = wrong("transposed_b", (120, 36));
    press(&mut app, "!");
    let told = words(&app);
    assert!(told.contains("C is WRONG: "), "{told}");
    assert!(told.contains("C is A x B^T: the kernel reads B[k][col] at col * K + k"), "{told}");
}

#[test]
fn where_the_block_is_right_it_says_the_cause_of_the_wrong_grid() {
    let causes = [
        ("axes_exchanged", "give --launch '<<<5x3,>>>'"),
        ("grid_too_small", "with --launch '<<<5x5,>>>' C is right"),
        ("same_part", "block reads its index, so that all 25 blocks"),
    ];
    for (name, cause) in causes {
        let mut app = wrong(name, (120, 36));
        press(&mut app, "!");
        let told = words(&app);
        assert!(told.contains("of the grid's"), "{name}: {told}");
        assert!(told.contains(cause), "{name}: {told}");
        press(&mut app, "Enter");
        assert!(app.sentence().starts_with("C is WRONG: "), "{name}: {}", app.sentence());
    }
}

/// Accesses past an edge are made by the blocks at that edge alone.
#[test]
fn a_fault_in_a_block_that_is_not_watched_is_listed_and_enter_goes_there() {
    let mut app = wrong("no_guard", (120, 36));
    press(&mut app, "!");
    let told = words(&app);
    let [memory, result] = ["memory: lane", "result: C is INCOMPLETE: "].map(|of| told.find(of));
    assert!(memory.is_some() && memory < result, "{told}");
    assert!(told.contains("In block (4,0)") && told.contains("Enter goes there"), "{told}");
    assert!(!told.contains("WRONG"), "{told}");
    press(&mut app, "Enter");
    assert!(shown(&app).contains("block (4,0)"), "{}", shown(&app));
    assert!(app.sentence().starts_with("MEMORY: "), "{}", app.sentence());
}
