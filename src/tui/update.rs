//! The effect of each action and event on the state.

mod dials;
mod edit;
mod focus;
mod follow;
mod hear;
mod lesson;
mod lesson_run;
mod measure;
mod overlay;
mod pick;
mod point;
mod refuse;
mod settle;
mod show;
mod staged;
mod tile;

use super::action::Action;
use super::app::{App, Overlay};
use super::director::Director;
use super::help;
use super::kernel_cache::KernelIndex;
use super::layout::{PANELS, Panel, SizeClass};
use super::measurements::{MeasureStatus, requests};
use super::motion::{Motion, Place};
use super::playback::{Speed, WarpSelection};
use super::session::{SeekGoal, Session};
use super::task::Task;
use crate::report::number::grouped;
use crate::trace::End;
use crate::trace::cursor::{StepSize, Want};

use focus::{focus, leave_zoom};
use show::{go_to, select_block};

pub(super) use refuse::moves;

/// Performs an action; returns the tasks to be done elsewhere.
pub fn update(app: &mut App, action: Action) -> Vec<Task> {
    app.message = None;
    if let Some(lesson) = app.mode.lesson_mut() {
        lesson.refused = false;
    }
    let (directed, was_stopped) = (app.is_directed(), app.is_stopped());
    if was_stopped && turns_sentence(app, action) {
        return app.settled();
    }
    if directed {
        match action {
            Action::Forward => return app.turn_row(Director::next_row),
            Action::Back => return app.turn_row(|director, _| director.previous_row()),
            _ if stops_directing(action) => app.play.playback.playing = false,
            _ => {}
        }
    }
    let is_card = app.overlay.is_none() && app.shows_finale();
    let closes_card = is_card && matches!(action, Action::BackOrQuit | Action::Escape);
    let (ended, was_covered) = (app.play.playback.ended, app.covers_finale());
    app.play.playback.ended = false;
    tile::leave_card(app, action);
    let before = moment(app);
    if !closes_card {
        act(app, action);
    }
    if directed && !app.play.playback.playing {
        app.play.stopped = Some(before.1);
    }
    // What covers the end leaves it as it was.
    let stays = before.1 == moment(app).1 && (was_covered || app.covers_finale());
    app.play.playback.ended |= ended && stays;
    if moment(app) != before && !app.is_stopped() && !was_stopped {
        // Only playback leads on from what was shown.
        app.play.motion = app.play.motion.take().map(|_| Motion::default());
    }
    app.settled()
}

/// Goes on, or back, to what else was to be said where a directed run was stopped; returns whether there
/// is such a sentence.
fn turns_sentence(app: &mut App, action: Action) -> bool {
    let turned = match action {
        Action::Forward => app.play.director.turn_sentence(true),
        Action::Back => app.play.director.turn_sentence(false),
        _ => false,
    };
    if turned {
        // Its picture is whole.
        app.play.motion = app.play.motion.take().map(|_| Motion::default());
    }
    turned
}

/// Whether an action stops a run that is directed where it is: all but those of its pace and its look.
const fn stops_directing(action: Action) -> bool {
    !matches!(
        action,
        Action::PlayPause
            | Action::Slower
            | Action::Faster
            | Action::NormalSpeed
            | Action::SwitchPace
            | Action::Seek(_)
            | Action::NextTheme
            | Action::SwitchGlyphs
            | Action::SwitchMouse
            | Action::SavePicture
            | Action::CopyLink
            | Action::Redraw
            | Action::Suspend
    )
}

/// What a motion depends on: whether the run plays, and where it is.
fn moment(app: &App) -> (bool, Place) {
    (app.is_playing(), (app.run.session.id(), app.run.session.at()))
}

