//! Calls of functions without a body in the module, which the driver would provide.

use crate::sim::exec_context::ExecContext;
use crate::sim::failed::Failed;
use crate::sim::fault::FaultKind;
use crate::sim::mask::LaneMask;
use crate::sim::program::Reg;

/// Called by a failing `assert` with the expression, the file and the line, as seen in a kernel's
/// PTX.
pub(in crate::sim) const ASSERTION: &str = "__assertfail";

/// Called by `printf`.
const PRINT: &str = "vprintf";

/// Maximum length of a text read from memory, in bytes.
const LONGEST: u64 = 200;

/// Executes such a call in these lanes. `printf` is ignored: its output affects nothing else.
pub(super) fn execute(
    place: &ExecContext<'_>,
    (name, args): (&str, &[Reg]),
    lanes: LaneMask,
) -> Result<(), Failed> {
    let Some(lane) = lanes.lanes().next().filter(|_| name != PRINT) else { return Ok(()) };
    let kind = match args {
        [expression, file, line, ..] if name == ASSERTION => {
            let text = |arg: &Reg| text(place, argument(place, *arg, lane));
            let (expression, file) = (text(expression), text(file));
            FaultKind::Assertion { expression, file, line: argument(place, *line, lane) as u32 }
        }
        _ => FaultKind::MissingFunction(name.to_owned()),
    };
    Err((kind, Some(lane)))
}

/// The 8 bytes at an argument's address in a lane's local memory.
fn argument(place: &ExecContext<'_>, address: Reg, lane: usize) -> u64 {
    let addr = place.warp.regs.wide(address)[lane];
    let word = |addr| u64::from(place.warp.local.load(lane, addr));
    word(addr) | word(addr + 4) << 32
}

/// The zero-terminated text at a global address.
fn text(place: &ExecContext<'_>, from: u64) -> String {
    let byte = |addr: u64| {
        let (buffer, offset) = place.memory.locate(addr)?;
        Some((buffer.load(offset / 4) >> (8 * (offset % 4))) as u8)
    };
    let bytes = (from..from.saturating_add(LONGEST)).map_while(byte).take_while(|byte| *byte != 0);
    String::from_utf8_lossy(&bytes.collect::<Vec<_>>()).into_owned()
}
