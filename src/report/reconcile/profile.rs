//! Reads an Nsight Compute report as CSV: one launch per row (`--page raw`), or one metric per row.

use crate::launch::{Dim3, Launch};
use std::collections::{BTreeMap, BTreeSet};

/// A profiled launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// The kernel's name, without its parameters.
    pub kernel: String,
    /// The block size in threads.
    pub block: Dim3,
    /// The grid size in blocks.
    pub grid: Dim3,
    /// Every metric with an integer value, by Nsight Compute's name.
    pub metrics: BTreeMap<String, u64>,
    /// The names of the metrics with other numbers.
    pub fractions: BTreeSet<String>,
}

impl Profile {
    /// The launch's shape.
    pub const fn launch(&self) -> Launch {
        Launch { grid: self.grid, block: self.block }
    }

    /// Adds a metric, if the value is a number.
    fn take(&mut self, name: &str, value: &str) {
        let fraction = value.replace(',', "").parse::<f64>().is_ok();
        match number(value) {
            Some(value) => drop(self.metrics.insert(name.to_owned(), value)),
            None if fraction => drop(self.fractions.insert(name.to_owned())),
            None => {}
        }
    }
}

/// The error for a text that is not a report.
#[derive(Debug, thiserror::Error)]
pub enum ProfileError {
    /// No line contains the columns that every report has.
    #[error("this is not a CSV report of Nsight Compute: no line begins with \"ID\"")]
    NoHeader,
    /// A column is missing.
    #[error("this report has no column \"{0}\"")]
    NoColumn(&'static str),
    /// A line is malformed.
    #[error("line {line} of the report cannot be read: {message}")]
    BadLine {
        /// The line number, counted from 1 after Nsight Compute's own messages before the table.
        line: usize,
        /// The CSV reader's message.
        message: String,
    },
}

/// The launches of a report, in order.
///
/// # Errors
/// A text that is not such a report, or a line that is cut off or garbled.
pub fn read(text: &str) -> Result<Vec<Profile>, ProfileError> {
    // Before the table come the tool's messages (`==PROF== ..`) and the program's own output.
    let start = text.find("\"ID\",").ok_or(ProfileError::NoHeader)?;
    let mut reader =
        csv::ReaderBuilder::new().flexible(true).from_reader(&text.as_bytes()[start..]);
    let bad = |line: usize, message: String| ProfileError::BadLine { line, message };
    let header = reader.headers().map_err(|error| bad(1, error.to_string()))?.clone();
    let columns = ProfileColumns::of(&header)?;
    let mut launches: Vec<(String, Profile)> = Vec::new();
    for (index, record) in reader.records().enumerate() {
        let record = record.map_err(|error| bad(index + 2, error.to_string()))?;
        let id = record.get(0).unwrap_or("").to_owned();
        // Skips the line of units, and messages of the tool within the table.
        if id.is_empty() || !id.bytes().all(|byte| byte.is_ascii_digit()) {
            continue;
        }
        if launches.last().is_none_or(|(last, _)| *last != id) {
            let launch = columns.launch(&record).map_err(|message| bad(index + 2, message))?;
            launches.push((id, launch));
        }
        if let Some((_, launch)) = launches.last_mut() {
            for (name, value) in columns.metrics(&header, &record) {
                launch.take(name, value);
            }
        }
    }
    Ok(launches.into_iter().map(|(_, launch)| launch).collect())
}

/// The positions of the columns that matter.
struct ProfileColumns {
    kernel: usize,
    block: usize,
    grid: usize,
    /// The name and the value of a line's only metric; `None` if each metric has its own column.
    long: Option<(usize, usize)>,
}

impl ProfileColumns {
    fn of(header: &csv::StringRecord) -> Result<Self, ProfileError> {
        let find = |name| header.iter().position(|column| column == name);
        let need = |name| find(name).ok_or(ProfileError::NoColumn(name));
        let long = find("Metric Name").zip(find("Metric Value"));
        let (kernel, block, grid) = (need("Kernel Name")?, need("Block Size")?, need("Grid Size")?);
        Ok(Self { kernel, block, grid, long })
    }

