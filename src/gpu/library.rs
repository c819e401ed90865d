//! Finds NVIDIA's libraries: on the loader's path, in a CUDA toolkit, or in a pip wheel.

use crate::timing::GpuError;
use libloading::Library;
use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The names of a library that is loaded at run time and never needed to build or to start.
#[derive(Debug)]
pub(super) struct LibraryNames {
    /// The environment variable that names its file.
    pub(super) variable: &'static str,
    /// Its file names, newest first.
    files: &'static [&'static str],
    /// The folders of `site-packages/nvidia/` in which pip installs it.
    wheels: &'static [&'static str],
}

/// The run-time compiler of CUDA C++.
pub(super) const NVRTC: LibraryNames = LibraryNames {
    variable: "MATVIZ_NVRTC",
    files: if cfg!(windows) {
        &["nvrtc64_130_0.dll", "nvrtc64_120_0.dll", "nvrtc64_112_0.dll"]
    } else {
        &["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so"]
    },
    wheels: &["cuda_nvrtc", "cu13", "cu12"],
};

/// NVIDIA's library of matrix products.
pub(super) const CUBLAS: LibraryNames = LibraryNames {
    variable: "MATVIZ_CUBLAS",
    files: if cfg!(windows) {
        &["cublas64_13.dll", "cublas64_12.dll", "cublas64_11.dll"]
    } else {
        &["libcublas.so.13", "libcublas.so.12", "libcublas.so.11", "libcublas.so"]
    },
    wheels: &["cublas", "cu13", "cu12"],
};

/// NVIDIA's library for communication between GPUs.
pub(super) const NCCL: LibraryNames = LibraryNames {
    variable: "MATVIZ_NCCL",
    // NVIDIA publishes it only for Linux.
    files: &["libnccl.so.2", "libnccl.so"],
    wheels: &["nccl", "cu13", "cu12"],
};

/// The library that reads the hardware's counters.
pub(super) const CUPTI: LibraryNames = LibraryNames {
    variable: "MATVIZ_CUPTI",
    // On Windows each release has another file name, so there the variable must name it.
    files: &["libcupti.so.13", "libcupti.so.12", "libcupti.so"],
    wheels: &["cuda_cupti", "cu13", "cu12"],
};

/// The libraries that CUPTI needs as well.
pub(super) const NVPERF: &[&str] = if cfg!(windows) {
    &["nvperf_host.dll", "nvperf_target.dll"]
} else {
    &["libnvperf_host.so", "libnvperf_target.so"]
};

/// The library of the GPU's clocks, power and temperature, which comes with the driver.
pub(super) const NVML: LibraryNames = LibraryNames {
    variable: "MATVIZ_NVML",
    files: if cfg!(windows) { &["nvml.dll"] } else { &["libnvidia-ml.so.1"] },
    wheels: &[],
};

/// An opened library and the path or name with which the loader found it.
#[derive(Debug)]
pub(super) struct LoadedLibrary {
    /// The library, open as long as this lives.
    pub(super) library: Library,
    /// A full path, or a bare file name if it is on the loader's own path.
    pub(super) path: PathBuf,
}

/// Opens `wanted` from the first place that has it; `None` if no place has it.
///
/// # Errors
/// The environment variable names a file that cannot be opened: an explicit choice is not ignored.
pub(super) fn open(wanted: &LibraryNames) -> Result<Option<LoadedLibrary>, GpuError> {
    // An empty value counts as unset: the loader would take it for the program itself.
    if let Some(file) = env::var_os(wanted.variable).filter(|file| !file.is_empty()) {
        let path = PathBuf::from(file);
        return load(&path).map(Some).map_err(|error| GpuError::Library {
            variable: wanted.variable.to_owned(),
            path: path.display().to_string(),
            reason: error.to_string(),
        });
    }
    let first = |folders: Vec<PathBuf>| {
        let full = |folder: PathBuf| wanted.files.iter().map(move |file| folder.join(file));
        folders.into_iter().flat_map(full).filter(|path| path.is_file()).find_map(|p| load(&p).ok())
    };
    let by_name = wanted.files.iter().find_map(|file| load(Path::new(file)).ok());
    Ok(by_name
        .or_else(|| first(toolkits(&|name| env::var_os(name))))
        .or_else(|| first(wheels(wanted, &environment_packages())))
        .or_else(|| in_python(wanted).and_then(first)))
}

/// Opens those of `files` that are in the folder of `found`, and keeps them open until the process
/// ends.
pub(super) fn open_beside(found: &LoadedLibrary, files: &[&str]) {
    // A bare name has no folder: the loader will find the others as it found this one.
    let folder = found.path.parent().filter(|folder| folder.is_dir());
    let paths = folder.into_iter().flat_map(|folder| files.iter().map(|file| folder.join(file)));
    paths.filter_map(|path| load(&path).ok()).for_each(std::mem::forget);
}

