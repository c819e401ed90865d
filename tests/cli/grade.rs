//! `matviz course grade` and `matviz learn E1`: submissions of a class, as a shell sees them.

use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const SOLUTION: &str = "__global__ void matmul(const float* A, const float* B, float* C, int M, int N, int K)\n\
    {\n    int row = blockIdx.y * 16 + threadIdx.y;\n    int col = blockIdx.x * 16 + threadIdx.x;\n    \
    if (row >= M || col >= N) return;\n    float sum = 0.0f;\n    \
    for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];\n    C[row * N + col] = sum;\n}\n";

fn run(folder: &Path, line: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_matviz"));
    command.args(line.split_whitespace()).current_dir(folder).env("HOME", folder);
    command.stdin(Stdio::null()).output().expect("the binary runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn json(folder: &Path, line: &str) -> Value {
    let output = run(folder, line);
    let told = text(&output.stderr);
    serde_json::from_slice(&output.stdout).expect(&told)
}

/// A class: two that are right, one that is slow, one that does not compile, and what is no text.
fn class(folder: &Path) {
    let all = folder.join("all");
    fs::create_dir_all(all.join("dora")).expect("a folder");
    let write = |name: &str, text: &str| fs::write(all.join(name), text).expect("written");
    write("anna.cu", SOLUTION);
    let swapped = SOLUTION.replace(".y", ".?").replace(".x", ".y").replace(".?", ".x");
    write(
        "bert.cu",
        &swapped.replace("blockIdx.x * 16 + threadIdx.x", "blockIdx.y * 16 + threadIdx.x"),
    );
    write("carl.cu", "int x\n");
    write("dora/E1.cu", SOLUTION);
    write("readme.txt", "no submission");
    fs::write(all.join("emil.cu"), [0xff, 0xfe, 0]).expect("written");
    fs::create_dir(all.join("none")).expect("a folder");
}

#[test]
fn a_class_is_graded_in_every_form() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    class(at);
    fs::write(at.join("key"), "secret\n").expect("written");
    let line = "course grade E1 all --key key";
    let output = run(at, line);
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("anna.cu   16 of 16\n"), "{said}");
    assert!(said.contains("carl.cu    0 of 16  fails compiles first\n"), "{said}");
    assert!(said.ends_with("6 submissions to E1-coalesce, 2 with all points\n"), "{said}");
    assert_eq!(said, text(&run(at, line).stdout), "two runs are equal");
    let csv = text(&run(at, &format!("{line} --format csv")).stdout);
    let rows: Vec<_> = csv.lines().map(|row| row.split(',').count()).collect();
    assert_eq!(rows, [rows[0]; 7], "{csv}");
    let told = json(at, &format!("{line} --json"));
    let grades = told["grades"].as_array().expect("grades");
    assert_eq!((grades.len(), &grades[3]["points"]), (6, &16.into()));
    let junit = text(&run(at, &format!("{line} --format junit")).stdout);
    assert_eq!(junit.matches("<testsuite ").count(), 6, "{junit}");
    assert_eq!(junit.matches("<testcase ").count(), 6 * 10);
    assert_eq!(junit.matches("<failure ").count(), junit.matches("</testcase>").count());
}

#[test]
fn gradescope_gets_its_results_also_of_what_cannot_be_judged() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    class(at);
    let results = |file: &str, code: i32| {
        let line = format!("course grade E1 all/{file} --format gradescope -o results.json");
        let output = run(at, &line);
        assert_eq!(output.status.code(), Some(code), "{}", text(&output.stderr));
        let bytes = fs::read(at.join("results.json")).expect("it is written");
        serde_json::from_slice::<Value>(&bytes).expect("JSON")
    };
    let fits = |results: &Value| {
        let tests = results["tests"].as_array().expect("tests");
        let sum: i64 = tests.iter().map(|test| test["score"].as_i64().expect("a score")).sum();
        assert_eq!(results["score"].as_i64(), Some(sum));
        let hidden = |test: &&Value| test["visibility"] == "after_due_date";
        assert_eq!(tests.iter().filter(hidden).count(), 3);
        let below = |test: &Value| test["score"].as_i64() <= test["max_score"].as_i64();
        assert!(tests.iter().all(below));
        sum
    };
    assert_eq!(fits(&results("anna.cu", 0)), 16);
    assert_eq!(fits(&results("carl.cu", 3)), 0);
    assert_eq!(fits(&results("emil.cu", 1)), 0);
    let several = run(at, "course grade E1 all/anna.cu all/bert.cu --format gradescope");
    assert_eq!(several.status.code(), Some(2));
}

