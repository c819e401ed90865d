//! `matviz export run`: the run as it plays, as a picture that moves or a recording; or as a timeline of
//! trace events.

use super::args::Args;
use super::frame::SCREEN;
use crate::analysis::vectorise::SmemVectorisation;
use crate::cli::BadUse;
use crate::cli::form::OutputForm;
use crate::cli::output::print_coloured;
use crate::cli::working::Working;
use crate::export::{Animation, Buffer, Cast, Ground};
use crate::report::perfetto::BlockTimeline;
use crate::study::findings::BlockRun;
use crate::trace::{Recorder, Trace};
use crate::tui::film::Film;
use crate::tui::lesson::Lessons;
use crate::tui::theme::Look;
use crate::tui::{StartOptions, ground};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

/// How long the last frame stays before the picture begins anew.
const REST: Duration = Duration::from_secs(2);

/// Plays the run, and prints what is made of it.
pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let form = args.form(&[OutputForm::Svg, OutputForm::Cast, OutputForm::Json])?;
    if form == OutputForm::Text {
        let told = "a run is a picture that moves, a recording or a timeline: -o FILE.svg, FILE.cast or \
                    FILE.json";
        return Err(BadUse(told.to_owned()).into());
    }
    args.refuse_of_run(form)?;
    let (shown, kernel) = args.shown.of(args.target()?)?;
    // The same for everybody: no learner's progress, whatever the terminal of this command.
    let (options, _) = shown.options(kernel, Look::default())?;
    let options = StartOptions { lessons: Lessons::default(), ..options };
    let text = if form == OutputForm::Json { timeline(options) } else { args.film(form, options) }?;
    // Its text is the program's own.
    print_coloured(&text)?;
    Ok(ExitCode::SUCCESS)
}

impl Args {
    /// Plays the run and makes a picture that moves of it, or a recording.
    fn film(&self, form: OutputForm, options: StartOptions) -> anyhow::Result<String> {
        let (from, to) = (self.from.unwrap_or(0), self.to.unwrap_or(usize::MAX));
        if from > to {
            return Err(
                BadUse(format!("--from {from} --to {to}: the end is before the start")).into()
            );
        }
        let (ground, screen) = (ground(options.look), self.screen.unwrap_or(SCREEN));
        let keys = self.keys.as_ref().map_or(&[][..], |keys| &keys.0);
        let problem = &options.problems[options.kernel];
        let title = format!("matviz: {} at {}, played step by step", problem.name(), problem.size);
        let _working = Working::on(format!("playing {}", problem.name()));
        let (mut film, reached) = Film::new(options, screen, from..to, keys)?;
        if reached < from {
            return Err(
                BadUse(format!("--from {from}: the block's run has {reached} steps")).into()
            );
        }
        if form == OutputForm::Cast {
            let mut cast = Cast::new(screen, ground, &title);
            for frame in film.by_ref() {
                cast.show(frame.since, &frame.picture, &frame.said)?;
            }
            return Ok(cast.text(film.length() + REST));
        }
        let nothing = || BadUse(format!("--from {from}: nothing follows this step"));
        Ok(animated(film, None, ground, &title).ok_or_else(nothing)?)
    }

    /// Refuses what changes nothing in a run.
    fn refuse_of_run(&self, form: OutputForm) -> Result<(), BadUse> {
        let is_timeline = form == OutputForm::Json;
        let is_drawn = self.screen.is_some() || self.keys.is_some() || self.shown.look.is_given();
        let told = if self.only.is_some() {
            "--only is for the roofline: leave it out"
        } else if self.step.is_some() {
            "--step is for a frame; --from and --to give the steps of a run"
        } else if is_timeline && (self.has_steps() || is_drawn) {
            "a timeline holds the whole run of a block and is not drawn: leave out --from, --to, --keys, \
             --screen and --set"
        } else {
            return Ok(());
        };
        Err(BadUse(told.to_owned()))
    }
}

/// The picture of a run that plays; `None` if it has no frame. It ends with `end`, if there is one.
pub(in crate::cli) fn animated(
    mut film: Film,
    end: Option<&Buffer>,
    ground: Ground,
    title: &str,
) -> Option<String> {
    let first = film.next()?;
    let mut animation = Animation::new(&first.picture, ground);
    let mut last = first.since;
    while let Some(frame) = film.next_sparse(last) {
        animation.show(frame.since, &frame.picture);
        last = frame.since;
    }
    if let Some(end) = end {
        animation.show(film.length(), end);
    }
    Some(animation.svg(film.length() + REST, title))
}

/// The number of steps that are recorded at a time.
const CHUNK: usize = 1 << 16;

/// The run of the block as trace events.
///
/// # Errors
/// PTX that cannot be run.
fn timeline(options: StartOptions) -> anyhow::Result<String> {
    let StartOptions { mut problems, kernel, block, order, .. } = options;
    let problem = problems.swap_remove(kernel);
    let program = problem.program()?;
    let _working = Working::on(format!("running a block of {}", problem.name()));
    let run = BlockRun { problem, program, block, order };
    let BlockRun { problem, program, .. } = &run;
    let memory = problem.sparse_memory(program);
    let machine = problem.machine(Arc::clone(program), block, memory, run.order.clone());
    let mut recorder = Recorder::new(machine, Arc::new(SmemVectorisation::of(program)));
    let mut trace = Trace::new(&recorder);
    while !trace.complete() {
        trace.append(recorder.record(CHUNK));
    }
    let supersteps = &run.look().supersteps;
    Ok(BlockTimeline { problem, block, trace: &trace, supersteps }.json())
}
