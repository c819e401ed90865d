//! A link to a place in matviz: what is shown, and how far it has run, as the part of a URL after `#`.
//!
//! ```text
//! kernel=tiled&tile=16&size=64&block=2,2&step=240&view=stage
//! kernel=tiled&step=240&panel=banks
//! lesson=8&page=4
//! ```

use super::app::{App, FirstRun, StartAt, StartOptions};
use super::config::{Config, SettingError, setting};
use super::layout::{PANELS, Panel, ScreenView};
use super::lesson::{Lessons, Opening};
use super::theme::{Look, Theme};
use crate::kernel::{BROKEN, KERNELS, Kernel, ParseTileError, Problem, Tile, find};
use crate::launch::{Dim3, shape};
use crate::lesson::nearest::meant;
use crate::matrix::{Size, SizeError};
use crate::sim::Order;
use crate::timing::pack;
use ptx::ParseError;
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

/// What a link says; what it does not say is as at the program's start.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScreenLink {
    pub kernel: Option<&'static str>,
    pub tile: Option<Tile>,
    pub size: Option<Size>,
    /// The block that is watched.
    pub block: Option<Dim3>,
    /// The number of steps done.
    pub step: Option<usize>,
    pub view: Option<ScreenView>,
    /// The panel that fills the screen.
    pub panel: Option<Panel>,
    pub theme: Option<Theme>,
    /// A lesson, from 0, and its page, from 1.
    pub lesson: Option<(u32, usize)>,
    /// Whether the run plays.
    pub plays: Option<bool>,
}

