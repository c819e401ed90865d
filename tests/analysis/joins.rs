//! The SASS of accesses to shared and global memory: the kernels of tests/data/analysis/joins, each with the output of ptxas.

use matviz::analysis::vectorise::SmemVectorisation;
use matviz::sim::{Pc, Program, lower};
use ptx::{self, MemoryOp, Module, Op, Space};
use std::collections::BTreeMap;
use std::fs;

/// SASS instructions, such as `LDS.128`, with their numbers.
type Counts = BTreeMap<String, usize>;

/// A kernel, its SASS, and whether the rule may be uncertain.
struct Case {
    kernel: String,
    expected: Counts,
    doubted: bool,
}

/// In a file, each kernel follows a comment with its SASS: `// LDS.128 1, STS 2`, with `, doubted`
/// if the rule must report that it is uncertain. A comment that names no access to global memory is
/// about shared memory only.
fn cases(text: &str) -> Vec<Case> {
    let kernels = text.split("\n// ").skip(1).filter_map(|part| part.split_once('\n'));
    let case = |(comment, rest): (&str, &str)| {
        let (_, kernel) = rest.split_once(".visible .entry ")?;
        let words = || comment.split(", ").filter(|word| *word != "none");
        let mut expected = Counts::new();
        for (op, count) in words().filter_map(|word| word.split_once(' ')) {
            // Signedness does not matter here: `LDS.U16`.
            let name = op.replace(".U", ".").replace(".S", ".");
            *expected.entry(name).or_default() += count.parse::<usize>().expect("a count");
        }
        let kernel = kernel.split('(').next()?.to_owned();
        Some(Case { kernel, expected, doubted: words().any(|word| word == "doubted") })
    };
    kernels.filter_map(case).collect()
}

/// The predicted instructions, each instruction of the program counted once.
fn predicted(program: &Program, joins: &SmemVectorisation) -> Counts {
    let mut counts = Counts::new();
    for (pc, inst) in program.insts.iter().enumerate() {
        let (name, space, ty, regs) = match &inst.op {
            Op::Memory(MemoryOp::Ld { space, ty, dst, .. }) => ("LD", space, ty, dst),
            Op::Memory(MemoryOp::St { space, ty, src, .. }) => ("ST", space, ty, src),
            _ => continue,
        };
        let memory = match space {
            Space::Shared => "S",
            Space::Global => "G",
            _ => continue,
        };
        let written = ty.bytes() * regs.len() as u32;
        let pieces = joins.pieces(Pc(pc as u32));
        let widths = pieces.map_or(vec![written as u8], |p| p.iter().map(|p| p.bytes).collect());
        for bytes in widths {
            let width = match bytes {
                1 => ".8",
                2 => ".16",
                4 => "",
                8 => ".64",
                _ => ".128",
            };
            *counts.entry(format!("{name}{memory}{width}")).or_default() += 1;
        }
    }
    counts
}

fn kernels() -> Vec<(String, Module, Vec<Case>)> {
    let mut files: Vec<_> = fs::read_dir("tests/data/analysis/joins")
        .expect("the folder is there")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|end| end == "ptx"))
        .collect();
    files.sort();
    let read = |path: std::path::PathBuf| {
        let text = fs::read_to_string(&path).expect("it can be read");
        let module = ptx::parse(&text).expect("it is supported");
        (path.display().to_string(), module, cases(&text))
    };
    files.into_iter().map(read).collect()
}

#[test]
fn every_kernel_is_predicted_as_ptxas_makes_it() {
    let (mut wrong, mut right) = (Vec::new(), 0);
    for (file, module, cases) in kernels() {
        for case in cases {
            let program = lower(&module, &case.kernel).expect("it can be lowered");
            let joins = SmemVectorisation::of(&program);
            let is_global = |name: &str| name.as_bytes()[2] == b'G';
            let all = case.expected.keys().any(|name| is_global(name));
            let mut found = predicted(&program, &joins);
            found.retain(|name, _| all || !is_global(name));
            let doubted = joins.doubts().next().is_some();
            if doubted != case.doubted || (!doubted && found != case.expected) {
                wrong.push(format!(
                    "{file}: {}: {:?}, but predicted {found:?}, {:?}",
                    case.kernel, case.expected, joins.notes
                ));
            } else {
                right += 1;
            }
        }
    }
    assert!(wrong.is_empty(), "{right} right, {} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(right > 1035, "{right}");
}
