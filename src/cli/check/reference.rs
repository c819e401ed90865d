//! How the host's code lays out the matrices that it gives to cuBLAS, to compare a kernel with.

use crate::kernel::operand_of;
use crate::matrix::Operand;

/// Whether A, B and C are column-major in the first call of a gemm of cuBLAS in a text, if it says
/// so: cuBLAS computes a column-major C = op(A) op(B), so that a call with B before A is that of
/// row-major matrices.
pub(in crate::cli) fn column_major(text: &str) -> Option<[bool; 3]> {
    let calls = text.match_indices("cublas").filter_map(|(at, _)| {
        let (name, rest) = text[at..].split_once('(')?;
        let is_gemm = name.len() < 40 && name.to_lowercase().contains("gemm");
        is_gemm.then(|| arguments(rest)).flatten()
    });
    calls.into_iter().find_map(|arguments| layouts(&arguments))
}

/// The arguments up to the bracket that closes the call.
fn arguments(rest: &str) -> Option<Vec<&str>> {
    let (mut depth, mut from, mut all) = (0_i32, 0, Vec::new());
    for (at, byte) in rest.bytes().enumerate() {
        match byte {
            b')' if depth == 0 => {
                all.push(rest[from..at].trim());
                return Some(all);
            }
            b',' if depth == 0 => {
                all.push(rest[from..at].trim());
                from = at + 1;
            }
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
    }
    None
}

fn layouts(arguments: &[&str]) -> Option<[bool; 3]> {
    let is_transposed = |text: &&str| match () {
        () if text.ends_with("_OP_T") => Some(true),
        () if text.ends_with("_OP_N") => Some(false),
        () => None,
    };
    let [first, second] = [arguments.get(1)?, arguments.get(2)?];
    let [first, second] = [is_transposed(first)?, is_transposed(second)?];
    let matrices: Vec<_> = arguments[3..].iter().filter_map(|text| matrix(text)).collect();
    match matrices[..] {
        [Operand::A, Operand::B, Operand::C] => Some([!first, !second, true]),
        [Operand::B, Operand::A, Operand::C] => Some([second, first, false]),
        _ => None,
    }
}

/// The matrix that an argument names; `m`, `n` and numbers name none.
fn matrix(text: &str) -> Option<Operand> {
    let is_name = text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    operand_of(text).filter(|_| is_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_says_how_the_matrices_lie() {
        let call = |ops: &str, matrices: &str| {
            let [one, two, three] = [0, 1, 2].map(|at| matrices.split(' ').nth(at).unwrap_or(""));
            column_major(&format!(
                "if (x) {{ cublasSgemm(handle, {ops}, m, n, k, &alpha, {one}, k, {two}, n, &beta, {three}, \
                 f(m)); }}"
            ))
        };
        assert_eq!(call("CUBLAS_OP_T, CUBLAS_OP_N", "A B C"), Some([false, true, true]));
        assert_eq!(call("CUBLAS_OP_N, CUBLAS_OP_N", "d_A d_B d_C"), Some([true, true, true]));
        assert_eq!(call("CUBLAS_OP_N, CUBLAS_OP_N", "d_B d_A d_C"), Some([false, false, false]));
        assert_eq!(call("CUBLAS_OP_T, CUBLAS_OP_N", "B A C"), Some([false, true, false]));
        assert_eq!(call("transa, CUBLAS_OP_N", "A B C"), None);
        assert_eq!(column_major("cublasCreate(&handle);"), None);
    }
}
