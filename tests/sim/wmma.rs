//! `wmma` of every type: whole products between memory and memory, in every layout and space, and
//! the accesses that a fragment makes.

use crate::kernel;
use matviz::sim::{Effect, Route};
use std::fmt::Write;

/// A product whose factors have this type.
#[derive(Clone, Copy, Debug)]
struct Product {
    shape: [usize; 3],
    factor: &'static str,
    sum: &'static str,
    /// Of a, b, c and d.
    layouts: [&'static str; 4],
    space: &'static str,
    /// `.xor` or `.and`, for single bits.
    of_bits: &'static str,
}

/// The byte offsets of the matrices, in a memory of [`BYTES`].
const AT: [usize; 4] = [0, 4096, 8192, 12288];
const BYTES: usize = 16384;

const fn bits(ty: &str) -> usize {
    match ty.as_bytes() {
        b"b1" => 1,
        b"s4" | b"u4" => 4,
        b"s8" | b"u8" => 8,
        b"f64" => 64,
        _ => 32,
    }
}

/// The bits of an integer as an element.
fn encoded(ty: &str, value: i64) -> u64 {
    match ty {
        "f64" => (value as f64).to_bits(),
        "f32" | "tf32" => (value as f32).to_bits().into(),
        _ => value as u64 & ((1 << bits(ty)) - 1),
    }
}

/// Element `x`, `y` of a factor: all of the type's range, different along both sides.
fn element(ty: &str, x: usize, y: usize) -> i64 {
    let mixed = (x * 37 + y * 91 + x * y * 13) as i64;
    match ty {
        "b1" => mixed / 3 % 2,
        "s4" => mixed % 16 - 8,
        "u4" => mixed % 16,
        "s8" => mixed % 256 - 128,
        "u8" => mixed % 256,
        _ => mixed % 401 - 200,
    }
}

impl Product {
    fn ty(self, matrix: usize) -> &'static str {
        if matrix < 2 { self.factor } else { self.sum }
    }

    fn sides(self, matrix: usize) -> (usize, usize) {
        let [m, n, k] = self.shape;
        [(m, k), (k, n), (m, n), (m, n)][matrix]
    }

    /// Elements from one line to the next: 16 bytes more than a line has.
    fn stride(self, matrix: usize) -> usize {
        let (rows, columns) = self.sides(matrix);
        let line = if self.layouts[matrix] == "row" { columns } else { rows };
        line + 128 / bits(self.ty(matrix))
    }

    /// The first bit of an element in memory.
    fn place(self, matrix: usize, row: usize, column: usize) -> usize {
        let row_major = self.layouts[matrix] == "row";
        let (line, along) = if row_major { (row, column) } else { (column, row) };
        8 * AT[matrix] + (line * self.stride(matrix) + along) * bits(self.ty(matrix))
    }

    fn count(self, matrix: usize) -> usize {
        let ((rows, columns), bits) = (self.sides(matrix), bits(self.ty(matrix)));
        rows * columns * bits / 32 / bits.max(32)
    }

    fn list(self, name: &str, matrix: usize) -> String {
        let names: Vec<_> = (0..self.count(matrix)).map(|i| format!("{name}{i}")).collect();
        names.join(", ")
    }

    /// Declares the registers, and copies `in` to where the fragments are loaded from.
    fn opening(self) -> String {
        let mut body = String::from(".reg .b64 %base; .reg .b32 %i, %w; .reg .pred %p;\n");
        let shared = self.space == "shared";
        if shared {
            let _ = writeln!(body, ".shared .align 128 .b8 tile[{BYTES}];\nmov.u64 %base, tile;");
        } else {
            body.push_str("mov.b64 %base, %out;\n");
        }
        let space = if shared { "shared" } else { "global" };
        let _ = writeln!(
            body,
            "mov.u32 %i, %tid;\ncopy: mad.wide.u32 %at, %i, 4, %in; ld.global.b32 %w, [%at];\n\
             mad.wide.u32 %at, %i, 4, %base; st.{space}.b32 [%at], %w;\n\
             add.u32 %i, %i, 32; setp.lt.u32 %p, %i, {}; @%p bra copy;",
            BYTES / 4
        );
        for (name, matrix) in [("a", 0), ("b", 1), ("c", 2)] {
            let ty = if bits(self.ty(matrix)) == 64 { "f64" } else { "b32" };
            let _ = writeln!(body, ".reg .{ty} {};", self.list(name, matrix));
        }
        body
    }

