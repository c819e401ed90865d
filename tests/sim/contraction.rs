//! Which products and sums are one instruction, in bodies of which ptxas' machine code is known.

use crate::kernel;
use matviz::sim::Program;
use ptx::{LaneOp, Op, TernaryOp};

/// A body of `tests/data/sim/contraction.txt`.
struct Body<'t> {
    name: &'t str,
    ty: &'t str,
    multiply_adds: usize,
    ptx: &'t str,
    /// The place of a result, and the expression that it is.
    values: Vec<(usize, &'t str)>,
}

fn bodies() -> Vec<Body<'static>> {
    let text = include_str!("../data/sim/contraction.txt");
    let body = |line: &'static str| {
        let [name, ty, count, ptx, values] =
            line.split('|').map(str::trim).collect::<Vec<_>>().try_into().unwrap();
        let value = |one: &'static str| {
            let (place, value) = one.split_once(" = ").unwrap();
            (place.trim().parse().unwrap(), value)
        };
        let values = values.split(';').filter(|one: &&str| !one.is_empty()).map(value).collect();
        Body { name, ty, multiply_adds: count.parse().unwrap(), ptx, values }
    };
    text.lines().filter(|line| !line.starts_with('#')).map(body).collect()
}

impl Body<'_> {
    /// The kernel: `%f0` to `%f7` (or `%d`, `%h`, `%v`) are loaded, `%r0` is 4.
    fn text(&self) -> String {
        let (register, bytes) = match self.ty {
            "f32" => ("%f", 4),
            "f64" => ("%d", 8),
            "f16" => ("%h", 2),
            _ => ("%v", 4),
        };
        let bits = 8 * bytes;
        let loads =
            (0..8).map(|n| format!("ld.global.b{bits} {register}{n}, [%rd1+{}];\n", n * bytes));
        kernel::text(&format!(
            ".reg .pred %p<20>; .reg .b16 %h<60>; .reg .b32 %r<60>, %v<60>; .reg .f32 %f<200>;\n\
             .reg .f64 %d<200>; .reg .b64 %rd<20>;\n\
             mov.b64 %rd0, %out; mov.b64 %rd1, %in; ld.global.u32 %r0, [%rd1+64];\n{}{}",
            loads.collect::<String>(),
            self.ptx
        ))
    }
}

/// The multiply-adds of a program: the least and the most that ptxas may make.
fn multiply_adds(program: &Program) -> [usize; 2] {
    let count = |of: fn(&TernaryOp) -> bool| {
        let is_one = |op: &Op<_, _>| matches!(op, Op::Lane(LaneOp::Ternary { op, .. }) if of(op));
        program.insts.iter().filter(|inst| is_one(&inst.op)).count()
    };
    let certain = |op: &TernaryOp| match op {
        TernaryOp::Contracted(how) => how.fused && how.certain,
        op => op.is_fma(),
    };
    [count(certain), count(|op| matches!(op, TernaryOp::Fma | TernaryOp::Contracted(_)))]
}

#[test]
fn each_body_has_the_multiply_adds_that_ptxas_makes_of_it() {
    let bodies = bodies();
    assert_eq!(bodies.len(), 66);
    let mut open = Vec::new();
    for body in &bodies {
        let [least, most] = multiply_adds(&kernel::program(&body.text()));
        // ptxas makes a product of `fma(a, b, -0)`.
        let found = if body.name == "fma_minus_zero_is_no_product" { 0 } else { least };
        if least < most {
            assert!((least..=most).contains(&body.multiply_adds), "{}: {least}-{most}", body.name);
            open.push(body.name);
        } else {
            assert_eq!(found, body.multiply_adds, "{}", body.name);
        }
    }
    // Their products meet the sums over the end of a block, or of a loop that ptxas unrolls, or with a
    // sign that only the latest ptxas looks through.
    let apart = ["over_branch", "over_pred_ret", "into_branch", "before_loop", "after_loop"];
    assert_eq!(open, [&["through_xor"], &apart[..], &["unrolled_exit"]].concat());
}

/// What ptxas may make of a sum beside what is written, or of one version only: one FMA at most.
#[test]
fn what_ptxas_may_look_through_is_a_range() {
    let of = |ptx: &str| {
        let text = Body { name: "", ty: "f32", multiply_adds: 0, ptx, values: Vec::new() }.text();
        multiply_adds(&kernel::program(&text))
    };
    let store = "st.global.f32 [%rd0], %f9;";
    let local = ".local .align 4 .b8 mine[8]; mul.f32 %f8, %f0, %f1; st.local.f32 [mine], %f8;\n\
                 ld.local.f32 %f7, [mine]; add.f32 %f9, %f7, %f2;";
    let signed = "mul.f32 %f8, %f0, %f1; mov.b32 %r1, %f8; xor.b32 %r1, %r1, 0x80000000;\n\
                  mov.b32 %f7, %r1; add.f32 %f9, %f7, %f2;";
    let doubled = "mul.f32 %f8, %f0, 0f40000000; sub.f32 %f9, %f8, %f0;";
    for ptx in [local, signed, doubled] {
        assert_eq!(of(&format!("{ptx} {store}")), [0, 1], "{ptx}");
    }
    // What is loaded is no product, or has another sign for certain.
    let loaded = ".local .align 4 .b8 mine[8]; st.local.f32 [mine], %f0; ld.local.f32 %f7, [mine];\n\
                  add.f32 %f9, %f7, %f2;";
    let negated = "mul.f32 %f8, %f0, %f1; neg.f32 %f7, %f8; add.f32 %f9, %f7, %f2;";
    let tripled = "mul.f32 %f8, %f0, 0f40400000; sub.f32 %f9, %f8, %f0;";
    let found = [loaded, negated, tripled].map(|ptx| of(&format!("{ptx} {store}")));
    assert_eq!(found, [[0, 0], [1, 1], [1, 1]]);
}

