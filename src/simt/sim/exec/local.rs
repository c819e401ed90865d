//! Bounds checks for local memory, which holds a thread's own variables.

use crate::sim::access::Access;
use crate::sim::failed::{Failed, failed};
use crate::sim::memory::{AddressError, NearestBuffer, far};
use crate::sim::program::{LocalFrame, LocalVariable};

/// Checks that each active lane's bytes are inside the local memory of one function.
pub(super) fn check(frames: &[LocalFrame], access: &Access) -> Result<(), Failed> {
    let bytes = u64::from(access.bytes);
    let inside = |frame: &&LocalFrame, addr: u64| {
        let at = addr.wrapping_sub(frame.base.into());
        at < frame.bytes.into() && u64::from(frame.bytes) - at >= bytes
    };
    for (lane, addr) in access.touched() {
        let wrong = match frames.iter().find(|frame| inside(frame, addr)) {
            None => match nearest(frames, addr) {
                Some(near) => AddressError::Beyond(describe(frames, addr), near),
                None => AddressError::Outside(describe(frames, addr)),
            },
            Some(_) if addr & (bytes - 1) != 0 => AddressError::Misaligned(describe(frames, addr)),
            Some(_) => continue,
        };
        return Err(failed(wrong, access, lane));
    }
    Ok(())
}

/// The last variable that begins before an address, or else the first one.
fn beside(frames: &[LocalFrame], addr: u64) -> Option<&LocalVariable> {
    let variables = || frames.iter().flat_map(|frame| &frame.variables);
    let before = variables().rfind(|variable| i64::from(variable.offset) <= addr as i64);
    before.or_else(|| variables().next())
}

fn nearest(frames: &[LocalFrame], addr: u64) -> Option<NearestBuffer> {
    beside(frames, addr).map(|variable| NearestBuffer {
        buffer: variable.name.clone(),
        offset: addr as i64 - i64::from(variable.offset),
    })
}

/// Describes an address relative to the variables: "`buffer` ends 12 bytes before it".
fn describe(frames: &[LocalFrame], addr: u64) -> String {
    let at = addr as i64;
    let Some(variable) = beside(frames, addr) else {
        return "is outside: the kernel has no local memory".to_owned();
    };
    let name = match &*variable.name {
        // All that a function keeps there, as NVRTC and clang call it.
        depot if depot.starts_with("__local_depot") => {
            "what the thread keeps in local memory".to_owned()
        }
        name => format!("`{name}`"),
    };
    let start = i64::from(variable.offset);
    let end = start + i64::from(variable.bytes);
    match at {
        at if at < start => format!("is outside: {name} begins {} bytes after it", start - at),
        at if at >= end => format!("is outside: {name} ends {} before it", far(at.abs_diff(end))),
        _ => {
            format!("begins {} bytes into {name}, {} bytes before its end", at - start, end - at)
        }
    }
}