    fn load(self, name: &str, matrix: usize) -> String {
        let [m, n, k] = self.shape;
        let dot = if self.space.is_empty() { "" } else { "." };
        format!(
            "add.u64 %at, %base, {};\n\
             wmma.load.{name}.sync.aligned.{}.m{m}n{n}k{k}{dot}{}.{} {{{}}}, [%at], {};\n",
            AT[matrix],
            self.layouts[matrix],
            self.space,
            self.ty(matrix),
            self.list(name, matrix),
            self.stride(matrix)
        )
    }

    /// Loads, multiplies and stores: from and to `out`.
    fn text(self) -> String {
        let [m, n, k] = self.shape;
        let Self { factor, sum, layouts: [la, lb, _, ld], space, of_bits, .. } = self;
        let mut body = self.opening();
        for (name, matrix) in [("a", 0), ("b", 1), ("c", 2)] {
            body.push_str(&self.load(name, matrix));
        }
        let [a, b, c] = [("a", 0), ("b", 1), ("c", 2)].map(|(name, i)| self.list(name, i));
        let popc = if of_bits.is_empty() { "" } else { ".popc" };
        let dot = if space.is_empty() { "" } else { "." };
        let _ = writeln!(
            body,
            "wmma.mma{of_bits}{popc}.sync.aligned.{la}.{lb}.m{m}n{n}k{k}.{sum}.{factor}.{factor}.{sum} \
             {{{c}}}, {{{a}}}, {{{b}}}, {{{c}}};\nadd.u64 %at, %base, {};\n\
             wmma.store.d.sync.aligned.{ld}.m{m}n{n}k{k}{dot}{space}.{sum} [%at], {{{c}}}, {};",
            AT[3],
            self.stride(3)
        );
        if space == "shared" {
            let _ = writeln!(
                body,
                "mov.u32 %i, %tid;\nback: mad.wide.u32 %at, %i, 4, %base; ld.shared.b32 %w, [%at];\n\
                 mad.wide.u32 %at, %i, 4, %out; st.global.b32 [%at], %w;\n\
                 add.u32 %i, %i, 32; setp.lt.u32 %p, %i, {}; @%p bra back;",
                BYTES / 4
            );
        }
        kernel::text(&body)
    }

    /// The memory with a, b and c in it.
    fn input(self) -> Vec<u32> {
        let mut words = vec![0_u32; BYTES / 4];
        for matrix in 0..3 {
            let (rows, columns) = self.sides(matrix);
            for (row, column) in (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j))) {
                let value = self.value(matrix, row, column);
                let (at, value) =
                    (self.place(matrix, row, column), encoded(self.ty(matrix), value));
                words[at / 32] |= (value << (at % 32)) as u32;
                if bits(self.ty(matrix)) == 64 {
                    words[at / 32 + 1] = (value >> 32) as u32;
                }
            }
        }
        words
    }

    fn value(self, matrix: usize, row: usize, column: usize) -> i64 {
        match matrix {
            0 => element(self.factor, row, column),
            1 => element(self.factor, column + 5, row + 3),
            _ => (row * 31 + column * 7) as i64 - 99,
        }
    }

    fn check(self) {
        let [m, n, k] = self.shape;
        let program = kernel::program(&self.text());
        let (out, _) = kernel::run(&program, 32, &self.input(), BYTES / 4).unwrap();
        for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))) {
            let product = |k| {
                let (a, b) = (self.value(0, i, k), self.value(1, k, j));
                match self.of_bits {
                    ".xor" => a ^ b,
                    ".and" => a & b,
                    _ => a * b,
                }
            };
            let sum = self.value(2, i, j) + (0..k).map(product).sum::<i64>();
            let at = self.place(3, i, j) / 32;
            let wide = bits(self.sum) == 64;
            let met = u64::from(out[at]) | if wide { u64::from(out[at + 1]) << 32 } else { 0 };
            assert_eq!(met, encoded(self.sum, sum), "{self:?} at {i}, {j}");
        }
    }
}

