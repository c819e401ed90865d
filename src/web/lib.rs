//! matviz for a page in a browser: one screen, which the page calls for each key, for time that has
//! passed and for each piece of work, and whose changed cells it draws.
//!
//! Numbers are passed as they are. A text goes in through [`input`] and comes out through [`output`]
//! and [`output_len`], as UTF-8 in this module's memory.
#![cfg(target_arch = "wasm32")]

use matviz::export::{self, cell_style};
use matviz::lesson::document::Course;
use matviz::lesson::progress::Progress;
use matviz::lesson::read;
use matviz::lesson::setting_runs::SettingCache;
use matviz::tui::config::Config;
use matviz::tui::hosted_loop::{HostRequest, HostedLoop};
use matviz::tui::input::{Mouse, MouseAct};
use matviz::tui::keymap::{Key, Keymap};
use matviz::tui::lesson::Lessons;
use matviz::tui::link::{LinkError, ScreenLink};
use matviz::tui::theme::{Depth, Glyphs, Look, Theme};
use matviz::work;
use std::cell::RefCell;
use std::panic;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// What lies between the page and the screen.
#[derive(Default)]
struct Exchange {
    screen: Option<HostedLoop>,
    learner: Option<Learner>,
    /// A lesson of the user's own, which stands in the place of the course.
    course: Option<Arc<Course>>,
    input: Vec<u8>,
    output: Vec<u8>,
}

/// Who takes the lessons.
#[derive(Clone)]
struct Learner {
    progress: Arc<Mutex<Progress>>,
    /// Today: `2026-11-22`.
    day: String,
}

thread_local! {
    static EXCHANGE: RefCell<Exchange> = RefCell::default();
}

/// A cell as the page reads it: index, character, colours of text and ground (0xRRGGBB); the highest
/// byte of the text's colour is 1 if it is bold.
const WORDS_PER_CELL: usize = 4;

const BOLD: u32 = 1 << 24;

/// Wishes of the reader, as bits of `start`.
const LIGHT: u32 = 1;
const STILL: u32 = 2;

#[link(wasm_import_module = "page")]
unsafe extern "C" {
    /// Hands the message of a panic to the page: `len` bytes of UTF-8 at `text`.
    safe fn failed(text: *const u8, len: usize);
    /// Whether the work that runs has had its time.
    safe fn due() -> u32;
    /// Suspends the work that runs, while the page calls other functions of this module.
    safe fn pause();
}

/// Where work asks whether it is to go on. While the screen itself asks, nobody else may call it.
fn turn() {
    let is_free = EXCHANGE.with(|exchange| exchange.try_borrow_mut().is_ok());
    if is_free && due() == 1 {
        pause();
    }
}

fn with<T>(act: impl FnOnce(&mut Exchange) -> T) -> T {
    EXCHANGE.with_borrow_mut(act)
}

fn with_screen<T: Default>(act: impl FnOnce(&mut HostedLoop) -> T) -> T {
    with(|exchange| exchange.screen.as_mut().map(act).unwrap_or_default())
}

impl Exchange {
    fn put(&mut self, text: &str) {
        self.output.clear();
        self.output.extend_from_slice(text.as_bytes());
    }

    fn text(&self) -> &str {
        std::str::from_utf8(&self.input).unwrap_or_default()
    }
}

/// Where the page writes `len` bytes of a text before it calls a function that takes one.
#[unsafe(no_mangle)]
pub extern "C" fn input(len: usize) -> *mut u8 {
    with(|exchange| {
        exchange.input.clear();
        exchange.input.resize(len, 0);
        exchange.input.as_mut_ptr()
    })
}

/// Where what the last function has put out begins.
#[unsafe(no_mangle)]
pub extern "C" fn output() -> *const u8 {
    with(|exchange| exchange.output.as_ptr())
}

/// How many bytes it has.
#[unsafe(no_mangle)]
pub extern "C" fn output_len() -> usize {
    with(|exchange| exchange.output.len())
}

/// Takes the day, a line, and what the learner has done, from the input; `seed` is that of a learner who
/// has done nothing. Returns 1, or 0 and puts out why it cannot be read.
#[unsafe(no_mangle)]
pub extern "C" fn learner(seed: u32) -> u32 {
    with(|exchange| {
        let (day, told) = exchange.text().split_once('\n').unwrap_or_default();
        let progress = match told.trim() {
            "" => Ok(Progress::seeded(u64::from(seed))),
            told => Progress::of_text(told),
        };
        match progress {
            Ok(progress) => {
                let (progress, day) = (Arc::new(Mutex::new(progress)), day.to_owned());
                exchange.learner = Some(Learner { progress, day });
                1
            }
            Err(why) => {
                exchange.put(&why.to_string());
                0
            }
        }
    })
}

