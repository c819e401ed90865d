//! The screen with a lesson at one of its pages.

use super::memo::RunMemo;
use crate::kernel::KERNELS;
use crate::launch::Dim3;
use crate::lesson::diagnostic::{Diagnostic, WALK};
use crate::lesson::document::{Course, Lesson};
use crate::matrix::Size;
use crate::sim::Order;
use crate::timing::pack;
use crate::tui::app::{App, FirstRun, StartOptions};
use crate::tui::config::Config;
use crate::tui::headless::settle_by;
use crate::tui::layout::ScreenView;
use crate::tui::lesson::{Lessons, Opening};
use crate::tui::theme::Look;
use std::borrow::Cow;
use std::sync::Arc;

/// The size of the run that stands before the lesson begins.
const SMALLEST: u32 = 16;

/// The screen with a lesson at a page, from 1, and the numbers of a seed.
pub(super) fn opened(
    course: &Arc<Course>,
    (lesson, page): (&Lesson, usize),
    memo: &RunMemo,
    (screen, seed): ((u16, u16), u64),
) -> Result<App, Box<Diagnostic>> {
    let lessons = Lessons {
        course: Some(Arc::clone(course)),
        open: Some(Opening::Page(lesson.number, page)),
        seed: Some(seed),
        cache: memo.cache.clone(),
        ..Lessons::default()
    };
    let failed =
        |why: String| Box::new(Diagnostic::at(WALK, &lesson.file, &lesson.text, 0..0, why));
    let (mut app, tasks) =
        App::new(options(lessons), screen).map_err(|why| failed(why.to_string()))?;
    settle_by(&mut app, tasks, |app, task| memo.done(app, task));
    Ok(app)
}

/// A screen that opens with a lesson; a small run stands until its first page is there.
fn options(lessons: Lessons) -> StartOptions {
    let problems = KERNELS.iter().take(1);
    let run = FirstRun {
        problems: problems.map(|kernel| kernel.problem_for(Size::square(SMALLEST))).collect(),
        kernel: 0,
        block: Dim3::at(0, 0),
        order: Order::ByPhase,
    };
    let options = StartOptions::new(run, &Config::default(), Look::default(), lessons);
    let pack = pack::packs().first().map(Cow::Borrowed);
    StartOptions { motion: false, view: ScreenView::Workbench, pack, ..options }
}
