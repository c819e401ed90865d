//! Compiles a kernel's CUDA C++ to PTX, without a GPU.

use super::ceilings::Probes;
use super::isa;
use super::nvrtc::{Nvrtc, TranslationUnit};
use crate::kernel::{Kernel, Tile, Variant};
use crate::timing::GpuError;
use crate::timing::protocol::Compile;
use std::path::{Path, PathBuf};

/// The NVRTC version that made the committed PTX, as the PTX's banner names it. Other versions
/// generate different text.
pub const PINNED: &str = "12.9.86";

/// Compiles the PTX of `kernel` for a tile that is not embedded.
///
/// # Errors
/// A tile that the kernel does not have, no NVRTC on this machine, or a source that does not
/// compile.
pub fn live(kernel: &Kernel, tile: Tile, rolled: bool) -> Result<String, GpuError> {
    let none = || GpuError::Tile { kernel: kernel.name.to_owned(), tile };
    let variant = kernel.variant(tile).ok_or_else(none)?;
    let nvrtc = Nvrtc::find()?.ok_or(GpuError::NoNvrtc { tile })?;
    ptx(&nvrtc, kernel, &variant, rolled)
}

/// Compiles the PTX of a variant of `kernel` with this NVRTC, and lowers its `.version` to the one
/// it needs. If `rolled`, the loop over k is not unrolled.
///
/// # Errors
/// The source does not compile.
pub fn ptx(
    nvrtc: &Nvrtc,
    kernel: &Kernel,
    variant: &Variant,
    rolled: bool,
) -> Result<String, GpuError> {
    let flags = flags(nvrtc.version()?, kernel.arch, variant);
    let source = if rolled { with_rolled_loops(kernel.source) } else { kernel.source.to_owned() };
    let ptx = nvrtc.compile(unit(&source, &kernel.file()), &flags)?;
    Ok(isa::lowered(&without_folders(&ptx)))
}

/// The PTX of a source of `kernels/probes/`.
///
/// # Errors
/// The source does not compile.
pub fn probes(nvrtc: &Nvrtc, probes: &Probes) -> Result<String, GpuError> {
    let arch = probes.arch.unwrap_or(oldest(nvrtc.version()?));
    let ptx = nvrtc.compile(unit(probes.source, &format!("{}.cu", probes.name)), &fixed(arch))?;
    Ok(isa::lowered(&without_folders(&ptx)))
}

/// Compiles the PTX of any source.
///
/// # Errors
/// No NVRTC on this machine, or a source that does not compile.
pub fn source(wanted: &Compile) -> Result<String, GpuError> {
    let nvrtc = Nvrtc::find()?.ok_or(GpuError::NoCompiler)?;
    let folders = wanted.folders.iter().cloned().chain(headers(nvrtc.path()));
    let flags: Vec<_> = fixed(&wanted.arch)
        .into_iter()
        .chain(wanted.defines.iter().map(|define| format!("-D{define}")))
        .chain(folders.map(|folder| format!("-I{}", folder.display())))
        .chain(wanted.text.contains("int128").then(|| "--device-int128".to_owned()))
        .collect();
    let Compile { instances, .. } = wanted;
    let has = |name: &str| wanted.headers.iter().any(|(own, _)| own == name);
    let standard = STANDARD.iter().filter(|(name, _)| !has(name));
    let standard = standard.map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
    let headers: Vec<_> = wanted.headers.iter().cloned().chain(standard).collect();
    let unit = TranslationUnit { headers: &headers, instances, ..unit(&wanted.text, &wanted.file) };
    let ptx = nvrtc.compile(unit, &flags)?;
    Ok(isa::lowered(&without_folders(&ptx)))
}

/// Headers of the C++ library that some of NVIDIA's include although NVRTC has none of them.
const STANDARD: [(&str, &str); 4] = [
    ("cstdint", INTEGERS),
    ("stdint.h", INTEGERS),
    ("cstddef", "namespace std { using ::size_t; }\n"),
    ("cub/cub.cuh", OF_BLOCKS),
];

/// What kernels use of CUB: the rest is the host's, and NVRTC does not take it.
const OF_BLOCKS: &str = "#pragma once
#include <cub/block/block_adjacent_difference.cuh>
#include <cub/block/block_discontinuity.cuh>
#include <cub/block/block_exchange.cuh>
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>
";

const INTEGERS: &str = "#pragma once
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;
typedef unsigned long long uintptr_t;
typedef long long intptr_t;
namespace std {
using ::int8_t; using ::uint8_t; using ::int16_t; using ::uint16_t;
using ::int32_t; using ::uint32_t; using ::int64_t; using ::uint64_t;
using ::uintptr_t; using ::intptr_t;
}
";

fn unit<'s>(source: &'s str, name: &'s str) -> TranslationUnit<'s> {
    TranslationUnit { source, name, ..TranslationUnit::default() }
}

/// The folders of NVIDIA's own headers in a toolkit, or in the wheels of one release:
/// `cuda_fp16.h`, `mma.h`, and the CUDA C++ Core Libraries' `cuda/std` and `nv/target`, which have
/// a folder of their own from CUDA 13 on.
const HEADERS: [&str; 6] = [
    "include",
    "include/cccl",
    "cuda_runtime/include",
    "cuda_nvcc/include",
    "cuda_cccl/include",
    "curand/include",
];

