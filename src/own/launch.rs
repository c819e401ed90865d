//! How a kernel from a file is launched: as a comment in it says, as the command line says, or as is
//! usual for one that is edited.

use crate::kernel::LaunchSpec;
use crate::launch::{Dim3, shape};
use crate::matrix::Size;
use cudac::{CudaSource, Error, Lexeme};

/// The comment in a source that gives its launch.
pub const LAUNCH: &str = "// launch:";

/// The size if nobody gives one: small enough to be simulated and checked at every save.
pub const USUAL_SIZE: Size = Size::square(64);

/// The block if nobody gives one.
pub const USUAL_BLOCK: Dim3 = Dim3::flat(16, 16);

/// The macro of the course's kernels, the side of a square tile.
pub const TILE: &str = "TILE";

/// What somebody has said of a launch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Launch {
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
    /// Macros, as `NAME=VALUE`.
    pub defines: Vec<String>,
}

/// A launch of which everything is known that has to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complete {
    /// What was said, or is usual.
    pub launch: Launch,
    pub size: Size,
    pub block: Dim3,
    /// What nobody has said, in the words of the command line; empty if everything was.
    pub assumed: Vec<String>,
}

impl Launch {
    /// Reads the first `// launch:` of a source; options that are of no interest here are passed
    /// over.
    ///
    /// # Errors
    /// A word that is no option, or a value that cannot be read, at its place.
    pub fn written(source: &str) -> Result<Self, Error> {
        let launches = |line: &&str| line.trim_start().starts_with(LAUNCH);
        let Some((number, line)) = (1..).zip(source.lines()).find(|(_, line)| launches(line))
        else {
            return Ok(Self::default());
        };
        let start = line.find(LAUNCH).unwrap_or(0) + LAUNCH.len();
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
            defines: [self.defines, other.defines].concat(),
        }
    }

    /// The launch of a kernel's code with these blocks.
    pub fn spec(self, block: Dim3) -> LaunchSpec {
        let Self { entry, grid, args, shared, cluster, .. } = self;
        let shared = shared.unwrap_or(0);
        LaunchSpec { entry, grid, block, shared, cluster, args, ..LaunchSpec::default() }
    }

    /// Adds what is usual for a source: the size, the block, and the tile that the course's
    /// kernels have as a macro.
    pub fn complete(self, source: &str) -> Complete {
        let mut launch = self;
        let mut assumed = Vec::new();
        let block = launch.block.unwrap_or_else(|| {
            assumed.push(format!("--block {},{}", USUAL_BLOCK.x, USUAL_BLOCK.y));
            USUAL_BLOCK
        });
        if leaves_open(source, TILE) && !launch.defines.iter().any(|define| defines(define, TILE)) {
            let tile = format!("{TILE}={}", block.x);
            assumed.push(format!("-D {tile}"));
            launch.defines.push(tile);
        }
        let size = launch.size.unwrap_or(USUAL_SIZE);
        Complete { launch, size, block, assumed }
    }
}

impl Complete {
    /// The grid at another size, if one was given: each block has as large a part of C as before.
    pub fn grid_at(&self, size: Size) -> Option<Dim3> {
        let grid = self.launch.grid?;
        let (rows, columns) = (self.size.m.div_ceil(grid.y), self.size.n.div_ceil(grid.x));
        if grid.y == 1 && self.size.m > self.block.y.max(1) && rows == self.size.m {
            // The blocks are numbered along x alone.
            let area = |size: Size| u64::from(size.m) * u64::from(size.n);
            let blocks = (u64::from(grid.x) * area(size)).div_ceil(area(self.size).max(1));
            return Some(Dim3 { x: (blocks as u32).max(1), ..grid });
        }
        let (x, y) = (size.n.div_ceil(columns.max(1)), size.m.div_ceil(rows.max(1)));
        Some(Dim3 { x, y, ..grid })
    }
}

fn defines(define: &str, name: &str) -> bool {
    define.split('=').next() == Some(name)
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
        let launch = Launch::written(source).expect("it is right");
        assert_eq!(launch.size, Some(Size { m: 60, n: 52, k: 84 }));
        assert_eq!(launch.block, Some(Dim3::flat(32, 8)));
        assert_eq!(launch.args.as_deref(), Some("A,B,C,M,N,K"));
        let wrong = |text: &str| {
            let error = Launch::written(text).expect_err("it is wrong");
            (error.column, error.length, error.message)
        };
        let (column, length, message) = wrong("// launch: --blocks 16,16");
        assert_eq!((column, length, &*message), (12, 8, "`--blocks` is not known here"));
        let (column, length, message) = wrong("// launch: --block 16,0");
        assert_eq!((column, length), (20, 4), "{message}");
        assert_eq!(wrong("// launch: --size").2, "`--size` has no value");
        assert_eq!(Launch::written("int x;"), Ok(Launch::default()));
    }

    #[test]
    fn what_nobody_says_is_assumed_and_said() {
        let tiled = "__shared__ float sA[TILE][TILE]; // TILE\n";
        let complete = Launch::default().complete(tiled);
        assert_eq!(complete.assumed, ["--block 16,16", "-D TILE=16"]);
        assert_eq!((complete.size, complete.block), (USUAL_SIZE, USUAL_BLOCK));
        let defined = format!("# define TILE 8\n{tiled}");
        let said = Launch { block: Some(Dim3::flat(8, 8)), ..Launch::default() };
        assert!(said.clone().complete(&defined).assumed.is_empty());
        assert_eq!(said.complete(tiled).launch.defines, ["TILE=8"]);
        assert!(Launch::default().complete("// TILE\n").launch.defines.is_empty());
    }

    #[test]
    fn a_grid_is_that_of_as_large_parts_of_another_c() {
        let at = |size: u32, grid: Dim3, block: Dim3| {
            let said = Launch { grid: Some(grid), block: Some(block), ..Launch::default() };
            let said = Launch { size: Some(Size::square(size)), ..said };
            said.complete("").grid_at(Size { m: 60, n: 52, k: 84 })
        };
        let threads = Dim3::new(256, 1, 1);
        assert_eq!(at(128, Dim3::flat(1, 1), threads), Some(Dim3::flat(1, 1)));
        assert_eq!(at(64, Dim3::flat(2, 4), threads), Some(Dim3::flat(2, 4)));
        assert_eq!(at(64, Dim3::flat(4, 4), Dim3::flat(16, 16)), Some(Dim3::flat(4, 4)));
        // 4,096 elements by 16 blocks of 256 threads, so 3,120 by 13.
        assert_eq!(at(64, Dim3::new(16, 1, 1), threads), Some(Dim3::new(13, 1, 1)));
    }
}
