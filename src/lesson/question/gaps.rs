//! The places in a source where a text makes the kernel what is wanted.

use crate::lesson::document::Ask;
use crate::lesson::gap::Gap;
use crate::lesson::query_error::QueryError;
use crate::lesson::setting_runs::SettingRuns;
use crate::lesson::target::Target;
use std::collections::BTreeSet;

/// The lines of a setting's source after which the text of a question is accepted. Each is
/// compiled and run at the size of the setting.
///
/// # Errors
/// The question has no text, wants something else than `sound` or `right`, or the source is missing
/// or does not compile as it is.
pub(super) fn accepted(ask: &Ask, runs: &SettingRuns) -> Result<BTreeSet<Target>, QueryError> {
    let insert = ask.insert.as_deref();
    let none = || QueryError::new("a gap needs `insert`: the text that is put there");
    let insert = insert.ok_or_else(none)?;
    let holds = match ask.want.text.trim() {
        "sound" => Gap::is_sound,
        "right" => Gap::is_right,
        other => {
            let told = format!("a gap wants `sound` or `right`, not `{other}`");
            return Err(QueryError::new(told));
        }
    };
    let gaps = runs.gaps(insert)?;
    Ok(gaps.iter().filter(|gap| holds(gap)).map(|gap| Target::Line(gap.line)).collect())
}
