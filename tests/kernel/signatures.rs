//! What the parameters of a kernel stand for, read from their names as many people write them.

use matviz::kernel::{LaunchSpec, Source};
use matviz::launch::Dim3;
use matviz::matrix::Size;
use std::fmt::Write;

/// A parameter's type in PTX.
fn ty(declared: &str) -> &'static str {
    match declared {
        _ if declared.contains('*') => "u64",
        _ if declared.contains("size_t") || declared.contains("long") => "u64",
        _ if declared.contains("float") => "f32",
        _ => "u32",
    }
}

/// A kernel with these parameters that loads through its pointers and stores through the one which
/// `words` call C, in a loop, as a sum over k has one.
fn ptx_of(signature: &str, words: &str) -> String {
    let parameters: Vec<_> = signature.split(',').collect();
    let listed: Vec<_> = parameters
        .iter()
        .enumerate()
        .map(|(at, of)| format!(".param .{} k_param_{at}", ty(of)))
        .collect();
    let mut body = String::new();
    for (at, word) in words.split(',').enumerate().filter(|(at, _)| parameters[*at].contains('*')) {
        let access = if word == "C" {
            "st.global.f32 [%a], %f;"
        } else {
            "ld.global.f32 %f, [%a]; mul.f32 %f, %f, %f;"
        };
        writeln!(body, "ld.param.u64 %a, [k_param_{at}]; cvta.to.global.u64 %a, %a; {access}")
            .expect("written");
    }
    // A register for each, so that they are told apart.
    let body: String = body
        .lines()
        .enumerate()
        .map(|(at, line)| line.replace("%a", &format!("%a{at}")) + "\n")
        .collect();
    format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k({})\n{{\n\
         .reg .f32 %f; .reg .b64 %a<9>; .reg .pred %p;\nAGAIN:\n{body}@%p bra AGAIN;\nret;\n}}\n",
        listed.join(", ")
    )
}

fn words(signature: &str, words: &str, size: Size) -> Result<String, String> {
    let module = ptx::parse(&ptx_of(signature, words)).expect("PTX");
    let source = Source {
        file: "k.cu".to_owned(),
        text: format!("__global__ void k({signature}) {{}}"),
        ..Source::default()
    };
    let wanted =
        LaunchSpec { block: Dim3::new(16, 16, 1), source: Some(source), ..LaunchSpec::default() };
    let made = wanted.problem(&module, "", size);
    made.map(|problem| problem.words).map_err(|error| error.to_string())
}

const SIZE: Size = Size { m: 64, n: 48, k: 32 };

