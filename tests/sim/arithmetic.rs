//! Checks every arithmetic instruction against Rust's own operators, 32 values at a time.

use crate::kernel;
use matviz::sim::Program;
use proptest::prelude::*;
use std::fmt::Write;
use std::sync::Arc;

/// The expected result for the operands' bits.
type Expected = Box<dyn Fn(u64, u64, u64) -> u64>;

/// An instruction on `a`, `b`, `c` that leaves its result in `d`.
pub(crate) struct Case {
    code: String,
    program: Arc<Program>,
    result: &'static str,
    expected: Expected,
}

fn bits(ty: &str) -> u32 {
    if ty == "pred" { 32 } else { ty[1..].parse().unwrap() }
}

/// A register for a value of `ty`: in practice, narrow values have no registers of their own.
fn register(ty: &str) -> String {
    format!("b{}", bits(ty).max(16))
}

/// `code` reads `a`, `b`, `c` of the types `operands` and writes `d` of type `result`; a
/// predicate is written to `p`.
pub(crate) fn case(
    result: &'static str,
    operands: [&str; 3],
    code: impl Into<String>,
    expected: impl Fn(u64, u64, u64) -> u64 + 'static,
) -> Case {
    let code = code.into();
    let mut body = String::from(".reg .pred p, q;\n");
    for (name, ty, at) in [("a", operands[0], 0), ("b", operands[1], 8), ("c", operands[2], 16)] {
        let _ = writeln!(body, ".reg .{} {name};", register(ty));
        let _ =
            write!(body, "mad.wide.u32 %at, %tid, 24, %in;\nld.global.{ty} {name}, [%at+{at}];\n");
    }
    let stored = if result == "pred" { "u32" } else { result };
    let _ = writeln!(body, ".reg .{} d;\n{code}", register(stored));
    if result == "pred" {
        body.push_str("selp.u32 d, 1, 0, p;\n");
    }
    let _ = write!(body, "mad.wide.u32 %at, %tid, 8, %out;\nst.global.{stored} [%at], d;");
    let program = kernel::program(&kernel::text(&body));
    Case { code, program, result, expected: Box::new(expected) }
}

impl Case {
    fn check(&self, lanes: &[[u64; 3]; 32]) -> Result<(), TestCaseError> {
        let input: Vec<u32> =
            lanes.iter().flatten().flat_map(|v| [*v as u32, (*v >> 32) as u32]).collect();
        let (out, _) = kernel::run(&self.program, 32, &input, 64).unwrap();
        let ones = u64::MAX >> (64 - bits(self.result));
        for (lane, [a, b, c]) in lanes.iter().copied().enumerate() {
            let met = (u64::from(out[2 * lane]) | u64::from(out[2 * lane + 1]) << 32) & ones;
            let expected = (self.expected)(a, b, c) & ones;
            // The payload of a float64 NaN is not specified; float32 has just one NaN.
            let nan = |bits| self.result == "f64" && f64::from_bits(bits).is_nan();
            prop_assert!(
                met == expected || nan(met) && nan(expected),
                "{} of {a:#x}, {b:#x}, {c:#x} is {met:#x}, not {expected:#x}",
                self.code
            );
        }
        Ok(())
    }
}

/// Random bits, with likely edge cases of every width and special floats.
fn value() -> impl Strategy<Value = u64> {
    let edges = [0, 1, 2, 7, 15, 16, 31, 32, 33, 63, 64, 65, 127, 128, 255, 256, 32767, 32768];
    let words = [u16::MAX.into(), i32::MAX as u64, 1 << 31, u32::MAX.into(), 1 << 63, u64::MAX];
    let singles =
        [0.5_f32, 1.5, 2.5, -0.0, -1.0, 1e-40, -1e-40, 3e38, 2_147_483_648.0, 300.7, -129.5]
            .into_iter()
            .chain([f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MIN_POSITIVE])
            .map(|value| u64::from(value.to_bits()));
    let doubles = [0.5_f64, -0.0, 2.5, -1e300, 9.3e18, 1.9e19, 5e-324, 1e-40, 70_000.5]
        .into_iter()
        .chain([f64::NAN, f64::INFINITY, f64::NEG_INFINITY])
        .map(f64::to_bits);
    let known: Vec<u64> = edges.into_iter().chain(words).chain(singles).chain(doubles).collect();
    prop_oneof![
        any::<u64>(),
        prop::sample::select(known),
        (-1e4_f32..1e4).prop_map(|v| u64::from(v.to_bits())),
        (-1e10_f64..1e10).prop_map(f64::to_bits),
    ]
}

