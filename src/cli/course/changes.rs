//! `matviz course changes`: the known defects of the course's kernels, and whether they do what is said.

use super::judged;
use crate::cli::BadUse;
use crate::cli::form::FormArgs;
use crate::cli::names::NameParser;
use crate::cli::output::{json, print};
use crate::cli::working::Working;
use crate::kernel::Tile;
use crate::lesson::change::{self, Change, ChangeTable, Verified, difference};
use crate::lesson::judged::Judged;
use crate::lesson::proof::{Proof, SpoilingOrder};
use crate::matrix::Size;
use crate::report::finding;
use crate::report::number::Count;
use serde::Serialize;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::process::ExitCode;

/// Columns of a size in the table.
const COLUMN: usize = 10;

/// Arguments of `matviz course changes`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Show what this change changes, what it does, and what proves that it is wrong
    #[arg(value_name = "ID", value_parser = CHANGE, hide_possible_values = true)]
    id: Option<&'static Change>,
    /// Make each change and simulate it: does it do what the table says?
    #[arg(long, conflicts_with = "id")]
    check: bool,
    /// Print the changed source
    #[arg(long, requires = "id", conflicts_with_all = ["json", "format", "check"])]
    source: bool,
    #[command(flatten)]
    form: FormArgs,
}

/// Lists the changes, checks them, or shows one; returns 0 if what was checked holds.
///
/// # Errors
/// An unknown change, a broken table.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let is_json = args.form.is_json()?;
    let table = change::table().map_err(|told| BadUse(format!("changes.toml: {told}")))?;
    let working = Working::on("simulating the changes");
    let verified = if args.check { table.verify(&working.kept()) } else { Vec::new() };
    let ended = working.ends();
    let text = match args.id {
        Some(change) => show(table, change, (args, is_json))?,
        None if is_json => {
            ended.json("course-changes", &ChangesReport { changes: rows(table, &verified) })?
        }
        None => list(table, &verified),
    };
    print(&text)?;
    let holds = verified.iter().all(|one| one.complaints().is_empty());
    Ok(ended.code(if holds { ExitCode::SUCCESS } else { ExitCode::FAILURE }))
}

/// A change, by its name.
pub(super) const CHANGE: NameParser<&'static Change> = NameParser {
    of: || change::changes().iter().map(|change| (&*change.id, &*change.title)).collect(),
    parse: |id| change::named(id).map_err(BadUse::of),
};

/// Every change as JSON.
#[derive(Serialize)]
struct ChangesReport<'a> {
    changes: Vec<Row<'a>>,
}

/// A change as JSON.
#[derive(Serialize)]
struct Row<'a> {
    id: &'a str,
    kernel: &'a str,
    title: &'a str,
    tile: Tile,
    right_at: &'a [Size],
    finds: &'a BTreeSet<String>,
    /// Whether that is what the simulator says, if it was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    holds: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    complaints: Option<Vec<String>>,
    /// The results at the sizes of the table.
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<&'a [Judged]>,
}

fn row<'a>(table: &ChangeTable, change: &'a Change) -> Row<'a> {
    Row {
        id: &change.id,
        kernel: &change.kernel,
        title: &change.title,
        tile: table.tile.into(),
        right_at: &change.right_at,
        finds: &change.finds,
        holds: None,
        complaints: None,
        at: None,
    }
}

fn rows<'a>(table: &'a ChangeTable, verified: &'a [Verified]) -> Vec<Row<'a>> {
    if verified.is_empty() {
        return table.changes.iter().map(|change| row(table, change)).collect();
    }
    let row = |one: &'a Verified| {
        let complaints = one.complaints();
        let (holds, complaints) = (Some(complaints.is_empty()), Some(complaints));
        let at = one.judged.as_deref().ok();
        Row { holds, complaints, at, ..row(table, one.change) }
    };
    verified.iter().map(row).collect()
}

