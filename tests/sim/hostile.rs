//! Noise and damaged kernels: errors and faults, never a panic, a hang or a huge allocation.

use matviz::analysis::check::{self, Checks};
use matviz::kernel::KERNELS;
use matviz::launch::{Dim3, Launch};
use matviz::sim::{Machine, Memory, Order, Program, lower};
use matviz::work::WorkToken;
use proptest::prelude::*;
use ptx::{MatrixOp, Op, ParseError, Type, parse};
use std::path::Path;
use std::sync::{Arc, LazyLock};
use std::{env, fs};

/// The step limit of a damaged kernel: enough to enter its loops.
const BUDGET: usize = 600;

/// The size of each buffer of a kernel, in words.
const WORDS: usize = 4096;

/// The kernels to damage: the catalogue's, and every PTX file of the tests.
static CORPUS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let embedded =
        KERNELS.iter().flat_map(|kernel| kernel.variants.iter().filter_map(|variant| variant.ptx));
    let mut corpus: Vec<_> = embedded.map(str::to_owned).collect();
    collect(Path::new("tests"), &mut corpus);
    assert!(corpus.len() > 60, "only {} kernels were found", corpus.len());
    corpus
});

/// Every PTX file in `folder` and its subfolders.
fn collect(folder: &Path, corpus: &mut Vec<String>) {
    let mut paths: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect(&path, corpus);
        }
        if path.extension().is_some_and(|extension| extension == "ptx") {
            corpus.push(fs::read_to_string(path).unwrap());
        }
    }
}

/// Words and numbers that are likely to matter.
const VOCABULARY: &[&str] = &[
    ".version 7.0",
    ".target sm_52",
    ".entry k()",
    ".param .u64 p",
    ".reg .b32 %r<4294967295>;",
    ".reg .pred %p<3>;",
    ".shared .align 3 .b8 s[4];",
    ".shared .b64 s[4294967295];",
    ".shared .align 4096 .b8 s[9];",
    ".align 0",
    ".loc 1 2 3",
    ".pragma \"nounroll\";",
    "mov.b64 {%r1, %r2}, %rd1;",
    "mov.b64 %rd1, {%r1};",
    "ld.global.v4.f64",
    "ld.global.v2.u8",
    "ld.shared.v4.s8",
    "st.shared.u16",
    "ld.param.s8",
    "cvt.pred.u32",
    "cvt.sat.s8.f64",
    "cvt.rn.f32.s64",
    "bfe.s64",
    "bfi.b32",
    "mad.lo.u8",
    "mul.hi.s16",
    "rem.s32",
    "shl.b16",
    "bar.sync 99;",
    "bar.sync 1;",
    "bra",
    "ret;",
    "exit;",
    "@%p1",
    "@!%p1",
    "%r1",
    "%rd2",
    "%f3",
    "%p1",
    "%tid.x",
    "%ntid.q",
    "%laneid",
    "_",
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    ",",
    ";",
    ":",
    "+",
    "-",
    "<",
    ">",
    "|",
    "!",
    "@",
    "\"",
    "/*",
    "//",
    "0",
    "1",
    "-1",
    "31",
    "4294967296",
    "18446744073709551615",
    "18446744073709551616",
    "0x",
    "0f3F800000",
    "0fFFFFFFFF",
    "0dfff",
    "08",
    "é",
    "\t",
    "\r\n",
];

fn line_is_inside(text: &str, error: &ParseError) {
    let line = error.span.line(text);
    assert!((1..=text.matches('\n').count() + 1).contains(&line), "line {line}: {error}");
    assert!(error.render(text, "noise.ptx").starts_with("noise.ptx:"));
    assert!(!error.message.is_empty());
}

/// Parses, lowers and runs `text`, as far as each step succeeds.
fn survive(text: &str) {
    survive_by(text, run);
}

fn survive_by(text: &str, run: fn(&Arc<Program>)) {
    let module = match parse(text) {
        Ok(module) => module,
        Err(errors) => {
            assert!(!errors.is_empty());
            return errors.iter().for_each(|error| line_is_inside(text, error));
        }
    };
    for function in &module.functions {
        match lower(&module, &function.name) {
            Ok(program) => run(&Arc::new(program)),
            Err(error) => line_is_inside(text, &error),
        }
    }
}

