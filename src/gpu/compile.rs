//! From a kernel's CUDA C++ to its PTX, without a GPU.

use super::ceilings::Probes;
use super::nvrtc::Nvrtc;
use super::protocol::Compile;
use super::{GpuError, isa};
use crate::kernel::{EMBEDDED_TILES, Kernel};
use std::path::{Path, PathBuf};

/// The NVRTC that made the committed PTX, as its banner in the PTX names it. Another version
/// writes another text.
pub const PINNED: &str = "12.9.86";

/// Largest side of a tile: TILE x TILE threads must fit into a block of 1024.
pub const MAX_TILE: u32 = 32;

/// The PTX of `kernel` at a tile size that is not embedded, compiled here and now.
///
/// # Errors
/// A tile outside 1..=32, no NVRTC on this machine, or a source that does not compile.
pub fn live(kernel: &Kernel, tile: u32, rolled: bool) -> Result<String, GpuError> {
    if !(1..=MAX_TILE).contains(&tile) {
        return Err(GpuError::Tile { tile });
    }
    let nvrtc = Nvrtc::find()?.ok_or(GpuError::NoNvrtc { tile })?;
    ptx(&nvrtc, kernel, tile, rolled)
}

/// The PTX of `kernel` at `tile`, as this NVRTC writes it, with the `.version` that it needs; if
/// `rolled`, its loop over k is not unrolled.
///
/// # Errors
/// The source does not compile.
pub fn ptx(nvrtc: &Nvrtc, kernel: &Kernel, tile: u32, rolled: bool) -> Result<String, GpuError> {
    let flags = flags(nvrtc.version()?, tile);
    let source = if rolled { with_rolled_loops(kernel.source) } else { kernel.source.to_owned() };
    let ptx = nvrtc.compile(&source, &kernel.file(), &flags)?;
    Ok(isa::lowered(&without_folders(&ptx)))
}

/// The PTX of a source of `kernels/probes/`.
///
/// # Errors
/// The source does not compile.
pub fn probes(nvrtc: &Nvrtc, probes: &Probes) -> Result<String, GpuError> {
    let arch = probes.arch.unwrap_or(oldest(nvrtc.version()?));
    let flags = [&format!("--gpu-architecture={arch}"), "-lineinfo", "-default-device"];
    let flags = flags.map(str::to_owned);
    let ptx = nvrtc.compile(probes.source, &format!("{}.cu", probes.name), &flags)?;
    Ok(isa::lowered(&without_folders(&ptx)))
}

/// The PTX of any source.
///
/// # Errors
/// No NVRTC on this machine, or a source that does not compile.
pub fn source(wanted: &Compile) -> Result<String, GpuError> {
    let nvrtc = Nvrtc::find()?.ok_or(GpuError::NoCompiler)?;
    let folders = [wanted.folder.clone()].into_iter().chain(headers(nvrtc.path()));
    let fixed = [format!("--gpu-architecture={}", wanted.arch), "-lineinfo".to_owned()];
    let flags: Vec<_> = fixed
        .into_iter()
        .chain(["-default-device".to_owned()])
        .chain(wanted.defines.iter().map(|define| format!("-D{define}")))
        .chain(folders.map(|folder| format!("-I{}", folder.display())))
        .collect();
    let ptx = nvrtc.compile(&wanted.text, &wanted.file, &flags)?;
    Ok(isa::lowered(&without_folders(&ptx)))
}

/// Where NVIDIA's own headers (`cuda_fp16.h`, `mma.h`) lie beside an NVRTC: in its toolkit, or in
/// the wheels that pip puts beside its wheel.
fn headers(nvrtc: &Path) -> Vec<PathBuf> {
    let around = nvrtc.ancestors().skip(2).take(3);
    let named = |root: &Path| {
        ["include", "cuda_runtime/include", "cuda_nvcc/include"].map(|name| root.join(name))
    };
    let found = around.flat_map(named).chain([PathBuf::from("/usr/local/cuda/include")]);
    found.filter(|folder| folder.is_dir()).collect()
}

/// The version in a PTX text's banner, for example `12.9.86`.
pub fn compiler(ptx: &str) -> Option<&str> {
    let banner = ptx.lines().find(|line| line.starts_with("// Cuda compilation tools"))?;
    banner.rsplit_once(", V").map(|(_, version)| version.trim())
}

/// The embedded tile sizes, as a list to read.
pub fn embedded_tiles() -> String {
    EMBEDDED_TILES.map(|tile| tile.to_string()).join(", ")
}

/// `#pragma unroll 1` before each loop over k, on the loop's own line: so the lines of the PTX are
/// still those of the source.
fn with_rolled_loops(source: &str) -> String {
    source.replace("for (int k", "_Pragma(\"unroll 1\") for (int k")
}

/// NVRTC puts the current folder before the name in `.file`: another folder, another hash.
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

/// CUDA 13 knows nothing older than compute_75; before it compute_52 reaches the oldest cards.
fn oldest((major, _): (u32, u32)) -> &'static str {
    if major >= 13 { "compute_75" } else { "compute_52" }
}

fn flags(version: (u32, u32), tile: u32) -> Vec<String> {
    vec![
        format!("--gpu-architecture={}", oldest(version)),
        "-lineinfo".to_owned(),
        "-default-device".to_owned(),
        format!("-DTILE={tile}"),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::KERNELS;

    #[test]
    fn the_embedded_modules_were_made_by_the_pinned_compiler_and_name_no_folder() {
        for (tile, ptx) in KERNELS.iter().flat_map(|kernel| kernel.ptx) {
            assert_eq!(compiler(ptx), Some(PINNED), "t{tile}");
            let file = ptx.lines().find(|line| line.trim().starts_with(".file"));
            assert!(file.is_some_and(|line| !line.contains('/')), "{file:?}");
        }
    }

    #[test]
    fn a_tile_that_no_block_can_hold_is_refused_before_nvrtc_is_looked_for() {
        for tile in [0, 33, u32::MAX] {
            assert_eq!(live(&KERNELS[0], tile, false), Err(GpuError::Tile { tile }));
        }
    }

    #[test]
    fn what_a_kernel_must_not_hold_comes_back_as_the_compilers_own_log() {
        let Some(nvrtc) = Nvrtc::find().expect("MATVIZ_NVRTC is right or unset") else {
            eprintln!("NVRTC not found: compiling is not tested here");
            return;
        };
        let wrong = "extern \"C\" __global__ void f(int* x) { *x = y; }";
        let error = nvrtc.compile(wrong, "wrong.cu", &flags((12, 0), 4)).expect_err("y is unknown");
        let GpuError::Compile { file, log } = error else { panic!("{error}") };
        assert_eq!(file, "wrong.cu");
        assert!(log.contains("identifier \"y\" is undefined"), "{log}");
    }
}
