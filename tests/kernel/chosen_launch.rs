//! What nobody states of a launch is chosen so that the kernel stays in its arrays, and a finding says
//! that it may come from that choice.

use serde_json::Value;
use std::process::{Command, Output};

/// A kernel in a file of its own, without the code that launches it.
struct Kernel {
    folder: tempfile::TempDir,
}

impl Kernel {
    fn new(text: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("mine.cu"), text).expect("written");
        Self { folder }
    }

    fn run(&self, command: &[&str], options: &[&str]) -> Output {
        let mut matviz = Command::new(env!("CARGO_BIN_EXE_matviz"));
        let usual = ["--cuda", "mine.cu", "--compiler", "matviz", "--size", "64"];
        matviz.current_dir(self.folder.path()).args(command).args(usual).args(options);
        matviz.output().expect("the binary runs")
    }

    /// What `sim` prints, and what it says beside it.
    fn sim(&self, options: &[&str]) -> [String; 2] {
        let Output { stdout, stderr, .. } = self.run(&["sim"], options);
        [stdout, stderr].map(|text| String::from_utf8_lossy(&text).into_owned())
    }

    fn json(&self, options: &[&str]) -> Value {
        let output = self.run(&["sim", "--json"], options);
        serde_json::from_slice(&output.stdout).expect("JSON")
    }
}

/// That what is found may be the launch's.
const CAUTION: &str = "This may come from the launch and not from the kernel: nobody states";

const PADDED: &str = "__global__ void turned(const float* in, float* out, int width) {\n\
    __shared__ float tile[32][33];\n\
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;\n\
    tile[threadIdx.y][threadIdx.x] = in[y * width + x];\n\
    __syncthreads();\n\
    x = blockIdx.y * 32 + threadIdx.x; y = blockIdx.x * 32 + threadIdx.y;\n\
    out[y * width + x] = tile[threadIdx.x][threadIdx.y];\n}\n";

/// Each thread copies four rows: with as many threads as the tile has elements, some leave it.
const STRIPS: &str = "#define SIDE 32\n#define ROWS 8\n\
    __global__ void turned(const float* in, float* out, int width, int height) {\n\
    __shared__ float tile[SIDE][SIDE + 1];\n\
    int x = blockIdx.x * SIDE + threadIdx.x, y = blockIdx.y * SIDE + threadIdx.y;\n\
    for (int row = 0; row < SIDE; row += ROWS)\n\
        tile[threadIdx.y + row][threadIdx.x] = in[(y + row) * width + x];\n\
    __syncthreads();\n\
    x = blockIdx.y * SIDE + threadIdx.x; y = blockIdx.x * SIDE + threadIdx.y;\n\
    for (int row = 0; row < SIDE; row += ROWS)\n\
        out[(y + row) * height + x] = tile[threadIdx.x][threadIdx.y + row];\n}\n";

/// A line of 64 points for each row of the block, with an edge of three on both sides.
const STENCIL: &str = "#define POINTS 64\n#define EDGE 3\n\
    __global__ void slope(const float* f, float* df) {\n\
    __shared__ float line[4][POINTS + 2 * EDGE];\n\
    int i = threadIdx.x, row = blockIdx.y * 4 + threadIdx.y;\n\
    line[threadIdx.y][i + EDGE] = f[row * POINTS + i];\n\
    __syncthreads();\n\
    if (i < EDGE) {\n\
        line[threadIdx.y][i] = line[threadIdx.y][i + POINTS];\n\
        line[threadIdx.y][i + POINTS + EDGE] = line[threadIdx.y][i + EDGE];\n\
    }\n\
    __syncthreads();\n\
    float sum = 0;\n\
    for (int k = 1; k <= EDGE; ++k)\n\
        sum += line[threadIdx.y][i + EDGE + k] - line[threadIdx.y][i + EDGE - k];\n\
    df[row * POINTS + i] = sum;\n}\n";

