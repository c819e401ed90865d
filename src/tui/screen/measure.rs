//! The Measure screen: what the kernels of the story took on a GPU, in five pictures.

use super::super::app::App;
use super::super::board::{Board, Picture};
use super::super::layout::Class;
use super::super::widget::ladder::{Ladder, Rung};
use super::super::widget::measured::{Series, Sweep};
use super::super::widget::occupancy::Filled;
use super::super::widget::panel::Panel as Frame;
use super::super::widget::roofline::{Roofline, Spot};
use super::super::widget::status::Status;
use super::super::widget::why::{Figure, Why};
use crate::analysis::occupancy::{Demand, Multiprocessor};
use crate::analysis::roofline::{Point, Roofs};
use crate::gpu::pack::{Freshness, Pack, freshness};
use crate::gpu::protocol::{Measurement, Resources};
use crate::launch::Dim3;
use crate::matrix::{Operand, Size};
use crate::report::fastest::{self, Rung as Told};
use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Modifier;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Widget};

/// Draws it over everything.
pub fn draw(app: &App, board: &Board, area: Rect, buf: &mut Buffer) {
    Clear.render(area, buf);
    buf.set_style(area, app.look.ground());
    let Some(pack) = app.pack.as_deref() else { return };
    let rungs = fastest::rungs(&pack.rows, board.size);
    let scene = Scene { app, pack, board, rungs: &rungs };
    let [status, sentence, middle, footer] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(1),
        Constraint::Fill(1),
        Constraint::Length(1),
    ])
    .areas(area);
    scene.status(status, buf);
    let bold = app.look.text().add_modifier(Modifier::BOLD);
    let words = fastest::sentence(&rungs, board.rung);
    Span::styled(format!(" {words}"), bold).render(sentence, buf);
    scene.pictures(&places(middle, board.picture), buf);
    scene.footer(footer, buf);
}

/// Where each picture stands: all of them, some, or the chosen one alone.
fn places(area: Rect, chosen: Picture) -> Vec<(Picture, Rect)> {
    use Constraint::{Fill, Length, Percentage};
    match Class::of(area.width, area.height + 3) {
        Class::Large => {
            let [left, right] =
                Layout::horizontal([Percentage(48), Fill(1)]).spacing(-1).areas(area);
            let [ladder, why, occupancy] =
                Layout::vertical([Fill(3), Fill(2), Length(12)]).spacing(-1).areas(left);
            let [roofline, sweep] = Layout::vertical([Fill(1), Fill(1)]).spacing(-1).areas(right);
            vec![
                (Picture::Ladder, ladder),
                (Picture::Why, why),
                (Picture::Occupancy, occupancy),
                (Picture::Roofline, roofline),
                (Picture::Sweep, sweep),
            ]
        }
        Class::Medium => {
            let other = if chosen == Picture::Ladder { Picture::Roofline } else { chosen };
            let [ladder, below] = Layout::vertical([Length(18), Fill(1)]).spacing(-1).areas(area);
            vec![(Picture::Ladder, ladder), (other, below)]
        }
        Class::Small | Class::Single | Class::Micro => vec![(chosen, area)],
    }
}

/// What is drawn from.
struct Scene<'a> {
    app: &'a App,
    pack: &'a Pack,
    board: &'a Board,
    rungs: &'a [Told<'a>],
}

