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
    "exercises/E1-coalesce/wrong/one_thread.cu",
    "exercises/E1-coalesce/wrong/rows.cu",
    "exercises/E1-coalesce/wrong/stores.cu",
    "exercises/E1-coalesce/wrong/swapped_sides.cu",
    "exercises/E2-edges/task.md",
    "exercises/E2-edges/rubric.toml",
    "exercises/E2-edges/solution.cu",
    "exercises/E2-edges/wrong/early_return.cu",
    "exercises/E2-edges/wrong/naive.cu",
    "exercises/E2-edges/wrong/no_guard_of_the_loads.cu",
    "exercises/E2-edges/wrong/no_guard_of_the_store.cu",
    "exercises/E2-edges/wrong/no_zeros.cu",
    "exercises/E2-edges/wrong/one_thread_sums.cu",
    "exercises/E2-edges/wrong/unread.cu",
    "exercises/E2-edges/wrong/wrong_column.cu",
    "exercises/E3-tile/task.md",
    "exercises/E3-tile/rubric.toml",
    "exercises/E3-tile/solution.cu",
    "exercises/E3-tile/wrong/grid_is_k.cu",
    "exercises/E3-tile/wrong/no_barriers.cu",
    "exercises/E3-tile/wrong/one_barrier.cu",
    "exercises/E3-tile/wrong/one_thread_sums.cu",
    "exercises/E3-tile/wrong/only_a.cu",
    "exercises/E3-tile/wrong/shared_never_read.cu",
    "exercises/E3-tile/wrong/three_barriers.cu",
    "exercises/E3-tile/wrong/transposed_store.cu",
    "exercises/E4-barriers/task.md",
    "exercises/E4-barriers/rubric.toml",
    "exercises/E4-barriers/solution.cu",
    "exercises/E4-barriers/wrong/behind_the_loop.cu",
    "exercises/E4-barriers/wrong/first_only.cu",
    "exercises/E4-barriers/wrong/in_a_branch.cu",
    "exercises/E4-barriers/wrong/in_the_sum.cu",
    "exercises/E4-barriers/wrong/naive.cu",
    "exercises/E4-barriers/wrong/second_only.cu",
    "exercises/E4-barriers/wrong/three.cu",
    "exercises/E4-barriers/wrong/unread.cu",
    "exercises/E5-banks/task.md",
    "exercises/E5-banks/rubric.toml",
    "exercises/E5-banks/solution.cu",
    "exercises/E5-banks/wrong/not_turned.cu",
    "exercises/E5-banks/wrong/one_row_of_threads.cu",
    "exercises/E5-banks/wrong/one_word_more.cu",
    "exercises/E5-banks/wrong/rows_along_x.cu",
    "exercises/E5-banks/wrong/twice_as_long.cu",
    "exercises/E5-banks/wrong/unread.cu",
    "exercises/E6-registers/task.md",
    "exercises/E6-registers/rubric.toml",
    "exercises/E6-registers/solution.cu",
    "exercises/E6-registers/wrong/b_from_global.cu",
    "exercises/E6-registers/wrong/from_global.cu",
    "exercises/E6-registers/wrong/no_last_barrier.cu",
    "exercises/E6-registers/wrong/one_row_at_a_time.cu",
    "exercises/E6-registers/wrong/one_warp.cu",
    "exercises/E8-numba/task.md",
    "exercises/E8-numba/rubric.toml",
    "exercises/E8-numba/solution.cu",
    "exercises/E8-numba/wrong/no_guards.cu",
    "exercises/E8-numba/wrong/one_thread_sums.cu",
    "exercises/E8-numba/wrong/returns.cu",
    "exercises/E8-numba/wrong/rows_along_x.cu",
    "exercises/E8-numba/wrong/tiles_of_the_grid.cu",
    "exercises/E8-numba/wrong/turned_tile.cu",
    "exercises/E8-numba/wrong/unread.cu",
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
    "16-which-would-you-ship.md",
    "models.md",
    "kernels/dials.cu",
    "kernels/shapes.cu",
];