/// A sum of 128 elements; `barrier` stands in its loop.
fn tree(barrier: &str) -> String {
    format!(
        "__global__ void total(const float* in, float* out) {{\n\
         __shared__ float part[128];\n\
         int t = threadIdx.x;\n\
         part[t] = in[blockIdx.x * 128 + t];\n\
         __syncthreads();\n\
         for (int s = 64; s > 0; s /= 2) {{ if (t < s) part[t] += part[t + s]; {barrier} }}\n\
         if (t == 0) out[blockIdx.x] = part[0];\n}}\n"
    )
}

#[test]
fn the_block_is_that_for_which_the_arrays_are_made() {
    let tree = tree("__syncthreads();");
    for (text, block, threads) in [
        (PADDED, "--block 32,32:", "32 x 32"),
        (STRIPS, "--block 32,8:", "32 x 8"),
        (STENCIL, "--block 64,4:", "64 x 4"),
        (&tree, "--block 128:", "128 x 1"),
    ] {
        let [printed, told] = Kernel::new(text).sim(&[]);
        assert!(told.contains(&format!("assuming {block} nobody states it")), "{told}");
        assert!(printed.contains(&format!("blocks of {threads} threads")), "{printed}");
        assert!(!printed.contains("block (") && !printed.contains(CAUTION), "{printed}");
    }
}

/// Numbers and lengths are those that follow from the blocks, not what was touched by chance.
#[test]
fn sides_and_lengths_are_whole_tiles() {
    let [_, told] = Kernel::new(PADDED).sim(&[]);
    assert!(told.contains("--grid 4,4 --args 'in:f32[16384],out:f32[16384],width=128'"), "{told}");
    let [_, told] = Kernel::new(STRIPS).sim(&[]);
    let words = "--grid 2,2 --args 'in:f32[4096],out:f32[4096],width=64,height=64'";
    assert!(told.contains(words), "{told}");
}

/// A smaller block would hide the race, and is no better for that.
#[test]
fn a_race_is_found_with_the_block_that_the_kernel_is_made_for() {
    let racy = Kernel::new(&tree(""));
    let found = racy.json(&[]);
    let race = &found["findings"][0];
    assert_eq!((&found["block"]["x"], &race["kind"]), (&128.into(), &"race".into()), "{found}");
    let caution = race["caution"].as_str().expect("the block was chosen");
    assert!(caution.contains("the block (128 x 1 threads)"), "{caution}");
    assert!(caution.ends_with("state it with --block."), "a race has no other cause: {caution}");
    let [printed, _] = racy.sim(&[]);
    assert_eq!(printed.matches(CAUTION).count(), 1, "{printed}");
    let stated = racy.json(&["--block", "128"]);
    assert_eq!(stated["findings"][0]["caution"], Value::Null, "{stated}");
}

/// Where the buffers are a guess, an access beyond them may be right.
#[test]
fn an_access_beyond_a_buffer_names_the_grid_and_what_else_was_chosen() {
    let text = "__global__ void spread(float* x, int n) {\n\
                int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = i; }\n";
    let kernel = Kernel::new(text);
    let too_many = ["--block", "64", "--args", "x:f32[100],n=128"];
    let found = kernel.json(&too_many);
    let caution = found["findings"][0]["caution"].as_str().expect("the grid was chosen");
    assert!(caution.contains("the grid (2 x 1 blocks)") && caution.contains("--grid"), "{caution}");
    let stated = kernel.json(&[&too_many[..], &["--grid", "2"]].concat());
    assert_eq!(stated["findings"][0]["caution"], Value::Null, "{stated}");
}

#[test]
fn another_block_than_the_given_one_is_named_where_the_arrays_are_left() {
    let [printed, told] = Kernel::new(STRIPS).sim(&["--block", "32,32"]);
    assert!(printed.contains("of shared memory, and the block has 4224 bytes of it"), "{printed}");
    assert!(told.contains("with --block 32,8 all accesses stay in their arrays"), "{told}");
    let [_, told] = Kernel::new(STRIPS).sim(&["--block", "32,8"]);
    assert!(!told.contains("stay in their arrays, which"), "{told}");
}