impl Scene<'_> {
    fn current(&self) -> Option<&Told<'_>> {
        self.rungs.get(self.board.rung)
    }

    fn status(&self, area: Rect, buf: &mut Buffer) {
        let Pack { driver, cuda, .. } = self.pack;
        let driver = driver.as_deref().map_or(String::new(), |driver| format!("driver {driver}"));
        let items = [
            "Measure".to_owned(),
            format!("size {}", self.board.size),
            self.pack.label(),
            driver,
            format!("CUDA {cuda}"),
        ];
        let items: Vec<_> = items.into_iter().filter(|item| !item.is_empty()).collect();
        Status { items: &items, pace: "", playing: false, look: self.app.look }.render(area, buf);
    }

    fn footer(&self, area: Rect, buf: &mut Buffer) {
        let look = self.app.look;
        let key = look.text().add_modifier(Modifier::BOLD | Modifier::REVERSED);
        let all = Class::of(area.width, self.app.size().height) == Class::Large;
        let keys = [
            ("Up Down", "kernel"),
            ("Left Right", if all { "" } else { "picture" }),
            ("PgUp PgDn", "size"),
            ("Esc", "back"),
        ];
        let shown = keys.iter().filter(|(_, word)| !word.is_empty());
        let spans = shown.flat_map(|(keys, word)| {
            [
                Span::raw(" "),
                Span::styled(format!(" {keys} "), key),
                Span::styled(format!(" {word} "), look.dim()),
            ]
        });
        spans.collect::<Line<'_>>().render(area, buf);
    }

    /// All contents, then all borders (the chosen one last), then all titles: neighbours share
    /// borders.
    fn pictures(&self, places: &[(Picture, Rect)], buf: &mut Buffer) {
        let notes: Vec<_> = places
            .iter()
            .map(|(picture, area)| self.content(*picture, Frame::inner(*area), buf))
            .collect();
        let frame = |((picture, area), note): (&(Picture, Rect), &'_ String)| {
            let number = Picture::ALL.iter().position(|one| one == picture).unwrap_or(0) as u32 + 1;
            (*picture, *area, char::from_digit(number, 10), note.clone())
        };
        let mut frames: Vec<_> = places.iter().zip(&notes).map(frame).collect();
        frames.sort_by_key(|(picture, ..)| *picture == self.board.picture);
        let frames = frames.iter().map(|(picture, area, number, note)| {
            let focused = *picture == self.board.picture;
            let (number, title, look) = (*number, picture.title(), self.app.look);
            (Frame { number, title, note, focused, look }, *area)
        });
        let frames: Vec<_> = frames.collect();
        for (frame, area) in &frames {
            frame.border(*area, buf);
        }
        for (frame, area) in &frames {
            frame.title(*area, buf);
        }
    }

    /// Draws what is in a frame; the note that the frame bears.
    fn content(&self, picture: Picture, area: Rect, buf: &mut Buffer) -> String {
        let area = Rect { width: area.width.saturating_sub(1), ..area };
        match picture {
            Picture::Ladder => self.ladder(area, buf),
            Picture::Sweep => self.sweep(area, buf),
            Picture::Roofline => self.roofline(area, buf),
            Picture::Occupancy => self.occupancy(area, buf),
            Picture::Why => self.why(area, buf),
        }
    }

    fn ladder(&self, area: Rect, buf: &mut Buffer) -> String {
        let stale = |row: &Measurement| freshness(row) == Freshness::Stale;
        let rung =
            |(index, told): (usize, &'_ Told<'_>)| (index == self.board.rung, stale(told.row));
        let marks: Vec<_> = self.rungs.iter().enumerate().map(rung).collect();
        let rungs: Vec<_> = self
            .rungs
            .iter()
            .zip(&marks)
            .map(|(told, (current, stale))| Rung {
                name: &told.name,
                gflops: told.row.gflops,
                of_library: told.of_library,
                over_previous: told.over_previous,
                stale: *stale,
                current: *current,
            })
            .collect();
        let older =
            if marks.iter().any(|(_, stale)| *stale) { "; * of an older kernel" } else { "" };
        let origin = format!("{}{older}", self.pack.label());
        Ladder { rungs: &rungs, origin: &origin, look: self.app.look }.render(area, buf);
        "GFLOP/s, measured".to_owned()
    }

    fn sweep(&self, area: Rect, buf: &mut Buffer) -> String {
        let points: Vec<Vec<(u32, f64)>> =
            self.rungs.iter().map(|told| over_sizes(&self.pack.rows, told.row)).collect();
        let series: Vec<_> = self
            .rungs
            .iter()
            .zip(&points)
            .enumerate()
            .filter(|(_, (_, points))| points.len() > 1)
            .map(|(index, (told, points))| Series {
                name: &told.name,
                points,
                current: index == self.board.rung,
            })
            .collect();
        Sweep { series: &series, look: self.app.look }.render(area, buf);
        "measured".to_owned()
    }

    fn roofline(&self, area: Rect, buf: &mut Buffer) -> String {
        let look = self.app.look;
        let Some(ceilings) = &self.pack.ceilings else {
            Line::styled(" this pack holds no ceilings: record it anew", look.dim())
                .render(area, buf);
            return String::new();
        };
        let (gflops, gigabytes) = (ceilings.float32_gflops.median, ceilings.copy_gb_s.median);
        let spots: Vec<_> = self
            .rungs
            .iter()
            .enumerate()
            .filter_map(|(index, told)| {
                // The roof is float32's.
                told.of_library?;
                let (bytes, _) = bytes(told.row);
                let point = Point::of(told.row.size.flops(), bytes, told.row.ms.median)?;
                Some(Spot { name: &told.row.kernel, point, current: index == self.board.rung })
            })
            .collect();
        Roofline { roofs: Roofs { gflops, gigabytes }, spots: &spots, look }.render(area, buf);
        let measured = self.rungs.iter().all(|told| bytes(told.row).1);
        if measured { "DRAM bytes, measured" } else { "bytes: model, each matrix moved once" }
            .to_owned()
    }

    fn occupancy(&self, area: Rect, buf: &mut Buffer) -> String {
        let look = self.app.look;
        let has = self.multiprocessor();
        let taken = self.current().and_then(|told| Some((told, told.row.beside.resources?)));
        let (Some(has), Some((told, taken))) = (has, taken) else {
            Line::styled(" nothing is known of this kernel's registers", look.dim())
                .render(area, buf);
            return String::new();
        };
        Filled { name: &told.name, demand: demand(&taken), has, look }.render(area, buf);
        "of one multiprocessor".to_owned()
    }

    fn multiprocessor(&self) -> Option<Multiprocessor> {
        let (major, minor) = self.pack.compute_capability.split_once('.')?;
        Multiprocessor::of((major.parse().ok()?, minor.parse().ok()?))
    }

    fn why(&self, area: Rect, buf: &mut Buffer) -> String {
        let look = self.app.look;
        let before = self.board.rung.checked_sub(1).and_then(|index| self.rungs.get(index));
        let (Some(before), Some(told)) = (before, self.current()) else {
            Line::styled(" the first of the story: choose a later one", look.dim())
                .render(area, buf);
            return String::new();
        };
        let known = figures([before.row, told.row]);
        let figures: Vec<_> = known
            .iter()
            .map(|(label, source, values, result)| Figure {
                label,
                source,
                values: *values,
                result: *result,
            })
            .collect();
        Why { names: [&before.row.kernel, &told.row.kernel], figures: &figures, look }
            .render(area, buf);
        "beside the one before".to_owned()
    }
}

