//! `--record FILE`: a timing pack, which takes in what earlier runs of the day have put there.

use super::progress::note;
use crate::cli::BadUse;
use crate::gpu::pack::{Merged, Pack};
use anyhow::Context;
use std::fs;
use std::path::Path;

/// A timing pack from its file.
///
/// # Errors
/// A file that cannot be read, or that holds something else.
pub(in crate::cli) fn read(file: &Path) -> anyhow::Result<Pack> {
    let text = fs::read_to_string(file)
        .map_err(|error| BadUse(format!("reading {}: {error}", file.display())))?;
    Pack::read(&text).with_context(|| file.display().to_string())
}

/// The pack that is to be recorded into, if there is one: asked for before anything is measured.
///
/// # Errors
/// The file is there and holds something else, which is not overwritten.
pub(super) fn earlier(file: &Path) -> anyhow::Result<Option<Pack>> {
    let empty = fs::metadata(file).map_or(true, |file| file.is_file() && file.len() == 0);
    if empty { Ok(None) } else { read(file).map(Some) }
}

/// Writes a run, and beside it what `earlier` runs have measured likewise.
///
/// # Errors
/// A file that cannot be written.
pub(super) fn record(file: &Path, pack: &Pack, earlier: Option<&Pack>) -> anyhow::Result<()> {
    let (mut pack, name) = (pack.clone(), file.display());
    let what = match earlier.map(|earlier| (pack.unlike(earlier), earlier)) {
        None => format!("{} rows", pack.rows.len()),
        Some((Some(why), _)) => {
            format!("{} rows, anew: before it was of {why}", pack.rows.len())
        }
        Some((None, earlier)) => told(pack.take_in(earlier.clone())),
    };
    let text = serde_json::to_string_pretty(&pack)? + "\n";
    fs::write(file, text).with_context(|| format!("writing {name}"))?;
    note(&format!("wrote {name}: {what}"));
    Ok(())
}

fn told(Merged { new, updated, kept, stale }: Merged) -> String {
    let gone = if stale == 0 {
        String::new()
    } else {
        format!(", {stale} left out, whose kernels have changed")
    };
    format!("rows: {new} new, {updated} updated, {kept} kept{gone}")
}
