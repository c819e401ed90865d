//! The files that the command lines name.

use std::fs;
use std::path::Path;

/// A product with a thread for each element, of blocks of 8 x 8.
const OWN: &str = "\
// launch: <<<,8x8>>> --size 16
__global__ void k(const float* A, const float* B, float* C, int M, int N, int K) {
    int r = blockIdx.y * 8 + threadIdx.y, c = blockIdx.x * 8 + threadIdx.x;
    if (r < M && c < N) {
        float s = 0;
        for (int k = 0; k < K; ++k) s += A[r * K + k] * B[k * N + c];
        C[r * N + c] = s;
    }
}
";

/// It copies through dynamic shared memory.
const SHARED: &str = "\
// launch: <<<1,16>>>(A,C) --size 16
__global__ void k(const float* A, float* C) {
    extern __shared__ float t[];
    t[threadIdx.x] = A[threadIdx.x];
    __syncthreads();
    C[threadIdx.x] = t[15 - threadIdx.x];
}
";

/// The same as PTX.
const DYNAMIC: &str = "\
.version 8.0
.target sm_80
.address_size 64
.extern .shared .align 4 .b8 buf[];
.visible .entry k(.param .u64 a, .param .u64 c)
{
    .reg .b32 %r<4>; .reg .b64 %rd<8>; .reg .f32 %f1;
    ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [c];
    mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 4;
    add.s64 %rd4, %rd1, %rd3; ld.global.f32 %f1, [%rd4];
    mov.u32 %r2, buf; shl.b32 %r3, %r1, 2; add.u32 %r2, %r2, %r3;
    st.shared.f32 [%r2], %f1; add.s64 %rd5, %rd2, %rd3; st.global.f32 [%rd5], %f1;
    ret;
}
";

/// It stores what is negative.
const DATA: &str = "\
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 c)
{
    .reg .pred %p; .reg .b32 %r<4>; .reg .b64 %rd<8>; .reg .f32 %f1;
    ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [c];
    mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 4;
    add.s64 %rd4, %rd1, %rd3; ld.global.f32 %f1, [%rd4];
    add.s64 %rd5, %rd2, %rd3; setp.lt.f32 %p, %f1, 0f00000000;
    @%p st.global.f32 [%rd5], %f1;
    ret;
}
";

/// Somebody stands on page 3 of lesson 0.
const PROGRESS: &str =
    r#"{"format":1,"seed":8990,"lessons":{"look-round":{"page":3,"asks":{}}},"exercises":{}}"#;

/// A report of Nsight Compute: a kernel, its launch, a metric.
fn report(rows: &[(&str, &str, &str, &str)]) -> String {
    let head =
        "\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"Metric Name\",\"Metric Value\"\n";
    let row = |(kernel, block, grid, metric): &(&str, &str, &str, &str)| {
        format!("\"0\",\"{kernel}\",\"({block}, 1)\",\"({grid}, 1)\",\"{metric}.sum\",\"1\"\n")
    };
    head.to_owned() + &rows.iter().map(row).collect::<String>()
}

/// Writes them into a folder.
pub(crate) fn files(folder: &Path) {
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).expect("written");
    let read = |path: &str| fs::read_to_string(path).expect("it is committed");
    let headers = folder.join("lib/deep/er/inc");
    fs::create_dir_all(&headers).expect("made");
    fs::create_dir(folder.join("course")).expect("made");
    let ptx = read("kernels/ptx/naive.t8.ptx");
    let (_, body) = ptx.split_once(".visible .entry").expect("an entry");
    write("own.ptx", &ptx);
    write("two.ptx", &format!("{ptx}.visible .entry{}", body.replace("naive", "second")));
    write("racy.ptx", &read("kernels/ptx/tiled_no_load_barrier.t16.ptx"));
    write("dynamic.ptx", DYNAMIC);
    write("data.ptx", DATA);
    let ones = |text: &str| text.replace("= s;", "= s * ONE;");
    let wide = OWN.replace(" k(", " naive(").replace("* 8", "* 16").replace("8,8", "16,16");
    write("own.cu", OWN);
    write("two.cu", &(OWN.to_owned() + &OWN.replace(" k(", " second(")));
    write("ones.cu", &ones(OWN));
    write("needs.cu", &format!("#include \"t.h\"\n{}", ones(OWN)));
    write("wide.cu", &wide);
    write("ones16.cu", &ones(&wide));
    write("needs16.cu", &format!("#include \"t.h\"\n{}", ones(&wide)));
    write("shared.cu", SHARED);
    write("other.cu", &"// another source\n".repeat(60));
    fs::write(headers.join("t.h"), "#define ONE 1\n").expect("written");
    write("own.json", &read("kernels/timings/h200.json").replace("NVIDIA H200", "Own"));
    let offsets = ["0"; 32].join(",");
    write(
        "batch",
        &format!(
            "{{\"space\":\"shared\",\"op\":\"ld\",\"bytes\":4,\"mask\":\"0xf\",\"offsets\":[{offsets}]}}\n"
        ),
    );
    let loads = "l1tex__t_requests_pipe_lsu_mem_global_op_ld";
    let stores = "l1tex__t_requests_pipe_lsu_mem_global_op_st";
    write("report.csv", &report(&[("naive", "16, 16", "4, 4", loads)]));
    let shared = "smsp__sass_inst_executed_op_shared_ld";
    write("tiled.csv", &report(&[("tiled", "16, 16", "4, 4", shared)]));
    write("line.csv", &report(&[("k", "16, 1", "1, 1", loads), ("k", "16, 1", "1, 1", stores)]));
    let state = folder.join(".local/state/matviz");
    fs::create_dir_all(&state).expect("made");
    fs::write(state.join("progress.json"), PROGRESS).expect("written");
    write("course/1-own.md", "# T\n```matviz lesson\nid = \"t\"\nminuets = 1\n```\n");
}
