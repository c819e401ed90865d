//! `matviz check --prove`: the warp schedules that it finds have the effect that it reports.

#![expect(clippy::panic, reason = "a kernel that cannot be simulated fails the test")]

use crate::kernel::kernels;
use serde_json::Value;
use std::process::{Command, Output};

/// A kernel of the catalogue with its problem, or a file with its launch.
struct Case {
    args: Vec<String>,
}

#[test]
fn orders_that_spoil_c_and_orders_that_do_not_are_found_and_can_be_played_again() {
    let cases = [
        catalogue("tiled_no_load_barrier", "16"),
        catalogue("tiled_no_compute_barrier", "16"),
        // Here an instruction of the racing line precedes the loop.
        catalogue("tiled_no_load_barrier", "8"),
    ];
    for case in &cases {
        let outcome = case.race();
        assert!(outcome["races"].as_array().is_some_and(|races| races.len() == 2), "{outcome}");
        assert_eq!(outcome["random_orders"], 20);
        for (run, right) in [("wrong", false), ("right", true)] {
            let run = &outcome[run];
            assert_eq!(run["wrong"] == 0, right, "{outcome}");
            case.play_again(run, right);
        }
        case.play_again(&outcome["shortened"]["to"], false);
    }
    // Two barriers are missing: holding warps before one line is not enough.
    let outcome = broken("no_barriers").race();
    assert!(outcome["right"]["wrong"] == 0 && outcome["right"]["ended"] == true, "{outcome}");
    let outcome = matviz(&["check", "--prove", "tiled", "--json", "--size", "40"]);
    assert!(outcome["races"] == Value::Array(Vec::new()) && outcome["wrong"].is_null());
}

#[test]
fn a_random_order_is_shortened_to_the_turns_that_matter() {
    let outcome = broken("one_sum").race();
    let varies = &outcome["varies"];
    assert!(varies["results"].as_u64() > Some(2), "updates are lost in many ways: {outcome}");
    assert_eq!(
        (&varies["order"], &varies["other"]["preemptions"]),
        (&"to-barrier".into(), &1.into())
    );
    let order = varies["other"]["order"].as_str().expect("an order");
    assert!(order.starts_with("script:") && order.contains('@'), "{order}");
    let outcome = catalogue("tiled_no_load_barrier", "16").race();
    let shortened = &outcome["shortened"];
    assert!(shortened["preemptions"].as_u64() > Some(1000), "{outcome}");
    assert_eq!(shortened["to"]["preemptions"], 0, "each warp to its barrier is enough");
    let right = outcome["right"]["preemptions"].as_u64();
    // Two full tiles of k, in which 8 warps wait for 7, and one in which a warp has nothing to do.
    assert!(right >= Some(14) && right <= Some(21), "{outcome}");
}

/// At the default size C is wrong too, and the schedule found is readable.
#[test]
fn the_default_size_is_searched() {
    for kernel in ["tiled_no_load_barrier", "tiled_no_compute_barrier"] {
        let outcome = matviz(&["check", "--prove", kernel, "--json"]);
        assert!(outcome["wrong"]["wrong"].as_u64() > Some(200), "{outcome}");
        let right = &outcome["right"];
        assert_eq!((&right["wrong"], &right["ended"]), (&0.into(), &true.into()));
        let order = right["order"].as_str().expect("an order");
        assert!(order.len() < 300, "a script of a hundred turns tells nobody anything: {order}");
    }
}

/// Copies that complete as soon as they begin, as hardware may do, make C wrong; copies that
/// complete when they are waited for do not.
#[test]
fn a_copy_that_lands_early_is_played() {
    let case = broken("copy_two_ahead");
    let outcome = case.race();
    assert_eq!(outcome["wrong"]["order"], "early-copies", "{outcome}");
    assert_eq!(outcome["right"]["order"], "to-barrier");
    for (order, is_right) in [("early-copies", false), ("to-barrier", true)] {
        let args: Vec<_> = case.args.iter().map(String::as_str).collect();
        let played = matviz(&[&["check", "--json", "--order", order], &args[..]].concat());
        assert_eq!(played["relative_error"].as_f64() < Some(1e-5), is_right, "{played}");
    }
    let outcome = broken("copy_without_wait").race();
    assert_eq!(outcome["varies"]["other"]["order"], "early-copies", "{outcome}");
}

