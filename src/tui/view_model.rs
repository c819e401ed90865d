//! All that a frame shows, computed once before it is drawn.

use super::app::{App, Display, Measuring};
use super::facts::pointed;
use super::facts::redacted::Redacted;
use super::kernel_cache::Kernels;
use super::keymap::{Context, Keymap};
use super::layout::{Areas, Panel};
use super::lesson::{ActiveLesson, DialsState};
use super::page::{self, LaidOutPage};
use super::playback::Playback;
use super::run_view::RunView;
use super::screen::numbers::sums;
use super::session::Session;
use super::theme::Look;
use crate::matrix::SMALL;
use crate::report::pointed::Related;
use crate::study::stage::{EventProgress, LowerRoom, StageScene};
use crate::trace::OpKind;
use ratatui::layout::Rect;

/// A frame before it is drawn: the run, the areas, and what of the run may be seen.
pub struct ViewModel<'a> {
    pub app: &'a App,
    pub session: &'a Session,
    pub look: Look,
    pub keymap: &'a Keymap,
    pub lesson: Option<&'a ActiveLesson>,
    /// The dials, if they are on the screen.
    pub dials: Option<&'a DialsState>,
    pub playback: Playback,
    pub kernels: &'a Kernels,
    pub run: &'a RunView,
    pub display: &'a Display,
    pub measuring: &'a Measuring,
    pub areas: Areas,
    pub context: Context,
    pub redacted: Redacted<'a>,
    /// The page of the lesson, if it has room, and where it stands.
    pub page: Option<LaidOutPage>,
    pub page_area: Rect,
    /// Whether it is the page of the results.
    pub over: bool,
    /// What the stage shows, if that is on the screen and known.
    pub scene: Option<StageScene>,
    /// The same of the other kernel, beside it.
    pub scene_beside: Option<StageScene>,
    /// What belongs to the point.
    pub related: Option<Related>,
    /// The selected warp's part of the data, if the user has selected one.
    pub part: Option<Related>,
}

impl<'a> ViewModel<'a> {
    pub fn of(app: &'a App, screen: Rect) -> Self {
        let areas = app.areas_in(screen);
        Self {
            app,
            session: &app.run.session,
            look: app.look(),
            keymap: &app.keymap,
            lesson: app.mode.lesson(),
            dials: app.mode.dials(),
            playback: app.play.playback,
            kernels: &app.kernels,
            run: &app.run,
            display: &app.display,
            measuring: &app.measuring,
            context: app.context(),
            redacted: Redacted::of(app),
            page: page::laid(app, &areas),
            page_area: page::page_area(app, &areas),
            over: page::is_over(app),
            scene: app.stage_scene().map(|scene| number_sums(app, scene)),
            scene_beside: app.scene_beside(),
            related: pointed::related(app),
            part: pointed::part(app),
            areas,
        }
    }

    /// Whether what a panel shows is to be predicted.
    pub fn hides(&self, panel: Panel) -> bool {
        self.redacted.hides(panel)
    }
}

/// Writes the sums into the cells of C, as far as the event has come, where every number is shown.
fn number_sums(app: &App, mut scene: StageScene) -> StageScene {
    let (session, progress) = (&app.run.session, app.event_progress());
    if session.problem().seed != SMALL {
        return scene;
    }
    let LowerRoom::Cross(cross) = &mut scene.below else { return scene };
    let Some((rows, columns)) = session.problem().part(session.block()) else { return scene };
    let multiplies = session.place().step.as_ref().map(OpKind::of) == Some(OpKind::Fma);
    let arrived = matches!(progress, EventProgress::Goal(_) | EventProgress::Settled);
    for (element, sum) in sums(session, multiplies && !arrived) {
        let at = element.row.checked_sub(rows.start).zip(element.column.checked_sub(columns.start));
        let place = at.map(|(row, column)| (row * cross.corner.columns + column) as usize);
        if let Some(cell) = place.and_then(|place| cross.corner.cells.get_mut(place)) {
            cell.value = Some(sum as f32);
        }
    }
    scene
}
