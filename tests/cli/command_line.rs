//! The command line as its users know it: help, completions, names, standard input, where a result goes,
//! exit codes.

use crate::stderr;
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

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

/// What a command prints, which must succeed without a word on stderr.
fn prints(args: &[&str]) -> String {
    let output = run(args);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), String::new()), "{args:?}");
    text(&output.stdout)
}

/// The error of bad use, which prints nothing on stdout.
fn bad_use(args: &[&str]) -> String {
    let output = run(args);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{args:?}");
    text(&output.stderr)
}

/// Every command but `help`, as `matviz --help` lists them.
fn commands() -> Vec<String> {
    let help = prints(&["--help"]);
    let (_, list) = help.split_once("Commands:\n").expect("a list");
    let list = list.split("\n\n").next().expect("a first part");
    let name = |line: &str| line.split_whitespace().next().map(str::to_owned);
    let names: Vec<_> = list.lines().filter_map(name).filter(|name| name != "help").collect();
    assert!(names.len() > 20, "{names:?}");
    names
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
    assert_eq!(options, ["tile", "size", "kernel", "plain", "cuda"], "{help}");
}

#[test]
fn a_mistyped_name_is_met_with_the_one_that_was_meant() {
    for (args, meant) in [
        (&["sim", "--kernel", "tild"][..], "did you mean `tiled`?"),
        (&["tild"], "did you mean `--kernel tiled`?"),
        (&["tiled"], "did you mean `--kernel tiled`?"),
        (&["simm"], "a similar subcommand exists: 'sim'"),
        (&["sim", "tild"], "did you mean `tiled`?"),
        (&["--kernel", "naiv"], "did you mean `naive`?"),
        (&["bench", "--kernel", "tiled,segmm"], "did you mean `sgemm`?"),
        (&["gaps", "tild", "--insert", ";"], "did you mean `tiled`?"),
        (&["sim", "--kernel", "tiled", "--order", "by-fase"], "did you mean `by-phase`?"),
        (&["sim", "--kernel", "blocked_2d", "--tile", "128x128x15"], "did you mean `128x128x16`?"),
        (&["picture", "rooflin"], "did you mean `roofline`?"),
        (&["picture", "ladder", "--kernel", "sgem"], "did you mean `sgemm`?"),
        (&["changes", "no-load-barier"], "did you mean `no-load-barrier`?"),
        (&["dials", "--set", "EGDE=zeros"], "did you mean `EDGE`?"),
        (&["lesson", "paddin", "--no-progress"], "did you mean `padding`?"),
        (&["--theme", "drak"], "did you mean `dark`?"),
        (&["--color", "alway"], "did you mean `always`?"),
        (&["schema", "rase"], "did you mean `race`?"),
        (&["man", "similar"], "there is no command `similar`"),
        (
            &[
                "sim",
                "--ptx",
                "lessons/mistakes.ptx",
                "--block",
                "16",
                "--entry",
                "forgets_a_barier",
            ],
            "did you mean `forgets_a_barrier`?",
        ),
        (&["sim", "--sice", "64"], "a similar argument exists: '--size'"),
        (&["benhc"], "a similar subcommand exists: 'bench'"),
    ] {
        let told = bad_use(args);
        assert!(told.contains(meant), "{args:?}: {told}");
    }
    assert!(!bad_use(&["sim", "--kernel", "fastest"]).contains("did you mean"));
}

