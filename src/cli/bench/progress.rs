//! Shows the progress of a measurement on stderr.

use crate::cli::output::{show_progress, tell};
use crate::gpu::client::Client;
use crate::timing::GpuError;
use crate::timing::protocol::Phase;
use crate::timing::{Ceilings, Measure, Measurement};

/// Measures row `number` of `of` and shows its progress, then its result.
pub(super) fn measure(
    client: &mut Client,
    request: Measure,
    (number, of): (usize, usize),
) -> Result<Measurement, GpuError> {
    let tile = request.subject.tile().map_or(String::new(), |tile| format!(", tile {tile}"));
    let what = format!("[{number}/{of}] {} at {}{tile}", request.subject.name(), request.size);
    let told = |row: &Measurement| {
        let wrong = if row.is_right() { "" } else { ", WRONG" };
        format!("{:.4} ms, {:.0} GFLOP/s{wrong}", row.ms.median, row.gflops)
    };
    say_progress(&what, |progress| client.measure(request, progress), told)
}

/// Measures the GPU's ceilings.
pub(super) fn ceilings(client: &mut Client, device: u32) -> Result<Ceilings, GpuError> {
    let what = "the most that the GPU can do";
    say_progress(what, |progress| client.ceilings(device, progress), |_| "measured".to_owned())
}

/// Runs a long task and shows its progress, then its result. On a terminal it rewrites the line
/// repeatedly, elsewhere it prints it once.
pub(super) fn say_progress<T>(
    what: &str,
    work: impl FnOnce(&mut dyn FnMut(Phase)) -> Result<T, GpuError>,
    told: impl FnOnce(&T) -> String,
) -> Result<T, GpuError> {
    let done = work(&mut |phase| show_progress(&format!("{what}: {phase}")));
    show_progress("");
    if let Ok(result) = &done {
        note(&format!("{what}: {}", told(result)));
    }
    done
}

/// Prints a line on stderr.
pub(super) fn note(text: &str) {
    tell(text);
}
