//! Checks rounded arithmetic in every format and direction against exact fractions.

use crate::arithmetic::{Case, case, check_on};
use crate::exact::{BF16, F16, F32, F64, Format, Fraction, Mode, TF32};
use proptest::prelude::*;
use std::cmp::Ordering;

/// The class of a result before rounding.
enum Result {
    Nan,
    Infinite(bool),
    Exact(Fraction),
}

use Result::{Exact, Infinite, Nan};

/// The class of a result with operands that are not all finite, from the host's arithmetic.
fn special(value: f64) -> Result {
    if value.is_nan() { Nan } else { Infinite(value < 0.0) }
}

/// One operand: its value, and a float64 with the same class and sign, and zero if it is zero.
#[derive(Clone)]
struct Number {
    value: Fraction,
    like: f64,
}

impl Number {
    fn new(format: Format, bits: u64) -> Self {
        let value = format.value(bits);
        let like = if format.is_nan(bits) {
            f64::NAN
        } else if format.is_infinite(bits) {
            f64::INFINITY
        } else if value.is_zero() {
            0.0
        } else {
            1.0
        };
        let like = if format.is_negative(bits) { -like } else { like };
        Self { value, like }
    }

    fn negated(self) -> Self {
        Self { value: self.value.negated(), like: -self.like }
    }

    fn is_finite(&self) -> bool {
        self.like.is_finite()
    }
}

fn sum(a: &Number, b: &Number, mode: Mode) -> Result {
    if !a.is_finite() || !b.is_finite() {
        return special(a.like + b.like);
    }
    let mut sum = a.value.plus(&b.value);
    if sum.is_zero() {
        let same = a.value.negative == b.value.negative;
        sum.negative = if same { a.value.negative } else { mode == Mode::Down };
    }
    Exact(sum)
}

fn product(a: &Number, b: &Number) -> Result {
    if a.is_finite() && b.is_finite() {
        return Exact(a.value.times(&b.value));
    }
    special(a.like * b.like)
}

fn quotient(a: &Number, b: &Number) -> Result {
    if a.is_finite() && b.is_finite() && b.like != 0.0 {
        return Exact(a.value.over(&b.value));
    }
    if a.is_finite() && b.like.is_infinite() {
        let zero = Number::new(F64, (0.0 * a.like.signum() * b.like.signum()).to_bits());
        return Exact(zero.value);
    }
    special(a.like / b.like)
}

fn fused(a: &Number, b: &Number, c: &Number, mode: Mode) -> Result {
    match product(a, b) {
        Exact(value) => {
            let like = if value.is_zero() { 0.0 } else { 1.0 };
            let like = if value.negative { -like } else { like };
            sum(&Number { value, like }, c, mode)
        }
        Infinite(negative) => {
            let infinity = if negative { f64::NEG_INFINITY } else { f64::INFINITY };
            special(infinity + c.like)
        }
        Nan => Nan,
    }
}

impl Result {
    fn round(&self, format: Format, mode: Mode) -> u64 {
        match self {
            Nan => format.nan(),
            Infinite(negative) => format.infinity() | if *negative { format.sign() } else { 0 },
            Exact(value) => format.round(value, mode),
        }
    }
}

/// The square root; candidates are compared by their squares.
fn root(format: Format, bits: u64, mode: Mode) -> u64 {
    let number = Number::new(format, bits);
    if number.like == 0.0 || number.like == f64::INFINITY {
        return bits;
    }
    if number.like.is_nan() || number.value.negative {
        return format.nan();
    }
    let order =
        |candidate: &Fraction| -> Ordering { candidate.times(candidate).order(&number.value) };
    format.search(false, mode, order)
}

/// The expected result of `op` for the operands' bits.
fn expected(format: Format, op: &str, mode: Mode, bits: [u64; 3]) -> u64 {
    let ones = u64::MAX >> (64 - format.bits);
    let [a, b, c] = bits.map(|bits| Number::new(format, bits & ones));
    let one = || Number::new(format, format.round(&F64.value(1.0_f64.to_bits()), mode));
    let result = match op {
        "add" => sum(&a, &b, mode),
        "sub" => sum(&a, &b.negated(), mode),
        "mul" => product(&a, &b),
        "fma" => fused(&a, &b, &c, mode),
        "div" => quotient(&a, &b),
        "rcp" => quotient(&one(), &a),
        _ => return root(format, bits[0] & ones, mode),
    };
    result.round(format, mode)
}

/// Random numbers: close to each other, close to powers of two, at the ends of the range, or any.
fn number(format: Format) -> impl Strategy<Value = u64> {
    let Format { bits, fraction } = format;
    let fields = 1_u64 << (bits - fraction - 1);
    let join = move |sign: bool, field: u64, low: u64| {
        u64::from(sign) << (bits - 1) | field << fraction | low & ((1 << fraction) - 1)
    };
    let middle = fields / 2;
    let sparse = (0..fraction, 0..fraction, -1_i64..=1)
        .prop_map(|(i, j, k)| ((1_u64 << i | 1 << j) as i64 + k) as u64);
    let field = prop_oneof![
        4 => middle - 14..middle + 14,
        2 => 0..fields,
        1 => 0..4_u64,
        1 => fields - 4..fields,
    ];
    let low = prop_oneof![any::<u64>(), sparse, Just(0), Just(u64::MAX)];
    (any::<bool>(), field, low).prop_map(move |(sign, field, low)| join(sign, field, low))
}

