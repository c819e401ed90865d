//! What was found, each at its place in a file: as compilers tell it, and as SARIF.

use super::{SimReport, verdict};
use crate::report::costly;
use crate::report::finding::{AccessReporter, Row};
use serde::Serialize;
use serde_json::{Value, json};
use std::path::Path;

/// Something that was found, at its place.
pub(super) struct LocatedFinding {
    /// The file as the user named it.
    pub(super) path: String,
    pub(super) line: u32,
    column: u32,
    pub(super) kind: &'static str,
    is_error: bool,
    pub(super) message: String,
}

/// Who reads the lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineReader {
    /// Editors: `file:line:column: warning: text`.
    Editor,
    /// GitHub's workflows: `::warning file=...::text`.
    GitHub,
}

impl SimReport {
    /// The same, with the file as the user named it where a place lies in it, and others of its folder
    /// that are there.
    #[must_use]
    pub fn in_file(mut self, file: Option<&Path>, is_there: &dyn Fn(&Path) -> bool) -> Self {
        let Some(file) = file else { return self };
        let place = |own: &mut Option<String>| {
            let folder = file.parent();
            let other = own.as_ref().filter(|own| Some(own.as_ref()) != file.file_name());
            let path = match other.zip(folder) {
                None => file.to_owned(),
                Some((other, folder)) => {
                    let beside = folder.join(other);
                    if is_there(&beside) { beside } else { other.into() }
                }
            };
            *own = Some(path.display().to_string());
        };
        let sides = self.findings.iter_mut().flat_map(|row| &mut row.sides);
        sides.filter(|side| side.line.is_some()).for_each(|side| place(&mut side.file));
        let costly = self.costly.iter_mut().filter(|row| row.line.is_some());
        costly.for_each(|row| place(&mut row.file));
        self.awkward = self.awkward.map(|awkward| Box::new(awkward.in_file(Some(file), is_there)));
        self
    }

    /// What was found: errors first, then what is costly. What has no line stands at the first line of
    /// `file`.
    pub(super) fn located(&self, file: &str) -> Vec<LocatedFinding> {
        let mut all = Vec::new();
        for outcome in [Some(self), self.awkward.as_deref()].into_iter().flatten() {
            if outcome.is_wrong() {
                let size = outcome.size.map(|size| format!(" (at {size})")).unwrap_or_default();
                let told = verdict(outcome);
                let message = format!("{}{size}", told.lines().next().unwrap_or_default());
                all.push(LocatedFinding::at(file, 1, "wrong", message));
            }
            all.extend(outcome.findings.iter().map(|row| of_finding(row, file)));
        }
        all.extend(self.costly.iter().map(|row| of_costly(row, file)));
        all
    }

    /// A line for each.
    pub fn short(&self, file: &str, reader: LineReader) -> String {
        self.located(file).iter().map(|found| found.line(reader)).collect()
    }

    /// SARIF 2.1.0.
    pub fn sarif(&self, file: &str, version: &str) -> Value {
        sarif(&self.located(file), version)
    }
}

/// Why nothing of a file can be run, at its place.
#[derive(Debug, Serialize)]
pub struct SourceError {
    file: String,
    line: u32,
    column: u32,
    message: String,
    #[serde(skip)]
    kind: &'static str,
}

impl SourceError {
    /// Reads what compilers tell: `mine.cu:3:10: it is not declared` or `mine.cu(3): error: ...`; what
    /// names no line is of the first of `file`.
    pub fn of(told: &str, file: &str, compiles: bool) -> Self {
        let first = told.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let (place, message) = first.split_once(": ").unwrap_or(("", first));
        let mut parts = place.split([':', '(', ')']).filter(|part| !part.is_empty());
        let named = parts.next().unwrap_or_default();
        let mut numbers = parts.filter_map(|part| part.parse().ok());
        let (file, line, message) = match numbers.next() {
            Some(line) => (named, line, message),
            None => (file, 1, first),
        };
        let column = numbers.next().unwrap_or(1);
        let message = message.strip_prefix("error: ").unwrap_or(message).to_owned();
        let kind = if compiles { "launch" } else { "compile" };
        Self { file: file.to_owned(), line, column, message, kind }
    }

    fn located(&self) -> LocatedFinding {
        LocatedFinding {
            path: self.file.clone(),
            line: self.line,
            column: self.column,
            kind: self.kind,
            is_error: true,
            message: self.message.clone(),
        }
    }

