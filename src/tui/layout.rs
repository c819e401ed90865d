//! The layout of the screen: one pure function, used by the view and by the mouse.

mod arranged;
mod panel;
mod wanted;

pub mod code;
pub mod paging;
pub mod text;

pub use panel::{PANELS, Panel, Row};
pub use wanted::{Detail, Language, PanelChoice, ScreenView, SizeClass, UnknownView};

use crate::report::sentence;
use arranged::{arranged, below_each_other};
use ratatui::layout::Rect;

/// The rows and panels of a screen. A part without room has an empty rectangle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Areas {
    /// The class of the screen or, beside a text, that by which the panels are arranged.
    pub class: SizeClass,
    /// The status bar: kernel, block, step, speed.
    pub status: Rect,
    pub sentence: Rect,
    /// The current source line.
    pub strip: Rect,
    /// The panels with their frames, in the order of the focus. Neighbours share a border.
    pub panels: Vec<(Panel, Rect)>,
    /// The text of a lesson, with its frame.
    pub text: Rect,
    /// The stage, with its sentence; empty on the workbench.
    pub stage: Rect,
    /// The scrubber: the whole run on one row.
    pub scrubber: Rect,
    /// The footer with the keys.
    pub footer: Rect,
}

/// Columns of a lesson's text beside the panels of a medium and of a large screen, and its rows
/// below the panel of a small one, frames included.
const TEXT: [u16; 2] = [44, 60];
const TEXT_ROWS: u16 = 9;
/// The most columns of a text without panels.
const TEXT_ALONE: u16 = 80;
/// Rows of the smallest useful panel, its frame included.
const LEAST: u16 = 3;
/// Columns that a line of the sentence may lose when it is broken between words.
const RAGGED: u16 = 8;

impl SizeClass {
    /// Returns the class of a screen of this size.
    pub const fn of(width: u16, height: u16) -> Self {
        match (width, height) {
            (176.., 50..) => Self::Large,
            (116.., 34..) => Self::Medium,
            (76.., 44..) => Self::Tall,
            (76.., 20..) => Self::Small,
            (30.., _) if height >= 1 + sentence_rows(width) + LEAST => Self::Single,
            _ => Self::Micro,
        }
    }
}

impl Areas {
    /// Returns the panel's rectangle with its frame, or `None` if the panel is not on the screen.
    pub fn panel(&self, panel: Panel) -> Option<Rect> {
        self.panels.iter().find(|(shown, _)| *shown == panel).map(|(_, area)| *area)
    }

    /// The same with these panels in the place of all others, one below the other. A screen that has
    /// room for one panel alone keeps it.
    #[must_use]
    pub fn with_only(mut self, panels: Vec<Panel>) -> Self {
        let all = self.panels.iter().map(|(_, area)| *area).reduce(Rect::union);
        if let Some(area) = all.filter(|_| self.panels.len() > 1) {
            // Times are of no line of the source.
            let timed = panels == [Panel::Measured] && !self.strip.is_empty();
            let area = if timed { std::mem::take(&mut self.strip).union(area) } else { area };
            self.panels = below_each_other(area, panels);
        }
        self
    }

    /// The same with the text of a lesson in the place of all panels, in lines that read well.
    #[must_use]
    pub fn with_text_alone(self) -> Self {
        let panels = self.panels.iter().map(|(_, area)| *area);
        let all = panels.chain([self.strip]).filter(|area| !area.is_empty());
        let all = all.fold(self.text, Rect::union);
        let text = middle(all, (TEXT_ALONE, all.height));
        Self { text, panels: Vec::new(), strip: Rect::default(), ..self }
    }

    /// Returns the rows between the sentence and the footer.
    pub fn whole(&self) -> Rect {
        let y = self.sentence.bottom();
        Rect { y, height: self.scrubber.bottom().saturating_sub(y), ..self.scrubber }
    }

