//! Functions of CUDA that take more than one instruction, as sources in the subset itself: they are
//! inlined like any other, and their instructions belong to the line of the call.

/// The number of the file in which they are: no source and no header has it.
pub(super) const FILE: u32 = u32::MAX;

/// The sources: those of `float` are used by the others.
pub(super) const SOURCES: [&str; 3] = [
    include_str!("library/float.cuh"),
    include_str!("library/double.cuh"),
    include_str!("library/half.cuh"),
];

/// What headers of CUDA declare beside the functions.
const HEADERS: [(&str, &str); 4] = [
    ("cuda_fp16.h", HALF),
    ("mma.h", HALF),
    ("cuda_bf16.h", "typedef __nv_bfloat16 nv_bfloat16; typedef __nv_bfloat162 nv_bfloat162;"),
    (GROUPS, include_str!("library/groups.cuh")),
];

/// The header of groups of threads.
pub(super) const GROUPS: &str = "cooperative_groups.h";

/// The usual names of the types of half precision.
const HALF: &str = "typedef __half half; typedef __half2 half2;";

pub(super) fn declared(header: &str) -> Option<&'static str> {
    HEADERS.iter().find(|(name, _)| *name == header).map(|(_, text)| *text)
}

/// The names of the functions, also of those that a macro makes: `OF_EACH(h2floor, hfloor)`.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    let lines = SOURCES.iter().flat_map(|source| source.lines());
    lines.filter_map(|line| {
        let (head, rest) = line.split_once('(')?;
        if line.starts_with("__device__") {
            return head.split_whitespace().last();
        }
        let is_made = !head.is_empty() && head.chars().all(|c| c.is_ascii_uppercase() || c == '_');
        is_made.then(|| rest.split(',').next()).flatten()
    })
}