/// The kernel by --kernel, sizes by --size: the ways of earlier versions say the same.
#[test]
fn the_earlier_ways_to_name_kernels_and_sizes_still_work() {
    let same = |now: &[&str], before: &[&str]| {
        let run = |args: &[&str]| {
            let output = run(args);
            // The time that it took.
            let shown = text(&output.stdout);
            let shown: Vec<_> = shown.lines().filter(|line| !line.contains(" s, ")).collect();
            (output.status.code(), shown.join("\n"), text(&output.stderr))
        };
        assert_eq!(run(now), run(before), "{before:?}");
    };
    let small = ["--size", "32", "--tile", "8"];
    let with = |start: &[&'static str]| [start, &small[..]].concat();
    same(&with(&["sim", "--kernel", "tiled"]), &with(&["sim", "tiled"]));
    same(
        &["sim", "--kernel", "naive", "--size", "20x12x8"],
        &["sim", "naive", "--size", "20,12,8"],
    );
    same(&with(&["trace", "--kernel", "tiled", "C[5][7]"]), &with(&["trace", "tiled", "C[5][7]"]));
    same(
        &["race", "--kernel", "tiled", "--size", "16", "--random", "2"],
        &["race", "tiled", "--size", "16", "--random", "2"],
    );
    let insert = ["--change", "no-compute-barrier", "--insert", "__syncthreads();"];
    let gaps = |kernel: &[&'static str]| [&["gaps"], kernel, &insert[..]].concat();
    same(&gaps(&["--kernel", "tiled", "--size", "64"]), &gaps(&["tiled", "--sizes", "64"]));
    same(&["dials", "--size", "64,60x52x84"], &["dials", "--sizes", "64", "60,52,84"]);
    // Without a GPU both say so; with one, both measure, and the times differ.
    let bench = ["--time-limit", "x"];
    let told = |args: &[&str]| bad_use(&[args, &bench[..]].concat());
    assert_eq!(
        told(&["bench", "--kernel", "naive", "--size", "64,128"]),
        told(&["bench", "--kernels", "naive", "--sizes", "64,128"])
    );
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
    let launch = ["--entry", "forgets_a_barrier", "--block", "16,16", "--size", "64"];
    let output = piped(&[&["sim", "--ptx", "-"], &launch[..]].concat(), &ptx);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("race: "), "{}", text(&output.stdout));

    let source = fs::read("tests/data/kernel/host/whole.cu").expect("it is there");
    let output = piped(&["sim", "--cuda", "-", "--size", "32"], &source);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("C is right"));
    let output = piped(&["sim", "--cuda", "-", "--size", "32"], b"__global__ void f( {");
    assert_eq!(output.status.code(), Some(3));
    let told = text(&output.stderr);
    assert!(told.contains("<stdin>:1:"), "{told}");

    let report = fs::read("tests/data/report/nsight_compute/h200_raw.csv").expect("it is there");
    let output = piped(&["reconcile", "-", "--size", "7"], &report);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("give the size of that launch"));
    let output = piped(&["reconcile", "-"], b"no report\n");
    assert!(text(&output.stderr).contains("<stdin>: "), "{}", text(&output.stderr));

    let lesson = fs::read("tests/data/lesson/01-padding.md").expect("it is there");
    let broken = text(&lesson).replacen("minutes", "minuets", 1);
    let output = piped(&["check", "--quick", "-"], broken.as_bytes());
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("<stdin>:"), "{}", text(&output.stdout));

    let dials = fs::read("lessons/kernels/dials.cu").expect("it is there");
    let output = piped(&["dials", "-", "--size", "64"], &dials);
    assert_eq!(text(&output.stdout), text(&run(&["dials", "--size", "64"]).stdout));
}

#[test]
fn a_result_is_written_to_a_file_whole_or_not_at_all() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("result");
    let path = file.to_str().expect("UTF-8");
    for command in [
        &["access", "tx"][..],
        &["lessons", "--plain", "--no-progress"],
        &["--plain", "--size", "16", "--tile", "8"],
        &["changes"],
        &["picture", "ladder"],
        &["completions", "zsh"],
        &["man", "sim"],
        &["version", "--json"],
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
    bad_use(&["sim", "--ptx", "no such file", "-o", path]);
    assert_eq!(fs::read_to_string(&file).expect("there"), "before");
    // A kernel that is wrong has a result.
    let racy = ["sim", "--kernel", "tiled_no_load_barrier", "--size", "32", "-o", path];
    assert_eq!(run(&racy).status.code(), Some(1));
    assert!(fs::read_to_string(&file).expect("there").contains("\nrace: "));
    // Nothing is computed for a file that cannot be written.
    let told = bad_use(&["sim", "--kernel", "tiled", "-o", "no such folder/x"]);
    assert!(told.contains("there is no folder"), "{told}");
    let told = bad_use(&["-o", path]);
    assert!(told.contains("shows a screen"), "{told}");
}

#[test]
fn a_run_is_drawn_as_a_picture_that_moves_and_as_a_recording() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name).display().to_string();
    let steps = ["--size", "32", "--from", "40", "--to", "70"];
    prints(&[&["export", &at("run.svg")][..], &steps].concat());
    prints(&[&["export", &at("run.cast")][..], &steps].concat());
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
    assert!(
        marks.contains(&"It stores them into shared memory, where all 256 threads can load them.")
    );
    prints(&["export", &at("run.json"), "--size", "32"]);
    let timeline: serde_json::Value = serde_json::from_str(&read("run.json")).expect("JSON");
    assert!(timeline["traceEvents"].as_array().is_some_and(|events| events.len() > 1000));
    let wrong = |args: &[&str]| bad_use(&[&["export"][..], args].concat());
    assert!(wrong(&["a.svg", "--from", "9", "--to", "3"]).contains("the end is before the start"));
    assert!(wrong(&["a.txt", "--to", "3"]).contains("for pictures that move"));
    assert!(wrong(&["a.svg", "--to", "3", "--step", "2"]).contains("--step shows one frame"));
    assert!(wrong(&["a.cast", "--size", "16", "--from", "999999"]).contains("the block's run has"));
}

