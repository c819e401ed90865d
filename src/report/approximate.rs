//! The approximate instructions of a kernel, as text.

use crate::study::approximate::Approximation;
use std::fmt::Write;

/// One line for each; empty if there are none.
pub fn text(all: &[Approximation]) -> String {
    let mut text = String::new();
    for Approximation { instruction, ptx_line, line } in all {
        let source = line.map(|line| format!(", line {line} of the source")).unwrap_or_default();
        let _ = writeln!(
            text,
            "{instruction} (PTX line {ptx_line}{source}) is an approximation: a GPU's bits may differ"
        );
    }
    text
}
