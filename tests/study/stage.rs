//! The stage of a program: its layout follows from what its accesses do, and a scene never shows what has
//! not happened yet.

#![expect(clippy::unwrap_used, reason = "what is embedded is there, and runs")]

use matviz::analysis::vectorise::SmemVectorisation;
use matviz::kernel::{Problem, find};
use matviz::launch::Dim3;
use matviz::matrix::Size;
use matviz::sim::{Order, Program};
use matviz::study::stage::{
    CellLevel, EventProgress, LowerRoom, StageMoment, StagePlan, StageScene, WordTile,
};
use matviz::trace::{Recorder, Replay, Trace};
use matviz::work::WorkToken;
use std::sync::Arc;

/// A run of a block with its stage, at some position.
struct Run {
    problem: Problem,
    block: Dim3,
    trace: Trace,
    replay: Replay,
    plan: StagePlan,
}

fn problem(kernel: &str, size: u32) -> Problem {
    find(kernel).unwrap().problem_for(Size::square(size))
}

fn program(problem: &Problem) -> Arc<Program> {
    problem.program().unwrap()
}

impl Run {
    fn of(problem: Problem, block: Dim3) -> Self {
        let program = program(&problem);
        let plan = StagePlan::derive(&problem, &program, block, &WorkToken::default()).unwrap();
        let joins = Arc::new(SmemVectorisation::of(&program));
        let memory = problem.sparse_memory(&program);
        let machine = problem.machine(program, block, memory, Order::ByPhase);
        let mut recorder = Recorder::new(machine, joins);
        let (mut trace, replay) = (Trace::new(&recorder), Replay::new(&recorder));
        while !trace.complete() {
            trace.append(recorder.record(1 << 14));
        }
        Self { problem, block, trace, replay, plan }
    }

    fn at(&mut self, step: usize, from: usize, progress: EventProgress) -> StageScene {
        self.replay.seek(&self.trace, step);
        let moment = StageMoment {
            problem: &self.problem,
            trace: &self.trace,
            snapshot: self.replay.snapshot(),
            machine: self.replay.machine(),
            from,
            progress,
            followed: Some((3, 5)),
            values: false,
            wrong: &[],
        };
        self.plan.scene(&moment)
    }
}

fn drawn(tile: &WordTile) -> String {
    let mut text = format!("{} ({}) {:?}\n", tile.title, tile.note, tile.cost);
    for row in 0..tile.rows {
        for column in 0..tile.columns {
            let cell = &tile.cells[(row * tile.columns + column) as usize];
            text.push(match cell.level {
                CellLevel::Empty => '.',
                CellLevel::Padding => 'p',
                CellLevel::Free => 'f',
                CellLevel::Next => 'n',
                CellLevel::Held => 'h',
                CellLevel::Loaded => 'l',
                CellLevel::InRegisters => 'r',
                CellLevel::Waits => '-',
                CellLevel::Share(share) => char::from(b'0' + share / 10),
                CellLevel::Arrived => 'A',
                CellLevel::Now => '#',
                CellLevel::Done => 'D',
                CellLevel::Wrong => 'x',
            });
        }
        let band = tile.bands.iter().find(|band| band.rows.start == row);
        text += &band
            .map_or_else(String::new, |band| format!(" w{} {} {}", band.warp, band.word, band.now));
        text.push('\n');
    }
    if let Some(wear) = &tile.wear {
        text += &format!("wear {:?} now {:?}\n", wear.rows, wear.now);
    }
    text
}

fn show(scene: &StageScene) -> String {
    let mut text = format!("{:?} {:?} {:?}\n", scene.layout, scene.acting, scene.phases);
    for tile in &scene.above {
        text += &drawn(tile);
    }
    for door in &scene.doors {
        let seats: String = door
            .seats
            .iter()
            .map(|seat| {
                if seat.arriving {
                    'v'
                } else if seat.taken {
                    'O'
                } else {
                    'o'
                }
            })
            .collect();
        text += &format!(
            "---- {} {:?} {:?} {seats} {:?}\n",
            door.name, door.side, door.motion, door.notes
        );
    }
    match &scene.below {
        LowerRoom::Cross(cross) => {
            text += &drawn(&cross.left);
            text += &drawn(&cross.top);
            text += &drawn(&cross.corner);
            text += &format!(
                "{:?}\n{:?}\nk {:?} {:?} {}\n",
                cross.left_collar.as_ref().map(|c| &c.cells),
                cross.top_collar.as_ref().map(|c| &c.cells),
                cross.k,
                cross.followed,
                cross.count
            );
        }
        LowerRoom::Row(tiles) => tiles.iter().for_each(|tile| text += &drawn(tile)),
        LowerRoom::Nothing => text += "nothing below\n",
    }
    format!("{text}{:?}\n{:?} {:?}\n", scene.ways, scene.twin, scene.sums)
}

#[test]
fn look() {
    let kernel = std::env::var("K").unwrap_or_else(|_| "tiled".to_owned());
    let size: u32 = std::env::var("SIZE").unwrap_or_else(|_| "64".to_owned()).parse().unwrap();
    let at = std::env::var("AT")
        .unwrap_or_else(|_| "0 53 54 239 240 496 504 520 608 789 792 836".to_owned());
    let begun = std::time::Instant::now();
    let mut run = Run::of(problem(&kernel, size), Dim3::at(2, 2));
    println!("{:?}", begun.elapsed());
    println!("{}", run.plan.summary());
    let _ = run.block;
    for at in at.split(' ').map(|at| at.parse::<usize>().unwrap()) {
        let from = (0..at)
            .rev()
            .find(|from| {
                *from == 0 || run.trace.records()[*from - 1].pc != run.trace.records()[at - 1].pc
            })
            .unwrap_or(0);
        for progress in [EventProgress::OnTheWay(0.5), EventProgress::Settled] {
            println!("==== {at} (from {from}) {progress:?}\n{}", show(&run.at(at, from, progress)));
        }
    }
}