/// Why a text is no link, or leads nowhere.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LinkError {
    #[error(
        "`{0}` is not part of a link: give kernel=, tile=, size=, block=, step=, view=, panel=, theme=, \
         lesson=, page= or play=, with & between them"
    )]
    Part(String),
    #[error("the link's {name}={value} is not a number")]
    Number { name: &'static str, value: String },
    #[error(
        "the link holds the text of a kernel: open it in a browser, save the kernel as a file there, and name \
         the file"
    )]
    Text,
    #[error("the link's kernel `{word}` is not in the catalogue{rather}")]
    Kernel { word: String, rather: String },
    #[error("the link's panel `{word}` is not on the screen{rather}")]
    Panel { word: String, rather: String },
    #[error("the link's tile: {0}")]
    Tile(#[from] ParseTileError),
    #[error("the link's kernel {kernel} has no tile {tile}; it has {tiles}")]
    NoTile { kernel: &'static str, tile: Tile, tiles: String },
    #[error("the link's {0}")]
    Size(#[from] SizeError),
    #[error(
        "the link's size {0} is too large for a link: at most {MOST_ELEMENTS} elements a matrix"
    )]
    TooLarge(Size),
    #[error("the link's block: {0}")]
    Block(String),
    #[error("the link's block {block} is outside the grid of {grid} blocks")]
    Outside { block: String, grid: String },
    #[error("the link's {0}")]
    Setting(#[from] SettingError),
    #[error("the link's kernel cannot be run: {0}")]
    Ptx(#[from] ParseError),
}

/// The most elements of a matrix: a link is a stranger's text, and may not fill the memory.
const MOST_ELEMENTS: u64 = 1 << 24;

/// What a start without wishes shows.
const KERNEL: &str = "tiled";
const SIZE: Size = Size::square(1024);

impl FromStr for ScreenLink {
    type Err = LinkError;

    /// Reads the part of a URL after `#`; a name alone is a kernel's.
    fn from_str(text: &str) -> Result<Self, LinkError> {
        let mut link = Self::default();
        for part in text.split('&').filter(|part| !part.is_empty()) {
            let (name, value) = part.split_once('=').unwrap_or(("kernel", part));
            link.set(name, value, part)?;
        }
        Ok(link)
    }
}

/// What is meant by a word that is none of `known`, or which there are.
fn rather(word: &str, known: &[&str]) -> String {
    let meant = meant(word, known.iter().copied());
    if meant.is_empty() { format!(": give {}", known.join(", ")) } else { meant }
}

/// The name of a panel that can fill the screen.
fn panel_name(panel: Panel) -> Option<&'static str> {
    panel.row().command.map(|(name, _)| name)
}

fn number<N: FromStr>(name: &'static str, value: &str) -> Result<N, LinkError> {
    value.parse().ok().ok_or_else(|| LinkError::Number { name, value: value.to_owned() })
}

impl ScreenLink {
    fn set(&mut self, name: &str, value: &str, part: &str) -> Result<(), LinkError> {
        match name {
            "kernel" => {
                let unknown = || {
                    let names: Vec<_> = KERNELS.iter().map(|kernel| kernel.name).collect();
                    LinkError::Kernel { rather: rather(value, &names), word: value.to_owned() }
                };
                self.kernel = Some(find(value).ok_or_else(unknown)?.name);
            }
            // A slide says what it shows in one word.
            "panel" if value == ScreenView::Stage.name() => self.view = Some(ScreenView::Stage),
            "panel" => {
                let panels = PANELS.iter().map(|row| row.panel);
                let named: Vec<_> =
                    panels.filter_map(|panel| Some((panel, panel_name(panel)?))).collect();
                let it = named.iter().find(|(_, name)| *name == value);
                let unknown = || {
                    let names = named.iter().map(|(_, name)| *name);
                    let names: Vec<_> =
                        [ScreenView::Stage.name()].into_iter().chain(names).collect();
                    LinkError::Panel { rather: rather(value, &names), word: value.to_owned() }
                };
                self.panel = Some(it.ok_or_else(unknown)?.0);
            }
            "tile" => self.tile = Some(value.parse()?),
            "size" => self.size = Some(small(value.parse()?)?),
            "block" => self.block = Some(shape::place(value).map_err(LinkError::Block)?),
            "step" => self.step = Some(number("step", value)?),
            "view" | "theme" if value.chars().all(|letter| letter.is_ascii_alphanumeric()) => {
                let own = setting(part)?;
                self.view = own.view.or(self.view);
                self.theme = own.theme.or(self.theme);
            }
            "lesson" => {
                let page = self.lesson.map_or(1, |(_, page)| page);
                self.lesson = Some((number("lesson", value)?, page));
            }
            "page" => {
                let lesson = self.lesson.map_or(0, |(lesson, _)| lesson);
                self.lesson = Some((lesson, number("page", value)?));
            }
            "play" => self.plays = Some(value != "0"),
            // What a page does with it: a frame of a slide has no footer.
            "embed" => {}
            "src" => return Err(LinkError::Text),
            _ => return Err(LinkError::Part(part.to_owned())),
        }
        Ok(())
    }

    /// How the screen starts there, without a GPU.
    ///
    /// # Errors
    /// The kernel has no such tile, or the grid no such block.
    pub fn options(
        &self,
        config: &Config,
        look: Look,
        lessons: Lessons,
    ) -> Result<StartOptions, LinkError> {
        let size = self.size.unwrap_or(SIZE);
        let shown = self.problem(size)?;
        let block = self.block_of(&shown)?;
        let (problems, kernel) = beside(shown, self.tile, size);
        let run = FirstRun { problems, kernel, block, order: Order::ByPhase };
        let options = StartOptions::new(run, config, look, lessons);
        Ok(self.begin(StartOptions {
            told: false,
            pack: pack::packs().first().map(Cow::Borrowed),
            ..options
        }))
    }

    /// The same start at the place of the link.
    pub fn begin(&self, options: StartOptions) -> StartOptions {
        let open = self.lesson.map(|(lesson, page)| Opening::Page(lesson, page));
        StartOptions {
            look: Look { theme: self.theme.unwrap_or(options.look.theme), ..options.look },
            playing: self.plays.unwrap_or(self.step.is_none()),
            view: self.view.unwrap_or(options.view),
            panel: self.panel,
            begin: self.step.map_or(options.begin, StartAt::Step),
            lessons: Lessons { open: open.or(options.lessons.open), ..options.lessons },
            ..options
        }
    }

    /// The kernel that is shown.
    pub fn kernel(&self) -> &'static Kernel {
        find(self.kernel.unwrap_or(KERNEL)).unwrap_or(&KERNELS[0])
    }

    fn problem(&self, size: Size) -> Result<Problem, LinkError> {
        let kernel = self.kernel();
        let Some(tile) = self.tile else { return Ok(kernel.problem_for(size)) };
        let none = || LinkError::NoTile { kernel: kernel.name, tile, tiles: kernel.tiles() };
        let variant = kernel.variant(tile).ok_or_else(none)?;
        let ptx = match variant.ptx {
            Some(ptx) => Cow::Borrowed(ptx),
            None => Cow::Owned(kernel.compile(&variant, false).ok_or_else(none)?),
        };
        Ok(Problem::of(kernel, variant, size, ptx))
    }

    /// The block that is watched: otherwise one in the middle of the grid.
    fn block_of(&self, problem: &Problem) -> Result<Dim3, LinkError> {
        let grid = problem.launch.grid;
        match self.block {
            None => Ok(problem.launch.grid.middle()),
            Some(block) if grid.contains(block) => Ok(block),
            Some(block) => {
                let [block, grid] = [block, grid].map(|at| at.place_in(grid));
                Err(LinkError::Outside { block, grid })
            }
        }
    }
}

