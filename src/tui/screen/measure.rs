//! The Measure screen: pictures of the ladder's measurements on a GPU.

mod places;

pub use places::picture_at;

use crate::tui::keymap::Context;
use crate::tui::layout::inner;
use crate::tui::layout::text::fitting;
use crate::tui::measure_view::{MeasureData, MeasureView};
use crate::tui::theme::Look;
use crate::tui::view_model::ViewModel;
use crate::tui::widget::footer::Footer;
use crate::tui::widget::panel::{PanelFrame, frames};
use crate::tui::widget::pictures::{Picture, PictureScene};
use crate::tui::widget::status::StatusBar;
use places::{places, rows};
use ratatui::buffer::Buffer;
use ratatui::layout::Constraint::{Fill, Length};
use ratatui::layout::{Layout, Rect};
use ratatui::style::Style;
use ratatui::text::Span;
use ratatui::widgets::{Clear, Widget};

pub fn draw(view: &ViewModel<'_>, board: &MeasureView, area: Rect, buf: &mut Buffer) {
    Clear.render(area, buf);
    buf.set_style(area, view.look.ground());
    let Some(scene) = view.measuring.times.scene(board, view.look) else { return };
    let [status, sentence, middle, footer] = rows(area);
    bar(&scene, status, buf);
    let (words, style) = words(view, board, &scene, sentence.width.saturating_sub(2));
    Span::styled(format!(" {words}"), style).render(sentence, buf);
    let places = places(middle, board);
    pictures(board, &scene, &places, buf);
    let (keymap, look) = (view.keymap, view.look);
    let context = view.app.overlay.as_ref().map_or(Context::Measure, |_| Context::Overlay);
    let message = view.app.message.as_deref();
    let idle = &idle(view, board, &places);
    Footer::over_the_run(keymap, context, idle, message, look).render(footer, buf);
}

/// Returns the names of the commands that would change nothing in these pictures.
fn idle(
    view: &ViewModel<'_>,
    board: &MeasureView,
    places: &[(Picture, Rect)],
) -> Vec<&'static str> {
    let roofline = places.iter().any(|(picture, _)| *picture == Picture::Roofline);
    let several = places.len() > 1 || board.alone;
    let here = [("traffic", !roofline), ("picture-alone", !several)];
    view.app
        .idle()
        .into_iter()
        .chain(here.iter().filter_map(|(name, idle)| idle.then_some(*name)))
        .collect()
}

/// The least number of rows at which the ladder has room to spare.
const ROOMY: u16 = 24;

/// Draws one picture for a page: its sentence, the picture, its origin.
pub fn alone(times: &MeasureData, board: &MeasureView, look: Look, buf: &mut Buffer) {
    let area = buf.area;
    buf.set_style(area, look.ground());
    let Some(scene) = times.scene(board, look) else { return };
    // The ladder states its origin itself, and needs every row of a small picture.
    let source = u16::from(board.picture != Picture::Ladder);
    let gap = u16::from(board.picture != Picture::Ladder || area.height > ROOMY);
    let [sentence, _, middle, source] =
        Layout::vertical([Length(1), Length(gap), Fill(1), Length(source)]).areas(area);
    let inside = |area: Rect| Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area };
    let words = (board.picture.row().sentence)(&scene.shown);
    let bold = look.bold();
    Span::styled(fitting(&words, sentence.width.saturating_sub(2)), bold)
        .render(inside(sentence), buf);
    let note = (board.picture.row().draw)(&scene, inside(middle), buf);
    let origin = match board.picture {
        // The ladder's own last row states it.
        Picture::Ladder => String::new(),
        _ => format!("size {}, {}; {note}", scene.shown.size, scene.origin()),
    };
    Span::styled(origin, look.dim()).render(inside(source), buf);
}

fn bar(scene: &PictureScene<'_>, area: Rect, buf: &mut Buffer) {
    let pack = scene.shown.pack;
    let driver = pack.driver.as_deref().map(|driver| format!("driver {driver}"));
    let items = ["Measure".to_owned(), format!("size {}", scene.shown.size), scene.origin()];
    let cuda = format!("CUDA {}", pack.cuda);
    let items: Vec<_> = items.into_iter().chain(driver).chain([cuda]).collect();
    StatusBar { items: &items, pace: "", playing: false, look: scene.look }.render(area, buf);
}

/// Returns the state of the measurement, or the sentence of the focused picture.
fn words(
    view: &ViewModel<'_>,
    board: &MeasureView,
    scene: &PictureScene<'_>,
    room: u16,
) -> (String, Style) {
    let look = scene.look;
    let going_on = view.measuring.times.live.as_ref().map(|live| (live.line(), live.is_running()));
    let shows = |(line, running): &(String, bool)| !line.is_empty() && (*running || board.live);
    if let Some((line, _)) = going_on.filter(shows) {
        return (line, look.chosen());
    }
    let words = (board.picture.row().sentence)(&scene.shown);
    (fitting(&words, room).to_owned(), look.chosen())
}

/// Draws all contents before all frames, since neighbours share borders.
fn pictures(
    board: &MeasureView,
    scene: &PictureScene<'_>,
    places: &[(Picture, Rect)],
    buf: &mut Buffer,
) {
    let content = |(picture, area): &(Picture, Rect), buf: &mut Buffer| {
        let inner = inner(*area);
        let inner = Rect { width: inner.width.saturating_sub(1), ..inner };
        (picture.row().draw)(scene, inner, buf)
    };
    let notes: Vec<_> = places.iter().map(|place| content(place, buf)).collect();
    let all = places.iter().zip(&notes).map(|((picture, area), note)| {
        let (row, focused) = (picture.row(), *picture == board.picture);
        let (number, title) = (row.key.chars().next(), row.title);
        (PanelFrame { number, title, note, focused, look: scene.look }, *area)
    });
    frames(all.collect(), buf);
}
