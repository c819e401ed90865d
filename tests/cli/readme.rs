//! The README and the texts that it leads to are true: keys, pictures and the output of commands are the
//! program's.
//!
//! `MATVIZ_WRITE=1 cargo test --test cli readme` rewrites the table of keys, the measured ladder and
//! the pictures.

use matviz::cli::{EXIT_CODES as EXIT_CODES_OF_HELP, variables};
use matviz::kernel;
use matviz::report::ladder::{Rung, first_size, rungs};
use matviz::report::number::grouped;
use matviz::timing::pack::packs;
use matviz::tui::keymap::{COMMANDS, Context};
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::{Mutex, PoisonError};

const README: &str = "README.md";
const SCREEN: &str = "src/tui/README.md";
const COMMAND_LINE: &str = "src/cli/README.md";
const MEASURED: &str = "src/timing/README.md";

/// All texts: the README, and those that it leads to.
const TEXTS: [&str; 7] = [
    README,
    SCREEN,
    COMMAND_LINE,
    MEASURED,
    "src/own/README.md",
    "src/README.md",
    "lessons/README.md",
];

/// The most lines of the README: what is longer nobody reads.
const LINES: usize = 200;

/// The first and the last line of a table that can be rewritten.
type Marks = (&'static str, &'static str);

const KEYS: Marks =
    ("<!-- keys: written by tests/cli/readme.rs -->\n", "<!-- end of the keys -->\n");
const LADDER: Marks =
    ("<!-- ladder: written by tests/cli/readme.rs -->\n", "<!-- end of the ladder -->\n");

const EXIT_CODES: Marks =
    ("<!-- exit codes: written by tests/cli/readme.rs -->\n", "<!-- end of the exit codes -->\n");
const VARIABLES: Marks =
    ("<!-- environment: written by tests/cli/readme.rs -->\n", "<!-- end of the environment -->\n");

/// Two tests rewrite a table in the same file: one after the other.
static WRITING: Mutex<()> = Mutex::new(());

fn read(text: &str) -> String {
    fs::read_to_string(text).expect(text)
}

fn writes() -> bool {
    std::env::var_os("MATVIZ_WRITE").is_some()
}

/// The table of keys, in the order of the help.
fn table() -> String {
    let mut table = "| keys | |\n|---|---|\n".to_owned();
    let mut group = None;
    for command in COMMANDS.iter().filter(|command| command.context != Context::Overlay) {
        if group.replace(command.group) != Some(command.group) {
            let _ = writeln!(table, "| **{}** | |", command.group.title());
        }
        let keys: Vec<_> = command.keys.iter().map(|key| format!("`{key}`")).collect();
        let _ = writeln!(table, "| {} | {} |", keys.join(" "), command.help);
    }
    table
}

/// Every kernel at the ladder's default size, from the embedded pack.
fn ladder() -> String {
    let pack = packs().first().expect("one is embedded");
    let size = first_size(&pack.rows);
    let driver = pack.driver.as_deref().unwrap_or("unknown");
    let mut table = format!(
        "{}, driver {driver}, {}, size {size}, medians:\n\n\
         | | GFLOP/s | of cuBLAS | x before | |\n|---|--:|--:|--:|---|\n",
        pack.device, pack.date
    );
    let or_nothing = |text: Option<String>| text.unwrap_or_default();
    for rung in rungs(&pack.rows, size) {
        let Rung { name, row, of_library, over_previous, .. } = &rung;
        let idea = kernel::find(&row.kernel).map_or("", |kernel| kernel.summary);
        let gflops = grouped(row.gflops.round() as u64);
        let share = or_nothing(of_library.map(|part| format!("{:.1} %", 100.0 * part)));
        let step = or_nothing(over_previous.map(|times| format!("{times:.2}")));
        let name = if rung.is_library() { format!("*{name}*") } else { format!("`{name}`") };
        let _ = writeln!(table, "| {name} | {gflops} | {share} | {step} | {idea} |");
    }
    table
}

/// Compares a table with the one in a text, or rewrites it there.
fn stands(file: &str, (first, last): Marks, table: &str) {
    let _one = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
    let text = read(file);
    let (before, rest) = text.split_once(first).expect("where the table begins");
    let (written, after) = rest.split_once(last).expect("where the table ends");
    if writes() {
        let text = [before, first, table, last, after].concat();
        fs::write(file, text).expect("written");
    } else {
        assert_eq!(written, table, "MATVIZ_WRITE=1 writes it anew");
    }
}

#[test]
fn the_keys_are_those_of_the_keymap() {
    stands(SCREEN, KEYS, &table());
}

#[test]
fn the_measured_ladder_is_that_of_the_embedded_pack() {
    stands(MEASURED, LADDER, &ladder());
}

