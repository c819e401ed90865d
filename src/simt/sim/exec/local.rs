//! Bounds checks for local memory, which holds a thread's own variables.

use super::failed::{Failed, failed};
use crate::sim::memory::AddressError;
use crate::sim::program::Frame;
use crate::sim::step::Access;

/// Checks that each active lane's bytes are inside the local memory of one function.
pub(super) fn check(frames: &[Frame], access: &Access) -> Result<(), Failed> {
    let bytes = u64::from(access.bytes);
    let inside = |frame: &&Frame, addr: u64| {
        let at = addr.wrapping_sub(frame.base.into());
        at < frame.bytes.into() && u64::from(frame.bytes) - at >= bytes
    };
    for (lane, addr) in access.touched() {
        let wrong = match frames.iter().find(|frame| inside(frame, addr)) {
            None => AddressError::Outside,
            Some(_) if addr & (bytes - 1) != 0 => AddressError::Misaligned,
            Some(_) => continue,
        };
        return Err(failed(wrong(describe(frames, addr)), access, lane));
    }
    Ok(())
}

/// Describes an address relative to the variables: "`buffer` ends 12 bytes before it".
fn describe(frames: &[Frame], addr: u64) -> String {
    let at = addr as i64;
    let variables = || frames.iter().flat_map(|frame| &frame.variables);
    let before = variables().rfind(|variable| i64::from(variable.offset) <= at);
    let Some(variable) = before.or_else(|| variables().next()) else {
        return "is outside: the kernel has no local memory".to_owned();
    };
    let (name, start) = (&variable.name, i64::from(variable.offset));
    let end = start + i64::from(variable.bytes);
    match at {
        at if at < start => format!("is outside: `{name}` begins {} bytes after it", start - at),
        at if at >= end => format!("is outside: `{name}` ends {} bytes before it", at - end),
        _ => {
            format!("begins {} bytes into `{name}`, {} bytes before its end", at - start, end - at)
        }
    }
}