/// Takes a lesson of the user's own from the input: the name of its file, a line, and its text. Returns 1,
/// or 0 and puts out what is wrong with it.
#[unsafe(no_mangle)]
pub extern "C" fn lesson() -> u32 {
    with(|exchange| {
        let (name, text) = exchange.text().split_once('\n').unwrap_or_default();
        let (course, found) = read::text(name, text);
        let wrong: Vec<_> =
            found.iter().filter(|told| !told.warning).map(ToString::to_string).collect();
        if wrong.is_empty() {
            exchange.course = Some(Arc::new(course));
        } else {
            exchange.put(&wrong.join("\n"));
        }
        u32::from(wrong.is_empty())
    })
}

/// Begins at the link in the input. Returns 1, or 0 and puts out why there is no such place.
#[unsafe(no_mangle)]
pub extern "C" fn start(columns: u16, rows: u16, wishes: u32) -> u32 {
    panic::set_hook(Box::new(|panicked| {
        let told = panicked.to_string();
        failed(told.as_ptr(), told.len());
    }));
    work::take_turns(turn);
    with(|exchange| match begin(exchange, (columns, rows), wishes) {
        Ok(screen) => {
            exchange.screen = Some(screen);
            1
        }
        Err(why) => {
            exchange.put(&why.to_string());
            0
        }
    })
}

/// The lessons of a learner, or of nobody; their times are recorded ones.
fn lessons(exchange: &Exchange) -> Lessons {
    let (cache, course) = (SettingCache::timed_by(None), exchange.course.clone());
    let lessons = Lessons { cache, course, ..Lessons::default() };
    let Some(Learner { progress, day }) = exchange.learner.clone() else { return lessons };
    let kept = progress.lock().unwrap_or_else(PoisonError::into_inner).kept().clone();
    Lessons { seed: None, kept, day, progress: Some(progress), ..lessons }
}

fn begin(exchange: &Exchange, size: (u16, u16), wishes: u32) -> Result<HostedLoop, LinkError> {
    let link: ScreenLink = exchange.text().parse()?;
    let theme = if wishes & LIGHT == 0 { Theme::Dark } else { Theme::Light };
    let look = Look { theme, depth: Depth::True, glyphs: Glyphs::Basic };
    let config = Config {
        keymap: Keymap::of_page(),
        reduced_motion: Some(wishes & STILL != 0),
        ..Config::default()
    };
    Ok(HostedLoop::new(link.options(&config, look, lessons(exchange))?, size)?)
}

/// Takes the key whose name is in the input, as the help spells it: `j`, `Left`, `Ctrl-p`. Returns
/// whether it means anything.
#[unsafe(no_mangle)]
pub extern "C" fn key() -> u32 {
    with(|exchange| {
        let key: Option<Key> = exchange.text().parse().ok();
        let pressed = key.zip(exchange.screen.as_mut());
        u32::from(pressed.is_some_and(|(key, screen)| screen.key(key)))
    })
}

/// Takes the mouse over a cell: 0 a click, 1 another button, 2 a drag, 3 and 4 the wheel up and down,
/// 5 without a button.
#[unsafe(no_mangle)]
pub extern "C" fn mouse(act: u32, column: u16, row: u16) {
    let acts = [
        MouseAct::Click,
        MouseAct::OtherClick,
        MouseAct::Drag,
        MouseAct::ScrollUp,
        MouseAct::ScrollDown,
        MouseAct::Move,
    ];
    if let Some(act) = acts.into_iter().nth(act as usize) {
        with_screen(|screen| screen.mouse(Mouse { act, column, row }));
    }
}

/// Shows the kernel whose text is in the input, compiled and judged; `hours` to `seconds` are the time of
/// day.
#[unsafe(no_mangle)]
pub extern "C" fn edit(hours: u32, minutes: u32, seconds: u32) {
    let text = with(|exchange| exchange.text().to_owned());
    let now = format!("{hours:02}:{minutes:02}:{seconds:02}");
    with_screen(|screen| screen.edit(text, now));
}

#[unsafe(no_mangle)]
pub extern "C" fn resize(columns: u16, rows: u16) {
    with_screen(|screen| screen.resize(columns, rows));
}

/// Lets `passed` milliseconds pass.
#[unsafe(no_mangle)]
pub extern "C" fn tick(passed: f64) {
    let passed = Duration::try_from_secs_f64(passed / 1000.0).unwrap_or_default();
    with_screen(|screen| screen.tick(passed));
}

