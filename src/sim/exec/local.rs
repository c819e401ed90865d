//! Local memory: the bounds of a thread's own variables.

use super::Failed;
use super::memory::failed;
use crate::sim::memory::Wrong;
use crate::sim::program::Frame;
use crate::sim::step::Access;

/// Checks that every active lane's bytes lie in the variables of its functions: those of `frame`,
/// which begin at `base`, and those of its callers below.
pub(super) fn check(frame: &Frame, base: u32, access: &Access) -> Result<(), Failed> {
    let (bytes, end) = (u64::from(access.bytes), u64::from(base + frame.bytes));
    for (lane, addr) in access.touched() {
        let wrong = match addr {
            addr if addr >= end || end - addr < bytes => Wrong::Outside,
            addr if addr & (bytes - 1) != 0 => Wrong::Misaligned,
            _ => continue,
        };
        return Err(failed(wrong(frame.describe(base, addr)), access, lane));
    }
    Ok(())
}

impl Frame {
    /// Where an address is, in words: "`buffer` ends 12 bytes before it".
    fn describe(&self, base: u32, addr: u64) -> String {
        let at = addr.wrapping_sub(base.into()) as i64;
        let before = self.variables.iter().rev().find(|variable| i64::from(variable.offset) <= at);
        let nearest = before.or(self.variables.first());
        let Some(variable) = nearest else {
            return format!("is outside: `{}` has no local memory", self.function);
        };
        let (name, start) = (&variable.name, i64::from(variable.offset));
        let end = start + i64::from(variable.bytes);
        match at {
            at if at < start => {
                format!("is outside: `{name}` begins {} bytes after it", start - at)
            }
            at if at >= end => format!("is outside: `{name}` ends {} bytes before it", at - end),
            _ => format!(
                "begins {} bytes into `{name}`, {} bytes before its end",
                at - start,
                end - at
            ),
        }
    }
}
