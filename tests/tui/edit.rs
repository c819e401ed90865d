//! A kernel that is edited: its table, its errors, its place in the work, the next mistake.

use crate::{options, press, problem, shown, start};
use matviz::file::watch;
use matviz::kernel::find;
use matviz::launch::Dim3;
use matviz::lesson::edit::version::{EditRequest, Version};
use matviz::own::launch::StatedLaunch;
use matviz::sim::Order;
use matviz::timing::GpuError;
use matviz::timing::protocol::{Request, Response};
use matviz::timing::{Measure, Measurement, SamplingPlan, Subject};
use matviz::tui::edit::job::{EditEvent, Opened};
use matviz::tui::headless::settle;
use matviz::tui::task::{self, Event, MeasureEvent};
use matviz::tui::{App, StartOptions};
use serde_json::json;

const TILED: &str = include_str!("../../kernels/tiled.cu");

fn wish() -> EditRequest {
    let block = Some(Dim3::flat(16, 16));
    let launch = StatedLaunch { block, ..StatedLaunch::default() };
    let defines = vec!["TILE=16".to_owned()];
    EditRequest { file: "mine.cu".to_owned(), launch, defines, ..EditRequest::default() }
}

/// The screen of a file with this text.
fn edited(text: &str, screen: (u16, u16)) -> App {
    let version = Version::of(text, &wish()).ok();
    let mine = version.and_then(|version| Some(version.stages.first()?.problem.clone()));
    let problem = mine.unwrap_or_else(|| problem(find("naive").expect("a kernel"), 16));
    let options =
        StartOptions { order: Order::ByPhase, ..options(vec![problem], 0, Dim3::at(0, 0)) };
    let mut app = start(options, screen);
    let (text, read) = (text.to_owned(), "10:41:00".to_owned());
    let path = "mine.cu".into();
    let tasks = app.edit(Opened { path, request: wish(), text, read, watch: None });
    settle(&mut app, tasks);
    app
}

fn hear(app: &mut App, news: watch::FileEvent, time: &str) {
    hear_of("mine.cu", app, news, time);
}

fn hear_of(file: &str, app: &mut App, news: watch::FileEvent, time: &str) {
    let tasks = app.hear(Event::Edit(EditEvent::File(file.into(), news, time.to_owned())));
    settle(app, tasks);
}

fn save(app: &mut App, text: &str, time: &str) {
    hear(app, watch::FileEvent::Saved(text.to_owned()), time);
}

fn transposed() -> String {
    TILED.replace("sA[ty][tx] =", "sA[tx][ty] =")
}

#[test]
fn a_save_is_shown_at_the_same_place_of_the_work_with_what_it_changed() {
    for (width, height) in [(80, 24), (120, 36), (200, 60)] {
        let mut app = edited(TILED, (width, height));
        assert!(shown(&app).contains("Nothing is wrong: C is right"), "{}", shown(&app));
        press(&mut app, "n n Right Right Right");
        let before = (app.at(), app.sentence().to_owned());
        save(&mut app, &transposed().replace("sA[ty][k]", "sA[k][ty]"), "10:42:07");
        assert_eq!(app.at(), before.0, "{width}x{height}");
        assert_eq!(app.sentence(), before.1);
        press(&mut app, "Enter");
        insta::assert_snapshot!(format!("edit_{width}x{height}"), shown(&app));
    }
}

#[test]
fn enter_goes_from_one_mistake_to_the_next_and_round() {
    let mut app = edited(TILED, (120, 36));
    save(&mut app, &transposed(), "10:42:07");
    assert!(shown(&app).contains("1 of 2: C at 64 is wrong"), "{}", shown(&app));
    press(&mut app, "Enter");
    assert!(app.sentence().contains("stores C["), "{}", app.sentence());
    press(&mut app, "Enter");
    assert!(shown(&app).contains("╔ 6  Shared stores"), "{}", shown(&app));
    assert!(app.sentence().contains("8-way bank conflict"), "{}", app.sentence());
    press(&mut app, "Enter");
    assert!(app.sentence().contains("stores C["), "{}", app.sentence());
}

