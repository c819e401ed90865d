//! Escape sequences and marks of direction in files: no terminal obeys them.

use super::{assert_ended_well, matviz, said};
use std::fs;
use std::path::Path;

/// Sets the title, clears the screen, hides what follows, and turns the order of the characters.
const HOSTILE: &str = "\u{1b}]0;owned\u{7}\u{1b}[2J\u{9b}8m\u{202e}\u{2066}\u{200f}\u{ffff}\r";

/// A kernel that does not parse in its line 6, or has a hostile name of its source.
fn ptx(file: &str, instruction: &str) -> String {
    format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.file 1 \"{file}\"\n.visible .entry \
         k(.param .u64 c)\n{{\n.loc 1 2 0\n{instruction}\nret;\n}}\n"
    )
}

/// A pack of `tests/../kernels/timings` with another name of its GPU.
fn pack(device: &str) -> String {
    let text = fs::read_to_string("kernels/timings/h200.json").expect("it is committed");
    let device = serde_json::to_string(device).expect("JSON");
    text.replace("\"NVIDIA H200\"", &device)
}

fn is_obeyed(char: char) -> bool {
    let turns =
        matches!(char, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    // XML may not hold it.
    let is_none = char == '\u{ffff}';
    turns || is_none || char.is_control() && !['\n', '\t'].contains(&char)
}

fn files(folder: &Path) {
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).expect("written");
    write("line.ptx", &ptx("a.cu", &format!("bar.{HOSTILE} 0;")));
    write("name.ptx", &ptx(&format!("a{HOSTILE}.cu"), "bar.sync 0;"));
    write("own.ptx", &ptx("own.cu", "bar.sync 0;"));
    write("own.cu", &format!("// {HOSTILE}\n// {HOSTILE} second\n// third\n"));
    write("wrong.cu", &format!("__global__ void k(float* c) {{ c[0] = {HOSTILE}; }}\n"));
    write("launch.cu", &format!("// launch: <<<,{HOSTILE}>>>\n__global__ void k(float* c) {{}}\n"));
    write("pack.json", &pack(&format!("GPU {HOSTILE}")));
    let head =
        "\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"Metric Name\",\"Metric Value\"";
    let row = "\"0\",\"{}\",\"(16, 16, 1)\",\"(4, 4, 1)\",\"smsp__inst_executed.sum\",\"1\"";
    write("report.csv", &format!("{head}\n{}\n", row.replace("{}", HOSTILE)));
    fs::create_dir(folder.join("course")).expect("a folder");
    write(
        "course/01-first.md",
        &format!("# {HOSTILE}\n\n```matviz lesson\nid = \"{HOSTILE}\"\n```\n"),
    );
    let lesson = "# A lesson\n\n```matviz lesson\nid = \"own\"\nabout = \"a\"\nminutes = 3\n```\n\n## One\n\n";
    write("01-own.md", &format!("{lesson}Words {HOSTILE} and more.\n"));
    write("batch", &format!("{{\"space\": \"{HOSTILE}\"}}\n"));
    let kernel = "__global__ void k(float* A, float* B, float* C, int M, int N, int K)";
    write("gaps.cu", &format!("// launch: <<<,16>>>\n{kernel} {{\n// {HOSTILE}\n}}\n"));
    write(
        "dials.cu",
        &format!("// dial X ({HOSTILE}): 1 | {HOSTILE}\n// launch: <<<,16>>>\n{kernel} {{\n}}\n"),
    );
    write("key.json", &format!("{{{}: 1}}", serde_json::to_string(HOSTILE).expect("JSON")));
    let state = folder.join(".local/state/matviz");
    fs::create_dir_all(&state).expect("a folder");
    let typed = serde_json::to_string(HOSTILE).expect("JSON");
    let progress = format!(
        r#"{{"format":1,"seed":7,"lessons":{{"padding":{{"page":5,"asks":{{"padded-store":{{"first":"wrong","typed":{typed},"is":{typed},"tries":2,"hints":0,"when":{typed}}}}}}},{typed}:{{"page":1,"asks":{{}}}}}}}}"#
    );
    fs::write(state.join("progress.json"), progress).expect("written");
}

