//! `matviz access` as a user runs it: arguments, pipes, exit codes.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Output, Stdio};

const DATA: &str = "tests/data/analysis/h200_access_patterns.jsonl";

fn access(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_matviz"));
    command.arg("access").args(args).env("LC_ALL", "C").env_remove("NO_COLOR");
    command
}

fn run(args: &[&str]) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } = access(args).output().expect("matviz starts");
    let text = |bytes| String::from_utf8(bytes).expect("matviz prints UTF-8");
    (status.code(), text(stdout), text(stderr))
}

/// The output for this stdin.
fn batch(input: &str) -> Output {
    let mut child = access(&["--batch", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("matviz starts");
    let mut stdin = child.stdin.take().expect("stdin is a pipe");
    stdin.write_all(input.as_bytes()).expect("matviz reads");
    drop(stdin);
    child.wait_with_output().expect("matviz ends")
}

#[test]
fn a_batch_has_one_answer_a_line_in_order() {
    let (code, out, err) = run(&["--batch", DATA]);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    let data = std::fs::read_to_string(DATA).unwrap();
    assert_eq!(out.lines().count(), data.lines().count());
    for (answer, question) in out.lines().zip(data.lines()) {
        let mut answer: serde_json::Value = serde_json::from_str(answer).unwrap();
        let format = answer.as_object_mut().unwrap().remove("format");
        assert_eq!(format, Some(1.into()));
        let question: serde_json::Value = serde_json::from_str(question).unwrap();
        for (name, value) in answer.as_object().unwrap() {
            assert_eq!(value, &question[name], "{name} of {question}");
        }
        assert_eq!(answer.as_object().unwrap().len(), 2);
    }
}

#[test]
fn a_malformed_line_is_named_after_the_answers_before_it() {
    let data = std::fs::read_to_string(DATA).unwrap();
    let first = data.lines().next().unwrap();
    let output = batch(&format!("{first}\n\n{{\"space\": 3}}\n{first}\n"));
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(String::from_utf8_lossy(&output.stdout).lines().count(), 1);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(error.starts_with("error: <stdin>, line 3: "), "{error}");
    assert_eq!(error.lines().count(), 1);
}

#[test]
fn an_empty_batch_is_fine() {
    let output = batch("");
    assert_eq!((output.status.code(), output.stdout.len()), (Some(0), 0));
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    // More answers than a pipe's buffer holds, so that matviz is still writing when the reader
    // exits.
    let mut questions = tempfile::NamedTempFile::new().unwrap();
    let data = std::fs::read_to_string(DATA).unwrap();
    questions.write_all(data.repeat(20).as_bytes()).unwrap();
    let mut child = access(&["--batch", questions.path().to_str().expect("a plain path")])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("matviz starts");
    let mut line = String::new();
    let mut reader = BufReader::with_capacity(16, child.stdout.take().expect("stdout is a pipe"));
    reader.read_line(&mut line).unwrap();
    drop(reader);
    let output = child.wait_with_output().expect("matviz ends");
    assert!(line.starts_with("{\"format\":1,\"wavefronts\""), "{line}");
    assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0));
}

#[test]
fn an_expression_becomes_a_picture_without_colours_in_a_pipe() {
    let (code, out, _) = run(&["--block", "32x8", "tx*32 + ty"]);
    assert_eq!(code, Some(0), "a calculator's answer is no error");
    assert!(out.contains("!! 32-way bank conflict: 32 passes instead of 1\n"), "{out}");
    assert!(out.is_ascii() && !out.contains('\x1b'), "{out}");
    assert_eq!(out.lines().last(), Some("8 warps: 256 passes, of which 248 by bank conflicts"));
}

#[test]
fn an_expression_may_start_with_a_minus() {
    let (code, out, _) = run(&["--op", "ld.global", "-tx + 31"]);
    assert_eq!(code, Some(0));
    assert!(out.contains("ok 4 sectors: 128 B fetched, all of it used"), "{out}");
}

#[test]
fn one_warp_and_another_block_can_be_chosen() {
    let args = ["--op=ld.global", "--block=16x4", "--at=2,1", "--warp=1", "--json", "bx*64 + tid"];
    let (code, out, _) = run(&args);
    assert_eq!(code, Some(0));
    let report: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(report["warps"].as_array().unwrap().len(), 1);
    assert_eq!(report["warps"][0]["offsets"][0], 4 * (2 * 64 + 32));
}

#[test]
fn bad_use_is_one_clear_message_and_exit_code_2() {
    for (args, message) in [
        (&["tx - 1"][..], "error: the index -1 is negative for tx = 0, ty = 0\n  tx - 1\n     ^\n"),
        (
            &["tx +"],
            "error: expected a number, a variable or `(`, found the end\n  tx +\n      ^\n",
        ),
        (&["--warp", "8", "tx"], "error: there is no warp 8: the block has 8 (0 to 7)\n"),
        (&["--batch", "no/such/file"], "error: cannot read no/such/file: "),
        (&["--block", "33x32", "tx"], "error: invalid value '33x32' for '--block <SIZE>': "),
        (&["--block", "0", "tx"], "error: invalid value '0' for '--block <SIZE>': "),
        (&["--op", "ld.b24", "tx"], "error: invalid value 'ld.b24' for '--op <OP>'"),
        (&["--batch", DATA, "tx"], "error: the argument '--batch <FILE>' cannot be used with"),
        (&[], "error: the following required arguments were not provided"),
    ] {
        let (code, out, err) = run(args);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{args:?}");
        assert!(err.starts_with(message), "{args:?}: {err}");
    }
}