    /// Returns the panel at a position. A shared border belongs to the panel to the right or below.
    pub fn at(&self, x: u16, y: u16) -> Option<Panel> {
        let hit = |(_, area): &&(Panel, Rect)| area.contains((x, y).into());
        self.panels.iter().rev().find(hit).map(|(panel, _)| *panel)
    }
}

/// The widest card after a change of the tile that is easy to read.
pub const CARD: u16 = 84;

/// Whether the card has room for a bar for each tile.
pub const fn has_bars(area: Rect) -> bool {
    area.width >= CARD && area.height >= 34
}

/// Returns the area inside a frame.
pub fn inner(area: Rect) -> Rect {
    Rect {
        x: area.x.saturating_add(1).min(area.right()),
        y: area.y.saturating_add(1).min(area.bottom()),
        width: area.width.saturating_sub(2),
        height: area.height.saturating_sub(2),
    }
}

/// Returns a centred rectangle of this size, or of the size that fits.
pub fn middle(area: Rect, (width, height): (u16, u16)) -> Rect {
    let (width, height) = (width.min(area.width), height.min(area.height));
    let (x, y) = (area.x + (area.width - width) / 2, area.y + (area.height - height) / 2);
    Rect { x, y, width, height }
}

/// Returns the area of text inside a frame, with a blank column at each side.
pub fn text_area(area: Rect) -> Rect {
    let inside = inner(area);
    Rect { x: inside.x + 1, width: inside.width.saturating_sub(2), ..inside }
}

/// Returns the number of rows that fit any sentence on a screen of this width.
const fn sentence_rows(width: u16) -> u16 {
    let longest = sentence::WIDTH as u16;
    match width.saturating_sub(2) {
        inside if inside >= longest => 1,
        inside if inside > RAGGED => longest.div_ceil(inside - RAGGED),
        _ => longest,
    }
}

/// Computes the layout of a screen of this size.
pub fn areas(screen: Rect, wanted: PanelChoice) -> Areas {
    let class = SizeClass::of(screen.width, screen.height);
    let scrubber = u16::from(screen.height >= 2);
    let sentence = match class {
        SizeClass::Micro => screen.height - scrubber,
        _ => sentence_rows(screen.width),
    };
    // When rows are short, the status bar is given up first, then the footer.
    let spare = screen.height.saturating_sub(scrubber + sentence + LEAST);
    let has = |least: u16| {
        u16::from(class >= SizeClass::Small || class == SizeClass::Single && spare >= least)
    };
    let (status, footer) = (has(2), has(1));
    let room = screen.height - status - sentence - scrubber - footer;
    let [status, sentence, middle, scrubber, footer] =
        stacked(screen, [status, sentence, room, scrubber, footer]);
    let (class, text, picture) = if wanted.text && class > SizeClass::Micro {
        beside_text(class, middle, wanted.zoomed.is_some())
    } else {
        (class, Rect::default(), middle)
    };
    let strip = u16::from(class == SizeClass::Small && !picture.is_empty());
    let [strip, picture] = stacked(picture, [strip, picture.height - strip]);
    let panels = match (class, wanted.zoomed) {
        _ if picture.is_empty() => Vec::new(),
        (SizeClass::Micro, _) => Vec::new(),
        (_, Some(panel)) => vec![(panel, picture)],
        (SizeClass::Single, None) => vec![(wanted.focus, picture)],
        (_, None) => arranged(class, picture, wanted),
    };
    let stage = Rect::default();
    Areas { class, status, sentence, strip, panels, text, stage, scrubber, footer }
}

/// Columns of a panel that joins the stage beside it, and the rows that it has below, at most.
const DRAWER: (u16, u16) = (72, 17);
/// The fewest rows in which a panel stands below a stage.
const TOGETHER: u16 = 18;

/// How a panel joins a stage that has no room beside it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Joining {
    /// The stage makes room for it.
    #[default]
    Below,
    /// It lies over the lower part of the stage, in which nothing happens: above it, all stays where it
    /// was.
    Over,
}