/// No name in a file fills the terminal with its length.
#[test]
fn a_message_has_no_line_that_never_ends() {
    let home = tempfile::tempdir().expect("a folder");
    let at = home.path();
    let long = "x".repeat(500_000);
    let write = |name: &str, text: &str| fs::write(at.join(name), text).expect("written");
    write("line.ptx", &ptx("a.cu", &format!("bar.{long} 0;")));
    write("name.ptx", &ptx(&format!("{long}.cu"), "bar.sync 0;"));
    write("wrong.cu", &format!("__global__ void k(float* c) {{ c[0] = {long}; }}\n"));
    write("launch.cu", &format!("// launch: <<<,{long}>>>\n__global__ void k(float* c) {{}}\n"));
    write("pack.json", &pack(&long));
    write("key.json", &format!("{{\"{long}\": 1}}"));
    write("dials.cu", &format!("// dial {long}\n__global__ void k(float* c) {{}}\n"));
    let head =
        "\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"Metric Name\",\"Metric Value\"";
    let row =
        format!("\"0\",\"{long}\",\"(16, 16, 1)\",\"(4, 4, 1)\",\"smsp__inst_executed.sum\",\"1\"");
    write("report.csv", &format!("{head}\n{row}\n"));
    write("batch", &format!("{{\"space\": \"{long}\"}}\n"));
    let own = ["--launch", "<<<,16>>>", "--size", "16", "--launch", "(C)"];
    let on = |command: &[&'static str]| [command, &own].concat();
    for args in [
        on(&["check", "line.ptx"]),
        on(&["check", "name.ptx"]),
        on(&["check", "--compiler", "matviz", "wrong.cu"]),
        vec!["check", "--compiler", "matviz", "launch.cu"],
        vec!["check", "wrong.cu"],
        vec!["course", "gaps", "wrong.cu", "--insert", ";"],
        vec!["course", "dials", "dials.cu"],
        vec!["export", "ladder", "--pack", "pack.json"],
        vec!["export", "ladder", "--pack", "key.json"],
        vec!["check", "--against", "report.csv"],
        vec!["access", "--batch", "batch"],
    ] {
        let output = matviz(at, &args).current_dir(at).output().expect("the binary runs");
        assert_ended_well(&output, &format!("{args:?}"));
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        let longest = errors.lines().map(str::len).max();
        assert!(longest.is_some_and(|longest| longest < 2000), "{args:?}: {longest:?}");
    }
}

#[test]
fn what_strangers_write_reaches_stdout_and_stderr_as_text() {
    let home = tempfile::tempdir().expect("a folder");
    files(home.path());
    let own = ["--launch", "<<<,16>>>", "--size", "16", "--launch", "(C)"];
    let on = |command: &[&'static str]| [command, &own].concat();
    let commands: Vec<Vec<&str>> = vec![
        on(&["check", "line.ptx"]),
        on(&["check", "name.ptx"]),
        on(&["check", "--json", "name.ptx"]),
        on(&["--format", "text", "name.ptx"]),
        on(&["export", "frame", "-o", "own.txt", "own.ptx"]),
        on(&["export", "frame", "-o", "name.svg", "name.ptx"]),
        on(&["check", "wrong.cu", "--compiler", "matviz"]),
        vec!["check", "launch.cu", "--compiler", "matviz"],
        vec!["export", "ladder", "--pack", "pack.json"],
        vec!["export", "memory", "--pack", "pack.json"],
        vec!["export", "ladder", "--pack", "pack.json", "--json"],
        vec!["export", "ladder", "--pack", "pack.json", "--format", "csv"],
        vec!["check", "--against", "report.csv"],
        vec!["learn", "--list", "--format", "text", "--from", "course"],
        vec!["learn", "--list", "--json", "--from", "course"],
        vec!["learn", "1", "--format", "text", "--from", "01-own.md"],
        vec!["course", "check", "course"],
        vec!["course", "check", "--json", "course"],
        vec!["access", "--batch", "batch"],
        vec!["check", "wrong.cu"],
        vec!["course", "gaps", "wrong.cu", "--insert", ";"],
        vec!["course", "gaps", "gaps.cu", "--insert", ";", "--size", "16"],
        vec!["course", "gaps", "gaps.cu", "--insert", ";", "--size", "16", "--json"],
        vec!["course", "dials", "dials.cu", "--size", "16"],
        vec!["course", "dials", "dials.cu", "--size", "16", "--json"],
        vec!["bench", "--against", "key.json"],
        on(&["trace", "line.ptx", "C[0][0]"]),
        on(&["check", "--prove", "name.ptx"]),
        vec!["learn", "--progress"],
        vec!["learn", "--progress", "--format", "csv"],
        vec!["learn", "--progress", "-o", "/dev/stdout"],
        vec!["learn", "--list", "--format", "text"],
    ];
    for args in commands {
        let mut command = matviz(home.path(), &args);
        let output = command.current_dir(home.path()).output().expect("the binary runs");
        assert_ended_well(&output, &format!("{args:?}"));
        let made = ["own.txt", "name.svg"].map(|name| fs::read_to_string(home.path().join(name)));
        let said = said(&output) + &made.map(Result::unwrap_or_default).concat();
        let obeyed: Vec<_> = said.chars().filter(|char| is_obeyed(*char)).collect();
        assert!(obeyed.is_empty(), "{args:?}: {obeyed:?} in {said:?}");
        assert!(!said.is_empty(), "{args:?} says nothing");
    }
}

/// A name that no compiler makes is refused, so that it is on no screen as often as it is used.
#[test]
fn a_name_without_an_end_is_refused_wherever_it_stands() {
    let home = tempfile::tempdir().expect("a folder");
    let at = home.path();
    let long = "k".repeat(3_000_000);
    let read = |path: &str| fs::read_to_string(path).expect("it is committed");
    let write = |name: &str, text: &str| fs::write(at.join(name), text).expect("written");
    let naive = read("kernels/ptx/naive.t8.ptx");
    let racy = read("kernels/ptx/tiled_no_load_barrier.t16.ptx");
    write("entry.ptx", &naive.replace("entry naive(", &format!("entry {long}(")));
    write("shared.ptx", &racy.replace("E2sA", &format!("E2sA{long}")));
    write("file.ptx", &ptx(&long, "bar.sync 0;"));
    write("pack.json", &pack(&long[..2000]));
    let own = ["--launch", "<<<,16x16>>>", "--size", "64"];
    let on = |command: &[&'static str]| [command, &own].concat();
    for args in [
        on(&["check", "entry.ptx"]),
        on(&["check", "--prove", "shared.ptx"]),
        on(&["trace", "shared.ptx", "C[1][1]"]),
        on(&["--format", "text", "file.ptx"]),
        vec!["export", "ladder", "--pack", "pack.json"],
        vec!["bench", "--against", "pack.json"],
    ] {
        let output = matviz(at, &args).current_dir(at).output().expect("the binary runs");
        let told = said(&output);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{args:?}");
        assert!(told.contains(" a name of ") && told.len() < 4000, "{args:?}: {told}");
    }
}
