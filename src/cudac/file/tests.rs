//! Files as people have them.

use super::{CudaFile, HostLaunch, LaunchNumber};

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
fn launches_are_read_as_far_as_they_are_known() {
    let launches = file(WHOLE).launches(&|name| (name == "width").then_some(100));
    let [first, second] = &launches[..] else { panic!("{launches:?}") };
    assert_eq!((first.line, &*first.kernel), (28, "mm"));
    assert_eq!((first.grid, first.block), (Some([64, 7, 1]), Some([16, 16, 1])));
    assert_eq!(first.shared, Some(128));
    assert_eq!(first.args, ["a", "c", "N", "scale"]);
    assert_eq!(
        first.values,
        [None, None, Some(LaunchNumber::Int(1024)), Some(LaunchNumber::Float(0.5))]
    );
    assert_eq!((second.grid, second.block), (Some([1, 2, 1]), Some([4, 1, 1])));
    assert_eq!(second.values[2], Some(LaunchNumber::Int(99)));
    let unknown = file(WHOLE).launches(&|_| None);
    assert_eq!((unknown[0].grid, unknown[0].block), (None, Some([16, 16, 1])));
}

#[test]
fn a_template_is_named_with_the_arguments_of_its_launch() {
    let source = "template <int B, typename T> __global__ void mm(T* c) { c[0] = B; }\n\
                  template <int D> void run(int n) { mm<D, float><<<n, 1>>>(c); }\n\
                  int main() { const int B = 4; mm<B * 8, float><<<1, B>>>(c); }\n";
    let launches = file(source).launches(&|_| None);
    let named = |launch: &HostLaunch| (launch.instance.clone(), launch.block);
    let all: Vec<_> = launches.iter().map(named).collect();
    let known = (Some("mm<32, float>".to_owned()), Some([4, 1, 1]));
    assert_eq!(all, [(None, Some([1, 1, 1])), known]);
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
fn names_that_stand_for_themselves_end() {
    let again = "a = a + a * a; b = b + a;\n".repeat(60);
    let source =
        format!("__global__ void k() {{}}\nvoid f() {{ int a, b; {again} k<<<a, b>>>(a, b); }}");
    let launches = file(&source).launches(&|_| None);
    assert_eq!((launches.len(), launches[0].grid, launches[0].block), (1, None, None));
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
            file.launches(&|_| Some(i64::MAX));
            file.constants();
        }
    }
}

/// A constant above the run's size gives way to it, unless a kernel has it compiled in.
#[test]
fn a_launch_is_that_of_the_size_that_is_run() {
    let launched = |kernel: &str, before: &str, size: i64| {
        let source = format!(
            "{before}\n__global__ void k(float* c, int n) {{ {kernel} }}\n\
             int main() {{ dim3 block(16, 16), grid(N / 16, (N + 15) / 16); k<<<grid, block>>>(c, N); }}"
        );
        let launch = file(&source).launches(&|name| (name == "N").then_some(size)).remove(0);
        let resized: Vec<_> =
            launch.resized.iter().map(|one| (&*one.name, one.from, one.to)).collect();
        (launch.grid, format!("{resized:?}"), launch.values[1])
    };
    let small = (Some([4, 4, 1]), "[(\"N\", 4096, 64)]".to_owned(), Some(LaunchNumber::Int(64)));
    for before in ["#define N 4096", "const int N = 1 << 12;", "#define SIDE 4096\n#define N SIDE"]
    {
        assert_eq!(launched("c[n] = 1;", before, 64), small, "{before}");
    }
    let whole = (Some([256, 256, 1]), "[]".to_owned(), Some(LaunchNumber::Int(4096)));
    assert_eq!(launched("c[N] = 1;", "#define N 4096", 64), whole, "it is compiled in");
    assert_eq!(launched("c[n] = 1;", "#define N 4096", 5000), whole, "it is smaller");
    let none = launched("c[n] = 1;", "#define N 4096", 8);
    assert_eq!(none.0, Some([0, 1, 1]), "what it computes");
}

#[test]
fn the_bytes_behind_a_pointer_are_those_that_the_host_allocates() {
    let source = "__global__ void k(float* a, int* b) {}\n\
                  int main() { int N = 1000; size_t size = N * sizeof(float); float *d_a; int* d_b;\n\
                  cudaMalloc((void**)&d_a, size); cudaMallocManaged(&d_b, 2 * sizeof(int));\n\
                  k<<<1, N>>>(d_a, d_b); }";
    let launch = file(source).launches(&|name| (name == "size").then_some(64)).remove(0);
    assert_eq!(launch.bytes, [Some(4000), Some(8)]);
}

#[test]
fn a_launch_in_a_template_of_the_host_is_that_of_its_instances() {
    let source = "template <typename T, int B> __global__ void mm(T* c) { c[B] = 1; }\n\
                  template <typename T, int D = 4> void run(T* c) { constexpr int B{D * 2};\n\
                  mm<T, B><<<1, B>>>(c); }\n";
    let launch = |rest: &str| file(&format!("{source}{rest}")).launches(&|_| None).remove(0);
    let named = launch("template void run<double, 8>(double*);");
    assert_eq!(
        (named.instance.as_deref(), named.block),
        (Some("mm<double, 16>"), Some([16, 1, 1]))
    );
    let unnamed = launch("");
    assert_eq!(unnamed.instance, None);
    assert_eq!(unnamed.arguments, [None, Some("8".to_owned())]);
    let [template] = &file(source).templates()[..] else { panic!("there is one") };
    assert_eq!(template.instance(&unnamed.arguments), "mm<float, 8>");
    assert!(!template.is_complete && !file(source).has_plain_kernel());
}
