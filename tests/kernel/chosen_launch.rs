//! What nobody states of a launch is asked for, unless it is usual: then a finding says that it may come
//! from that choice.

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
        let usual = ["mine.cu", "--compiler", "matviz", "--size", "64"];
        matviz.current_dir(self.folder.path()).args(command).args(usual).args(options);
        matviz.output().expect("the binary runs")
    }

    /// What `sim` prints, and what it says beside it.
    fn sim(&self, options: &[&str]) -> [String; 2] {
        let Output { stdout, stderr, .. } = self.run(&["check"], options);
        [stdout, stderr].map(|text| String::from_utf8_lossy(&text).into_owned())
    }

    fn json(&self, options: &[&str]) -> Value {
        let output = self.run(&["check", "--json"], options);
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

/// A sum of the elements of a tile whose side is left to the compiler, without a barrier.
const RACY: &str = "__global__ void total(const float* in, float* out) {\n\
    __shared__ float part[TILE * TILE];\n\
    int t = threadIdx.y * TILE + threadIdx.x;\n\
    part[t] = in[t];\n\
    __syncthreads();\n\
    for (int s = TILE * TILE / 2; s > 0; s /= 2) { if (t < s) part[t] += part[t + s]; }\n\
    if (t == 0) out[0] = part[0];\n}\n";

/// All of its launch but the block.
const OF_RACY: [&str; 4] = ["--launch", "<<<1,>>>", "--launch", "(in:f32[256],out:f32[1])"];

#[test]
fn what_a_file_lacks_is_asked_for_until_all_is_stated() {
    let kernel = Kernel::new(PADDED);
    let [_, told] = kernel.sim(&[]);
    assert!(told.contains("the block is missing") && told.contains("// launch: <<<,"), "{told}");
    let block = ["--launch", "<<<,32x32>>>"];
    let [_, told] = kernel.sim(&block);
    let words = "--launch '(void)(in:f32[COUNT],out:f32[COUNT],width=NUMBER)'";
    assert!(told.contains(words), "{told}");
    let args = ["--launch", "(in:f32[16384],out:f32[16384],width=128)"];
    let [_, told] = kernel.sim(&[block, args].concat());
    assert!(told.contains("the grid is missing"), "{told}");
    let [printed, told] = kernel.sim(&[block, args, ["--launch", "<<<4x4,>>>"]].concat());
    assert!(printed.contains("blocks of 32 x 32 threads"), "{printed}");
    assert!(!printed.contains("block (") && !printed.contains(CAUTION), "{printed}");
    assert!(!told.contains("assuming"), "{told}");
}

#[test]
fn the_block_is_that_of_the_tile_and_a_race_may_come_from_it() {
    let racy = Kernel::new(RACY);
    let found = racy.json(&OF_RACY);
    let race = &found["findings"][0];
    assert_eq!((&found["block"]["x"], &race["kind"]), (&16.into(), &"race".into()), "{found}");
    let caution = race["caution"].as_str().expect("the block was chosen");
    assert!(caution.contains("the block (16 x 16 threads)"), "{caution}");
    assert!(
        caution.ends_with("state it with the block in --launch."),
        "a race has no other cause: {caution}"
    );
    let [printed, told] = racy.sim(&OF_RACY);
    assert_eq!(printed.matches(CAUTION).count(), 1, "{printed}");
    assert!(told.contains("assuming <<<,16x16>>>: a thread for each element"), "{told}");
    let stated = racy.json(&[&["--launch", "<<<,16x16>>>"], &OF_RACY[..]].concat());
    assert_eq!(stated["findings"][0]["caution"], Value::Null, "{stated}");
}

/// Where the buffers are a guess, an access beyond them may be right.
#[test]
fn an_access_beyond_a_buffer_names_the_grid_and_what_else_was_chosen() {
    let text = "__global__ void spread(float* x, int n) {\n\
                int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = i; }\n";
    let kernel = Kernel::new(text);
    let too_many = ["--launch", "<<<,64>>>", "--launch", "(x:f32[100],n=128)"];
    let found = kernel.json(&too_many);
    let caution = found["findings"][0]["caution"].as_str().expect("the grid was chosen");
    assert!(
        caution.contains("the grid (2 x 1 blocks)") && caution.contains("the grid in --launch"),
        "{caution}"
    );
    let stated = kernel.json(&[&too_many[..], &["--launch", "<<<2,>>>"]].concat());
    assert_eq!(stated["findings"][0]["caution"], Value::Null, "{stated}");
}

#[test]
fn the_list_of_the_screen_says_it_too() {
    let plain = Kernel::new(RACY).run(&["--format", "text"], &OF_RACY);
    let text = String::from_utf8_lossy(&plain.stdout);
    assert!(text.contains(CAUTION), "{text}");
}

#[test]
fn the_instance_of_a_template_is_asked_for() {
    let text = "template <int TILE> __global__ void scaled(float* x, float by) {\n\
                x[blockIdx.x * TILE + threadIdx.x] *= by; }\n";
    let [_, told] = Kernel::new(text).sim(&["--launch", "<<<,16>>>"]);
    assert!(told.contains("nothing says with which arguments it is launched"), "{told}");
    assert!(told.contains("--launch 'scaled<16>'"), "{told}");
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
    let launch = ["--launch", "<<<1,32>>>", "--launch"];
    let unsaid = cautions(waits, &[&launch[..], &["(flag:i32[1],out:i32[32]=0)"]].concat());
    assert!(unsaid[0].contains("matviz chose what flag holds before the launch"), "{unsaid:?}");
    let said = cautions(waits, &[&launch[..], &["(flag:i32[1]=1,out:i32[32]=0)"]].concat());
    assert_eq!(said, [""]);
    let counts = "#define N 50\n\
                  __global__ void twice(const float *from, float *to, int count) {\n\
                  int i = blockIdx.x * blockDim.x + threadIdx.x;\n\
                  if (i < count) to[i] = 2.0f * from[i]; }\n\
                  int main() { float *from, *to;\n\
                  cudaMalloc(&from, N * sizeof(float)); cudaMalloc(&to, N * sizeof(float));\n\
                  twice<<<4, 128>>>(from, to, N); }\n";
    // All of the program has the size that is asked for.
    assert!(cautions(counts, &[]).is_empty());
}
