//! What the host's code in a `.cu` file says of a kernel's launch.

use super::called::{self, HostLaunch, LaunchNumber};
use super::launch::StatedLaunch;
use super::sizes::{self, SizeConstant};
use crate::kernel::{
    Assumption, Called, SizeName, find_entry, is_instance, names_product, operand_of, source_name,
};
use crate::launch::{Dim3, Launch};
use crate::matrix::{Operand, Size};
use cudac::{CudaFile, HostTensorMap, NamedNumbers};
use ptx::{Function, Module};

/// The largest size that is taken from a file's constants: what is larger takes minutes.
const LARGEST: i64 = 1024;

/// The size for which a file's constants are written, if its kernels use such constants.
pub fn size_in(file: &CudaFile) -> Option<Size> {
    let all = sizes::compiled_in(file);
    let of = |wanted| all.iter().find(|(name, _)| *name == wanted).map(|(_, one)| one.value);
    let first = || all.first().map(|(_, one)| one.value);
    let side = of(SizeName::Side).or_else(|| of(SizeName::N)).or_else(first)?;
    let [m, n, k] = [SizeName::M, SizeName::N, SizeName::K].map(|one| of(one).unwrap_or(side));
    let fits = [m, n, k].iter().all(|side| (1..=LARGEST).contains(side));
    fits.then_some(Size { m: m as u32, n: n as u32, k: k as u32 })
}

/// That a launch has dynamic shared memory of which only the running program knows the size.
pub fn no_shared(file: &CudaFile, call: &HostLaunch) -> Option<String> {
    let is_unknown = call.shared.is_none() && file.has_dynamic_shared();
    is_unknown.then(|| {
        format!(
            "the shared memory is missing: the bytes of dynamic shared memory with which line {} launches \
             `{}` are known only when the program runs; give them, for example --launch '<<<,,49152>>>'",
            call.line, call.kernel
        )
    })
}

/// Three sides that differ, and that tiles of all usual sides divide.
const APART: Size = Size { m: 3 << 12, n: 5 << 12, k: 7 << 12 };

/// The launches in a file, for matrices of this size, which constants of these names give way to
/// whatever their value. The extents of tensor maps are those for `APART`: with equal sides they do not
/// tell a row from a column.
pub fn launches(file: &CudaFile, size: Size, before: &[String]) -> Vec<HostLaunch> {
    let mut launches = launches_knowing(file, size, before, &[]);
    if launches.iter().any(|launch| launch.maps.iter().any(Option::is_some)) {
        let apart = launches_knowing(file, APART, before, &[]);
        let maps = launches.iter_mut().flat_map(|launch| launch.maps.iter_mut().flatten());
        for (map, other) in maps.zip(apart.iter().flat_map(|one| one.maps.iter().flatten())) {
            map.extents = other.extents;
        }
    }
    launches
}

/// Whether the arguments declare buffers, and have none of the matrices A, B and C.
pub fn has_no_matrices(words: &str) -> bool {
    let is_matrix = |word: &str| {
        let word = word.trim().trim_start_matches('*');
        let name = word.strip_prefix("tensormap:").unwrap_or(word).split(':').next();
        let is_own = word.contains('[');
        !is_own && name.is_some_and(|name| Operand::ALL.iter().any(|of| of.name() == name))
    };
    words.contains('[') && !words.split(',').any(is_matrix)
}

/// The launches in a file, where the arguments give numbers by name (`n=4096`): those are
/// also the values of the names that the host passes for these parameters.
pub fn launches_with(file: &CudaFile, words: &str, size: Size) -> Vec<HostLaunch> {
    let named = words.split(',').filter_map(|word| word.trim().split_once('='));
    let number =
        |(name, value): (&str, &str)| Some((name.trim().to_owned(), value.trim().parse().ok()?));
    let mut given: Vec<(String, i64)> = named.filter_map(number).collect();
    for call in launches(file, size, &[]) {
        for (name, passed) in call.parameters.iter().zip(&call.args) {
            let value = given.iter().find(|(own, _)| own == name).map(|(_, value)| *value);
            given.extend(value.map(|value| (passed.clone(), value)));
        }
    }
    launches_knowing(file, size, &[], &given)
}

