//! A kernel as a file of one's own, to be edited.

use crate::file;
use crate::kernel::{Problem, Variant, source_name};
use crate::launch::Dim3;
use crate::matrix::Size;
use crate::own::launch::LAUNCH;
use cudac::CudaSource;
use std::fmt::Write;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// The size of a copy's matrices: small enough to be simulated at every save.
const SIZE: u32 = 64;

/// Copies of one kernel in one folder.
const MOST: u32 = 1000;

/// A copy that is to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelCopy {
    /// The name of its file, without `.cu`.
    pub name: String,
    pub text: String,
    /// The lines above the kernel's source.
    pub above: u32,
}

/// The copy of a kernel, perhaps changed: its source below its launch and its macros. `None` if its
/// source is not known.
pub fn of_problem(problem: &Problem) -> Option<KernelCopy> {
    match problem.known {
        Some(known) => of_catalogue(problem, &known.variant),
        None => as_launched(problem),
    }
}

/// With the launch that it has now.
fn as_launched(kernel: &Problem) -> Option<KernelCopy> {
    let (source, size) = (kernel.source.as_ref()?, kernel.size);
    let name = source.file.strip_suffix(".cu").unwrap_or(&source.file).to_owned();
    let Dim3 { x, y, .. } = kernel.launch.block;
    let grid = kernel.launch.grid;
    let usual = (size.n.div_ceil(x.max(1)), size.m.div_ceil(y.max(1))) == (grid.x, grid.y);
    let grid = (!usual).then_some(grid);
    // One of several kernels, and arguments that were given.
    let is_one = CudaSource::read(&source.text).kernels().count() == 1;
    let name_of = if is_one { "" } else { source_name(&kernel.entry) };
    let words: String = kernel.words.split_whitespace().collect();
    let words = if kernel.assumed.has("(") { String::new() } else { format!("({words})") };
    let configured = configuration(kernel.launch.block, grid, kernel.shared);
    let launch = format!("{LAUNCH} {name_of}{configured}{words} --size {size}");
    // What the source says of its launch holds no longer.
    let begins = |line: &&str| line.trim_start().starts_with(LAUNCH);
    let lines = source.text.lines().map(|line| if begins(&line) { "//" } else { line });
    let mut text = head(&launch, source.defines.iter());
    let above = text.lines().count() as u32;
    lines.for_each(|line| _ = writeln!(text, "{line}"));
    Some(KernelCopy { name, text, above })
}

fn of_catalogue(problem: &Problem, variant: &Variant) -> Option<KernelCopy> {
    let source = problem.source.as_ref()?;
    let Dim3 { x, y, .. } = variant.block;
    let size = Size::square(SIZE.max(variant.tile.m).max(variant.tile.n));
    // A grid that has a thread for each element of C need not be given.
    let usual = (variant.tile.n, variant.tile.m) == (x, y);
    let grid = (!usual).then(|| variant.launch(size).grid);
    let configured = configuration(variant.block, grid, variant.dynamic_shared);
    let launch = format!("{LAUNCH} {configured} --size {size}");
    let is_used = |define: &&String| source.text.contains(named(define).0);
    let text = head(&launch, source.defines.iter().filter(is_used));
    let above = text.lines().count() as u32;
    Some(KernelCopy { name: problem.name().to_owned(), text: text + &source.text, above })
}

/// A launch without its name and its arguments: `<<<,8x8>>>`.
fn configuration(block: Dim3, grid: Option<Dim3>, shared: u32) -> String {
    let grid = grid.map(Dim3::spelt).unwrap_or_default();
    let shared = if shared > 0 { format!(",{shared}") } else { String::new() };
    format!("<<<{grid},{}{shared}>>>", block.spelt())
}

/// What stands above the source: the launch, its macros, and an empty line.
fn head<'a>(launch: &str, defines: impl Iterator<Item = &'a String>) -> String {
    let mut text = format!("{launch}\n");
    for define in defines {
        let (name, value) = named(define);
        let _ = writeln!(text, "#define {name} {value}");
    }
    text + "\n"
}

/// The name and the value of a macro, `NAME=VALUE` or `NAME`.
fn named(define: &str) -> (&str, &str) {
    define.split_once('=').unwrap_or((define, "1"))
}

