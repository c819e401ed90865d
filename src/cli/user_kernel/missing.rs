//! What a file or a launch lacks, said as the user would give it.

use crate::cli::BadUse;
use crate::cli::output::named;
use crate::compile::include;
use crate::kernel::{Chosen, source_name};
use crate::launch::Dim3;
use cudac::{HostLaunch, KernelTemplate};
use ptx::Function;
use std::path::{Path, PathBuf};

/// Nothing in a file is a kernel, nor in the headers that were found.
pub(super) fn no_kernel(file: &Path, whole: &cudac::File) -> BadUse {
    let absent = without(file, whole);
    BadUse(format!("{} has no kernel: nothing in it is __global__{absent}", named(file)))
}

/// The most templates that a message lists.
const LISTED: usize = 4;

/// The instances of a file whose kernels are all templates, or of the template that is asked for: of
/// one whose parameters all have defaults, it with these; of a single other one, that with usual
/// arguments, which is a choice. An instance is chosen or proposed if it `compiles`.
///
/// # Errors
/// There are several, and nothing says with which arguments they are launched; the message proposes
/// some.
pub(super) fn instances_of_templates(
    whole: &cudac::File,
    calls: &[HostLaunch],
    entry: Option<&str>,
    compiles: impl Fn(&str) -> bool,
) -> Result<(Vec<String>, Option<Chosen>), BadUse> {
    let mut all = whole.templates();
    let is_asked = all.iter().any(|one| Some(&*one.name) == entry);
    if all.is_empty() || whole.has_plain_kernel() && !is_asked {
        return Ok((Vec::new(), None));
    }
    all.retain(|one| !is_asked || Some(&*one.name) == entry);
    let complete = all.iter().filter(|one| one.is_complete);
    let complete: Vec<_> = complete.map(|one| format!("{}<>", one.name)).collect();
    if !complete.is_empty() {
        return Ok((complete, None));
    }
    let proposed = all.iter().take(LISTED).map(|one| example(one, calls));
    let taken: Vec<_> = proposed.filter(|instance| compiles(instance)).collect();
    if let ([_], 1) = (&taken[..], all.len()) {
        let chosen = taken.first().cloned().map(Chosen::Instance);
        return Ok((taken, chosen));
    }
    let name = &all[0].name;
    let begun =
        format!("`{name}` is a template, and nothing says with which arguments it is launched");
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
pub(super) fn without(file: &Path, whole: &cudac::File) -> String {
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

/// Nobody says how many threads a block has, and with none of the likely blocks the kernel stays in its
/// arrays.
pub(super) fn no_block(calls: &[HostLaunch], function: &Function, likely: &[Dim3]) -> BadUse {
    let first = likely.first().map_or_else(|| "256".to_owned(), |block| shape(*block));
    BadUse(format!(
        "--block is missing: how many threads a block has, for example --block {first}{}{}{}",
        if likely.is_empty() { "" } else { " (with each that was tried, it leaves its arrays)" },
        unknown(calls, function),
        if calls.is_empty() { " (or name the catalogue's kernel whose PTX this is)" } else { "" }
    ))
}

/// That a block was chosen.
pub(super) fn chosen_block(calls: &[HostLaunch], function: &Function, block: Dim3) -> String {
    let why = "nobody states it, and in a first run with it all accesses stay in their arrays";
    format!("--block {}: {why}{}", shape(block), unknown(calls, function))
}

/// A block as the option takes it.
fn shape(block: Dim3) -> String {
    match block {
        Dim3 { x, y: 1, z: 1 } => x.to_string(),
        _ => block.place_in(block),
    }
}

/// Where the host launches the kernel, if that does not say the block.
fn unknown(calls: &[HostLaunch], function: &Function) -> String {
    let name = source_name(&function.name);
    let called = calls.iter().find(|call| call.kernel == name);
    called.map_or_else(String::new, |call| {
        format!(" (what line {} launches it with is known only when the program runs)", call.line)
    })
}

/// Nobody says how much dynamic shared memory a block has.
pub(super) const NO_SHARED: &str = "--shared is missing: the bytes of dynamic shared memory (extern __shared__) of a \
                         block, for example --shared 16384";

/// The folder as a user in the current one would name it.
pub(super) fn shown(folder: &Path) -> PathBuf {
    let current = std::env::current_dir().and_then(|current| current.canonicalize());
    let below = current.ok().and_then(|current| folder.strip_prefix(current).ok());
    let below = below.filter(|below| *below != Path::new(""));
    below.unwrap_or(folder).to_owned()
}
