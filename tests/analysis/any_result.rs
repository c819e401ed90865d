//! Kernels that compute no product, as a user has them: what is found in the broken ones, and nothing
//! in the sound ones.
//!
//! ```text
//! // launch: <<<16,256>>>(in:f32[4096],out:f32[16],n=4096)
//! // expect: race                 the kind of the findings, one line for each
//! // race: changes                what orders of the warps do: `changes`, `rounds`, `same`
//! // costs: conflicts             what is costly: `stores`, `conflicts` or `nothing`
//! // compile: compute_80          compiled by NVRTC, where it takes more than matviz's own compiler
//! ```
//!
//! `MATVIZ_WRITE=1 cargo test --test analysis any_result` regenerates the PTX of the last, if the pinned NVRTC
//! is found.

use crate::pinned;
use matviz::timing::protocol::Compile;

use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const FOLDER: &str = "tests/data/analysis/any";

/// A kernel's file and its text.
struct Kernel {
    file: PathBuf,
    text: String,
}

impl Kernel {
    /// What its comments say of `what`.
    fn said(&self, what: &str) -> BTreeSet<&str> {
        let head = format!("// {what}: ");
        self.text.lines().filter_map(|line| line.strip_prefix(&*head)).collect()
    }

    fn run(&self, command: &str, more: &[&str]) -> Output {
        let (source, ptx) = (self.file.display().to_string(), self.ptx().display().to_string());
        if self.said("compile").is_empty() {
            let own = [command, &source, "--compiler", "matviz"];
            return matviz(&[&own, more].concat());
        }
        let launch = self.said("launch").first().expect("a launch").split_whitespace();
        let launch: Vec<_> = ["--launch"].into_iter().chain(launch).collect();
        // Of what is measured no line is shown.
        let shows_lines: &[_] = if command == "bench" { &[] } else { &["--source", &source] };
        matviz(&[&[command, &ptx], shows_lines, &*launch, more].concat())
    }

    fn ptx(&self) -> PathBuf {
        self.file.with_extension("ptx")
    }

    fn json(&self, command: &str, more: &[&str]) -> Value {
        let output = self.run(command, &[&["--json"], more].concat());
        let told = format!("{}: {}", self.file.display(), stderr(&output));
        serde_json::from_slice(&output.stdout).expect(&told)
    }
}

fn matviz(args: &[&str]) -> Output {
    let mut matviz = Command::new(env!("CARGO_BIN_EXE_matviz"));
    matviz.current_dir(env!("CARGO_MANIFEST_DIR")).args(args).output().expect("the binary runs")
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn kernels(folder: &str) -> Vec<Kernel> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(FOLDER).join(folder);
    let entries = fs::read_dir(folder).expect("the folder");
    let files = entries.map(|entry| entry.expect("an entry").path());
    let mut files: Vec<_> = files.filter(|file| file.extension() == Some("cu".as_ref())).collect();
    files.sort();
    let kernel = |file: PathBuf| Kernel { text: fs::read_to_string(&file).expect("text"), file };
    files.into_iter().map(kernel).collect()
}

fn named(path: &str) -> Kernel {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(FOLDER).join(path);
    Kernel { text: fs::read_to_string(&file).expect("text"), file }
}

fn kinds(found: &Value) -> BTreeSet<&str> {
    let findings = found["findings"].as_array().expect("an array");
    findings.iter().filter_map(|finding| finding["kind"].as_str()).collect()
}

#[test]
fn the_ptx_is_what_the_pinned_compiler_makes() {
    pinned::check(["sound", "broken"].into_iter().flat_map(kernels).filter_map(|kernel| {
        let file = kernel.file.file_name()?.to_str()?.to_owned();
        let arch = (*kernel.said("compile").first()?).to_owned();
        let wanted = Compile { file, text: kernel.text.clone(), arch, ..Compile::default() };
        Some((wanted, kernel.ptx()))
    }));
}