/// The launches in a file for matrices of a size, where numbers of these names are given.
fn launches_knowing(
    file: &CudaFile,
    size: Size,
    before: &[String],
    given: &[(String, i64)],
) -> Vec<HostLaunch> {
    let of = |name: &str| given.iter().find(|(own, _)| own == name).map(|(_, value)| *value);
    let changes = sizes::giving_way(file, size, before).into_iter();
    let changes = changes.filter(|(one, _)| !file.compiles_in(&one.name));
    let given = sizes::given(file, &of);
    let changes: Vec<_> = changes.filter(|(one, _)| of(&one.name).is_none()).collect();
    let changed = sizes::replaced(&sizes::replaced(file, &given), &changes);
    let sized = |name: &str| SizeName::of(name)?.value(size).map(i64::from);
    let run = changed.all_launches(NamedNumbers { given: &of, otherwise: &sized });
    called::launches(&run).map(|launch| called::as_text(&run, launch, file)).collect()
}

/// The kernel that all launches are of, if the file launches one alone.
pub fn only(launches: &[HostLaunch]) -> Option<&str> {
    let name =
        |launch: &HostLaunch| launch.instance.clone().unwrap_or_else(|| launch.kernel.clone());
    let (first, others) = launches.split_first()?;
    let alone = others.iter().all(|other| name(other) == name(first));
    alone.then(|| first.instance.as_deref().unwrap_or(&first.kernel))
}

/// The kernel to begin with, of several that the host launches, with what is said of that choice: the
/// first that is called like a product of matrices, or else the first.
pub fn chosen<'m>(
    launches: &[HostLaunch],
    module: &'m Module,
) -> Option<(&'m Function, Assumption)> {
    let launched = |launch: &HostLaunch| {
        let name = launch.instance.as_deref().unwrap_or(&launch.kernel);
        find_entry(module, Some(name)).ok().filter(|_| launch.block.is_some())
    };
    let mut found: Vec<(&HostLaunch, &Function)> = Vec::new();
    for launch in launches {
        if let Some(function) = launched(launch)
            && !found.iter().any(|(_, known)| known.name == function.name)
        {
            found.push((launch, function));
        }
    }
    let is_product = |(launch, _): &&(&HostLaunch, &Function)| names_product(&launch.kernel);
    let (launch, function) = *found.iter().find(is_product).or(found.first())?;
    let shown = |launch: &HostLaunch| {
        let name = launch.instance.as_deref().unwrap_or(&launch.kernel);
        name.to_owned()
    };
    let others = found.iter().filter(|(_, other)| other.name != function.name);
    let others: Vec<_> = others.map(|(launch, _)| shown(launch)).collect();
    let entry = shown(launch);
    let told = match &others[..] {
        [] => Assumption::new(entry, "the one that is launched"),
        others => {
            let (listed, more) = others.split_at(others.len().min(LISTED));
            let more =
                if more.is_empty() { String::new() } else { format!(" ({} more)", more.len()) };
            let why = format!("; launched too: {}{more}", listed.join(", "));
            Assumption::sentence(entry, why)
        }
    };
    Some((function, told))
}

/// The most other kernels that a message lists.
const LISTED: usize = 8;

