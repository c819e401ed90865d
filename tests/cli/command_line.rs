//! The command line as its users know it: help, completions, names, standard input, where a result goes,
//! exit codes.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// The program in a folder, without this machine's environment.
fn matviz_in(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_matviz"));
    command.args(args).current_dir(folder).env_clear().env("LANG", "C.UTF-8");
    command
}

fn run(args: &[&str]) -> Output {
    matviz_in(Path::new("."), args).output().expect("the binary runs")
}

pub(super) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

/// What a command prints, which must succeed without a word on stderr.
pub(super) fn prints(args: &[&str]) -> String {
    let output = run(args);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), String::new()), "{args:?}");
    text(&output.stdout)
}

/// The error of bad use, which prints nothing on stdout.
pub(super) fn bad_use(args: &[&str]) -> String {
    let output = run(args);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{args:?}");
    text(&output.stderr)
}

/// Every command but `help`, as `matviz --help` lists them: nine, and those of two of them.
pub(super) fn commands() -> Vec<String> {
    let help = prints(&["--help"]);
    let (_, list) = help.split_once("Commands:\n").expect("a list");
    let list = list.split("\n\n").next().expect("a first part");
    let name = |line: &str| line.split_whitespace().next().map(str::to_owned);
    let names: Vec<_> = list.lines().filter_map(name).filter(|name| name != "help").collect();
    assert_eq!(names.len(), 9, "{names:?}");
    let of = |name: &str| {
        let help = prints(&[name, "--help"]);
        let own = help.split_once("Commands:\n").map(|(_, list)| list.to_owned());
        let own = own.unwrap_or_default();
        let own = own.split("\n\n").next().unwrap_or_default().lines();
        let own = own.filter_map(|line| line.split_whitespace().next());
        own.filter(|own| *own != "help").map(|own| format!("{name} {own}")).collect::<Vec<_>>()
    };
    let below: Vec<_> = ["course", "generate"].into_iter().flat_map(of).collect();
    assert_eq!(below.len(), 11, "{below:?}");
    [names, below].concat()
}

/// As many lines as the screen that `matviz export` draws: 36.
#[test]
fn the_short_help_fits_a_screen_and_the_long_one_has_examples_and_exit_codes() {
    for name in commands().iter().map(String::as_str).chain([""]) {
        let args = |option| name.split_whitespace().chain([option]).collect::<Vec<_>>();
        let short = prints(&args("-h"));
        assert!(short.lines().count() <= 36, "{name}: {} lines\n{short}", short.lines().count());
        assert!(short.lines().all(|line| line.chars().count() <= 100), "{short}");
        assert!(!short.contains("Exit codes"), "{short}");
        let long = prints(&args("--help"));
        for part in ["\nExamples:\n", "\nExit codes:\n", "\nEnvironment:\n", "  NO_COLOR "] {
            assert!(long.contains(part), "{name}: no {part}\n{long}");
        }
        let examples = long.split_once("\nExamples:\n").expect("there").1;
        let examples = examples.split("\n\n").next().expect("a first part");
        assert!(examples.contains(&format!("matviz {name}")), "{name}: {examples}");
    }
}

#[test]
fn the_short_help_of_the_screen_shows_the_options_that_are_used_most() {
    let help = prints(&["-h"]);
    let options: Vec<_> = help
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix("--"))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert_eq!(options, ["tile", "size", "format", "launch"], "{help}");
}