/// Every change with its symptoms, and what was found not to hold.
fn list(table: &ChangeTable, verified: &[Verified]) -> String {
    let cell = |text: &str| format!("{text:<COLUMN$}");
    let heads: String = table.sizes.iter().map(|size| cell(&size.to_string())).collect();
    let mut text = format!("{:<20} C at {heads}the checks find\n", "change");
    for change in &table.changes {
        let right =
            |size: &Size| cell(if change.right_at.contains(size) { "right" } else { "WRONG" });
        let cells: String = table.sizes.iter().map(right).collect();
        let finds: Vec<_> = change.finds.iter().map(String::as_str).collect();
        let finds = if finds.is_empty() { "nothing".to_owned() } else { finds.join(", ") };
        let _ = writeln!(text, "{:<20}      {cells}{finds}\n    {}", change.id, change.title);
    }
    let _ = writeln!(text, "\nTile {}, the warps taking turns", table.tile);
    if verified.is_empty() {
        return text;
    }
    let mut wrong = 0;
    for one in verified {
        let complaints = one.complaints();
        wrong += u64::from(!complaints.is_empty());
        for told in complaints {
            let _ = writeln!(text, "{}: {told}", one.change.id);
        }
    }
    let all = Count(verified.len() as u64, "change");
    let _ = match wrong {
        0 => writeln!(text, "{all}: each does what the table says"),
        wrong => writeln!(text, "{all}: {wrong} of them not as the table says"),
    };
    text
}

/// One change: the difference, the results, and what proves that it is wrong.
fn show(
    table: &ChangeTable,
    change: &Change,
    (args, is_json): (&Args, bool),
) -> anyhow::Result<String> {
    let kernel = change.base_kernel().map_err(BadUse::of)?;
    let trial = change.trial(table.tile).map_err(BadUse::of)?;
    if args.source {
        return Ok(trial.source.text);
    }
    let judged = trial.judge(&table.sizes).map_err(BadUse::of)?;
    let proof = Proof::of(&trial, &table.sizes).map_err(BadUse::of)?;
    if is_json {
        let order = proof.as_ref().and_then(|proof| match proof {
            Proof::Order(order) => Some(order),
            Proof::Size(_) => None,
        });
        return Ok(json(
            "course-changes",
            &ChangeDetail {
                row: Row { at: Some(&judged), ..row(table, change) },
                difference: difference(kernel.source, &trial.source.text),
                spoiling_order: order,
            },
        )?);
    }
    let mut text = format!("{}: {}\n\n", change.id, change.title);
    text += &difference(kernel.source, &trial.source.text);
    let _ = write!(text, "\n{}", judged::table(&judged, &[]));
    let found = judged.iter().find(|judged| !judged.is_sound());
    text += &found.map(|judged| finding::text(&judged.findings)).unwrap_or_default();
    text += &proof.map(|proof| proved(&proof)).unwrap_or_default();
    if let Some(wrong) = judged.iter().find(|judged| !judged.right) {
        let problem =
            trial.ready().and_then(|ready| ready.problem(wrong.size)).map_err(BadUse::of)?;
        let explained = Judged::explained(&problem).map_err(BadUse::of)?;
        if !explained.is_empty() {
            let _ = writeln!(text, "\nAt {}:\n  {}", wrong.size, explained.join("\n  "));
        }
    }
    Ok(text)
}

#[derive(Serialize)]
struct ChangeDetail<'a> {
    #[serde(flatten)]
    row: Row<'a>,
    difference: String,
    spoiling_order: Option<&'a SpoilingOrder>,
}

/// What proves it, as text.
fn proved(proof: &Proof) -> String {
    let SpoilingOrder { size, block, order, first, wrong, elements, spoilt, .. } = match proof {
        Proof::Order(order) => order,
        Proof::Size(judged) if judged.right => return String::new(),
        Proof::Size(Judged { size, wrong, .. }) => {
            let (wrong, of) = (wrong.elements, wrong.of);
            return format!("\nAt {size} {wrong} of {of} elements of C are wrong\n");
        }
    };
    let mut text = format!(
        "\n{} of {} random orders of the warps spoil C at {size}. In block ({}) --order {order} \
         makes {wrong} of its {elements} elements wrong",
        spoilt.wrong,
        spoilt.orders,
        block.place_in(*block),
    );
    if let Some(first) = first {
        let line = first.line.map(|line| format!(", line {line}")).unwrap_or_default();
        let _ = write!(
            text,
            ":\nat step {} lane {} of warp {} loads {} of {}{line}, where {} belongs",
            first.step, first.lane, first.warp, first.is, first.element, first.should
        );
    }
    text + "\n"
}