/// Every shape of every type but those of 16 bits, which `fragments` has.
fn products() -> Vec<Product> {
    let mut all = Vec::new();
    let mut add = |shape, factor, sum, of_bits| {
        let layouts = ["row", "col", "row", "row"];
        all.push(Product { shape, factor, sum, layouts, space: "global", of_bits });
    };
    for shape in [[16, 16, 16], [32, 8, 16], [8, 32, 16]] {
        add(shape, "s8", "s32", "");
        add(shape, "u8", "s32", "");
    }
    add([16, 16, 8], "tf32", "f32", "");
    add([8, 8, 4], "f64", "f64", "");
    add([8, 8, 32], "s4", "s32", "");
    add([8, 8, 32], "u4", "s32", "");
    add([8, 8, 128], "b1", "s32", ".xor");
    add([8, 8, 128], "b1", "s32", ".and");
    all
}

#[test]
fn every_type_is_multiplied_in_every_layout_and_space() {
    let either = ["row", "col"];
    for product in products() {
        for space in ["global", "shared", ""] {
            for choice in 0..16 {
                let layouts = [0, 1, 2, 3].map(|matrix| either[choice >> matrix & 1]);
                if bits(product.factor) >= 8 || layouts[..2] == ["row", "col"] {
                    Product { layouts, space, ..product }.check();
                }
            }
        }
    }
}

/// (route, bytes, lanes, number) of the accesses of the matrix `name`.
fn accesses(product: Product, name: &str, matrix: usize) -> (Route, u8, u32, usize) {
    let program =
        kernel::program(&kernel::text(&(product.opening() + &product.load(name, matrix))));
    let (mut machine, _) = kernel::machine(&program, 32, &product.input(), BYTES / 4);
    while let Some(step) = machine.step().unwrap() {
        if let Effect::Accesses(accesses) = &step.effect {
            let kind =
                |i: usize| (accesses[i].route, accesses[i].bytes, accesses[i].active.count());
            assert!((0..accesses.len()).all(|i| kind(i) == kind(0)), "{product:?}");
            let (route, bytes, lanes) = kind(0);
            return (route, bytes, lanes, accesses.len());
        }
    }
    panic!("no access")
}

/// As in the machine code of ptxas 12.9 for sm_90, read with nvdisasm.
#[test]
fn a_fragment_of_every_type_is_loaded_as_ptxas_compiles_it() {
    let of = |factor: &str, m| {
        let mut all = products().into_iter();
        all.find(|product| product.factor == factor && product.shape[0] == m).unwrap()
    };
    let with = |product: Product, space, matrix: usize, layout| {
        let mut layouts = product.layouts;
        layouts[matrix] = layout;
        accesses(Product { layouts, space, ..product }, ["a", "b", "c"][matrix], matrix)
    };
    let (lanes, rows) = (Route::Lanes, Route::Rows);
    // LDG.E; LDG.E.U8; LDSM.16.M88.2 and LDSM.16.M88; LDS.U8.
    assert_eq!(with(of("s8", 16), "global", 0, "row"), (lanes, 4, 32, 2));
    assert_eq!(with(of("s8", 16), "global", 0, "col"), (lanes, 1, 32, 8));
    assert_eq!(with(of("s8", 16), "shared", 0, "row"), (rows, 16, 16, 1));
    assert_eq!(with(of("s8", 16), "shared", 1, "row"), (lanes, 1, 32, 8));
    assert_eq!(with(of("u8", 32), "shared", 0, "row"), (rows, 16, 16, 2));
    assert_eq!(with(of("u8", 32), "shared", 1, "col"), (rows, 16, 8, 1));
    // LDG.E and LDS, one element for each lane, however they lie.
    for (space, layout) in [("global", "row"), ("global", "col"), ("shared", "row")] {
        assert_eq!(with(of("tf32", 16), space, 0, layout), (lanes, 4, 32, 4));
        assert_eq!(with(of("tf32", 16), space, 1, layout), (lanes, 4, 32, 4));
        assert_eq!(with(of("f64", 8), space, 0, layout), (lanes, 8, 32, 1));
    }
    // LDG.E.128, two of LDG.E.64; LDG.E.64, two of LDG.E.
    assert_eq!(with(of("f64", 8), "global", 2, "row"), (lanes, 16, 32, 1));
    assert_eq!(with(of("f64", 8), "global", 2, "col"), (lanes, 8, 32, 2));
    assert_eq!(with(of("s4", 8), "global", 2, "row"), (lanes, 8, 32, 1));
    assert_eq!(with(of("s4", 8), "global", 2, "col"), (lanes, 4, 32, 2));
    assert_eq!(with(of("s8", 8), "global", 2, "row"), (lanes, 4, 32, 8));
    assert_eq!(with(of("s8", 8), "global", 2, "col"), (lanes, 8, 32, 4));
    assert_eq!(with(of("b1", 8), "shared", 0, "row"), (rows, 16, 8, 1));
    assert_eq!(with(of("b1", 8), "global", 1, "col"), (lanes, 4, 32, 1));
}

