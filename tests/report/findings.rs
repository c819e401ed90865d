//! The sentences of findings: what happened, where, and what to do, as a student reads them.

use serde_json::Value;
use std::process::Command;

/// The findings of a kernel, compiled by matviz, in the order in which they are told.
fn findings(text: &str, args: &[&str]) -> Vec<Value> {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("mine.cu");
    std::fs::write(&file, text).expect("written");
    let mut matviz = Command::new(env!("CARGO_BIN_EXE_matviz"));
    matviz.args(["check", "--json", "--compiler", "matviz"]).arg(&file).args(args);
    let output = matviz.output().expect("the binary runs");
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    let found: Value = serde_json::from_slice(&output.stdout).expect(&told);
    found["findings"].as_array().cloned().expect("a list")
}

/// Message and advice of a finding.
fn told(finding: &Value) -> String {
    let of = |key: &str| finding[key].as_str().unwrap_or_default().to_owned();
    format!("{}: {} | {}", of("kind"), of("message"), of("advice"))
}

const TILED: &str = "\
__global__ void mm(const float* A, const float* B, float* C, int N) {
    __shared__ float sA[16][16], sB[16][16];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    float sum = 0.0f;
    for (int t = 0; t < N; t += 16) {
        sA[ty][tx] = A[row * N + t + tx];
        sB[ty][tx] = B[(t + ty) * N + col];
        __syncthreads();
        for (int k = 0; k < 16; ++k) sum += sA[ty][k] * sB[k][tx];
        __syncthreads();
    }
    C[row * N + col] = sum;
}
";

/// What a wrong block spoils comes after the sentence that names it.
#[test]
fn a_block_larger_than_the_tile_is_told_before_what_follows_from_it() {
    assert_eq!(findings(TILED, &["--size", "64", "--launch", "<<<,16x16>>>"]).len(), 0);
    let found = findings(TILED, &["--size", "64", "--launch", "<<<,32x32>>>"]);
    let first = told(&found[0]);
    let place = "`sA` ends just before it, where sA[16][0] would be (16 rows of 16)";
    assert!(first.contains(place), "{first}");
    assert!(first.contains("A block has 32 x 32 threads"), "{first}");
    assert!(found.len() > 1 && found[1]["kind"] == "race", "{found:?}");
}

#[test]
fn barriers_that_are_not_the_same_are_told_before_the_races_that_follow() {
    let branch =
        TILED.replacen("        __syncthreads();", "        if (ty < 8) __syncthreads();", 1);
    let found = findings(&branch, &["--size", "64", "--launch", "<<<,16x16>>>"]);
    let kinds: Vec<_> = found.iter().map(|one| one["kind"].as_str().unwrap_or("")).collect();
    assert_eq!(kinds.first(), Some(&"barrier"), "{kinds:?}");
    assert!(kinds.contains(&"race"), "{kinds:?}");
    assert!(told(&found[0]).contains("wait for each other at different barriers"), "{found:?}");
}

#[test]
fn rows_that_no_vector_fits_are_told_with_their_length() {
    let text = "__global__ void mm(const float* A, const float* B, float* C, int N) {\n\
                int row = blockIdx.y, col = 4 * threadIdx.x; if (col + 3 >= N) return;\n\
                float4 s = make_float4(0, 0, 0, 0);\n\
                for (int k = 0; k < N; ++k) { float a = A[row * N + k];\n\
                float4 b = *reinterpret_cast<const float4*>(&B[k * N + col]);\n\
                s.x += a * b.x; s.y += a * b.y; s.z += a * b.z; s.w += a * b.w; }\n\
                C[row * N + col] = s.x; C[row * N + col + 1] = s.y; C[row * N + col + 2] = s.z; C[row * N + col + 3] = s.w; }\n";
    let sound =
        findings(text, &["--size", "32", "--launch", "<<<,16>>>", "--launch", "<<<1x32,>>>"]);
    assert!(sound.is_empty(), "{sound:?}");
    let found =
        findings(text, &["--size", "33", "--launch", "<<<,16>>>", "--launch", "<<<1x33,>>>"]);
    let first = told(&found[0]);
    let row = "A row of B has 33 elements, 132 bytes, which is no multiple of 16";
    assert!(first.contains("this 16-byte load is not aligned") && first.contains(row), "{first}");
    assert!(first.contains("a multiple of 4 elements"), "{first}");
}