#[test]
fn what_is_wrong_with_the_command_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    for (line, told) in [
        ("course grade E1 .", "there is no submission"),
        ("course grade E1 none.cu", "there is no none.cu"),
        ("course grade E77 .", "there is no exercise `E77`: give E1, "),
        ("course grade E1 . --key none", "reading none"),
    ] {
        let output = run(folder.path(), line);
        assert_eq!(output.status.code(), Some(2), "{line}");
        assert!(text(&output.stderr).contains(told), "{line}: {}", text(&output.stderr));
    }
}

#[test]
fn a_submission_that_is_no_file_or_too_large_costs_nobody_else_anything() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let all = at.join("all");
    fs::create_dir(&all).expect("a folder");
    fs::write(all.join("right.cu"), SOLUTION).expect("written");
    fs::write(all.join("large.cu"), "// x\n".repeat(1 << 20)).expect("written");
    fs::write(all.join("deep.cu"), format!("int a = {};\n", "-(".repeat(60_000))).expect("written");
    fs::write(all.join("empty.cu"), "").expect("written");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("/dev/zero", all.join("endless.cu")).expect("a link");
        let made = Command::new("mkfifo").arg(all.join("pipe.cu")).status().expect("it runs");
        assert!(made.success());
    }
    let told = json(at, "course grade E1 all --json");
    let grades = told["grades"].as_array().expect("grades");
    for grade in grades {
        let points = if grade["file"] == "right.cu" { 16 } else { 0 };
        assert_eq!(grade["points"], points, "{grade}");
    }
    assert_eq!(grades.len(), if cfg!(unix) { 6 } else { 4 });
}

#[test]
fn an_exercise_is_read_from_a_teachers_folder_and_told_as_text() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let said = text(&run(at, "learn E3 --format text").stdout);
    assert!(said.starts_with("E3: From naive to tiled\n\n"), "{said}");
    assert!(said.contains("Judged in this order:\n  it compiles"), "{said}");
    assert!(!at.join("E3.cu").exists(), "text writes no file");
    run(at, "course export mine");
    fs::write(at.join("E1.cu"), SOLUTION).expect("written");
    let graded = run(at, "course grade mine/exercises/E1-coalesce E1.cu");
    assert_eq!(graded.status.code(), Some(0), "{}", text(&graded.stderr));
    let rubric = at.join("mine/exercises/E1-coalesce/rubric.toml");
    let spoilt = fs::read_to_string(&rubric).expect("exported").replace("<= 42000", "<= 200000");
    fs::write(rubric, spoilt).expect("written");
    let checked = run(at, "course check mine/exercises/E1-coalesce");
    let said = text(&checked.stdout);
    assert_eq!(checked.status.code(), Some(1), "{said}");
    assert!(said.contains("error[L40]: no wrong try fails goal `loads` first"), "{said}");
}

