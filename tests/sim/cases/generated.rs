//! Kernels of products and sums, generated from a seed: what ptxas may contract, with everything that
//! keeps it from doing so.

use std::fmt::Write;

/// Threads of the one block.
pub(crate) const THREADS: usize = 32;

/// The types, with that of the registers and the bytes of a value.
const TYPES: [(&str, &str, usize); 6] = [
    ("f32", "f32", 4),
    ("f64", "f64", 8),
    ("f16", "b16", 2),
    ("bf16", "b16", 2),
    ("f16x2", "b32", 4),
    ("bf16x2", "b32", 4),
];

/// Values that are loaded for each thread.
const LOADED: usize = 6;

/// The entry point `k(out, in, scale, rounds)`, and what it takes.
pub(crate) struct Generated {
    pub(crate) text: String,
    pub(crate) input: Vec<u32>,
    pub(crate) output_words: usize,
    /// The 8 bytes of the structure `scale`.
    pub(crate) scale: Vec<u8>,
}

/// The kernel of a seed: of one of the types, and every other one without branches.
pub(crate) fn kernel(seed: u64) -> Generated {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5eed);
    let (ty, register, bytes) = TYPES[seed as usize % TYPES.len()];
    let straight = (seed / TYPES.len() as u64).is_multiple_of(2);
    let ftz = matches!(ty, "f32" | "f16" | "f16x2") && random.of(4) == 0;
    let mut body = Body {
        random,
        ty,
        register,
        ftz,
        text: String::new(),
        values: 0,
        products: Vec::new(),
        labels: 0,
    };
    for number in 0..LOADED {
        let (at, width) = (number * THREADS * bytes, 8 * bytes);
        let value = body.fresh();
        let _ = writeln!(body.text, "ld.global.b{width} {value}, [%in+{at}];");
    }
    let value = body.fresh();
    let _ = writeln!(body.text, "ld.param.b{} {value}, [scale];", 8 * bytes);
    let length = 6 + body.random.of(14);
    body.statements(length, if straight { 0 } else { 2 });
    let stored: Vec<_> = (0..7).map(|_| body.any()).collect();
    for (number, value) in stored.iter().enumerate() {
        let (at, width) = (number * THREADS * bytes, 8 * bytes);
        let _ = writeln!(body.text, "st.global.b{width} [%out+{at}], {value};");
    }
    let Body { mut random, text, values, .. } = body;
    let head = format!(
        ".version 7.8\n.target sm_90\n.address_size 64\n\
         .visible .entry k(.param .u64 out, .param .u64 in, .param .align 8 .b8 scale[8], .param .u32 rounds)\n{{\n\
         .reg .b64 %out, %in, %at; .reg .b32 %t, %rounds, %i<9>, %bits; .reg .pred %p, %q, %l;\n\
         .reg .{register} %v<{values}>;\n\
         ld.param.u64 %out, [out]; ld.param.u64 %in, [in]; ld.param.u32 %rounds, [rounds];\n\
         cvta.to.global.u64 %out, %out; cvta.to.global.u64 %in, %in;\n\
         mov.u32 %t, %tid.x; mul.wide.u32 %at, %t, {bytes};\n\
         add.u64 %out, %out, %at; add.u64 %in, %in, %at;\n\
         and.b32 %bits, %t, 1; setp.eq.u32 %p, %bits, 0; and.b32 %bits, %t, 6; setp.lt.u32 %q, %bits, 4;\n"
    );
    let mut number = || random.number(ty);
    let per_word = if bytes == 8 { 2 } else { 1 };
    let words = LOADED * THREADS * bytes / 4;
    let input = (0..words / per_word).flat_map(|_| number()).take(words).collect();
    let scale = number().into_iter().chain([0, 0]).take(2).flat_map(u32::to_le_bytes).collect();
    let output_words = stored.len() * THREADS * bytes / 4;
    Generated { text: format!("{head}{text}ret;\n}}\n"), input, output_words, scale }
}

/// A kernel while it is written.
struct Body {
    random: Random,
    ty: &'static str,
    register: &'static str,
    ftz: bool,
    text: String,
    /// `%v0` and so on, which hold values from here on.
    values: usize,
    /// Those that held a product last: sums take these, and little else does.
    products: Vec<usize>,
    labels: usize,
}

impl Body {
    fn fresh(&mut self) -> String {
        self.values += 1;
        format!("%v{}", self.values - 1)
    }

    /// A value, of the latest more often, and seldom a product.
    fn any(&mut self) -> String {
        let (mut value, mut left) = (0, 6);
        while left > 0 {
            let back = self.random.of(self.values).min(self.random.of(self.values));
            value = self.values - 1 - back;
            left = if self.products.contains(&value) { left - 1 } else { 0 };
        }
        format!("%v{value}")
    }

    /// A summand: a product more often than not.
    fn summand(&mut self) -> String {
        let known: Vec<_> =
            self.products.iter().filter(|one| **one < self.values).copied().collect();
        let back = self.random.of(known.len()).min(self.random.of(known.len()));
        match known.len().checked_sub(1 + back) {
            Some(at) if self.random.of(10) < 7 => format!("%v{}", known[at]),
            _ => self.any(),
        }
    }

    /// Notes what a register holds from here on.
    fn holds(&mut self, target: &str, line: &str) {
        let value = target[2..].parse().unwrap_or(0);
        self.products.retain(|product| *product != value);
        if line.starts_with("mul") {
            self.products.push(value);
        }
    }

    /// A new register, or now and then one that holds a value already.
    fn target(&mut self) -> String {
        if self.random.of(8) == 0 { self.any() } else { self.fresh() }
    }

