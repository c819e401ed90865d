//! What the host's code in a `.cu` file says of a kernel's launch.

use super::launch::Launch;
use crate::cuda::{File, HostLaunch, Number, Resized};
use crate::kernel::{Called, Extent, is_instance, source_name};
use crate::launch::Dim3;
use crate::matrix::Size;

/// The largest size that is taken from a file's constants: what is larger takes minutes.
const LARGEST: i64 = 1024;

/// The size for which a file's constants are written, if its kernels use such constants.
pub fn size_in(file: &File) -> Option<Size> {
    let all: Vec<_> = file
        .constants()
        .into_iter()
        .filter_map(|(name, value)| Some((Extent::of(&name)?, value)))
        .collect();
    let of = |wanted| all.iter().find(|(extent, _)| *extent == wanted).map(|(_, value)| *value);
    let side =
        of(Extent::Side).or_else(|| of(Extent::N)).or_else(|| all.first().map(|one| one.1))?;
    let [m, n, k] = [Extent::M, Extent::N, Extent::K].map(|one| of(one).unwrap_or(side));
    let fits = [m, n, k].iter().all(|side| (1..=LARGEST).contains(side));
    fits.then_some(Size { m: m as u32, n: n as u32, k: k as u32 })
}

/// The launches in a file, for matrices of this size.
pub fn launches(file: &File, size: Size) -> Vec<HostLaunch> {
    file.launches(&|name| Extent::of(name)?.value(size).map(i64::from))
}

/// The launches in a file, where the words of `--args` give numbers by name (`n=4096`): those are
/// also the values of the names that the host passes for these parameters.
pub fn launches_with(file: &File, words: &str, size: Size) -> Vec<HostLaunch> {
    let named = words.split(',').filter_map(|word| word.trim().split_once('='));
    let number =
        |(name, value): (&str, &str)| Some((name.trim().to_owned(), value.trim().parse().ok()?));
    let mut given: Vec<(String, i64)> = named.filter_map(number).collect();
    for call in launches(file, size) {
        let parameters = file.parameters(&call.kernel);
        for (name, passed) in parameters.iter().zip(&call.args) {
            let value = given.iter().find(|(own, _)| own == name).map(|(_, value)| *value);
            given.extend(value.map(|value| (passed.clone(), value)));
        }
    }
    let known = |name: &str| given.iter().find(|(own, _)| own == name).map(|(_, value)| *value);
    file.launches_knowing(&|name| Extent::of(name)?.value(size).map(i64::from), &known)
}

/// The kernel that all launches are of, if the file launches one alone.
pub fn only(launches: &[HostLaunch]) -> Option<&str> {
    let name =
        |launch: &HostLaunch| launch.instance.clone().unwrap_or_else(|| launch.kernel.clone());
    let (first, others) = launches.split_first()?;
    let alone = others.iter().all(|other| name(other) == name(first));
    alone.then(|| first.instance.as_deref().unwrap_or(&first.kernel))
}

/// The first launch whose block is known: of this kernel, if one is named.
pub fn wished<'l>(launches: &'l [HostLaunch], entry: Option<&str>) -> Option<&'l HostLaunch> {
    let is_it = |launch: &&HostLaunch| {
        entry
            .is_none_or(|entry| launch.kernel == entry || launch.instance.as_deref() == Some(entry))
    };
    launches.iter().filter(is_it).find(|launch| launch.block.is_some())
}

/// The first launch of a kernel, by its name in the PTX, whose block is known: of this instance of
/// a template, if there is one.
pub fn of<'l>(launches: &'l [HostLaunch], entry: &str) -> Option<&'l HostLaunch> {
    let name = source_name(entry);
    let is_it = |launch: &&HostLaunch| launch.kernel.rsplit("::").next() == Some(name);
    let is_same = |launch: &&HostLaunch| {
        launch.instance.as_deref().is_none_or(|instance| is_instance(entry, instance))
    };
    let known = || launches.iter().filter(is_it).filter(|launch| launch.block.is_some());
    known().find(is_same).or_else(|| known().next())
}

/// What a launch says, as far as it is known.
pub fn said(launch: &HostLaunch) -> Launch {
    let shape = |[x, y, z]: [u32; 3]| Dim3::new(x, y, z);
    Launch {
        block: launch.block.map(shape),
        grid: launch.grid.filter(|grid| !grid.contains(&0)).map(shape),
        shared: launch.shared.filter(|bytes| *bytes > 0),
        ..Launch::default()
    }
}

