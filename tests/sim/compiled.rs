//! What matviz compiles computes what the source says, also where compilers are easily wrong.

use crate::kernel::{program, run};
use cudac::{CompileOptions, compile};

/// The bits of the first floats of `C` after a kernel with this body, with `A` of 1, 2, 4 and 8.
fn computed<const N: usize>(before: &str, body: &str) -> [f32; N] {
    let head = "extern \"C\" __global__ void k(const float* A, float* C)";
    let source = format!("{before}\n{head}\n{{\n{body}\n}}\n");
    let made = compile(&source, &CompileOptions::default());
    let ptx = made.unwrap_or_else(|error| panic!("{}", error.render(&source, "k.cu"))).ptx;
    let a = [1.0_f32, 2.0, 4.0, 8.0].map(f32::to_bits);
    let (words, _) = run(&program(&ptx), 1, &a, N).unwrap();
    std::array::from_fn(|index| f32::from_bits(words[index]))
}

#[test]
fn a_vector_can_be_made_of_its_own_parts() {
    let swapped = "float2 v = make_float2(A[0], A[1]); v = make_float2(v.y, v.x);
                   C[0] = v.x; C[1] = v.y;";
    assert_eq!(computed("", swapped), [2.0, 1.0]);
    let rows = "float4 r[1]; r[0] = *(const float4*)A;
                r[0] = make_float4(r[0].w, r[0].x, r[0].y, r[0].z);
                C[0] = r[0].x; C[1] = r[0].y; C[2] = r[0].z; C[3] = r[0].w;";
    assert_eq!(computed("", rows), [8.0, 1.0, 2.0, 4.0]);
}

#[test]
fn code_that_is_tried_and_forgotten_leaves_no_register_of_an_array() {
    // Computed once to learn its type, and once more.
    let product = "float a[2]; C[0] = (a[0] = A[1]) * A[2] + A[3]; C[1] = a[0];";
    assert_eq!(computed("", product), [16.0, 2.0]);
    // Written out until there are too many rounds, and then left a loop.
    let rounds = "float a[2];
                  #pragma unroll
                  for (int i = 0; i < 1000; ++i) {
                      a[0] = A[i % 3];
                      a[1] = A[i % 3 + 1];
                      C[0] = a[0] + 10 * a[1];
                  }";
    assert_eq!(computed("", rounds), [21.0]);
}

#[test]
fn constants_are_what_the_gpu_would_compute() {
    assert_eq!(computed("", "C[0] = 0.0f / 0.0f == 0.0f / 0.0f;"), [0.0]);
    assert_eq!(computed("", "C[0] = 0.0f / 0.0f != 0.0f / 0.0f;"), [1.0]);
    assert_eq!(computed("", "C[0] = min(0xffffffffffffffffull, 3ull);"), [3.0]);
    assert_eq!(computed("", "C[0] = max(-1ll, 3ll);"), [3.0]);
}

#[test]
fn the_last_definition_of_a_macro_counts() {
    assert_eq!(computed("#define X 1\n#define X 2", "C[0] = X;"), [2.0]);
}