/// Writes a copy to `NAME.cu` in a folder, or to `NAME.2.cu`, and so on: the first file that does
/// not exist. Nothing is overwritten.
///
/// # Errors
/// The folder cannot be written to.
pub fn write(folder: &Path, copy: &KernelCopy) -> io::Result<PathBuf> {
    let KernelCopy { name: kernel, text, .. } = copy;
    for number in 1..=MOST {
        let name = match number {
            1 => format!("{kernel}.cu"),
            _ => format!("{kernel}.{number}.cu"),
        };
        let path = folder.join(name);
        match file::create_new(&[(&path, text)]) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            written => return written.map(|()| path),
        }
    }
    Err(io::Error::other(format!("{kernel}.cu to {kernel}.{MOST}.cu are all there")))
}

#[cfg(test)]
mod tests {
    use super::super::version::{EditRequest, Version};
    use super::*;
    use crate::kernel::{KERNELS, find};
    use crate::lesson::setting::{KernelFrom, Setting};
    use std::fs;

    #[test]
    fn a_copy_is_a_file_that_did_not_exist() {
        let folder = tempfile::tempdir().expect("a folder");
        let tiled = find("tiled").expect("a kernel").problem_for(Size::square(64));
        let copy =
            of_problem(&tiled.with_tile(8.into()).expect("a tile")).expect("of the catalogue");
        let write = || write(folder.path(), &copy).expect("it is written");
        fs::write(folder.path().join("tiled.cu"), "mine").expect("it is written");
        assert_eq!(
            [write(), write()].map(|path| path.file_name().map(ToOwned::to_owned)),
            [Some("tiled.2.cu".into()), Some("tiled.3.cu".into())]
        );
        assert_eq!(
            fs::read_to_string(folder.path().join("tiled.cu")).ok().as_deref(),
            Some("mine")
        );
        let copy = fs::read_to_string(folder.path().join("tiled.2.cu")).expect("it is there");
        let head = "// launch: <<<,8x8>>> --size 64\n#define TILE 8\n\n// C = A x B";
        assert!(copy.starts_with(head), "{copy}");
    }

    #[test]
    fn a_copy_of_one_of_several_kernels_is_launched_as_that_one_was() {
        let text = "__global__ void one(float* C) { C[0] = 1; }\n\
                    __global__ void two(float* C, int n) { if (n > 3) C[n] = WITH; }\n";
        let setting = Setting {
            kernel: KernelFrom::File { name: "mine.cu:two".to_owned(), text: text.to_owned() },
            threads: Some(Dim3::flat(8, 8)),
            args: Some("C,5".to_owned()),
            defines: vec!["WITH=2".to_owned()],
            ..Setting::default()
        };
        let copy =
            of_problem(&setting.problem().expect("it compiles")).expect("its source is known");
        let head = "// launch: two<<<64x1,8x8>>>(C,5) --size 64\n#define WITH 2\n\n";
        assert_eq!((&*copy.name, &*copy.text), ("mine", &*format!("{head}{text}")));
        let version = Version::of(&copy.text, &EditRequest::default()).expect("it compiles again");
        assert_eq!(version.stages[0].problem.entry, "two");
    }

    #[test]
    fn a_copy_of_every_kernel_of_the_subset_is_launched_as_the_catalogue_does() {
        let mut compiled = 0;
        for kernel in KERNELS {
            let original = kernel.problem_for(Size::square(64));
            let variant = original.known.expect("it has one").variant;
            let request = EditRequest { file: kernel.file(), ..EditRequest::default() };
            match Version::of(&of_problem(&original).expect("it has a source").text, &request) {
                Ok(version) => {
                    compiled += 1;
                    let problem = &version.stages[0].problem;
                    assert_eq!(problem.launch, variant.launch(problem.size), "{}", kernel.name);
                    assert!(version.usual().is_empty(), "{}: {:?}", kernel.name, version.usual());
                    let kept = problem.known.map(|kept| kept.kernel.name);
                    assert_eq!(kept, Some(kernel.name), "it is known what it is a copy of");
                    assert_eq!(problem.k_tiles(), Some(problem.size.k.div_ceil(variant.tile.k)));
                }
                Err(unready) => {
                    let error = cudac::Error::from(unready);
                    assert!(error.outside, "{}: {error}", kernel.name);
                }
            }
        }
        assert!(compiled >= 7, "only {compiled}");
    }
}
