//! The exercises: what they promise is proved, and what has fooled other judges does not fool this one.

use matviz::lesson::edit::version::Version;
use matviz::lesson::exercise::assignment::Assignment;
use matviz::lesson::exercise::grade::Grade;
use matviz::lesson::exercise::{Exercise, prove, read};
use matviz::matrix::{SEED, Size};
use matviz::work::WorkToken;
use std::sync::Arc;

fn exercise(id: &str) -> Exercise {
    let all = read::shipped().expect("they are well formed");
    all.iter().find(|exercise| exercise.is_called(id)).expect("it is shipped").clone()
}

fn assignment(id: &str, key: &str) -> Arc<Assignment> {
    Arc::new(Assignment::graded(Arc::new(exercise(id)), key))
}

fn graded(id: &str, text: &str) -> Grade {
    Grade::of(&assignment(id, "a key"), "mine.cu", text)
}

/// A kernel with this body.
fn kernel(body: &str) -> String {
    format!(
        "__global__ void matmul(const float* A, const float* B, float* C, int M, int N, int K)\n\
         {{\n    int tx = threadIdx.x, ty = threadIdx.y;\n    \
         int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;\n{body}\n}}\n"
    )
}

const NAIVE: &str = "    if (row >= M || col >= N) return;\n    float sum = 0.0f;\n    \
                     for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];\n    \
                     C[row * N + col] = sum;";

#[test]
fn every_exercise_holds_what_it_promises() {
    let exercises = read::shipped().expect("they are well formed");
    assert!(exercises.len() >= 7, "{}", exercises.len());
    let found = prove::all(exercises, &WorkToken::default());
    let told: Vec<_> = found.iter().map(ToString::to_string).collect();
    assert!(found.is_empty(), "{}", told.join("\n"));
}

#[test]
fn two_runs_are_equal_and_parts_add_up() {
    let Exercise { starter, solution, .. } = exercise("E3");
    for text in [&starter, &solution] {
        let grade = graded("E3", text);
        assert_eq!(grade, graded("E3", text));
        assert_eq!(grade.points, grade.parts.iter().map(|part| part.points).sum::<u32>());
        assert_eq!(grade.of, grade.parts.iter().map(|part| part.of).sum::<u32>());
    }
}

#[test]
fn inputs_follow_from_the_key_and_are_never_the_usual_ones() {
    let seeds = ["", "a", "b"].map(|key| assignment("E1", key).seed);
    assert!(!seeds.contains(&SEED) && seeds[1] != seeds[2], "{seeds:?}");
    let problem_seeds = |key: &str| {
        let assignment = assignment("E1", key);
        let version =
            Version::submitted("mine.cu", &kernel(NAIVE), &assignment).expect("it compiles");
        version.stages.iter().map(|stage| stage.problem.seed).collect::<Vec<_>>()
    };
    assert_eq!(problem_seeds("a"), [seeds[1]; 6]);
}

