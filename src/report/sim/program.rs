//! The launches of a program, one after another: a line for each, what is found below, and how its
//! result compares with what is expected.

use super::located::{LineReader, LocatedFinding, sarif};
use super::{SimReport, text};
use crate::matrix::ElementType;
use crate::report::number::Count;
use crate::study::expected::{ElementOrigin, JudgedBuffer, WrongElement};
use serde::Serialize;
use serde_json::Value;
use std::fmt::Write;
use std::path::Path;

/// The result of a program.
#[derive(Debug, Default, Serialize)]
pub struct ProgramReport {
    pub launches: Vec<LaunchReport>,
    /// Why the host's code is not followed to its end, if it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<String>,
    /// The result beside what is expected of it, if something is.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub compared: Vec<ComparedReport>,
    /// Why the command ends with 1; empty if it does not.
    pub fails: Vec<&'static str>,
}

/// A launch of a program.
#[derive(Debug, Serialize)]
pub struct LaunchReport {
    /// Its number in the order of the program, from 1.
    pub number: usize,
    pub kernel: String,
    /// The line that launches it.
    pub line: u32,
    pub stream: u64,
    /// How many launches like it follow, which were not run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub more_like_it: Option<u64>,
    /// Why it is not checked, if it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Races with launches of other streams, in words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub races: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<SimReport>,
}

/// A buffer beside what is expected in it.
#[derive(Debug, Serialize)]
pub struct ComparedReport {
    pub buffer: String,
    #[serde(rename = "type")]
    of: ElementType,
    /// What it is compared with, in words.
    pub with: String,
    pub compared: u64,
    pub wrong: u64,
    largest_difference: f64,
    tolerance: f64,
    /// The first wrong element, and where it comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    first: Option<WrongElement>,
    #[serde(skip_serializing_if = "Option::is_none")]
    origin: Option<String>,
}

impl ComparedReport {
    pub fn new(compared: JudgedBuffer, with: &str, origin: Option<&ElementOrigin>) -> Self {
        let JudgedBuffer { buffer, of, compared, wrong, largest, tolerance, first } = compared;
        let (largest_difference, with) = (largest, with.to_owned());
        let origin = origin.map(told_origin);
        Self { buffer, of, with, compared, wrong, largest_difference, tolerance, first, origin }
    }

    /// A value with the digits of its type.
    fn shown(&self, value: f64) -> String {
        match self.of {
            ElementType::F32 | ElementType::F16 | ElementType::Bf16 => (value as f32).to_string(),
            _ => value.to_string(),
        }
    }

    /// The comparison in words.
    fn told(&self) -> String {
        let Self { buffer, with, compared, wrong, largest_difference, tolerance, .. } = self;
        let Some(WrongElement { index, is, expected }) = self.first else {
            let all = Count(*compared, "element");
            return format!(
                "{buffer} is right beside {with}: {all}, off by at most {largest_difference:.1e} of the \
                 largest (tolerance {tolerance:.1e})"
            );
        };
        let [is, expected] = [is, expected].map(|value| self.shown(value));
        let mut told = format!(
            "{buffer} is WRONG beside {with}: {wrong} of {}, the first {buffer}[{index}] = {is} instead of {expected}",
            Count(*compared, "element")
        );
        if let Some(origin) = &self.origin {
            let _ = write!(told, "\n  {buffer}[{index}] {origin}");
        }
        told
    }
}

/// The most elements that a line lists.
const LISTED: usize = 8;

fn told_origin(origin: &ElementOrigin) -> String {
    let ElementOrigin { line, block, thread, loads } = origin;
    let line = line.map(|line| format!(" at line {line}")).unwrap_or_default();
    let (x, y) = (block.x, block.y);
    let stored = format!("is stored{line} by thread {thread} of block ({x},{y})");
    let mut all: Vec<String> = Vec::new();
    for (name, index) in loads {
        let element = format!("{name}[{index}]");
        if !all.contains(&element) {
            all.push(element);
        }
    }
    let more = all.len().saturating_sub(LISTED);
    let listed = all.iter().take(LISTED).cloned().collect::<Vec<_>>().join(", ");
    match (all.len(), more) {
        (0, _) => format!("{stored}, and made of nothing that was loaded"),
        (_, 0) => format!("{stored}, and made of {listed}"),
        _ => format!("{stored}, and made of {listed} and {more} more"),
    }
}

