//! Files as people have them.

use super::CudaFile;
use crate::host::NamedNumbers;

/// A file with a kernel, what it uses, and the host's code around them.
const WHOLE: &str = r#"#include <stdio.h>
#include <vector>
#include "sizes.h"
#include <cuda_fp16.h>
using namespace std;
#define CHECK(call) if ((call) != cudaSuccess) { printf("no"); }
typedef struct { int width; float* values; } Matrix;
struct Timer { std::vector<float> all; };
const int TILE = SIDE * 2;
static int runs = 3;
__device__ float at(Matrix a, int i) { return a.values[i]; }
inline int ceil_div(int a, int b) { return (a + b - 1) / b; }
int round_up(int a) { return ceil_div(a, TILE) * TILE; }
extern "C" __global__ void mm(Matrix a, float* c, uint32_t n, float scale) {
  __shared__ float tile[TILE][TILE]; // } {
  c[threadIdx.x] = at(a, n) * scale + FLT_MAX;
}
namespace { void check(float* c) { printf("}"); } }
int main(int argc, char** argv) {
  int N = 1 << 10, width = atoi(argv[1]);
#ifdef BIG
  N = argc;
#endif
  const float scale = 0.5f;
  dim3 block(TILE, TILE), grid;
  grid.x = ceil_div(N, block.x);
  grid.y = (width + TILE - 1) / TILE;
  mm<<<grid, block, 2 * TILE * sizeof(float)>>>(a, c, N, scale);
  mm<<<dim3(1, 2), (3, 4), 0, stream>>>(a, c, width - 1, 1);
}
"#;

fn file(source: &str) -> CudaFile {
    CudaFile::new(source, |name| {
        (name == "sizes.h").then(|| "#pragma once\n#define SIDE 8\n".to_owned())
    })
}

#[test]
fn what_the_kernels_use_stays_on_its_line_and_the_host_goes() {
    let code = file(WHOLE).device_code(&[]);
    let lines = code.text.lines().zip(WHOLE.lines());
    let kept: Vec<_> = (1..).zip(lines).filter(|(_, (line, _))| !line.trim().is_empty()).collect();
    assert!(kept.iter().all(|(_, (line, own))| line == own), "{kept:?}");
    let kept: Vec<u32> = kept.iter().map(|(number, _)| *number).collect();
    assert_eq!(kept, [3, 4, 6, 7, 9, 11, 14, 15, 16, 17, 21, 23]);
    assert_eq!(code.text.lines().count(), WHOLE.lines().count());
    assert_eq!(code.headers, [("sizes.h".to_owned(), "#pragma once\n#define SIDE 8\n".to_owned())]);
    let declared: Vec<_> = code.prelude.lines().collect();
    assert_eq!(declared.len(), 2, "{declared:?}");
    assert!(declared[0].contains("uint32_t;") && declared[1].starts_with("#define FLT_MAX"));
}

#[test]
fn a_file_without_host_code_stays_as_it_is() {
    for source in [
        "const int unused = 1;\n__global__ void mm(float* c) { c[0] = 1; }\n",
        "void helper() {}\nint main() { helper(); }\n",
        "__global__ void mm(float* c) {\n",
        "",
    ] {
        assert_eq!(file(source).device_code(&[]).text, source);
    }
    let file = CudaFile::new("#include \"none.h\"\nint main() {}", |_| None);
    assert_eq!((file.has_kernel(), file.absent()), (false, &["none.h".to_owned()][..]));
}

#[test]
fn what_is_no_program_is_cut_without_a_panic() {
    for source in [
        "{",
        "}}}",
        "template <",
        "x<<<",
        "x<<<1,2>>>(",
        "#define",
        "#include",
        "\"",
        "R\"(",
        "/*",
        "'",
        "é<<<é>>>(é)",
        "dim3 d(1 f() { d<<<d, d>>>(d)",
    ] {
        let host = format!("__global__ void k() {{}}\nvoid f() {{ {source}\n");
        for source in [source, &host] {
            let file = file(source);
            file.device_code(&["k<".to_owned()]);
            let many = |_: &str| Some(i64::MAX);
            file.all_launches(NamedNumbers { given: &|_| None, otherwise: &many });
        }
    }
}