/// ptxas (12.9) makes four of HMMA.1684 of it: two sums of four products are not one of eight.
#[test]
fn tf32_is_summed_by_four_products_at_a_time() {
    let product = products().into_iter().find(|product| product.factor == "tf32").unwrap();
    let mut body = product.opening();
    body.push_str(".reg .b32 d0, d1, d2, d3, e0, e1, e2, e3;\n");
    for (name, matrix) in [("a", 0), ("b", 1), ("c", 2)] {
        body.push_str(&product.load(name, matrix));
    }
    let mma = |k: u8, d: &str, a: &str, b: &str, c: &str| {
        format!(
            "mma.sync.aligned.m16n8k{k}.row.col.f32.tf32.tf32.f32 {d}, {{{a}}}, {{{b}}}, {c};\n"
        )
    };
    let (c, d, e) = ("{c0, c1, c2, c3}", "{d0, d1, d2, d3}", "{e0, e1, e2, e3}");
    body.push_str(&mma(4, d, "a0, a1", "b0", c));
    body.push_str(&mma(4, d, "a2, a3", "b1", d));
    body.push_str(&mma(8, e, "a0, a1, a2, a3", "b0, b1", c));
    let [a, b, c] = [("a", 0), ("b", 1), ("c", 2)].map(|(name, i)| product.list(name, i));
    let _ = writeln!(
        body,
        "wmma.mma.sync.aligned.row.col.m16n16k8.f32.tf32.tf32.f32 {{{c}}}, {{{a}}}, {{{b}}}, {{{c}}};\n\
         mad.wide.u32 %at, %tid, 48, %out;"
    );
    for (index, name) in ["c", "d", "e"].into_iter().enumerate() {
        for i in 0..4 {
            let _ = writeln!(body, "st.global.b32 [%at+{}], {name}{i};", 16 * index + 4 * i);
        }
    }
    // Sums far larger than what is added to them: what is cut off depends on when.
    let mut input = product.input();
    let scaled = |word: &u32, at: usize| {
        let value = f32::from_bits(*word) * (1.0 + 1.0 / 1024.0) * 4.0_f32.powi(at as i32 % 13);
        value.to_bits()
    };
    input = input.iter().enumerate().map(|(at, word)| scaled(word, at)).collect();
    let program = kernel::program(&kernel::text(&body));
    let (out, _) = kernel::run(&program, 32, &input, BYTES / 4).unwrap();
    let lanes: Vec<_> = out.chunks(12).take(32).collect();
    assert!(lanes.iter().all(|lane| lane[..4] == lane[4..8]), "{lanes:x?}");
    assert!(lanes.iter().any(|lane| lane[..4] != lane[8..]), "the two ways differ nowhere");
}