/// If no schedule of whole warps can have an effect, the output says so and why.
#[test]
fn where_the_order_makes_no_difference_that_is_said() {
    for (kernel, why) in [
        ("lanes_disagree", "the block is one warp"),
        ("halves_overlap", "no two warps race"),
        ("warp_tree_without_sync", "no two warps race"),
    ] {
        let outcome = broken(kernel).race();
        let fixed = outcome["fixed"].as_str().unwrap_or_default();
        assert!(outcome["right"].is_null() && fixed.contains(why), "{outcome}");
        assert_eq!(outcome["random_wrong"], 20);
    }
    assert!(catalogue("tiled_no_load_barrier", "8").race()["fixed"].is_null());
}

/// A kernel with another kind of error is not reported as sound.
#[test]
fn what_no_order_of_a_blocks_warps_shows_is_named() {
    for (kernel, kind) in [("split_k_stores", "race"), ("barriers_of_branches", "barrier")] {
        let outcome = broken(kernel).race();
        assert!(outcome["races"].as_array().is_some_and(Vec::is_empty), "{outcome}");
        assert_eq!(outcome["others"][0]["kind"], kind, "{outcome}");
        let args = broken(kernel).args;
        let said =
            run(&[&["check", "--prove"], &args.iter().map(String::as_str).collect::<Vec<_>>()[..]]
                .concat());
        assert_eq!(said.status.code(), Some(1));
    }
}

impl Case {
    fn race(&self) -> Value {
        let args: Vec<_> = self.args.iter().map(String::as_str).collect();
        matviz(&[&["check", "--prove", "--json", "--limit", "orders=20"], &args[..]].concat())
    }

    /// `matviz check` gives the same result with the schedule that was found.
    fn play_again(&self, run: &Value, right: bool) {
        let order = run["order"].as_str().unwrap_or_else(|| panic!("{run} has an order"));
        let args: Vec<_> = self.args.iter().map(String::as_str).collect();
        let sim = ["check", "--json", "--at", "0,0", "--order", order];
        let outcome = matviz(&[&sim[..], &args].concat());
        let error = outcome["max_relative_error"].as_f64().expect("an error");
        assert_eq!(error < 1e-5, right, "{order}: {error}");
    }
}

fn catalogue(kernel: &str, tile: &str) -> Case {
    let args = [kernel, "--size", "40x36x44", "--tile", tile];
    Case { args: args.map(str::to_owned).to_vec() }
}

fn broken(kernel: &str) -> Case {
    let named = kernels("analysis/broken").into_iter().find(|known| known.name() == kernel);
    let kernel = named.expect("there");
    let ptx = [kernel.path.with_extension("ptx").display().to_string()];
    // A sum alone reads A and B as no product does, and is given buffers of its own elsewhere.
    let product = "--launch C= --launch (A,B,C,M,N,K)";
    let has_args = kernel.launches().concat().contains(">>>(");
    let product = if has_args { product } else { "--launch C=" };
    let launch = format!("{} {product}", kernel.launches().concat());
    let launch = launch.split_whitespace().map(str::to_owned);
    Case { args: ptx.into_iter().chain(launch).collect() }
}

fn matviz(args: &[&str]) -> Value {
    let output = run(args);
    let said = String::from_utf8_lossy(&output.stderr);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{args:?}: {said}"))
}

fn run(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_matviz")).args(args).output().expect("it runs")
}

/// Where loops are long, an order of all their turns tells nobody anything: what is printed is short.
#[test]
fn an_order_of_many_turns_is_told_by_its_name() {
    let file = "tests/data/report/advice/tile_reused_long_loop.cu";
    let args = ["check", "--prove", file, "--compiler", "matviz", "--limit", "orders=3"];
    let said = run(&args);
    let text = String::from_utf8_lossy(&said.stdout).into_owned();
    assert_eq!(said.status.code(), Some(1), "{text}");
    assert!(text.len() <= 4096, "{} bytes", text.len());
    assert!(text.contains("another result:") && text.contains("--order "), "{text}");
}