fn lanes(format: Format) -> impl Strategy<Value = [[u64; 3]; 32]> {
    lanes_of(number(format))
}

/// Three operands for each lane.
fn lanes_of(number: impl Strategy<Value = u64>) -> impl Strategy<Value = [[u64; 3]; 32]> {
    let numbers = prop::collection::vec(number, 96);
    numbers.prop_map(|all| std::array::from_fn(|i| std::array::from_fn(|j| all[3 * i + j])))
}

fn rounded(format: Format, ty: &'static str, op: &'static str, mode: Mode) -> Case {
    let word = match mode {
        Mode::Zero => "rz",
        Mode::Down => "rm",
        Mode::Up => "rp",
        Mode::Nearest | Mode::NearestAway => "rn",
    };
    let operands = match op {
        "fma" => "a, b, c",
        "sqrt" | "rcp" => "a",
        _ => "a, b",
    };
    let moved = if format.bits == 16 { "b16" } else { ty };
    let code = format!("{op}.{word}.{ty} d, {operands};");
    case(moved, [moved; 3], code, move |a, b, c| expected(format, op, mode, [a, b, c]))
}

#[test]
fn halves_are_rounded_once() {
    for (format, ty) in [(F16, "f16"), (BF16, "bf16")] {
        let ops = ["add", "sub", "mul", "fma"];
        let cases = ops.map(|op| rounded(format, ty, op, Mode::Nearest));
        check_on(&cases, lanes(format), 200);
    }
}

#[test]
fn packed_halves_do_what_single_ones_do() {
    let both = |format: Format, op: &'static str| {
        move |a: u64, b: u64, c: u64| {
            let of = |by: u32| expected(format, op, Mode::Nearest, [a >> by, b >> by, c >> by]);
            of(16) << 16 | of(0)
        }
    };
    let lanes = |format| {
        let pair = (number(format), number(format)).prop_map(|(a, b)| a << 16 | b);
        lanes_of(pair)
    };
    for (format, ty) in [(F16, "f16x2"), (BF16, "bf16x2")] {
        let binary = ["add", "sub", "mul"]
            .map(|op| case("b32", ["b32"; 3], format!("{op}.{ty} d, a, b;"), both(format, op)));
        let fma = case("b32", ["b32"; 3], format!("fma.rn.{ty} d, a, b, c;"), both(format, "fma"));
        check_on(&binary, lanes(format), 40);
        check_on(&[fma], lanes(format), 40);
    }
}

#[test]
fn directions_of_single_and_double_precision() {
    for (format, ty, cases) in [(F32, "f32", 30), (F64, "f64", 12)] {
        for mode in [Mode::Zero, Mode::Down, Mode::Up, Mode::Nearest] {
            let ops = ["add", "sub", "mul", "fma", "div", "rcp", "sqrt"];
            check_on(&ops.map(|op| rounded(format, ty, op, mode)), lanes(format), cases);
        }
    }
}

/// A conversion from one format to another.
fn converted(from: (Format, &str), to: (Format, &str), word: &str, mode: Mode) -> Case {
    let register = |format: Format| match format.bits {
        16 => "b16",
        64 => "f64",
        19 => "b32",
        _ => "f32",
    };
    let ((from, source), (to, target)) = (from, to);
    let shift = if to.bits == 19 { 13 } else { 0 };
    let convert = move |a: u64, _, _| {
        let bits = a & (u64::MAX >> (64 - from.bits));
        let number = Number::new(from, bits);
        let result = if number.is_finite() { Exact(number.value) } else { special(number.like) };
        result.round(to, mode) << shift
    };
    let source_register = register(from);
    let code = format!("cvt{word}.{target}.{source} d, a;");
    case(register(to), [source_register, "u32", "u32"], code, convert)
}

#[test]
fn conversions_between_formats() {
    let modes =
        [(".rn", Mode::Nearest), (".rz", Mode::Zero), (".rm", Mode::Down), (".rp", Mode::Up)];
    let (f16, bf16, f32, f64) = ((F16, "f16"), (BF16, "bf16"), (F32, "f32"), (F64, "f64"));
    for (from, to) in
        [(f32, f16), (f32, bf16), (f64, f16), (f64, bf16), (f64, f32), (f16, bf16), (bf16, f16)]
    {
        let cases = modes.map(|(word, mode)| converted(from, to, word, mode));
        check_on(&cases, lanes(from.0), 60);
    }
    for (from, to) in [(f16, f32), (f16, f64), (bf16, f32), (bf16, f64), (f16, f16)] {
        check_on(&[converted(from, to, "", Mode::Nearest)], lanes(from.0), 60);
    }
    let tf32 = (TF32, "tf32");
    let cases = [(".rna", Mode::NearestAway), (".rn", Mode::Nearest), (".rz", Mode::Zero)]
        .map(|(word, mode)| converted(f32, tf32, word, mode));
    check_on(&cases, lanes(F32), 60);
}
