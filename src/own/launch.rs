//! How a kernel from a file is launched: as a comment in it says, as the command line says, or as is
//! usual for one that is edited.

use crate::kernel::LaunchSpec;
use crate::launch::{Dim3, shape};
use crate::matrix::Size;
use cudac::{CudaSource, Error, Lexeme};

/// The comment in a source that gives its launch.
pub const LAUNCH: &str = "// launch:";

/// The same in Python.
const PYTHON_LAUNCH: &str = "# launch:";

/// The size if nobody gives one: small enough to be simulated and checked at every save.
pub const USUAL_SIZE: Size = Size::square(64);

/// The block if nobody gives one.
pub const USUAL_BLOCK: Dim3 = Dim3::flat(16, 16);

/// The macro of the course's kernels, the side of a square tile.
pub const TILE: &str = "TILE";

/// What somebody has said of a launch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StatedLaunch {
    pub size: Option<Size>,
    /// The kernel, if the file has several.
    pub entry: Option<String>,
    /// The threads of a block.
    pub block: Option<Dim3>,
    /// The blocks of the grid at this size.
    pub grid: Option<Dim3>,
    /// The arguments, as `--args` has them.
    pub args: Option<String>,
    /// Bytes of dynamic shared memory.
    pub shared: Option<u32>,
    /// The blocks of a cluster.
    pub cluster: Option<Dim3>,
    /// The types of a Python kernel's parameters, as Numba writes them.
    pub sig: Option<String>,
}

impl StatedLaunch {
    /// Reads the first `// launch:` of a source; options that are of no interest here are passed
    /// over.
    ///
    /// # Errors
    /// A word that is no option, or a value that cannot be read, at its place.
    pub fn written(source: &str) -> Result<Self, Error> {
        let begun = |line: &str| {
            let begins =
                [LAUNCH, PYTHON_LAUNCH].into_iter().find(|it| line.trim_start().starts_with(it))?;
            Some(line.len() - line.trim_start().len() + begins.len())
        };
        let mut lines = (1..).zip(source.lines());
        let Some((number, line, start)) =
            lines.find_map(|(number, line)| Some((number, line, begun(line)?)))
        else {
            return Ok(Self::default());
        };
        let mut words = words(&line[start..]);
        let mut launch = Self::default();
        while let Some((at, option)) = words.next() {
            let wrong = |(at, word): (usize, &str), message: String| {
                let column = line[..start + at].chars().count() as u32 + 1;
                let length = word.chars().count() as u32;
                let hint = Some("for example `// launch: --size 64 --block 16,16`".to_owned());
                Error { header: None, line: number, column, length, message, hint, outside: false }
            };
            let Some(value) = words.next() else {
                return Err(wrong((at, option), format!("`{option}` has no value")));
            };
            launch.take(option, value.1).map_err(|why| {
                let unknown = why.is_empty();
                let why = if unknown { format!("`{option}` is not known here") } else { why };
                wrong(if unknown { (at, option) } else { value }, why)
            })?;
        }
        Ok(launch)
    }

    /// Takes an option; the error is empty if there is no such option.
    fn take(&mut self, option: &str, value: &str) -> Result<(), String> {
        match option {
            "--size" => self.size = Some(value.parse().map_err(|error| format!("{error}"))?),
            "--entry" => self.entry = Some(value.to_owned()),
            "--block" => self.block = Some(shape::block(value)?),
            "--grid" => self.grid = Some(shape::grid(value)?),
            "--args" => self.args = Some(value.to_owned()),
            "--shared" => self.shared = Some(shared(value)?),
            "--cluster" => self.cluster = Some(shape::grid(value)?),
            "--sig" => self.sig = Some(value.to_owned()),
            "--budget" => {}
            _ => return Err(String::new()),
        }
        Ok(())
    }