fn act(app: &mut App, action: Action) {
    if refuse::takes(app, action) {
        return;
    }
    // What plays to a place in a lesson rests, and then plays or steps as the user has it.
    if moves(action) && lesson_run::rest(app) && action == Action::PlayPause {
        return;
    }
    match action {
        Action::PlayPause => play_or_pause(app),
        Action::Slower => app.play.playback.speed = app.play.playback.speed.slower(),
        Action::Faster => app.play.playback.speed = app.play.playback.speed.faster(),
        Action::NormalSpeed => app.play.playback.speed = Speed::default(),
        Action::SwitchPace => switch_pace(app),
        Action::Forward => step(app, Session::forward),
        Action::Back => step(app, Session::back),
        Action::LongerUnit => unit(app, 1),
        Action::ShorterUnit => unit(app, -1),
        Action::NextPhase => step(app, |session, _| session.forward(session.phase())),
        Action::PreviousPhase => step(app, |session, _| session.back(session.phase())),
        Action::NextMatch(want) => jump(app, app.run.session.next_match(want), want, true),
        Action::PreviousMatch(want) => jump(app, app.run.session.previous_match(want), want, false),
        Action::NextFinding => finding(app, true),
        Action::PreviousFinding => finding(app, false),
        Action::OpenFindings => app.overlay = Some(Overlay::Findings(app.run.session.found_here())),
        Action::First => step(app, |session, _| session.go(SeekGoal::Step(0))),
        Action::Last => end(app),
        Action::RaceAgain => app.play.playback.end(),
        Action::ClimbOn => climb_on(app),
        Action::Restart => restart(app),
        Action::Seek(index) => seek(app, index),
        Action::Down => scroll(app, 1),
        Action::Up => scroll(app, -1),
        Action::SelectWarp(warp) => select_warp(app, warp),
        Action::NextKernel => show_kernel(app, app.kernels.beside()),
        Action::NextRung => show_kernel(app, app.kernels.next_rung()),
        Action::PreviousRung => show_kernel(app, app.kernels.previous_rung()),
        Action::NextTile => tile::turn(app, 1),
        Action::PreviousTile => tile::turn(app, -1),
        Action::NextOrder => next_order(app),
        Action::OpenBlocks => {
            app.overlay = Some(Overlay::Blocks(app.run.session.block(), String::new()));
        }
        Action::SelectBlock(block) => select_block(app, block),
        Action::Follow => point::follow(app),
        Action::FollowElement(element) => point::follow_element(app, element),
        Action::Value(action) => follow::update(app, action),
        Action::Point(point) => point::at(app, point),
        Action::Hover(point) => point::hover(app, point),
        Action::PointHere => point::here(app),
        Action::MovePoint(down, right) => point::walk(app, down.into(), right.into()),
        Action::SwitchView => staged::switch(app),
        Action::SwitchNumbers => staged::numbers(app),
        Action::Zoom(panel) if app.shows_stage() => staged::join(app, panel),
        Action::Zoom(panel) => zoom(app, panel),
        Action::ZoomFocused => zoom_focused(app),
        Action::Focus(panel) => focus(app, panel),
        Action::FocusNext => focus_by(app, 1),
        Action::FocusPrevious => focus_by(app, -1),
        Action::SwitchListing => switch_listing(app),
        Action::SwitchDetail => app.display.detail = app.display.detail.other(),
        Action::TimelineCloser => app.display.chart.closer(),
        Action::TimelineWider => app.display.chart.wider(),
        Action::NextTheme => next_theme(app),
        Action::SwitchGlyphs => switch_glyphs(app),
        Action::SwitchMouse => switch_mouse(app),
        Action::Blank => app.overlay = Some(Overlay::Blank),
        Action::SavePicture => app.tasks.push(Task::SavePicture),
        Action::CopyLink => copy_link(app),
        Action::Redraw => app.tasks.push(Task::Redraw),
        Action::Edit(action) => edit::update(app, action),
        Action::OpenMeasure => measure::open(app),
        Action::Measure(turn) => measure::update(app, turn),
        Action::MeasureAgain => measure_again(app),
        Action::Help => app.overlay = Some(Overlay::Help(help_line(app))),
        Action::Lesson if edit::hide(app) => {}
        Action::Lesson => lesson::open(app),
        Action::Walk(action) => {
            if let Some(action) = lesson::act(app, action) {
                act(app, action);
            }
        }
        Action::Dial(action) => dials::update(app, action),
        Action::Course(action) => lesson::on_list(app, action),
        Action::OpenPalette => app.overlay = Some(Overlay::Palette(String::new(), 0)),
        Action::BackOrQuit => {
            app.over = !measure::leave(app)
                && !app.run.leave_point()
                && !leave_zoom(app)
                && !staged::close(app)
                && !lesson::return_from_copy(app)
                && !lesson::leave(app);
        }
        Action::Escape => escape(app),
        Action::Suspend => app.tasks.push(Task::Suspend),
        Action::Quit => app.over = true,
        Action::Overlay(motion) => {
            if let Some(action) = overlay::update(app, motion) {
                act(app, action);
            }
        }
    }
}