#[test]
fn a_picture_is_drawn_into_the_file_that_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name).display().to_string();
    prints(&["export", "--size", "32", "-o", &at("a.svg")]);
    prints(&["export", "--size", "32", &at("b.svg")]);
    let read = |name: &str| fs::read_to_string(at(name)).expect("drawn");
    assert!(read("a.svg").starts_with("<svg"));
    assert_eq!(read("a.svg"), read("b.svg"));
    prints(&["picture", "ladder", "-o", &at("c.svg")]);
    prints(&["picture", "ladder", "--svg", &at("d.svg")]);
    assert_eq!(read("c.svg"), read("d.svg"));
    assert!(bad_use(&["export", "--size", "32"]).contains("give a file"));
    assert!(bad_use(&["export", &at("a.svg"), "-o", &at("b.svg")]).contains("not two"));
}

#[test]
fn a_quiet_command_says_nothing_but_errors() {
    let own = ["sim", "--ptx", "lessons/mistakes.ptx", "--entry", "forgets_a_barrier"];
    let own = [&own[..], &["--block", "16,16", "--size", "32"]].concat();
    let (loud, quiet) = (run(&own), run(&[&own[..], &["-q"]].concat()));
    assert!(text(&loud.stderr).contains("matviz: assuming --grid"), "{}", text(&loud.stderr));
    assert_eq!((text(&quiet.stderr), quiet.status.code()), (String::new(), loud.status.code()));
    assert!(bad_use(&["-q", "sim", "--ptx", "no such file"]).contains("no such file"));
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
        prints(&["export", &file, "--size", "32", "--color", depth]);
        fs::read_to_string(file).expect("drawn")
    };
    let all = ["true", "256", "16", "never"].map(drawn);
    assert!((1..all.len()).all(|index| all[index] != all[index - 1]));
}

#[test]
fn options_of_the_screen_stand_before_no_command() {
    let told = bad_use(&["--size", "64", "sim", "--kernel", "tiled"]);
    assert!(told.contains("'sim' cannot be used with '--size <SIZE>' before it"), "{told}");
    assert!(prints(&["--color", "never", "-q", "access", "tx"]).contains("8 passes"));
}

#[test]
fn the_version_says_what_the_program_was_built_of() {
    let number = env!("CARGO_PKG_VERSION");
    assert_eq!(prints(&["-V"]), format!("matviz {number}\n"));
    let long = prints(&["--version"]);
    assert_eq!(prints(&["version"]), long);
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
        at("syntax.cu", "// launch: --block 16,16\n__global__ void f(float* C) { C[0] = ; }\n");
    let lesson = at("1-wrong.md", "# T\n```matviz lesson\nid = \"t\"\nminuets = 1\n```\n");
    let svg = folder.path().join("frame.svg").display().to_string();
    for (args, expected) in [
        (with(&["--plain"]), 0),
        (with(&["--plain", "--kernel", "tiled_no_load_barrier"]), 1),
        (vec!["--plain", "--kernel", "none"], 2),
        (vec!["--plain", "--cuda", &syntax], 3),
        (with(&["sim", "--kernel", "tiled"]), 0),
        (with(&["sim", "--kernel", "tiled_no_load_barrier"]), 1),
        (vec!["sim"], 2),
        (vec!["sim", "--cuda", &syntax], 3),
        (with(&["trace", "--kernel", "tiled", "C[0][0]"]), 0),
        (with(&["trace", "--kernel", "tiled", "C[99][0]"]), 2),
        (vec!["trace", "--cuda", &syntax, "C[0][0]"], 3),
        (vec!["race", "--kernel", "tiled", "--size", "16", "--random", "2"], 0),
        (vec!["race", "--kernel", "tiled_no_load_barrier", "--size", "32", "--random", "2"], 1),
        (vec!["race", "--cuda", own[0], "--order", "random"], 2),
        (vec!["race", "--cuda", &syntax], 3),
        (vec!["bench", "--kernel", "none"], 2),
        (vec!["access", "tx"], 0),
        (vec!["access", "tx +"], 2),
        (vec!["reconcile", "no such file"], 2),
        (vec!["picture", "ladder"], 0),
        (vec!["picture", "none"], 2),
        (vec!["changes"], 0),
        (vec!["changes", "none"], 2),
        (vec!["dials", "--size", "64"], 1),
        (vec!["dials", "--set", "none"], 2),
        (vec!["gaps", "--kernel", "tiled", "--insert", ";", "--size", "16"], 0),
        (vec!["gaps", "--kernel", "naive", "--insert", "return", "--size", "16"], 1),
        (vec!["gaps", "--insert", ";"], 2),
        (vec!["gaps", "--cuda", &syntax, "--insert", ";"], 3),
        (vec!["check", &lesson, "--quick"], 1),
        (vec!["check", "no such file"], 2),
        (vec!["edit", &syntax, "--plain"], 3),
        (vec!["edit", "no such file", "--plain"], 2),
        (vec!["export", &svg, "--size", "32"], 0),
        (vec!["export", "frame.gif"], 2),
        (vec!["lessons", "--plain", "--no-progress"], 0),
        (vec!["lesson", "99", "--no-progress"], 2),
        (vec!["progress", "--json"], 0),
        (vec!["progress", "--reset", "none"], 2),
        (vec!["doctor"], 0),
        (vec!["version"], 0),
        (vec!["completions", "bash"], 0),
        (vec!["completions", "none"], 2),
        (vec!["man"], 0),
        (vec!["man", "none"], 2),
        (vec!["schema"], 0),
        (vec!["schema", "none"], 2),
    ] {
        assert_eq!(code(&args), Some(expected), "{args:?}");
    }
}

