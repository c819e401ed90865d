//! How a kernel from a file is launched: as a comment in it says, as the command line says, or as is
//! usual for one that is edited.

use crate::kernel::{Goal, LaunchSpec, Source};
use crate::launch::{Dim3, Launch, MAX_THREADS_PER_BLOCK, shape};
use crate::matrix::{Size, SizeError};
use cudac::expression::fold;
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
    /// The same as expressions of the size, which give it at any.
    pub grid_by: Option<GridExpressions>,
    /// The arguments, as `--launch` has them.
    pub args: Option<String>,
    /// Bytes of dynamic shared memory.
    pub shared: Option<u32>,
    /// The blocks of a cluster.
    pub cluster: Option<Dim3>,
    /// What it computes.
    pub goal: Option<Goal>,
    /// The types of a Python kernel's parameters, as Numba writes them.
    pub sig: Option<String>,
}

/// The blocks of a grid along x, y and z, as expressions of M, N and K.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GridExpressions(Vec<String>);

impl GridExpressions {
    /// The grid at a size.
    ///
    /// # Errors
    /// It is none that a GPU runs.
    fn at(&self, size: Size) -> Result<Dim3, LaunchTextError> {
        let Self(sides) = self;
        let wrong =
            |why: String| LaunchTextError::Shape(sides.join(", "), format!("at {size}, {why}"));
        let Some(numbers) = evaluated(sides.iter().map(String::as_str), &size_names(size)) else {
            return Err(wrong(UNKNOWN.to_owned()));
        };
        shape::grid(&numbers).map_err(|why| wrong(format!("{numbers} blocks: {why}")))
    }
}

/// What may stand in an expression of a launch.
const UNKNOWN: &str = "give numbers, in a grid also expressions of M, N and K: (N+15)/16";

/// The values of M, N and K.
fn size_names(size: Size) -> impl Fn(&str) -> Option<i128> {
    move |name| match name {
        "M" => Some(size.m.into()),
        "N" => Some(size.n.into()),
        "K" => Some(size.k.into()),
        _ => None,
    }
}

/// The values of expressions, with commas between them.
fn evaluated<'t>(
    sides: impl Iterator<Item = &'t str>,
    names: &dyn Fn(&str) -> Option<i128>,
) -> Option<String> {
    let numbers: Option<Vec<_>> = sides.map(|side| Some(fold(side, names)?.to_string())).collect();
    numbers.map(|numbers| numbers.join(","))
}

/// Why a launch cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LaunchTextError {
    #[error("`{0}` is no launch: write it as CUDA does, {EXAMPLE}, any part left empty")]
    NoLaunch(String),
    #[error("`<<<` without `>>>`")]
    Open,
    #[error(
        "`<<<{0}>>>`: a grid and a block, then bytes of shared memory, each of which may be empty"
    )]
    Parts(String),
    #[error("`{0}`: {1}")]
    Shape(String, String),
    #[error("`{0}`: a block has at most {MOST_SHARED} bytes of shared memory")]
    Shared(String),
    #[error("{0}")]
    Size(SizeError),
    #[error("`{0}` has no value")]
    NoValue(String),
    #[error("`{0}` is not known here")]
    Unknown(String),
}

/// A launch as an example.
const EXAMPLE: &str = "`mm<16><<<dim3(4, 4), dim3(16, 16)>>>(A, B, C, M, N, K)`";

/// What stands before a launch whose result is not judged: a cast that drops it.
const ANY: &str = "(void)";

/// What stands before a launch with clusters, as before its kernel.
const CLUSTER: &str = "__cluster_dims__(";