#[test]
fn a_mistyped_name_is_met_with_the_one_that_was_meant() {
    for (args, meant) in [
        (&["check", "tild"][..], "did you mean `tiled`?"),
        (&["tild"], "did you mean `tiled`?"),
        (&["sim"], "`matviz sim` is `matviz check TARGET` now"),
        (&["smi", "tiled"], "did you mean `matviz check TARGET`?"),
        (&["lesons"], "did you mean `matviz learn --list`?"),
        (
            &["kernels/tild.cu"],
            "there is no file kernels/tild.cu; did you mean `kernels/tiled.cu`?",
        ),
        (&["check", "kernels"], "kernels is a folder: name a file in it"),
        (&["check", "Cargo.lock", "--size", "8"], "has no kernel"),
        (&["check", "report.csv"], "there is no file report.csv"),
        (&["course", "export", "Cargo.toml"], "Cargo.toml is a file"),
        (&["learn", "--reset", "99"], "there is no lesson 99"),
        (&["naiv"], "did you mean `naive`?"),
        (&["bench", "tiled,segmm"], "did you mean `sgemm`?"),
        (&["course", "gaps", "tild", "--insert", ";"], "did you mean `tiled`?"),
        (&["check", "tiled", "--order", "by-fase"], "did you mean `by-phase`?"),
        (&["check", "blocked_2d", "--tile", "128x128x15"], "did you mean `128x128x16`?"),
        (&["export", "rooflin"], "did you mean `roofline`?"),
        (&["export", "ladder", "sgem"], "did you mean `sgemm`?"),
        (&["course", "changes", "no-load-barier"], "did you mean `no-load-barrier`?"),
        (&["course", "dials", "--set", "EGDE=zeros"], "did you mean `EDGE`?"),
        (&["learn", "paddin", "--no-progress"], "did you mean `padding`?"),
        (&["--set", "theme=drak"], "did you mean `theme=dark`?"),
        (&["--color", "alway"], "did you mean `always`?"),
        (&["generate", "schema", "acces"], "did you mean `access`?"),
        (&["generate", "man", "similar"], "there is no command `similar`"),
        (
            &[
                "check",
                "lessons/mistakes.ptx",
                "--launch",
                "<<<,16>>>",
                "--launch",
                "forgets_a_barier",
            ],
            "did you mean `forgets_a_barrier`?",
        ),
        (&["check", "--sice", "64"], "a similar argument exists: '--size'"),
        (&["benhc"], "did you mean `matviz bench`?"),
    ] {
        let told = bad_use(args);
        assert!(told.contains(meant), "{args:?}: {told}");
    }
    assert!(!bad_use(&["check", "fastest"]).contains("did you mean"));
}

/// What a file is, its text tells, and not its name alone.
#[test]
fn a_target_is_told_by_its_content() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).expect("written");
        path.display().to_string()
    };
    let ptx = fs::read_to_string("kernels/ptx/naive.t8.ptx").expect("it is there");
    let cuda = fs::read_to_string("kernels/naive.cu").expect("it is there");
    let fenced = format!("# A kernel\n\n```cuda\n{cuda}```\n");
    for (name, text) in [("naive.txt", &*ptx), ("naive", &*cuda), ("naive.md", &*fenced)] {
        let file = at(name, text);
        let output = run(&["check", &file, "--launch", "<<<, dim3(8, 8)>>>", "--size", "16"]);
        let told = format!("{name}: {}{}", text_of(&output), self::text(&output.stderr));
        assert_eq!(output.status.code(), Some(0), "{told}");
        assert!(told.contains("C is right"), "{told}");
    }
    for (name, text, told) in [
        ("fast.py", "x = 1\n", "is Python without a kernel"),
        ("a.ptx", "no PTX\n", "is not PTX"),
        ("a.csv", "\"ID\",\"Kernel Name\"\n", "`matviz check --against"),
        ("a.out", "\u{7f}ELF\0\0", "is not text"),
    ] {
        let said = bad_use(&["check", &at(name, text)]);
        assert!(said.contains(told) && said.lines().count() == 1, "{name}: {said}");
    }
}

fn text_of(output: &Output) -> String {
    text(&output.stdout)
}

/// A command that reads standard input.
fn piped(args: &[&str], input: &[u8]) -> Output {
    let mut command = matviz_in(Path::new("."), args);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    // A command may end before it has read everything.
    _ = child.stdin.take().expect("piped").write_all(input);
    child.wait_with_output().expect("it ends")
}