#[test]
fn a_costly_access_fails_where_that_is_wanted() {
    let sim = |kernel: &str, classes: &[&str]| {
        let args = ["sim", "--kernel", kernel, "--size", "64", "--tile", "16", "--json"];
        let classes = classes.iter().flat_map(|class| ["--fail-on", class]);
        let output = run(&args.into_iter().chain(classes).collect::<Vec<_>>());
        let outcome: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        (output.status.code(), outcome["fails"].to_string(), text(&output.stderr))
    };
    let nothing = (Some(0), "[]".to_owned(), String::new());
    let told = |class: &str| {
        (Some(1), format!("[\"{class}\"]"), format!("matviz: --fail-on {class}: it occurs\n"))
    };
    assert_eq!(sim("naive_rows", &[]), nothing);
    assert_eq!(sim("naive_rows", &["costly"]), told("costly"));
    assert_eq!(sim("naive_rows", &["uncoalesced,conflicts"]), told("uncoalesced"));
    assert_eq!(sim("naive", &["costly,uncertain"]), nothing);
    assert_eq!(sim("tiled_transposed", &["conflicts"]), told("conflicts"));
    assert_eq!(sim("tiled_transposed", &["uncoalesced"]), nothing);
    let (code, fails, _) = sim("tiled_no_load_barrier", &["costly"]);
    assert_eq!((code, fails.contains("findings")), (Some(1), true));
    assert!(bad_use(&["sim", "--kernel", "naive", "--fail-on", "cost"]).contains("give one or"));
}

/// Whoever has only the binary gets the lessons' files from it.
#[test]
fn the_course_comes_out_of_the_program_and_works_there() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |args: &[&str]| matviz_in(folder.path(), args).output().expect("the binary runs");
    let made = run(&["lessons", "--export", "lessons"]);
    assert!(made.status.success(), "{}", text(&made.stderr));
    for name in ["12-padding.md", "CUDA.md", "mistakes.cu", "kernels/dials.cu", "models.md"] {
        let copy = fs::read_to_string(folder.path().join("lessons").join(name)).expect(name);
        assert_eq!(copy, fs::read_to_string(Path::new("lessons").join(name)).expect(name));
    }
    let again = run(&["lessons", "--export", "lessons"]);
    assert_eq!(again.status.code(), Some(2));
    assert!(text(&again.stderr).contains("are there already"), "{}", text(&again.stderr));
    let sim = ["sim", "--ptx", "lessons/mistakes.ptx", "--entry", "turns_a_tile"];
    let sim = run(&[&sim[..], &["--block", "32,32", "--size", "64"]].concat());
    assert!(text(&sim.stdout).contains("line 33: a store of shared memory"));
    let dials = run(&["dials", "lessons/kernels/dials.cu", "--size", "64"]);
    assert_eq!(text(&dials.stdout), text(&run(&["dials", "--size", "64"]).stdout));
    let listed = run(&["lessons", "--plain", "--no-progress", "--from", "lessons"]);
    assert!(text(&listed.stdout).contains("11 lessons"), "{}", text(&listed.stdout));
    let check = run(&["check", "lessons/12-padding.md", "--quick"]);
    assert_eq!(check.status.code(), Some(0), "{}", text(&check.stdout));
}

