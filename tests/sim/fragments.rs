//! Matrices between memory and registers: `wmma` in every shape and layout, `ldmatrix` and related
//! instructions, and the accesses that they become in SASS.

use crate::exact::{BF16, F16, F64, Format, Mode};
use crate::kernel;
use matviz::analysis::banks;
use matviz::sim::{Access, Direction, Effect, LaneMask, Program, Route};
use ptx::Space;
use std::fmt::Write;
use std::sync::Arc;

fn bits(format: Format, value: i64) -> u32 {
    format.round(&F64.value((value as f64).to_bits()), Mode::Nearest) as u32
}

/// A product m x n x k, with a separate stride for each matrix.
#[derive(Clone, Copy, Debug)]
struct Product {
    shape: [usize; 3],
    layouts: [&'static str; 4],
    factor: &'static str,
    sum: &'static str,
    space: &'static str,
}

/// The byte offsets of the matrices, in a memory of [`BYTES`].
const AT: [usize; 4] = [0, 4096, 8192, 12288];
const BYTES: usize = 16384;

impl Product {
    fn sides(self) -> [(usize, usize); 4] {
        let [m, n, k] = self.shape;
        [(m, k), (k, n), (m, n), (m, n)]
    }

    /// The number of elements from one line to the next; in bytes it is a multiple of 16, as required.
    fn stride(self, matrix: usize) -> usize {
        let (rows, columns) = self.sides()[matrix];
        [columns, rows][usize::from(self.layouts[matrix] == "col")] + 8
    }

    fn place(self, matrix: usize, row: usize, column: usize) -> usize {
        let (line, along) =
            if self.layouts[matrix] == "row" { (row, column) } else { (column, row) };
        line * self.stride(matrix) + along
    }

    /// Loads, multiplies and stores: from and to `out`, after copying the words of `in` there.
    fn text(self) -> String {
        let [m, n, k] = self.shape;
        let shape = format!("m{m}n{n}k{k}");
        let Self { layouts: [la, lb, lc, ld], factor, sum, space, .. } = self;
        let shared = space == "shared";
        let mut body = String::from(".reg .b64 %base; .reg .b32 %i, %w; .reg .pred %p;\n");
        if shared {
            let _ = writeln!(body, ".shared .align 128 .b8 tile[{BYTES}];\nmov.u64 %base, tile;");
        } else {
            body.push_str("mov.b64 %base, %out;\n");
        }
        let store = if shared { "st.shared.b32 [%at], %w;" } else { "st.global.b32 [%at], %w;" };
        let _ = write!(
            body,
            "mov.u32 %i, %tid;\ncopy: mad.wide.u32 %at, %i, 4, %in; ld.global.b32 %w, [%at];\n\
             mad.wide.u32 %at, %i, 4, %base; {store}\n\
             add.u32 %i, %i, 32; setp.lt.u32 %p, %i, {}; @%p bra copy;\n",
            BYTES / 4
        );
        let count = |matrix: usize| match (matrix, factor, sum) {
            (2, _, "f16") => m * n / 64,
            (0, "bf16", _) => m * k / 64,
            (1, "bf16", _) => k * n / 64,
            _ => 8,
        };
        let list = |name: &str, count: usize| {
            let names: Vec<_> = (0..count).map(|i| format!("{name}{i}")).collect();
            names.join(", ")
        };
        let [a, b, c] = [("a", 0), ("b", 1), ("c", 2)].map(|(name, i)| list(name, count(i)));
        let _ = writeln!(body, ".reg .b32 {a}, {b}, {c};");
        let dot = if space.is_empty() { "" } else { "." };
        for (name, layout, ty, regs, matrix) in
            [("a", la, factor, &a, 0), ("b", lb, factor, &b, 1), ("c", lc, sum, &c, 2)]
        {
            let (at, stride) = (AT[matrix], self.stride(matrix));
            let _ = writeln!(
                body,
                "add.u64 %at, %base, {at};\n\
                 wmma.load.{name}.sync.aligned.{layout}.{shape}{dot}{space}.{ty} {{{regs}}}, [%at], {stride};"
            );
        }
        let types =
            if factor == "bf16" { "f32.bf16.bf16.f32".to_owned() } else { format!("{sum}.{sum}") };
        let (at, stride) = (AT[3], self.stride(3));
        let _ = writeln!(
            body,
            "wmma.mma.sync.aligned.{la}.{lb}.{shape}.{types} {{{c}}}, {{{a}}}, {{{b}}}, {{{c}}};\n\
             add.u64 %at, %base, {at};\n\
             wmma.store.d.sync.aligned.{ld}.{shape}{dot}{space}.{sum} [%at], {{{c}}}, {stride};"
        );
        if shared {
            let _ = write!(
                body,
                "mov.u32 %i, %tid;\nback: mad.wide.u32 %at, %i, 4, %base; ld.shared.b32 %w, [%at];\n\
                 mad.wide.u32 %at, %i, 4, %out; st.global.b32 [%at], %w;\n\
                 add.u32 %i, %i, 32; setp.lt.u32 %p, %i, {}; @%p bra back;\n",
                BYTES / 4
            );
        }
        kernel::text(&body)
    }