fn end(app: &mut App) {
    step(app, |session, _| session.go(SeekGoal::End));
    app.begin_finale();
}

/// Plays the next faster kernel from its start.
fn climb_on(app: &mut App) {
    let next = app.next_climb();
    restart(app);
    show_kernel(app, next);
    app.play.playback.playing = true;
}

/// The answer to a request to measure in a page.
const IN_THE_PROGRAM: &str =
    "a page cannot measure; the program can: `cargo install --path .` in a clone";

fn copy_link(app: &mut App) {
    if app.link().is_some() {
        app.tasks.push(Task::CopyLink);
    } else {
        app.message = Some("no link leads here: it is a kernel of your own".to_owned());
    }
}

fn measure_again(app: &mut App) {
    match app.measuring.device {
        Some(_) if app.measuring.measures.status == MeasureStatus::NoGpu => {
            app.message = Some(measure::NO_GPU.to_owned());
        }
        Some(device) => {
            app.tasks.push(Task::Measure(requests(&app.kernels.cache.problems(), device)));
        }
        None if app.keymap.is_page() => app.message = Some(IN_THE_PROGRAM.to_owned()),
        None => app.message = Some("nothing is measured: started with --gpu none".to_owned()),
    }
}

fn play_or_pause(app: &mut App) {
    if !app.play.playback.playing && app.run.session.at_end() {
        app.run.session.go(SeekGoal::Step(0));
    }
    app.play.playback.playing = !app.play.playback.playing;
}

fn switch_pace(app: &mut App) {
    app.play.playback.pace = app.play.playback.pace.other();
    app.message = Some(format!("plays {}", app.play.playback.pace.name()));
}

/// Steps through the run. A step by hand pauses playback, so that the user can look at it.
fn step(app: &mut App, go: impl FnOnce(&mut Session, StepSize)) {
    app.play.playback.playing = false;
    go(&mut app.run.session, app.play.playback.unit);
    app.moved();
}

/// Goes to a position without pausing playback.
fn seek(app: &mut App, index: usize) {
    app.run.session.go(SeekGoal::Step(index));
    app.moved();
}

/// Goes to the place of a match, or says that there is none in that direction.
fn jump(app: &mut App, place: Option<usize>, want: Want, forwards: bool) {
    let Some(place) = place else {
        let what = match want {
            Want::Memory => "load or store",
            Want::Barrier => "barrier",
            Want::Conflict => "bank conflict",
        };
        let so_far =
            if app.run.session.trace().complete() { "" } else { ", as far as is recorded" };
        app.message = Some(format!("no {what} {}{so_far}", side(forwards)));
        return;
    };
    app.play.playback.playing = false;
    app.run.session.go(SeekGoal::Step(place));
    app.moved();
}

/// Where a search has found nothing.
const fn side(forwards: bool) -> &'static str {
    if forwards { "after this step" } else { "before this step" }
}

fn finding(app: &mut App, forwards: bool) {
    // From the list of findings, it goes there.
    app.overlay = None;
    let Some(step) = app.run.session.next_wrong(forwards) else {
        app.message = Some(match app.run.session.found() {
            None => "the run is still being checked".to_owned(),
            Some([]) if app.run.session.trace().end() == Some(&End::Cut) => {
                let steps = grouped(app.run.session.trace().len() as u64);
                format!("nothing wrong was found in the {steps} steps that are recorded")
            }
            Some([]) => {
                let (grid, block) =
                    (app.run.session.problem().launch.grid, app.run.session.block());
                format!("nothing wrong was found in block ({})", block.place_in(grid))
            }
            Some(_) => format!("nothing wrong {}", side(forwards)),
        });
        return;
    };
    go_to(app, step);
}

fn restart(app: &mut App) {
    app.play.playback.playing = false;
    app.run.session.go(SeekGoal::Step(0));
    (app.run.warp, app.run.watch) = (0, WarpSelection::Issuing);
}

fn unit(app: &mut App, by: isize) {
    let index = StepSize::ALL.iter().position(|unit| *unit == app.play.playback.unit).unwrap_or(0);
    let index = index.saturating_add_signed(by).min(StepSize::ALL.len() - 1);
    app.play.playback.unit = StepSize::ALL[index];
    // A narrow status bar has no room for it.
    app.message =
        Some(format!("a step is one {} now", app.run.session.unit_name(StepSize::ALL[index])));
}