/// Runs a block on buffers and small numbers.
fn run(program: &Arc<Program>) {
    let (memory, params) = (memory(program), params(program));
    let mut machine = machine(program, Dim3::at(1, 1), &params, memory);
    for _ in 0..BUDGET {
        match machine.step() {
            Ok(Some(_)) => {}
            Ok(None) => return,
            Err(fault) => return assert!(!fault.to_string().is_empty()),
        }
    }
}

/// Runs all blocks, with all checks.
fn check(program: &Arc<Program>) {
    let (launch, params) = (launch(program), params(program));
    let checks = Checks {
        launch,
        only: None,
        budget: BUDGET as u64,
        unfilled: &["C"],
        token: &WorkToken::default(),
    };
    let machine = |block, memory| machine(program, block, &params, memory);
    check::run(&checks, || memory(program), machine);
}

/// Blocks of two and a half warps, or of four if a warpgroup is to multiply.
fn launch(program: &Program) -> Launch {
    let multiplies =
        program.insts.iter().any(|inst| matches!(inst.op, Op::Matrix(MatrixOp::Wgmma(_))));
    Launch { grid: Dim3::flat(3, 3), block: Dim3::flat(16, if multiplies { 8 } else { 5 }) }
}

fn machine(program: &Arc<Program>, block: Dim3, params: &[u8], memory: Memory) -> Machine {
    Machine::new(Arc::clone(program), launch(program), block, params, memory, Order::Random(1))
}

/// A, B and C, and the module's variables.
fn memory(program: &Program) -> Memory {
    let mut memory = Memory::new();
    let values: Vec<_> = (0..WORDS).map(|index| index as f32).collect();
    for name in ["A", "B", "C"] {
        memory.add(name, &values);
    }
    memory.declare(program);
    memory
}

fn params(program: &Program) -> Vec<u8> {
    let memory = memory(program);
    let buffers: Vec<_> = memory.buffers().iter().map(|buffer| buffer.base).collect();
    let mut params = vec![0; program.param_bytes as usize];
    for (index, param) in program.params.iter().enumerate() {
        let value = match param.ty {
            Type::U64 | Type::B64 => buffers[index % 3],
            Type::F32 => 1.5_f32.to_bits().into(),
            _ => 33,
        };
        let bytes = value.to_le_bytes();
        let count = (param.bytes as usize).min(8);
        params[param.offset as usize..][..count].copy_from_slice(&bytes[..count]);
    }
    params
}

/// One modification of a text; positions are taken modulo its length.
#[derive(Clone, Debug)]
enum Damage {
    Drop {
        at: usize,
        length: usize,
    },
    Insert {
        at: usize,
        what: &'static str,
    },
    /// Replaces a word or number, delimited by white space and commas.
    Replace {
        word: usize,
        what: &'static str,
    },
    /// Replaces a word with another word of the same text.
    Copy {
        word: usize,
        from: usize,
    },
    DropLine(usize),
    SwapLines(usize, usize),
    /// Inserts a line of another file of the corpus.
    Borrow {
        line: usize,
        file: usize,
        from: usize,
    },
}

fn damage() -> impl Strategy<Value = Damage> {
    let any = any::<usize>;
    let what = || prop::sample::select(VOCABULARY);
    prop_oneof![
        1 => (any(), 1..9_usize).prop_map(|(at, length)| Damage::Drop { at, length }),
        1 => (any(), what()).prop_map(|(at, what)| Damage::Insert { at, what }),
        3 => (any(), what()).prop_map(|(word, what)| Damage::Replace { word, what }),
        6 => (any(), any()).prop_map(|(word, from)| Damage::Copy { word, from }),
        3 => any().prop_map(Damage::DropLine),
        3 => (any(), any()).prop_map(|(a, b)| Damage::SwapLines(a, b)),
        3 => (any(), any(), any()).prop_map(|(line, file, from)| Damage::Borrow { line, file, from }),
    ]
}

/// Byte ranges of the words.
fn words(text: &str) -> Vec<std::ops::Range<usize>> {
    let start = text.as_ptr() as usize;
    let words = text.split(|c: char| c.is_whitespace() || ",;[]{}".contains(c));
    let range = |word: &str| {
        let from = word.as_ptr() as usize - start;
        from..from + word.len()
    };
    words.filter(|word| !word.is_empty()).map(range).collect()
}