    fn check(self) {
        let [m, n, k] = self.shape;
        let a = |i: usize, k: usize| ((i * 3 + k * 5) % 7) as i64 - 3;
        let b = |k: usize, j: usize| ((k * 2 + j * 3) % 5) as i64 - 2;
        let c = |i: usize, j: usize| ((i * 31 + j * 7) % 64) as i64;
        let factor = if self.factor == "bf16" { BF16 } else { F16 };
        let mut memory = vec![0_u8; BYTES];
        let mut put = |matrix: usize, row, column, bits: u32, size: usize| {
            let at = AT[matrix] + self.place(matrix, row, column) * size;
            memory[at..at + size].copy_from_slice(&bits.to_le_bytes()[..size]);
        };
        for i in 0..m {
            (0..k).for_each(|k| put(0, i, k, bits(factor, a(i, k)), 2));
            for j in 0..n {
                match self.sum {
                    "f16" => put(2, i, j, bits(F16, c(i, j)), 2),
                    _ => put(2, i, j, (c(i, j) as f32).to_bits(), 4),
                }
            }
        }
        for k in 0..k {
            (0..n).for_each(|j| put(1, k, j, bits(factor, b(k, j)), 2));
        }
        let words: Vec<_> =
            memory.chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect();
        let program = kernel::program(&self.text());
        let (out, _) = kernel::run(&program, 32, &words, BYTES / 4).unwrap();
        for i in 0..m {
            for j in 0..n {
                let sum: i64 = c(i, j) + (0..k).map(|k| a(i, k) * b(k, j)).sum::<i64>();
                let place = AT[3] + self.place(3, i, j) * if self.sum == "f16" { 2 } else { 4 };
                let word = out[place / 4] >> (8 * (place % 4));
                let (met, expected) = match self.sum {
                    "f16" => (word & 0xffff, bits(F16, sum)),
                    _ => (word, (sum as f32).to_bits()),
                };
                assert_eq!(met, expected, "{self:?} at {i}, {j}");
            }
        }
    }
}

#[test]
fn wmma_multiplies_in_every_shape_layout_and_space() {
    let either = ["row", "col"];
    for shape in [[16, 16, 16], [32, 8, 16], [8, 32, 16]] {
        for (factor, sum) in [("f16", "f32"), ("f16", "f16"), ("bf16", "f32")] {
            for space in ["global", "shared", ""] {
                for bits in 0..16 {
                    let layouts = [0, 1, 2, 3].map(|matrix| either[bits >> matrix & 1]);
                    Product { shape, layouts, factor, sum, space }.check();
                }
            }
        }
    }
}

/// The accesses of the first step that makes several, or the one access of a matrix.
fn accesses(program: &Arc<Program>, input: &[u32], which: usize) -> Vec<Access> {
    let (mut machine, _) = kernel::machine(program, 32, input, BYTES / 4);
    let mut found = Vec::new();
    while let Some(step) = machine.step().unwrap() {
        if let Effect::Accesses(accesses) = &step.effect {
            found.push(accesses.clone());
        }
    }
    found.swap_remove(which)
}

/// (bytes, lanes) of each access.
fn sizes(accesses: &[Access]) -> Vec<(u8, u32)> {
    accesses.iter().map(|access| (access.bytes, access.active.count())).collect()
}

#[test]
fn a_fragment_is_loaded_as_ptxas_compiles_it() {
    let product = Product {
        shape: [16, 16, 16],
        layouts: ["row", "row", "row", "col"],
        factor: "f16",
        sum: "f32",
        space: "global",
    };
    let input = vec![0; BYTES / 4];
    let program = kernel::program(&product.text());
    // LDG.E four times for a, four times (with MOVM) for b, LDG.E.64 four times for c; STG.E eight
    // times for a column-major d.
    assert_eq!(sizes(&accesses(&program, &input, 0)), vec![(4, 32); 4]);
    assert_eq!(sizes(&accesses(&program, &input, 1)), vec![(4, 32); 4]);
    assert_eq!(sizes(&accesses(&program, &input, 2)), vec![(8, 32); 4]);
    assert_eq!(sizes(&accesses(&program, &input, 3)), vec![(4, 32); 8]);
    // Lane 5 of the second: row 9, columns 2 and 3 of a, which has rows of 24 elements of 2 bytes.
    let a = accesses(&program, &input, 0);
    assert_eq!(a[1].addrs[5] - a[0].addrs[0], 2 * (9 * 24 + 2));
    // LDSM.16.M88.4 from shared memory: each lane has the address of a row of 16 bytes.
    let product = Product { space: "shared", ..product };
    let a = accesses(&kernel::program(&product.text()), &input, 0);
    assert_eq!(sizes(&a), [(16, 32)]);
    assert_eq!(a[0].space, Space::Shared);
    let offsets = [0, 7, 8, 16, 31].map(|lane| a[0].addrs[lane] - a[0].addrs[0]);
    assert_eq!(offsets, [0, 7 * 48, 8 * 48, 16, 15 * 48 + 16]);
}

/// The words of an 8 x 8 matrix of 16-bit elements, by lane.
fn of_lanes(element: impl Fn(usize, usize) -> u32) -> Vec<u32> {
    let pair = |lane: usize| (lane / 4, lane % 4 * 2);
    (0..32).map(pair).map(|(i, j)| element(i, j) | element(i, j + 1) << 16).collect()
}

#[test]
fn matrices_of_16_bits_are_loaded_stored_and_transposed() {
    // Matrix q has the element 100 q + 10 i + j; its rows are 32 bytes apart.
    let element = |q: usize| move |i: usize, j: usize| (100 * q + 10 * i + j) as u32;
    let mut halves = vec![0_u32; 4 * 8 * 16];
    for q in 0..4 {
        for i in 0..8 {
            (0..8).for_each(|j| halves[(q * 8 + i) * 16 + j] = element(q)(i, j));
        }
    }
    let input: Vec<_> = halves.chunks(2).map(|pair| pair[0] | pair[1] << 16).collect();
    for (count, trans) in [(1, ""), (2, ".trans"), (4, ""), (4, ".trans")] {
        let regs: Vec<_> = (0..count).map(|i| format!("%m{i}")).collect();
        let list = regs.join(", ");
        let mut body = String::from(
            ".shared .align 16 .b8 s[2048];\n.reg .b32 %i, %a, %m<8>; .reg .pred %p;\nmov.u32 %i, %tid;\n\
             copy: mad.wide.u32 %at, %i, 4, %in; ld.global.b32 %a, [%at];\n\
             mad.lo.u32 %m7, %i, 4, 0; st.shared.b32 [%m7], %a;\n\
             add.u32 %i, %i, 32; setp.lt.u32 %p, %i, 256; @%p bra copy;\n\
             mad.lo.u32 %a, %tid, 32, 0;\n",
        );
        let _ = writeln!(
            body,
            "ldmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16 {{{list}}}, [%a];\n\
             mad.lo.u32 %a, %tid, 16, 1024;\n\
             stmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16 [%a], {{{list}}};\n\
             movmatrix.sync.aligned.m8n8.trans.b16 %m6, %m0;\n\
             mad.wide.u32 %at, %tid, 24, %out;\nst.global.b32 [%at+16], %m6;\n\
             mad.lo.u32 %a, %tid, 4, 1024; ld.shared.b32 %a, [%a]; st.global.b32 [%at+20], %a;"
        );
        for (i, reg) in regs.iter().enumerate() {
            let _ = writeln!(body, "st.global.b32 [%at+{}], {reg};", 4 * i);
        }
        let program = kernel::program(&kernel::text(&body));
        let (out, _) = kernel::run(&program, 32, &input, 32 * 6).unwrap();
        let column = |at: usize| out.iter().skip(at).step_by(6).copied().collect::<Vec<_>>();
        let turned = |q: usize, turn: bool| {
            let element = element(q);
            of_lanes(move |i, j| if turn { element(j, i) } else { element(i, j) })
        };
        for q in 0..count {
            assert_eq!(column(q), turned(q, !trans.is_empty()), "{count}{trans} matrix {q}");
        }
        assert_eq!(column(4), turned(0, trans.is_empty()), "movmatrix after {trans}");
        // Stored as they were loaded, the rows are unchanged, now without gaps.
        assert_eq!(column(5), turned(0, false), "stmatrix{trans}");
    }
}

/// Counted on an H200 (driver 580.159, 2026-11-21, Nsight Compute) for one instruction and the
/// addresses of its rows: `smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldsm` for
/// `ldmatrix`, `l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st` for `stmatrix`.
#[test]
fn rows_of_matrices_meet_in_banks_as_on_an_h200() {
    let patterns: Vec<_> = include_str!("../data/sim/h200_matrix_rows.jsonl").lines().collect();
    assert!(patterns.len() > 100, "only {} patterns", patterns.len());
    for pattern in patterns {
        let pattern: serde_json::Value = serde_json::from_str(pattern).unwrap();
        let rows: Vec<u64> =
            pattern["rows"].as_array().unwrap().iter().map(|row| row.as_u64().unwrap()).collect();
        let load = pattern["op"] == "ldmatrix";
        let access = Access {
            space: Space::Shared,
            direction: if load { Direction::Load } else { Direction::Store },
            bytes: 16,
            route: Route::Rows,
            active: LaneMask::first(rows.len() as u32),
            addrs: std::array::from_fn(|lane| rows.get(lane).copied().unwrap_or(0)),
        };
        let wavefronts = u64::from(banks::wavefronts(&access).wavefronts);
        assert_eq!(Some(wavefronts), pattern["wavefronts"].as_u64(), "{pattern}");
    }
}