/// (N, GFLOP/s) of a row's kernel at all square sizes, its fastest tile at each.
fn over_sizes(rows: &[Measurement], of: &Measurement) -> Vec<(u32, f64)> {
    let sizes = fastest::sizes(rows).into_iter().filter(|size| *size == Size::square(size.n));
    let fastest = |size: Size| {
        let rungs = fastest::rungs(rows, size);
        rungs.iter().find(|rung| rung.row.kernel == of.kernel).map(|rung| rung.row.gflops)
    };
    sizes.filter_map(|size| Some((size.n, fastest(size)?))).collect()
}

/// Bytes that a launch moves between L2 and DRAM, and whether they were measured: else the least
/// that any kernel must move, each matrix once.
fn bytes(row: &Measurement) -> (f64, bool) {
    let counted = row.beside.counters.as_ref().and_then(|all| all.get("dram__bytes.sum"));
    let least = || Operand::ALL.into_iter().map(|which| row.size.elements(which) * 4).sum::<u64>();
    counted.map_or_else(|| (least() as f64, false), |bytes| (*bytes, true))
}

fn demand(taken: &Resources) -> Demand {
    Demand {
        block: Dim3::flat(taken.threads, 1),
        registers: taken.registers,
        shared: taken.static_shared + taken.dynamic_shared,
    }
}

/// (label, source, values, whether it is a result) of all that is known of both.
fn figures(rows: [&Measurement; 2]) -> Vec<(String, &'static str, [f64; 2], bool)> {
    let both = |of: &dyn Fn(&Measurement) -> Option<f64>| Some([of(rows[0])?, of(rows[1])?]);
    let mut figures =
        vec![("time, ms".to_owned(), "measured", rows.map(|row| row.ms.median), true)];
    let mut add = |label: &str, source, values: Option<[f64; 2]>| {
        figures.extend(values.map(|values| (label.to_owned(), source, values, false)));
    };
    for (label, metric) in COUNTERS {
        let counter = |row: &Measurement| row.beside.counters.as_ref()?.get(metric).copied();
        add(label, "measured", both(&counter));
    }
    let resource = |of: fn(&Resources) -> u32| {
        both(&move |row| row.beside.resources.as_ref().map(|taken| f64::from(of(taken))))
    };
    add("registers a thread", "loaded module", resource(|taken| taken.registers));
    add("blocks on a multiprocessor", "loaded module", resource(|taken| taken.blocks_per_sm));
    figures
}

/// The hardware's counters that tell why: what they are called here, and by Nsight Compute.
const COUNTERS: [(&str, &str); 5] = [
    ("global load sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"),
    ("DRAM bytes", "dram__bytes.sum"),
    ("shared load instructions", "smsp__sass_inst_executed_op_shared_ld.sum"),
    ("shared wavefronts", "memory_l1_wavefronts_shared"),
    ("instructions", "smsp__inst_executed.sum"),
];
