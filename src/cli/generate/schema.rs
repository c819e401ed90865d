//! `matviz generate schema`: the JSON Schema of what the commands print with `--json`.

use crate::cli::BadUse;
use crate::cli::names::NameParser;
use crate::cli::output::{FORMAT, print};
use anyhow::Context;
use serde_json::{Map, Value};
use std::process::ExitCode;

/// Arguments of `matviz generate schema`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The command [default: all, in one object]
    #[arg(value_name = "COMMAND", value_parser = COMMAND, hide_possible_values = true)]
    command: Option<&'static str>,
}

/// The schema of a command: a file in `src/cli/schema`.
macro_rules! schemas {
    ($($name:literal,)*) => {
        &[$(($name, include_str!(concat!("../schema/", $name, ".json")))),*]
    };
}

/// Every command that prints JSON.
const SCHEMAS: &[(&str, &str)] = schemas![
    "check",
    "check-prove",
    "check-against",
    "trace",
    "access",
    "bench",
    "export",
    "export-frame",
    "learn-list",
    "learn-progress",
    "course-check",
    "course-changes",
    "course-gaps",
    "course-dials",
    "course-grade",
    "doctor",
];

/// What several of them share: sizes, tiles, findings.
const SHARED: &str = include_str!("../schema/shared.json");

const COMMAND: NameParser<&'static str> = NameParser {
    of: || SCHEMAS.iter().map(|(name, _)| (*name, "")).collect(),
    parse: |text| {
        let found = SCHEMAS.iter().find(|(name, _)| *name == text);
        let told = || BadUse("there is no JSON of such a command".to_owned());
        found.map(|(name, _)| *name).ok_or_else(told)
    },
};

/// Prints the schema of one command, or of all by their names.
///
/// # Errors
/// stdout cannot be written.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let chosen = SCHEMAS.iter().filter(|(name, _)| args.command.is_none_or(|one| one == *name));
    let mut all = Map::new();
    for (name, text) in chosen {
        let mut schema = schema(text).with_context(|| (*name).to_owned())?;
        schema["$id"] = format!("urn:matviz:{name}:{FORMAT}").into();
        all.insert((*name).to_owned(), schema);
    }
    let one = args.command.and_then(|name| all.remove(name));
    let text = serde_json::to_string_pretty(&one.unwrap_or(Value::Object(all)))?;
    print(&(text + "\n"))?;
    Ok(ExitCode::SUCCESS)
}

/// A schema that stands alone: with the definitions that it refers to.
fn schema(text: &str) -> serde_json::Result<Value> {
    let (mut schema, shared): (Value, Map<String, Value>) =
        (serde_json::from_str(text)?, serde_json::from_str(SHARED)?);
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema".into();
    let mut named = String::new();
    let mut used = Map::new();
    // A definition may refer to another.
    loop {
        named.clear();
        named.push_str(&schema.to_string());
        named.push_str(&Value::Object(used.clone()).to_string());
        let missing = shared.iter().find(|(name, _)| {
            named.contains(&format!("\"#/$defs/{name}\"")) && !used.contains_key(*name)
        });
        let Some((name, definition)) = missing else { break };
        used.insert(name.clone(), definition.clone());
    }
    schema["$defs"] = Value::Object(used);
    Ok(schema)
}