fn apply(text: &mut String, damage: &Damage) {
    match *damage {
        Damage::Drop { at, length } => {
            let start = at % text.len();
            let end = (start + length).min(text.len());
            if text.is_char_boundary(start) && text.is_char_boundary(end) {
                text.drain(start..end);
            }
        }
        Damage::Insert { at, what } => {
            let at = at % text.len();
            if text.is_char_boundary(at) {
                text.insert_str(at, what);
            }
        }
        Damage::Replace { word, what } => {
            let words = words(text);
            text.replace_range(words[word % words.len()].clone(), what);
        }
        Damage::Copy { word, from } => {
            let words = words(text);
            let copy = text[words[from % words.len()].clone()].to_owned();
            text.replace_range(words[word % words.len()].clone(), &copy);
        }
        Damage::DropLine(line) => {
            let mut lines: Vec<_> = text.lines().collect();
            lines.remove(line % lines.len());
            *text = lines.join("\n");
        }
        Damage::SwapLines(a, b) => {
            let mut lines: Vec<_> = text.lines().collect();
            let count = lines.len();
            lines.swap(a % count, b % count);
            *text = lines.join("\n");
        }
        Damage::Borrow { line, file, from } => {
            let borrowed: Vec<_> = CORPUS[file % CORPUS.len()].lines().collect();
            let mut lines: Vec<_> = text.lines().collect();
            lines.insert(line % (lines.len() + 1), borrowed[from % borrowed.len()]);
            *text = lines.join("\n");
        }
    }
}

/// Damaged kernels that once caused a panic.
#[test]
fn what_once_panicked_does_not() {
    // A mangled name whose length, including the digits before it, does not fit into 64 bits.
    let name = "_ZZ1fE18446744073709551615s";
    let head = ".version 7.0\n.target sm_52\n";
    survive(&format!("{head}.shared .b32 {name};\n.entry k()\n{{\nret;\n}}\n"));
    // Parameters whose address is taken are in a buffer of their own, and are stored to.
    let stores = "mov.b64 %rd1, p;\ncvta.param.u64 %rd1, %rd1;\nst.u32 [%rd1], 7;\nret;";
    let text = format!("{head}.entry k(.param .u64 p)\n{{\n.reg .b64 %rd<2>;\n{stores}\n}}\n");
    assert!(parse(&text).is_ok());
    survive_by(&text, check);
}

/// `MATVIZ_FUZZ=1000 cargo test --release --test sim hostile` tries a thousand times as much.
fn config(cases: u32) -> ProptestConfig {
    let factor = env::var("MATVIZ_FUZZ").ok().and_then(|factor| factor.parse().ok());
    let cases = cases * factor.unwrap_or(1);
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config(500))]

    #[test]
    fn bytes_are_no_ptx(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        survive(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn soup_of_words_is_no_ptx(words in prop::collection::vec(prop::sample::select(VOCABULARY), 0..40)) {
        survive(&words.join(" "));
        survive(&format!(".version 7.0\n.target sm_52\n.entry naive(.param .u64 p)\n{{\n.reg .b32 %r<9>;\n.reg .pred %p<9>;\n{}\n}}", words.join(" ")));
    }
}

proptest! {
    #![proptest_config(config(1500))]

    #[test]
    fn damaged_kernels_fail_in_good_order(
        kernel in any::<prop::sample::Index>(),
        damages in prop::collection::vec(damage(), 1..4),
    ) {
        survive(&damaged(kernel, &damages));
    }
}

proptest! {
    #![proptest_config(config(100))]

    #[test]
    fn damaged_kernels_are_checked_in_good_order(
        kernel in any::<prop::sample::Index>(),
        damages in prop::collection::vec(damage(), 1..4),
    ) {
        survive_by(&damaged(kernel, &damages), check);
    }
}

fn damaged(kernel: prop::sample::Index, damages: &[Damage]) -> String {
    let mut text = kernel.get(&CORPUS).clone();
    for damage in damages {
        apply(&mut text, damage);
    }
    text
}