    /// What this one says, and otherwise the other.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            size: self.size.or(other.size),
            entry: self.entry.or(other.entry),
            block: self.block.or(other.block),
            grid: self.grid.or(other.grid),
            args: self.args.or(other.args),
            shared: self.shared.or(other.shared),
            cluster: self.cluster.or(other.cluster),
            sig: self.sig.or(other.sig),
        }
    }

    /// The launch of a kernel's code with these blocks.
    pub fn spec(self, block: Dim3) -> LaunchSpec {
        let Self { entry, grid, args, shared, cluster, .. } = self;
        let shared = shared.unwrap_or(0);
        LaunchSpec { entry, grid, block, shared, cluster, args, ..LaunchSpec::default() }
    }

    /// The grid at another size than `of`, if one was given: each block has as large a part of C.
    pub(super) fn grid_at(&self, size: Size, of: Size, block: Dim3) -> Option<Dim3> {
        let grid = self.grid?;
        if size == of {
            return Some(grid);
        }
        let (rows, columns) = (of.m.div_ceil(grid.y), of.n.div_ceil(grid.x));
        if grid.y == 1 && of.m > block.y.max(1) && rows == of.m {
            // The blocks are numbered along x alone.
            let area = |size: Size| u64::from(size.m) * u64::from(size.n);
            let blocks = (u64::from(grid.x) * area(size)).div_ceil(area(of).max(1));
            return Some(Dim3 { x: (blocks as u32).max(1), ..grid });
        }
        let (x, y) = (size.n.div_ceil(columns.max(1)), size.m.div_ceil(rows.max(1)));
        Some(Dim3 { x, y, ..grid })
    }
}

/// Words before a name that is declared there: as a macro, a parameter of a template, a variable.
const DECLARE: [&str; 8] =
    ["define", "int", "unsigned", "long", "short", "size_t", "uint32_t", "auto"];

/// Whether a source uses a macro that it does not define.
pub fn leaves_open(source: &str, name: &str) -> bool {
    let all = CudaSource::read(source).lexemes;
    let is_declared = |two: &[Lexeme<'_>]| two[1].text == name && DECLARE.contains(&two[0].text);
    all.iter().any(|one| one.text == name) && !all.windows(2).any(is_declared)
}

/// The words of a line with the bytes before them.
fn words(line: &str) -> impl Iterator<Item = (usize, &str)> {
    let start = line.as_ptr() as usize;
    line.split_whitespace().map(move |word| (word.as_ptr() as usize - start, word))
}

/// The most dynamic shared memory of a block, on the GPUs that allow most (compute capability 9.0;
/// CUDA Programming Guide, "Compute Capabilities": 227 KB).
const MOST_SHARED: u32 = 227 << 10;

/// Why `--shared` is refused for a kernel that has no array of such memory.
pub const NO_DYNAMIC: &str =
    "--shared: the kernel has no dynamic shared memory (`extern __shared__`); leave it out";

/// Reads a number of bytes of shared memory.
///
/// # Errors
/// Any other text, or more than any GPU has.
pub fn shared(text: &str) -> Result<u32, String> {
    let bytes = text.parse().ok().filter(|bytes| *bytes <= MOST_SHARED);
    bytes.ok_or_else(|| format!("a block has at most {MOST_SHARED} bytes of shared memory"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_gives_the_launch_and_says_where_it_is_wrong() {
        let source = "// C = A x B\n  // launch: --size 60,52,84 --block 32x8 --args A,B,C,M,N,K\n";
        let launch = StatedLaunch::written(source).expect("it is right");
        assert_eq!(launch.size, Some(Size { m: 60, n: 52, k: 84 }));
        assert_eq!(launch.block, Some(Dim3::flat(32, 8)));
        assert_eq!(launch.args.as_deref(), Some("A,B,C,M,N,K"));
        let wrong = |text: &str| {
            let error = StatedLaunch::written(text).expect_err("it is wrong");
            (error.column, error.length, error.message)
        };
        let (column, length, message) = wrong("// launch: --blocks 16,16");
        assert_eq!((column, length, &*message), (12, 8, "`--blocks` is not known here"));
        let (column, length, message) = wrong("// launch: --block 16,0");
        assert_eq!((column, length), (20, 4), "{message}");
        assert_eq!(wrong("// launch: --size").2, "`--size` has no value");
        assert_eq!(StatedLaunch::written("int x;"), Ok(StatedLaunch::default()));
    }

    #[test]
    fn a_grid_is_that_of_as_large_parts_of_another_c() {
        let at = |size: u32, grid: Dim3, block: Dim3| {
            let said = StatedLaunch { grid: Some(grid), ..StatedLaunch::default() };
            said.grid_at(Size { m: 60, n: 52, k: 84 }, Size::square(size), block)
        };
        let threads = Dim3::new(256, 1, 1);
        assert_eq!(at(128, Dim3::flat(1, 1), threads), Some(Dim3::flat(1, 1)));
        assert_eq!(at(64, Dim3::flat(2, 4), threads), Some(Dim3::flat(2, 4)));
        assert_eq!(at(64, Dim3::flat(4, 4), Dim3::flat(16, 16)), Some(Dim3::flat(4, 4)));
        // 4,096 elements by 16 blocks of 256 threads, so 3,120 by 13.
        assert_eq!(at(64, Dim3::new(16, 1, 1), threads), Some(Dim3::new(13, 1, 1)));
    }
}
