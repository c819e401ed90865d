//! Tensor-core instructions: the elements of each lane, by the manual's formulas, and their sums,
//! by the published model in float64.

use crate::exact::{BF16, F16, F32, F64, Format, Mode, TF32};
use crate::kernel;
use matviz::sim::Program;
use proptest::prelude::*;
use std::fmt::Write;
use std::sync::Arc;

/// One form of `mma`.
#[derive(Clone, Copy, Debug)]
struct Form {
    m: usize,
    k: usize,
    /// The types of a, b, and of c and d.
    types: [&'static str; 3],
}

const fn form(m: usize, k: usize, a: &'static str, b: &'static str, c: &'static str) -> Form {
    Form { m, k, types: [a, b, c] }
}

const N: usize = 8;

/// Bits of a register that an element takes.
fn width(ty: &str) -> usize {
    match ty {
        "s4" | "u4" => 4,
        "s8" | "u8" => 8,
        "f16" | "bf16" => 16,
        "f64" => 64,
        _ => 32,
    }
}

impl Form {
    /// The number of elements of a, of b and of c in each lane.
    fn held(self) -> [usize; 3] {
        [self.m * self.k / 32, self.k * N / 32, self.m * N / 32]
    }

    /// Row and column of element `i` of a in a lane (PTX ISA, the figures of each shape).
    fn of_a(self, lane: usize, i: usize) -> (usize, usize) {
        let (group, thread) = (lane / 4, lane % 4);
        let per = (32 / width(self.types[0])).max(1);
        if self.m == 8 {
            return (group, thread * per + i % per);
        }
        let lower = i / per % 2 == 1;
        let right = i / (2 * per);
        (group + 8 * usize::from(lower), thread * per + i % per + right * 4 * per)
    }

    fn of_b(self, lane: usize, i: usize) -> (usize, usize) {
        let per = (32 / width(self.types[1])).max(1);
        (lane % 4 * per + i % per + i / per * 4 * per, lane / 4)
    }

    fn of_c(lane: usize, i: usize) -> (usize, usize) {
        (lane / 4 + 8 * usize::from(i >= 2), lane % 4 * 2 + i % 2)
    }

    /// Words per lane for this number of elements.
    fn words(count: usize, ty: &str) -> usize {
        count * width(ty) / 32
    }

    /// The instruction, which reads its registers' words, lane by lane, and stores those of d.
    fn program(self, extra: &str) -> Arc<Program> {
        let [ca, cb, cc] = self.held();
        let [ta, tb, tc] = self.types;
        let mut body = String::new();
        let mut at = 0;
        let total = Self::words(ca, ta) + Self::words(cb, tb) + Self::words(cc, tc);
        let _ = writeln!(body, "mad.wide.u32 %at, %tid, {}, %in;", 4 * total);
        let mut lists = Vec::new();
        for (name, count, ty) in [("a", ca, ta), ("b", cb, tb), ("c", cc, tc)] {
            let (register, size) = if ty == "f64" { ("f64", 8) } else { ("b32", 4) };
            let names: Vec<_> =
                (0..Self::words(count, ty) * 4 / size).map(|i| format!("{name}{i}")).collect();
            for one in &names {
                let _ = writeln!(
                    body,
                    ".reg .{register} {one};\nld.global.{register} {one}, [%at+{at}];"
                );
                at += size;
            }
            lists.push(format!("{{{}}}", names.join(", ")));
        }
        let d = lists[2].clone();
        let (m, k) = (self.m, self.k);
        let (before, after) = if extra.ends_with("popc") { ("", extra) } else { (extra, "") };
        let _ = writeln!(
            body,
            "mma.sync.aligned.m{m}n8k{k}.row.col{before}.{tc}.{ta}.{tb}.{tc}{after} {d}, {}, {}, {d};",
            lists[0], lists[1]
        );
        let words = Self::words(cc, tc);
        let _ = writeln!(body, "mad.wide.u32 %at, %tid, {}, %out;", 4 * words);
        let (register, size) = if tc == "f64" { ("f64", 8) } else { ("b32", 4) };
        for i in 0..words * 4 / size {
            let _ = writeln!(body, "st.global.{register} [%at+{}], c{i};", size * i);
        }
        kernel::program(&kernel::text(&body))
    }

