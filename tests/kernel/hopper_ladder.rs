//! A ladder of Hopper kernels as people write them, tests/data/kernel/hopper_ladder/ladder.cu: tensor maps
//! in global memory, libcu++'s barriers, bfloat16, a column-major C, and the host code around them.
//!
//! `MATVIZ_WRITE=1 cargo test --test kernel hopper_ladder` regenerates the PTX, if the pinned NVRTC is found.

#![expect(clippy::panic, reason = "a kernel that cannot be simulated fails the test")]

use crate::found::found;
use crate::need::not_tested;
use crate::pinned;
use cudac::DeviceCode;
use matviz::compile::CompileJob;
use matviz::gpu::compiled::{PINNED, compiler, source};
use matviz::timing::protocol::Compile;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const SOURCE: &str = "tests/data/kernel/hopper_ladder/ladder.cu";
const PTX: &str = "tests/data/kernel/hopper_ladder/ladder.ptx";

/// M, N and K at which the kernels with tensor maps run, and the one without, whose threads compute
/// an element each.
const SIZE: [u64; 3] = [256, 256, 192];
const SMALL: [u64; 3] = [64, 64, 32];

/// A rung: the instance of its template, and its launch as the host's code says it.
struct Rung {
    name: &'static str,
    instance: &'static str,
    block: &'static str,
    grid: &'static str,
    shared: u64,
    args: &'static str,
    /// Rows of a box of A and of B; 0 if it has no tensor maps.
    boxes: [u64; 2],
}

const RUNGS: [Rung; 5] = [
    Rung {
        name: "rung1",
        instance: "rung1<16>",
        block: "16,16",
        grid: "4,4",
        shared: 0,
        args: "M,N,K,A,B,C",
        boxes: [0; 2],
    },
    Rung {
        name: "rung2",
        instance: "rung2<64, 64, 64>",
        block: "128,1",
        grid: "16,1",
        shared: 0,
        args: "M,N,K,C,*tensormap:A:64x64:swizzle128:bf16,*tensormap:B:col:64x64:swizzle128:bf16",
        boxes: [64, 64],
    },
    Rung {
        name: "rung3",
        instance: "rung3<128, 128, 64, false>",
        block: "128,1",
        grid: "4,1",
        shared: 32_768,
        args: "M,N,K,C,*tensormap:A:128x64:swizzle128:bf16,*tensormap:B:col:128x64:swizzle128:bf16,0",
        boxes: [128, 128],
    },
    Rung {
        name: "rung4",
        instance: "rung4<128, 128, 64, 3>",
        block: "256,1",
        grid: "4,1",
        shared: 98_304,
        args: "M,N,K,C,*tensormap:A:128x64:swizzle128:bf16,*tensormap:B:col:128x64:swizzle128:bf16",
        boxes: [128, 128],
    },
    Rung {
        name: "rung5",
        instance: "rung5<128, 256, 64, 3>",
        block: "384,1",
        grid: "2,1",
        shared: 147_456,
        args: "M,N,K,C,*tensormap:A:128x64:swizzle128:bf16,*tensormap:B:col:256x64:swizzle128:bf16",
        boxes: [128, 256],
    },
];

fn matviz(words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_matviz")).args(words).output().expect("the binary runs")
}

fn outcome(output: &Output) -> Value {
    let said = String::from_utf8_lossy(&output.stderr);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{said}"))
}

fn is_right(outcome: &Value) -> bool {
    let number = |name: &str| outcome[name].as_f64().expect("a number");
    number("relative_error") <= number("tolerance")
}

impl Rung {
    const fn sides(&self) -> [u64; 3] {
        if self.boxes[0] == 0 { SMALL } else { SIZE }
    }

    fn size(&self) -> String {
        self.sides().map(|side| side.to_string()).join("x")
    }

    /// The arguments with C, and of the first rung B, column-major: that the host's code does not
    /// say.
    fn args(&self) -> String {
        let args = self.args.replace("K,C", "K,C:col");
        args.replace("A,B,C", "A,B:col,C:col")
    }

    fn sim(&self, ptx: &Path) -> Output {
        let (ptx, shared) = (ptx.display().to_string(), self.shared.to_string());
        let (args, size) = (self.args(), self.size());
        let launch = [
            "--launch",
            &format!("<<<,{}>>>", self.block.replace(',', "x")),
            "--launch",
            &format!("<<<{},>>>", self.grid.replace(',', "x")),
            "--launch",
            &format!("<<<,,{shared}>>>"),
        ];
        let given = ["--launch", self.name, "--launch", &format!("({args})"), "--size", &size];
        matviz(&[&["check", "--json", &ptx], &launch[..], &given[..]].concat())
    }
}

