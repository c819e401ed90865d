//! The table of what a source does at several sizes.

use crate::lesson::judged::{Judged, Spoilt};
use crate::matrix::Size;
use crate::report::number::grouped;
use std::fmt::Write;

/// A line for each size. `spoilt` may be empty: then nothing is said of other orders.
pub(super) fn table(judged: &[Judged], spoilt: &[Spoilt]) -> String {
    let sizes = judged.iter().map(|judged| name(judged.size));
    let width = sizes.map(|size| size.len()).max().unwrap_or(0);
    let orders = if spoilt.is_empty() { "" } else { "   C in other orders" };
    let mut text =
        format!("{:width$}  C      findings   sectors   passes   conflicts{orders}\n", "");
    for (number, judged) in judged.iter().enumerate() {
        let right = if judged.right { "right" } else { "WRONG" };
        let orders = spoilt.get(number).map(|spoilt| format!("   {}", told(spoilt)));
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
fn told(spoilt: &Spoilt) -> String {
    match spoilt.orders {
        0 => "the same".to_owned(),
        orders => format!("{} of {orders} wrong", spoilt.wrong),
    }
}