/// Those of [`HEADERS`] that exist for an NVRTC: in its toolkit, or in the wheels that pip installs
/// next to its wheel; after them, those of the toolkit that is installed in the usual place.
fn headers(nvrtc: &Path) -> Vec<PathBuf> {
    let around = nvrtc.ancestors().skip(2).take(3);
    let named = |root: &Path| HEADERS.map(|name| root.join(name));
    let found = around.flat_map(named).chain(named(Path::new("/usr/local/cuda")));
    found.filter(|folder| folder.is_dir()).collect()
}

/// The version in a PTX text's banner, for example `12.9.86`.
pub fn compiler(ptx: &str) -> Option<&str> {
    let banner = ptx.lines().find(|line| line.starts_with("// Cuda compilation tools"))?;
    banner.rsplit_once(", V").map(|(_, version)| version.trim())
}

/// Puts `#pragma unroll 1` before each loop over k, on the loop's own line, so that the line
/// numbers in the PTX remain those of the source.
fn with_rolled_loops(source: &str) -> String {
    source.replace("for (int k", "_Pragma(\"unroll 1\") for (int k")
}

/// Removes folders from `.file` names. NVRTC puts the current folder before the name, so another
/// folder would give another hash.
fn without_folders(ptx: &str) -> String {
    let line = |line: &str| match line.split_once('"') {
        Some((file, path)) if file.trim_start().starts_with(".file") => {
            let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
            format!("{file}\"{name}")
        }
        Some(_) | None => line.to_owned(),
    };
    ptx.split_inclusive('\n').map(line).collect()
}

/// The oldest supported architecture: compute_75 from CUDA 13 on, compute_52 before.
fn oldest((major, _): (u32, u32)) -> &'static str {
    if major >= 13 { "compute_75" } else { "compute_52" }
}

fn flags(version: (u32, u32), arch: &str, variant: &Variant) -> Vec<String> {
    let oldest = oldest(version);
    let arch = if capability(arch) < capability(oldest) { oldest } else { arch };
    let defines = variant.defines().into_iter().map(|define| format!("-D{define}"));
    fixed(arch).into_iter().chain(defines).collect()
}

/// 90 for `compute_90a`.
fn capability(arch: &str) -> u32 {
    let digits = arch.trim_start_matches("compute_").trim_end_matches('a');
    digits.parse().unwrap_or(0)
}

/// The NVRTC options used for every source.
fn fixed(arch: &str) -> [String; 3] {
    [&format!("--gpu-architecture={arch}"), "-lineinfo", "-default-device"].map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::KERNELS;
    use std::fs;
    use std::io::Write;

    #[test]
    fn the_embedded_modules_were_made_by_the_pinned_compiler_and_name_no_folder() {
        for variant in KERNELS.iter().flat_map(|kernel| kernel.variants) {
            let ptx = variant.ptx.expect("it is embedded");
            assert_eq!(compiler(ptx), Some(PINNED), "t{}", variant.tile);
            let file = ptx.lines().find(|line| line.trim().starts_with(".file"));
            assert!(file.is_some_and(|line| !line.contains('/')), "{file:?}");
        }
    }

    #[test]
    fn a_tile_that_no_block_can_hold_is_refused_before_nvrtc_is_looked_for() {
        for tile in [0, 33, u32::MAX].map(Tile::square) {
            let kernel = KERNELS[0].name.to_owned();
            assert_eq!(live(&KERNELS[0], tile, false), Err(GpuError::Tile { kernel, tile }));
        }
    }

    #[test]
    fn headers_are_found_in_the_wheels_of_cuda_12_and_13_and_in_a_toolkit() {
        let folder = tempfile::tempdir().expect("a folder");
        let found = |nvrtc: &str, made: &[&str]| {
            for name in made {
                fs::create_dir_all(folder.path().join(name)).expect("a folder");
            }
            let all = headers(&folder.path().join(nvrtc));
            made.iter().all(|name| all.contains(&folder.path().join(name)))
        };
        let of_12 = ["cuda_runtime/include", "cuda_nvcc/include", "cuda_cccl/include"];
        let of_12 = of_12.map(|name| format!("12/nvidia/{name}"));
        let of_12: Vec<_> = of_12.iter().map(String::as_str).collect();
        assert!(found("12/nvidia/cuda_nvrtc/lib/libnvrtc.so.12", &of_12));
        let of_13 = ["13/nvidia/cu13/include", "13/nvidia/cu13/include/cccl"];
        assert!(found("13/nvidia/cu13/lib/libnvrtc.so.13", &of_13));
        let toolkit = ["cuda/include", "cuda/include/cccl"];
        assert!(found("cuda/lib64/libnvrtc.so.13", &toolkit));
    }

    #[test]
    fn what_a_kernel_must_not_hold_comes_back_as_the_compilers_own_log() {
        let Some(nvrtc) = Nvrtc::find().expect("MATVIZ_NVRTC is right or unset") else {
            let required = std::env::var("MATVIZ_REQUIRE").unwrap_or_default();
            assert!(!required.split(',').any(|need| need == "nvrtc"), "NVRTC is required");
            let mut shown = std::io::stderr();
            writeln!(shown, "NOT TESTED for want of nvrtc: errors of compiling").expect("open");
            return;
        };
        let wrong = "extern \"C\" __global__ void f(int* x) { *x = y; }";
        let error = nvrtc
            .compile(unit(wrong, "wrong.cu"), &flags((12, 0), "compute_52", &Variant::square(4)))
            .expect_err("y is unknown");
        let GpuError::Compile { file, log } = error else { panic!("{error}") };
        assert_eq!(file, "wrong.cu");
        assert!(log.contains("identifier \"y\" is undefined"), "{log}");
    }
}
