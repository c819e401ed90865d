//! Host code as people write it, and what it does to the device.

use super::{HostArgument, HostRun, HostStep};
use crate::CudaFile;

fn run(source: &str) -> HostRun {
    CudaFile::new(source, |_| None).host_run().expect("it has a main")
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