fn lanes() -> impl Strategy<Value = [[u64; 3]; 32]> {
    prop::array::uniform32(prop::array::uniform3(value()))
}

/// Runs all `cases` on the same random lanes.
fn check(cases: &[Case]) {
    check_on(cases, lanes(), 24);
}

/// Runs all `cases` `times` times, on lanes from the same strategy.
pub(crate) fn check_on(cases: &[Case], lanes: impl Strategy<Value = [[u64; 3]; 32]>, times: u32) {
    let config =
        ProptestConfig { cases: times, failure_persistence: None, ..ProptestConfig::default() };
    let mut runner = proptest::test_runner::TestRunner::new(config);
    let result = runner.run(&lanes, |lanes| cases.iter().try_for_each(|case| case.check(&lanes)));
    result.unwrap();
}

macro_rules! integer_cases {
    ($($name:literal $ty:ty, $wide:ty;)*) => {{
        let mut cases = Vec::new();
        $(
            let name = $name;
            let ones = <$ty>::MAX.count_ones() + u32::from(<$ty>::MIN != 0);
            let mut row = |op: &str, f: fn($ty, $ty, $ty) -> $ty| {
                let operands = if op.starts_with("mad") { "a, b, c" } else { "a, b" };
                let code = format!("{op}.{name} d, {operands};");
                let expected = move |a, b, c| f(a as $ty, b as $ty, c as $ty) as u64;
                cases.push(case($name, [$name; 3], code, expected));
            };
            row("add", |a, b, _| a.wrapping_add(b));
            row("sub", |a, b, _| a.wrapping_sub(b));
            row("mul.lo", |a, b, _| a.wrapping_mul(b));
            row("mul.hi", |a, b, _| ((a as $wide * b as $wide) >> <$ty>::BITS) as $ty);
            row("mad.lo", |a, b, c| a.wrapping_mul(b).wrapping_add(c));
            row("mad.hi", |a, b, c| {
                (((a as $wide * b as $wide) >> <$ty>::BITS) as $ty).wrapping_add(c)
            });
            row("div", |a, b, _| a.checked_div(b).unwrap_or(if b == 0 { !0 } else { a }));
            row("rem", |a, b, _| a.checked_rem(b).unwrap_or(if b == 0 { !0 } else { 0 }));
            row("min", |a, b, _| a.min(b));
            row("max", |a, b, _| a.max(b));
            let shr = move |a: u64, b: u64, _| {
                (a as $ty).checked_shr(b as u32).unwrap_or((a as $ty) >> (ones - 1) >> 1) as u64
            };
            cases.push(case($name, [$name, "u32", "u32"], format!("shr.{name} d, a, b;"), shr));
            for (cmp, f) in [
                ("eq", <$ty>::eq as fn(&$ty, &$ty) -> bool),
                ("ne", <$ty>::ne),
                ("lt", <$ty>::lt),
                ("le", <$ty>::le),
                ("gt", <$ty>::gt),
                ("ge", <$ty>::ge),
            ] {
                let expected = move |a, b, _| u64::from(f(&(a as $ty), &(b as $ty)));
                cases.push(case("pred", [$name; 3], format!("setp.{cmp}.{name} p, a, b;"), expected));
            }
        )*
        cases
    }};
}

