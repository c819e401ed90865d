//! Host code as people write it, and what it does to the device.

use super::{HostArgument, HostData, HostPatience, HostRun, HostStep, NamedNumbers};
use crate::CudaFile;

fn run(source: &str) -> HostRun {
    CudaFile::new(source, |_| None).host_run(HostPatience::Usual).expect("it has a main")
}

/// A launch as a line: kernel, grid, block, arguments.
fn launches(run: &HostRun) -> Vec<String> {
    let launch = |step: &HostStep| {
        let HostStep::Launch(launch) = step else { return None };
        let argument = |one: &HostArgument| match one {
            HostArgument::Buffer(place) => {
                let buffer = &run.buffers[place.buffer];
                format!("{}:{}[{}]+{}", buffer.name, buffer.of, buffer.bytes, place.offset)
            }
            HostArgument::NoDevice { is_null } => format!("host {is_null}"),
            HostArgument::Number { shown, .. } => shown.clone(),
            HostArgument::Bytes(bytes, pointers) => format!("{} bytes {pointers:?}", bytes.len()),
            HostArgument::TensorMap(map) => format!("map of {}", map.matrix),
            HostArgument::Unknown(unknown) => format!("? {}: {}", unknown.line, unknown.why),
        };
        let args: Vec<_> = launch.args.iter().map(argument).collect();
        let name = launch.instance().unwrap_or_else(|| launch.kernel.clone());
        Some(format!(
            "{} {name} {:?} {:?} {:?} ({})",
            launch.line,
            launch.grid,
            launch.block,
            launch.shared,
            args.join(", ")
        ))
    };
    run.steps.iter().filter_map(launch).collect()
}

/// What each launch is passed.
fn passed(run: &HostRun) -> Vec<String> {
    let args = |line: String| line.split_once(") (").map_or(line.clone(), |(_, args)| args.into());
    launches(run).into_iter().map(args).collect()
}

