//! What a file or a launch lacks, said as the user would give it.

use crate::cli::BadUse;
use crate::cli::output::named;
use crate::cuda::{self, HostLaunch, KernelTemplate};
use crate::gpu::include;
use crate::kernel::source_name;
use crate::ptx::{Function, Module, Threads};
use crate::sim::{self, Init, SharedArray, Special};
use std::path::{Path, PathBuf};

/// Nothing in a file is a kernel, nor in the headers that were found.
pub(super) fn no_kernel(file: &Path, whole: &cuda::File) -> BadUse {
    let absent = without(file, whole);
    BadUse(format!("{} has no kernel: nothing in it is __global__{absent}", named(file)))
}

/// The most templates that a message lists.
const LISTED: usize = 4;

/// The instances of a file whose kernels are all templates, or of the template that is asked for: of
/// one whose parameters all have defaults, it with these. An instance is proposed if it `compiles`.
///
/// # Errors
/// Nothing says with which arguments they are launched; the message proposes some.
pub(super) fn instances_of_templates(
    whole: &cuda::File,
    calls: &[HostLaunch],
    entry: Option<&str>,
    compiles: impl Fn(&str) -> bool,
) -> Result<Vec<String>, BadUse> {
    let mut all = whole.templates();
    let is_asked = all.iter().any(|one| Some(&*one.name) == entry);
    if all.is_empty() || whole.has_plain_kernel() && !is_asked {
        return Ok(Vec::new());
    }
    all.retain(|one| !is_asked || Some(&*one.name) == entry);
    let complete = all.iter().filter(|one| one.is_complete);
    let complete: Vec<_> = complete.map(|one| format!("{}<>", one.name)).collect();
    if !complete.is_empty() {
        return Ok(complete);
    }
    let proposed: Vec<_> = all.iter().take(LISTED).map(|one| example(one, calls)).collect();
    let name = &all[0].name;
    let begun =
        format!("`{name}` is a template, and nothing says with which arguments it is launched");
    let taken: Vec<_> = proposed.into_iter().filter(|instance| compiles(instance)).collect();
    if taken.is_empty() {
        let names = all[0].parameters.join(", ");
        return Err(BadUse(format!(
            "{begun}: say it with --entry '{name}<...>', a value for each of {names}"
        )));
    }
    let shown: Vec<_> = taken.iter().map(|instance| format!("--entry '{instance}'")).collect();
    let more = match all.len() - taken.len() {
        0 => String::new(),
        more => format!(" ({more} more)"),
    };
    Err(BadUse(format!("{begun}: say, for example, {}{more}", shown.join(" or "))))
}

/// The instance that the host launches, as far as that is known.
fn example(one: &KernelTemplate, calls: &[HostLaunch]) -> String {
    let call = calls.iter().find(|call| call.kernel.rsplit("::").next() == Some(&*one.name));
    one.instance(call.map_or(&[], |call| &call.arguments))
}

/// That a file is a part of another, which has what it needs.
pub(super) fn part_of(file: &Path) -> String {
    include::includer(file).map_or_else(String::new, |other| {
        format!(
            "\n{0} includes this file: --cuda {0} has what stands before it",
            shown(&other).display()
        )
    })
}

/// The headers that were not found, which may be the reason.
pub(super) fn without(file: &Path, whole: &cuda::File) -> String {
    let absent = whole.absent();
    if absent.is_empty() {
        return String::new();
    }
    let folder = file.parent().unwrap_or(Path::new(""));
    let found = absent.iter().find_map(|name| Some((include::somewhere(folder, name)?, name)));
    let named = found.map_or_else(
        || "-I DIR names other folders".to_owned(),
        |(folder, name)| format!("-I {} has {name}", shown(&folder).display()),
    );
    format!("\nNot found in its folder ({named}), and left out: {}", absent.join(", "))
}

/// Nobody says how many threads a block has.
pub(super) fn no_block(calls: &[HostLaunch], module: &Module, function: &Function) -> BadUse {
    let name = source_name(&function.name);
    let called = calls.iter().find(|call| call.kernel == name);
    let why = called.map_or_else(String::new, |call| {
        format!(" (what line {} launches it with is known only when the program runs)", call.line)
    });
    BadUse(format!(
        "--block is missing: how many threads a block has, for example --block {}{why}{}",
        usual_block(module, function),
        if calls.is_empty() { " (or name the catalogue's kernel whose PTX this is)" } else { "" }
    ))
}

/// The threads that a block has at most.
const MOST_THREADS: u64 = 1024;

/// Nobody says how much dynamic shared memory a block has.
pub(super) const NO_SHARED: &str = "--shared is missing: the bytes of dynamic shared memory (extern __shared__) of a \
                         block, for example --shared 16384";

/// The side of the square tiles in shared memory, if all are of floats and of one side.
fn tile_side(shared: &[SharedArray]) -> Option<u32> {
    let first = shared.first()?.bytes;
    let side = [8, 16, 32].into_iter().find(|side| 4 * side * side == first)?;
    shared.iter().all(|array| array.bytes == first).then_some(side)
}

/// A block that a kernel takes: of one dimension if it reads no other index of its threads.
fn usual_block(module: &Module, function: &Function) -> String {
    let most = match function.threads {
        Some(Threads::Exactly(count) | Threads::AtMost(count)) => count,
        None => 256,
    };
    let program = sim::lower(module, &function.name);
    let tile = program.as_ref().ok().and_then(|program| tile_side(&program.shared));
    let is_flat = program.is_ok_and(|program| {
        !program.init.iter().any(|(_, init)| matches!(init, Init::Special(Special::Tid(1 | 2))))
    });
    if let Some(side) = tile.filter(|side| !is_flat && u64::from(side * side) <= MOST_THREADS) {
        return format!("{side},{side}");
    }
    let side = (1..=16).rev().find(|side| most.is_multiple_of(side * side)).unwrap_or(1);
    if is_flat || side == 1 { most.to_string() } else { format!("{side},{}", most / side) }
}

/// The folder as a user in the current one would name it.
pub(super) fn shown(folder: &Path) -> PathBuf {
    let current = std::env::current_dir().and_then(|current| current.canonicalize());
    let below = current.ok().and_then(|current| folder.strip_prefix(current).ok());
    let below = below.filter(|below| *below != Path::new(""));
    below.unwrap_or(folder).to_owned()
}