fn small(size: Size) -> Result<Size, LinkError> {
    let Size { m, n, k } = size;
    let most = [(m, k), (k, n), (m, n)].map(|(rows, columns)| u64::from(rows) * u64::from(columns));
    if most.into_iter().all(|elements| elements <= MOST_ELEMENTS) {
        Ok(size)
    } else {
        Err(LinkError::TooLarge(size))
    }
}

/// Every kernel of the catalogue for the same product, in its order, and the place of the one that is
/// shown; a kernel that is broken on purpose stands alone.
fn beside(shown: Problem, tile: Option<Tile>, size: Size) -> (Vec<Problem>, usize) {
    let at = KERNELS.iter().position(|kernel| kernel.name == shown.name());
    let is_broken = BROKEN.iter().any(|kernel| kernel.name == shown.name());
    let Some(at) = at.filter(|_| !is_broken) else { return (vec![shown], 0) };
    let mut problems: Vec<_> = KERNELS.iter().map(|kernel| embedded(kernel, tile, size)).collect();
    problems[at] = shown;
    (problems, at)
}

/// The kernel with this tile, if its PTX is embedded, otherwise with its own.
fn embedded(kernel: &'static Kernel, tile: Option<Tile>, size: Size) -> Problem {
    let variant =
        tile.and_then(|tile| kernel.variant(tile)).filter(|variant| variant.ptx.is_some());
    let variant = variant.unwrap_or_else(|| kernel.variant_for(size));
    Problem::of(kernel, variant, size, variant.ptx.unwrap_or_default().into())
}

impl fmt::Display for ScreenLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = |block: Dim3| {
            let Dim3 { x, y, z } = block;
            if z == 0 { format!("{x},{y}") } else { format!("{x},{y},{z}") }
        };
        let parts = [
            self.lesson.map(|(lesson, page)| format!("lesson={lesson}&page={page}")),
            self.kernel.map(|kernel| format!("kernel={kernel}")),
            self.tile.map(|tile| format!("tile={tile}")),
            self.size.map(|size| format!("size={size}")),
            self.block.map(|block| format!("block={}", place(block))),
            self.step.map(|step| format!("step={step}")),
            self.view.map(|view| format!("view={}", view.name())),
            self.panel.and_then(panel_name).map(|name| format!("panel={name}")),
        ];
        f.write_str(&parts.into_iter().flatten().collect::<Vec<_>>().join("&"))
    }
}

impl App {
    /// The link to what is shown, if a link can say it: a page of a lesson, or a run of a kernel of the
    /// catalogue.
    pub fn link(&self) -> Option<ScreenLink> {
        if let Some(lesson) = self.mode.lesson() {
            let view = lesson.now();
            let lesson = Some((view.lesson.0, view.page));
            return Some(ScreenLink { lesson, ..ScreenLink::default() });
        }
        let session = &self.run.session;
        let problem = session.problem();
        let (block, view) = (session.block(), self.display.view);
        Some(ScreenLink {
            kernel: Some(problem.catalogue()?.name),
            tile: problem.tile(),
            size: Some(problem.size).filter(|size| *size != SIZE),
            block: Some(block).filter(|block| *block != problem.launch.grid.middle()),
            step: Some(session.at()),
            view: Some(view).filter(|view| *view != ScreenView::default()),
            panel: self.display.wanted.zoomed.filter(|panel| panel_name(*panel).is_some()),
            ..ScreenLink::default()
        })
    }
}