#[test]
fn standard_input_is_read_wherever_a_file_is() {
    let ptx = fs::read("lessons/mistakes.ptx").expect("it is there");
    let launch = ["--launch", "forgets_a_barrier", "--launch", "<<<,16x16>>>", "--size", "64"];
    let output = piped(&[&["check", "-"], &launch[..]].concat(), &ptx);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("race: "), "{}", text(&output.stdout));

    let source = fs::read("tests/data/kernel/host/whole.cu").expect("it is there");
    let output = piped(&["check", "-", "--size", "32"], &source);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("C is right"));
    let output = piped(&["check", "-", "--size", "32"], b"__global__ void f( {");
    assert_eq!(output.status.code(), Some(3));
    let told = text(&output.stderr);
    assert!(told.contains("<stdin>:1:"), "{told}");

    let report = fs::read("tests/data/report/nsight_compute/h200_raw.csv").expect("it is there");
    let output = piped(&["check", "--against", "-", "--size", "7"], &report);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("give the size of that launch"));
    let output = piped(&["check", "--against", "-"], b"no report\n");
    assert!(text(&output.stderr).contains("<stdin>: "), "{}", text(&output.stderr));

    let lesson = fs::read("tests/data/lesson/01-padding.md").expect("it is there");
    let broken = text(&lesson).replacen("minutes", "minuets", 1);
    let output = piped(&["course", "check", "--quick", "-"], broken.as_bytes());
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("<stdin>:"), "{}", text(&output.stdout));

    let dials = fs::read("lessons/kernels/dials.cu").expect("it is there");
    let output = piped(&["course", "dials", "-", "--size", "64"], &dials);
    assert_eq!(text(&output.stdout), text(&run(&["course", "dials", "--size", "64"]).stdout));
}

#[test]
fn a_result_is_written_to_a_file_whole_or_not_at_all() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("result");
    let path = file.to_str().expect("UTF-8");
    for command in [
        &["access", "tx"][..],
        &["learn", "--list", "--format", "text", "--no-progress"],
        &["--format", "text", "--size", "16", "--tile", "8"],
        &["course", "changes"],
        &["export", "ladder"],
        &["generate", "completions", "zsh"],
        &["generate", "man", "check"],
    ] {
        fs::write(&file, "before").expect("written");
        let shown = prints(command);
        // Before and after the command's name.
        assert_eq!(prints(&[command, &["--output", path]].concat()), "");
        assert_eq!(fs::read_to_string(&file).expect("written"), shown, "{command:?}");
        fs::remove_file(&file).expect("it is there");
        assert_eq!(prints(&[&["-o", path], command].concat()), "");
        assert_eq!(fs::read_to_string(&file).expect("written"), shown, "{command:?}");
    }
    assert_eq!(prints(&["access", "tx", "-o", "-"]), prints(&["access", "tx"]));
    // What fails leaves what was there.
    fs::write(&file, "before").expect("written");
    bad_use(&["access", "tx +", "-o", path]);
    bad_use(&["check", "no such file", "-o", path]);
    assert_eq!(fs::read_to_string(&file).expect("there"), "before");
    // A kernel that is wrong has a result.
    let racy = ["check", "tiled_no_load_barrier", "--size", "32", "-o", path];
    assert_eq!(run(&racy).status.code(), Some(1));
    assert!(fs::read_to_string(&file).expect("there").contains("\nrace: "));
    // Nothing is computed for a file that cannot be written.
    let told = bad_use(&["check", "tiled", "-o", "no such folder/x"]);
    assert!(told.contains("there is no folder"), "{told}");
    let told = bad_use(&["-o", path]);
    assert!(told.contains("shows a screen"), "{told}");
}

/// A page that needs nothing else: no script, nothing from a network.
#[test]
fn a_check_is_a_page_with_its_source_and_a_picture() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("report.html");
    let mut matviz = Command::new(env!("CARGO_BIN_EXE_matviz"));
    let found =
        matviz.args(["check", "tiled_no_load_barrier", "--size", "32", "-o"]).arg(&file).output();
    assert_eq!(found.expect("it runs").status.code(), Some(1));
    let page = fs::read_to_string(&file).expect("written");
    let (before, source) = page.split_once("<div class=\"source\">").expect("the source");
    assert!(before.contains("<b>race</b>") && before.contains("<svg"), "{before}");
    let (_, below) = source.split_once("<div id=\"L28\">").expect("a line");
    let (line, told) = below.split_once("</div>").expect("its end");
    assert!(
        line.contains("sA[ty][tx]") && told.trim_start().starts_with("<div class=\"error\">race")
    );
    let elsewhere =
        page.matches("http").count() - page.matches("http://www.w3.org/2000/svg").count();
    assert!(elsewhere == 0 && !page.contains("<script") && !page.contains("src="), "{page}");
}