/// What was taken from it, in the words of the command line.
pub fn told(call: &HostLaunch, launch: &crate::launch::Launch) -> String {
    let block = launch.block.place_in(launch.block);
    let grid = call.grid.map(|_| format!(" --grid {}", launch.grid.place_in(launch.grid)));
    let resized = |one: &Resized| format!("{} = {} instead of {}", one.name, one.to, one.from);
    let resized: Vec<_> = call.resized.iter().map(resized).collect();
    let with =
        if resized.is_empty() { String::new() } else { format!(", with {}", resized.join(", ")) };
    format!("--block {block}{}: as line {} launches it{with}", grid.unwrap_or_default(), call.line)
}

/// Why a launch has no blocks at this size, and what to do; `None` if it has some, or if their number
/// is not known.
pub fn no_blocks(file: &File, call: &HostLaunch, size: Size) -> Option<String> {
    let grid = call.grid.filter(|grid| grid.contains(&0))?;
    let shown = grid.map(|side| side.to_string()).join(" x ");
    let least = least(file, call).map(|side| format!("give --size {side} or more, or "));
    Some(format!(
        "line {} launches `{}` with a grid of {shown} blocks at the size {size}, which CUDA refuses: \
         {}give the blocks, --grid 1 for one",
        call.line,
        call.kernel,
        least.unwrap_or_default()
    ))
}

/// The step in which a size is looked for, and the largest that is tried.
const SIZES: (u32, u32) = (16, 8192);

/// The least size of square matrices at which a launch has blocks.
fn least(file: &File, call: &HostLaunch) -> Option<u32> {
    let (step, most) = SIZES;
    let has_blocks = |steps: u32| {
        let all = launches(file, Size::square(steps * step));
        let it = all.iter().find(|one| (one.line, &one.kernel) == (call.line, &call.kernel));
        it.and_then(|one| one.grid).is_some_and(|grid| !grid.contains(&0))
    };
    let (mut none, mut some) = (0, most / step);
    if !has_blocks(some) {
        return None;
    }
    while some - none > 1 {
        let middle = none.midpoint(some);
        *if has_blocks(middle) { &mut some } else { &mut none } = middle;
    }
    Some(some * step)
}

/// The sizes that the file's constants give to its kernels, where they are above the one that is
/// run; `None` if there are none.
pub fn compiled_for(file: &File, size: Size) -> Option<String> {
    let larger = |(name, value): (String, i64)| {
        let own = i64::from(Extent::of(&name)?.value(size)?);
        (value > own).then(|| format!("{name} = {value}"))
    };
    let all: Vec<_> = file.constants().into_iter().filter_map(larger).collect();
    (!all.is_empty())
        .then(|| format!("--size {size}, although {} is compiled into the kernels", all.join(", ")))
}

/// The arguments, as far as the host's code tells them.
pub fn called(launch: &HostLaunch) -> Called {
    Called { words: words(launch), bytes: launch.bytes.clone() }
}

/// The arguments that are numbers, as `--args` has them.
fn words(launch: &HostLaunch) -> Vec<Option<String>> {
    let word = |(text, value): (&String, &Option<Number>)| {
        // Only the name alone is the size: `2 * N` is a number.
        if let Some(extent) = Extent::of(text) {
            return Some(extent.word().to_owned());
        }
        let factor = ["alpha", "beta"].into_iter().find(|name| *name == text.to_lowercase());
        let named = |number: String| match factor {
            Some(name) => format!("{name}={number}"),
            None => number,
        };
        match (*value)? {
            Number::Int(value) if factor.is_none() => Some(value.to_string()),
            Number::Int(value) => Some(named(format!("{value}.0f"))),
            Number::Float(value) => Some(named(format!("{value:?}f"))),
        }
    };
    launch.args.iter().zip(&launch.values).map(word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_size_that_stands_alone_is_called_by_its_name() {
        let source = "__global__ void k() {}\nvoid f(int N) { float alpha = 0.5f; \
                      k<<<N, 32>>>(a, N, 2 * N, width, alpha, unknown); }";
        let file = File::new(source, |_| None);
        let launches = launches(&file, Size::square(64));
        let words: Vec<_> =
            words(&launches[0]).into_iter().map(Option::unwrap_or_default).collect();
        assert_eq!(words, ["", "N", "128", "N", "alpha=0.5f", ""]);
        assert_eq!(said(&launches[0]).grid, Some(Dim3::new(64, 1, 1)));
    }
}