impl LaunchReport {
    /// The launch in a line: its place, kernel, shape, verdict and time.
    fn line(&self) -> String {
        let Self { number, kernel, line, result, .. } = self;
        let Some(SimReport { grid, block, seconds, .. }) = result else {
            return format!("{number:>3}  line {line:<5} {kernel:<24} not checked\n");
        };
        let shape = format!("<<<{}, {}>>>", grid.place_in(*grid), block.place_in(*block));
        let verdict = self.verdict();
        let more = match self.more_like_it {
            None => String::new(),
            Some(more) => format!(", and {more} more like it"),
        };
        format!(
            "{number:>3}  line {line:<5} {kernel:<24} {shape:<24} {verdict:<16} {seconds:.2} s{more}\n"
        )
    }

    fn verdict(&self) -> String {
        match &self.result {
            None => "not checked".to_owned(),
            Some(of) if !of.is_sound() => Count(of.findings.len() as u64, "finding").to_string(),
            Some(of) if !of.is_right() => "C is WRONG".to_owned(),
            Some(of) if of.of_c.is_some() || of.products.is_some() => "C is right".to_owned(),
            Some(_) => "nothing found".to_owned(),
        }
    }
}

impl ProgramReport {
    /// The same, with why the command ends with 1, each once.
    #[must_use]
    pub fn judged(mut self) -> Self {
        let of_launches = self.launches.iter().filter_map(|one| one.result.as_ref());
        let mut fails: Vec<_> = of_launches.flat_map(|of| of.fails().iter().copied()).collect();
        let unchecked =
            self.stopped.is_some() || self.launches.iter().any(|one| one.error.is_some());
        let races = self.launches.iter().any(|one| !one.races.is_empty());
        let wrong = self.compared.iter().any(|one| one.wrong > 0);
        let more = [("unchecked", unchecked), ("findings", races), ("wrong", wrong)];
        fails.extend(more.into_iter().filter(|(_, fails)| *fails).map(|(name, _)| name));
        fails.sort_unstable();
        fails.dedup();
        self.fails = fails;
        self
    }

    /// The result as text.
    pub fn text(&self) -> String {
        let (mut lines, mut below) = (String::new(), String::new());
        for launch in &self.launches {
            lines += &launch.line();
            for race in &launch.races {
                let _ = writeln!(lines, "     {race}");
            }
            if let Some(result) = launch.result.as_ref().filter(|of| !of.fails().is_empty()) {
                let _ = write!(below, "\nLaunch {}, {}", launch.number, text(result));
            }
        }
        for one in &self.compared {
            let _ = writeln!(lines, "\n{}", one.told());
        }
        lines + &below
    }

    /// The same, with the file as the user named it.
    #[must_use]
    pub fn in_file(mut self, file: Option<&Path>, is_there: &dyn Fn(&Path) -> bool) -> Self {
        for launch in &mut self.launches {
            launch.result = launch.result.take().map(|result| result.in_file(file, is_there));
        }
        self
    }

    fn located(&self, file: &str) -> Vec<LocatedFinding> {
        let mut all = Vec::new();
        for launch in &self.launches {
            let at =
                |message: &String| LocatedFinding::at(file, launch.line, "launch", message.clone());
            all.extend(launch.error.iter().map(at));
            all.extend(launch.races.iter().map(at));
            all.extend(launch.result.iter().flat_map(|result| result.located(file)));
        }
        let wrong = self.compared.iter().filter(|one| one.wrong > 0);
        all.extend(wrong.map(|one| LocatedFinding::at(file, 1, "wrong", one.told())));
        all
    }

    /// A line for each finding.
    pub fn short(&self, file: &str, reader: LineReader) -> String {
        self.located(file).iter().map(|found| found.line(reader)).collect()
    }

    /// SARIF 2.1.0.
    pub fn sarif(&self, file: &str, version: &str) -> Value {
        sarif(&self.located(file), version)
    }
}