#[test]
fn a_run_is_drawn_as_a_picture_that_moves_and_as_a_recording() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name).display().to_string();
    let steps = ["--size", "32", "--from", "40", "--to", "70"];
    prints(&[&["export", "run", "-o", &at("run.svg")][..], &steps].concat());
    prints(&[&["export", "run", "-o", &at("run.cast")][..], &steps].concat());
    let read = |name: &str| fs::read_to_string(at(name)).expect("drawn");
    let moving = read("run.svg");
    assert!(moving.contains("@keyframes") && moving.contains("prefers-reduced-motion"));
    assert!(!moving.contains("<script") && !moving.contains("http://www.w3.org/1999/xlink"));
    let cast = read("run.cast");
    let lines = cast.lines().map(serde_json::from_str::<serde_json::Value>);
    let lines: Vec<_> = lines.collect::<Result<_, _>>().expect("JSON lines");
    assert_eq!((&lines[0]["version"], &lines[0]["width"]), (&2.into(), &120.into()));
    let seconds = lines[1..].iter().map(|event| event[0].as_f64().expect("a time"));
    assert!(seconds.is_sorted(), "{cast}");
    let marks = lines[1..].iter().filter(|event| event[1] == "m");
    let marks: Vec<_> = marks.filter_map(|event| event[2].as_str()).collect();
    let stores = "Now into shared memory.";
    assert!(marks.contains(&stores), "{marks:?}");
    prints(&["export", "run", "-o", &at("run.json"), "--size", "32"]);
    let timeline: serde_json::Value = serde_json::from_str(&read("run.json")).expect("JSON");
    assert!(timeline["traceEvents"].as_array().is_some_and(|events| events.len() > 1000));
    let wrong = |args: &[&str]| bad_use(&[&["export"][..], args].concat());
    let svg = &at("a.svg");
    assert!(wrong(&["run", "-o", svg, "--from", "9", "--to", "3"]).contains("the end is before"));
    assert!(wrong(&["frame", "-o", svg, "--to", "3"]).contains("are for a run"));
    assert!(wrong(&["run", "-o", svg, "--step", "2"]).contains("--step is for a frame"));
    assert!(wrong(&["run", "--size", "16"]).contains("FILE.cast"));
    let cast = &at("a.cast");
    assert!(wrong(&["run", "-o", cast, "--size", "16", "--from", "999999"]).contains("run has"));
}

#[test]
fn a_picture_is_drawn_into_the_file_that_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name).display().to_string();
    prints(&["export", "frame", "--size", "32", "-o", &at("a.svg")]);
    let read = |name: &str| fs::read_to_string(at(name)).expect("drawn");
    let drawn = prints(&["export", "frame", "--size", "32", "--format", "svg", "-o", "-"]);
    assert!(read("a.svg").starts_with("<svg"));
    assert_eq!(read("a.svg"), drawn);
    prints(&["export", "ladder", "-o", &at("c.svg")]);
    assert_eq!(read("c.svg"), prints(&["export", "ladder", "--format", "svg"]));
    let told = bad_use(&["export", "frame", "--size", "32", "-o", &at("a.gif")]);
    assert!(told.contains("must end in .svg"), "{told}");
    assert!(!Path::new("-").exists(), "- is standard output");
}

#[test]
fn a_quiet_command_says_nothing_but_errors() {
    let own = ["check", "lessons/mistakes.ptx", "--launch", "forgets_a_barrier"];
    let own = [&own[..], &["--launch", "<<<,16x16>>>", "--size", "32"]].concat();
    let (loud, quiet) = (run(&own), run(&[&own[..], &["-q"]].concat()));
    assert!(text(&loud.stderr).contains("note: assuming <<<"), "{}", text(&loud.stderr));
    assert_eq!((text(&quiet.stderr), quiet.status.code()), (String::new(), loud.status.code()));
    assert!(bad_use(&["-q", "check", "no such file"]).contains("no such file"));
}

#[test]
fn colours_are_where_they_are_wanted() {
    let coloured = |args: &[&str], env: &[(&str, &str)]| {
        let mut command = matviz_in(Path::new("."), &[&["access", "tx*2"], args].concat());
        let output = command.envs(env.iter().copied()).output().expect("the binary runs");
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout).contains("\u{1b}[")
    };
    let force = ("CLICOLOR_FORCE", "1");
    assert!(!coloured(&[], &[]), "a pipe has none");
    assert!(coloured(&["--color", "always"], &[]));
    assert!(coloured(&["--color=always"], &[("NO_COLOR", "1")]));
    assert!(coloured(&[], &[force]));
    assert!(!coloured(&[], &[force, ("NO_COLOR", "1")]));
    assert!(!coloured(&["--color", "never"], &[force]));
    // The ways of earlier versions are those of the screen.
    let folder = tempfile::tempdir().expect("a folder");
    let drawn = |depth: &str| {
        let file = folder.path().join(format!("{depth}.svg")).display().to_string();
        prints(&["export", "frame", "-o", &file, "--size", "32", "--color", depth]);
        fs::read_to_string(file).expect("drawn")
    };
    let all = ["true", "256", "16", "never"].map(drawn);
    assert!((1..all.len()).all(|index| all[index] != all[index - 1]));
}