impl StatedLaunch {
    /// Reads the first `// launch:` of a source: a launch, and perhaps `--size SIZE`, and in Python
    /// `--sig TYPES`, after it.
    ///
    /// # Errors
    /// What cannot be read, at its place.
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
        let wrong = |text: &str, why: LaunchTextError| {
            let before = text.as_ptr() as usize - line.as_ptr() as usize;
            let column = line[..before].chars().count() as u32 + 1;
            let (length, message) = (text.chars().count() as u32, why.to_string());
            let hint = Some("for example `// launch: <<<, dim3(16, 16)>>> --size 64`".to_owned());
            Error { header: None, line: number, column, length, message, hint, outside: false }
        };
        let rest = line[start..].trim();
        let options = if rest.starts_with("--") { Some(0) } else { rest.find(" --") };
        let (call, options) = rest.split_at(options.unwrap_or(rest.len()));
        let mut launch = match call.trim() {
            "" => Self::default(),
            call => Self::read(call).map_err(|why| wrong(call, why))?,
        };
        let mut words = options.split_whitespace();
        while let Some(option) = words.next() {
            if !["--size", "--sig"].contains(&option) {
                return Err(wrong(option, LaunchTextError::Unknown(option.to_owned())));
            }
            let none = || wrong(option, LaunchTextError::NoValue(option.to_owned()));
            let value = words.next().ok_or_else(none)?;
            if option == "--sig" {
                launch.sig = Some(value.to_owned());
                continue;
            }
            let size = value.parse().map_err(|why| wrong(value, LaunchTextError::Size(why)))?;
            launch.size = Some(size);
        }
        Ok(launch)
    }

    /// Reads a launch as CUDA writes it, `mm<16><<<dim3(4, 4), dim3(16, 16), 0>>>(A, B, C, N)`, of which
    /// any part may be missing: the name, each part of the configuration, the arguments. A shape is also
    /// `16x16`. Before it, `(void)` leaves the result unjudged, `C =` has it judged as the product, and
    /// `__cluster_dims__(2, 1, 1)` gives the clusters.
    ///
    /// # Errors
    /// What cannot be read.
    pub fn read(text: &str) -> Result<Self, LaunchTextError> {
        let mut launch = Self::default();
        let mut rest = text.trim().trim_end_matches(';').trim();
        let any = || rest.strip_prefix(ANY).map(|after| (Goal::Any, after));
        let product =
            || Some((Goal::Product, rest.strip_prefix('C')?.trim_start().strip_prefix('=')?));
        if let Some((goal, after)) = any().or_else(product) {
            (launch.goal, rest) = (Some(goal), after.trim());
        }
        if let Some((shape, after)) = rest.strip_prefix(CLUSTER).and_then(|it| it.split_once(')')) {
            (launch.cluster, rest) = (shape_of(shape, shape::grid)?, after.trim());
        }
        let (name, after) = match rest.split_once("<<<") {
            Some((name, after)) => {
                let (parts, after) = after.split_once(">>>").ok_or(LaunchTextError::Open)?;
                launch.configure(parts)?;
                (name, after)
            }
            None => rest.split_at(arguments(rest).unwrap_or(rest.len())),
        };
        launch.args = match after.trim() {
            "" => None,
            after => {
                let list = after.strip_prefix('(').and_then(|list| list.strip_suffix(')'));
                let none = || LaunchTextError::NoLaunch(text.to_owned());
                Some(list.ok_or_else(none)?.split(',').map(str::trim).collect::<Vec<_>>().join(","))
            }
        };
        launch.entry = Some(name.trim().to_owned()).filter(|name| !name.is_empty());
        if launch == Self::default() {
            return Err(LaunchTextError::NoLaunch(text.to_owned()));
        }
        Ok(launch)
    }

    /// Takes what stands between `<<<` and `>>>`; a stream, the fourth, changes nothing.
    fn configure(&mut self, text: &str) -> Result<(), LaunchTextError> {
        let parts = parts(text);
        if !(2..=4).contains(&parts.len()) {
            return Err(LaunchTextError::Parts(text.to_owned()));
        }
        (self.grid, self.grid_by) = match shape_of(parts[0], shape::grid) {
            Err(error) => (None, Some(by_size(parts[0]).ok_or(error)?)),
            grid => (grid?, None),
        };
        self.block = shape_of(parts[1], shape::block)?;
        let shared = parts.get(2).copied().unwrap_or_default();
        self.shared = (!shared.is_empty()).then(|| bytes(shared)).transpose()?;
        Ok(())
    }

    /// What this one says, and otherwise the other.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        let says_grid = self.grid.is_some() || self.grid_by.is_some();
        let (grid, grid_by) =
            if says_grid { (self.grid, self.grid_by) } else { (other.grid, other.grid_by) };
        Self {
            size: self.size.or(other.size),
            entry: self.entry.or(other.entry),
            block: self.block.or(other.block),
            grid,
            grid_by,
            args: self.args.or(other.args),
            shared: self.shared.or(other.shared),
            cluster: self.cluster.or(other.cluster),
            goal: self.goal.or(other.goal),
            sig: self.sig.or(other.sig),
        }
    }

    /// The launch of a kernel's code with these blocks.
    pub fn spec(self, block: Dim3) -> LaunchSpec {
        let Self { entry, grid, args, shared, cluster, .. } = self;
        let shared = shared.unwrap_or(0);
        LaunchSpec { entry, grid, block, shared, cluster, args, ..LaunchSpec::default() }
    }

    /// Evaluates the grid at a size, if it is given by expressions.
    ///
    /// # Errors
    /// It is none that a GPU runs.
    pub(super) fn evaluate(&mut self, size: Size) -> Result<(), LaunchTextError> {
        if let Some(by) = &self.grid_by {
            self.grid = Some(by.at(size)?);
        }
        Ok(())
    }

    /// The grid at another size than `of`, if one was given: what its expressions give there; or else each
    /// block has as large a part of C, and the rows along x if the grid has them there.
    ///
    /// # Errors
    /// The expressions give none that a GPU runs.
    pub(super) fn grid_at(
        &self,
        size: Size,
        of: Size,
        block: Dim3,
    ) -> Result<Option<Dim3>, LaunchTextError> {
        match &self.grid_by {
            Some(by) => by.at(size).map(Some),
            None => Ok(self.grid_in_proportion(size, of, block)),
        }
    }

    fn grid_in_proportion(&self, size: Size, of: Size, block: Dim3) -> Option<Dim3> {
        let grid = self.grid?;
        if size == of {
            return Some(grid);
        }
        let turned = |size: Size| Launch::grid_over(size.m, size.n, block);
        if grid == turned(of) && grid != Launch::grid_over(of.n, of.m, block) {
            return Some(turned(size));
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

/// The place of the bracket that opens the arguments of a call without a configuration: of a name with
/// arguments of a template, the first outside of them.
fn arguments(call: &str) -> Option<usize> {
    let mut depth = 0_i32;
    call.char_indices().find_map(|(at, letter)| {
        match letter {
            '<' => depth += 1,
            '>' => depth -= 1,
            '(' if depth == 0 => return Some(at),
            _ => {}
        }
        None
    })
}

/// The parts of a configuration, at the commas outside of brackets.
fn parts(text: &str) -> Vec<&str> {
    let (mut depth, mut from, mut all) = (0_i32, 0, Vec::new());
    for (at, letter) in text.char_indices() {
        match letter {
            '(' | '{' => depth += 1,
            ')' | '}' => depth -= 1,
            ',' if depth == 0 => {
                all.push(text[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    all.push(text[from..].trim());
    all
}

/// A shape, `dim3(16, 16)`, `{16, 16}`, `16x16`, `256` or `2*128`; an empty one is left to others.
fn shape_of(
    text: &str,
    read: fn(&str) -> Result<Dim3, String>,
) -> Result<Option<Dim3>, LaunchTextError> {
    let inner = sides_of(text);
    if inner.is_empty() {
        return Ok(None);
    }
    let wrong = |why| LaunchTextError::Shape(text.trim().to_owned(), why);
    let is_spelt = inner.chars().all(|letter| letter.is_ascii_digit() || ", x".contains(letter));
    if is_spelt {
        return read(inner).map(Some).map_err(wrong);
    }
    let numbers = evaluated(parts(inner).into_iter(), &|_| None);
    numbers.map_or(Err(UNKNOWN.to_owned()), |numbers| read(&numbers)).map(Some).map_err(wrong)
}

/// A grid whose sides are expressions of M, N and K.
fn by_size(text: &str) -> Option<GridExpressions> {
    let sides = parts(sides_of(text));
    evaluated(sides.iter().copied(), &size_names(USUAL_SIZE))?;
    Some(GridExpressions(sides.into_iter().map(str::to_owned).collect()))
}

/// What stands within `dim3( )`, `( )` or `{ }`.
fn sides_of(text: &str) -> &str {
    let inner = text.strip_prefix("dim3").unwrap_or(text).trim();
    let bracketed = [('(', ')'), ('{', '}')].into_iter().find_map(|(open, close)| {
        let within = inner.strip_prefix(open)?.strip_suffix(close)?;
        // Those of `(N+15)/(16)` are not of one pair.
        let mut depth = 1_i32;
        let is_pair = within.chars().all(|letter| {
            depth += i32::from(letter == open) - i32::from(letter == close);
            depth > 0
        });
        is_pair.then_some(within)
    });
    bracketed.unwrap_or(inner).trim()
}

/// The most dynamic shared memory of a block, on the GPUs that allow most (compute capability 9.0;
/// CUDA Programming Guide, "Compute Capabilities": 227 KB).
const MOST_SHARED: u32 = 227 << 10;

/// Why shared memory is refused for a kernel that has no array of it.
pub const NO_DYNAMIC: &str = "the launch gives dynamic shared memory, and the kernel has none \
                              (`extern __shared__`); leave it out";

/// Reads a number of bytes of shared memory.
fn bytes(text: &str) -> Result<u32, LaunchTextError> {
    let bytes = fold(text, &|_| None).and_then(|bytes| u32::try_from(bytes).ok());
    bytes
        .filter(|bytes| *bytes <= MOST_SHARED)
        .ok_or_else(|| LaunchTextError::Shared(text.to_owned()))
}

/// The side of a square tile that the course's kernels leave to the compiler, as wide as the block,
/// if neither the command line nor a header may define it.
pub(super) fn usual_tile(source: &Source, block: Dim3) -> Option<String> {
    let Source { text, defines, .. } = source;
    let is_defined = |define: &String| define.split('=').next() == Some(TILE);
    let has_header = text.contains("#include \"");
    let is_open = leaves_open(text, TILE) && !has_header && !defines.iter().any(is_defined);
    is_open.then(|| format!("{TILE}={}", block.x))
}

/// The block with a thread for each element of the tile whose side a source leaves to its macros.
pub(super) fn block_of(source: &Source) -> Option<Dim3> {
    let side =
        |define: &String| define.split_once('=').filter(|(name, _)| *name == TILE)?.1.parse().ok();
    let side = source.defines.iter().find_map(side).filter(|_| leaves_open(&source.text, TILE))?;
    Some(Dim3::flat(side, side))
        .filter(|block| (1..=MAX_THREADS_PER_BLOCK.into()).contains(&block.volume()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_gives_the_launch_and_says_where_it_is_wrong() {
        let source =
            "// C = A x B\n  // launch: <<<, dim3(32, 8)>>>(A, B, C, M, N, K) --size 60x52x84\n";
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
        let (column, length, message) = wrong("// launch: <<<, 16x0>>>");
        assert_eq!((column, length), (12, 12), "{message}");
        assert_eq!(wrong("// launch: --size").2, "`--size` has no value");
        assert_eq!(StatedLaunch::written("int x;"), Ok(StatedLaunch::default()));
    }

    #[test]
    fn any_part_of_a_launch_may_be_left_to_others() {
        let read = |text: &str| StatedLaunch::read(text).expect(text);
        let whole = read("mm<16, float><<<dim3(8,8), {16, 16}, 512>>>(A, B, C, alpha=2.0f);");
        assert_eq!(whole.entry.as_deref(), Some("mm<16, float>"));
        assert_eq!((whole.grid, whole.block), (Some(Dim3::flat(8, 8)), Some(Dim3::flat(16, 16))));
        assert_eq!((whole.shared, whole.args.as_deref()), (Some(512), Some("A,B,C,alpha=2.0f")));
        let block = Some(Dim3::flat(32, 8));
        assert_eq!(read("<<<,32x8>>>"), StatedLaunch { block, ..StatedLaunch::default() });
        assert_eq!(read("mm").entry.as_deref(), Some("mm"));
        assert_eq!(read("mm<(int)4>(A, B)").entry.as_deref(), Some("mm<(int)4>"));
        assert_eq!(read("(in:f32[64],n=64)").args.as_deref(), Some("in:f32[64],n=64"));
        assert_eq!(read("(void)").goal, Some(Goal::Any));
        assert_eq!(read("C = mm").goal, Some(Goal::Product));
        assert_eq!(read("(void) mm(A, B)").args.as_deref(), Some("A,B"));
        let two = Some(Dim3::new(2, 1, 1));
        assert_eq!(read("__cluster_dims__(2, 1, 1) mm<<<4, 32, 0, stream>>>()").cluster, two);
        for wrong in
            ["", "<<<16>>>", "<<<4, 32", "<<<grid, 32>>>", "<<<,1025>>>", "mm(A", "<<<,,x>>>"]
        {
            assert!(StatedLaunch::read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_parts_of_a_launch_are_expressions_as_in_c() {
        let mut read = StatedLaunch::read(
            "mm<<<dim3((N+15)/16, (M + 15)/(16)), dim3(4*4, 32/2), 2*16*16*4>>>(A, B, C)",
        )
        .expect("it is right");
        assert_eq!((read.block, read.shared), (Some(Dim3::flat(16, 16)), Some(2048)));
        let block = Dim3::flat(16, 16);
        let (own, other) = (Size::square(64), Size { m: 60, n: 36, k: 84 });
        read.evaluate(own).expect("a grid");
        assert_eq!(read.grid, Some(Dim3::flat(4, 4)));
        assert_eq!(read.grid_at(other, own, block), Ok(Some(Dim3::flat(3, 4))));
        // What is said later holds, whichever way it is said.
        let later = StatedLaunch::read("<<<7,>>>").expect("it is right").or(read);
        assert_eq!((later.grid, later.grid_by), (Some(Dim3::new(7, 1, 1)), None));
        let grid = |text: &str, size| StatedLaunch::read(text).and_then(|mut it| it.evaluate(size));
        let told = grid("<<<N/128,>>>", Size::square(64)).expect_err("no blocks");
        insta::assert_snapshot!(told, @"`N/128`: at 64, 0 blocks: a grid has 1 to 2147483647 blocks along x, 1 to 65535 along y and z");
        let told = grid("<<<(n+15)/16,>>>", own).expect_err("no such name");
        insta::assert_snapshot!(told, @"`(n+15)/16`: give numbers, in a grid also expressions of M, N and K: (N+15)/16");
        let told = grid("<<<,N/4>>>", own).expect_err("a block has no size of matrices");
        insta::assert_snapshot!(told, @"`N/4`: give numbers, in a grid also expressions of M, N and K: (N+15)/16");
    }

    #[test]
    fn a_grid_is_that_of_as_large_parts_of_another_c() {
        let at = |size: u32, grid: Dim3, block: Dim3| {
            let said = StatedLaunch { grid: Some(grid), ..StatedLaunch::default() };
            said.grid_in_proportion(Size { m: 60, n: 52, k: 84 }, Size::square(size), block)
        };
        let threads = Dim3::new(256, 1, 1);
        assert_eq!(at(128, Dim3::flat(1, 1), threads), Some(Dim3::flat(1, 1)));
        assert_eq!(at(64, Dim3::flat(2, 4), threads), Some(Dim3::flat(2, 4)));
        assert_eq!(at(64, Dim3::flat(4, 4), Dim3::flat(16, 16)), Some(Dim3::flat(4, 4)));
        // 4,096 elements by 16 blocks of 256 threads, so 3,120 by 13.
        assert_eq!(at(64, Dim3::new(16, 1, 1), threads), Some(Dim3::new(13, 1, 1)));
        // Blocks of 8 x 8 threads with an element each, 5 of them below each other along x.
        let said = StatedLaunch { grid: Some(Dim3::flat(5, 3)), ..StatedLaunch::default() };
        let [other, own] = [(60, 52), (40, 20)].map(|(m, n)| Size { m, n, k: 44 });
        assert_eq!(said.grid_in_proportion(other, own, Dim3::flat(8, 8)), Some(Dim3::flat(8, 7)));
    }
}