#[test]
fn the_numbers_of_a_program_are_its_launch() {
    let run = run(r#"
#include <cstdio>
#include <vector>
#define N 500
#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { printf("no"); exit(1); } } while (0)
typedef double Real;
struct Dot { unsigned char r, g, b, a; };
template <typename T> __global__ void halves(const T *in, T *out, int n) { out[0] = in[0]; }
__global__ void dots(Dot *d, int width, float scale) { d[0].r = width; }
static inline int ceil_div(int a, int b) { return (a + b - 1) / b; }
void run(Real *in, Real *out, int n) {
    dim3 block(128);
    dim3 grid(ceil_div(n, block.x));
    halves<<<grid, block>>>(in, out, n);
    CHECK(cudaGetLastError());
}
int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : N;
    size_t bytes = n * sizeof(Real);
    std::vector<Real> h(n);
    for (int i = 0; i < n; i++) h[i] = i * 0.5;
    Real *in, *out;
    CHECK(cudaMalloc((void **)&in, bytes));
    CHECK(cudaMalloc(&out, bytes));
    CHECK(cudaMemcpy(in, h.data(), bytes, cudaMemcpyHostToDevice));
    for (int round = 0; round < 2; ++round)
        run(in, out + round, n >> round);
    Dot *d;
    cudaMallocManaged(&d, 40 * 30 * sizeof(Dot));
    dots<<<dim3(3, 2), dim3(16, 16), 4 * sizeof(float)>>>(d, 40, 1);
    cudaDeviceSynchronize();
}
"#);
    assert!(run.copies && run.stopped.is_none(), "{:?}", run.stopped);
    insta::assert_snapshot!(launches(&run).join("\n"), @r"
    14 halves<double> Ok([4, 1, 1]) Ok([128, 1, 1]) Ok(0) (in:double[4000]+0, out:double[4000]+0, 500)
    14 halves<double> Ok([2, 1, 1]) Ok([128, 1, 1]) Ok(0) (in:double[4000]+0, out:double[4000]+8, 250)
    30 dots Ok([3, 2, 1]) Ok([16, 16, 1]) Ok(16) (d:Dot[4800]+0, 40, 1.0f)
    ");
}

#[test]
fn what_is_not_known_names_its_line() {
    let run = run(r#"
__global__ void k(float *a, int n) { a[0] = n; }
int main() {
    int n;
    FILE *f = fopen("size.txt", "r");
    fscanf(f, "%d", &n);
    float *a;
    cudaMalloc(&a, 100 * sizeof(float));
    k<<<1, 32>>>(a, n);
}
"#);
    insta::assert_snapshot!(launches(&run).join("\n"), @"9 k Ok([1, 1, 1]) Ok([32, 1, 1]) Ok(0) (a:float[400]+0, ? 6: `fscanf` is not followed)");
}

/// All that launches, where a whole number without a value has what its name says.
fn all(source: &str, given: &[(&str, i64)]) -> HostRun {
    let of = |all: &[(&str, i64)], name: &str| {
        all.iter().find(|(own, _)| *own == name).map(|(_, value)| *value)
    };
    let otherwise = [("N", 64), ("M", 32), ("n", 64)];
    let names =
        NamedNumbers { given: &|name| of(given, name), otherwise: &|name| of(&otherwise, name) };
    CudaFile::new(source, |_| None).all_launches(names)
}

/// The launches of a source as lines, without those of its arguments.
fn shapes(run: &HostRun) -> Vec<String> {
    let launch = |step: &HostStep| {
        let HostStep::Launch(launch) = step else { return None };
        let name = launch.instance().unwrap_or_else(|| launch.kernel.clone());
        let side = |shape: &Result<[u32; 3], _>| match shape {
            Ok([x, y, _]) => format!("{x}x{y}"),
            Err(_) => "?".to_owned(),
        };
        let (grid, block) = (side(&launch.grid), side(&launch.block));
        Some(format!("{name} {grid} {block} {}", launch.passed.join(",")))
    };
    run.steps.iter().filter_map(launch).collect()
}

#[test]
fn what_nobody_calls_launches_with_what_its_names_say() {
    let kernel = "__global__ void mm(float *A, float *C, int N) {}\n";
    let open = format!(
        "{kernel}void run(float *A, float *C, int M, int N, int tile) {{ mm<<<dim3(N / 8, M / 8), dim3(8, 8)>>>(A, C, N); mm<<<N, tile>>>(A, C, N); }}"
    );
    assert_eq!(shapes(&all(&open, &[])), ["mm 8x4 8x8 A,C,N", "mm 64x1 ? A,C,N"]);
    let given = shapes(&all(&open, &[("N", 128), ("tile", 16)]));
    assert_eq!(given, ["mm 16x4 8x8 A,C,N", "mm 128x1 16x1 A,C,N"]);
    // A variable without a value, a way that depends on the command line, a loop over what is not known.
    let main = format!(
        "{kernel}int main(int argc, char **argv) {{ int N; float *a, *c; if (argc < 2) {{ exit(1); }}\n\
         int n = argc > 1 ? atoi(argv[1]) : 24; if (atoi(argv[2])) mm<<<N, 8>>>(a, c, N); else mm<<<n, 16>>>(a, c, n);\n\
         switch (atoi(argv[3])) {{ case 1: mm<<<1, 1>>>(a, c, 1); break; default: mm<<<2, 2>>>(a, c, 2); }} }}"
    );
    assert_eq!(
        shapes(&all(&main, &[])),
        ["mm 64x1 8x1 a,c,N", "mm 24x1 16x1 a,c,n", "mm 1x1 1x1 a,c,", "mm 2x1 2x1 a,c,"]
    );
}

#[test]
fn a_launch_in_a_template_is_that_of_the_instance_that_is_asked_for() {
    let source = "template <typename T, int B> __global__ void mm(T* c) { c[B] = 1; }\n\
                  template <typename T, int D = 4> void run(T* c) { constexpr int B{D * 2};\n\
                  mm<T, B><<<1, B>>>(c); }\n";
    let named = all(&format!("{source}template void run<double, 8>(double*);"), &[]);
    assert_eq!(shapes(&named), ["mm<double, 16> 1x1 16x1 c"]);
    let unnamed = all(source, &[]);
    assert_eq!(shapes(&unnamed), ["mm 1x1 8x1 c"]);
}

#[test]
fn a_kernel_is_launched_through_a_pointer() {
    let source = "template <int B> __global__ void mm(float* c, int n) {}\n\
                  void run(void (*kernel)(float*, int), dim3 grid) { float *c; kernel<<<grid, 32>>>(c, 4); }\n\
                  int main() { void (*one)(float*, int) = mm<2>; run(one, dim3(3)); auto two = mm<4>;\n\
                  two<<<1, 1>>>(nullptr, 1); }\n";
    assert_eq!(shapes(&run(source)), ["mm<2> 3x1 32x1 c,", "mm<4> 1x1 1x1 nullptr,"]);
}

#[test]
fn a_tensor_map_is_what_the_driver_is_told() {
    let source = "__global__ void mm(const __grid_constant__ CUtensorMap a, float *C) {}\n\
                  CUtensorMap encode(void *address, int rows, int columns, uint32_t box) {\n\
                  CUtensorMap map{}; uint64_t sides[2] = {(uint64_t)columns, (uint64_t)rows};\n\
                  uint64_t strides[1] = {columns * sizeof(half)}; uint32_t boxes[2] = {box, box}; uint32_t steps[2] = {1, 1};\n\
                  driver()(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, address, sides, strides, boxes, steps,\n\
                  CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE, 0);\n\
                  return map; }\n\
                  void run(half *A, float *C, int M, int N) { CUtensorMap a = encode(A, M, N, 64);\n\
                  mm<<<1, 128>>>(a, C); }\n";
    let found = all(source, &[]);
    let Some(HostStep::Launch(launch)) = found.steps.last() else { panic!("{found:?}") };
    let HostArgument::TensorMap(map) = &launch.args[0] else { panic!("{launch:?}") };
    assert_eq!((&*map.matrix, map.of, map.swizzle), ("A", 6, 3));
    assert_eq!((map.extents, map.boxes), ([64, 32], [64, 64]));
}

#[test]
fn a_template_of_a_structure_has_the_size_of_its_instance() {
    let launched = |bytes: &str| {
        let source = format!(
            "typedef __nv_bfloat16 bf16;\n\
             template <int ROWS, int COLUMNS, typename T = float, int SLOTS = 2> struct Ring {{\n\
             alignas(1024) bf16 a[SLOTS][ROWS * COLUMNS]; alignas(64) T b; char c; }};\n\
             __global__ void k(float *a) {{}}\n\
             void run(float *a) {{ constexpr int SIDE = 64; size_t bytes = {bytes};\n\
             k<<<1, 32, bytes>>>(a); }}"
        );
        let run = all(&source, &[]);
        let mut shared = run.steps.iter().filter_map(|step| match step {
            HostStep::Launch(launch) => Some(launch.shared.clone().ok()),
            _ => None,
        });
        shared.next().expect("a launch")
    };
    assert_eq!(launched("sizeof(Ring<SIDE, SIDE, double, 3>)"), Some(3 * 64 * 64 * 2 + 1024));
    assert_eq!(launched("sizeof(Ring<SIDE, 8>)"), Some(2 * 64 * 8 * 2 + 1024));
    assert_eq!(launched("sizeof(Ring<SIDE, width>)"), None, "nobody gives the width");
    assert_eq!(launched("sizeof(Other<SIDE>)"), None, "there is no such structure");
}

#[test]
fn each_kernel_that_a_pointer_of_nobody_chooses_is_launched() {
    let source = "template <bool TIMED> __global__ void k(float *a, int *ticks) {}\n\
                  void run(float *a, int *ticks) { auto* kernel = ticks ? k<true> : k<false>;\n\
                  kernel<<<4, 32>>>(a, ticks); }";
    assert_eq!(shapes(&all(source, &[])), ["k<1> 4x1 32x1 a,ticks", "k<0> 4x1 32x1 a,ticks"]);
    let branches = "__global__ void plain(float *a) {}\n__global__ void biased(float *a, float *b) {}\n\
                    void run(float *a, float *b) { if (b) biased<<<4, 32>>>(a, b); else plain<<<8, 32>>>(a); }";
    assert_eq!(shapes(&all(branches, &[])), ["biased 4x1 32x1 a,b", "plain 8x1 32x1 a"]);
}

/// A lambda's bracket that nothing closes takes the rest of the file with it, and reading ends.
#[test]
fn a_bracket_that_nothing_closes_ends_with_the_file() {
    let source = "int main() {\n[ int n = 1;\nreturn 0;\n}\n";
    assert!(CudaFile::new(source, |_| None).host_run(HostPatience::Usual).is_none());
}

#[test]
fn a_class_of_the_file_around_an_allocation_gives_its_pointer() {
    let run = run("
template <typename T> struct Block { T *ptr; std::atomic<int> count; std::string name;
  Block(T *p) : ptr(p), count(1) {} };
template <typename T> class Held {
  Block<T> *block;
  void release() { if (--block->count == 0) cudaFree(block->ptr); }
public:
  Held(size_t n, bool zero = false) : block(nullptr) {
    T *p; if (cudaMalloc(&p, n * sizeof(T)) != cudaSuccess) throw std::runtime_error(\"no\");
    if (zero) cudaMemset(p, 0, n * sizeof(T));
    block = new Block<T>(p);
  }
  Held(std::initializer_list<T> all) {
    T *p; cudaMallocManaged(&p, all.size() * sizeof(T));
    size_t i = 0;
    for (const auto &one : all) p[i++] = one;
    block = new Block<T>(p);
  }
  Held(const Held &other) : block(other.block) { ++block->count; }
  Held &operator=(const Held &other) = delete;
  ~Held() { release(); }
  T *get() const { return block->ptr; }
  T &operator[](size_t i) const { return block->ptr[i]; }
};
__global__ void k(float *a, float *b, double *c, int n) {}
int main() { Held<float> a(100), b({1, 2, 3}); Held<double> c(50, true);
  b[1] = 7; k<<<1, 32>>>(a.get(), b.get(), c.get(), (int)b[1]); }");
    assert_eq!(passed(&run), ["p:float[400]+0, p:float[12]+0, p:double[400]+0, 7)"]);
    assert!(run.stopped.is_none());
}

#[test]
fn pointers_of_the_library_and_swapped_ones_are_followed() {
    let run = run("
__global__ void k(float *a, float *b, int n) {}
int main() { float *x, *y; cudaMalloc(&x, 2 * sizeof(*x)); cudaMalloc(&y, 4 * sizeof(y[0]));
  auto h = std::make_unique<int[]>(4); h[2] = 5; std::unique_ptr<int[]> same(h.get());
  std::vector<int> sizes = {2, 3}; int sum = 0; for (int one : sizes) sum += one;
  int order[] = {3, 9, 1}; std::sort(order, order + 3);
  std::swap(x, y); k<<<1, 1>>>(x, y, same[2] + sum + order[2]); }");
    assert_eq!(passed(&run), ["y:float[16]+0, x:float[8]+0, 19)"]);
}

#[test]
fn a_goto_is_followed_to_its_label_and_what_leads_into_a_block_ends_the_run() {
    let run_of = |end: &str| {
        run(&format!(
            "__global__ void k(int n) {{}}
int main(int argc, char **argv) {{ int i = 0; bool bad = argc > 1;
again: k<<<1, 1>>>(i); i++; if (i < 3) goto again;
if (bad || argc == 1) goto end; k<<<1, 1>>>(9); {end} }}"
        ))
    };
    let followed = run_of("end: k<<<1, 1>>>(10);");
    assert_eq!(passed(&followed), ["0)", "1)", "2)", "10)"]);
    let into = run_of("{ end: k<<<1, 1>>>(10); }");
    assert_eq!(passed(&into).len(), 3);
    assert!(into.stopped.is_some_and(|why| why.why.contains("goto end")));
}

#[test]
fn what_is_written_by_an_unknown_count_is_unknown_and_not_unwritten() {
    let writes = |call: &str| {
        let run = run(&format!(
            "int ask(); int main() {{ float *d, h[4] = {{1}}; cudaMalloc(&d, 16); size_t n = ask();
struct cudaMemcpy3DParms parms; {call}; }}"
        ));
        let data = run.steps.iter().filter_map(|step| match step {
            HostStep::Write { data, .. } => Some(data.clone()),
            _ => None,
        });
        data.collect::<Vec<_>>()
    };
    for call in [
        "cudaMemset(d, 0, n)",
        "cudaMemcpy(d, h, n, cudaMemcpyHostToDevice)",
        "cudaMemcpy2D(d, n, h, 8, 8, 2, cudaMemcpyHostToDevice)",
        "cudaMemcpy2D(d, 8, h, 8, 8, n, cudaMemcpyHostToDevice)",
        "cudaMemcpyPeer(d, 0, h, 1, 16)",
    ] {
        assert_eq!(writes(call), [HostData::Unknown(16)], "{call}");
    }
    let back = writes("cudaMemcpy(h + n, d, 16, cudaMemcpyDeviceToHost)");
    assert!(back.is_empty(), "what goes to the host leaves the device as it is");
}

#[test]
fn what_a_loop_that_is_left_out_writes_through_a_structure_is_unknown() {
    let run = run("
int ask(); struct Matrix { float *at; int width; }; __global__ void k(float *a, int n) {}
int main() { Matrix m; m.width = 4; m.at = new float[4]; float *d; cudaMalloc(&d, 16);
  while (ask()) m.at[ask()] = 1;
  cudaMemcpy(d, m.at, 16, cudaMemcpyHostToDevice); k<<<1, 1>>>(d, m.width); }");
    let states = run.steps.iter().find_map(|step| match step {
        HostStep::Write { data: HostData::Bytes(_, states), .. } => Some(states.to_vec()),
        _ => None,
    });
    assert_eq!(states, Some(vec![super::ByteState::Unknown; 16]));
    assert_eq!(passed(&run), ["d:float[16]+0, 4)"]);
}

#[test]
fn an_unknown_branch_leaves_what_it_only_shows() {
    let run = run("
int ask(); __global__ void k(int a, int b, int c) {}
int main() { int h[2] = {3, 4}, n = 5, m = 6;
  if (ask()) { printf(\"%d\", h[1]); m = 7; }
  k<<<1, 1>>>(h[1], n, m); }");
    assert_eq!(passed(&run), ["4, 5, ? 4: `ask` is not followed)"]);
}

#[test]
fn an_algorithm_calls_what_it_is_given() {
    let run = run("
#include <algorithm>
struct Pair { int key; float weight; };
int by_key(const void *a, const void *b) { return ((const Pair *)a)->key - ((const Pair *)b)->key; }
bool larger(int a, int b) { return a > b; }
__global__ void k(int a, int b, int c, int d, float e, int f) {}
int main() { std::vector<int> v = {3, 9, 1, 7}; int w[] = {5, 2, 8};
  Pair p[] = {{7, 0.5f}, {2, 1.5f}, {4, 2.5f}};
  int turn = -2; std::vector<int> made(3); int next = 10;
  std::sort(v.begin(), v.end(), [&](int a, int b) { return turn * a < turn * b; });
  std::sort(w, w + 3, larger); qsort(p, 3, sizeof(Pair), by_key);
  std::generate(made.begin(), made.end(), [&]() { return next++; });
  k<<<1, 1>>>(v[0], v[3], w[1], p[1].key, p[2].weight, made[2] + std::accumulate(w, w + 3, 100));
  std::sort(w, w + 3, std::greater<int>()); std::stable_sort(v.begin(), v.end());
  k<<<1, 1>>>(v[0], w[0], 0, 0, 0, std::accumulate(w, w + 3, 2, [](int a, int b) { return a * b; })); }");
    assert_eq!(passed(&run), ["9, 1, 5, 4, 0.5f, 127)", "1, 8, 0, 0, 0.0f, 160)"]);
}

#[test]
fn numbers_in_an_unknown_order_are_unknown() {
    let run = run("
bool ask(int a, int b); __global__ void k(int a) {}
int main() { int v[] = {2, 1}; std::sort(v, v + 2, ask); k<<<1, 1>>>(v[0]); }");
    assert_eq!(passed(&run), ["? 3: some of what is sorted)"]);
}

/// What may end the program is not heeded, and said.
#[test]
fn a_return_that_nobody_knows_of_is_noted_with_its_line() {
    let run = run("
int ask(); void leave() { exit(1); } __global__ void k(int a) {}
int main() { int h = 0; FILE *f = fopen(\"no\", \"r\");
  if (!f) { printf(\"no file\"); return 1; }
  if (ask()) h = 1;
  if (h > 100000 * ask())
    exit(1);
  k<<<1, 1>>>(7); }");
    let assumed: Vec<_> =
        run.assumed.iter().map(|one| format!("{}: {}", one.what, one.why)).collect();
    let ends = |line: u32, name: &str| {
        format!("the host does not end in line {line}: `{name}` is not followed")
    };
    assert_eq!(assumed, [ends(4, "fopen"), ends(6, "ask")]);
    assert_eq!(passed(&run), ["7)"]);
}

#[test]
fn a_number_that_the_user_gives_is_the_usual_one() {
    let read = |taken: &str| {
        run(&format!(
            "
#include <iostream>
__global__ void k(int n, float first, int m) {{}}
int main(int argc, char **argv) {{ int n, m = 0; float v[4] = {{0}};
  {taken} k<<<1, 1>>>(n, v[3] < 100 ? 1 : 2, m); }}"
        ))
    };
    for (taken, passes) in [
        ("std::cin >> n >> m; for (int i = 0; i < 4; i++) std::cin >> v[i];", "64, 1.0f, 64)"),
        ("if (scanf(\"%d %d\", &n, &m) != 2) return 1;", "64, 1.0f, 64)"),
        (
            "if (argc < 3) { printf(\"usage\"); return 1; } n = atoi(argv[2]); m = argc;",
            "64, 1.0f, 3)",
        ),
        ("n = argc > 1 ? atoi(argv[1]) : 500;", "500, 1.0f, 0)"),
    ] {
        let run = read(taken);
        assert_eq!(passed(&run), [passes], "{taken}");
        assert_eq!(run.assumed.is_empty(), passes.starts_with("500"), "{taken}");
    }
}
