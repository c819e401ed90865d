//! What the host's code in a `.cu` file says of a kernel's launch.

use super::launch::Launch;
use crate::cuda::{File, HostLaunch, Number};
use crate::kernel::{Extent, is_instance, source_name};
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

/// The launches in a file, where the words of `--args` give numbers by name (`n=4096`): for a kernel
/// that computes no product, whose names are no sizes of matrices.
pub fn launches_with(file: &File, words: &str) -> Vec<HostLaunch> {
    file.launches(&|name| {
        let named = words.split(',').filter_map(|word| word.trim().split_once('='));
        let mut given = named.filter(|(own, _)| own.trim() == name);
        given.find_map(|(_, value)| value.trim().parse().ok())
    })
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
        grid: launch.grid.map(shape),
        shared: launch.shared.filter(|bytes| *bytes > 0),
        ..Launch::default()
    }
}

/// What was taken from it, in the words of the command line.
pub fn told(call: &HostLaunch, launch: &crate::launch::Launch) -> String {
    let block = launch.block.place_in(launch.block);
    let grid = call.grid.map(|_| format!(" --grid {}", launch.grid.place_in(launch.grid)));
    format!("--block {block}{}: as line {} launches it", grid.unwrap_or_default(), call.line)
}

/// The arguments that are numbers, as `--args` has them.
pub fn words(launch: &HostLaunch) -> Vec<Option<String>> {
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