#[test]
#[allow(trivial_numeric_casts, clippy::allow_attributes, reason = "one text serves every width")]
fn integers_of_every_width() {
    check(&integer_cases! {
        "u16" u16, u32;
        "s16" i16, i32;
        "u32" u32, u64;
        "s32" i32, i64;
        "u64" u64, u128;
        "s64" i64, i128;
    });
}

#[test]
fn wide_products() {
    let s16 = |a: u64, b: u64| i32::from(a as i16) * i32::from(b as i16);
    let u16 = |a: u64, b: u64| u32::from(a as u16) * u32::from(b as u16);
    let s32 = |a: u64, b: u64| i64::from(a as i32) * i64::from(b as i32);
    let u32 = |a: u64, b: u64| u64::from(a as u32) * u64::from(b as u32);
    check(&[
        case("s32", ["s16"; 3], "mul.wide.s16 d, a, b;", move |a, b, _| s16(a, b) as u64),
        case("u32", ["u16"; 3], "mul.wide.u16 d, a, b;", move |a, b, _| u16(a, b).into()),
        case("s64", ["s32"; 3], "mul.wide.s32 d, a, b;", move |a, b, _| s32(a, b) as u64),
        case("u64", ["u32"; 3], "mul.wide.u32 d, a, b;", move |a, b, _| u32(a, b)),
        case("s32", ["s16", "s16", "s32"], "mad.wide.s16 d, a, b, c;", move |a, b, c| {
            s16(a, b).wrapping_add(c as i32) as u64
        }),
        case("u64", ["u32", "u32", "u64"], "mad.wide.u32 d, a, b, c;", move |a, b, c| {
            u32(a, b).wrapping_add(c)
        }),
        case("s64", ["s32", "s32", "s64"], "mad.wide.s32 d, a, b, c;", move |a, b, c| {
            s32(a, b).wrapping_add(c as i64) as u64
        }),
    ]);
}

#[test]
fn bits_and_fields() {
    let mut cases = Vec::new();
    for (ty, bits) in [("b16", 16), ("b32", 32), ("b64", 64)] {
        let ones = u64::MAX >> (64 - bits);
        let mut row = |op: &str, f: fn(u64, u64) -> u64| {
            cases.push(case(ty, [ty; 3], format!("{op}.{ty} d, a, b;"), move |a, b, _| f(a, b)));
        };
        row("and", |a, b| a & b);
        row("or", |a, b| a | b);
        row("xor", |a, b| a ^ b);
        cases.push(case(ty, [ty; 3], format!("not.{ty} d, a;"), |a, _, _| !a));
        let cnot = move |a: u64, _, _| u64::from(a & ones == 0);
        cases.push(case(ty, [ty; 3], format!("cnot.{ty} d, a;"), cnot));
        let shl = |a: u64, b: u64, _| a.checked_shl(b as u32).unwrap_or(0);
        cases.push(case(ty, [ty, "u32", "u32"], format!("shl.{ty} d, a, b;"), shl));
        let shr = move |a: u64, b: u64, _| (a & ones).checked_shr(b as u32).unwrap_or(0);
        cases.push(case(ty, [ty, "u32", "u32"], format!("shr.{ty} d, a, b;"), shr));
        if bits > 16 {
            let brev = move |a: u64, _, _| a.reverse_bits() >> (64 - bits);
            cases.push(case(ty, [ty; 3], format!("brev.{ty} d, a;"), brev));
            let popc = move |a: u64, _, _| (a & ones).count_ones().into();
            cases.push(case("u32", [ty; 3], format!("popc.{ty} d, a;"), popc));
            let clz = move |a: u64, _, _| u64::from((a & ones).leading_zeros()) + bits - 64;
            cases.push(case("u32", [ty; 3], format!("clz.{ty} d, a;"), clz));
        }
    }
    for (ty, bits, signed) in
        [("u32", 32, false), ("s32", 32, true), ("u64", 64, false), ("s64", 64, true)]
    {
        let field =
            move |a: u64, position: u64, length: u64| extract(a, position, length, bits, signed);
        cases.push(case(ty, [ty, "u32", "u32"], format!("bfe.{ty} d, a, b, c;"), field));
    }
    for (ty, bits) in [("b32", 32), ("b64", 64)] {
        let code = format!("mov.{ty} d, b; bfi.{ty} d, a, d, {{c}}, 7;");
        for position in [0, 5, 28, 31, 40, 61, 255, 256] {
            let code = code.replace("{c}", &position.to_string());
            let insert = move |a: u64, b: u64, _| {
                (0..7).filter(|i| (position & 255) + i < bits).fold(b, |b, i| {
                    let at = (position & 255) + i;
                    b & !(1 << at) | (a >> i & 1) << at
                })
            };
            cases.push(case(ty, [ty; 3], code, insert));
        }
    }
    check(&cases);
}

