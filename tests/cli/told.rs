//! What programs and people read of a result: colours, `file:line:column`, SARIF, exit codes, `-`.

use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const RACY: [&str; 4] = ["check", "tiled_no_load_barrier", "--size", "32"];
const WHOLE_TILES: &str = "tests/data/cli/whole_tiles.cu";
const BROKEN: &str = "tests/data/cli/does_not_compile.cu";

fn run(args: &[&str], variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_matviz"));
    command.args(args).env_clear().env("LANG", "C.UTF-8").envs(variables.iter().copied());
    command.output().expect("the binary runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

fn out(args: &[&str]) -> String {
    text(&run(args, &[]).stdout)
}

/// An option that changes nothing is an error, and colours are an option of every command.
#[test]
fn verdicts_findings_states_headings_and_errors_are_coloured_where_that_is_wanted() {
    let coloured = |args: &[&str], variables: &[(&str, &str)]| {
        let output = run(args, variables);
        [&output.stdout, &output.stderr].map(|text| text.contains(&0x1b))
    };
    let always = |args: &[&str]| coloured(&[args, &["--color", "always"]].concat(), &[]);
    for args in [
        &RACY[..],
        &["check", "tiled", "--size", "16"],
        &["check", "--prove", "tiled_no_load_barrier", "--size", "32", "--limit", "orders=2"],
        &["doctor"],
        &["check", "-h"],
    ] {
        assert_eq!(coloured(args, &[]), [false; 2], "{args:?}: a pipe has none");
        assert!(always(args)[0], "{args:?}");
        assert!(coloured(args, &[("CLICOLOR_FORCE", "1")])[0], "{args:?}");
    }
    let force = [("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")];
    assert_eq!(coloured(&RACY, &force), [false; 2]);
    for wrong in [&["check", "no such file"][..], &["check", "--sise"]] {
        assert_eq!((always(wrong)[1], coloured(wrong, &[])[1]), (true, false), "{wrong:?}");
    }
    let json = [&RACY[..], &["--json"]].concat();
    assert_eq!(always(&json), [false; 2], "programs read it");
}

/// As compilers tell it: what Vim's quickfix, Emacs and the matcher `$gcc` of VS Code read.
#[test]
fn a_finding_is_a_line_with_the_file_as_it_was_named() {
    let told = out(&["check", WHOLE_TILES, "--format", "short"]);
    assert!(!told.is_empty());
    for line in told.lines() {
        let mut parts = line.splitn(5, ':');
        assert_eq!(parts.next(), Some(WHOLE_TILES), "{line}");
        let numbers: Vec<u32> = parts.by_ref().take(2).filter_map(|it| it.parse().ok()).collect();
        let source = fs::read_to_string(WHOLE_TILES).expect("there").lines().count();
        assert!(numbers.len() == 2 && (1..=source).contains(&(numbers[0] as usize)), "{line}");
        let level = parts.next().unwrap_or_default().trim();
        assert!(matches!(level, "error" | "warning"), "{line}");
    }
    assert!(told.contains("(at 60x52x84)"), "{told}");
    let github = run(&["check", WHOLE_TILES, "--format", "short"], &[("GITHUB_ACTIONS", "true")]);
    let github = text(&github.stdout);
    assert!(github.lines().all(|line| line.starts_with("::")), "{github}");
    assert!(github.contains(&format!("::error file={WHOLE_TILES},line=")), "{github}");
    let json: Value = serde_json::from_str(&out(&["check", WHOLE_TILES, "--json"])).expect("JSON");
    let all = json["findings"].as_array().expect("a list").iter();
    let all = all.chain(json["awkward"]["findings"].as_array().expect("a list"));
    let sides = all.flat_map(|finding| finding["sides"].as_array().expect("a list"));
    let files: BTreeSet<_> = sides.filter_map(|side| side["file"].as_str()).collect();
    assert_eq!(files, BTreeSet::from([WHOLE_TILES]));
}

/// The properties that SARIF 2.1.0 requires (OASIS, 3.13 to 3.30), and those that viewers need.
#[test]
fn sarif_has_what_its_standard_requires() {
    for args in
        [&["check", WHOLE_TILES][..], &RACY, &["check", BROKEN], &["check", "naive", "--size", "8"]]
    {
        let told = out(&[args, &["--format", "sarif"]].concat());
        let log: Value = serde_json::from_str(&told).expect("JSON");
        assert_eq!(log["version"], "2.1.0");
        assert!(log["$schema"].as_str().is_some_and(|schema| schema.contains("sarif-2.1.0")));
        let run = &log["runs"][0];
        let driver = &run["tool"]["driver"];
        assert_eq!(driver["name"], "matviz");
        let rules = driver["rules"].as_array().expect("rules");
        let rules: BTreeSet<_> = rules.iter().filter_map(|rule| rule["id"].as_str()).collect();
        for result in run["results"].as_array().expect("results") {
            assert!(rules.contains(result["ruleId"].as_str().expect("a rule")), "{result}");
            assert!(matches!(result["level"].as_str(), Some("error" | "warning")), "{result}");
            assert!(result["message"]["text"].as_str().is_some_and(|text| !text.is_empty()));
            let place = &result["locations"][0]["physicalLocation"];
            let uri = place["artifactLocation"]["uri"].as_str().expect("a file");
            assert!(!uri.is_empty() && !uri.contains(' '), "{uri}");
            assert!(place["region"]["startLine"].as_u64().is_some_and(|line| line >= 1));
            assert!(place["region"]["startColumn"].as_u64().is_some_and(|column| column >= 1));
        }
    }
}

#[test]
fn a_source_that_does_not_compile_is_told_to_programs_too() {
    let told = |form: &str| {
        let output = run(&["check", BROKEN, "--format", form], &[]);
        assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    let json: Value = serde_json::from_str(&told("json")).expect("JSON");
    assert_eq!((&json["at"]["file"], &json["at"]["line"]), (&BROKEN.into(), &3.into()), "{json}");
    let short = told("short");
    assert!(short.starts_with(&format!("{BROKEN}:3:")) && short.contains(": error: "), "{short}");
    assert_eq!(told("text"), "");
}

/// So is a file that has no kernel, and one that does not say how many threads its kernel has.
#[test]
fn a_file_that_cannot_be_launched_is_told_to_programs_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str, content: &str| {
        let path = folder.path().join(name);
        fs::write(&path, content).expect("written");
        path.display().to_string()
    };
    let files = [
        file("no_kernel.cu", "int main() { return 0; }\n"),
        file("no_kernel.ptx", ".version 8.0\n.target sm_80\n.address_size 64\n"),
        file("no_code.md", "# A text\n"),
        file("no_kernel.py", "print(1)\n"),
        "lessons/mistakes.ptx".to_owned(),
    ];
    for file in &files {
        let told = |form: &str| {
            let output = run(&["check", file, "--format", form], &[]);
            assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
            (text(&output.stdout), text(&output.stderr))
        };
        let (json, said) = told("json");
        let json: Value = serde_json::from_str(&json).expect("JSON");
        let why = json["error"].as_str().expect("an error");
        assert!(said.contains(why), "{said}");
        assert_eq!((&json["at"]["file"], &json["at"]["line"]), (&Value::from(&**file), &1.into()));
        let (short, _) = told("short");
        assert!(short.starts_with(&format!("{file}:1:1: error: ")), "{short}");
        assert_eq!(told("text").0, "");
    }
}

/// 1 is a finding, 2 is a failure: CI tells one from the other.
#[test]
fn a_failure_is_no_finding() {
    let no_gpu = [("CUDA_VISIBLE_DEVICES", "")];
    for args in [&["bench"][..], &["bench", "--json"], &["export", "ladder", "-o", "/dev/full"]] {
        assert_eq!(run(args, &no_gpu).status.code(), Some(2), "{args:?}");
    }
    assert_eq!(run(&RACY, &[]).status.code(), Some(1));
}

#[test]
fn a_dash_is_standard_output_everywhere() {
    let folder = tempfile::tempdir().expect("a folder");
    for args in [
        &["export", "frame", "--size", "16", "--format", "svg", "-o", "-"][..],
        &["export", "ladder", "--format", "svg", "-o", "-"],
        &["learn", "--progress", "--format", "markdown", "-o", "-"],
        &["doctor", "--json", "-o", "-"],
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_matviz"));
        command.args(args).current_dir(folder.path()).env_clear().env("HOME", folder.path());
        let output = command.output().expect("the binary runs");
        assert!(!output.stdout.is_empty(), "{args:?}: {}", text(&output.stderr));
    }
    assert!(!Path::new(&folder.path().join("-")).exists());
}

#[cfg(unix)]
#[test]
fn a_terminal_is_asked_before_what_was_answered_is_forgotten() {
    use crate::session::Session;
    let home = tempfile::tempdir().expect("a folder");
    let words = ["-i", "LANG=C.UTF-8", env!("CARGO_BIN_EXE_matviz"), "learn", "--reset", "all"];
    let mut session = Session::run(Path::new("/usr/bin/env"), &words, home, "xterm", (80, 24));
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while !session.screen().contents().contains("[y/N]") {
        assert!(session.hear(deadline).is_ok(), "{}", session.screen().contents());
    }
    session.send("n\r").expect("it runs");
    while session.hear(deadline).is_ok() {}
    let told = session.screen().contents();
    assert!(told.contains("Nothing is forgotten."), "{told}");
}