/// Scrolls the focused list; on other panels, selects another warp.
fn scroll(app: &mut App, by: i32) {
    if app.scrolls_listing() {
        app.display.scroll = app.display.scroll.saturating_add(by).clamp(-9999, 9999);
    } else {
        select_warp(app, app.run.warp.saturating_add_signed(by as isize));
    }
}

fn select_warp(app: &mut App, warp: usize) {
    app.run.select(warp);
    app.run.watch = WarpSelection::Chosen;
}

/// Shows another kernel, after the same amount of work.
fn show_kernel(app: &mut App, other: Option<KernelIndex>) {
    match other {
        Some(place) => app.turn_to(place),
        None => app.message = Some("there is no other kernel to show".to_owned()),
    }
}

fn next_order(app: &mut App) {
    let order = app.run.session.order().next();
    app.show_at_work(|was, id| was.again(id, was.block(), order));
}

/// Zooms a panel. On a small screen, a panel without an area of its own is first shown as a guest.
fn zoom(app: &mut App, panel: Panel) {
    let areas = app.areas();
    if app.display.wanted.zoomed == Some(panel) {
        app.display.wanted.zoomed = None;
        return;
    }
    let focused = app.display.wanted.focus == panel;
    focus(app, panel);
    match (areas.class, areas.panel(panel)) {
        (SizeClass::Small, None) if panel.row().is_guest && app.display.wanted.zoomed.is_none() => {
        }
        // On a single-panel screen, the focused panel has the whole area anyway.
        (SizeClass::Single, _) if !focused && app.display.wanted.zoomed.is_none() => {}
        _ => app.display.wanted.zoomed = Some(panel),
    }
}

fn zoom_focused(app: &mut App) {
    if app.shows_stage() {
        app.display.wanted.zoomed = app.display.stage.drawer;
        return;
    }
    app.display.wanted.zoomed = match app.display.wanted.zoomed {
        Some(_) => None,
        None => Some(app.display.wanted.focus),
    };
}

/// Moves the focus among the panels on the screen, or among all if only one is shown.
fn focus_by(app: &mut App, by: isize) {
    let areas = app.areas();
    let one = areas.panels.len() == 1;
    let ring = PANELS.iter().filter(|row| row.command.is_some()).map(|row| row.panel);
    let ring: Vec<_> = ring.filter(|panel| one || areas.panel(*panel).is_some()).collect();
    let from =
        ring.iter().position(|panel| *panel == app.display.wanted.focus).unwrap_or(0) as isize;
    let to = (from + by).rem_euclid(ring.len().max(1) as isize) as usize;
    if let Some(panel) = ring.get(to) {
        focus(app, *panel);
    }
}

/// Goes back one level; at the top level, shows the warp that executed the last step again.
fn escape(app: &mut App) {
    if lesson::stop(app) {
        return;
    }
    if !measure::leave(app) && !app.run.leave_point() && !leave_zoom(app) && !staged::close(app) {
        app.run.watch = WarpSelection::Issuing;
        app.moved();
    }
}

/// Returns the help's first line: it opens at the keys, on the stage at the word that is explained.
fn help_line(app: &App) -> u16 {
    let aside = app.display.stage.aside.as_ref().filter(|_| app.shows_stage());
    let Some(aside) = aside else { return 0 };
    let lines = help::lines(&app.keymap, app.context());
    let is_it = |line: &help::HelpLine| matches!(line, help::HelpLine::Word(entry) if aside.label.contains(entry.name));
    let Some(at) = lines.iter().position(is_it) else { return 0 };
    let words = help::starts(&lines).get(1).copied().unwrap_or(0);
    // The words before it stay on the page if it has room for them.
    if (at as u16) < words + help::page(app.size()) { words } else { at as u16 }
}

fn switch_listing(app: &mut App) {
    app.display.scroll = 0;
    app.display.language = app.display.language.other();
}

fn next_theme(app: &mut App) {
    app.display.look.theme = app.display.look.theme.next();
    app.message = Some(format!("theme: {}", app.display.look.theme.name()));
}

fn switch_glyphs(app: &mut App) {
    app.display.look.glyphs = app.display.look.glyphs.other();
}

fn switch_mouse(app: &mut App) {
    app.display.mouse = !app.display.mouse;
    app.tasks.push(Task::Mouse(app.display.mouse));
    let text = if app.display.mouse { "mouse on" } else { "mouse off: text can be selected" };
    app.message = Some(text.to_owned());
}
