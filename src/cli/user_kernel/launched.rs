//! Which kernel of the code is launched, and whether what is said of its launch can be meant.

use super::{BadUse, Code};
use crate::cli::names::meant;
use crate::kernel::{find_entry, source_name};
use crate::lesson::edit::host_launch;
use cudac::HostLaunch;
use ptx::{Function, Module};

impl Code {
    /// The kernel that is named, or the only one that the host launches, or the one that it launches
    /// in the first place, with what to say of that choice.
    ///
    /// # Errors
    /// There is no such kernel; there are several, and nothing tells which is meant.
    pub(super) fn function<'m>(
        &self,
        module: &'m Module,
    ) -> Result<(&'m Function, Option<String>), BadUse> {
        let entry = self.launch.entry.as_deref();
        let only = host_launch::only(&self.calls).filter(|_| entry.is_none());
        let only = only.and_then(|only| find_entry(module, Some(only)).ok());
        let error = match only.map_or_else(|| find_entry(module, entry), Ok) {
            Ok(function) => return Ok((function, None)),
            Err(error) => error,
        };
        let chosen = entry.is_none().then(|| host_launch::chosen(&self.calls, module)).flatten();
        let (function, told) = chosen.ok_or_else(|| {
            let entries = module.functions.iter().map(|function| source_name(&function.name));
            let entries: Vec<_> = entries.collect();
            let meant = meant(entry.unwrap_or_default(), entries.iter().map(|name| &**name));
            BadUse(format!("{error}{meant}"))
        })?;
        Ok((function, Some(told)))
    }

    /// Looks for what the host's launch lacks, where nothing else says it.
    ///
    /// # Errors
    /// Its grid has no blocks; its dynamic shared memory cannot be evaluated.
    pub(super) fn launchable(&self, called: Option<&HostLaunch>) -> Result<(), BadUse> {
        let Self { launch, size, whole, .. } = self;
        let Some((called, whole)) = called.zip(whole.as_ref()) else { return Ok(()) };
        let no_blocks = launch.grid.is_none().then(|| host_launch::no_blocks(whole, called, *size));
        let no_shared = launch.shared.is_none().then(|| host_launch::no_shared(whole, called));
        let lacks = no_blocks.flatten().or_else(|| no_shared.flatten());
        lacks.map_or(Ok(()), |why| Err(BadUse(why)))
    }
}
