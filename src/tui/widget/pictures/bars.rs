//! Bars of the time that each unit of the GPU needs at its full rate, under the measured time: for
//! one kernel, or for two beside each other.

use crate::report::charts::FigureSource;
use crate::report::charts::units::{GpuUnit, UnitLoad, ms};
use crate::report::charts::why::UnitTimes;
use crate::tui::layout::text::{fitting, width};
use crate::tui::theme::Look;
use crate::tui::widget::measured::strip;
use crate::tui::widget::pen::Pen;

/// The bars of one kernel or of two, on one scale.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bars<'a> {
    pub kernels: &'a [UnitTimes],
    pub look: Look,
}

/// Columns of the units' names, and of a figure with a blank before it.
const LABEL: u16 = 19;
const FIGURE: u16 = 6;

/// Columns of where count and rate come from, and the least width of a picture with all of it.
const ORIGIN: u16 = 12;
const ORIGINS: u16 = 31;
const ROOMY: u16 = 110;

/// The least useful width of a bar.
const LEAST_BAR: u16 = 6;

/// Where one kernel's column lies.
#[derive(Clone, Copy)]
struct BarColumn {
    x: u16,
    bars: u16,
}

impl Bars<'_> {
    /// The units to show: those that work for a kernel here.
    fn units(&self) -> Vec<GpuUnit> {
        let works = |unit: &GpuUnit| {
            self.kernels.iter().any(|needs| needs.load(*unit).is_some_and(|load| load.ms > 0.0))
        };
        GpuUnit::ALL.into_iter().filter(works).collect()
    }

    /// The time at the right end of a bar's room.
    fn longest(&self) -> f64 {
        let loads = self.kernels.iter().flat_map(|needs| &needs.loads).map(|load| load.ms);
        let times = self.kernels.iter().map(|needs| needs.measured);
        times.chain(loads).fold(f64::MIN_POSITIVE, f64::max)
    }

    fn columns(&self, pen: &Pen<'_>) -> (Vec<BarColumn>, u16) {
        let origin = if pen.width() >= ROOMY { ORIGINS } else { ORIGIN };
        let kernels = self.kernels.len().max(1) as u16;
        let room = |origin: u16| pen.width().saturating_sub(LABEL + origin) / kernels;
        let origin = if room(origin) >= LEAST_BAR + FIGURE + 2 { origin } else { 0 };
        let each = room(origin);
        let column = |index: u16| BarColumn {
            x: LABEL + index * each,
            bars: each.saturating_sub(FIGURE + 2),
        };
        ((0..kernels).map(column).collect(), origin)
    }

    /// Draws it from row `top` on; returns the row after it.
    pub(super) fn draw(&self, pen: &mut Pen<'_>, top: u16) -> u16 {
        let units = self.units();
        if units.is_empty() {
            return top;
        }
        let look = self.look;
        let (columns, origin) = self.columns(pen);
        pen.text(1, top, "ms at full rate", look.dim());
        let bold = look.bold();
        for (column, needs) in columns.iter().zip(self.kernels) {
            let short = needs.name.split(' ').next().unwrap_or_default();
            let wordings = [needs.name.clone(), short.to_owned()];
            pen.text(column.x, top, fitting(&wordings, column.bars + FIGURE), bold);
        }
        let x = pen.width().saturating_sub(origin);
        if origin > 0 {
            pen.text(x + 1, top, "origin", look.dim());
        }
        for (unit, y) in units.iter().zip(top + 1..) {
            self.row(pen, y, *unit, &columns);
            let loads = self.kernels.iter().rev().filter_map(|needs| needs.load(*unit));
            let loads: Vec<_> = loads.filter(|_| origin > 0).collect();
            if let Some(told) = source_label(&loads, origin) {
                pen.text(x + 1, y, &told, look.dim());
            }
        }
        let last = top + 1 + units.len() as u16;
        pen.text(1, last, "measured", bold);
        for (column, needs) in columns.iter().zip(self.kernels) {
            self.measured(pen, last, *column, needs);
        }
        if origin > 0 {
            pen.text(x + 1, last, "measured", look.dim());
        }
        last + 1
    }

    fn row(&self, pen: &mut Pen<'_>, y: u16, unit: GpuUnit, columns: &[BarColumn]) {
        let look = self.look;
        let limits = |needs: &UnitTimes| needs.close() == Some(unit);
        let style = if self.kernels.last().is_some_and(limits) {
            pen.text(0, y, look.pick("►", ">"), look.chosen());
            look.chosen()
        } else {
            look.text()
        };
        pen.text(1, y, unit.label(), style);
        for (column, needs) in columns.iter().zip(self.kernels) {
            self.tick(pen, y, *column, needs);
            let load = needs.load(unit);
            let style = if limits(needs) { look.chosen() } else { look.text() };
            let eighths = load.map_or(0, |load| self.eighths(load.ms, *column));
            let eighths = eighths.max(u16::from(load.is_some_and(|load| load.ms > 0.0)));
            strip(pen, column.x, y, eighths, limits(needs));
            let figure = load.map_or("?".to_owned(), |load| ms(load.ms));
            pen.right(column.x + column.bars + FIGURE, y, &figure, style);
        }
    }

    /// The column of the measured time.
    fn at(&self, column: BarColumn, needs: &UnitTimes) -> u16 {
        column.x + (self.eighths(needs.measured, column) / 8).min(column.bars.saturating_sub(1))
    }

    /// A bar's length in eighths of a cell.
    fn eighths(&self, ms: f64, column: BarColumn) -> u16 {
        let cells = f64::from(column.bars) * ms / self.longest();
        ((8.0 * cells).round() as u16).min(8 * column.bars)
    }

    fn tick(&self, pen: &mut Pen<'_>, y: u16, column: BarColumn, needs: &UnitTimes) {
        pen.text(self.at(column, needs), y, self.look.pick("│", "|"), self.look.dim());
    }

    fn measured(&self, pen: &mut Pen<'_>, y: u16, column: BarColumn, needs: &UnitTimes) {
        let style = self.look.bold();
        let end = self.at(column, needs);
        pen.repeat(column.x, y, end - column.x, self.look.pick("─", "-"), self.look.text());
        pen.text(end, y, self.look.pick("┤", "|"), self.look.text());
        pen.right(column.x + column.bars + FIGURE, y, &ms(needs.measured), style);
    }
}

/// Where a unit's bars come from, as far as there is room: at least the less certain part. If they
/// differ, the least certain of them.
fn source_label(loads: &[&UnitLoad], room: u16) -> Option<String> {
    let rank = |load: &&&UnitLoad| match load.weakest() {
        FigureSource::Measured => 0,
        FigureSource::Module => 1,
        FigureSource::Simulated => 2,
        FigureSource::Model => 3,
    };
    let load = loads.iter().max_by_key(rank)?;
    let all = load.origin();
    Some(if width(&all) < room { all } else { load.weakest().word().to_owned() })
}