#[test]
fn the_names_that_people_use_are_read() {
    for (signature, expected) in [
        ("float* A, float* B, float* C, int M, int N, int K", "A,B,C,M,N,K"),
        ("float* A, float* B, float* C, int m, int n, int k", "A,B,C,M,N,K"),
        ("float* A, float* B, float* C, int M, int K, int N", "A,B,C,M,K,N"),
        ("float* a, float* b, float* c, int n, int m, int k", "A,B,C,N,M,K"),
        ("float* a, float* b, float* c, int k, int n, int m", "A,B,C,K,N,M"),
        ("int M, int N, int K, const float* A, const float* B, float* C", "M,N,K,A,B,C"),
        (
            "int M, int N, int K, float alpha, float* A, float* B, float beta, float* C",
            "M,N,K,1.0f,A,B,0.0f,C",
        ),
        ("float* C, float* A, float* B, int wA, int wB", "C,A,B,K,N"),
        ("float* C, const float* A, const float* B, int hA, int wA, int wB", "C,A,B,M,K,N"),
        ("float* A, float* B, float* C, int hA, int wA, int hB, int wB", "A,B,C,M,K,K,N"),
        (
            "float* A, float* B, float* C, int numARows, int numAColumns, int numBRows, int numBColumns, int numCRows, int numCColumns",
            "A,B,C,M,K,K,N,M,N",
        ),
        (
            "float* A, float* B, float* C, int numARows, int numAColumns, int numBColumns",
            "A,B,C,M,K,N",
        ),
        ("float* d_A, float* d_B, float* d_C, int rowsA, int colsA, int colsB", "A,B,C,M,K,N"),
        ("float* d_a, float* d_b, float* d_c, int a_rows, int a_cols, int b_cols", "A,B,C,M,K,N"),
        (
            "float* dA, float* dB, float* dC, int ARows, int ACols, int BRows, int BCols, int CRows, int CCols",
            "A,B,C,M,K,K,N,M,N",
        ),
        (
            "float* matA, float* matB, float* matC, int heightA, int widthA, int widthB",
            "A,B,C,M,K,N",
        ),
        (
            "float* matrixA, float* matrixB, float* matrixC, int rows_a, int cols_a, int cols_b",
            "A,B,C,M,K,N",
        ),
        ("float* A, float* B, float* C, int A_height, int A_width, int B_width", "A,B,C,M,K,N"),
        ("float* A, float* B, float* C, int nRowsA, int nColsA, int nColsB", "A,B,C,M,K,N"),
        (
            "float* A, float* B, float* C, unsigned M, unsigned N, unsigned K, unsigned lda, unsigned ldb, unsigned ldc",
            "A,B,C,M,N,K,lda,ldb,ldc",
        ),
        (
            "int M, int N, int K, float* A, int lda, float* B, int ldb, float* C, int ldc",
            "M,N,K,A,lda,B,ldb,C,ldc",
        ),
        (
            "float* A, int lda, float* B, int ldb, float* C, int ldc, int M, int N, int K",
            "A,lda,B,ldb,C,ldc,M,N,K",
        ),
        ("float* A, float* B, float* C, size_t M, size_t N, size_t K", "A,B,C,M,N,K"),
        ("float* A, float* B, float* C, long long m, long long k, long long n", "A,B,C,M,K,N"),
        (
            "float* A, float* B, float* C, int num_a_rows, int num_a_cols, int num_b_cols",
            "A,B,C,M,K,N",
        ),
        ("float* out, float* A, float* B, int M, int N, int K", "C,A,B,M,N,K"),
        ("float* x, float* y, float* z, int M, int N, int K", "A,B,C,M,N,K"),
        (
            "const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, const int M, const int N, const int K",
            "A,B,C,M,N,K",
        ),
        ("float* B, float* A, float* C, int M, int N, int K", "B,A,C,M,N,K"),
        ("float* d_B, float* d_A, float* d_C, int M, int N, int K", "B,A,C,M,N,K"),
        ("float* A, float* B, float* C, int m, int inner, int n", "A,B,C,M,K,N"),
        ("float* A, float* B, float* C, int rowA, int colA, int rowB, int colB", "A,B,C,M,K,K,N"),
        ("float* A, float* B, float* C, int aRows, int aColumns, int bColumns", "A,B,C,M,K,N"),
        (
            "float* A, float* B, float* C, int M, int N, int K, float alpha, float beta",
            "A,B,C,M,N,K,1.0f,0.0f",
        ),
        (
            "float* A, float* B, float* C, int M, int N, int K, int strideA, int strideB, int strideC",
            "A,B,C,M,N,K,lda,ldb,ldc",
        ),
    ] {
        assert_eq!(words(signature, expected, SIZE).as_deref(), Ok(expected), "{signature}");
    }
}

#[test]
fn where_the_matrices_are_square_nothing_is_asked() {
    for (signature, expected) in [
        ("float* A, float* B, float* C, int N", "A,B,C,N"),
        ("float* A, float* B, float* C, int width", "A,B,C,N"),
        ("float* A, float* B, float* C, int rows, int cols", "A,B,C,N,N"),
        ("float* A, float* B, float* C, int matrixSize", "A,B,C,N"),
        ("float* A, float* B, float* C, int size, int n", "A,B,C,N,N"),
        ("float* A, float* B, float* C, int dim", "A,B,C,N"),
        ("float* M, float* N, float* P, int Width", "A,B,C,N"),
        ("float* A, float* B, float* C, int p, int q, int r", "A,B,C,M,N,K"),
    ] {
        let found = words(signature, expected, Size::square(64));
        assert_eq!(found.as_deref(), Ok(expected), "{signature}");
    }
}

/// Names that do not say what they are for are asked about, with a list that would be taken.
#[test]
fn what_is_in_doubt_is_asked() {
    for (signature, given) in [
        ("float* A, float* B, float* C, int p, int q, int r", "A,B,C,M,N,K"),
        ("float* A, float* B, float* C, int n", "A,B,C,N"),
        ("float* A, float* B, float* C, int rows, int cols, int depth", "A,B,C,M,N,K"),
    ] {
        let said = words(signature, given, SIZE).expect_err("it is in doubt");
        assert!(said.contains(&format!("say, for example, --launch '({given})'")), "{said}");
    }
}
