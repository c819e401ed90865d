//! The screen in a host without a terminal: its work is begun and ended, and its keys are those of a page.

use matviz::lesson::progress::Progress;
use matviz::tui::config::Config;
use matviz::tui::help::{HelpLine, lines};
use matviz::tui::hosted_loop::{HostRequest, HostedLoop};
use matviz::tui::keymap::{Context, Key, Keymap};
use matviz::tui::lesson::Lessons;
use matviz::tui::link::ScreenLink;
use matviz::tui::theme::Look;
use std::sync::{Arc, Mutex};
use std::time::Duration;

fn hosted(link: &str, lessons: Lessons) -> HostedLoop {
    let config = Config { keymap: Keymap::of_page(), ..Config::default() };
    let link: ScreenLink = link.parse().expect("a link");
    let options = link.options(&config, Look::default(), lessons).expect("a place");
    HostedLoop::new(options, (120, 36)).expect("it runs")
}

fn key(screen: &mut HostedLoop, name: &str) -> bool {
    screen.key(name.parse::<Key>().expect("a key"))
}

fn settle(screen: &mut HostedLoop) {
    while let Some(work) = screen.begin_work() {
        let rest = work.run();
        screen.end_work(rest);
    }
}

fn text(screen: &mut HostedLoop) -> String {
    screen.changes();
    matviz::export::text(screen.drawn())
}

#[test]
fn urgent_work_goes_first_while_other_work_is_suspended() {
    let mut screen = hosted("kernel=tiled&size=64&step=0", Lessons::default());
    settle(&mut screen);
    assert!(key(&mut screen, "m"), "it means something");
    let counting = screen.begin_work().expect("a kernel is counted");
    assert!(screen.begin_work().is_none(), "nothing else waits");
    // Back from the Measure screen, another kernel is loaded before the count ends.
    key(&mut screen, "Esc");
    key(&mut screen, "v");
    let urgent = screen.begin_work().expect("more urgent");
    let rest = urgent.run();
    screen.end_work(rest);
    while let Some(work) = screen.begin_work() {
        let rest = work.run();
        screen.end_work(rest);
    }
    assert!(text(&mut screen).contains("naive"), "the other kernel is there");
    let rest = counting.run();
    screen.end_work(rest);
    settle(&mut screen);
}

#[test]
fn a_suspended_count_is_cancelled_by_a_key() {
    let mut screen = hosted("kernel=tiled&size=256&step=0", Lessons::default());
    settle(&mut screen);
    key(&mut screen, "m");
    let counting = screen.begin_work().expect("a kernel is counted");
    key(&mut screen, "Esc");
    // It tells nothing any more, and takes no time.
    let rest = counting.run();
    assert!(rest.is_none());
    screen.end_work(rest);
}

#[test]
fn only_changed_cells_are_drawn() {
    let mut screen = hosted("kernel=tiled&size=64&step=100", Lessons::default());
    settle(&mut screen);
    assert_eq!(screen.changes().len(), 120 * 36);
    assert!(screen.changes().is_empty());
    key(&mut screen, "Right");
    settle(&mut screen);
    let changed = screen.changes().len();
    assert!((1..2000).contains(&changed), "{changed}");
    assert_eq!(screen.next_tick(), None, "it stands");
    key(&mut screen, "Space");
    assert!(screen.next_tick().is_some_and(|next| next < Duration::from_secs(5)));
}

#[test]
fn the_help_of_a_page_names_no_key_that_a_browser_keeps() {
    let told: Vec<_> = lines(&Keymap::of_page(), Context::Main)
        .into_iter()
        .filter_map(|line| match line {
            HelpLine::Keys(keys, does) => Some((keys, does)),
            _ => None,
        })
        .collect();
    assert!(told.len() > 100, "{}", told.len());
    for (keys, does) in &told {
        assert!(!keys.is_empty(), "{does}");
        for kept in ["Ctrl-", "Alt-", "F1", "F5"] {
            assert!(!keys.contains(kept), "{keys}: {does}");
        }
        assert!(!does.contains("quit") && !does.contains("your editor"), "{keys}: {does}");
    }
}

#[test]
fn links_and_kernels_go_out_and_progress_is_kept_by_the_host() {
    let progress = Arc::new(Mutex::new(Progress::seeded(7)));
    let lessons = Lessons { progress: Some(Arc::clone(&progress)), ..Lessons::default() };
    let mut screen = hosted("kernel=naive&size=64&step=3", lessons);
    settle(&mut screen);
    key(&mut screen, "Y");
    assert_eq!(screen.requests(), [HostRequest::CopyLink]);
    let link = screen.app().link().expect("a place").to_string();
    assert_eq!(link, "kernel=naive&tile=16&size=64&step=3");
    key(&mut screen, "C");
    assert_eq!(screen.requests(), [HostRequest::EditKernel]);
    let kernel = screen.kernel();
    assert!(kernel.contains("// launch:") && kernel.contains("__global__"), "{kernel}");
    assert_eq!(screen.kernel(), "", "once");
    let text = progress.lock().expect("nobody else").to_text();
    let same = Progress::of_text(&text).expect("its own text");
    assert_eq!((same.to_text(), same.kept().seed), (text, 7));
    assert!(Progress::of_text("{}").is_err());
    let newer = Progress::of_text("{\"format\":999}").expect_err("newer");
    assert!(newer.to_string().contains("format 999"), "{newer}");
}
