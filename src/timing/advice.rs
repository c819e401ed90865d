//! What helps with a source that does not compile, by the compiler's log.

use super::packages;
use std::fmt::Write as _;

/// How many errors of a log are shown.
const SHOWN: usize = 3;

/// What was once in CUDA and is no more, by a part of the log: what it is, and what is done instead.
const REMOVED: [(&str, &str); 4] = [
    ("texture is not a template", TEXTURES),
    ("identifier \"texture\" is undefined", TEXTURES),
    ("identifier \"__shfl", SYNC),
    ("identifier \"__ballot\"", SYNC),
];

const TEXTURES: &str =
    "CUDA 12 has no texture references, and matviz simulates no textures: load from the pointer";

const SYNC: &str = "warp functions without a mask were removed: write __shfl_down_sync(0xffffffff, \
                    ...) for __shfl_down(...), and so on";

/// What helps, and below it the errors of a log, the first of them.
pub(super) fn with_advice(log: &str) -> String {
    let errors = log.split("\n\n").filter(|part| part.contains("error"));
    let is_end = |part: &&str| part.contains("detected in the compilation of");
    let (ends, errors): (Vec<_>, Vec<_>) = errors.partition(is_end);
    let mut told = match errors.len() {
        0..=SHOWN => log.to_owned(),
        _ => errors[..SHOWN].join("\n\n"),
    };
    if errors.len() > SHOWN {
        let _ = write!(told, "\n\nand {} more", errors.len() - SHOWN);
    }
    drop(ends);
    format!("{}\n{told}", advice(log))
}

/// What helps.
fn advice(log: &str) -> String {
    if let Some(package) = packages::advice(log) {
        return package;
    }
    if let Some(header) = between(log, "cannot open source file \"") {
        if !header.contains('.') {
            return format!(
                "<{header}> is the host's, and a header for device code needs it: {ELSEWHERE}"
            );
        }
        return format!("{header} is not found: -I DIR names the folder that has it");
    }
    if let Some((_, instead)) = REMOVED.iter().find(|(part, _)| log.contains(part)) {
        return (*instead).to_owned();
    }
    if EXTENSION.iter().any(|part| log.contains(part)) {
        return PYTORCH.to_owned();
    }
    if let Some(member) = between(log, "namespace \"std\" has no member \"") {
        return format!(
            "device code alone has no std::{member}: write cuda::std::{member}, or {ELSEWHERE}"
        );
    }
    ELSEWHERE.to_owned()
}

/// What compiles the host's code as well.
const ELSEWHERE: &str = "if nvcc compiles it (nvcc -ptx -lineinfo FILE.cu), give its PTX, \
                         FILE.ptx";

/// What shows that a file is an extension of PyTorch.
const EXTENSION: [&str; 6] = ["torch::", "c10::", "at::", "torch/", "\"torch\"", "namespace \"at"];

const PYTORCH: &str = "it is an extension of PyTorch, whose headers are the host's: copy its kernels \
                       into a file of their own";

/// The text after `start` up to a quotation mark.
fn between<'t>(text: &'t str, start: &str) -> Option<&'t str> {
    text.split_once(start)?.1.split('"').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_is_told_by_its_first_errors_and_by_what_helps() {
        let error =
            |name: &str| format!("x.cu(1): error: identifier \"{name}\" is undefined\n  x\n");
        let log = ["a", "b", "c", "d", "e"].map(error).join("\n")
            + "\n5 errors detected in the compilation of \"x.cu\".";
        let told = with_advice(&log);
        assert!(told.contains("\"c\"") && !told.contains("\"d\""), "{told}");
        assert!(told.contains("and 2 more"), "{told}");
        assert_eq!(
            with_advice(&error("a")).lines().next().map(|line| &line[..9]),
            Some("if nvcc c")
        );
    }

    #[test]
    fn each_kind_of_log_has_its_advice() {
        let header = "x.cu(1): catastrophic error: cannot open source file \"mine.h\"";
        assert_eq!(advice(header), "mine.h is not found: -I DIR names the folder that has it");
        assert!(advice("error: cannot open source file \"cub/cub.cuh\"").contains("pip install"));
        assert!(advice("error: texture is not a template").contains("no texture references"));
        assert!(
            advice("error: identifier \"__shfl_up\" is undefined").contains("_sync(0xffffffff")
        );
        let member = "error: namespace \"std\" has no member \"array\"";
        assert!(advice(member).contains("write cuda::std::array"), "{}", advice(member));
    }
}