#[test]
fn options_of_the_screen_stand_before_no_command() {
    let told = bad_use(&["--size", "64", "check", "tiled"]);
    assert!(told.contains("'check' cannot be used with '--size <SIZE>' before it"), "{told}");
    assert!(prints(&["--color", "never", "-q", "access", "tx"]).contains("8 passes"));
}

#[test]
fn the_version_says_what_the_program_was_built_of() {
    let number = env!("CARGO_PKG_VERSION");
    assert_eq!(prints(&["-V"]), format!("matviz {number}\n"));
    let long = prints(&["--version"]);
    let told = prints(&["doctor", "--json"]);
    let told: serde_json::Value = serde_json::from_str(&told).expect("JSON");
    assert_eq!(told["version"], number);
    for part in [
        number,
        "\ncommit ",
        "\nbuilt for ",
        "\nbuilt by        rustc 1.",
        "\nfeatures ",
        "NVRTC 12.",
        "recorded times ",
        "JSON 1",
    ] {
        assert!(long.contains(part), "{part}: {long}");
    }
}

/// Every code that README and help name, by commands that give it.
#[test]
fn exit_codes_are_the_same_everywhere() {
    let code = |args: &[&str]| run(args).status.code();
    let small = ["--size", "32", "--tile", "8"];
    let with = |start: &[&'static str]| [start, &small[..]].concat();
    let own = ["tests/data/analysis/any/broken/scan_in_place.cu"];
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).expect("written");
        path.display().to_string()
    };
    let syntax =
        at("syntax.cu", "// launch: <<<,16x16>>>\n__global__ void f(float* C) { C[0] = ; }\n");
    let lesson = at("1-wrong.md", "# T\n```matviz lesson\nid = \"t\"\nminuets = 1\n```\n");
    let svg = folder.path().join("frame.svg").display().to_string();
    for (args, expected) in [
        (with(&["--format", "text"]), 0),
        (with(&["--format", "text", "tiled_no_load_barrier"]), 1),
        (vec!["--format", "text", "none"], 2),
        (vec!["--format", "text", &syntax], 3),
        (with(&["check", "tiled"]), 0),
        (with(&["check", "tiled_no_load_barrier"]), 1),
        (vec!["check"], 2),
        (vec!["check", &syntax], 3),
        (with(&["trace", "tiled", "C[0][0]"]), 0),
        (with(&["trace", "tiled", "C[99][0]"]), 2),
        (vec!["trace", &syntax, "C[0][0]"], 3),
        (vec!["check", "--prove", "tiled", "--size", "16", "--limit", "orders=2"], 0),
        (
            vec![
                "check",
                "--prove",
                "tiled_no_load_barrier",
                "--size",
                "32",
                "--limit",
                "orders=2",
            ],
            1,
        ),
        (vec!["check", own[0], "--prove", "--order", "random"], 2),
        (vec!["check", "--prove", &syntax], 3),
        (vec!["bench", "none"], 2),
        (vec!["access", "tx"], 0),
        (vec!["access", "tx +"], 2),
        (vec!["check", "--against", "no such file"], 2),
        (vec!["export", "ladder"], 0),
        (vec!["export", "none"], 2),
        (vec!["course", "changes"], 0),
        (vec!["course", "changes", "none"], 2),
        (vec!["course", "dials", "--size", "64"], 1),
        (vec!["course", "dials", "--set", "none"], 2),
        (vec!["course", "gaps", "tiled", "--insert", ";", "--size", "16"], 0),
        (vec!["course", "gaps", "naive", "--insert", "return", "--size", "16"], 1),
        (vec!["course", "gaps", "--insert", ";"], 2),
        (vec!["course", "gaps", &syntax, "--insert", ";"], 3),
        (vec!["course", "check", &lesson, "--quick"], 1),
        (vec!["course", "grade", "E1", &syntax], 3),
        (vec!["course", "grade", "E99", &syntax], 2),
        (vec!["course", "check", "no such file"], 2),
        (vec!["check", "no such file"], 2),
        (vec!["bench"], 2),
        (vec!["export", "frame", "-o", &svg, "--size", "32"], 0),
        (vec!["export", "frame", "-o", "frame.gif"], 2),
        (vec!["learn", "--list", "--format", "text", "--no-progress"], 0),
        (vec!["learn", "99", "--no-progress"], 2),
        (vec!["learn", "--progress", "--json"], 0),
        (vec!["learn", "--reset", "none"], 2),
        (vec!["doctor"], 0),
        (vec!["generate", "completions", "bash"], 0),
        (vec!["generate", "completions", "none"], 2),
        (vec!["generate", "man"], 0),
        (vec!["generate", "man", "none"], 2),
        (vec!["generate", "schema"], 0),
        (vec!["generate", "schema", "none"], 2),
    ] {
        assert_eq!(code(&args), Some(expected), "{args:?}");
    }
}