/// Computes the layout of a screen of this size with a stage, which a panel may join,
/// and the text of a lesson. Where there is no room for both, the panel takes the place of the stage.
pub fn stage_areas(screen: Rect, drawer: Option<(Panel, Joining)>, has_text: bool) -> Areas {
    let class = SizeClass::of(screen.width, screen.height);
    let rows = |wanted: u16, least: u16| if screen.height >= least { wanted } else { 0 };
    let (status, scrubber, footer) = (rows(1, 8), rows(1, 6), rows(1, 8));
    let room = screen.height - status - scrubber - footer;
    let [status, room, scrubber, footer] = stacked(screen, [status, room, scrubber, footer]);
    let (text, room) = if has_text && class > SizeClass::Micro {
        let (_, text, room) = beside_text(class, room, false);
        (text, room)
    } else {
        (Rect::default(), room)
    };
    // The stage writes its own sentence.
    let mut sentence = Rect { height: 0, ..screen };
    let (stage, panels) = match drawer {
        None => (room, Vec::new()),
        Some((panel, _)) if room.height < TOGETHER => {
            let said = sentence_rows(room.width).min(room.height);
            let [above, below] = stacked(room, [said, room.height - said]);
            sentence = above;
            (Rect::default(), vec![(panel, below)])
        }
        Some((panel, _)) if room.width >= 2 * DRAWER.0 => {
            let (width, x) = (room.width - DRAWER.0, room.right() - DRAWER.0);
            let drawer = Rect { x, width: DRAWER.0, ..room };
            (Rect { width, ..room }, vec![(panel, drawer)])
        }
        Some((panel, joining)) => {
            let below = DRAWER.1.min(room.height / 2);
            let [stage, below] = stacked(room, [room.height - below, below]);
            let stage = if joining == Joining::Over { room } else { stage };
            (stage, vec![(panel, below)])
        }
    };
    let strip = Rect::default();
    Areas { class, status, sentence, strip, panels, text, stage, scrubber, footer }
}

/// Places the text of a lesson; returns the class by which the panels are arranged beside it, its
/// area, and theirs. A panel that is zoomed on a small screen leaves it no room.
///
/// ```text
/// Large   text | as Medium
/// Medium  text | as Small
/// Tall    as Small, above the text
/// Small   a panel above the text
/// Single  the text
/// ```
fn beside_text(class: SizeClass, area: Rect, zoomed: bool) -> (SizeClass, Rect, Rect) {
    let beside = |width: u16| {
        let text = Rect { width: width.min(area.width), ..area };
        (text, Rect { x: text.right(), width: area.width - text.width, ..area })
    };
    let below = |height: u16| {
        let [picture, text] = stacked(area, [area.height - height, height]);
        (text, picture)
    };
    let (class, (text, picture)) = match class {
        SizeClass::Large => (SizeClass::Medium, beside(TEXT[1])),
        SizeClass::Medium => (SizeClass::Small, beside(TEXT[0])),
        SizeClass::Tall => (SizeClass::Small, below(area.height * 2 / 5)),
        SizeClass::Small if !zoomed => {
            let spare = area.height.saturating_sub(2 * TEXT_ROWS + 2);
            (SizeClass::Single, below(TEXT_ROWS + spare / 2))
        }
        SizeClass::Single if !zoomed => (SizeClass::Single, below(area.height)),
        SizeClass::Small | SizeClass::Single | SizeClass::Micro => (class, (Rect::default(), area)),
    };
    (class, text, picture)
}

/// Stacks rows of these heights in an area, from its top.
fn stacked<const N: usize>(area: Rect, heights: [u16; N]) -> [Rect; N] {
    let mut y = area.y;
    heights.map(|height| {
        y += height;
        Rect { y: y - height, height, ..area }
    })
}

#[cfg(test)]
mod tests {
    use super::arranged::COSTS;
    use super::*;

    const WANTED: PanelChoice = PanelChoice {
        zoomed: None,
        focus: Panel::Warps,
        guest: Panel::Warps,
        following: false,
        shared: true,
        needs: [0; 2],
        text: false,
    };