#[test]
fn each_broken_kernel_has_its_findings_and_each_sound_one_none() {
    let (sound, broken) = (kernels("sound"), kernels("broken"));
    assert!(sound.len() >= 10 && broken.len() >= 15, "{} and {}", sound.len(), broken.len());
    let mut failures = Vec::new();
    for kernel in sound.iter().chain(&broken) {
        let found = kernel.json("check", &[]);
        let (kinds, expected) = (kinds(&found), kernel.said("expect"));
        if kinds != expected || found["result"] != "any" {
            failures.push(format!("{}: {kinds:?}, not {expected:?}", kernel.file.display()));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn nothing_is_said_of_c() {
    let tree = named("sound/tree.cu");
    let found = tree.json("check", &[]);
    for key in ["expected", "size", "relative_error", "max_relative_error", "tolerance", "c_sha256"]
    {
        assert!(found.get(key).is_none(), "{key}: {found}");
    }
    let out = &found["buffers"][1];
    assert_eq!((&out["name"], &out["type"]), (&"out".into(), &"f32".into()), "{found}");
    assert_eq!((&out["before"], &out["changed"]), (&"unfilled".into(), &true.into()), "{found}");
    let output = tree.run("check", &[]);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("The result is not judged"), "{text}");
    assert!(!text.contains("C is") && !text.contains("float64"), "{text}");
}

#[test]
fn a_finding_names_the_buffer_and_the_element_as_the_user_does() {
    let past = named("broken/scan_past_its_end.cu").run("check", &[]);
    assert_eq!(past.status.code(), Some(1));
    assert!(stdout(&past).contains("`out`"), "{}", stdout(&past));
    let blocks = stdout(&named("broken/sum_of_blocks.cu").run("check", &[]));
    assert!(blocks.contains("out[0]"), "{blocks}");
    let nothing = stdout(&named("broken/adds_to_nothing.cu").run("check", &[]));
    assert!(nothing.contains("out[0]"), "{nothing}");
}

#[test]
fn orders_that_change_a_result_are_found_and_rounding_is_called_so() {
    let mut failures = Vec::new();
    for kernel in kernels("sound").iter().chain(&kernels("broken")) {
        let said = kernel.said("race");
        let Some(expected) = said.first() else { continue };
        let found = kernel.json("check", &["--prove", "--limit", "orders=20"]);
        let is = match (&found["wrong"], found["rounded"].as_u64()) {
            (Value::Null, None) => "same",
            (Value::Null, Some(_)) => "rounds",
            _ => "changes",
        };
        if is != *expected {
            failures.push(format!("{}: {is}, not {expected}", kernel.file.display()));
        }
        if is == "changes" && found["wrong"]["changed"]["element"].as_str().is_none() {
            failures.push(format!("{}: {}", kernel.file.display(), found["wrong"]));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    let text =
        stdout(&named("sound/atomic_sum.cu").run("check", &["--prove", "--limit", "orders=20"]));
    assert!(text.contains("float atomics add in the order"), "{text}");
}

#[test]
fn an_order_that_changes_a_result_does_so_again() {
    let kernel = named("broken/stencil_in_place.cu");
    let found = kernel.json("check", &["--prove", "--limit", "orders=5"]);
    let order = found["wrong"]["order"].as_str().expect("an order");
    let hash = |order: &str| {
        let run = kernel.json("check", &["--only", "result", "--order", order]);
        run["buffers"][0]["sha256"].as_str().map(str::to_owned)
    };
    let usual = hash(found["right"]["order"].as_str().expect("an order"));
    assert!(usual.is_some() && hash(order) != usual, "{found}");
}

#[test]
fn accesses_cost_what_the_ways_to_transpose_differ_in() {
    for kernel in kernels("sound") {
        let said = kernel.said("costs");
        let Some(expected) = said.first() else { continue };
        let found = kernel.json("check", &["--only", "result"]);
        let costly = found["costly"].to_string();
        let is = match &*costly {
            "[]" => "nothing",
            costly if costly.contains("shared") => "conflicts",
            _ => "stores",
        };
        assert_eq!(is, *expected, "{}: {costly}", kernel.file.display());
    }
}

#[test]
fn a_kernel_that_is_no_product_is_told_what_would_be_accepted() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("saxpy.cu");
    let text = "__global__ void saxpy(const float* x, const float* y, float* z, float a, int n) {\n\
                    int i = blockIdx.x * blockDim.x + threadIdx.x;\n\
                    if (i < n) z[i] = a * x[i] + y[i];\n}\n";
    fs::write(&file, text).expect("written");
    let file = file.display().to_string();
    let sim = |more: &[&str]| {
        matviz(&[&["check", &file, "--compiler", "matviz", "--launch", "<<<,64>>>"], more].concat())
    };
    let unclear = sim(&[]);
    let told = stderr(&unclear);
    let hint = told.split("--launch '(void)(").nth(1).and_then(|rest| rest.split(')').next());
    let hint = hint.expect(&told);
    assert_eq!(hint, "x:f32[64],y:f32[64],z:f32[64],a=1.0f,n=64");
    let taken = sim(&["--launch", "(void)", "--launch", &format!("({hint})")]);
    assert_eq!(taken.status.code(), Some(0), "{hint}: {}{}", stdout(&taken), stderr(&taken));
    // As a product it is wrong, and the verdict names the option.
    let wrong = sim(&["--size", "64", "--launch", "(A,B,C,1.0f,N)", "--launch", "<<<1x1,>>>"]);
    let told = stdout(&wrong);
    assert!(told.contains("C is WRONG") && told.contains("than A x B: --launch '(void)"), "{told}");
    // The matrices may be there, too.
    let any = sim(&[
        "--size",
        "64",
        "--launch",
        "(A,B,C,1.0f,64*64)",
        "--launch",
        "(void)",
        "--launch",
        "<<<64,>>>",
    ]);
    assert_eq!(any.status.code(), Some(0), "{}", stdout(&any));
    assert!(!stdout(&any).contains("WRONG"), "{}", stdout(&any));
}

#[test]
fn what_cannot_be_done_with_such_a_kernel_says_so() {
    let tree = named("sound/tree.cu");
    let no_product = tree.run("check", &["--launch", "C ="]);
    assert_eq!(no_product.status.code(), Some(2));
    assert!(stderr(&no_product).contains("no A, B and C"), "{}", stderr(&no_product));
    let asked = [
        ("--format=csv", "CSV"),
        ("--counters", "--counters"),
        ("cublas", "cublas"),
        ("cpu", "cpu"),
    ];
    for (option, named) in asked {
        let bench = tree.run("bench", &[option]);
        assert_eq!(bench.status.code(), Some(2), "{option}");
        let told = stderr(&bench);
        assert!(told.contains(&format!("{named} is for kernels that compute C")), "{told}");
    }
    let trace = tree.run("trace", &["C[0][0]"]);
    assert_eq!(trace.status.code(), Some(2));
    assert!(stderr(&trace).contains("something else"), "{}", stderr(&trace));
}

/// Lost updates show when all blocks run at once, the last writer when their order is turned round.
#[test]
fn orders_of_the_blocks_that_change_a_result_are_found() {
    let lost = named("broken/sum_of_blocks.cu").json("check", &["--prove"]);
    let orders = lost["block_orders"].as_array().expect("orders of the blocks");
    assert_eq!(orders[0]["wrong"], 0, "one after the other: {lost}");
    assert_eq!(orders[1]["first"]["element"], "out[0]", "{lost}");
    let last = named("broken/last_block_wins.cu");
    let orders = last.json("check", &["--prove"]);
    assert_eq!(orders["block_orders"][0]["wrong"], 32, "{orders}");
    let told = stdout(&last.run("check", &["--prove"]));
    assert!(told.contains("from the last to the first:"), "{told}");
    assert!(told.contains("and 31 other elements"), "{told}");
    let sound = named("sound/tree.cu").json("check", &["--prove"]);
    assert!(sound.get("block_orders").is_none(), "{sound}");
}

/// The stand-in executes no PTX: what the GPU does is tried on a GPU.
#[test]
fn the_bench_of_such_a_kernel_needs_a_gpu() {
    let bench = named("sound/tree.cu").run("bench", &[]);
    let told = stderr(&bench);
    let has_gpu = bench.status.code() == Some(0) && stdout(&bench).contains("bit for bit");
    let has_none = bench.status.code() == Some(2) && told.contains("no NVIDIA driver");
    assert!(has_gpu || has_none, "{told}{}", stdout(&bench));
}

/// Following the proposal for a kernel in blocks of two dimensions leads to a run.
#[test]
fn the_proposal_has_the_types_of_the_elements() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("blur.cu");
    let text = "__global__ void blur(const float* in, float* out, int width, int height) {\n\
                    int x = blockIdx.x * blockDim.x + threadIdx.x;\n\
                    int y = blockIdx.y * blockDim.y + threadIdx.y;\n\
                    if (x > 0 && x < width - 1 && y < height)\n\
                        out[y * width + x] = in[y * width + x - 1] + in[y * width + x + 1];\n}\n";
    fs::write(&file, text).expect("written");
    let file = file.display().to_string();
    let sim = |more: &[&str]| {
        matviz(
            &[&["check", &file, "--compiler", "matviz", "--launch", "<<<,16x16>>>"], more].concat(),
        )
    };
    let told = stderr(&sim(&[]));
    let proposed = "--launch '(void)(in:f32[COUNT],out:f32[COUNT],width=NUMBER,height=NUMBER)'";
    assert!(told.contains(proposed), "{told}");
    let words = proposed.replace("COUNT", "4096").replace("NUMBER", "64");
    let words: Vec<_> = words.split(' ').map(|word| word.trim_matches('\'')).collect();
    let told = stderr(&sim(&words));
    assert!(told.contains("the grid is missing"), "{told}");
    let taken = sim(&[&words[..], &["--launch", "<<<4x4,>>>"]].concat());
    assert_eq!(taken.status.code(), Some(0), "{}{}", stdout(&taken), stderr(&taken));
}

#[test]
fn an_edited_kernel_that_is_no_product_is_checked_at_its_one_size() {
    let edit = |path: &str| {
        let file = named(path).file.display().to_string();
        matviz(&["check", &file])
    };
    let sound = edit("sound/tree.cu");
    assert_eq!(sound.status.code(), Some(0), "{}", stdout(&sound));
    assert!(!stdout(&sound).contains("C at"), "{}", stdout(&sound));
    let broken = edit("broken/tree_without_barrier.cu");
    assert_eq!(broken.status.code(), Some(1), "{}", stdout(&broken));
    assert!(stdout(&broken).contains("sums["), "{}", stdout(&broken));
}

/// A file with a kernel and the host's code that launches it.
fn whole(folder: &tempfile::TempDir, kernel: &str, host: &str) -> String {
    let file = folder.path().join("whole.cu");
    fs::write(&file, format!("{kernel}\n{host}")).expect("written");
    file.display().to_string()
}

#[test]
fn a_kernel_that_multiplies_nothing_is_no_product() {
    let folder = tempfile::tempdir().expect("a folder");
    let kernel = "__global__ void add(const float* A, const float* B, float* C, int N) {\n\
                      int i = blockIdx.x * blockDim.x + threadIdx.x;\n\
                      if (i < N) C[i] = A[i] + B[i];\n}\n";
    // Without a `main`, what the pointers are is not known.
    let host = "void run(float* a, float* b, float* c) {\n\
                    int n = 1 << 12; add<<<n / 256, 256>>>(a, b, c, n);\n}\n";
    let file = whole(&folder, kernel, host);
    let sim = |more: &[&str]| matviz(&[&["check", &file, "--compiler", "matviz"], more].concat());
    let told = stderr(&sim(&[]));
    assert!(told.contains("it multiplies no floats, so it computes no product A x B"), "{told}");
    let hint = told.split("--launch '(void)(").nth(1).and_then(|rest| rest.split(')').next());
    let taken = sim(&["--launch", &format!("({})", hint.expect(&told).replace("COUNT", "4096"))]);
    assert_eq!(taken.status.code(), Some(0), "{}{}", stdout(&taken), stderr(&taken));
}

#[test]
fn the_grid_of_the_hosts_code_is_that_of_its_own_numbers() {
    let folder = tempfile::tempdir().expect("a folder");
    let kernel = "__global__ void scale(const float* in, float* out, int n) {\n\
                      int i = blockIdx.x * blockDim.x + threadIdx.x;\n\
                      if (i < n) out[i] = 2.0f * in[i];\n}\n";
    let host = "int main() { const int n = 4096; scale<<<n / 128, 128>>>(0, 0, n); }\n";
    let file = whole(&folder, kernel, host);
    let sim = |args: &str| {
        stderr(&matviz(&["check", &file, "--compiler", "matviz", "--launch", &format!("({args})")]))
    };
    let told = sim("in:f32[4096],out:f32[4096],n=4096");
    assert!(told.contains("<<<32x1,128x1>>>: as line"), "{told}");
}

#[test]
fn a_product_and_a_difference_without_a_rounding_are_one_fma_as_on_a_gpu() {
    let found = named("sound/residual.cu").json("check", &[]);
    let fma = |of: &str| found[of]["thread_fma"].as_u64();
    assert_eq!((fma("ptx"), fma("sass")), (Some(0), Some(64 * 64)), "{found}");
    // What matviz's own compiler gives, which leaves it to ptxas too.
    let r = found["buffers"][3]["sha256"].as_str().expect("a hash");
    assert!(r.starts_with("ab2018fd8bb5"), "{found}");
}

#[test]
fn a_sum_that_ptxas_may_round_twice_makes_a_range() {
    let args = "--launch (void)<<<,32>>>(o:f32[32]=0,i:f32[64]=random,n=4)";
    let args: Vec<_> = args.split(' ').collect();
    let sim = |more: &[&str]| {
        matviz(
            &[
                &["check", "tests/data/analysis/any/carried.ptx", "--launch", "<<<1,>>>"],
                &*args,
                more,
            ]
            .concat(),
        )
    };
    let text = stdout(&sim(&[]));
    assert!(text.contains("0-128"), "{text}");
    let note = "SASS is not certain: ptxas may round this sum and the product of PTX line 19 once or twice";
    assert!(text.contains(note), "{text}");
    let found: Value = serde_json::from_slice(&sim(&["--json"]).stdout).expect("JSON");
    assert_eq!(found["sass_uncertain"]["thread_fma"], serde_json::json!([0, 128]), "{found}");
    assert_eq!(found["sass"]["thread_fma"], Value::Null, "{found}");
}

/// A kernel of each kind in which blocks meet, or do not, with its launch.
const FAMILY: [(&str, &str, &str); 16] = [
    (
        "a sum",
        "<<<40,256>>>(sum:f32[1]=0,in:f32[10240]=random)",
        "(float* sum, const float* in) { atomicAdd(sum, in[blockIdx.x * blockDim.x + threadIdx.x]); }",
    ),
    (
        "a ticket",
        "<<<64,32>>>(order:i32[64]=0,ticket:i32[1]=0)",
        "(int* order, int* ticket) { if (threadIdx.x == 0) order[atomicAdd(ticket, 1)] = blockIdx.x; }",
    ),
    (
        "the last block",
        "<<<16,32>>>(part:f32[16]=0,out:f32[1]=0,done:u32[1]=0,in:f32[512]=random)",
        "(float* part, float* out, unsigned* done, const float* in) {
        float s = in[blockIdx.x * 32 + threadIdx.x];
        for (int by = 16; by; by /= 2) s += __shfl_down_sync(0xffffffff, s, by);
        if (threadIdx.x) return;
        part[blockIdx.x] = s; __threadfence();
        if (atomicAdd(done, 1) != gridDim.x - 1) return;
        __threadfence();
        float all = 0; for (int b = 0; b < gridDim.x; ++b) all += ((volatile float*)part)[b];
        *out = all; }",
    ),
    (
        "waits for an earlier block",
        "<<<8,32>>>(flag:i32[8]=0)",
        "(int* flag) { if (threadIdx.x) return;
        if (blockIdx.x) while (((volatile int*)flag)[blockIdx.x - 1] == 0) { }
        __threadfence(); ((volatile int*)flag)[blockIdx.x] = blockIdx.x + 1; }",
    ),
    (
        "waits for a later block",
        "<<<8,32>>>(flag:i32[8]=0)",
        "(int* flag) { if (threadIdx.x) return;
        ((volatile int*)flag)[blockIdx.x] = blockIdx.x + 1;
        while (((volatile int*)flag)[gridDim.x - 1] == 0) { } }",
    ),
    (
        "racing stores",
        "<<<64,32>>>(out:i32[32]=0)",
        "(int* out) { out[threadIdx.x] = blockIdx.x; }",
    ),
    (
        "a neighbour's element",
        "<<<64,32>>>(x:f32[2049]=random)",
        "(float* x) { int i = blockIdx.x * 32 + threadIdx.x; x[i] = 0.5f * (x[i] + x[i + 1]); }",
    ),
    (
        "its own elements",
        "<<<64,32>>>(x:f32[2048]=random)",
        "(float* x) { int i = blockIdx.x * 32 + threadIdx.x; x[i] = 2 * x[i] + blockIdx.x; }",
    ),
    (
        "a later block has no end",
        "<<<16,32>>>(x:i32[512]=0)",
        "(int* x) { int i = blockIdx.x * 32 + threadIdx.x; x[i] = i;
        while (blockIdx.x == 5) x[i] += 1; }",
    ),
    (
        "a list by exchanges",
        "<<<64,32>>>(head:i32[1]=0,next:i32[2048]=0)",
        "(int* head, int* next) { int i = blockIdx.x * 32 + threadIdx.x; next[i] = atomicExch(head, i + 1); }",
    ),
    (
        "a sum by compare and swap",
        "<<<32,32>>>(s:u32[1]=0,in:f32[1024]=random)",
        "(unsigned* s, const float* in) { float v = in[blockIdx.x * 32 + threadIdx.x];
        unsigned old = *s, seen;
        do { seen = old; old = atomicCAS(s, seen, __float_as_uint(__uint_as_float(seen) + v)); } while (old != seen); }",
    ),
    (
        "a lock and a log",
        "<<<32,32>>>(lock:i32[1]=0,log:i32[64]=0)",
        "(int* lock, int* log) { if (threadIdx.x) return;
        while (atomicCAS(lock, 0, 1)) { }
        __threadfence(); int n = log[0]; log[1 + n] = blockIdx.x; log[0] = n + 1; __threadfence();
        atomicExch(lock, 0); }",
    ),
    (
        "a barrier of the grid waits for later blocks",
        "<<<8,32>>>(n:u32[1]=0,x:i32[256]=0)",
        "(unsigned* n, int* x) { int i = blockIdx.x * 32 + threadIdx.x; x[i] = i; __threadfence(); __syncthreads();
        if (threadIdx.x == 0) { atomicAdd(n, 1); while (*(volatile unsigned*)n < gridDim.x) { } }
        __syncthreads(); x[i] += 1; }",
    ),
    (
        "bytes side by side",
        "<<<64,33>>>(x:u8[2112]=0)",
        "(unsigned char* x) { int i = blockIdx.x * 33 + threadIdx.x; x[i] = i * 7; }",
    ),
    (
        "a fault, and later blocks",
        "<<<40,32>>>(c:u32[1]=0,x:f32[1000]=0)",
        "(unsigned* c, float* x) { int i = blockIdx.x * 32 + threadIdx.x; atomicAdd(c, 1);
        x[blockIdx.x == 17 ? i + 500 : i % 500] = 1; }",
    ),
    (
        "a flag that stops the others",
        "<<<64,32>>>(found:i32[1]=0,steps:i32[64]=0)",
        "(int* found, int* steps) { int n = 0;
        for (int i = 0; i < 200; i++) { if (*(volatile int*)found) break; n++;
        if (blockIdx.x == 9 && i == 20) *(volatile int*)found = 1; }
        if (threadIdx.x == 0) steps[blockIdx.x] = n; }",
    ),
];