#[test]
fn a_costly_access_fails_where_that_is_wanted() {
    let sim = |kernel: &str, classes: &[&str]| {
        let args = ["check", kernel, "--size", "64", "--tile", "16", "--json"];
        let classes = classes.iter().flat_map(|class| ["--fail-on", class]);
        let output = run(&args.into_iter().chain(classes).collect::<Vec<_>>());
        let outcome: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        (output.status.code(), outcome["fails"].to_string(), text(&output.stderr))
    };
    let nothing = (Some(0), "[]".to_owned(), String::new());
    let told = |class: &str| {
        (Some(1), format!("[\"{class}\"]"), format!("error: --fail-on {class}: it occurs\n"))
    };
    assert_eq!(sim("naive_rows", &[]), nothing);
    assert_eq!(sim("naive_rows", &["costly"]), told("costly"));
    assert_eq!(sim("naive_rows", &["uncoalesced,conflicts"]), told("uncoalesced"));
    assert_eq!(sim("naive", &["costly,uncertain"]), nothing);
    assert_eq!(sim("tiled_transposed", &["conflicts"]), told("conflicts"));
    assert_eq!(sim("tiled_transposed", &["uncoalesced"]), nothing);
    let (code, fails, _) = sim("tiled_no_load_barrier", &["costly"]);
    assert_eq!((code, fails.contains("findings")), (Some(1), true));
    assert!(bad_use(&["check", "naive", "--fail-on", "cost"]).contains("give one or"));
}

/// Whoever has only the binary gets the lessons' files from it.
#[test]
fn the_course_comes_out_of_the_program_and_works_there() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |args: &[&str]| matviz_in(folder.path(), args).output().expect("the binary runs");
    let made = run(&["course", "export", "lessons"]);
    assert!(made.status.success(), "{}", text(&made.stderr));
    for name in ["12-padding.md", "CUDA.md", "mistakes.cu", "kernels/dials.cu", "models.md"] {
        let copy = fs::read_to_string(folder.path().join("lessons").join(name)).expect(name);
        assert_eq!(copy, fs::read_to_string(Path::new("lessons").join(name)).expect(name));
    }
    let again = run(&["course", "export", "lessons"]);
    assert_eq!(again.status.code(), Some(2));
    assert!(text(&again.stderr).contains("are there already"), "{}", text(&again.stderr));
    let sim = ["check", "lessons/mistakes.ptx", "--launch", "turns_a_tile"];
    let sim = run(&[&sim[..], &["--launch", "<<<,32x32>>>", "--size", "64"]].concat());
    assert!(text(&sim.stdout).contains("line 33: a store of shared memory"));
    let dials = run(&["course", "dials", "lessons/kernels/dials.cu", "--size", "64"]);
    assert_eq!(text(&dials.stdout), text(&run(&["course", "dials", "--size", "64"]).stdout));
    let listed =
        run(&["learn", "--list", "--format", "text", "--no-progress", "--from", "lessons"]);
    assert!(text(&listed.stdout).contains("18 lessons"), "{}", text(&listed.stdout));
    let check = run(&["course", "check", "lessons/12-padding.md", "--quick"]);
    assert_eq!(check.status.code(), Some(0), "{}", text(&check.stdout));
}
