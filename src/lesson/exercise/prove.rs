//! Proves that an exercise asks for what it says: its solution passes, and nothing passes by accident.

use super::assignment::Assignment;
use super::grade::Grade;
use super::{Exercise, WrongTry};
use crate::lesson::diagnostic::{Diagnostic, EXERCISE};
use crate::work::{WorkToken, on_all_cores};
use std::sync::Arc;

/// Keys with which the solution has to pass: the hidden sizes differ.
const KEYS: [&str; 2] = ["", "another key"];

/// What does not hold of some exercises.
pub fn all(exercises: &[Exercise], token: &WorkToken) -> Vec<Diagnostic> {
    on_all_cores(exercises, (token, "exercise"), prove).into_iter().flatten().collect()
}

/// What does not hold of an exercise.
pub fn prove(exercise: &Exercise) -> Vec<Diagnostic> {
    let shared = Arc::new(exercise.clone());
    let graded = |key: &str| Arc::new(Assignment::graded(Arc::clone(&shared), key));
    // What is wrong shows at the sizes that everybody sees.
    let first = Arc::new(Assignment::practice(Arc::clone(&shared)));
    let told = |file: &str, told: String| {
        Diagnostic::of_file(EXERCISE, &format!("exercises/{}/{file}", exercise.name), told)
    };
    let mut found = Vec::new();
    for key in KEYS {
        let grade = Grade::of(&graded(key), "solution.cu", &exercise.solution);
        found.extend(
            first_failed(&grade)
                .map(|why| told("solution.cu", format!("the solution fails {why}"))),
        );
    }
    let starter = Grade::of(&first, "starter.cu", &exercise.starter);
    match starter.fails.as_deref() {
        None => found.push(told("changes.toml", "the starter has all points already".to_owned())),
        Some("compiles") => {
            let why = starter.parts.first().map_or("", |part| &part.told);
            found.push(told("changes.toml", format!("the starter does not compile: {why}")));
        }
        Some(_) => {}
    }
    let mut bitten: Vec<String> = starter.fails.into_iter().collect();
    for WrongTry { id, title, text, fails } in &exercise.wrong {
        let grade = Grade::of(&first, "wrong.cu", text);
        if grade.fails.as_ref() != Some(fails) {
            let does = first_failed(&grade).unwrap_or_else(|| "nothing".to_owned());
            found.push(told(
                "changes.toml",
                format!("`{id}` is to fail `{fails}` ({title}): it fails {does}"),
            ));
        }
        bitten.extend(grade.fails);
    }
    for (name, text) in cheats(exercise) {
        let grade = Grade::of(&first, name, &text);
        match grade.fails {
            None => found.push(told("rubric.toml", format!("{name} has all points"))),
            // What does not compile proves nothing.
            Some(fails) if fails == "compiles" => {
                let why = grade.parts.first().map_or("", |part| &part.told);
                found.push(told("rubric.toml", format!("{name} does not compile: {why}")));
            }
            Some(fails) => bitten.push(fails),
        }
    }
    let goals = exercise.rubric.goals.iter().map(|goal| &goal.id);
    let idle = goals.filter(|goal| !bitten.contains(goal));
    found.extend(idle.map(|goal| {
        told(
            "rubric.toml",
            format!("no wrong try fails goal `{goal}` first: give one in changes.toml"),
        )
    }));
    found.extend(hint(exercise).map(|why| told("task.md", why)));
    found
}

/// The part that is failed first, and what is said of it.
fn first_failed(grade: &Grade) -> Option<String> {
    let fails = grade.fails.as_ref()?;
    let part = grade.parts.iter().find(|part| !part.passed);
    let told = part.map_or("", |part| &part.told);
    let name = part.map_or("", |part| &part.name);
    Some(format!("`{fails}` ({name}: {told})"))
}

/// The last hint names a line of the starter.
fn hint(exercise: &Exercise) -> Option<String> {
    let last = exercise.hints.last()?;
    let code = last.split('`').nth(1).filter(|code| !code.is_empty());
    let times = code.map(|code| exercise.starter.matches(code).count());
    let told =
        || "the last hint names a line of the starter in backquotes, which occurs there once";
    (times != Some(1)).then(|| told().to_owned())
}

/// Kernels that must not pass whatever the exercise is: each with its name and its text.
fn cheats(exercise: &Exercise) -> Vec<(&'static str, String)> {
    let entry = exercise.rubric.launch.entry.as_deref().unwrap_or_default();
    let kernel = |body: &str| {
        format!(
            "__global__ void {entry}(const float* A, const float* B, float* C, int M, int N, int K)\n\
             {{\n{body}}}\n"
        )
    };
    let element = "        float sum = 0.0f;\n        \
                   for (int k = 0; k < K; ++k) sum += A[i / N * K + k] * B[k * N + i % N];\n        \
                   C[i] = sum;\n    }\n";
    let number = "    int threads = blockDim.x * blockDim.y * gridDim.x * gridDim.y;\n    \
                  int block = blockIdx.y * gridDim.x + blockIdx.x;\n    \
                  int t = (block * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;\n";
    let strided = format!("    for (int i = t; i < M * N; i += threads) {{\n{element}");
    let mut all = vec![
        ("an empty kernel", kernel("")),
        (
            "a kernel in which one thread does everything",
            kernel(&format!(
                "{number}    if (t == 0) for (int i = 0; i < M * N; ++i) {{\n{element}"
            )),
        ),
        (
            "a kernel that stores zeros",
            kernel(&format!("{number}    for (int i = t; i < M * N; i += threads) C[i] = 0.0f;\n")),
        ),
    ];
    if !exercise.rubric.is_naive {
        all.push(("a copy of the naive kernel", kernel(&format!("{number}{strided}"))));
        let unread = format!(
            "    __shared__ float tile[1024];\n{number}    \
             tile[threadIdx.y * blockDim.x + threadIdx.x] = A[t % (M * K)];\n{strided}"
        );
        all.push(("a kernel that never reads its shared array", kernel(&unread)));
    }
    all
}