/// `bfe` as the loop over bits in the manual.
fn extract(a: u64, position: u64, length: u64, bits: u64, signed: bool) -> u64 {
    let (position, length, top) = (position & 255, length & 255, bits - 1);
    let sign = signed && length > 0 && a >> (position + length - 1).min(top) & 1 == 1;
    (0..bits).fold(0, |d, i| {
        let inside = i < length && position + i <= top;
        let bit = if inside { a >> (position + i) & 1 == 1 } else { sign };
        d | u64::from(bit) << i
    })
}

fn single(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

/// The bits of a float32 result, with the canonical NaN.
fn stored(value: f32) -> u64 {
    if value.is_nan() { 0x7fff_ffff } else { value.to_bits().into() }
}

/// `.ftz`
fn flushed(value: f32) -> f32 {
    if value.is_subnormal() { 0.0_f32.copysign(value) } else { value }
}

#[test]
fn single_precision() {
    let mut cases = Vec::new();
    let mut row = |op: &str, f: fn(f32, f32, f32) -> f32| {
        let count = if op.starts_with("fma") {
            3
        } else {
            2 - usize::from("sqrt.rn rcp.rn neg abs".contains(op))
        };
        let operands = ["a", "b", "c"][..count].join(", ");
        let plain = move |a, b, c| stored(f(single(a), single(b), single(c)));
        cases.push(case("f32", ["f32"; 3], format!("{op}.f32 d, {operands};"), plain));
        let ftz = move |a, b, c| {
            stored(flushed(f(flushed(single(a)), flushed(single(b)), flushed(single(c)))))
        };
        cases.push(case("f32", ["f32"; 3], format!("{op}.ftz.f32 d, {operands};"), ftz));
    };
    row("add", |a, b, _| a + b);
    row("sub.rn", |a, b, _| a - b);
    row("mul", |a, b, _| a * b);
    row("div.rn", |a, b, _| a / b);
    row("fma.rn", f32::mul_add);
    row("sqrt.rn", |a, _, _| a.sqrt());
    row("rcp.rn", |a, _, _| 1.0 / a);
    row("neg", |a, _, _| -a);
    row("abs", |a, _, _| a.abs());
    row("min", |a, b, _| if a == b && a.is_sign_negative() { a } else { b.min(a) });
    row("max", |a, b, _| if a == b && a.is_sign_negative() { b } else { a.max(b) });
    let sat = |a, b, _| {
        let sum = single(a) + single(b);
        stored(if sum.is_nan() || sum <= 0.0 { 0.0 } else { sum.min(1.0) })
    };
    cases.push(case("f32", ["f32"; 3], "add.sat.f32 d, a, b;", sat));
    check(&cases);
}

#[test]
fn double_precision() {
    let mut cases = Vec::new();
    let mut row = |code: &str, f: fn(f64, f64, f64) -> f64| {
        let expected =
            move |a, b, c| f(f64::from_bits(a), f64::from_bits(b), f64::from_bits(c)).to_bits();
        cases.push(case("f64", ["f64"; 3], code, expected));
    };
    row("add.f64 d, a, b;", |a, b, _| a + b);
    row("sub.f64 d, a, b;", |a, b, _| a - b);
    row("mul.rn.f64 d, a, b;", |a, b, _| a * b);
    row("div.rn.f64 d, a, b;", |a, b, _| a / b);
    row("fma.rn.f64 d, a, b, c;", f64::mul_add);
    row("sqrt.rn.f64 d, a;", |a, _, _| a.sqrt());
    row("neg.f64 d, a;", |a, _, _| -a);
    row("abs.f64 d, a;", |a, _, _| a.abs());
    row("min.f64 d, a, b;", |a, b, _| if a == b && a.is_sign_negative() { a } else { b.min(a) });
    row("max.f64 d, a, b;", |a, b, _| if a == b && a.is_sign_negative() { b } else { a.max(b) });
    check(&cases);
}

#[test]
fn comparisons_with_nan() {
    type Test = fn(f64, f64) -> bool;
    let unordered = |a: f64, b: f64| a.is_nan() || b.is_nan();
    let tests: [(&str, Test); 6] = [
        ("eq", |a, b| a == b),
        ("ne", |a, b| a < b || a > b),
        ("lt", |a, b| a < b),
        ("le", |a, b| a <= b),
        ("gt", |a, b| a > b),
        ("ge", |a, b| a >= b),
    ];
    let mut cases = Vec::new();
    let mut row = |cmp: String, test: Box<dyn Fn(f64, f64) -> bool>| {
        let test: Arc<dyn Fn(f64, f64) -> bool> = test.into();
        let f64s = Arc::clone(&test);
        let expected = move |a, b, _| u64::from(f64s(f64::from_bits(a), f64::from_bits(b)));
        cases.push(case("pred", ["f64"; 3], format!("setp.{cmp}.f64 p, a, b;"), expected));
        let f32s = Arc::clone(&test);
        let expected = move |a, b, _| u64::from(f32s(single(a).into(), single(b).into()));
        cases.push(case("pred", ["f32"; 3], format!("setp.{cmp}.f32 p, a, b;"), expected));
        let expected =
            move |a, b, _| u64::from(test(flushed(single(a)).into(), flushed(single(b)).into()));
        cases.push(case("pred", ["f32"; 3], format!("setp.{cmp}.ftz.f32 p, a, b;"), expected));
    };
    for (cmp, test) in tests {
        row(cmp.to_owned(), Box::new(test));
        row(format!("{cmp}u"), Box::new(move |a, b| test(a, b) || unordered(a, b)));
    }
    row("num".to_owned(), Box::new(move |a, b| !unordered(a, b)));
    row("nan".to_owned(), Box::new(unordered));
    check(&cases);
}

#[test]
fn predicates_join_and_select() {
    let low = |v: u64| v & 1 == 1;
    let start = "and.b32 a, a, 1; and.b32 b, b, 1; setp.ne.u32 q, b, 0;";
    let join = |words: &str| format!("{start} setp.ne{words};");
    check(&[
        case("pred", ["u32"; 3], join(".and.u32 p, a, 0, q"), move |a, b, _| {
            (low(a) && low(b)).into()
        }),
        case("pred", ["u32"; 3], join(".or.u32 p, a, 0, !q"), move |a, b, _| {
            (low(a) || !low(b)).into()
        }),
        case("pred", ["u32"; 3], join(".xor.u32 p|q, a, 0, q"), move |a, b, _| {
            (low(a) != low(b)).into()
        }),
        case("pred", ["u32"; 3], join(".and.u32 q|p, a, 0, q"), move |a, b, _| {
            (!low(a) && low(b)).into()
        }),
        case("u32", ["u32"; 3], "setp.lt.s32 p, a, 0; selp.b32 d, b, c, p;", |a, b, c| {
            if (a as u32).cast_signed() < 0 { b } else { c }
        }),
        case(
            "u64",
            ["u64"; 3],
            "setp.lt.s64 p, a, 0; mov.b64 d, b; @!p mov.b64 d, c;",
            |a, b, c| {
                if (a as i64) < 0 { b } else { c }
            },
        ),
        case(
            "pred",
            ["u32"; 3],
            "setp.lt.u32 p, a, b; not.pred p, p; mov.pred q, 1; xor.pred p, p, q;",
            |a, b, _| u64::from((a as u32) < (b as u32)),
        ),
    ]);
}

macro_rules! conversions {
    ($cases:ident, $to:literal $to_ty:ty, [$($from:literal $from_ty:ty),*]) => {$(
        let code = format!("cvt.{}.{} d, a;", $to, $from);
        $cases.push(case($to, [$from; 3], code, |a, _, _| (a as $from_ty) as $to_ty as u64));
        // As in ptxas there is no `.sat` where every value fits: tests/data/sim/cases/error_cvt_sat.ptx.
        let (least, most) = (<$to_ty>::MIN as i128, <$to_ty>::MAX as i128);
        if least > <$from_ty>::MIN as i128 || most < <$from_ty>::MAX as i128 {
            let code = format!("cvt.sat.{}.{} d, a;", $to, $from);
            $cases.push(case($to, [$from; 3], code, |a, _, _| {
                (a as $from_ty as i128).clamp(<$to_ty>::MIN as i128, <$to_ty>::MAX as i128) as u64
            }));
        }
    )*};
}

macro_rules! from_every_integer {
    ($cases:ident, $($to:literal $ty:ty),*) => {$(
        conversions!($cases, $to $ty, [
            "u8" u8, "s8" i8, "u16" u16, "s16" i16, "u32" u32, "s32" i32, "u64" u64, "s64" i64
        ]);
    )*};
}

#[test]
#[allow(trivial_numeric_casts, clippy::allow_attributes, reason = "one text serves every width")]
fn conversions_between_integers() {
    let mut cases = Vec::new();
    from_every_integer!(cases, "u8" u8, "s8" i8, "u16" u16, "s16" i16, "u32" u32, "s32" i32, "u64" u64, "s64" i64);
    check(&cases);
}

#[test]
fn a_narrow_result_is_extended_to_a_wider_register() {
    check(&[
        case("s32", ["s32"; 3], "cvt.s16.s32 d, a;", |a, _, _| a as i16 as u64),
        case("u32", ["u32"; 3], "cvt.u16.u32 d, a;", |a, _, _| a as u16 as u64),
        case("s32", ["s32"; 3], "cvt.s8.s32 d, a;", |a, _, _| a as i8 as u64),
        case("s64", ["s64"; 3], "cvt.s32.s64 d, a;", |a, _, _| a as i32 as u64),
        case("s64", ["u64"; 3], "ld.global.s8 d, [%at+16];", |_, _, c| c as i8 as u64),
        case("u64", ["u64"; 3], "ld.global.u16 d, [%at+16];", |_, _, c| c as u16 as u64),
        case("s32", ["s32"; 3], "ld.global.s16 d, [%at+18];", |_, _, c| (c >> 16) as i16 as u64),
    ]);
}

macro_rules! with_floats {
    ($cases:ident, $($name:literal $ty:ty),*) => {$(
        $cases.push(case("f32", [$name; 3], concat!("cvt.rn.f32.", $name, " d, a;"), |a, _, _| {
            stored(a as $ty as f32)
        }));
        $cases.push(case("f64", [$name; 3], concat!("cvt.rn.f64.", $name, " d, a;"), |a, _, _| {
            (a as $ty as f64).to_bits()
        }));
        let whole: [(&str, fn(f64) -> f64); 4] = [
            ("rni", f64::round_ties_even),
            ("rzi", f64::trunc),
            ("rmi", f64::floor),
            ("rpi", f64::ceil),
        ];
        // NaN gives the highest bit if one of the types is 64 bits wide, otherwise 0.
        let nan = |wide: bool| if wide { 1 << (<$ty>::BITS - 1) } else { 0 };
        for (rounding, f) in whole {
            let code = format!("cvt.{rounding}.{}.f32 d, a;", $name);
            $cases.push(case($name, ["f32"; 3], code, move |a, _, _| match single(a) {
                value if value.is_nan() => nan(<$ty>::BITS == 64),
                value => f(value.into()) as $ty as u64,
            }));
            let code = format!("cvt.{rounding}.{}.f64 d, a;", $name);
            $cases.push(case($name, ["f64"; 3], code, move |a, _, _| match f64::from_bits(a) {
                value if value.is_nan() => nan(true),
                value => f(value) as $ty as u64,
            }));
        }
    )*};
}

#[test]
fn conversions_with_floats() {
    let mut cases = vec![
        case("f32", ["f64"; 3], "cvt.rn.f32.f64 d, a;", |a, _, _| stored(f64::from_bits(a) as f32)),
        case("f64", ["f32"; 3], "cvt.f64.f32 d, a;", |a, _, _| f64::from(single(a)).to_bits()),
        case("f32", ["f32"; 3], "cvt.rmi.f32.f32 d, a;", |a, _, _| stored(single(a).floor())),
        case("f64", ["f64"; 3], "cvt.rni.f64.f64 d, a;", |a, _, _| {
            f64::from_bits(a).round_ties_even().to_bits()
        }),
        case("f32", ["f32"; 3], "cvt.ftz.f32.f32 d, a;", |a, _, _| stored(flushed(single(a)))),
    ];
    with_floats!(cases, "u8" u8, "s8" i8, "u16" u16, "s16" i16, "u32" u32, "s32" i32, "u64" u64, "s64" i64);
    check(&cases);
}

#[test]
fn vectors_and_parts() {
    let halves = "mov.b32 {x, y}, a; mov.b32 d, {y, x};";
    let quarters = "mov.b64 {x, y, z, w}, a; mov.b64 d, {w, z, y, x};";
    let registers = ".reg .b16 x, y, z, w; .reg .b32 r, s, t, u;";
    let swapped = |a: u64| (a as u16 as u64) << 16 | a >> 16 & 0xffff;
    check(&[
        case("b32", ["b32"; 3], format!("{registers} {halves}"), move |a, _, _| swapped(a)),
        case("b64", ["b64"; 3], format!("{registers} {quarters}"), move |a, _, _| {
            swapped(a) << 32 | swapped(a >> 32)
        }),
        case(
            "b64",
            ["b64"; 3],
            format!("{registers} mov.b64 {{r, _}}, a; mov.b64 d, {{r, r}};"),
            |a, _, _| (a as u32 as u64) << 32 | a as u32 as u64,
        ),
        // A sign-extended byte does not affect the neighbouring part.
        case("b32", ["s8"; 3], "mov.b32 d, {a, b};", |a, b, _| {
            (b as i8 as u16 as u64) << 16 | a as i8 as u16 as u64
        }),
        case(
            "u32",
            ["u64"; 3],
            format!("{registers} ld.global.v2.u32 {{r, d}}, [%at+8];"),
            |_, b, _| b >> 32,
        ),
        case(
            "u32",
            ["u64"; 3],
            format!("{registers} ld.global.v4.u8 {{r, s, d, u}}, [%at+8];"),
            |_, b, _| b >> 16 & 0xff,
        ),
        case(
            "u64",
            ["u64"; 3],
            format!(
                "{registers} .shared .align 16 .b8 tile[1024]; .reg .b64 at, to; mov.u64 at, tile; \
             mad.wide.u32 to, %tid, 16, at; mov.b64 {{r, s}}, a; mov.b64 {{t, u}}, b; \
             st.shared.v4.b32 [to], {{r, s, t, u}}; st.shared.u8 [to+9], c; ld.shared.u64 d, [to+8];"
            ),
            |_, b, c| b & !0xff00 | (c & 0xff) << 8,
        ),
    ]);
}
