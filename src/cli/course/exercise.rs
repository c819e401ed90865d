//! The exercise that a command names.

use crate::cli::BadUse;
use crate::cli::names::meant;
use crate::lesson::exercise::{Exercise, read};
use std::path::Path;

/// The exercise of this name, or in the folder at this path.
///
/// # Errors
/// There is none, or it is broken.
pub(in crate::cli) fn exercise(named: &str) -> Result<Exercise, BadUse> {
    let shipped = read::shipped().map_err(BadUse::of)?;
    if let Some(exercise) = shipped.iter().find(|exercise| exercise.is_called(named)) {
        return Ok(exercise.clone());
    }
    let path = Path::new(named);
    if path.join("rubric.toml").exists() {
        // `.` has a name as well.
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        return read::folder(&path).map_err(BadUse::of);
    }
    let known: Vec<_> = shipped.iter().map(|exercise| &*exercise.id).collect();
    let meant = meant(named, known.iter().copied());
    Err(BadUse(format!(
        "there is no exercise `{named}`: give {} or a folder{meant}",
        known.join(", ")
    )))
}