/// Simulates a kernel of the family with so many threads; its JSON but for the time.
fn on_cores(file: &Path, threads: &str, args: &[&str]) -> (Option<i32>, Value) {
    let mut matviz = Command::new(env!("CARGO_BIN_EXE_matviz"));
    let matviz = matviz.arg("check").arg(file).args(args).env("RAYON_NUM_THREADS", threads);
    let output = matviz.args(["--json", "--compiler", "matviz", "--launch", "(void)"]).output();
    let output = output.expect("the binary runs");
    let mut found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let all = found.as_object_mut().expect("an object");
    all.remove("seconds");
    all.remove("warp_instructions_per_second");
    (output.status.code(), found)
}

/// Verdict, counts and hashes.
#[test]
fn a_result_is_the_same_on_one_core_and_on_many_and_in_each_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("k.cu");
    for (what, launch, text) in FAMILY {
        fs::write(&file, format!("__global__ void k{text}\n")).expect("written");
        let launch = ["--launch", launch];
        for checks in [&[][..], &["--only", "result"]] {
            // What is wrong is an error of a run without checks.
            if !checks.is_empty() && (what.contains("later") || what.contains("earlier")) {
                continue;
            }
            let args = [&launch[..], checks].concat();
            let one = on_cores(&file, "1", &args);
            for threads in ["1", "2", "4"] {
                assert_eq!(on_cores(&file, threads, &args), one, "{what}, {threads} threads");
            }
        }
    }
}