#[test]
fn the_list_of_the_screen_says_it_too() {
    let racy = Kernel::new(&tree(""));
    let plain = racy.run(&["--plain"], &[]);
    let text = String::from_utf8_lossy(&plain.stdout);
    assert!(text.contains(CAUTION), "{text}");
}

/// Only a template's own arguments are a choice, not what a wrong C comes from if that is known.
#[test]
fn the_instance_of_a_template_is_chosen_and_named() {
    let text = "template <int TILE> __global__ void scaled(float* x, float by) {\n\
                __shared__ float part[TILE];\n\
                part[threadIdx.x] = x[blockIdx.x * TILE + threadIdx.x];\n\
                x[blockIdx.x * TILE + threadIdx.x] = by * part[(threadIdx.x + 1) % TILE]; }\n";
    let kernel = Kernel::new(text);
    let [printed, told] = kernel.sim(&[]);
    assert!(told.contains("assuming --entry 'scaled<"), "{told}");
    assert!(
        printed.contains("race") && printed.contains("the instance of the template"),
        "{printed}"
    );
}

/// An array of one element without its edge is no block of no threads.
#[test]
fn arrays_of_one_and_two_elements_are_no_blocks() {
    for count in [1, 2] {
        let kernel = Kernel::new(&format!(
            "__global__ void last_of_each(float *out, const float *in, float *last) {{\n\
             __shared__ float held[{count}];\n\
             if (threadIdx.x == 0) {{\n\
             last[0] = in[blockIdx.x * blockDim.x + threadIdx.x];\n\
             held[0] = last[0];\n\
             out[0] = held[0]; }} }}\n"
        ));
        let Output { status, stderr, .. } = kernel.run(&["sim"], &[]);
        let told = String::from_utf8_lossy(&stderr);
        assert!(status.code().is_some_and(|code| code < 100), "{told}");
        assert!(!told.contains("panicked"), "{told}");
    }
}

/// What the host writes to a buffer, and the size that it passes, are not read: a finding that may come
/// from what was taken instead says so, and one that may not does not.
#[test]
fn a_finding_names_the_contents_and_the_size_that_were_chosen() {
    let waits = "__global__ void waits(volatile int *flag, int *out) {\n\
                 while (flag[0] != 77) { }\n out[threadIdx.x] = flag[0]; }\n";
    let cautions = |text: &str, options: &[&str]| {
        let found = Kernel::new(text).json(options);
        let all = found["findings"].as_array().cloned().expect("a list");
        all.iter().map(|one| one["caution"].as_str().unwrap_or("").to_owned()).collect::<Vec<_>>()
    };
    let launch = ["--block", "32", "--grid", "1", "--args"];
    let unsaid = cautions(waits, &[&launch[..], &["flag:i32[1],out:i32[32]=0"]].concat());
    assert!(unsaid[0].contains("matviz chose what flag holds before the launch"), "{unsaid:?}");
    let said = cautions(waits, &[&launch[..], &["flag:i32[1]=1,out:i32[32]=0"]].concat());
    assert_eq!(said, [""]);
    let counts = "#define N 50\n\
                  __global__ void twice(const float *from, float *to, int count) {\n\
                  int i = blockIdx.x * blockDim.x + threadIdx.x;\n\
                  if (i < count) to[i] = 2.0f * from[i]; }\n\
                  int main() { float *from, *to;\n\
                  cudaMalloc(&from, N * sizeof(float)); cudaMalloc(&to, N * sizeof(float));\n\
                  twice<<<4, 128>>>(from, to, N); }\n";
    let sized = cautions(counts, &[]);
    assert!(sized.iter().all(|one| one.contains("(count=64)")) && !sized.is_empty(), "{sized:?}");
}
