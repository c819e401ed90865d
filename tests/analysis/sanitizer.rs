//! compute-sanitizer compared with matviz: the table follows from its answers and the kernels'
//! comments.
//!
//! `MATVIZ_WRITE=1 cargo test --test analysis sanitizer` regenerates it. `tests/analysis/checks.rs` checks that
//! matviz finds what the comments say.

use serde::Deserialize;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::Path;

const TABLE: &str = "tests/data/analysis/compute_sanitizer_h200.md";

/// The four tools, in the order of the columns.
const TOOLS: [&str; 4] = ["memcheck", "racecheck", "synccheck", "initcheck"];

#[derive(Deserialize)]
struct Answers {
    made: Made,
    kernels: Vec<Row>,
}

#[derive(Deserialize)]
struct Made {
    gpu: String,
    date: String,
    sanitizer: String,
}

#[derive(Deserialize)]
struct Row {
    kernel: String,
    set: String,
    /// The result of a launch without any tool.
    plain: String,
    memcheck: Answer,
    racecheck: Answer,
    synccheck: Answer,
    initcheck: Answer,
}

#[derive(Deserialize)]
struct Answer {
    /// clean, errors or hangs.
    state: String,
    lines: BTreeSet<u32>,
}

/// A kernel of `tests/data`, with the tools' answers.
struct Kernel<'a> {
    name: String,
    /// The findings of matviz: a kind and lines each.
    finds: Vec<String>,
    row: Option<&'a Row>,
}

#[test]
fn the_table_is_what_the_answers_say() {
    let text =
        fs::read_to_string("tests/data/analysis/compute_sanitizer_h200.json").expect("answers");
    let answers: Answers = serde_json::from_str(&text).expect("JSON");
    let table = table(&answers);
    if std::env::var_os("MATVIZ_WRITE").is_some() {
        fs::write(TABLE, &table).expect("written");
    }
    let committed = fs::read_to_string(TABLE).unwrap_or_default();
    assert!(table == committed, "{TABLE} is not up to date: MATVIZ_WRITE=1 makes it anew");
}

fn table(answers: &Answers) -> String {
    let Made { gpu, date, sanitizer } = &answers.made;
    let version = sanitizer.split_whitespace().nth(1).unwrap_or(sanitizer);
    let mut text = format!(
        "# matviz and compute-sanitizer on the same kernels\n\n\
         compute-sanitizer {version} on an {gpu}, {date}; matviz without a GPU. A figure is a line \
         of the kernel's source that an answer names; an answer without one (`no line`) is not \
         about the kernel: the host copies back a C of which it writes a part, or the launch \
         fails. Made by `tests/analysis/sanitizer.rs` from `compute_sanitizer_h200.json` and the kernels' \
         comments.\n"
    );
    let [broken, sound] = ["broken", "sound"].map(|set| kernels(set, answers));
    summary(&mut text, &broken, &sound);
    for (title, kernels) in [("Broken", &broken), ("Sound", &sound)] {
        let _ = writeln!(text, "\n## {title} kernels\n");
        let _ = writeln!(text, "| kernel | matviz | plain launch | {} |", TOOLS.join(" | "));
        let _ = writeln!(text, "|---|---|---|---|---|---|---|");
        for kernel in kernels {
            let _ = writeln!(text, "| {} |", kernel.cells().join(" | "));
        }
    }
    text
}

/// The number of kernels for which each tool reports something.
fn summary(text: &mut String, broken: &[Kernel<'_>], sound: &[Kernel<'_>]) {
    let run = |kernels: &[Kernel<'_>]| kernels.iter().filter(|kernel| kernel.row.is_some()).count();
    let _ = write!(
        text,
        "\n| | finds, of {} broken | misses | does not come back | false, of {} sound |\n\
         |---|---|---|---|---|\n\
         | matviz | {} of {} | 0 | 0 | 0 of {} |\n",
        run(broken),
        run(sound),
        broken.len(),
        broken.len(),
        sound.len()
    );
    let count = |kernels: &[Kernel<'_>], tools: &[&str], is: fn(&Answer) -> bool| {
        let rows = kernels.iter().filter_map(|kernel| kernel.row);
        rows.filter(|row| tools.iter().any(|tool| is(row.answer(tool)))).count()
    };
    let finds = |answer: &Answer| answer.state == "errors" && !answer.lines.is_empty();
    for (name, tools) in
        TOOLS.iter().map(|tool| (*tool, vec![*tool])).chain([("all four", TOOLS.to_vec())])
    {
        let [found, wrong] = [broken, sound].map(|kernels| count(kernels, &tools, finds));
        let hung = count(broken, &tools, |answer| answer.state == "hangs");
        let missed = run(broken) - found - hung;
        let _ = writeln!(text, "| {name} | {found} | {missed} | {hung} | {wrong} |");
    }
    let plain = broken.iter().filter_map(|kernel| kernel.row);
    let plain = plain.filter(|row| row.plain.starts_with("ok")).count();
    let _ = writeln!(
        text,
        "\nOf the broken kernels {plain} run to their end in a plain launch, without an error. Of the \
         sound ones, `producer_consumer` is in order by named barriers, and `lane_waits_for_lane` by a flag, \
         which racecheck does not follow; `beta_zero` reads C and does not use it; to what is in C `split_k` adds, and this \
         host has not zeroed it."
    );
}

impl Kernel<'_> {
    fn cells(&self) -> Vec<String> {
        let finds = if self.finds.is_empty() { "-".to_owned() } else { self.finds.join("; ") };
        let mut cells = vec![self.name.clone(), finds];
        match self.row {
            None => cells.extend(["not run"; 5].map(str::to_owned)),
            Some(row) => {
                let plain = row.plain.split_whitespace().next().unwrap_or_default();
                cells.push(
                    if plain == "ok" || plain == "hangs" { plain } else { "error" }.to_owned(),
                );
                cells.extend(TOOLS.map(|tool| row.answer(tool).cell()));
            }
        }
        cells
    }
}

impl Row {
    fn answer(&self, tool: &str) -> &Answer {
        match tool {
            "memcheck" => &self.memcheck,
            "racecheck" => &self.racecheck,
            "synccheck" => &self.synccheck,
            _ => &self.initcheck,
        }
    }
}

impl Answer {
    fn cell(&self) -> String {
        let lines: Vec<_> = self.lines.iter().map(u32::to_string).collect();
        match (&*self.state, lines.is_empty()) {
            ("clean", _) => "-".to_owned(),
            ("errors", false) => lines.join(" "),
            ("errors", true) => "no line".to_owned(),
            (state, _) => state.to_owned(),
        }
    }
}

fn kernels<'a>(set: &str, answers: &'a Answers) -> Vec<Kernel<'a>> {
    let folder = Path::new("tests/data/analysis").join(set);
    let read = fs::read_dir(folder).expect("the folder of the kernels is there");
    let paths = read.map(|entry| entry.expect("the folder can be read").path());
    let mut paths: Vec<_> = paths.filter(|path| path.extension() == Some("cu".as_ref())).collect();
    paths.sort();
    let kernel = |path: &std::path::PathBuf| {
        let name = path.file_stem().expect("a file").to_string_lossy().into_owned();
        let text = fs::read_to_string(path).expect("a kernel is text");
        let finds = text.lines().filter_map(|line| line.strip_prefix("// finds: "));
        let row = answers.kernels.iter().find(|row| row.set == set && row.kernel == name);
        Kernel { finds: finds.map(str::to_owned).collect(), name, row }
    };
    paths.iter().map(kernel).collect()
}