/// A line with several statements is no loop: nothing is said of a next round.
#[test]
fn lanes_that_race_in_one_line_are_told_of_syncwarp() {
    let text = "__global__ void sum(const float* in, float* out, int n) {\n\
                __shared__ float s[64]; int t = threadIdx.x; s[t] = in[t]; __syncthreads();\n\
                if (t < 32) { s[t] += s[t + 32]; s[t] += s[t + 16]; }\n\
                if (t == 0) out[0] = s[0]; }\n";
    let args = [
        "--launch",
        "<<<,64>>>",
        "--launch",
        "<<<1,>>>",
        "--launch",
        "(in:f32[64],out:f32[1],n=64)",
    ];
    let found = findings(text, &args);
    let first = told(&found[0]);
    assert!(first.contains("with no __syncwarp() between them"), "{first}");
    assert!(first.contains("Put a __syncwarp() between the store in line 3"), "{first}");
    assert!(!first.contains("next round"), "{first}");
}

#[test]
fn an_element_past_the_end_is_named() {
    let text = TILED.replace("t < N;", "t <= N;");
    let found = findings(&text, &["--size", "32", "--launch", "<<<,16x16>>>"]);
    let first = told(&found[0]);
    assert!(
        first.contains("`A` ends just before it, where A[32][0] would be (32 rows of 32)"),
        "{first}"
    );
}

/// A variable without a first value: C may be right by chance, and the finding names the variable.
#[test]
fn a_variable_that_is_read_before_it_is_set_is_named() {
    let naive = |body: &str| {
        format!(
            "__global__ void mm(const float* A, const float* B, float* C, int N) {{\n\
             int row = threadIdx.y, col = threadIdx.x;\n{body}\n}}\n"
        )
    };
    let args = ["--size", "16", "--launch", "<<<,16x16>>>", "--launch", "<<<1,>>>"];
    let broken = [
        (
            "float sum;\nfor (int k = 0; k < N; ++k)\nsum += A[row * N + k] * B[k * N + col];\nC[row * N + col] = sum;",
            5,
        ),
        (
            "float sum; if (row < 9) sum = 0.0f;\nfor (int k = 0; k < N; ++k)\nsum += A[row * N + k] * B[k * N + col];\nC[row * N + col] = sum;",
            5,
        ),
        (
            "float sum[2]; sum[0] = 0.0f;\nfor (int k = 0; k < N; ++k)\nsum[0] += A[row * N + k] * B[k * N + col];\nC[row * N + col] = sum[0] + 0.0f * row + sum[1];",
            6,
        ),
    ];
    for (body, line) in broken {
        let found = findings(&naive(body), &args);
        assert_eq!(found.len(), 1, "{body}: {found:?}");
        let told = told(&found[0]);
        assert!(
            told.starts_with("memory: ")
                && told.contains(&format!("at line {line} before it is set")),
            "{told}"
        );
        let named = told.contains("reads `sum`") && told.contains("(sum = 0, for example)");
        assert!(named || body.contains("sum[2]"), "{told}");
    }
    let sound = [
        "float sum; sum = 0; for (int k = 0; k < N; ++k) sum += A[row * N + k] * B[k * N + col]; C[row * N + col] = sum;",
        // Set on every way, and in a loop that runs at least once.
        "float sum, last; if (row < 3) sum = 1; else sum = 0; if (row < 3) sum -= 1;\n\
         for (int k = 0; k < N; ++k) { last = A[row * N + k] * B[k * N + col]; sum += last; }\n\
         C[row * N + col] = sum - last + last * 1.0f;",
        // Set and read under the same condition.
        "float sum = 0, extra; bool odd = row % 2; if (odd) extra = 0;\n\
         for (int k = 0; k < N; ++k) sum += A[row * N + k] * B[k * N + col]; if (odd) sum += extra;\n\
         C[row * N + col] = sum;",
        // Read, but it makes no difference.
        "float sum, dead; for (int k = 0; k < N; ++k) { if (k == 0) sum = 0; sum += A[row * N + k] * B[k * N + col]; }\n\
         C[row * N + col] = N > 0 ? sum : dead;",
    ];
    for body in sound {
        assert_eq!(findings(&naive(body), &args).len(), 0, "{body}");
    }
}