/// A table of these rows, the first column as code.
fn of_rows(heads: &str, rows: impl IntoIterator<Item = (&'static str, &'static str)>) -> String {
    let row = |(first, second): (&str, &str)| {
        let names: Vec<_> = first.split(", ").map(|name| format!("`{name}`")).collect();
        format!("| {} | {second} |\n", names.join(", "))
    };
    format!("{heads}\n|---|---|\n{}", rows.into_iter().map(row).collect::<String>())
}

#[test]
fn the_exit_codes_and_the_environment_are_those_of_the_help() {
    let codes = of_rows("| exit code | |", EXIT_CODES_OF_HELP.iter().copied());
    stands(COMMAND_LINE, EXIT_CODES, &codes);
    stands(COMMAND_LINE, VARIABLES, &of_rows("| environment | |", variables()));
}

/// Draws a picture with the command that a text names, and compares it with the committed one.
fn is_drawn(text: &str, picture: &str) {
    let spans = text.split('`').skip(1).step_by(2);
    let mut commands = spans.filter_map(|span| span.strip_prefix("matviz export"));
    let command = commands.find(|command| command.contains(picture)).expect("its command");
    let folder = tempfile::tempdir().expect("a folder");
    let drawn = folder.path().join("picture.svg");
    let mut matviz = Command::new(env!("CARGO_BIN_EXE_matviz"));
    matviz.arg("export");
    for word in command.split_whitespace() {
        if word == picture {
            matviz.arg(&drawn)
        } else {
            matviz.arg(word)
        };
    }
    assert!(matviz.status().expect("it runs").success(), "matviz export{command}");
    let drawn = fs::read_to_string(drawn).expect("drawn");
    if writes() {
        fs::write(picture, drawn).expect("written");
    } else {
        let same = fs::read_to_string(picture).expect("committed") == drawn;
        assert!(same, "{picture} has changed: MATVIZ_WRITE=1 draws it anew");
    }
}

#[test]
fn the_pictures_are_what_their_commands_draw() {
    let readme = read(README);
    is_drawn(&readme, ".github/run.svg");
    is_drawn(&readme, ".github/screen.svg");
    is_drawn(&read(MEASURED), ".github/roofline.svg");
}

/// The first picture moves, without a script, and a page with it loads at once.
#[test]
fn the_readme_moves_and_is_short() {
    let text = read(README);
    assert!(text.lines().count() <= LINES, "{} lines", text.lines().count());
    let picture = read(".github/run.svg");
    assert!(picture.len() <= 500_000, "{} bytes", picture.len());
    assert!(picture.contains("@keyframes") && picture.contains("prefers-reduced-motion"));
    assert!(!picture.contains("<script"));
}

/// Every link in the texts leads to a file.
#[test]
fn the_links_lead_somewhere() {
    for name in TEXTS {
        let (text, folder) = (read(name), Path::new(name).parent().expect("a folder"));
        let targets = text.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
        let files = targets.map(|(target, _)| target).filter(|target| !target.contains("://"));
        for target in files {
            assert!(folder.join(target).exists(), "{name}: {target}");
        }
    }
}

/// A `console` block has commands after `$` followed by their output; a line of three dots stands
/// for omitted lines.
#[test]
fn the_commands_print_what_it_shows() {
    let texts = TEXTS.map(read);
    let blocks: Vec<_> = texts.iter().flat_map(|text| text.split("```console\n").skip(1)).collect();
    assert!(blocks.len() >= 10, "the texts show no commands");
    for block in blocks {
        let block = block.split("```").next().expect("a first part");
        for run in block.split("$ matviz ").skip(1) {
            let (command, shown) = run.split_once('\n').expect("a line of its own");
            assert_prints(command, shown);
        }
    }
}

fn assert_prints(command: &str, shown: &str) {
    // Text in single quotes is one argument, as in a shell.
    let quoted = |(index, part): (usize, &str)| -> Vec<String> {
        if index % 2 == 1 {
            vec![part.to_owned()]
        } else {
            part.split_whitespace().map(str::to_owned).collect()
        }
    };
    let args: Vec<String> = command.split('\'').enumerate().flat_map(quoted).collect();
    let mut matviz = Command::new(env!("CARGO_BIN_EXE_matviz"));
    let output = matviz.args(args).env_clear().env("LANG", "C.UTF-8").output().expect("it runs");
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    // Dots stand for omitted lines.
    let parts: Vec<_> = shown.split("...\n").collect();
    let [start, others @ ..] = &parts[..] else { return };
    if others.is_empty() {
        return assert_eq!(printed.trim_end(), shown.trim_end(), "{command}");
    }
    assert!(printed.starts_with(start), "{command} prints\n{printed}");
    for part in others {
        assert!(printed.contains(part.trim_end()), "{command} prints\n{printed}");
    }
}