/// The places where [`open`] looks, as text.
pub(super) fn searched(wanted: &LibraryNames) -> String {
    let LibraryNames { files, wheels, variable } = wanted;
    let places = [
        "the loader's path".to_owned(),
        format!("{} of CUDA_HOME, CUDA_PATH and /usr/local/cuda*", TOOLKIT_FOLDERS.join(", ")),
        format!("nvidia/{{{}}} of Python's packages", wheels.join(",")),
    ];
    format!("{} ({}; {variable} names a file of it)", files.join(", "), places.join("; "))
}

/// The folders of Python's packages, if `wanted` may be installed there. Asking Python takes a
/// while.
fn in_python(wanted: &LibraryNames) -> Option<Vec<PathBuf>> {
    (!wanted.wheels.is_empty()).then(|| wheels(wanted, &python_packages()))
}

fn load(path: &Path) -> Result<LoadedLibrary, libloading::Error> {
    // SAFETY: the initialisers of NVIDIA's libraries need no more than a C run time.
    let library = unsafe { Library::new(path) }?;
    Ok(LoadedLibrary { library, path: path.to_owned() })
}

/// The library folders of a CUDA toolkit.
const TOOLKIT_FOLDERS: [&str; 4] = ["lib64", "lib", "extras/CUPTI/lib64", "bin"];

/// The folders of CUDA toolkits: those that the environment names, then those in `/usr/local`.
fn toolkits(variable: &dyn Fn(&str) -> Option<OsString>) -> Vec<PathBuf> {
    let named = ["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(variable).map(PathBuf::from);
    let mut installed = entries(Path::new("/usr/local"));
    installed.retain(|path| file_name_starts(path, "cuda"));
    let roots = named.chain(installed.into_iter().rev());
    roots.flat_map(|root| TOOLKIT_FOLDERS.map(|folder| root.join(folder))).collect()
}

/// The folders in which pip installs `wanted`, under these `site-packages`.
fn wheels(wanted: &LibraryNames, packages: &[PathBuf]) -> Vec<PathBuf> {
    let inside = |packages: &PathBuf| {
        let wheel = |name: &&str| packages.join("nvidia").join(name);
        wanted.wheels.iter().map(wheel).collect::<Vec<_>>()
    };
    let roots = packages.iter().flat_map(inside);
    roots.flat_map(|root| [root.join("lib"), root.join("bin")]).collect()
}

/// The `site-packages` of the active Python environment.
fn environment_packages() -> Vec<PathBuf> {
    let roots = ["VIRTUAL_ENV", "CONDA_PREFIX"].into_iter().filter_map(env::var_os);
    roots.flat_map(|root| site_packages(Path::new(&root))).collect()
}

fn site_packages(root: &Path) -> Vec<PathBuf> {
    let mut pythons = entries(&root.join("lib"));
    pythons.retain(|path| file_name_starts(path, "python"));
    pythons.push(root.join("Lib"));
    pythons.into_iter().map(|python| python.join("site-packages")).collect()
}

/// The module path of the `python3` that would start now. It takes a fifth of a second, so it is
/// tried last.
fn python_packages() -> Vec<PathBuf> {
    let paths = "import sys; print('\\n'.join(sys.path))";
    let output = Command::new("python3").args(["-c", paths]).output();
    let text = output.map(|output| output.stdout).unwrap_or_default();
    String::from_utf8_lossy(&text)
        .lines()
        .filter(|line| !line.is_empty())
        .map(PathBuf::from)
        .collect()
}

/// The entries of a folder, sorted by name; empty if the folder does not exist.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let read = std::fs::read_dir(folder).into_iter().flatten();
    let mut paths: Vec<_> = read.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

fn file_name_starts(path: &Path, start: &str) -> bool {
    path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_virtual_environment_is_searched_where_pip_puts_its_wheels() {
        let root = tempfile::tempdir().expect("a folder");
        let site = root.path().join("lib/python3.12/site-packages");
        std::fs::create_dir_all(&site).expect("created");
        let folders = wheels(&NVRTC, &site_packages(root.path()));
        assert!(folders.contains(&site.join("nvidia/cuda_nvrtc/lib")), "{folders:?}");
        assert!(folders.contains(&site.join("nvidia/cu13/lib")), "{folders:?}");
    }

    #[test]
    fn the_places_where_a_library_was_looked_for_are_told() {
        let told = GpuError::NoCupti { searched: searched(&CUPTI) };
        insta::assert_snapshot!(told, @"the hardware's counters are read through CUPTI, which is not found: looked for libcupti.so.13, libcupti.so.12, libcupti.so (the loader's path; lib64, lib, extras/CUPTI/lib64, bin of CUDA_HOME, CUDA_PATH and /usr/local/cuda*; nvidia/{cuda_cupti,cu13,cu12} of Python's packages; MATVIZ_CUPTI names a file of it); it comes with the CUDA toolkit or, in a virtual environment of Python, with `pip install nvidia-cuda-cupti-cu12`");
    }

    #[test]
    fn a_toolkit_named_by_the_environment_comes_first() {
        let named = |name: &str| (name == "CUDA_PATH").then(|| OsString::from("/opt/cuda"));
        assert_eq!(toolkits(&named)[0], Path::new("/opt/cuda/lib64"));
    }
}