/// A broken kernel of `tests/data/report/advice` with what its last comments say:
///
/// ```text
/// // launch: <<<1,32>>> options, none where the host's code launches it
/// // says: 7 8: Put a __syncwarp()    part of the finding that names just these lines
/// // never: atomicAdd                 part of no finding
/// // volta: undefined                 what a barrier does since Volta
/// // entries: 1                       how many entries its findings are as text
/// // mend 7: s[t] = 0.0f;             the line as the advice has it
/// // rethink: 6 9: another buffer     likewise, where no change of a few lines mends it
/// ```
struct Advised {
    name: String,
    text: String,
}

impl Advised {
    fn all() -> Vec<Self> {
        let files = std::fs::read_dir("tests/data/report/advice").expect("the folder");
        let mut paths: Vec<_> = files.map(|file| file.expect("a file").path()).collect();
        paths.sort();
        let read = |path: &std::path::PathBuf| Self {
            name: path.file_stem().expect("a name").to_string_lossy().into_owned(),
            text: std::fs::read_to_string(path).expect("text"),
        };
        paths.iter().map(read).collect()
    }

    fn said<'t>(&'t self, what: &str) -> impl Iterator<Item = &'t str> {
        let head = format!("// {what}");
        self.text.lines().filter_map(move |line| line.strip_prefix(&*head)).map(str::trim)
    }

    fn launch(&self) -> Vec<&str> {
        let words = self.said("launch:").flat_map(str::split_whitespace).collect::<Vec<_>>();
        if words.is_empty() { words } else { [&["--launch"], &words[..]].concat() }
    }

    /// The kernel with the lines that the advice gives it.
    fn mended(&self) -> String {
        let mends: Vec<_> = self.said("mend ").filter_map(|mend| mend.split_once(':')).collect();
        let line = |(number, line): (usize, &str)| {
            let mend = mends.iter().find(|(of, _)| *of == (number + 1).to_string());
            mend.map_or_else(|| line.to_owned(), |(_, text)| (*text).to_owned())
        };
        self.text.lines().enumerate().map(line).collect::<Vec<_>>().join("\n")
    }
}

/// The lines that a finding names, in order.
fn lines(finding: &Value) -> Vec<u64> {
    let sides = finding["sides"].as_array().expect("sides");
    let mut lines: Vec<_> = sides.iter().filter_map(|side| side["line"].as_u64()).collect();
    lines.sort_unstable();
    lines.dedup();
    lines
}