    /// A line for it.
    pub fn line(&self, reader: LineReader) -> String {
        self.located().line(reader)
    }

    /// SARIF 2.1.0.
    pub fn sarif(&self, version: &str) -> Value {
        sarif(&[self.located()], version)
    }
}

pub(super) fn sarif(found: &[LocatedFinding], version: &str) -> Value {
    let mut kinds: Vec<_> = found.iter().map(|found| found.kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let rule = |kind: &&str| json!({ "id": kind, "shortDescription": { "text": about(kind) } });
    let rules: Vec<_> = kinds.iter().map(rule).collect();
    let results: Vec<_> = found.iter().map(LocatedFinding::sarif).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "matviz", "version": version, "rules": rules } },
            "results": results,
        }],
    })
}

/// The place of what is at a line of a source, at a column if that source is known; or else, of PTX without
/// it, at a line of the PTX.
fn place(
    file: &str,
    own: Option<&String>,
    (line, column): (Option<u32>, Option<u32>),
    ptx_line: usize,
) -> (String, u32, u32) {
    if column.is_none() && Path::new(file).extension().is_some_and(|extension| extension == "ptx") {
        return (file.to_owned(), ptx_line as u32, 1);
    }
    let path = own.map_or(file, String::as_str).to_owned();
    (path, line.unwrap_or(1), column.unwrap_or(1))
}

fn of_finding(row: &Row, file: &str) -> LocatedFinding {
    let side = row.sides.iter().find(|side| side.line.is_some()).or(row.sides.first());
    let at = |side: &AccessReporter| {
        place(file, side.file.as_ref(), (side.line, side.column), side.ptx_line)
    };
    let (path, line, column) = side.map_or_else(|| (file.to_owned(), 1, 1), at);
    let size = row.size.map(|size| format!(" (at {size})")).unwrap_or_default();
    let message = format!("{}{size}. {}", row.message, row.advised());
    LocatedFinding { path, line, column, kind: row.kind, is_error: true, message }
}

fn of_costly(row: &costly::Row, file: &str) -> LocatedFinding {
    let kind = match () {
        () if row.has_conflicts() => "conflicts",
        () if row.is_uncoalesced() => "uncoalesced",
        () => "misaligned",
    };
    let (path, line, column) = place(file, row.file.as_ref(), (row.line, row.column), row.ptx_line);
    LocatedFinding { path, line, column, kind, is_error: false, message: row.told() }
}

/// What a kind of finding is.
fn about(kind: &str) -> &'static str {
    match kind {
        "race" => "two accesses of one place, one of them a write, in no order",
        "barrier" => "threads of a block wait at different barriers, or not at all",
        "memory" => "an access outside of an array, or of memory that nobody has written",
        "compile" => "the source does not compile",
        "assertion" => "an assertion of the kernel fails",
        "no-end" => "a thread does not come to an end",
        "conflicts" => "lanes of a warp meet in a bank of shared memory",
        "uncoalesced" => "a warp's access takes more sectors than its bytes fill",
        "misaligned" => "rows begin within a sector",
        "launch" => "a launch that cannot be checked, or that nothing puts in order with another",
        _ => "C is not the product",
    }
}

impl LocatedFinding {
    pub(super) const fn level(&self) -> &'static str {
        if self.is_error { "error" } else { "warning" }
    }

    /// An error at a line of a file.
    pub(super) fn at(path: &str, line: u32, kind: &'static str, message: String) -> Self {
        Self { path: path.to_owned(), line, column: 1, kind, is_error: true, message }
    }

    pub(super) fn line(&self, reader: LineReader) -> String {
        let Self { path, line, column, kind, message, .. } = self;
        let (level, message) = (self.level(), message.replace('\n', " "));
        match reader {
            LineReader::Editor => format!("{path}:{line}:{column}: {level}: {message} [{kind}]\n"),
            LineReader::GitHub => {
                let message = message.replace('%', "%25");
                format!("::{level} file={path},line={line},col={column},title={kind}::{message}\n")
            }
        }
    }

    fn sarif(&self) -> Value {
        json!({
            "ruleId": self.kind,
            "level": self.level(),
            "message": { "text": self.message },
            "locations": [{
                "physicalLocation": {
                    "artifactLocation": { "uri": self.path.replace('\\', "/").replace(' ', "%20") },
                    "region": { "startLine": self.line, "startColumn": self.column },
                },
            }],
        })
    }
}
