//! The terminal user interface: an event loop around one state value, which pure functions draw.
//!
//! ```text
//! keys, mouse -> input -> Action -> update(&mut App) -> Task -> threads, the measuring process
//!                                       App          <-- Event ----------+
//! frame <- screen <- ViewModel::of(&App) |
//!                           ^------------+
//! ```
//!
//! What is computed and what is drawn are apart: `facts` of the moment, places on the screen in
//! `layout` and text set in `page` know no buffer; a [`view_model::ViewModel`] is made of them once for
//! each frame; `screen` composes its widgets, and `widget` draws them. Actions use only the former.
//!
//! Nothing in [`app::App`] can block, print or read the clock; only the event loop does.

pub mod action;
pub mod app;
pub mod chart;
pub mod config;
pub mod detect;
pub mod director;
pub mod edit;
pub mod facts;
pub mod film;
pub mod followed_value;
pub mod headless;
pub mod help;
pub mod hosted_loop;
pub mod input;
pub mod kernel_cache;
pub mod keymap;
pub mod ladder_run;
pub mod layout;
pub mod lesson;
pub mod lesson_check;
pub mod link;
pub mod luck;
pub mod measure_view;
pub mod measurements;
pub mod mode;
pub mod motion;
pub mod own_time;
pub mod page;
pub mod playback;
pub mod remembered;
pub mod run_view;
pub mod screen;
pub mod session;
pub mod stage_plans;
pub mod task;
pub mod theme;
pub mod update;
pub mod view;
pub mod view_model;
pub mod widget;

#[cfg(feature = "native")]
pub mod clock;
#[cfg(feature = "native")]
mod event_loop;
#[cfg(feature = "native")]
pub mod terminal;
#[cfg(feature = "native")]
mod terminal_input;
#[cfg(feature = "native")]
mod worker_threads;

pub use app::{App, FirstRun, StartAt, StartOptions};
#[cfg(feature = "native")]
pub use event_loop::{edit, run};

use crate::export::Ground;
use measure_view::{MeasureData, MeasureView};
use ptx::ParseError;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
pub use screen::stage::stage;
use theme::{Look, Theme};

/// The reason why the screen cannot be shown.
#[derive(Debug, thiserror::Error)]
pub enum TuiError {
    /// Standard output is not a terminal.
    #[error("stdout is not a terminal")]
    NoTerminal,
    /// The terminal cannot position its cursor.
    #[error("TERM=dumb cannot show the screen")]
    Dumb,
    /// Reading from or writing to the terminal failed.
    #[error("the terminal cannot be used: {0}; use --format text for the run as text")]
    Terminal(#[from] std::io::Error),
    /// The kernel's PTX cannot be run.
    #[error("this kernel cannot be run: {0}")]
    Ptx(#[from] ParseError),
}

/// Draws a frame without a terminal.
pub fn frame(app: &App, width: u16, height: u16) -> Buffer {
    let mut buf = Buffer::empty(Rect::new(0, 0, width, height));
    let area = buf.area;
    view::draw(app, area, &mut buf);
    buf
}

/// Draws a single picture of the measurements, without a terminal.
pub fn picture(
    times: &MeasureData,
    board: &MeasureView,
    look: Look,
    (width, height): (u16, u16),
) -> Buffer {
    let mut buf = Buffer::empty(Rect::new(0, 0, width, height));
    screen::measure::alone(times, board, look, &mut buf);
    view::make_harmless(&mut buf);
    buf
}

/// Returns the text and background colours of a terminal that suits a look.
pub const fn ground(look: Look) -> Ground {
    match look.theme {
        Theme::Dark => Ground { text: 0xe6_e6_e6, ground: 0x1e_1e_1e },
        Theme::Light | Theme::Stage => Ground { text: 0x1a_1a_1a, ground: 0xff_ff_ff },
    }
}