#[cfg(unix)]
#[test]
fn gradescope_runs_the_grader_in_a_folder_of_its_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    fs::write(at.join("key"), "secret\n").expect("written");
    let made = run(at, "course new gradescope autograder/source E1 --key key");
    assert!(made.status.success(), "{}", text(&made.stderr));
    let grader = at.join("autograder");
    fs::create_dir(grader.join("results")).expect("a folder");
    let results = |files: &[(&str, &str)]| {
        let submission = grader.join("submission");
        let _ = fs::remove_dir_all(&submission);
        fs::create_dir(&submission).expect("a folder");
        for (name, text) in files {
            fs::write(submission.join(name), text).expect("written");
        }
        let mut script = Command::new(grader.join("source/run_autograder"));
        let done = script.env("AUTOGRADER", &grader).output().expect("it runs");
        assert!(done.status.success(), "{}", text(&done.stderr));
        let bytes = fs::read(grader.join("results/results.json")).expect("it is written");
        let told: Value = serde_json::from_slice(&bytes).expect("JSON");
        told["score"].as_i64().expect("a score")
    };
    assert_eq!(results(&[("mine.cu", SOLUTION), ("notes.txt", "mine")]), 16);
    assert_eq!(results(&[("mine.cu", "__global__ void matmul(float* A) { for (;;) ; }")]), 0);
    assert_eq!(results(&[("a.cu", SOLUTION), ("b.cu", SOLUTION)]), 0);
    assert_eq!(results(&[]), 0);
    fs::remove_file(grader.join("source/matviz")).expect("removed");
    assert_eq!(results(&[("mine.cu", SOLUTION)]), 0, "the grader itself is broken");
}

#[test]
fn what_is_begun_holds_and_nothing_is_replaced() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    for (new, check) in [
        ("course new exercise T1-sum", "course check T1-sum"),
        ("course new lesson 1-mine.md", "course check 1-mine.md"),
    ] {
        let made = run(at, new);
        assert!(made.status.success(), "{}", text(&made.stderr));
        let checked = run(at, check);
        let said = text(&checked.stdout);
        assert!(checked.status.success() && said.contains("0 errors, 0 warnings"), "{said}");
        assert_eq!(run(at, new).status.code(), Some(2), "{new}");
    }
    let task = text(&run(at, "learn T1-sum --format text").stdout);
    assert!(task.starts_with("T1: "), "{task}");
    run(at, "course new classroom repository T1-sum");
    let workflow = at.join("repository/.github/workflows/classroom.yml");
    let workflow = fs::read_to_string(workflow).expect("it is written");
    assert!(workflow.contains("grade .github/matviz/T1-sum T1.cu --key"), "{workflow}");
    for wrong in [
        "new gradescope grader",
        "new lesson 2-x.md E1",
        "new exercise my_sum",
        "new gradescope grader E99",
    ] {
        assert_eq!(run(at, &format!("course {wrong}")).status.code(), Some(2), "{wrong}");
    }
}

#[test]
fn a_class_is_added_up_from_what_is_handed_in() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    fs::create_dir(at.join("all")).expect("a folder");
    let kept = |stopped: &str| {
        format!(
            "{{\"format\": 1, \"seed\": 3, \"exercises\": {{\"E1\": {{}}}}, \"lessons\": {{\"sectors\": \
             {{\"page\": 1, \"asks\": {{\"sectors-of-a\": {{\"first\": \"wrong\", \"model\": \"own-fetch\", \
             \"typed\": \"32\", \"tries\": 2, \"last\": \"right\"}}}}}}}}, \"ideas\": {{\"own-fetch\": \
             {{\"times\": 1, \"first\": \"2026-11-22\", \"last\": \"2026-11-22\"{stopped}}}}}}}"
        )
    };
    fs::write(at.join("all/anna.json"), kept(", \"stopped\": \"2026-11-28\"")).expect("written");
    fs::write(at.join("all/bert.json"), kept("")).expect("written");
    let said = text(&run(at, "course class all").stdout);
    for line in ["| anna | 0 | 1 | 1 | 1 | 0 |", "| 2 of 2 | 1 | 2026-11-22 |", "| 0 of 2 |"] {
        assert!(said.contains(line), "{line}: {said}");
    }
    let csv = text(&run(at, "course class all --format csv").stdout);
    assert!(csv.contains("\nbert,0,1,1,1,1,0,0\n"), "{csv}");
    fs::write(at.join("all/carl.json"), "{}").expect("written");
    assert_eq!(run(at, "course class all").status.code(), Some(2));
}