    #[test]
    fn every_panel_has_its_row() {
        for row in PANELS {
            assert_eq!(row.panel.row().panel, row.panel);
        }
    }

    #[test]
    fn the_classes_begin_where_the_design_says() {
        assert_eq!(SizeClass::of(200, 60), SizeClass::Large);
        assert_eq!(SizeClass::of(176, 49), SizeClass::Medium);
        assert_eq!(SizeClass::of(120, 36), SizeClass::Medium);
        assert_eq!(SizeClass::of(80, 24), SizeClass::Small);
        assert_eq!(SizeClass::of(76, 20), SizeClass::Small);
        assert_eq!(SizeClass::of(80, 50), SizeClass::Tall);
        assert_eq!(SizeClass::of(75, 40), SizeClass::Single);
        assert_eq!(SizeClass::of(29, 40), SizeClass::Micro);
        assert_eq!(
            [SizeClass::of(30, 7), SizeClass::of(30, 8)],
            [SizeClass::Micro, SizeClass::Single]
        );
    }

    #[test]
    fn the_sentence_has_room_before_a_panel_has() {
        let rows = |width, height| areas(Rect::new(0, 0, width, height), WANTED).sentence.height;
        assert_eq!([rows(40, 10), rows(30, 6), rows(20, 5)], [3, 5, 4]);
        assert_eq!([rows(76, 20), rows(80, 24)], [2, 1]);
    }

    #[test]
    fn everything_lies_on_the_screen_and_panels_overlap_in_borders_alone() {
        for (width, height) in (1..260).step_by(7).flat_map(|w| (1..90).map(move |h| (w, h))) {
            let timeline = Some(Panel::Timeline);
            let all = [(None, false), (None, true), (timeline, false)];
            for (zoomed, following, shared) in
                all.into_iter().flat_map(|(z, f)| [(z, f, true), (z, f, false)])
            {
                let screen = Rect::new(0, 0, width, height);
                let areas = areas(screen, PanelChoice { zoomed, following, shared, ..WANTED });
                let rows =
                    [areas.status, areas.sentence, areas.strip, areas.scrubber, areas.footer];
                let panels = areas.panels.iter().map(|(_, area)| *area);
                for area in panels.clone().chain(rows) {
                    assert_eq!(area.intersection(screen), area, "{width}x{height}: {area}");
                }
                let inner: Vec<_> = panels
                    .map(|area| Rect::new(area.x + 1, area.y + 1, area.width - 2, area.height - 2))
                    .collect();
                for (i, one) in inner.iter().enumerate() {
                    for other in &inner[i + 1..] {
                        assert!(!one.intersects(*other), "{width}x{height}: {one} {other}");
                    }
                }
            }
        }
    }

    #[test]
    fn the_text_of_a_lesson_leaves_the_panels_their_room() {
        let with_text = |width, height, zoomed| {
            let wanted = PanelChoice { text: true, zoomed, ..WANTED };
            areas(Rect::new(0, 0, width, height), wanted)
        };
        let text = |width, height| with_text(width, height, None).text.as_size();
        assert_eq!(text(200, 60), (60, 56).into());
        assert_eq!(text(120, 36), (44, 32).into());
        assert_eq!(text(80, 24), (80, 9).into());
        let small = with_text(80, 24, None);
        assert_eq!(small.panels, [(Panel::Warps, Rect::new(0, 2, 80, 11))]);
        assert!(with_text(60, 18, None).panels.is_empty(), "the text alone");
        assert!(with_text(80, 24, Some(Panel::Banks)).text.is_empty(), "the panel alone");
        for (width, height) in (1..260).step_by(7).flat_map(|w| (1..90).map(move |h| (w, h))) {
            for zoomed in [None, Some(Panel::Banks)] {
                let areas = with_text(width, height, zoomed);
                let screen = Rect::new(0, 0, width, height);
                let panels = areas.panels.iter().map(|(_, area)| *area);
                let rest = [areas.strip, areas.sentence, areas.scrubber, areas.footer];
                assert_eq!(areas.text.intersection(screen), areas.text, "{width}x{height}");
                for area in panels.chain(rest) {
                    assert!(!area.intersects(areas.text), "{width}x{height}: {area}");
                }
            }
        }
    }