#[test]
fn each_body_computes_what_the_machine_code_computes_bit_for_bit() {
    let mut compared = 0;
    for body in bodies() {
        let program = kernel::program(&body.text());
        for round in 0..50 {
            let x: Vec<f64> = (0..8).map(|n| number(8 * round + n)).collect();
            let x32 = x.iter().map(|x| *x as f32);
            let words = match body.ty {
                "f32" => x32.clone().map(f32::to_bits).chain([0; 8]).collect::<Vec<_>>(),
                _ => x
                    .iter()
                    .flat_map(|x| [x.to_bits() as u32, (x.to_bits() >> 32) as u32])
                    .collect(),
            };
            let input = [words, vec![4], vec![0; 47]].concat();
            let (out, _) = kernel::run(&program, 1, &input, 128).unwrap();
            for (place, expression) in &body.values {
                let [low, high] = [0, 1].map(|half| u64::from(out[2 * place + half]));
                let (found, expected) = match body.ty {
                    "f32" => {
                        let x: Vec<_> = x32.clone().map(f64::from).collect();
                        (low, u64::from((Expression::of(expression, &x, true) as f32).to_bits()))
                    }
                    _ => (low | high << 32, Expression::of(expression, &x, false).to_bits()),
                };
                assert_eq!(found, expected, "{}: {place} = {expression}", body.name);
                compared += 1;
            }
        }
    }
    assert!(compared > 3_000, "{compared}");
}

/// Numbers from 1/2 to 2 with all their bits in use, of both signs.
fn number(seed: u64) -> f64 {
    let bits =
        (seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ seed.wrapping_mul(0xd1b5_4a32_d192_ed03);
    let value = 0.5 + 1.5 * (bits >> 11) as f64 / (1_u64 << 53) as f64;
    if bits & 1 == 0 { value } else { -value }
}

/// `fma(-x0*x1, [x2*x3])`, evaluated with one rounding for each fma, product and sum.
struct Expression<'t> {
    rest: &'t str,
    x: &'t [f64],
    single: bool,
}

impl<'t> Expression<'t> {
    fn of(text: &'t str, x: &'t [f64], single: bool) -> f64 {
        let mut parser = Self { rest: text, x, single };
        let value = parser.term();
        assert_eq!(parser.rest.trim(), "", "of {text}");
        value
    }

    fn take(&mut self, word: &str) -> bool {
        let rest = self.rest.trim_start().strip_prefix(word);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn after(&mut self, word: &str) {
        assert!(self.take(word), "`{word}` at {}", self.rest);
    }

    fn term(&mut self) -> f64 {
        if self.take("fma") {
            let clamps = self.clamps();
            self.after("(");
            let minus = !self.take("+") && self.take("-");
            let a = self.term();
            self.after("*");
            let b = self.term();
            self.after(",");
            let c = self.term();
            self.after(")");
            let a = if minus { -a } else { a };
            let fused = if self.single {
                f64::from((a as f32).mul_add(b as f32, c as f32))
            } else {
                a.mul_add(b, c)
            };
            return if clamps { fused.clamp(0.0, 1.0) } else { fused };
        }
        if self.take("[") {
            let a = self.term();
            self.after("*");
            let b = self.term();
            self.after("]");
            let product = self.rounded(a * b);
            return if self.clamps() { product.clamp(0.0, 1.0) } else { product };
        }
        if self.take("(abs") {
            let value = self.term().abs();
            self.after(")");
            return value;
        }
        if self.take("(") {
            let a = self.term();
            self.after("+");
            let b = self.term();
            self.after(")");
            self.clamps();
            return self.rounded(a + b);
        }
        if self.take("-") {
            return -self.term();
        }
        if self.take("x") {
            let (index, rest) = self.rest.split_at(1);
            self.rest = rest;
            return self.x[index.parse::<usize>().unwrap()];
        }
        self.rest = self.rest.trim_start();
        let end = self.rest.find([',', ')', ']', '*', ' ']).unwrap_or(self.rest.len());
        let (number, rest) = self.rest.split_at(end);
        self.rest = rest;
        number.trim().parse().unwrap()
    }

    /// Of a product or sum of two single floats, a double has all bits that its rounding needs.
    fn rounded(&self, value: f64) -> f64 {
        if self.single { f64::from(value as f32) } else { value }
    }

    fn clamps(&mut self) -> bool {
        self.take(".FTZ");
        self.take(".SAT")
    }
}