#[test]
fn a_mistake_at_the_awkward_size_alone_is_shown_at_that_size() {
    let text = TILED.replace("t < endA ? A[row * K + t + tx] : 0.0f", "A[row * K + t + tx]");
    let mut app = edited(&text, (120, 36));
    assert!(
        app.sentence().starts_with("MEMORY: this 4-byte load is outside"),
        "{}",
        app.sentence()
    );
    assert!(shown(&app).contains("60x52x84"), "{}", shown(&app));
    save(&mut app, TILED, "10:42:07");
    assert!(shown(&app).contains("60x52x84"), "it stays at that size: {}", shown(&app));
    press(&mut app, "Enter");
    assert!(shown(&app).contains("nothing is wrong"), "{}", shown(&app));
}

#[test]
fn a_key_goes_from_one_launch_of_the_program_to_the_next_and_round() {
    let text = "__global__ void fill(float* x) { x[threadIdx.y * 16 + threadIdx.x] = 1; }\n\
                __global__ void twice(float* x) { x[threadIdx.y * 16 + threadIdx.x] *= 2; }\n\
                int main() { float* x; cudaMalloc(&x, 1024); fill<<<1, 64>>>(x); twice<<<1, 32>>>(x); }\n";
    let mut app = edited(text, (120, 36));
    assert!(shown(&app).contains("2 launches: fill, twice; V shows the next"), "{}", shown(&app));
    for told in ["launch 2 of 2: twice, line 3", "launch 1 of 2: fill, line 3"] {
        press(&mut app, "V");
        assert!(shown(&app).contains(told), "{told}\n{}", shown(&app));
    }
    let mut one = edited(TILED, (120, 36));
    press(&mut one, "V");
    assert!(shown(&one).contains("the file launches one kernel"), "{}", shown(&one));
}

#[test]
fn what_does_not_compile_leaves_the_picture_and_says_where() {
    for (width, height) in [(80, 24), (120, 36)] {
        let mut app = edited(TILED, (width, height));
        press(&mut app, "n n Right");
        let before = app.at();
        save(&mut app, &TILED.replace("int tx =", "int tx"), "10:42:07");
        let status = shown(&app).lines().next().map(str::to_owned).expect("a row");
        assert!(
            status.contains("line 18 does not compile: showing the version of 10:41"),
            "{status}"
        );
        assert_eq!(app.at(), before);
        insta::assert_snapshot!(format!("edit_broken_{width}x{height}"), shown(&app));
        press(&mut app, "Enter");
        assert!(shown(&app).contains("line 18 does not compile: change that first"));
        save(&mut app, TILED, "10:43:00");
        assert!(shown(&app).contains("mine.cu"), "{}", shown(&app));
        assert!(!shown(&app).contains("does not compile"), "{}", shown(&app));
        assert!(!shown(&app).contains("before"), "no other version has compiled");
    }
}

#[test]
fn a_file_that_does_not_compile_from_the_start_waits_for_one_that_does() {
    let mut app = edited(&TILED.replace("int tx =", "int tx"), (80, 24));
    insta::assert_snapshot!("edit_blank_80x24", shown(&app));
    press(&mut app, "Right n Enter S S L L");
    save(&mut app, TILED, "10:42:07");
    assert!(shown(&app).contains("C at 64"), "{}", shown(&app));
    assert!(app.sentence().contains("loads A"), "at the first load: {}", app.sentence());
}

#[test]
fn a_file_that_is_gone_leaves_the_picture() {
    let mut app = edited(TILED, (120, 36));
    hear(&mut app, watch::FileEvent::Deleted, "10:42:07");
    assert!(shown(&app).contains("mine.cu has been deleted: showing the version of 10:41"));
    hear(&mut app, watch::FileEvent::Unreadable("it is a folder".to_owned()), "10:42:08");
    assert!(shown(&app).contains("mine.cu cannot be read (it is a folder)"));
    hear(&mut app, watch::FileEvent::Back, "10:42:09");
    assert!(shown(&app).contains("Nothing is wrong"), "{}", shown(&app));
}

#[test]
fn the_difference_is_that_to_the_save_before() {
    let mut app = edited(TILED, (120, 36));
    press(&mut app, "S");
    assert!(shown(&app).contains("This is the first version"), "{}", shown(&app));
    save(&mut app, &transposed(), "10:42:07");
    insta::assert_snapshot!("edit_difference_120x36", shown(&app));
    press(&mut app, "S");
    assert!(shown(&app).contains("C at 64 is wrong"), "{}", shown(&app));
}

#[test]
fn a_race_says_what_other_orders_of_the_warps_do() {
    let mut app = edited(TILED, (120, 36));
    save(&mut app, &TILED.replacen("__syncthreads();", "", 1), "10:42:07");
    press(&mut app, "Enter");
    let text = shown(&app);
    assert!(text.contains("random orders of the warps"), "{text}");
    assert!(app.sentence().contains("nothing made w1 wait"), "{}", app.sentence());
}

