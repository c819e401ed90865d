//! A kernel of the catalogue as a file of one's own, to be edited.

use super::launch::LAUNCH;
use crate::file;
use crate::kernel::Problem;
use std::fmt::Write;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// The size of a copy's matrices: small enough to be simulated at every save.
const SIZE: u32 = 64;

/// Copies of one kernel in one folder.
const MOST: u32 = 1000;

/// The text of a copy: the kernel's source, perhaps changed, below its launch and its macros; `None`
/// for a kernel outside the catalogue.
pub fn text(problem: &Problem) -> Option<String> {
    let (variant, (_, source)) = problem.variant().zip(problem.source())?;
    let crate::launch::Dim3 { x, y, .. } = variant.block;
    let size = SIZE.max(variant.tile.m).max(variant.tile.n);
    let square = crate::matrix::Size::square(size);
    let grid = variant.launch(square).grid;
    // A grid that has a thread for each element of C need not be given.
    let usual = (variant.tile.n, variant.tile.m) == (x, y);
    let grid = if usual { String::new() } else { format!(" --grid {},{}", grid.x, grid.y) };
    let shared = match variant.dynamic_shared {
        0 => String::new(),
        bytes => format!(" --shared {bytes}"),
    };
    let mut text = format!("{LAUNCH} --size {size} --block {x},{y}{grid}{shared}\n");
    for define in problem.defines() {
        let (name, value) = define.split_once('=').unwrap_or((&define, "1"));
        if source.contains(name) {
            let _ = writeln!(text, "#define {name} {value}");
        }
    }
    Some(text + "\n" + source)
}

/// Writes a text to `NAME.cu` in a folder, or to `NAME.2.cu`, and so on: the first file that does
/// not exist. Nothing is overwritten.
///
/// # Errors
/// The folder cannot be written to.
pub fn write(folder: &Path, kernel: &str, text: &str) -> io::Result<PathBuf> {
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
    use super::super::version::{Version, Wish};
    use super::*;
    use crate::kernel::{KERNELS, find};
    use crate::matrix::Size;
    use std::fs;

    #[test]
    fn a_copy_is_a_file_that_did_not_exist() {
        let folder = tempfile::tempdir().expect("a folder");
        let tiled = find("tiled").expect("a kernel").problem_for(Size::square(64));
        let text = text(&tiled.with_tile(8.into()).expect("a tile")).expect("of the catalogue");
        let write = || write(folder.path(), "tiled", &text).expect("it is written");
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
        let head = "// launch: --size 64 --block 8,8\n#define TILE 8\n\n// C = A x B";
        assert!(copy.starts_with(head), "{copy}");
    }

    #[test]
    fn a_copy_of_every_kernel_of_the_subset_is_launched_as_the_catalogue_does() {
        let mut compiled = 0;
        for kernel in KERNELS {
            let original = kernel.problem_for(Size::square(64));
            let variant = original.variant().expect("it has one");
            let wish = Wish { file: kernel.file(), ..Wish::default() };
            match Version::of(&text(&original).expect("it has a source"), &wish) {
                Ok(version) => {
                    compiled += 1;
                    let problem = &version.stages[0].problem;
                    assert_eq!(problem.launch(), variant.launch(problem.size), "{}", kernel.name);
                    assert!(version.assumed.is_empty(), "{}: {:?}", kernel.name, version.assumed);
                    let kept = problem.kernel().map(|kept| kept.name);
                    assert_eq!(kept, Some(kernel.name), "it is known what it is a copy of");
                    assert_eq!(problem.k_tiles(), Some(problem.size.k.div_ceil(variant.tile.k)));
                }
                Err(error) => assert!(error.outside, "{}: {error}", kernel.name),
            }
        }
        assert!(compiled >= 7, "only {compiled}");
    }
}
