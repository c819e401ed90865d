//! The end of a run: how the run ended, what was found, what it took, how to close it.

use crate::pace::play;
use crate::{app, app_of, click, options, press, problem, shown, start};
use matviz::kernel::{BROKEN, LaunchSpec};
use matviz::launch::Dim3;
use matviz::sim::Order;
use matviz::tui::{App, StartOptions};

/// A broken kernel of the tests, with its launch.
fn broken(name: &str, size: &str) -> App {
    let path = format!("tests/data/analysis/broken/{name}.ptx");
    let ptx = std::fs::read_to_string(path).expect("committed");
    let module = ptx::parse(&ptx).expect("it is supported");
    let args = Some("A,B,C,M,N,K".to_owned());
    let block = Dim3::flat(16, 16);
    let wanted = LaunchSpec { block, args, ..LaunchSpec::default() };
    let size = size.parse().expect("a size");
    let problem = wanted.problem(&module, ptx, size).expect("it can be launched");
    app_of(vec![problem], 0, Dim3::at(1, 1), (120, 36))
}

/// The screen without its line breaks and frames, so that sentences are whole.
fn text(app: &App) -> String {
    let shown = shown(app).replace(['│', '║', '┃'], " ");
    shown.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_block_that_has_faulted_is_not_said_to_be_done() {
    let mut app = broken("misaligned", "40x36x46");
    play(&mut app);
    let text = text(&app);
    assert!(text.contains("of misaligned 16x16 has stopped"), "{text}");
    assert!(text.contains("Stopped: ") && !text.contains("is done"), "{text}");
    assert!(text.contains("what it took up to there, simulated"), "{text}");
}

#[test]
fn with_findings_a_right_c_is_no_good_news() {
    let kernel = BROKEN.iter().find(|known| known.name == "tiled_no_compute_barrier");
    let problems = vec![problem(kernel.expect("a kernel"), 64)];
    let usual = options(problems, 0, Dim3::at(0, 0));
    let mut app = start(StartOptions { order: Order::ByPhase, ..usual }, (120, 36));
    play(&mut app);
    let text = text(&app);
    assert!(text.contains("is done: 2 findings: C[0-15][0-15] is right only by luck"), "{text}");
    assert!(text.contains("▲ Block") && text.contains(" ! what is wrong"), "{text}");
}

/// Its tile at the size that is measured is another one.
#[test]
fn the_times_are_those_of_the_tile_that_was_measured_and_say_so() {
    let mut app = app("half_plain", 64, 120, 36);
    play(&mut app);
    let text = text(&app);
    assert!(text.contains("4096 x 4096") && text.contains("►half_plain 128x128x16 "), "{text}");
    let mut app = self::app("tiled", 64, 120, 36);
    play(&mut app);
    let text = self::text(&app);
    assert!(text.contains("16.9 ms shared memory: 13.5 ms of it"), "{text}");
}

#[test]
fn a_click_or_another_key_leaves_the_end_and_does_nothing_else() {
    let ended = || {
        let mut app = app("tiled", 32, 120, 36);
        play(&mut app);
        assert!(text(&app).contains("is right"));
        app
    };
    let mut clicked = ended();
    click(&mut clicked, 4, 8);
    let mut escaped = ended();
    press(&mut escaped, "Esc");
    assert_eq!(shown(&clicked), shown(&escaped), "the panel below was not clicked");
    assert!(!text(&clicked).contains("is right"));
    for key in ["q", "F9"] {
        let mut app = ended();
        press(&mut app, key);
        assert!(!app.is_over(), "{key} leaves the end only");
        assert_eq!(shown(&app), shown(&escaped), "{key}");
    }
}
