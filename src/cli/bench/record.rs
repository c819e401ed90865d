//! `--record FILE`: writes a timing pack, including the rows that earlier runs of the day have
//! written there.

use super::progress::note;
use crate::cli::{BadUse, output};
use crate::file;
use crate::timing::pack::{Merged, Pack};
use anyhow::bail;
use std::fs;
use std::path::Path;

/// Reads a timing pack from a file.
///
/// # Errors
/// A file that cannot be read, or that is not a pack.
pub(in crate::cli) fn read(file: &Path) -> anyhow::Result<Pack> {
    let (text, name) = (output::read(file)?, output::named(file));
    Ok(Pack::read(&text).map_err(|error| BadUse(format!("{name}: {error}")))?)
}

/// Reads the pack to record into, if it exists, before anything is measured.
///
/// # Errors
/// The file cannot be written, or it is not a pack, and is not overwritten.
pub(super) fn earlier(file: &Path) -> anyhow::Result<Option<Pack>> {
    file::check(file).map_err(|error| BadUse(format!("writing {}: {error}", file.display())))?;
    let holds = fs::metadata(file).is_ok_and(|file| file.is_file() && file.len() > 0);
    holds.then(|| read(file)).transpose()
}

/// Writes the rows of a run, together with the rows that only `earlier` has, if the two can be
/// merged.
///
/// # Errors
/// A file that cannot be written; the error says where the rows were saved instead.
pub(super) fn record(file: &Path, pack: &Pack, earlier: Option<&Pack>) -> anyhow::Result<()> {
    let (mut pack, name) = (pack.clone(), file.display());
    let what = match earlier.map(|earlier| (pack.unlike(earlier), earlier)) {
        None => format!("{} rows", pack.rows.len()),
        Some((Some(why), _)) => {
            format!("{} rows, anew: before it was of {why}", pack.rows.len())
        }
        Some((None, earlier)) => describe(pack.take_in(earlier.clone())),
    };
    let text = serde_json::to_string_pretty(&pack)? + "\n";
    if let Err(error) = file::write(file, &text) {
        match file::rescue(&text, ".json") {
            Ok(rescued) => {
                let rescued = rescued.display();
                bail!("writing {name}: {error}; what it should hold is in {rescued}: move it there")
            }
            Err(why) => bail!(
                "writing {name}: {error}; the rows are only in what was printed, for they could \
                 not be written to the temporary folder either: {why}"
            ),
        }
    }
    note(&format!("wrote {name}: {what}"));
    Ok(())
}

fn describe(Merged { new, updated, kept, stale }: Merged) -> String {
    let gone = if stale == 0 {
        String::new()
    } else {
        format!(", {stale} left out, whose kernels have changed")
    };
    format!("rows: {new} new, {updated} updated, {kept} kept{gone}")
}
