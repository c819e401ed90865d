//! float16 and bfloat16 operations without rounding: comparisons, minima, signs, clamps, integers.

use crate::arithmetic::{Case, case, check_on};
use crate::exact::{BF16, F16, Format, Mode};
use proptest::prelude::*;

/// A half as a float64, by its definition.
fn value(format: Format, bits: u64) -> f64 {
    let bits = bits & 0xffff;
    let (field, fraction) =
        ((bits & 0x7fff) >> format.fraction, bits & ((1 << format.fraction) - 1));
    let top = 0x7fff >> format.fraction;
    let scale = 2.0_f64.powi(field.max(1) as i32 - (top / 2) as i32 - format.fraction as i32);
    let significand = if field == 0 { fraction } else { fraction + (1 << format.fraction) };
    let magnitude = match (field == top, fraction) {
        (true, 0) => f64::INFINITY,
        (true, _) => f64::NAN,
        (false, _) => significand as f64 * scale,
    };
    if bits & 0x8000 == 0 { magnitude } else { -magnitude }
}

/// The half equal to a float64; every NaN becomes the canonical one.
fn half(format: Format, value: f64) -> u64 {
    let sign = if value.is_sign_negative() { 0x8000 } else { 0 };
    if value.is_nan() {
        0x7fff
    } else if value.is_infinite() {
        sign | format.infinity()
    } else {
        let exact = crate::exact::F64.value(value.to_bits());
        format.round(&exact, Mode::Nearest)
    }
}

fn lanes() -> impl Strategy<Value = [[u64; 3]; 32]> {
    let edges =
        [0, 0x8000, 1, 0x8001, 0x3ff, 0x400, 0x3c00, 0xbc00, 0x7bff, 0x7c00, 0xfc00, 0x7e00];
    let brain = [0x7f, 0x80, 0x3f80, 0xbf80, 0x7f7f, 0x7f80, 0xff80, 0x7fc0, 0x7fff, 0xffff];
    let edges: Vec<u64> = edges.into_iter().chain(brain).collect();
    let number = prop_oneof![0..0x1_0000_u64, prop::sample::select(edges), 0x3800..0x4000_u64];
    let number = (number.clone(), number).prop_map(|(upper, lower)| upper << 16 | lower);
    prop::collection::vec(number, 96)
        .prop_map(|all| std::array::from_fn(|i| std::array::from_fn(|j| all[3 * i + j])))
}

fn check(cases: &[Case]) {
    check_on(cases, lanes(), 60);
}

const FORMATS: [(Format, &str); 2] = [(F16, "f16"), (BF16, "bf16")];

/// The smaller of two, as the manual defines it: -0 is below +0, and if one is NaN, the other one.
fn lesser(a: f64, b: f64) -> f64 {
    if a == b && b.is_sign_negative() {
        b
    } else if a == b {
        a
    } else {
        a.min(b)
    }
}

fn greater(a: f64, b: f64) -> f64 {
    if a == b && a.is_sign_negative() {
        b
    } else if a == b {
        a
    } else {
        a.max(b)
    }
}

#[test]
fn minima_and_maxima() {
    let mut cases = Vec::new();
    for (format, ty) in FORMATS {
        for (op, f) in [("min", lesser as fn(f64, f64) -> f64), ("max", greater)] {
            for nan in [false, true] {
                let of = move |a, b| {
                    let (a, b) = (value(format, a), value(format, b));
                    let poisoned = nan && (a.is_nan() || b.is_nan());
                    half(format, if poisoned { f64::NAN } else { f(a, b) })
                };
                let word = if nan { ".NaN" } else { "" };
                let code = format!("{op}{word}.{ty} d, a, b;");
                cases.push(case("b16", ["b16"; 3], code, move |a, b, _| of(a, b)));
                let code = format!("{op}{word}.{ty}x2 d, a, b;");
                cases.push(case("b32", ["b32"; 3], code, move |a, b, _| {
                    of(a >> 16, b >> 16) << 16 | of(a, b)
                }));
            }
        }
    }
    check(&cases);
}

#[test]
fn single_precision_minima_with_nan() {
    let single = |bits: u64| f32::from_bits(bits as u32);
    let cases = ["min", "max"].map(|op| {
        case("f32", ["f32"; 3], format!("{op}.NaN.f32 d, a, b;"), move |a, b, _| {
            let (a, b) = (single(a), single(b));
            if a.is_nan() || b.is_nan() {
                return 0x7fff_ffff;
            }
            let f = if op == "min" { lesser } else { greater };
            u64::from((f(a.into(), b.into()) as f32).to_bits())
        })
    });
    check(&cases);
}

type Test = fn(f64, f64) -> bool;

/// Each comparison; with an operand that is NaN it is false, or true with a `u`.
const COMPARISONS: [(&str, Test); 6] = [
    ("eq", |a, b| a == b),
    ("ne", |a, b| a < b || a > b),
    ("lt", |a, b| a < b),
    ("le", |a, b| a <= b),
    ("gt", |a, b| a > b),
    ("ge", |a, b| a >= b),
];

