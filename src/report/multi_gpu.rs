//! The results on several GPUs, as a table.

use crate::matrix::Size;
use crate::timing::MultiGpuResult;
use serde::Serialize;

/// The quantity that stays constant as GPUs are added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Scaling {
    /// The size of the product: each GPU has fewer rows.
    Strong,
    /// The rows per GPU: the product grows.
    Weak,
}

/// One measurement.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The quantity that stayed constant.
    pub scaling: Scaling,
    /// The measurement.
    #[serde(flatten)]
    pub spreading: MultiGpuResult,
}

impl Scaling {
    /// The size of the product for `count` GPUs, where `size` is the size for one.
    pub fn size(self, size: Size, count: u32) -> Size {
        match self {
            Self::Strong => size,
            Self::Weak => Size { m: size.m * count, ..size },
        }
    }
}

impl Row {
    fn gpus(&self) -> usize {
        self.spreading.parts.len()
    }

    /// Speed as a multiple of one GPU's, with the same columns and terms.
    fn speed_up(&self, rows: &[Self]) -> Option<f64> {
        let Size { n, k, .. } = self.spreading.size;
        let per_gpu = match self.scaling {
            Scaling::Strong => self.spreading.size.m,
            Scaling::Weak => self.spreading.size.m / self.gpus() as u32,
        };
        let alone = rows.iter().find(|row| {
            row.gpus() == 1
                && row.spreading.kernel == self.spreading.kernel
                && row.spreading.size == Size { m: per_gpu, n, k }
        })?;
        Some(self.spreading.gflops / alone.spreading.gflops)
    }

    fn cells(&self, rows: &[Self]) -> [String; 10] {
        let MultiGpuResult { kernel, size, broadcast_ms, ms, gflops, .. } = &self.spreading;
        let times = self.speed_up(rows);
        let errors = self.spreading.parts.iter().map(|part| part.relative_error);
        let worst = errors.reduce(|a, b| a.zip(b).map(|(a, b)| a.max(b))).flatten();
        let error = match worst {
            Some(error) if self.spreading.is_right() => format!("{error:.1e}"),
            Some(error) => format!("{error:.1e} WRONG"),
            None => "not finite WRONG".to_owned(),
        };
        [
            kernel.clone(),
            size.to_string(),
            match self.scaling {
                Scaling::Strong => "same product".to_owned(),
                Scaling::Weak => "same rows each".to_owned(),
            },
            self.gpus().to_string(),
            format!("{:.3}", ms.median),
            format!("{gflops:.0}"),
            times.map_or("-".to_owned(), |times| format!("{times:.2}x")),
            times.map_or("-".to_owned(), |times| {
                format!("{:.0} %", 100.0 * times / self.gpus() as f64)
            }),
            broadcast_ms.map_or("-".to_owned(), |ms| format!("{:.3}", ms.median)),
            error,
        ]
    }
}

const HEADER: [&str; 10] = [
    "kernel",
    "size",
    "scaling",
    "GPUs",
    "median ms",
    "GFLOP/s",
    "speed-up",
    "efficiency",
    "B sent in ms",
    "rel. error",
];

/// One line per measurement, columns aligned. The time is that of the products alone; the broadcast
/// of B has its own column.
pub fn table(rows: &[Row]) -> String {
    let Some(first) = rows.first() else { return String::new() };
    let cells: Vec<_> = std::iter::once(HEADER.map(str::to_owned))
        .chain(rows.iter().map(|row| row.cells(rows)))
        .collect();
    let width = |column: usize| cells.iter().map(|line| line[column].len()).max().unwrap_or(0);
    let widths: [usize; 10] = std::array::from_fn(width);
    let aligned = |line: &[String; 10]| {
        let cell = |(index, (cell, width)): (usize, (&String, &usize))| {
            if index < 3 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
        };
        let cells: Vec<_> = line.iter().zip(&widths).enumerate().map(cell).collect();
        format!("{}\n", cells.join("  ").trim_end())
    };
    let lines: String = cells.iter().map(aligned).collect();
    format!("{}, measured\n\n{lines}", first.spreading.device)
}
