//! The time of a kernel that is no product: what is asked of a GPU, and what the panel says of it.

use super::{options, shown, start};
use cudac::CompileOptions;
use matviz::kernel::{LaunchSpec, Problem, Source, sha256_of};
use matviz::launch::Dim3;
use matviz::matrix::Size;
use matviz::stats::Quartiles;
use matviz::study::simulation::Simulation;
use matviz::timing::GpuError;
use matviz::timing::protocol::Request;
use matviz::timing::{Timed, Timing};
use matviz::tui::headless::settle;
use matviz::tui::task::{Event, MeasureEvent, Task, event_of};
use matviz::tui::{App, StartOptions};
use matviz::work::WorkToken;
use std::sync::Arc;

const SCALE: &str = "__global__ void scale(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.0f * x[i];
}
";

fn scale() -> Problem {
    let ptx =
        cudac::compile(SCALE, &CompileOptions { file: "scale.cu", ..CompileOptions::default() });
    let ptx = ptx.expect("it compiles").ptx;
    let module = ptx::parse(&ptx).expect("PTX");
    let source =
        Source { file: "scale.cu".to_owned(), text: SCALE.to_owned(), ..Source::default() };
    let wanted = LaunchSpec {
        grid: Some(Dim3::flat(2, 1)),
        block: Dim3::flat(64, 1),
        args: Some("x:f32[128],y:f32[128],n=128".to_owned()),
        source: Some(source),
        ..LaunchSpec::default()
    };
    let size = Size::square(1);
    wanted.problem(&module, ptx, size).expect("it can be launched")
}

/// The screen of that kernel on a machine with a GPU, and what it asks of the GPU.
fn opened() -> (App, Timing) {
    let with_gpu = || StartOptions { device: Some(0), ..options(vec![scale()], 0, Dim3::at(0, 0)) };
    let (_, tasks) = App::new(with_gpu(), (120, 36)).expect("it can be run");
    let asked = tasks.into_iter().find_map(|task| match task {
        Task::Measure(asked) => Some(asked),
        _ => None,
    });
    let asked = asked.expect("it measures");
    let [Request::Time(timing)] = &asked[..] else { unreachable!("{asked:?}") };
    (start(with_gpu(), (120, 36)), timing.clone())
}

/// SHA-256 of each buffer after the run.
fn left() -> Vec<String> {
    let problem = scale();
    let program: Arc<_> = problem.program().expect("it can be run");
    let simulated = Simulation::checked(&problem, &program, 1 << 20)
        .run(&WorkToken::default())
        .expect("no fault");
    let memory = simulated.memory.expect("it was run");
    ["x", "y"].map(|name| sha256_of(memory.named(name).expect("a buffer").floats())).to_vec()
}

fn timed(sha256: Vec<String>) -> Timed {
    let ms = Quartiles { median: 0.0123, q1: 0.0122, q3: 0.0124, samples: 10 };
    let (cold_ms, resources, after, repeats) = (None, None, None, true);
    Timed { device: "a GPU".to_owned(), ms, cold_ms, resources, after, sha256, repeats }
}

fn hear(app: &mut App, news: MeasureEvent) {
    let tasks = app.hear(Event::Gpu(news));
    settle(app, tasks);
}

#[test]
fn its_time_stands_alone_and_its_buffers_beside_the_simulations() {
    let (mut app, timing) = opened();
    let told = |app: &mut App, sha256| {
        let answer = matviz::timing::protocol::Response::Timed(Box::new(timed(sha256)));
        let heard = event_of(&Request::Time(timing.clone()), answer).expect("it is of interest");
        hear(app, heard);
        shown(app)
    };
    let text = told(&mut app, left());
    assert!(text.contains("0.0123 ms a launch (IQR 1.6 %)"), "{text}");
    assert!(text.contains("measured now on a GPU"), "{text}");
    for buffer in ["x", "y"] {
        assert!(text.contains(&format!("● {buffer}: as simulated, bit for bit")), "{text}");
    }
    let [x, _] = <[String; 2]>::try_from(left()).expect("two buffers");
    let text = told(&mut app, vec![x, "0".to_owned()]);
    assert!(text.contains("● x: as simulated, bit for bit"), "{text}");
    assert!(text.contains("▲ y: DIFFERENT from the simulation"), "{text}");
}

#[test]
fn without_a_gpu_the_panel_says_so_and_a_failure_says_why() {
    let (mut app, timing) = opened();
    let mut fails = |error| {
        let answer = matviz::timing::protocol::Response::Failed(error);
        let heard = event_of(&Request::Time(timing.clone()), answer).expect("it is of interest");
        hear(&mut app, heard);
        shown(&app)
    };
    let text = fails(GpuError::OutOfMemory { needed: 1 << 40, free: 1 << 30, total: 1 << 31 });
    assert!(text.contains("▲ scale: "), "{text}");
    let text = fails(GpuError::NoDriver);
    assert!(text.contains("no GPU here, and no times recorded"), "{text}");
}