    fn statements(&mut self, count: usize, depth: usize) {
        for _ in 0..count {
            match self.random.of(14) {
                0 if depth > 0 => self.branch(depth),
                1 if depth > 0 => self.rounds(depth),
                2 if depth > 0 => {
                    let guard = ["@%p ", "@!%p ", "@%q "][self.random.of(3)];
                    let target = self.any();
                    self.operation(guard, &target);
                }
                3 if depth > 0 && self.random.of(3) == 0 => {
                    // A barrier only where all threads come to it.
                    let value = self.any();
                    let stored = format!("@%p st.global.{} [%out], {value};", self.register);
                    let others = ["membar.gl;", &stored, "bar.sync 0;"];
                    let other = others[self.random.of(if depth == 2 { 3 } else { 2 })];
                    let _ = writeln!(self.text, "{other}");
                }
                _ => {
                    // The operands come first: a new register holds nothing yet.
                    let before = self.values;
                    let target = self.target();
                    let after = std::mem::replace(&mut self.values, before);
                    self.operation("", &target);
                    self.values = after;
                }
            }
        }
    }

    /// An `if`; what it computes is used in it, or takes the place of what was before.
    fn branch(&mut self, depth: usize) {
        self.labels += 1;
        let (label, before) = (self.labels, self.values);
        let guard = ["%p", "!%p", "%q"][self.random.of(3)];
        let _ = writeln!(self.text, "@{guard} bra L{label};");
        self.inside(depth);
        let _ = writeln!(self.text, "L{label}:");
        self.forget(before);
    }

    fn rounds(&mut self, depth: usize) {
        self.labels += 1;
        let (label, before) = (self.labels, self.values);
        if label > 8 {
            return;
        }
        let _ = writeln!(self.text, "mov.u32 %i{label}, 0;\n.pragma \"nounroll\";\nL{label}:");
        self.inside(depth);
        let _ = writeln!(
            self.text,
            "add.u32 %i{label}, %i{label}, 1; setp.lt.u32 %l, %i{label}, %rounds; @%l bra L{label};"
        );
        self.forget(before);
    }

    fn inside(&mut self, depth: usize) {
        let (before, count) = (self.values, 1 + self.random.of(4));
        self.statements(count, depth - 1);
        let (kept, last) = (self.random.of(before), self.any());
        let _ = writeln!(self.text, "mov.{} %v{kept}, {last};", self.copied());
    }

    /// The values since `before` are not set on every way: others take their registers.
    fn forget(&mut self, before: usize) {
        self.products.retain(|product| *product < before);
        for value in before..self.values {
            let source = self.random.of(before);
            let _ = writeln!(self.text, "mov.{} %v{value}, %v{source};", self.copied());
        }
    }

    fn copied(&self) -> &'static str {
        self.register
    }

    fn operation(&mut self, guard: &str, target: &str) {
        let ty = self.ty;
        let [a, b, c] = [self.any(), self.any(), self.any()];
        let [x, y] = [self.summand(), self.summand()];
        let ftz = if self.ftz && self.random.of(12) > 0 { ".ftz" } else { "" };
        let rounded = if self.random.of(24) == 0 { ".rn" } else { "" };
        let clamps = ty != "f64" && !ty.starts_with("bf") && self.random.of(24) == 0;
        let sat = if clamps { ".sat" } else { "" };
        let line = match self.random.of(20) {
            0..8 => format!("mul{rounded}{ftz}{sat}.{ty} {target}, {a}, {b};"),
            8..11 => format!("add{rounded}{ftz}{sat}.{ty} {target}, {x}, {y};"),
            11..14 => format!("sub{rounded}{ftz}{sat}.{ty} {target}, {x}, {y};"),
            14 => format!("neg{ftz}.{ty} {target}, {x};"),
            15 => format!("mov.{} {target}, {x};", self.copied()),
            16 => format!("fma.rn{ftz}.{ty} {target}, {a}, {b}, {c};"),
            17 => format!("max{ftz}.{ty} {target}, {a}, {b};"),
            18 if ty == "f32" => format!("mul{ftz}.f32 {target}, {a}, 0f3FC00000;"),
            18 if ty == "f64" => format!("mul.f64 {target}, {a}, 0d3FF8000000000000;"),
            18 => format!("mul{ftz}.{ty} {target}, {a}, {a};"),
            _ => format!("selp.{} {target}, {a}, {b}, %q;", self.copied()),
        };
        let _ = writeln!(self.text, "{guard}{line}");
        self.holds(target, &line);
    }
}

/// Vigna's SplitMix64.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ bits >> 31
    }

    fn of(&mut self, count: usize) -> usize {
        (self.next() % count.max(1) as u64) as usize
    }

    /// The words of numbers of a type, of magnitudes from 1/2 to 2.
    pub(crate) fn number(&mut self, ty: &str) -> Vec<u32> {
        let bits = self.next();
        let half = |bits: u64, one: u64, below: u64| {
            (bits & 0x8000) as u32 | (one - below + bits % (2 * below)) as u32
        };
        match ty {
            "f32" => {
                vec![(bits as u32 & 0x8000_0000) | (0x3f00_0000 + (bits >> 33) as u32 % 0x100_0000)]
            }
            "f64" => {
                let wide = (bits & 1 << 63) | (0x3fe0_0000_0000_0000 + bits % 0x20_0000_0000_0000);
                vec![wide as u32, (wide >> 32) as u32]
            }
            _ => {
                let (one, below) =
                    if ty.starts_with("bf") { (0x3f80, 0x80) } else { (0x3c00, 0x400) };
                vec![half(bits, one, below) | half(bits >> 32, one, below) << 16]
            }
        }
    }
}
