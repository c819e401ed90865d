//! The actions of the Measure screen.

use crate::report::charts::Traffic;
use crate::report::ladder;
use crate::tui::action::MeasureAction;
use crate::tui::app::App;
use crate::tui::ladder_run::{LadderOrder, LadderRun};
use crate::tui::measure_view::MeasureView;
use crate::tui::measurements::MeasureStatus;
use crate::tui::task::Task;

/// The answer to a request to measure on a machine without a GPU.
pub(super) const NO_GPU: &str = "no GPU here: what is shown was recorded";

/// Opens the Measure screen with the shown kernel selected.
pub(super) fn open(app: &mut App) {
    let Some(pack) = app.measuring.times.pack(false) else {
        app.message = Some("no times are recorded".to_owned());
        return;
    };
    let size = ladder::telling_size(pack, app.measuring.measures.size);
    app.measuring.measure_view =
        Some(MeasureView::new(pack, size, app.run.session.problem().name()));
    app.play.playback.playing = false;
}

/// Goes back one level: cancels a measurement or a long simulation, leaves a picture shown alone,
/// or closes the screen. Returns whether the Measure screen was open.
pub(super) fn leave(app: &mut App) -> bool {
    let Some(board) = &mut app.measuring.measure_view else { return false };
    if let Some(live) = app.measuring.times.live.as_mut().filter(|live| live.is_running()) {
        live.stop();
        app.tasks.push(Task::StopMeasuring);
    } else if app.measuring.times.stop_counting() {
        // The counts then hold the reason, which the pictures show.
    } else if board.alone {
        board.alone = false;
    } else {
        app.measuring.measure_view = None;
    }
    true
}

/// Performs an action of the Measure screen.
pub(super) fn update(app: &mut App, turn: MeasureAction) {
    match turn {
        MeasureAction::Measure => measure(app),
        MeasureAction::Origin => origin(app),
        MeasureAction::Traffic => traffic(app),
        _ => {
            let Some(board) = app.measuring.measure_view else { return };
            if let Some(pack) = app.measuring.times.pack(board.live) {
                app.measuring.measure_view = Some(board.turned(pack, turn));
            }
        }
    }
}

/// Measures the ladder at the size shown; rows appear as they arrive.
fn measure(app: &mut App) {
    let (Some(board), Some(device)) = (&mut app.measuring.measure_view, app.measuring.device)
    else {
        app.message = Some("nothing is measured: started with --gpu none".to_owned());
        return;
    };
    if app.measuring.measures.status == MeasureStatus::NoGpu {
        app.message = Some(NO_GPU.to_owned());
        return;
    }
    if app.measuring.times.live.as_ref().is_some_and(LadderRun::is_running) {
        app.message = Some("it is being measured: Esc stops it".to_owned());
        return;
    }
    let number = app.measuring.times.live.as_ref().map_or(0, |live| live.order().number + 1);
    let order = LadderOrder { number, device, size: board.size };
    app.measuring.times.live = Some(LadderRun::new(order));
    // Until the first row arrives, only the recorded measurements can be shown.
    board.live = false;
    app.tasks.push(Task::MeasureLadder(order));
}

/// Shows the traffic with the other memory in the roofline.
fn traffic(app: &mut App) {
    let Some(board) = &mut app.measuring.measure_view else { return };
    let shown = app.measuring.times.shown(board).map(|shown| shown.traffic);
    board.traffic = shown.map(Traffic::other);
}

/// Switches between recorded measurements and those taken on this machine.
fn origin(app: &mut App) {
    let Some(board) = app.measuring.measure_view else { return };
    let Some((from, to)) =
        app.measuring.times.pack(board.live).zip(app.measuring.times.pack(!board.live))
    else {
        app.message = Some("nothing was measured here: r measures the ladder".to_owned());
        return;
    };
    let sizes = ladder::sizes(&to.rows);
    let same = sizes.iter().find(|size| **size == board.size);
    let size = same.copied().unwrap_or_else(|| ladder::first_size(&to.rows));
    let moved = board.moved((from, board.size), (to, size));
    app.measuring.measure_view = Some(MeasureView { live: !board.live, ..moved });
}