/// What is advised, done to the text of the kernel, makes it sound.
#[test]
fn advice_that_is_followed_mends_the_kernel() {
    let mut wrong = Vec::new();
    let all = Advised::all();
    assert!(all.len() >= 50, "only {} kernels", all.len());
    for kernel in all {
        let name = &kernel.name;
        let found = findings(&kernel.text, &kernel.launch());
        let said: Vec<_> = found.iter().map(|one| (lines(one), told(one))).collect();
        let rethinks = kernel.said("rethink:").count() > 0;
        assert_ne!(rethinks, kernel.said("mend ").count() > 0, "{name}: mended, or not");
        for says in kernel.said("says:").chain(kernel.said("rethink:")) {
            let (wanted, text) = says.split_once(": ").expect("lines and words");
            let mut wanted: Vec<u64> =
                wanted.split(' ').map(|line| line.parse().expect("a line")).collect();
            wanted.sort_unstable();
            if !said.iter().any(|(lines, told)| *lines == wanted && told.contains(text)) {
                wrong.push(format!("{name}: {says}\n    is not in {said:#?}"));
            }
        }
        for never in kernel.said("never:") {
            if said.iter().any(|(_, told)| told.contains(never)) {
                wrong.push(format!("{name}: {never} is in {said:#?}"));
            }
        }
        for volta in kernel.said("volta:") {
            let since = found[0]["since_volta"].as_str().unwrap_or_default();
            if !since.starts_with(volta) {
                wrong.push(format!("{name}: since Volta: {since}"));
            }
        }
        if rethinks {
            continue;
        }
        let left = findings(&kernel.mended(), &kernel.launch());
        if !left.is_empty() {
            let left: Vec<_> = left.iter().map(told).collect();
            wrong.push(format!("{name}, mended: {left:#?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Races that one barrier puts in order are one entry, which lists the other lines.
#[test]
fn one_missing_barrier_is_one_entry() {
    let folder = tempfile::tempdir().expect("a folder");
    for kernel in Advised::all() {
        for entries in kernel.said("entries:") {
            let file = folder.path().join("mine.cu");
            std::fs::write(&file, &kernel.text).expect("written");
            let mut matviz = Command::new(env!("CARGO_BIN_EXE_matviz"));
            matviz.args(["check", "--compiler", "matviz"]).arg(&file).args(kernel.launch());
            let output = matviz.output().expect("the binary runs");
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            let count = text.lines().filter(|line| line.starts_with("race: ")).count();
            assert_eq!(count.to_string(), entries, "{text}");
            assert!(text.contains("The same barrier is missing between"), "{text}");
        }
    }
}

/// A race that this data hides is a note, and stores that are of one value with any data are not.
#[test]
fn stores_that_are_of_one_value_by_the_data_alone_are_noted() {
    let run = |text: &str, args: &str| {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("mine.cu");
        std::fs::write(&file, text).expect("written");
        let mut matviz = Command::new(env!("CARGO_BIN_EXE_matviz"));
        matviz.args(["check", "--json", "--compiler", "matviz"]).arg(&file);
        matviz.args([
            "--launch",
            "<<<,64>>>",
            "--launch",
            "<<<2,>>>",
            "--launch",
            "(void)",
            "--launch",
            &format!("({args})"),
        ]);
        let output = matviz.output().expect("the binary runs");
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        found["same_by_data"].as_array().cloned().unwrap_or_default()
    };
    let kernel = |body: &str| {
        format!(
            "__global__ void k(float *out, const float *in) {{\nint t = threadIdx.x;\n{body}\n}}\n"
        )
    };
    let zeros = "out:f32[64]=0,in:f32[64]=0";
    for body in ["out[t / 2] = in[t];", "out[0] = 2.0f * in[t];"] {
        let notes = run(&kernel(body), zeros);
        assert!(!notes.is_empty(), "{body}");
        let note = notes[0].as_str().expect("a sentence");
        assert!(note.contains("by this data alone") && note.contains("line 3"), "{note}");
    }
    for body in [
        "out[0] = 1.0f;",
        "out[0] = in[0];",
        "if (in[t] < 3.0f) out[1] = 1.0f;",
        "float sum = in[t % 32]; for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);\n\
         out[0] = sum;",
    ] {
        let notes = run(&kernel(body), zeros);
        assert!(notes.is_empty(), "{body}: {notes:?}");
    }
}

/// An array whose declaration promises less than a vector needs: its place in memory is the mistake, and
/// not the size of the access.
#[test]
fn an_array_that_begins_where_no_vector_may_is_to_be_aligned() {
    let ptx = |align: u32| {
        format!(
            ".version 7.0\n.target sm_80\n.address_size 64\n\
             .visible .entry k(.param .u64 out) {{\n\
             .reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .f32 %f<8>;\n\
             .shared .align 4 .b8 two[8]; .shared .align {align} .b8 s[512];\n\
             mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 4; mov.u32 %r3, s; add.u32 %r3, %r3, %r2;\n\
             mov.f32 %f1, 0f3F800000; st.shared.f32 [two], %f1;\n\
             st.shared.v4.f32 [%r3], {{%f1, %f1, %f1, %f1}};\n\
             ld.shared.v4.f32 {{%f2, %f3, %f4, %f5}}, [%r3];\n\
             ld.param.u64 %rd1, [out]; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd1, %rd2;\n\
             st.global.f32 [%rd1], %f5; ret; }}\n"
        )
    };
    let folder = tempfile::tempdir().expect("a folder");
    let run = |align: u32| {
        let file = folder.path().join("mine.ptx");
        std::fs::write(&file, ptx(align)).expect("written");
        let mut matviz = Command::new(env!("CARGO_BIN_EXE_matviz"));
        matviz.args(["check", "--json"]).arg(&file).args([
            "--launch",
            "<<<,32>>>",
            "--launch",
            "<<<1,>>>",
        ]);
        let output =
            matviz.args(["--launch", "(out:f32[32]=0)"]).output().expect("the binary runs");
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        let found: Value = serde_json::from_slice(&output.stdout).expect(&told);
        found["findings"].as_array().cloned().expect("a list")
    };
    let found = run(4);
    let first = told(&found[0]);
    let wanted = "`s` begins at byte 8 of shared memory, which is no multiple of 16: declare it with \
                  __align__(16).";
    assert!(first.contains(wanted) && !first.contains("smaller pieces"), "{first}");
    assert!(run(16).is_empty());
}