/// A cheat: the exercise, what it is caught at, what it tries, and its text.
type Cheat = (&'static str, &'static str, &'static str, String);

fn caught(cheats: &[Cheat]) {
    let caught = |(id, fails, what, text): &Cheat| {
        let grade = graded(id, text);
        let told: Vec<_> = grade.parts.iter().map(|part| &*part.told).collect();
        let is_missed = grade.fails.as_deref() != Some(*fails);
        is_missed.then(|| format!("{what}: {:?} and not {fails}: {told:?}", grade.fails))
    };
    let missed: Vec<_> = cheats.iter().filter_map(caught).collect();
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[test]
fn a_wrong_c_is_not_right_by_its_inputs_its_types_or_its_launch() {
    let known = |when: &str| kernel(&format!("    if ({when}) return;\n{NAIVE}"));
    let halves = NAIVE.replace("A[row * K + k]", "__half2float(__float2half(A[row * K + k]))");
    let adds = "    if (row >= M || col >= N) return;\n    for (int k = 0; k < K; ++k)\n        \
                C[row * N + col] += A[row * K + k] * B[k * N + col];";
    caught(&[
        ("E1", "right", "zeros", kernel("    if (row < M && col < N) C[row * N + col] = 0.0f;")),
        ("E1", "right", "the sizes that are told", known("M != 48 && M != 50 && M != 33")),
        ("E1", "right", "a known A", known("A[0] != 0.5f")),
        ("E1", "sound", "C is 0 before the launch", kernel(adds)),
        ("E1", "right", "few bits", format!("#include <cuda_fp16.h>\n{}", kernel(&halves))),
        ("E1", "compiles", "doubles", kernel(NAIVE).replace("float*", "double*")),
        (
            "E1",
            "right",
            "its own launch, whose result is not judged",
            format!("// launch: (void) matmul<<<,1x1>>>(A,B,C,M,N,K)\n{}", kernel("")),
        ),
    ]);
}

#[test]
fn a_cost_is_not_dodged() {
    let lanes = "    __shared__ float sums[16][16];\n    \
                 if (tx == 0 && row < M) for (int i = 0; i < 16; ++i) {\n        float sum = 0.0f;\n        \
                 if (col + i < N) for (int k = 0; k < K; ++k)\n            \
                 sum += A[row * K + k] * B[k * N + col + i];\n        sums[ty][i] = sum;\n    }\n    \
                 __syncthreads();\n    if (row < M && col < N) C[row * N + col] = sums[ty][tx];";
    let atomics = NAIVE.replace("A[row * K + k]", "atomicAdd((float*)&A[row * K + k], 0.0f)");
    let dummy = "    __shared__ float s[16][16];\n    s[ty][tx] = 0.0f;\n    __syncthreads();\n    \
                 float zero = s[ty][tx];\n";
    let dummy = dummy.to_owned() + &NAIVE.replace("sum = 0.0f", "sum = zero");
    caught(&[
        ("E1", "everybody", "one lane of each row works", kernel(lanes)),
        ("E3", "traffic", "atomics that load, which are no loads", kernel(&atomics)),
        ("E3", "traffic", "a tile that is loaded once and not used", kernel(&dummy)),
        ("E4", "traffic", "no tiles, so no barriers", kernel(NAIVE)),
    ]);
}

/// A solution with one text replaced.
fn mended(id: &str, from: &str, to: &str) -> String {
    let solution = exercise(id).solution;
    assert_eq!(solution.matches(from).count(), 1, "{id}: {from}");
    solution.replace(from, to)
}

#[test]
fn c_is_not_right_by_chance_by_a_cache_or_by_other_memory() {
    let naive = |from: &str, to: &str| kernel(&NAIVE.replace(from, to));
    let cache = "__device__ float seen[1];\n".to_owned();
    let cached = cache + &naive("float sum", "if (seen[0] == A[0]) return;\n    float sum");
    let writes = cached.replace("C[row", "seen[0] = A[0];\n    C[row");
    caught(&[
        ("E1", "right", "all but the last product", naive("k < K", "k < K - 1")),
        ("E1", "right", "a thousandth too small", naive("= sum;", "= sum * 0.999f;")),
        ("E1", "right", "no number at all", naive("= sum;", "= sum / 0.0f - sum / 0.0f;")),
        (
            "E1",
            "right",
            "every second element",
            naive("float sum", "if (col & 1) return;\n float sum"),
        ),
        (
            "E1",
            "right",
            "the grid of the sizes that are told",
            naive("float sum", "if (gridDim.x > 5) return;\n float sum"),
        ),
        ("E1", "runs", "A the wrong way round", naive("A[row * K + k] * B", "A[k * K + row] * B")),
        ("E1", "runs", "the K of the first size", naive("k < K", "k < 80")),
        (
            "E1",
            "runs",
            "what lies beyond A",
            naive("float sum = 0.0f;", "float sum = A[M * K] * 0.0f;"),
        ),
        (
            "E1",
            "runs",
            "what lies before A",
            naive("float sum = 0.0f;", "float sum = A[-1] * 0.0f;"),
        ),
        (
            "E1",
            "runs",
            "it stores into A",
            naive(
                "C[row * N + col] = sum;",
                "C[row * N + col] = sum; ((float*)A)[M * K + row] = 0.0f;",
            ),
        ),
        ("E1", "right", "a result of an earlier launch", writes),
        ("E1", "compiles", "the clock", naive("float sum", "if (clock() & 1) return;\n float sum")),
        ("E1", "compiles", "two kernels of that name", kernel(NAIVE) + &kernel("")),
    ]);
}

#[test]
fn the_work_is_not_given_to_others_or_hidden_from_the_counters() {
    let sync = "            sum += sA[ty][k] * sB[k][tx];\n        __syncthreads();\n";
    let weak = sync.replace("__syncthreads", "__syncwarp");
    let some = sync.replace("__syncthreads();", "if (ty < 8) __syncthreads();");
    let sums = "            sum += sA[ty][k] * sB[k][tx];";
    let useless = "            sum += sA[ty][k] * 0.0f + sB[k][tx] * 0.0f\n                + \
                   (t + k < K && row < M && col < N ? __ldg(&A[row * K + t + k]) * __ldg(&B[(t + k) * N + col]) : 0.0f);";
    let one_block = NAIVE.replace(
        "    if (row >= M || col >= N) return;\n",
        "    if (blockIdx.x + blockIdx.y > 0) return;\n    for (int row = ty; row < M; row += 16)\n    \
         for (int col = tx; col < N; col += 16) {\n",
    );
    let load = "float4 a = *(const float4*)&sA[k][ty * 4];";
    let scalar = "float4 a = make_float4(sA[k][ty * 4], sA[k][ty * 4 + 1], sA[k][ty * 4 + 2], sA[k][ty * 4 + 3]);";
    caught(&[
        ("E1", "everybody", "one block works for all", kernel(&(one_block + "\n    }"))),
        ("E3", "traffic", "tiles that are loaded and count nothing", mended("E3", sums, useless)),
        ("E3", "traffic", "a tile of one row", kernel(NAIVE)),
        ("E4", "sound", "a barrier for a warp", mended("E4", sync, &weak)),
        ("E4", "right", "a barrier for half of the warps", mended("E4", sync, &some)),
        ("E5", "loads", "four loads for a float4", mended("E5", load, scalar)),
        (
            "E6",
            "loads",
            "a register that is loaded anew",
            mended("E6", "sum[i][j] += a[i] * b[j];", "sum[i][j] += sA[ty + 8 * i][k] * b[j];"),
        ),
        (
            "E7",
            "words",
            "a third array, in case",
            mended(
                "E7",
                "    int tx = threadIdx.x;",
                "    __shared__ float more[256];\n    more[threadIdx.y * 16 + threadIdx.x] = 0.0f;\n    float zero = more[threadIdx.y * 16 + threadIdx.x];\n    int tx = threadIdx.x + (int)zero;",
            ),
        ),
    ]);
}

#[test]
fn what_does_not_end_or_does_not_compile_is_caught() {
    let rounds = "    float x = 0.0f;\n    \
                  for (int i = 0; i < 1000000000; ++i) x += A[i % 7] * x;\n    C[0] = x;";
    let waits = "    if (ty == 0) while (true) __syncthreads();\n    __syncthreads();";
    let doubled = |at: u32| format!("#define A{at}(x) A{0}(x) A{0}(x)\n", at + 1);
    let macros: String = (0..40).map(doubled).collect();
    let file = "tests/data/cli/whole_tiles.cu";
    caught(&[
        ("E1", "runs", "it never ends", kernel("    while (true) { }")),
        ("E1", "runs", "it ends after a billion rounds", kernel(rounds)),
        ("E1", "runs", "a warp waits for ever", kernel(waits)),
        ("E1", "runs", "it stores where nothing is", kernel("    C[1 << 28] = 1.0f;")),
        ("E1", "compiles", "a file", format!("#include \"{file}\"\n{}", kernel(NAIVE))),
        ("E1", "compiles", "by a macro", format!("#define FILE \"{file}\"\n#include FILE\n")),
        ("E1", "compiles", "in brackets", format!("#include <{file}>\n")),
        ("E1", "compiles", "in two lines", format!("#inc\\\nlude \"{file}\"\n")),
        ("E1", "compiles", "another name", kernel(NAIVE).replace("matmul", "mine")),
        ("E1", "compiles", "macros without end", macros + "A0(1)\n"),
        ("E1", "compiles", "brackets without end", kernel(&"(".repeat(100_000))),
        ("E1", "judged", "nothing", "  \n".to_owned()),
    ]);
}

#[test]
fn no_message_tells_a_hidden_size() {
    let assignment = assignment("E1", "a key");
    let hidden: Vec<Size> = assignment.sizes[3..].to_vec();
    let texts = [
        kernel(&format!("    if (M != 48 && M != 50 && M != 33) return;\n{NAIVE}")),
        kernel(&NAIVE.replace("row >= M ||", "row >= 96 && M != 48 && M != 50 && M != 33 ||")),
        kernel(&NAIVE.replace("K; ++k", "(M == 48 || M == 50 || M == 33 ? K : K + 9999); ++k")),
        kernel("    while (M != 48) { }"),
    ];
    for text in texts {
        let grade = Grade::of(&assignment, "mine.cu", &text);
        assert!(grade.fails.is_some(), "{text}");
        for Size { m, n, k } in &hidden {
            let spelt = [format!("{m}x{n}x{k}"), format!("{m},{n},{k}"), format!("at {m}")];
            for part in &grade.parts {
                let tells =
                    spelt.iter().any(|size| part.told.contains(size) || part.name.contains(size));
                assert!(!tells, "{m}x{n}x{k}: {part:?}");
            }
        }
    }
}

#[test]
fn what_a_submission_prints_and_its_own_host_count_nothing() {
    let prints = kernel(&format!("    for (int i = 0; i < 20; ++i) printf(\"%d\", i);\n{NAIVE}"));
    let host = "__global__ void cheat(float* C) { C[0] = 1; }\nint main() { float* c; cudaMalloc(&c, 4);\n\
                for (;;) cheat<<<1, 1>>>(c); }\n";
    for text in [prints, kernel(NAIVE) + host] {
        let grade = graded("E1", &text);
        assert_eq!((grade.points, grade.fails), (grade.of, None), "{text}: {:?}", grade.parts);
    }
}