    /// Runs it on matrices of bits; returns d row by row.
    fn run(
        self,
        program: &Arc<Program>,
        [a, b, c]: [&dyn Fn(usize, usize) -> u64; 3],
    ) -> Vec<Vec<u64>> {
        let counts = self.held();
        let mut input = Vec::new();
        for lane in 0..32 {
            let mut pack = |count: usize, ty: &str, of: &dyn Fn(usize) -> u64| {
                let mut bits = vec![0_u32; Self::words(count, ty)];
                for i in 0..count {
                    let (bit, value) = (i * width(ty), of(i));
                    bits[bit / 32] |= (value << (bit % 32)) as u32;
                    if width(ty) == 64 {
                        bits[bit / 32 + 1] = (value >> 32) as u32;
                    }
                }
                input.extend(bits);
            };
            let [ta, tb, tc] = self.types;
            pack(counts[0], ta, &|i| a(self.of_a(lane, i).0, self.of_a(lane, i).1));
            pack(counts[1], tb, &|i| b(self.of_b(lane, i).0, self.of_b(lane, i).1));
            pack(counts[2], tc, &|i| c(Self::of_c(lane, i).0, Self::of_c(lane, i).1));
        }
        let (ty, count) = (self.types[2], counts[2]);
        let words = Self::words(count, ty);
        let (out, _) = kernel::run(program, 32, &input, 32 * words).unwrap();
        let mut d = vec![vec![0; N]; self.m];
        for lane in 0..32 {
            for i in 0..count {
                let (row, column) = Self::of_c(lane, i);
                let bit = i * width(ty);
                let word = &out[lane * words + bit / 32..];
                let wide =
                    u64::from(word[0]) | if width(ty) == 64 { u64::from(word[1]) << 32 } else { 0 };
                d[row][column] = wide >> (bit % 32) & (u64::MAX >> (64 - width(ty)));
            }
        }
        d
    }
}

const FLOATS: [Form; 8] = [
    form(16, 8, "f16", "f16", "f32"),
    form(16, 16, "f16", "f16", "f32"),
    form(16, 8, "f16", "f16", "f16"),
    form(16, 16, "f16", "f16", "f16"),
    form(16, 8, "bf16", "bf16", "f32"),
    form(16, 16, "bf16", "bf16", "f32"),
    form(16, 4, "tf32", "tf32", "f32"),
    form(16, 8, "tf32", "tf32", "f32"),
];

fn format(ty: &str) -> Format {
    match ty {
        "f16" => F16,
        "bf16" => BF16,
        "tf32" => TF32,
        _ => F32,
    }
}

/// A number as significand and exponent: 1 <= |significand| < 2, less for subnormals.
fn split(format: Format, bits: u64) -> (f64, i32) {
    let fields = 1_u64 << (format.bits - format.fraction - 1);
    let field = (bits & format.nan()) >> format.fraction;
    let fraction =
        (bits & ((1 << format.fraction) - 1)) as f64 / 2.0_f64.powi(format.fraction as i32);
    let magnitude = fraction + f64::from(u8::from(field > 0));
    let exponent = field.max(1) as i32 - (fields as i32 / 2 - 1);
    (if format.is_negative(bits) { -magnitude } else { magnitude }, exponent)
}

fn value(format: Format, bits: u64) -> f64 {
    if format.is_nan(bits) {
        return f64::NAN;
    }
    let sign = if format.is_negative(bits) { -1.0 } else { 1.0 };
    if format.is_infinite(bits) {
        return sign * f64::INFINITY;
    }
    let (significand, exponent) = split(format, bits);
    significand * 2.0_f64.powi(exponent)
}

/// One block of products and c, as in MMA-Sim (`truncated_fused_sum`): F = 25 for Hopper.
fn fused(factor: Format, sum: Format, pairs: &[(u64, u64)], c: u64) -> u64 {
    let naive = pairs.iter().map(|(a, b)| value(factor, *a) * value(factor, *b)).sum::<f64>();
    let naive = naive + value(sum, c);
    if naive.is_nan() {
        return sum.nan();
    }
    if naive.is_infinite() {
        return sum.infinity() | if naive < 0.0 { sum.sign() } else { 0 };
    }
    let mut terms: Vec<_> = pairs
        .iter()
        .map(|(a, b)| {
            let ((a, ea), (b, eb)) = (split(factor, *a), split(factor, *b));
            (a * b, ea + eb)
        })
        .collect();
    terms.push(split(sum, c));
    for (significand, exponent) in &mut terms {
        if *significand == 0.0 {
            *exponent = -126;
        }
    }
    let top = terms.iter().map(|(_, exponent)| *exponent).max().unwrap();
    let cut = |(s, e): &(f64, i32)| (s * 2.0_f64.powi((e - top + 25).max(-1000))).trunc();
    let total: f64 = terms.iter().map(cut).sum();
    // Every step so far is exact in float64, and so are these powers of two.
    let exact = total * 2.0_f64.powi((top - 25) / 2) * 2.0_f64.powi((top - 25) - (top - 25) / 2);
    if sum.bits == 16 {
        return half(exact);
    }
    cut_to_single(exact)
}

/// Rounds to float16, to nearest even, by searching for the nearest number.
fn half(exact: f64) -> u64 {
    let exact_value = F64.value(exact.to_bits());
    let bits = F16.round(&exact_value, Mode::Nearest);
    // A zero has no sign, as on an H200.
    if bits == F16.sign() { 0 } else { bits }
}

/// Rounds to float32 towards zero, but to infinity beyond its range.
fn cut_to_single(exact: f64) -> u64 {
    if exact == 0.0 {
        return 0;
    }
    if exact.abs() >= 2.0_f64.powi(128) {
        return F32.infinity() | if exact < 0.0 { F32.sign() } else { 0 };
    }
    F32.round(&F64.value(exact.to_bits()), Mode::Zero)
}

/// Random numbers of a format: often close to each other, sometimes at the ends of the range,
/// rarely not numbers.
fn number(format: Format, wild: bool) -> impl Strategy<Value = u64> {
    let Format { bits, fraction } = format;
    let fields = 1_u64 << (bits - fraction - 1);
    let special = u32::from(wild);
    let field = prop_oneof![
        12 => fields / 2 - 6..fields / 2 + 5,
        6 => fields / 2 - 14..fields / 2 + 14,
        2 => 0..fields - 1,
        2 => Just(0),
        special => Just(fields - 1),
    ];
    let low = prop_oneof![4 => any::<u64>(), 1 => Just(0), 1 => Just(u64::MAX)];
    (any::<bool>(), field, low).prop_map(move |(sign, field, low)| {
        u64::from(sign) << (bits - 1) | field << fraction | low & ((1 << fraction) - 1)
    })
}

fn check(
    form: Form,
    program: &Arc<Program>,
    a: &[u64],
    b: &[u64],
    c: &[u64],
) -> Result<(), TestCaseError> {
    let [ta, _, tc] = form.types;
    let shift = if ta == "tf32" { 13 } else { 0 };
    let at_a = |row: usize, k: usize| a[row * form.k + k];
    let at_b = |k: usize, column: usize| b[k * N + column];
    let at_c = |row: usize, column: usize| c[row * N + column];
    // The bits that tf32 ignores are noise.
    let noise = |bits: u64| bits << shift | ((bits * 77) & ((1 << shift) - 1));
    let d = form.run(program, [&|i, j| noise(at_a(i, j)), &|i, j| noise(at_b(i, j)), &at_c]);
    for (row, line) in d.iter().enumerate() {
        for (column, met) in line.iter().enumerate() {
            let pairs: Vec<_> = (0..form.k).map(|k| (at_a(row, k), at_b(k, column))).collect();
            let expected = fused(format(ta), format(tc), &pairs, at_c(row, column));
            prop_assert!(
                *met == expected,
                "{form:?}: {pairs:x?} + {:x} is {met:x}, not {expected:x}",
                at_c(row, column)
            );
        }
    }
    Ok(())
}

#[test]
fn sums_are_those_of_the_published_model() {
    for form in FLOATS {
        let program = form.program("");
        for wild in [false, true] {
            let config = ProptestConfig {
                cases: 24,
                failure_persistence: None,
                ..ProptestConfig::default()
            };
            let [fa, fc] = [form.types[0], form.types[2]].map(format);
            let strategy = (
                prop::collection::vec(number(fa, wild), form.m * form.k),
                prop::collection::vec(number(fa, wild), form.k * N),
                prop::collection::vec(number(fc, wild), form.m * N),
            );
            let mut runner = proptest::test_runner::TestRunner::new(config);
            runner.run(&strategy, |(a, b, c)| check(form, &program, &a, &b, &c)).unwrap();
        }
    }
}

#[test]
fn small_integers_multiply_exactly() {
    for form in FLOATS {
        let program = form.program("");
        let [fa, fc] = [form.types[0], form.types[2]].map(format);
        let bits = |format: Format, value: i64| {
            let exact = F64.value((value as f64).to_bits());
            format.round(&exact, Mode::Nearest)
        };
        let (a, b) = (
            |i: usize, k: usize| ((i * 3 + k * 5) % 7) as i64 - 3,
            |k: usize, j: usize| ((k + j * 2) % 5) as i64 - 2,
        );
        let shift = if form.types[0] == "tf32" { 13 } else { 0 };
        let d = form.run(
            &program,
            [&|i, k| bits(fa, a(i, k)) << shift, &|k, j| bits(fa, b(k, j)) << shift, &|i, j| {
                bits(fc, (i * 8 + j) as i64)
            }],
        );
        for (i, line) in d.iter().enumerate() {
            for (j, met) in line.iter().enumerate() {
                let sum: i64 = (0..form.k).map(|k| a(i, k) * b(k, j)).sum();
                assert_eq!(value(fc, *met), (sum + (i * 8 + j) as i64) as f64, "{form:?} {i} {j}");
            }
        }
    }
}

#[test]
fn float64_goes_along_k_one_fused_step_after_the_other() {
    for (m, k) in [(8, 4), (16, 4), (16, 8), (16, 16)] {
        let form = form(m, k, "f64", "f64", "f64");
        let program = form.program("");
        let a = |i: usize, k: usize| 1.0 / (1.0 + i as f64 + 17.0 * k as f64);
        let b = |k: usize, j: usize| ((k * 8 + j) as f64).sin();
        let c = |i: usize, j: usize| 1e-3 * (i as f64 - j as f64);
        let d = form.run(
            &program,
            [&|i, k| a(i, k).to_bits(), &|k, j| b(k, j).to_bits(), &|i, j| c(i, j).to_bits()],
        );
        for (i, line) in d.iter().enumerate() {
            for (j, met) in line.iter().enumerate() {
                let expected = (0..k).fold(c(i, j), |sum, k| a(i, k).mul_add(b(k, j), sum));
                assert_eq!(f64::from_bits(*met), expected);
            }
        }
    }
}

/// One of the directed modes: the product is exact, and each step is rounded once.
#[test]
fn float64_rounds_every_step_as_it_says() {
    let modes =
        [(".rn", Mode::Nearest), (".rz", Mode::Zero), (".rm", Mode::Down), (".rp", Mode::Up)];
    for ((m, k), (extra, mode)) in [(8, 4), (16, 4), (16, 8), (16, 16)]
        .into_iter()
        .flat_map(|shape| modes.map(|mode| (shape, mode)))
    {
        let form = form(m, k, "f64", "f64", "f64");
        let program = form.program(extra);
        let a = |i: usize, k: usize| (1.0 / (1.0 + i as f64 + 17.0 * k as f64)).to_bits();
        let b = |k: usize, j: usize| ((k * 8 + j) as f64).sin().to_bits();
        let c = |i: usize, j: usize| (1e-3 * (i as f64 - j as f64)).to_bits();
        let d = form.run(&program, [&a, &b, &c]);
        for (i, line) in d.iter().enumerate() {
            for (j, met) in line.iter().enumerate() {
                let expected = (0..k).fold(c(i, j), |sum, k| {
                    let product = F64.value(a(i, k)).times(&F64.value(b(k, j)));
                    F64.round(&product.plus(&F64.value(sum)), mode)
                });
                assert_eq!(*met, expected, "{form:?} {extra} {i} {j}");
            }
        }
    }
}

/// The integer that the bits of an element are.
fn integer(ty: &str, bits: u64) -> i64 {
    let above = 64 - width(ty);
    let raised = bits << above;
    if ty.starts_with('s') { raised as i64 >> above } else { (raised >> above) as i64 }
}

#[test]
fn integers_wrap_or_stay_at_the_end() {
    for (m, k, ta, tb) in [
        (8, 16, "s8", "s8"),
        (16, 16, "u8", "s8"),
        (16, 32, "s8", "u8"),
        (16, 32, "u8", "u8"),
        (8, 32, "s4", "s4"),
        (16, 32, "u4", "s4"),
        (16, 64, "s4", "u4"),
        (16, 64, "u4", "u4"),
    ] {
        for (extra, saturates) in [("", false), (".satfinite", true)] {
            let form = form(m, k, ta, tb, "s32");
            let program = form.program(extra);
            let ones = |ty| (1_u64 << width(ty)) - 1;
            let a = |i: usize, k: usize| (i * 37 + k * 91 + k * k + 200) as u64 & ones(ta);
            let b = |k: usize, j: usize| (k * 53 + j * 29 + k / 3 + 131) as u64 & ones(tb);
            let c = |i: usize, j: usize| {
                if (i + j).is_multiple_of(2) { i32::MAX as u64 } else { u64::from(i32::MIN as u32) }
            };
            let d = form.run(&program, [&a, &b, &c]);
            for (i, line) in d.iter().enumerate() {
                for (j, met) in line.iter().enumerate() {
                    let sum: i64 =
                        (0..k).map(|k| integer(ta, a(i, k)) * integer(tb, b(k, j))).sum();
                    let sum = sum + i64::from(c(i, j) as i32);
                    let expected =
                        if saturates { sum.clamp(i32::MIN.into(), i32::MAX.into()) } else { sum };
                    assert_eq!(*met as u32, expected as u32, "{form:?} {i} {j}");
                }
            }
        }
    }
}