#[test]
fn every_rung_is_right_without_findings_and_its_copies_are_counted() {
    for rung in &RUNGS {
        let outcome = outcome(&rung.sim(Path::new(PTX)));
        assert!(is_right(&outcome), "{}: {outcome}", rung.name);
        assert_eq!(outcome["findings"], Value::Array(Vec::new()), "{}", rung.name);
        let count = |name: &str| outcome["ptx"][name].as_u64().expect("a count");
        let [m, n, k] = rung.sides();
        let [down, across] = rung.boxes;
        let tiles = m.checked_div(down).map_or(0, |rows| rows * (n / across) * (k / 64));
        assert_eq!(count("bulk_load_copies"), 2 * tiles, "{}", rung.name);
        assert_eq!(count("bulk_load_sectors"), tiles * (down + across) * 64 * 2 / 32);
        assert_eq!(count("bulk_store_copies"), 0);
    }
}

/// The text of a kernel in the PTX, changed, in a file of its own.
fn changed(rung: &str, change: impl Fn(&str) -> String) -> (tempfile::TempDir, PathBuf) {
    let text = fs::read_to_string(PTX).expect("committed");
    let start = text.find(&format!("entry _Z5{rung}")).expect("the kernel");
    let end = text[start..].find(".weak .entry").map_or(text.len(), |end| start + end);
    let new = change(&text[start..end]);
    assert_ne!(new, text[start..end], "nothing is changed in {rung}");
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("changed.ptx");
    fs::write(&file, [&text[..start], &new, &text[end..]].concat()).expect("written");
    (folder, file)
}

/// The text with nothing in the place of the last occurrence of `what`.
fn without_last(text: &str, what: &str) -> String {
    let at = text.rfind(what).expect("it is there");
    let end = at + text[at..].find(';').expect("its end") + 1;
    [&text[..at], &text[end..]].concat()
}

/// One thread's own products are over when it starts the next copy; those of other warps need not
/// be.
#[test]
fn a_tile_that_is_loaded_before_all_have_multiplied_the_last_is_a_race() {
    for rung in [&RUNGS[1], &RUNGS[2]] {
        let (_folder, file) = changed(rung.name, |text| without_last(text, "bar.sync"));
        let found = found(&outcome(&rung.sim(&file)));
        assert!(!found.is_empty(), "{}", rung.name);
        assert!(found.iter().all(|one| one.starts_with("race ")), "{}: {found:?}", rung.name);
    }
}

#[test]
fn a_map_with_another_box_than_the_barrier_expects_is_told() {
    let rung = &RUNGS[1];
    let args = rung.args().replace("A:64x64", "A:32x64");
    let words = [
        "check",
        "--json",
        PTX,
        "--launch",
        "rung2",
        "--launch",
        "<<<,128>>>",
        "--launch",
        "<<<16,>>>",
    ];
    let size = rung.size();
    let outcome = outcome(&matviz(
        &[&words[..], &["--launch", &format!("({args})"), "--size", &size]].concat(),
    ));
    assert!(!found(&outcome).is_empty(), "{outcome}");
}

/// The source without its host code, as it is compiled.
fn wanted() -> Compile {
    let text = fs::read_to_string(SOURCE).expect("committed");
    let instances = RUNGS.map(|rung| rung.instance.to_owned()).to_vec();
    let (file, arch) = ("ladder.cu".to_owned(), "compute_90a".to_owned());
    let wanted = Compile { file, text, arch, instances, ..Compile::default() };
    let job = CompileJob { wanted, to_measure: false };
    let DeviceCode { text, prelude, headers } = job.device_code();
    Compile { text: format!("{prelude}#line 1\n{text}"), headers, ..job.wanted }
}

#[test]
fn the_ptx_is_what_the_pinned_compiler_makes() {
    pinned::check([(wanted(), PathBuf::from(PTX))]);
}

#[test]
fn the_hosts_code_says_how_every_rung_is_launched() {
    match source(&wanted()) {
        Ok(made) if compiler(&made) == Some(PINNED) => {}
        _ => return not_tested("nvrtc", "the ladder from its source"),
    }
    for rung in &RUNGS {
        let size = rung.size();
        let output =
            matviz(&["check", "--json", SOURCE, "--launch", rung.instance, "--size", &size]);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        let outcome = outcome(&output);
        let launch =
            format!("<<<{},{}>>>", rung.grid.replace(',', "x"), rung.block.replace(',', "x"));
        let is_told = |what: &str| told.contains(&format!("assuming {what}"));
        assert!(is_told(&format!("({})", rung.args)) && is_told(&launch), "{told}");
        assert!(is_told("--arch compute_90a: it has wgmma"), "{told}");
        assert!(!is_right(&outcome), "C is column-major: {}", rung.name);
        assert_eq!(outcome["dynamic_shared_bytes"], rung.shared, "{}", rung.name);
    }
}