/// The milliseconds until time has to pass again; below 0 while nothing moves.
#[unsafe(no_mangle)]
pub extern "C" fn next_tick() -> f64 {
    with_screen(|screen| screen.next_tick()).map_or(-1.0, |next| next.as_secs_f64() * 1000.0)
}

/// Does the most urgent piece of work, if one waits that is more urgent than what is suspended; returns
/// whether another one does.
#[unsafe(no_mangle)]
pub extern "C" fn work() -> u32 {
    let Some(begun) = with_screen(HostedLoop::begin_work) else { return 0 };
    // Nothing is borrowed meanwhile: suspended, it lets the page call the other functions.
    let rest = begun.run();
    u32::from(with_screen(|screen| screen.end_work(rest)))
}

/// Puts out the cells to be drawn anew, and returns their number; each has four words of 32 bits.
#[unsafe(no_mangle)]
pub extern "C" fn cells() -> usize {
    with(|exchange| {
        let Some(screen) = &mut exchange.screen else { return 0 };
        let ground = matviz::tui::ground(screen.app().look());
        exchange.output.clear();
        for (index, cell) in screen.changes() {
            let style = cell_style(&cell, ground);
            let sign = cell.symbol().chars().next().unwrap_or(' ');
            let text = if style.bold { style.text | BOLD } else { style.text };
            for word in [index as u32, sign as u32, text, style.ground] {
                exchange.output.extend_from_slice(&word.to_le_bytes());
            }
        }
        exchange.output.len() / (4 * WORDS_PER_CELL)
    })
}

/// The ground of the screen, for the page around it.
#[unsafe(no_mangle)]
pub extern "C" fn ground() -> u32 {
    with_screen(|screen| matviz::tui::ground(screen.app().look()).ground)
}

/// Puts out the characters of the screen.
#[unsafe(no_mangle)]
pub extern "C" fn text() {
    put_of(|screen| export::text(screen.drawn()));
}

/// Puts out the screen as SVG.
#[unsafe(no_mangle)]
pub extern "C" fn svg() {
    put_of(|screen| export::svg(screen.drawn(), matviz::tui::ground(screen.app().look())));
}

/// Puts out the sentence that says what happens.
#[unsafe(no_mangle)]
pub extern "C" fn sentence() {
    put_of(|screen| screen.app().sentence().to_owned());
}

/// Puts out the link to what is shown; nothing if a link cannot say it.
#[unsafe(no_mangle)]
pub extern "C" fn link() {
    put_of(|screen| screen.app().link().map(|link| link.to_string()).unwrap_or_default());
}

/// Whether the run plays.
#[unsafe(no_mangle)]
pub extern "C" fn plays() -> u32 {
    with_screen(|screen| u32::from(screen.app().is_playing()))
}

/// Puts out what the learner has done, as the program's own file holds it.
#[unsafe(no_mangle)]
pub extern "C" fn progress() {
    with(|exchange| {
        let progress = exchange.learner.as_ref().map(|learner| &learner.progress);
        let text = progress
            .map(|progress| progress.lock().unwrap_or_else(PoisonError::into_inner).to_text());
        exchange.put(&text.unwrap_or_default());
    });
}

/// Puts out the kernel that the user wants to edit, once.
#[unsafe(no_mangle)]
pub extern "C" fn kernel() {
    let text = with_screen(HostedLoop::kernel);
    with(|exchange| exchange.put(&text));
}

/// Whether something follows a drag over that cell, as the scrubber does.
#[unsafe(no_mangle)]
pub extern "C" fn grabs(column: u16, row: u16) -> u32 {
    u32::from(with_screen(|screen| screen.grabs(column, row)))
}

/// What the page has to do, once: 1 to hand out a picture, 2 the link, 4 to keep the progress, 8 to have
/// a kernel edited.
#[unsafe(no_mangle)]
pub extern "C" fn requests() -> u32 {
    let bit = |request| match request {
        HostRequest::SavePicture => 1,
        HostRequest::CopyLink => 2,
        HostRequest::KeepProgress => 4,
        HostRequest::EditKernel => 8,
    };
    with_screen(|screen| screen.requests().into_iter().map(bit).fold(0, |all, bit| all | bit))
}

fn put_of(of: impl FnOnce(&HostedLoop) -> String) {
    with(|exchange| {
        let text = exchange.screen.as_ref().map(of).unwrap_or_default();
        exchange.put(&text);
    });
}