/// A made-up time of the version with this text.
fn time_of(text: &str) -> Box<Measurement> {
    let version = Version::of(text, &wish()).expect("it compiles");
    let problem = &version.stages[0].problem;
    let row = json!({
        "device": "a GPU", "kernel": "tiled", "ptx_sha256": problem.ptx_sha256(),
        "compiled_by": version.compiled_by, "size": problem.size, "tile": null,
        "ms": { "median": 0.01, "q1": 0.01, "q3": 0.01, "samples": 10 }, "gflops": 52.0,
        "relative_error": 0.0, "tolerance": 1e-5, "reference": "float64", "c_sha256": "",
    });
    serde_json::from_value(row).expect("a row")
}

#[test]
fn a_version_is_measured_when_asked_for_and_its_time_goes_with_it() {
    let mut app = edited(TILED, (200, 60));
    let told = "tiled, compiled by matviz";
    assert!(!shown(&app).contains(told), "{}", shown(&app));
    let hear = |app: &mut App, news| drop(app.hear(Event::Gpu(news)));
    hear(&mut app, MeasureEvent::Measured(time_of(TILED)));
    let text = shown(&app);
    assert!(text.contains("52 GFLOP/s at 64, measured on a GPU"), "{text}");
    let rows = shown(&app).matches(told).count();
    save(&mut app, &transposed(), "10:42:07");
    assert!(shown(&app).matches(told).count() < rows, "that was another: {}", shown(&app));
    let tiled = problem(find("tiled").expect("a kernel"), 16);
    let (subject, size, seed) = (Subject::of(&tiled), tiled.size, tiled.seed);
    let request = Measure { subject, size, seed, device: 0, effort: SamplingPlan::default() };
    let failed = task::event_of(&Request::Measure(request), Response::Failed(GpuError::NoDriver));
    hear(&mut app, failed.expect("news"));
    assert!(shown(&app).contains("no GPU here: mine.cu cannot be measured"), "{}", shown(&app));
}

#[test]
fn the_text_can_be_hidden_and_keys_mean_what_they_always_do() {
    let mut app = edited(TILED, (120, 36));
    press(&mut app, "L Enter");
    assert!(!shown(&app).contains("C at 64"), "{}", shown(&app));
    press(&mut app, "Enter L");
    assert!(shown(&app).contains("C at 64"), "{}", shown(&app));
    press(&mut app, "C");
    assert!(shown(&app).contains("in a file of yours already"), "{}", shown(&app));
}

#[test]
fn a_save_of_a_file_that_was_edited_before_changes_nothing() {
    let mut app = edited(TILED, (120, 36));
    let before = shown(&app);
    hear_of("before.cu", &mut app, watch::FileEvent::Saved(transposed()), "10:42:07");
    hear_of("before.cu", &mut app, watch::FileEvent::Deleted, "10:42:08");
    assert_eq!(shown(&app), before);
}

#[test]
fn a_thousand_saves_are_a_thousand_versions_of_one_screen() {
    let mut app = edited(TILED, (80, 24));
    for number in 0..1000 {
        // What is saved while the one before is being judged is not waited for.
        let text = format!("{TILED}// {number}\n");
        let (path, time) = ("mine.cu".into(), "10:42:07".to_owned());
        drop(app.hear(Event::Edit(EditEvent::File(path, watch::FileEvent::Saved(text), time))));
    }
    save(&mut app, &transposed(), "10:42:08");
    assert!(shown(&app).contains("WRONG"), "{}", shown(&app));
    press(&mut app, "S");
    assert!(shown(&app).contains("+  34"), "{}", shown(&app));
}

#[test]
fn every_size_survives() {
    let mut app = edited(TILED, (80, 24));
    save(&mut app, &transposed(), "10:42:07");
    let broken = |app: &mut App| save(app, "int", "10:42:08");
    for round in 0..3 {
        for (width, height) in
            [(1, 1), (20, 5), (30, 8), (40, 15), (76, 20), (80, 50), (116, 34), (176, 50)]
        {
            let tasks = app.resize(width, height);
            settle(&mut app, tasks);
            assert!(!shown(&app).is_empty());
        }
        match round {
            0 => press(&mut app, "S"),
            _ => broken(&mut app),
        }
    }
}