/// The instances of templates to compile: the one that `entry` names, or those that the host
/// launches, of `entry` alone if it names a kernel.
pub fn instances(file: &CudaFile, launches: &[HostLaunch], entry: Option<&str>) -> Vec<String> {
    let own = |name: &str| name.rsplit("::").next().map(str::to_owned);
    if let Some((name, list)) = entry.and_then(|entry| entry.split_once('<')) {
        let whole = if name.contains("::") { name.to_owned() } else { file.qualified(name) };
        return vec![format!("{whole}<{list}")];
    }
    let is_asked =
        |launch: &&HostLaunch| entry.is_none_or(|entry| own(&launch.kernel) == own(entry));
    let launches = || launches.iter().filter(is_asked);
    let mut instances: Vec<_> = launches().filter_map(|launch| launch.instance.clone()).collect();
    instances.sort_unstable();
    instances.dedup();
    instances
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
pub fn launch_of<'l>(launches: &'l [HostLaunch], entry: &str) -> Option<&'l HostLaunch> {
    let name = source_name(entry);
    let is_it = |launch: &&HostLaunch| launch.kernel.rsplit("::").next() == Some(name);
    let is_same = |launch: &&HostLaunch| {
        launch.instance.as_deref().is_none_or(|instance| is_instance(entry, instance))
    };
    let known = || launches.iter().filter(is_it).filter(|launch| launch.block.is_some());
    known().find(is_same).or_else(|| known().next())
}

/// What a launch says, as far as it is known.
pub fn said(launch: &HostLaunch) -> StatedLaunch {
    let shape = |[x, y, z]: [u32; 3]| Dim3::new(x, y, z);
    StatedLaunch {
        block: launch.block.map(shape),
        grid: launch.grid.filter(|grid| !grid.contains(&0)).map(shape),
        shared: launch.shared.filter(|bytes| *bytes > 0),
        cluster: launch.cluster.map(shape),
        ..StatedLaunch::default()
    }
}

/// What was taken from it, in the words of the command line.
pub fn as_options(call: &HostLaunch, launch: &Launch) -> Assumption {
    let block = launch.block.spelt();
    let grid = call.grid.map(|_| launch.grid.spelt()).unwrap_or_default();
    let cluster = call.cluster.map(|[x, y, z]| format!("__cluster_dims__({x},{y},{z}) "));
    let why = format!("as line {} launches it", call.line);
    Assumption::new(format!("{}<<<{grid},{block}>>>", cluster.unwrap_or_default()), why)
}

/// Why a launch has no blocks at this size, and what to do; `None` if it has some, or if their number
/// is not known.
pub fn no_blocks(file: &CudaFile, call: &HostLaunch, size: Size) -> Option<String> {
    let grid = call.grid.filter(|grid| grid.contains(&0))?;
    let shown = grid.map(|side| side.to_string()).join(" x ");
    let least = least(file, call).map(|side| format!("give --size {side} or more, or "));
    Some(format!(
        "line {} launches `{}` with a grid of {shown} blocks at the size {size}, which CUDA refuses: \
         {}give the blocks, --launch '<<<1,>>>' for one",
        call.line,
        call.kernel,
        least.unwrap_or_default()
    ))
}

/// The size at which a file is run that nobody gives one for: the usual one, unless the host has a
/// number of its own that is hardly larger; a large one where the host launches no blocks at less.
pub fn suited(file: &CudaFile, usual: Size, large: Size) -> Size {
    let calls = launches(file, usual, &[]);
    if calls.iter().any(|call| call.grid.is_some_and(|grid| grid.contains(&0))) {
        return large;
    }
    let own = sizes::giving_way(file, usual, &[]).iter().map(|(one, _)| one.value).max();
    let own = own.and_then(|own| u32::try_from(own).ok()).filter(|own| *own <= SMALL);
    own.map_or(usual, Size::square)
}

/// The largest side of matrices that are multiplied within a second, checks included.
const SMALL: u32 = 256;

/// The step in which a size is looked for, and the largest that is tried.
const SIZES: (u32, u32) = (16, 8192);

