//! Which products and sums become one instruction: those of which NVVM 12.9 makes one. The others are
//! left to ptxas.

use super::*;

/// How many multiply-adds, products, sums and differences there are after these lines.
fn counts(body: &str) -> [usize; 3] {
    let source = format!(
        "struct S {{ float x, y; }};\n\
         __device__ float times(float a, float b) {{ return a * b; }}\n\
         {}",
        kernel(&format!("float a = A[0], b = A[1], c = A[2], d = A[3];\n{body}"))
    );
    let made = compiled(&source).ptx;
    assert!(ptx::parse(&made).is_ok(), "{source}\n{made}");
    let lines =
        |of: &[&str]| of.iter().map(|of| made.matches(&format!("\t{of}.f32 ")).count()).sum();
    [lines(&["fma.rn"]), lines(&["mul", "mul.rn"]), lines(&["add", "sub", "add.rn"])]
}

#[test]
fn a_product_is_fused_whatever_its_name_is() {
    for body in [
        "C[0] = a * b + c;",
        "float p = a * b; C[0] = p + c;",
        "C[0] = times(a, b) + c;",
        "S s; s.x = a * b; s.y = c; C[0] = s.x + s.y;",
        "float r[2] = {a * b, c}; C[0] = r[0] + r[1];",
        "float p = a * b; float& r = p; C[0] = r + c;",
        "float4 v = make_float4(a * b, c, 0, 0); C[0] = v.x + v.y;",
        "float x = a; x *= b; x += c; C[0] = x;",
        "float x = a, p = x * b; x = c; C[0] = p + x;",
        "C[0] = a / 2.0f + c;",
        "float p = a * b; if (d > 0) d = c; C[0] = p + d;",
        "float p = a * b, s = c; if (d > 0) s += p; C[0] = s;",
    ] {
        assert_eq!(counts(body), [1, 0, 0], "{body}");
    }
    // Each of several sums computes it anew.
    assert_eq!(counts("float p = a * b; C[0] = p + c; C[1] = p + d;"), [2, 0, 0]);
}

#[test]
fn a_difference_is_left_to_ptxas() {
    for body in [
        "float p = a * b; C[0] = c - p;",
        "float p = a * b, q = p; C[0] = q - c;",
        "C[0] = -(a * b) + c;",
        "float s = 0; for (int i = 0; i < N; ++i) { float p = A[i] * A[i + N]; s -= p; } C[0] = s;",
    ] {
        assert_eq!(counts(body), [0, 1, 1], "{body}");
    }
    assert_eq!(counts("float p = a * b; C[0] = p + c; C[1] = p - d;"), [0, 1, 2]);
}

#[test]
fn a_product_that_is_used_otherwise_is_not_fused() {
    for body in [
        "float p = a * b; C[0] = p + c; C[1] = p;",
        "C[0] = a * b + c; C[1] = a * b;",
        "float p = a * b; if (d > 0) p = c; C[0] = p + d;",
        "C[0] = __fmul_rn(a, b) + c;",
        "C[0] = __fadd_rn(a * b, c);",
        "C[0] = fabsf(a * b) + c;",
        "float p = a * b, s = c; for (int i = 0; i < N; ++i) s += p; C[0] = s;",
        "float s = c; for (int i = 0; i < N; ++i) s += a * b; C[0] = s;",
        "float p = 0; for (int i = 0; i < N; ++i) p = A[i] * A[i + N]; C[0] = p + c;",
    ] {
        let [fused, products, sums] = counts(body);
        assert!(fused == 0 && products > 0 && sums == 1, "{body}");
    }
}

/// The operands of the multiply-add, as the variables that were loaded first to last.
#[test]
fn of_two_products_the_one_is_fused_that_can_be_computed_first() {
    let order = |body: &str| {
        let source = kernel(&format!("float a = A[0], b = A[1], c = A[2], d = A[3];\n{body}"));
        let made = compiled(&source).ptx;
        let of = |name: &str| {
            let line = made.lines().find(|line| line.contains(name));
            let line = line.unwrap_or_default().trim_end_matches(';');
            line.split(", ").skip(1).take(2).map(str::to_owned).collect::<Vec<_>>()
        };
        // `float a` is in the second register, `float b` in the fourth.
        (of("\tfma.rn.f32"), of("\tmul.f32"))
    };
    let pair = |a: u32, b: u32| vec![format!("%f{a}"), format!("%f{b}")];
    assert_eq!(order("C[0] = a * b + c * d;"), (pair(2, 4), pair(6, 8)));
    assert_eq!(order("C[0] = c * d + a * b;"), (pair(2, 4), pair(6, 8)));
    assert_eq!(order("C[0] = a * d + b * c;"), (pair(4, 6), pair(2, 8)));
    let (fused, first) = order("C[0] = a * b - c * d;");
    assert_eq!((fused, first), (Vec::new(), pair(2, 4)));
}

#[test]
fn what_stays_is_written_as_nvvm_writes_it() {
    let made = |body: &str| {
        compiled(&kernel(&format!("float a = A[0], b = A[1], c = A[2], d = A[3];\n{body}"))).ptx
    };
    // A product that is there already is taken, and one by 2 is a sum.
    let twice = made("C[0] = a * b + c; C[1] = b * -a;");
    assert_eq!((twice.matches("\tmul.f32 ").count(), twice.matches("\tneg.f32 ").count()), (1, 2));
    assert!(made("C[0] = c - 2.0f * a;").contains(", %f2, %f2;"));
    // The left product is ptxas' choice: NVVM has `c * d - a * b`.
    let swapped = made("C[0] = -(a * b) + c * d;");
    let sum = swapped.lines().find(|line| line.contains("\tadd.f32 ")).expect("a sum");
    let product = swapped.lines().filter(|line| line.contains("\tmul.f32 ")).nth(1);
    let result = |line: &str| line.split([' ', ',']).nth(1).map(str::to_owned).expect("a result");
    assert!(sum.contains(&format!(", {}, ", result(product.expect("a product")))), "{swapped}");
}