#[test]
fn what_depends_on_the_order_of_the_blocks_is_told_with_what_another_gives() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("k.cu");
    let orders = |what: &str| {
        let (_, launch, text) = FAMILY.iter().find(|row| row.0 == what).expect("a row");
        fs::write(&file, format!("__global__ void k{text}\n")).expect("written");
        let launch = ["--launch", launch];
        on_cores(&file, "2", &launch).1
    };
    let ticket = orders("a ticket");
    assert_eq!(ticket["order_of_blocks"]["elements"], 64, "{ticket}");
    assert_eq!(ticket["order_of_blocks"]["first"]["is"], 63.0, "{ticket}");
    let buffers = &ticket["order_of_blocks"]["buffers"];
    assert_eq!((&buffers[0]["name"], &buffers[1]), (&"order".into(), &Value::Null));
    assert_eq!(buffers[0]["sha256"], ticket["buffers"][0]["sha256"]);
    assert_ne!(buffers[0]["sha256"], buffers[0]["sha256_backwards"]);
    let sum = orders("a sum");
    assert_eq!(sum["order_of_blocks"]["first"]["element"], "sum[0]", "{sum}");
    assert_eq!(orders("racing stores")["order_of_blocks"]["elements"], 32);
    let (own, next) = (orders("its own elements"), orders("a neighbour's element"));
    assert_eq!((&own["blocks_simulated"], &next["blocks_simulated"]), (&64.into(), &64.into()));
    assert_eq!(own["findings"].as_array().map(Vec::len), Some(0), "{own}");
    assert_ne!(next["order_of_blocks"], Value::Null, "{next}");
    for same in ["the last block", "its own elements", "waits for a later block"] {
        assert_eq!(orders(same)["order_of_blocks"], Value::Null, "{same}");
    }
}
