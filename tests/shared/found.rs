//! What `matviz check --json` has found, in short.

use serde_json::Value;
use std::collections::BTreeSet;

/// The kind and the lines of each finding.
pub(crate) fn found(outcome: &Value) -> BTreeSet<String> {
    let findings = outcome["findings"].as_array().expect("a list");
    let one = |finding: &Value| {
        let kind = finding["kind"].as_str().expect("a kind");
        let sides = finding["sides"].as_array().expect("a list");
        let lines: BTreeSet<_> = sides.iter().filter_map(|side| side["line"].as_u64()).collect();
        let lines: Vec<_> = lines.iter().map(u64::to_string).collect();
        format!("{kind} {}", lines.join(" "))
    };
    findings.iter().map(one).collect()
}
