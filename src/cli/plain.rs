//! `--format text`: the run of one block as lines of text, for pipes, screen readers and tests.

use super::output::{StdoutReader, print};
use super::working::Working;
use crate::analysis::vectorise::SmemVectorisation;
use crate::kernel::Problem;
use crate::launch::Dim3;
use crate::report::found::FindingInRun;
use crate::report::sentence::whole;
use crate::sim::{Order, Program};
use crate::study::findings::BlockRun;
use crate::study::stage::StagePlan;
use crate::trace::cursor::{StepSize, next};
use crate::trace::{End, Recorder, Replay, Trace};
use crate::work::WorkToken;
use std::process::ExitCode;
use std::sync::Arc;

/// How the stage of a block is laid out, or why it has none, as a line.
pub fn stage(problem: &Problem, program: &Arc<Program>, block: Dim3) -> String {
    let plan = StagePlan::derive(problem, program, block, &WorkToken::default());
    let told = plan.map_or_else(|none| none.to_string(), |plan| plan.summary());
    format!("{told}\n")
}

/// The number of steps recorded before the first line is printed, and between the following ones.
const CHUNK: usize = 4096;

/// Prints one line per event of the block (an access, a multiply-add, a barrier), until the block
/// ends or the reader closes the pipe. The line of a step says if an error shows there, and all
/// errors are listed again at the end.
///
/// # Errors
/// stdout cannot be written.
pub fn run(
    problem: &Problem,
    program: Arc<Program>,
    block: Dim3,
    order: Order,
) -> anyhow::Result<ExitCode> {
    let suspect = BlockRun {
        problem: problem.clone(),
        program: Arc::clone(&program),
        block,
        order: order.clone(),
    };
    let working = Working::on(format!("checking a block of {}", problem.name()));
    let found = FindingInRun::all(&suspect, &suspect.look());
    drop(working);
    let memory = problem.sparse_memory(&program);
    let joins = Arc::new(SmemVectorisation::of(&program));
    let machine = problem.machine(program, block, memory, order);
    let mut recorder = Recorder::new(machine, joins);
    let (mut trace, mut replay) = (Trace::new(&recorder), Replay::new(&recorder));
    let tile = problem.fma_per_tile(block);
    let mut at = 0;
    loop {
        while !trace.complete() && trace.len() < at + CHUNK {
            trace.append(recorder.record(CHUNK));
        }
        replay.seek(&trace, at);
        if print(&line(problem, &trace, &replay, &found))? == StdoutReader::Gone {
            return Ok(ExitCode::SUCCESS);
        }
        if at >= trace.len() {
            break;
        }
        let event = next(&trace, at, StepSize::Event, tile);
        let shown = found.iter().flat_map(|found| &found.shows).map(|shows| shows.step);
        at = shown.filter(|step| (at + 1..event).contains(step)).min().unwrap_or(event);
    }
    for found in &found {
        if print(&summed(found))? == StdoutReader::Gone {
            break;
        }
    }
    let wrong = is_fault(&trace) || !found.is_empty();
    Ok(if wrong { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn is_fault(trace: &Trace) -> bool {
    matches!(trace.end(), Some(End::Fault(_)))
}

/// `race: lane 0 of warp 0 loads ...`, and the advice.
fn summed(found: &FindingInRun) -> String {
    format!("{}: {}. {}\n", found.kind, found.message, found.advice)
}

/// `step 25, tiled.cu line 34: Warp 3 waits ...`
fn line(problem: &Problem, trace: &Trace, replay: &Replay, found: &[FindingInRun]) -> String {
    let place = replay.snapshot();
    let source = place.step.as_ref().and_then(|step| trace.line(step.pc));
    let pc = place.step.as_ref().map(|step| step.pc);
    let other = pc.and_then(|pc| trace.program().other_file(pc));
    let source = source.map(|line| match (other, &problem.source) {
        (Some(file), _) => format!(", {} line {line}", file.name()),
        (None, Some(source)) => format!(", {} line {line}", source.file),
        (None, None) => format!(", line {line} of its source"),
    });
    let source = source.unwrap_or_default();
    let mut wrong = found.iter().flat_map(|found| &found.shows);
    let wrong = wrong.find(|shows| shows.step == place.index).filter(|_| !is_fault(trace));
    let told = wrong.map_or_else(|| whole(problem, trace, replay), |shows| shows.sentence.clone());
    let by = problem.compiled_by().filter(|_| place.index == 0);
    let by = by.map_or_else(String::new, |by| format!(" Its PTX was compiled by {by}."));
    format!("step {}{source}: {told}{by}\n", place.index)
}
