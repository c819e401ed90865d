//! `matviz export`: the run as it plays, as a picture that moves or a recording; and as trace events.

use super::BadUse;
use super::working::Working;
use crate::analysis::vectorise::SmemVectorisation;
use crate::export::{Animation, Cast};
use crate::report::perfetto::BlockTimeline;
use crate::study::findings::BlockRun;
use crate::trace::{Recorder, Trace};
use crate::tui::film::Film;
use crate::tui::keymap::Key;
use crate::tui::{StartOptions, ground};
use std::sync::Arc;
use std::time::Duration;

/// The steps that are shown.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(super) struct Steps {
    /// First step of a picture that moves [default: 0]
    #[arg(long, value_name = "N")]
    from: Option<usize>,
    /// Last step of a picture that moves [default: the last of the run]
    #[arg(long, value_name = "N")]
    to: Option<usize>,
}

/// What is made of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FilmKind {
    /// One animated SVG.
    Svg,
    /// A recording for asciinema.
    Cast,
}

/// How long the last frame stays before the picture begins anew.
const REST: Duration = Duration::from_secs(2);

/// The time between two frames of an SVG: half as many as on the screen, which browsers show with half
/// the work.
const GAP: Duration = Duration::from_millis(60);

impl Steps {
    /// Whether any is given.
    pub(super) const fn is_given(&self) -> bool {
        self.from.is_some() || self.to.is_some()
    }

    /// Plays the run and makes a text of it.
    ///
    /// # Errors
    /// Steps that the run does not have, PTX that cannot be run.
    pub(super) fn film(
        &self,
        kind: FilmKind,
        options: StartOptions,
        screen: (u16, u16),
        keys: &[Key],
    ) -> anyhow::Result<String> {
        let (from, to) = (self.from.unwrap_or(0), self.to.unwrap_or(usize::MAX));
        if from > to {
            return Err(
                BadUse(format!("--from {from} --to {to}: the end is before the start")).into()
            );
        }
        let ground = ground(options.look);
        let problem = &options.problems[options.kernel];
        let title = format!("matviz: {} at {}, played step by step", problem.name(), problem.size);
        let _working = Working::on(format!("playing {}", problem.name()));
        let (mut film, reached) = Film::new(options, screen, from..to, keys)?;
        if reached < from {
            return Err(
                BadUse(format!("--from {from}: the block's run has {reached} steps")).into()
            );
        }
        let nothing = || BadUse(format!("--from {from}: nothing follows this step"));
        match kind {
            FilmKind::Svg => {
                let first = film.next().ok_or_else(nothing)?;
                let mut animation = Animation::new(&first.picture, ground);
                let mut last = first.since;
                while let Some(frame) = film.next() {
                    let gaps = [frame.since - last, film.length() - frame.since];
                    if gaps.into_iter().any(|gap| gap >= GAP) {
                        animation.show(frame.since, &frame.picture);
                        last = frame.since;
                    }
                }
                Ok(animation.svg(film.length() + REST, &title))
            }
            FilmKind::Cast => {
                let mut cast = Cast::new(screen, ground, &title);
                for frame in film.by_ref() {
                    cast.show(frame.since, &frame.picture, &frame.said)?;
                }
                Ok(cast.text(film.length() + REST))
            }
        }
    }
}

/// The number of steps that are recorded at a time.
const CHUNK: usize = 1 << 16;

/// The run of the block as trace events.
///
/// # Errors
/// PTX that cannot be run.
pub(super) fn timeline(options: StartOptions) -> anyhow::Result<String> {
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