/// The least size of square matrices at which a launch has blocks.
fn least(file: &CudaFile, call: &HostLaunch) -> Option<u32> {
    let (step, most) = SIZES;
    let has_blocks = |steps: u32| {
        let all = launches(file, Size::square(steps * step), &[]);
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

/// The sizes that the file's constants give to its kernels, where they are not the one that is run;
/// `None` if there are none.
pub fn compiled_for(file: &CudaFile, size: Size) -> Option<Assumption> {
    let larger = |(name, one): (SizeName, SizeConstant)| {
        let own = i64::from(name.value(size)?);
        let differs = one.value > own || one.value != own && name != SizeName::Side;
        differs.then(|| format!("{} = {}", one.name, one.value))
    };
    let all: Vec<_> = sizes::compiled_in(file).into_iter().filter_map(larger).collect();
    let why = format!(", although {} is compiled into the kernels", all.join(", "));
    (!all.is_empty()).then(|| Assumption::sentence(format!("--size {size}"), why))
}

/// The arguments, as far as the host's code tells them.
pub fn called(launch: &HostLaunch) -> Called {
    Called { words: words(launch), bytes: launch.bytes.clone() }
}

/// The arguments that are numbers or tensor maps, as a launch has them.
fn words(launch: &HostLaunch) -> Vec<Option<String>> {
    let word =
        |((text, value), map): ((&String, &Option<LaunchNumber>), &Option<HostTensorMap>)| {
            if let Some(map) = map {
                return tensor_map(map);
            }
            // Only the name alone is the size: `2 * N` is a number.
            if let Some(extent) = SizeName::of(text) {
                return Some(extent.word().to_owned());
            }
            let factor = ["alpha", "beta"].into_iter().find(|name| *name == text.to_lowercase());
            let named = |number: String| match factor {
                Some(name) => format!("{name}={number}"),
                None => number,
            };
            match (*value)? {
                LaunchNumber::Int(value) if factor.is_none() => Some(value.to_string()),
                LaunchNumber::Int(value) => Some(named(format!("{value}.0f"))),
                LaunchNumber::Float(value) => Some(named(format!("{value:?}f"))),
            }
        };
    launch.args.iter().zip(&launch.values).zip(&launch.maps).map(word).collect()
}

/// The types of matrices, as `CUtensorMapDataType` numbers them.
const TYPES: [&str; 10] = ["u8", "u16", "u32", "i32", "u64", "i64", "f16", "f32", "f64", "bf16"];

/// The widths of swizzles, as `CUtensorMapSwizzle` numbers them from 1 on.
const SWIZZLES: [u32; 3] = [32, 64, 128];

/// `tensormap:A:64x64:swizzle128:f16`, if the matrix is known.
fn tensor_map(map: &HostTensorMap) -> Option<String> {
    let operand = operand_of(&map.matrix)?;
    let of = TYPES.get(usize::try_from(map.of).ok()?)?;
    let (rows, columns) = APART.shape(operand);
    let is_column_major = map.extents == [i64::from(rows), i64::from(columns)];
    let major = if is_column_major { ":col" } else { "" };
    let width = usize::try_from(map.swizzle - 1).ok().and_then(|place| SWIZZLES.get(place));
    let swizzle = width.map(|width| format!(":swizzle{width}")).unwrap_or_default();
    let [columns, rows] = map.boxes;
    Some(format!("tensormap:{}{major}:{rows}x{columns}{swizzle}:{of}", operand.name()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_size_that_stands_alone_is_called_by_its_name() {
        let source = "__global__ void k(float *a, int b, int c, int d, float e, int f) {}\n\
                      void run(float *a, int N, int width, int unknown) { float alpha = 0.5f; \
                      k<<<N, 32>>>(a, N, 2 * N, width, alpha, unknown); }";
        let file = CudaFile::new(source, |_| None);
        let launches = launches(&file, Size::square(64), &[]);
        let words: Vec<_> =
            words(&launches[0]).into_iter().map(Option::unwrap_or_default).collect();
        assert_eq!(words, ["", "N", "128", "N", "alpha=0.5f", ""]);
        assert_eq!(said(&launches[0]).grid, Some(Dim3::new(64, 1, 1)));
    }
}
