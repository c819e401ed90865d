//! The checks on correct and on broken kernels: no error missed, none reported falsely. The
//! comments at the end of a source list its errors.
//!
//! ```text
//! // One sentence: what this is a kernel of.
//! // compile: compute_80                    how NVRTC makes its PTX
//! // launch: <<<,16x16>>> --size 40x36x44 arguments of `matviz check`
//! ..
//! // finds: race 13 17                      a kind of finding and the source lines it names
//! // limit: instructions=1000000            one that does not end is stopped
//! ```
//!
//! `MATVIZ_WRITE=1 cargo test --test analysis checks` regenerates the PTX, if the pinned NVRTC is found.

#![expect(clippy::panic, reason = "a kernel that cannot be simulated fails the test")]

use crate::found::found;
use crate::kernel::{Kernel, kernels};
use crate::pinned;
use matviz::timing::protocol::Compile;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::{Command, Output};

#[test]
fn nothing_is_found_in_sound_kernels() {
    let kernels = kernels("analysis/sound");
    assert!(kernels.len() >= 41, "only {} sound kernels", kernels.len());
    for kernel in &kernels {
        assert_eq!(kernel.lines("finds").count(), 0, "{}", kernel.name());
        for order in ["round-robin", "to-barrier", "random:7"] {
            let outcome = kernel.outcome(&["--order", order]);
            let name = kernel.name();
            assert_eq!(outcome["findings"], Value::Array(Vec::new()), "{name} ({order})");
        }
    }
}

#[test]
fn everything_is_found_in_broken_kernels() {
    let kernels = kernels("analysis/broken");
    assert!(kernels.len() >= 64, "only {} broken kernels", kernels.len());
    let mut wrong = Vec::new();
    for kernel in &kernels {
        let expected: BTreeSet<_> = kernel.lines("finds").map(str::to_owned).collect();
        assert!(!expected.is_empty(), "{} expects nothing", kernel.name());
        for order in ["round-robin", "to-barrier", "random:7"] {
            let found = found(&kernel.outcome(&["--order", order]));
            if found != expected {
                wrong.push(format!("{} ({order}): {found:?}, not {expected:?}", kernel.name()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Handing data over needs two halves: the message names the one that is missing.
#[test]
fn half_of_what_puts_blocks_in_order_is_told_from_none() {
    let said = |kernel: &str, what: &str| {
        let outcome = named("analysis/broken", kernel).outcome(&[]);
        outcome["findings"][0][what].as_str().expect("a sentence").to_owned()
    };
    let message = said("last_block_without_acquire", "message");
    assert!(message.ends_with("and no fence follows the access that saw it released"), "{message}");
    let advice = said("last_block_without_acquire", "advice");
    assert!(advice.starts_with("Put a __threadfence() before line 26"), "{advice}");
    let message = said("last_block_without_release", "message");
    assert!(message.ends_with("and blocks do not wait for each other"), "{message}");
    let advice = said("lock_taken_unfenced", "advice");
    assert!(advice.starts_with("Put a __threadfence_block() before line 14"), "{advice}");
    for (kernel, fence) in [
        ("lock_within_unfenced", "__threadfence_block()"),
        ("lock_given_unfenced", "__threadfence_block()"),
    ] {
        let advice = said(kernel, "advice");
        let begin = format!("If a lock is to keep them apart: a {fence} after the atomicCAS");
        assert!(advice.starts_with(&begin), "{advice}");
    }
    let advice =
        named("analysis/broken", "counted_within").outcome(&[])["findings"][1]["advice"].clone();
    assert!(advice.as_str().is_some_and(|text| text.contains("not atomicAdd_block")), "{advice}");
}

/// If a barrier already stands between two lines, another one there would not help.
#[test]
fn the_advice_names_the_place_where_the_barrier_is_missing() {
    let advice = |kernel: &str| {
        let outcome = named("analysis/broken", kernel).outcome(&[]);
        let rows = outcome["findings"].as_array().expect("findings").clone();
        rows.iter().filter_map(|row| row["advice"].as_str().map(str::to_owned)).collect::<Vec<_>>()
    };
    for (kernel, place) in [
        ("no_load_barrier", "Put a __syncthreads() between line "),
        ("no_compute_barrier", "before the next round comes to line "),
        ("tree_without_barrier", "between the store in line "),
        ("one_sum", "add with atomicAdd"),
    ] {
        let told = advice(kernel);
        assert!(told.iter().all(|text| text.contains(place)), "{kernel}: {told:?}");
    }
}

#[test]
fn an_array_has_its_shape_where_the_source_is_at_hand() {
    let kernel = named("analysis/broken", "no_compute_barrier");
    let element = |outcome: &Value| outcome["findings"][0]["address"]["element"].clone();
    assert_eq!(element(&kernel.outcome(&[])), "sB[0][0]", "it lies beside the PTX");
    let other = "tests/data/analysis/sound/own_sum.cu";
    let other = ["--source", other, "--launch", "(A,B,C,M,N,K)"];
    assert_eq!(element(&kernel.outcome(&other)), "sB[0]", "it has no such array");
}

#[test]
fn a_finding_is_no_success_and_the_checks_can_be_left_out() {
    let kernel = named("analysis/broken", "no_compute_barrier");
    let output = kernel.sim(&[]);
    assert_eq!(output.status.code(), Some(1));
    let outcome: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let finding = &outcome["findings"][0];
    assert_eq!(finding["kernel"], "no_compute_barrier");
    assert_eq!(finding["address"]["element"], "sB[0][0]");
    assert_eq!((&finding["interval"], &finding["block"]["x"]), (&1.into(), &0.into()));
    let [first, second] = [&finding["sides"][0], &finding["sides"][1]];
    assert_ne!(first["warp"], second["warp"]);
    assert_eq!((&first["did"], &second["did"]), (&"load".into(), &"store".into()));
    assert!(finding["words"].as_u64() > Some(1000) && finding["blocks"] == 9, "{finding}");
    // With this warp schedule the result happens to be right.
    assert_eq!(kernel.sim(&["--only", "result"]).status.code(), Some(0));
}

#[test]
fn the_ptx_is_what_the_pinned_compiler_makes() {
    pinned::check(["analysis/sound", "analysis/broken"].into_iter().flat_map(kernels).map(
        |kernel| {
            let wanted = Compile {
                file: format!("{}.cu", kernel.name()),
                text: kernel.text.clone(),
                arch: kernel.lines("compile").next().expect("an architecture").to_owned(),
                defines: Vec::new(),
                folders: vec![PathBuf::from("tests/data/analysis")],
                ..Compile::default()
            };
            (wanted, kernel.path.with_extension("ptx"))
        },
    ));
}

impl Kernel {
    fn sim(&self, args: &[&str]) -> Output {
        let mut matviz = Command::new(env!("CARGO_BIN_EXE_matviz"));
        matviz.args(["check", "--json"]).arg(self.path.with_extension("ptx")).args(args);
        matviz.args(self.launches().iter().flat_map(|launch| launch.split_whitespace()));
        matviz.output().expect("the binary runs")
    }

    fn outcome(&self, args: &[&str]) -> Value {
        let output = self.sim(args);
        let said = String::from_utf8_lossy(&output.stderr);
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}: {said}", self.name()))
    }
}

fn named(folder: &str, name: &str) -> Kernel {
    kernels(folder).into_iter().find(|kernel| kernel.name() == name).expect("there")
}