#[test]
fn completions_offer_commands_options_and_the_names_of_values() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = prints(&["completions", shell]);
        for word in ["reconcile", "fail-on", "no-progress"] {
            assert!(script.contains(word), "{shell}: no {word}");
        }
        assert!(!script.contains("worker"), "{shell} offers a hidden command");
        // The other shells' scripts have no values.
        if ["bash", "zsh", "fish"].contains(&shell) {
            for word in ["double_buffered", "128x128x16", "early-copies", "uncoalesced", "stage"] {
                assert!(script.contains(word), "{shell}: no {word}");
            }
        }
    }
}

/// What bash and fish offer at the Tab key, by their own account.
#[test]
fn shells_that_are_here_offer_what_is_typed_in_part() {
    let folder = tempfile::tempdir().expect("a folder");
    let bash = "source ./script; COMP_WORDS=($LINE); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); \
                _matviz matviz ${COMP_WORDS[COMP_CWORD]} ${COMP_WORDS[COMP_CWORD - 1]}; \
                printf '%s\\n' ${COMPREPLY[@]}";
    let fish = "source ./script; complete -C \"$LINE\" | cut -f1";
    for (shell, ask) in [("bash", bash), ("fish", fish)] {
        fs::write(folder.path().join("script"), prints(&["completions", shell])).expect("written");
        for (line, offered) in [
            ("matviz sch", "schema"),
            ("matviz edit --clu", "--cluster"),
            ("matviz sim --kernel doub", "double_buffered"),
            ("matviz --theme st", "stage"),
            ("matviz picture roof", "roofline"),
        ] {
            let mut command = Command::new(shell);
            command.args(["-c", ask]).env("LINE", line).env("HOME", folder.path());
            let Ok(output) = command.current_dir(folder.path()).output() else {
                stderr::say(&format!("NOT TESTED for want of {shell}: its completions"));
                break;
            };
            assert_eq!(text(&output.stdout).trim_end(), offered, "{shell}: {line}");
        }
    }
}

#[test]
fn every_command_has_a_page_of_the_manual() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().display().to_string();
    prints(&["man", "--dir", &path]);
    for name in commands().iter().map(String::as_str).chain([""]) {
        let file = if name.is_empty() { "matviz.1".to_owned() } else { format!("matviz-{name}.1") };
        let page = fs::read_to_string(folder.path().join(&file)).expect(&file);
        for part in [".TH ", ".SH NAME", ".SH EXAMPLES", ".SH \"EXIT STATUS\"", ".SH ENVIRONMENT"] {
            assert!(page.contains(part), "{file}: no {part}\n{page}");
        }
        let args: Vec<_> = ["man"].into_iter().chain(name.split_whitespace()).collect();
        assert_eq!(prints(&args), page, "{file}");
    }
    assert!(bad_use(&["man", "--dir", "no such folder"]).contains("there is no folder"));
}

/// PowerShell is on few machines that test this, so its script is read: a string that is not closed, or
/// a brace, would break the whole profile that loads it.
#[test]
fn the_script_of_powershell_is_closed_and_has_every_command_and_option() {
    let script = prints(&["completions", "powershell"]);
    let (mut depth, mut longest) = (0_i32, 0);
    for line in script.lines() {
        // In a single-quoted string, '' stands for a quote.
        let parts: Vec<_> = line.split('\'').collect();
        assert_eq!(parts.len() % 2, 1, "a string is not closed: {line}");
        let code: String = parts.into_iter().step_by(2).collect();
        depth += code.matches('{').count() as i32 - code.matches('}').count() as i32;
        assert!(depth >= 0, "{line}");
        longest = longest.max(depth);
    }
    assert_eq!((depth, longest > 2), (0, true));
    for name in commands() {
        let (_, rest) = script.split_once(&format!("'matviz;{name}' {{")).expect(&name);
        let block = rest.split("\n            break").next().expect("a first part");
        let help = prints(&[&name, "--help"]);
        let options = help.lines().filter_map(|line| line.trim_start().split([' ', ',']).next());
        for option in options.filter(|word| word.starts_with("--") && word.len() > 2) {
            assert!(block.contains(&format!("::new('{option}', ")), "{name} {option}");
        }
    }
}
