//! matviz's own compiler: its PTX computes the same C, bit for bit, and costs the same as NVRTC's.
//!
//! `MATVIZ_WRITE=1 cargo test --test cudac` rewrites `lessons/CUDA.md`, the page of its subset.

use crate::compiled::{INSIDE, SIZES, compiled, simulated, variants};
use crate::found::found;
use crate::kernel::{Kernel, kernels};
use cudac::SUBSET;
use matviz::analysis::Counts;
use matviz::kernel::{Problem, find, sha256_of};
use matviz::matrix::{Operand, Size};
use std::collections::BTreeSet;
use std::process::{Command, Output};

/// The bits of C, and what was executed: accesses to global and shared memory, barriers, FMAs.
fn outcome(problem: &Problem) -> (String, Counts) {
    let done = simulated(problem);
    let memory = done.memory.expect("C is computed");
    let c = memory.named(Operand::C.name()).expect("it has C");
    // Each compiler computes addresses in its own way, by other instructions.
    (sha256_of(c.floats()), Counts { warp_instructions: 0, ..done.counters.sass() })
}

#[test]
fn the_catalogue_computes_and_costs_the_same_as_compiled_by_nvrtc() {
    for name in INSIDE {
        let kernel = find(name).expect("it is in the catalogue");
        for variant in variants(kernel) {
            let own = compiled(kernel.source, &kernel.file(), &variant.defines());
            let nvrtc = variant.rolled.or(variant.ptx).expect("embedded");
            for size in SIZES {
                let size: Size = size.parse().expect("a size");
                let [own, nvrtc] = [own.clone(), nvrtc.to_owned()]
                    .map(|ptx| outcome(&Problem::of(kernel, *variant, size, ptx.into())));
                assert_eq!(own, nvrtc, "{name} {} at {size}", variant.tile);
            }
        }
    }
}

/// Kernels whose findings stand on other lines than in NVRTC's PTX, and why.
const ELSEWHERE: &[(&str, &str)] = &[
    ("same_in_halves", "NVRTC merges the stores of both branches into one, after them, on line 13"),
    ("products_unordered", "NVRTC sets the sums to zero on line 40, not where they are declared"),
];

#[test]
fn findings_are_those_of_nvrtcs_ptx_on_the_same_lines() {
    let (mut same, mut outside, mut wrong) = (0, 0, Vec::new());
    for kernel in ["analysis/broken", "analysis/sound"].into_iter().flat_map(kernels) {
        let output = kernel.sim();
        let said = String::from_utf8_lossy(&output.stderr);
        if output.status.code() == Some(3) {
            outside += 1;
            if !said.contains("is not in matviz's CUDA") {
                wrong.push(said.into_owned());
            }
            continue;
        }
        let expected: BTreeSet<_> = kernel.lines("finds").map(str::to_owned).collect();
        let found = match serde_json::from_slice(&output.stdout) {
            Ok(outcome) => found(&outcome),
            Err(_) => BTreeSet::from([said.into_owned()]),
        };
        let name = kernel.name();
        match ELSEWHERE.iter().any(|(known, _)| *known == name) {
            _ if found == expected => same += 1,
            true => {}
            false => wrong.push(format!("{name}: {found:?}, not {expected:?}")),
        }
    }
    assert!(wrong.is_empty(), "{same} same, {outside} outside\n{}", wrong.join("\n"));
    assert!(same >= 80, "only {same} of {}", same + outside);
}

impl Kernel {
    fn sim(&self) -> Output {
        let mut matviz = Command::new(env!("CARGO_BIN_EXE_matviz"));
        matviz.args(["check", "--json", "--compiler", "matviz"]).arg(&self.path);
        matviz.args(self.launches().iter().flat_map(|launch| launch.split_whitespace()));
        matviz.output().expect("the binary runs")
    }
}

/// The subset as a page, from the table that errors are made from.
fn page() -> String {
    let listed = |inside: bool| {
        let of = SUBSET.iter().filter(move |feature| feature.inside == inside);
        of.map(|feature| match feature.note {
            "" => format!("- {}\n", feature.name),
            note => format!("- **{}**: {note}\n", feature.name),
        })
    };
    let [inside, outside] = [true, false].map(|inside| listed(inside).collect::<Vec<_>>().concat());
    format!(
        "# The CUDA C of the course\n\n\
         matviz compiles this subset of CUDA C++ itself, with nothing to install: `matviz check \
         mine.cu`. It means what it means to nvcc with its default options: a product \
         and a sum become one FMA, whatever names they have, indices have 32 bits, operands are \
         evaluated from left to right, and of an assignment the right side first. Each loop stays a \
         loop, so that an instruction of the source is one on the screen.\n\n\
         {inside}\n\
         Not compiled, but named with its line; `--compiler nvrtc` or `--compiler clang` takes it \
         where that compiler is found:\n\n\
         {outside}"
    )
}

#[test]
fn the_page_of_the_subset_is_that_of_the_compiler() {
    const PAGE: &str = "lessons/CUDA.md";
    if std::env::var_os("MATVIZ_WRITE").is_some() {
        std::fs::write(PAGE, page()).expect("written");
    }
    let written = std::fs::read_to_string(PAGE).expect("there is one");
    assert!(written == page(), "{PAGE} is out of date: MATVIZ_WRITE=1 cargo test --test cudac");
}