#[test]
fn comparisons() {
    let mut cases = Vec::new();
    for (format, ty) in FORMATS {
        for (name, holds) in COMPARISONS {
            for unordered in [false, true] {
                let test = move |a: u64, b: u64| {
                    let (a, b) = (value(format, a), value(format, b));
                    holds(a, b) || unordered && (a.is_nan() || b.is_nan())
                };
                let cmp = if unordered { format!("{name}u") } else { name.to_owned() };
                let code = format!("setp.{cmp}.{ty} p, a, b;");
                cases.push(case("pred", ["b16"; 3], code, move |a, b, _| test(a, b).into()));
                let code = format!("set.{cmp}.{ty}.{ty} d, a, b;");
                let one = half(format, 1.0);
                cases.push(case("b16", ["b16"; 3], code, move |a, b, _| {
                    u64::from(test(a, b)) * one
                }));
                let code = format!("set.{cmp}.{ty}x2.{ty}x2 d, a, b;");
                let both = move |a: u64, b: u64| {
                    u64::from(test(a >> 16, b >> 16)) << 16 | u64::from(test(a, b))
                };
                cases.push(case("b32", ["b32"; 3], code, move |a, b, _| both(a, b) * one));
                let code = format!("set.{cmp}.u32.{ty}x2 d, a, b;");
                cases.push(case("b32", ["b32"; 3], code, move |a, b, _| both(a, b) * 0xffff));
                let code = format!(
                    "setp.ne.b32 p, c, 0; setp.{cmp}.and.{ty}x2 p|q, a, b, !p;\n\
                     selp.b32 d, 1, 0, p; @q add.u32 d, d, 2;"
                );
                cases.push(case("b32", ["b32"; 3], code, move |a, b, c| {
                    let bits = both(a, b);
                    if c as u32 == 0 { bits & 1 | bits >> 16 << 1 } else { 0 }
                }));
            }
        }
    }
    check(&cases);
}

#[test]
fn sets_of_other_types() {
    let single = |bits: u64| f32::from_bits(bits as u32);
    check(&[
        case("u32", ["f32"; 3], "set.lt.u32.f32 d, a, b;", move |a, b, _| {
            if single(a) < single(b) { u64::MAX } else { 0 }
        }),
        case("f32", ["s32"; 3], "set.gt.f32.s32 d, a, b;", |a, b, _| {
            if a as i32 > b as i32 { 0x3f80_0000 } else { 0 }
        }),
        case("b16", ["b16"; 3], "set.ge.u16.f16 d, a, b;", |a, b, _| {
            if value(F16, a) >= value(F16, b) { 0xffff } else { 0 }
        }),
    ]);
}

#[test]
fn signs_and_clamps() {
    let mut cases = Vec::new();
    for (format, ty) in FORMATS {
        // The sign and payload of a NaN result are not specified: such lanes are left out.
        let mut sign = |op: &str, f: fn(f64) -> f64| {
            let code = format!("{op}.{ty} d, a; setp.nan.{ty} p, a, a; @p mov.b16 d, 0x7fff;");
            cases.push(case("b16", ["b16"; 3], code, move |a, _, _| {
                half(format, f(value(format, a)))
            }));
        };
        sign("neg", |a| -a);
        sign("abs", f64::abs);
        let relu = |a: f64| if a <= 0.0 { 0.0 } else { a };
        let code = format!(
            "mov.b16 b, {:#x}; mov.b16 c, 0x8000; fma.rn.relu.{ty} d, a, b, c;",
            half(format, 1.0)
        );
        cases.push(case("b16", ["b16"; 3], code, move |a, _, _| {
            half(format, relu(value(format, a)))
        }));
    }
    let clamp = |a: f64| if a > 0.0 { a.min(1.0) } else { 0.0 };
    let flush = |bits: u64| if bits & 0x7c00 == 0 { bits & 0x8000 } else { bits };
    cases.push(case(
        "b16",
        ["b16"; 3],
        "mov.b16 b, 0x8000; add.sat.f16 d, a, b;",
        move |a, _, _| half(F16, clamp(value(F16, a))),
    ));
    cases.push(case("b16", ["b16"; 3], "add.ftz.f16 d, a, b;", move |a, b, _| {
        flush(half(F16, value(F16, flush(a)) + value(F16, flush(b))))
    }));
    cases.push(case("b16", ["b16"; 3], "max.ftz.f16 d, a, b;", move |a, b, _| {
        half(F16, greater(value(F16, flush(a)), value(F16, flush(b))))
    }));
    check(&cases);
}

#[test]
fn integers_and_halves() {
    let mut cases = Vec::new();
    for (format, ty) in FORMATS {
        let rounded = |word: &'static str, f: fn(f64) -> f64| {
            case("s32", ["b16"; 3], format!("cvt.{word}.s32.{ty} d, a;"), move |a, _, _| {
                f(value(format, a)) as i32 as u64
            })
        };
        cases.push(rounded("rni", f64::round_ties_even));
        cases.push(rounded("rzi", f64::trunc));
        cases.push(rounded("rmi", f64::floor));
        cases.push(rounded("rpi", f64::ceil));
        for (word, mode) in [("rn", Mode::Nearest), ("rz", Mode::Zero), ("rp", Mode::Up)] {
            let exact = |value: f64| crate::exact::F64.value(value.to_bits());
            let code = format!("cvt.{word}.{ty}.s32 d, a;");
            cases.push(case("b16", ["s32"; 3], code, move |a, _, _| {
                format.round(&exact(f64::from(a as i32)), mode)
            }));
            let code = format!("cvt.u16.u32 b, a; cvt.{word}.{ty}.u16 d, b;");
            cases.push(case("b16", ["u32", "b16", "b16"], code, move |a, _, _| {
                format.round(&exact((a & 0xffff) as f64), mode)
            }));
        }
    }
    check(&cases);
}
