//! The sizes at which a source is judged, and the table of what it does at each.

use crate::cli::BadUse;
use crate::cli::size_list::SizeList;
use crate::lesson::judged::{Judged, Spoilt, sizes};
use crate::matrix::Size;
use crate::report::number::grouped;
use std::fmt::Write;

/// The sizes at which a source is judged.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(in crate::cli) struct Judging {
    /// Sizes of the matrices at which it is judged: N or MxNxK, several with commas
    #[arg(long, value_name = "SIZE,...")]
    size: Option<SizeList>,
}

impl Judging {
    /// The sizes, or these.
    pub(in crate::cli) fn sizes(&self, usual: &str) -> Result<Vec<Size>, BadUse> {
        let texts: Vec<_> = match &self.size {
            Some(list) => list.sizes().iter().map(Size::to_string).collect(),
            None => usual.split(',').map(str::to_owned).collect(),
        };
        sizes(&texts).map_err(BadUse::of)
    }
}

/// A line for each size. `spoilt` may be empty: then nothing is said of other orders.
pub(in crate::cli) fn table(judged: &[Judged], spoilt: &[Spoilt]) -> String {
    let sizes = judged.iter().map(|judged| name(judged.size));
    let width = sizes.map(|size| size.len()).max().unwrap_or(0);
    let orders = if spoilt.is_empty() { "" } else { "   C in other orders" };
    let mut text =
        format!("{:width$}  C      findings   sectors   passes   conflicts{orders}\n", "");
    for (number, judged) in judged.iter().enumerate() {
        let right = if judged.right { "right" } else { "WRONG" };
        let orders = spoilt.get(number).map(|spoilt| format!("   {}", spoilt_orders(spoilt)));
        let _ = writeln!(
            text,
            "{:<width$}  {right}{:>10}{:>10}{:>9}{:>12}{}",
            name(judged.size),
            judged.findings.len(),
            grouped(judged.load_sectors),
            grouped(judged.shared_passes),
            grouped(judged.conflicts),
            orders.unwrap_or_default(),
        );
    }
    text
}

fn name(size: Size) -> String {
    format!("at {size}")
}

/// `29 of 100 wrong`.
fn spoilt_orders(spoilt: &Spoilt) -> String {
    match spoilt.orders {
        0 => "the same".to_owned(),
        orders => format!("{} of {orders} wrong", spoilt.wrong),
    }
}