    #[test]
    fn a_small_screen_has_eight_rows_for_warps() {
        let areas = areas(Rect::new(0, 0, 80, 24), WANTED);
        assert_eq!(areas.panel(Panel::Warps).map(|area| area.height), Some(10));
        assert_eq!(areas.panel(Panel::Timeline), None);
        assert_eq!(areas.at(0, 5), Some(Panel::Matrices));
        assert_eq!(areas.at(79, 23), None);
    }

    #[test]
    fn all_of_a_screens_rows_belong_to_a_panel_with_room() {
        for (width, height) in
            [(80, 24), (80, 44), (80, 50), (100, 30), (120, 36), (120, 50), (200, 60)]
        {
            for shared in [true, false] {
                let areas = areas(Rect::new(0, 0, width, height), PanelChoice { shared, ..WANTED });
                for (panel, area) in &areas.panels {
                    assert!(area.height >= COSTS, "{width}x{height}: {panel:?} has {area}");
                }
                let cells =
                    |(x, y)| areas.panels.iter().any(|(_, area)| area.contains((x, y).into()));
                let rows = areas.strip.bottom()..areas.scrubber.y;
                let all = (0..width).flat_map(|x| rows.clone().map(move |y| (x, y)));
                let bare: Vec<_> = all.filter(|place| !cells(*place)).collect();
                assert!(bare.is_empty(), "{width}x{height}, {shared}: {bare:?}");
            }
        }
    }

    #[test]
    fn what_a_kernel_without_shared_memory_cannot_say_gives_its_room_to_others() {
        for (width, height) in [(80, 24), (80, 50), (120, 36), (200, 60)] {
            let screen = Rect::new(0, 0, width, height);
            let [with, without] =
                [true, false].map(|shared| areas(screen, PanelChoice { shared, ..WANTED }));
            assert_eq!(without.panel(Panel::Shared), None, "{width}x{height}");
            assert_eq!(without.panel(Panel::Banks), None, "{width}x{height}");
            let size = |areas: &Areas| areas.panel(Panel::Lines).map_or(0, Rect::area);
            assert!(size(&without) > size(&with), "{width}x{height}");
        }
    }

    #[test]
    fn a_large_screen_has_a_row_for_each_row_of_the_tiles_and_of_the_threads() {
        let areas = areas(Rect::new(0, 0, 200, 60), WANTED);
        let inside = |panel| areas.panel(panel).map(|area: Rect| area.height - 2);
        assert_eq!(inside(Panel::Shared), Some(26));
        assert_eq!(inside(Panel::Warps), Some(14));
    }

    #[test]
    fn sectors_and_banks_give_each_other_the_rows_that_they_do_not_need() {
        for (width, height) in [(120, 36), (200, 60)] {
            let inside = |needs| {
                let areas = areas(Rect::new(0, 0, width, height), PanelChoice { needs, ..WANTED });
                [Panel::Lines, Panel::Banks]
                    .map(|panel| areas.panel(panel).map_or(0, |a| a.height - 2))
            };
            let [lines, banks] = inside([3, 3]);
            let sum = lines + banks;
            assert_eq!(inside([3, banks + 2]), [lines - 2, banks + 2]);
            assert_eq!(inside([lines + 1, 3]), [lines + 1, banks - 1]);
            assert_eq!(inside([3, 90]), [3, sum - 3], "the other keeps what it needs");
            assert_eq!(inside([90, 90]), [lines, banks]);
        }
    }

    #[test]
    fn a_medium_screen_has_room_for_the_tiles_and_for_eight_warps() {
        let areas = areas(Rect::new(0, 0, 120, 36), WANTED);
        let inside = |panel| areas.panel(panel).map(|area: Rect| area.height - 2);
        assert_eq!(inside(Panel::Shared), Some(10));
        assert_eq!(inside(Panel::Warps), Some(8));
    }
}
