//! Runs small PTX files on the simulator, and on the GPU if there is one; the comments at the head
//! of each give its launch and the expected result.
//!
//! ```text
//! // One sentence: what this is a case of.
//! // launch: grid 1, block 32x2        blocks and threads
//! // dynamic: 128                      bytes of dynamic shared memory
//! // in A: f32 0..32                   a parameter: a pointer to a buffer with this content
//! // out C: s32 1, -2, 7 x 30          likewise, zeroed; its content at the end
//! // out D: u32 = tid * 4              one value per thread of block 0, in C's notation
//! // arg: u32 17                       a parameter by value
//! // expect: global load sectors 4     a count of `analysis::Counters`, over all blocks
//! // fault: lane 31: this 4-byte load  a part of the fault's text
//! // error: line 12: `atom.add.u32`    a part of the error's text, and its line in this file
//! // no GPU: hangs there               why it is run on the simulator alone
//! ```
//!
//! Types are u32 s32 u64 s64 f32 f64, and b16 f16 bf16, of which each word holds two.
//!
//! Parameters follow the order of the lines. Values are numbers of the type, bits in hexadecimal,
//! `nan` (any), `inf`, ranges `a..b`, and `value x count`. The entry point is called `case`.

mod case;
mod contraction;
mod cut;
mod generated;
mod table;
mod value;

use crate::binary::matviz;
use crate::need::not_tested;
use crate::stderr::say;
use case::Case;
use matviz::gpu::client::{Client, Launcher, PATIENCE};
use matviz::sim::Order;

#[test]
fn every_case_is_as_its_comments_say() {
    let mut failures = Vec::new();
    let files = files();
    assert!(files.len() > 20, "only {} cases were found", files.len());
    for (name, text) in &files {
        let problems = problems(text);
        failures.extend(problems.into_iter().map(|problem| format!("{name}: {problem}")));
    }
    let (bad, all) = (failures.len(), files.len());
    assert!(bad == 0, "{bad} problems in {all} cases:\n{}", failures.join("\n"));
}

#[test]
fn a_wrong_expectation_is_noticed() {
    let (_, text) = files().into_iter().find(|(name, _)| name == "copy.ptx").expect("a case");
    assert_eq!(problems(&text), Vec::<String>::new());
    for (right, wrong) in [
        ("C: f32 0..32", "C: f32 1..33"),
        ("C: f32 0..32", "C: f32 0..31"),
        ("global load sectors 4", "global load sectors 5"),
        ("// launch:", "// lunch:"),
        ("// expect:", "// fault: misaligned\n// expect:"),
        ("// expect:", "// error: line 1: unsupported\n// expect:"),
    ] {
        assert!(text.contains(right), "{right}");
        assert_ne!(problems(&text.replacen(right, wrong, 1)), Vec::<String>::new(), "{wrong}");
    }
}

/// Only values are compared: counts are not read on the GPU, and a fault would end its context.
#[test]
fn every_case_that_ends_well_has_the_same_values_on_the_gpu() {
    let launcher = Launcher { program: Some(matviz()), ..Launcher::default() };
    let mut gpu = Client::new(launcher, PATIENCE);
    if let Err(error) = gpu.probe() {
        return not_tested("gpu", &format!("the cases on a GPU: {error}"));
    }
    let mut failures = Vec::new();
    for (name, text) in files() {
        let case = Case::read(&text).expect("a case can be read");
        match case.on_gpu(&mut gpu, &text) {
            Ok(problems) => failures.extend(problems.into_iter().map(|p| format!("{name}: {p}"))),
            Err(why) => say(&format!("not run on the GPU: {name}: {why}")),
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// (name, text) of every case.
fn files() -> Vec<(String, String)> {
    let mut files: Vec<_> = std::fs::read_dir("tests/data/sim/cases")
        .expect("the folder of cases is there")
        .map(|entry| entry.expect("the folder can be read").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "ptx"))
        .map(|path| {
            let name = path.file_name().expect("a file").to_string_lossy().into_owned();
            (name, std::fs::read_to_string(path).expect("a case is text"))
        })
        .collect();
    files.sort();
    files
}

/// All differences of a case from its comments, in any warp schedule.
fn problems(text: &str) -> Vec<String> {
    let case = match Case::read(text) {
        Ok(case) => case,
        Err(problem) => return vec![problem],
    };
    let orders = [Order::RoundRobin, Order::ToBarrier, Order::Random(7)];
    orders
        .into_iter()
        .flat_map(|order| {
            let problems = case.compare(text, case.run(text, &order));
            problems.into_iter().map(move |problem| format!("{problem} ({order:?})"))
        })
        .collect()
}