    fn launch(&self, record: &csv::StringRecord) -> Result<Profile, String> {
        let cell = |at: usize| record.get(at).ok_or_else(|| "it is cut off".to_owned());
        let size = |at: usize| {
            let text = cell(at)?;
            dim3(text).ok_or_else(|| format!("`{text}` is not a size such as (16, 16, 1)"))
        };
        let kernel = cell(self.kernel)?.split('(').next().unwrap_or_default().trim().to_owned();
        let (block, grid) = (size(self.block)?, size(self.grid)?);
        Ok(Profile { kernel, block, grid, metrics: BTreeMap::new(), fractions: BTreeSet::new() })
    }

    fn metrics<'r>(
        &self,
        header: &'r csv::StringRecord,
        record: &'r csv::StringRecord,
    ) -> Vec<(&'r str, &'r str)> {
        match self.long {
            Some((name, value)) => record.get(name).zip(record.get(value)).into_iter().collect(),
            // The first column numbers the launches.
            None => header.iter().zip(record).skip(1).collect(),
        }
    }
}

/// `(16, 16, 1)`
fn dim3(text: &str) -> Option<Dim3> {
    let inner = text.trim().strip_prefix('(')?.strip_suffix(')')?;
    let parts: Vec<u32> =
        inner.split(',').map(|part| part.trim().parse().ok()).collect::<Option<_>>()?;
    match parts[..] {
        [x, y, z] => Some(Dim3::new(x, y, z)),
        _ => None,
    }
}

/// `16,777,216`; a fraction of zeros (`512.00`) counts as an integer.
fn number(text: &str) -> Option<u64> {
    let digits = text.replace(',', "");
    let (whole, fraction) = digits.split_once('.').unwrap_or((&digits, ""));
    if fraction.bytes().all(|byte| byte == b'0') { whole.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RAW: &str = "==PROF== Connected\n\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\
        \"a.sum\",\"a.avg\"\n\"\",\"\",\"\",\"\",\"inst\",\"inst\"\n\
        \"0\",\"tiled(const float *, int)\",\"(16, 16, 1)\",\"(2, 3, 1)\",\"16,384\",\"0.5\"\n";

    const LONG: &str = "\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"Metric Name\",\
        \"Metric Unit\",\"Metric Value\"\n\
        \"0\",\"tiled\",\"(16, 16, 1)\",\"(2, 3, 1)\",\"a.sum\",\"inst\",\"16,384.00\"\n\
        \"0\",\"tiled\",\"(16, 16, 1)\",\"(2, 3, 1)\",\"a.avg\",\"inst\",\"0.5\"\n";

    #[test]
    fn both_forms_of_a_report_say_the_same() {
        let [raw] = &read(RAW).unwrap()[..] else { panic!("one launch") };
        assert_eq!(raw.kernel, "tiled");
        assert_eq!((raw.block, raw.grid), (Dim3::flat(16, 16), Dim3::flat(2, 3)));
        assert_eq!(raw.metrics, BTreeMap::from([("a.sum".to_owned(), 16384)]));
        assert_eq!(raw.fractions, BTreeSet::from(["a.avg".to_owned()]));
        assert_eq!(read(LONG).unwrap(), std::slice::from_ref(raw));
    }

    #[test]
    fn what_is_no_report_is_said_to_be_none() {
        assert!(matches!(read("a,b\n1,2\n"), Err(ProfileError::NoHeader)));
        assert!(matches!(read("\"ID\",\"x\"\n"), Err(ProfileError::NoColumn("Kernel Name"))));
        let cut = &RAW[..RAW.find("\"(16, 16").unwrap()];
        assert!(matches!(read(cut), Err(ProfileError::BadLine { line: 3, .. })), "{:?}", read(cut));
    }
}
