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
    "10-where-do-the-bytes-come-from.md",
    "11-work-while-you-wait.md",
    "12-padding.md",
    "13-more-work-for-each-thread.md",
    "16-which-would-you-ship.md",
    "models.md",
    "kernels/dials.cu",
    "kernels/shapes.cu",
];
