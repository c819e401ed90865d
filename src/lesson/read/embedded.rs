//! The files of the course that the program brings.

/// A file of `lessons/`: its name and its text.
macro_rules! files {
    ($($name:literal,)*) => {
        &[$(($name, include_str!(concat!("../../../lessons/", $name)))),*]
    };
}

/// What lies beside it: the subset of CUDA C, the changes, and kernels to try the commands on.
pub(super) const BESIDE: &[(&str, &str)] =
    files!["CUDA.md", "changes.toml", "mistakes.cu", "mistakes.ptx",];

/// The exercises. To add one, add lines with its files here.
pub(super) const EXERCISES: &[(&str, &str)] = files![
    "exercises/E1-coalesce/task.md",
    "exercises/E1-coalesce/rubric.toml",
    "exercises/E1-coalesce/solution.cu",
    "exercises/E1-coalesce/changes.toml",
    "exercises/E2-edges/task.md",
    "exercises/E2-edges/rubric.toml",
    "exercises/E2-edges/solution.cu",
    "exercises/E2-edges/changes.toml",
    "exercises/E3-tile/task.md",
    "exercises/E3-tile/rubric.toml",
    "exercises/E3-tile/solution.cu",
    "exercises/E3-tile/changes.toml",
    "exercises/E4-barriers/task.md",
    "exercises/E4-barriers/rubric.toml",
    "exercises/E4-barriers/solution.cu",
    "exercises/E4-barriers/changes.toml",
    "exercises/E5-banks/task.md",
    "exercises/E5-banks/rubric.toml",
    "exercises/E5-banks/solution.cu",
    "exercises/E5-banks/changes.toml",
    "exercises/E6-registers/task.md",
    "exercises/E6-registers/rubric.toml",
    "exercises/E6-registers/solution.cu",
    "exercises/E6-registers/changes.toml",
    "exercises/E7-swizzle/task.md",
    "exercises/E7-swizzle/rubric.toml",
    "exercises/E7-swizzle/solution.cu",
    "exercises/E7-swizzle/changes.toml",
    "exercises/E8-numba/task.md",
    "exercises/E8-numba/rubric.toml",
    "exercises/E8-numba/solution.cu",
    "exercises/E8-numba/changes.toml",
];

/// Every file. To add a lesson, add a line with its name here, and its `id` to a group of
/// `course.toml`.
pub(super) const FILES: &[(&str, &str)] = files![
    "course.toml",
    "00-a-look-round.md",
    "01-one-thread-one-element.md",
    "02-who-is-in-my-warp.md",
    "03-sectors-of-one-request.md",
    "04-two-mappings-timed.md",
    "05-how-often-is-a-loaded.md",
    "06-a-tile-is-loaded.md",
    "07-the-first-barrier.md",
    "08-the-second-barrier.md",
    "09-edges-zeros-and-exits.md",
    "10-where-bytes-come-from.md",
    "11-work-while-you-wait.md",
    "12-padding.md",
    "13-more-work-per-thread.md",
    "14-wider-and-sooner.md",
    "15-tensor-cores-and-rounding.md",
    "16-which-would-you-ship.md",
    "17-reading-others.md",
    "models.md",
    "kernels/copies.cu",
    "kernels/dials.cu",
    "kernels/fast_matmul.cu",
    "kernels/shapes.cu",
    "kernels/supersteps.cu",
    "kernels/swizzle.cu",
];
