//! The blocks for which a kernel may be made, where nobody says with which it is launched.

use super::declared;
use super::problem::Source;
use crate::launch::Dim3;
use crate::sim::{self, Init, Program, SharedArray, Special};
use ptx::{Function, Module, Threads};

/// The threads that a block has at most.
const MOST_THREADS: u64 = 1024;

/// The most blocks that are listed.
const MOST: usize = 24;

/// Blocks that are usual, for kernels that tell threads apart along x, and along x and y.
const FLAT: [u32; 5] = [256, 128, 64, 512, 1024];
const SQUARE: [(u32, u32); 7] = [(16, 16), (32, 32), (32, 8), (8, 8), (32, 16), (16, 8), (64, 4)];

/// And along z.
const CUBE: [(u32, u32, u32); 4] = [(8, 8, 8), (8, 8, 4), (4, 4, 4), (32, 4, 4)];

/// Parts of the names of constants that count threads.
const OF_BLOCKS: [&str; 6] = ["block", "tile", "thread", "dim", "bx", "by"];

/// Blocks that a kernel may be launched with, the likeliest first: those for which its arrays in shared
/// memory have an element for each thread, without padding or with an edge; then those of its
/// constants, given by their names; then those that are usual.
pub fn likely_blocks(
    module: &Module,
    function: &Function,
    source: Option<&Source>,
    constants: &[(String, i64)],
) -> Vec<Dim3> {
    let program = sim::lower(module, &function.name).ok();
    let reads = |axis: u8| program.as_ref().is_some_and(|program| reads_thread(program, axis));
    let shared = program.as_ref().map_or(&[][..], |program| &program.shared);
    let arrays: Vec<_> = shared.iter().filter_map(|array| extents(array, source)).collect();
    let is_of_block = |name: &str| {
        let name = name.to_lowercase();
        !arrays.is_empty() || OF_BLOCKS.iter().any(|part| name.contains(part))
    };
    let constants = constants.iter().filter(|(name, _)| is_of_block(name));
    let constants = constants.filter_map(|(_, value)| u32::try_from(*value).ok());
    let constants: Vec<_> = constants.filter(|value| *value > 1).collect();
    let mut all = match (reads(1), reads(2)) {
        (false, false) => flat(&arrays, &constants),
        (true, false) => square(&arrays, &constants),
        (_, true) => CUBE.map(|(x, y, z)| Dim3::new(x, y, z)).to_vec(),
    };
    let fits = |block: &Dim3| {
        // What is left of an array of one element without its edge is no block.
        let threads = block.volume();
        let is_taken = match function.threads {
            Some(Threads::Exactly(count)) => threads == count,
            Some(Threads::AtMost(count)) => threads <= count,
            None => true,
        };
        is_taken && (1..=MOST_THREADS).contains(&threads)
    };
    all.retain(fits);
    // Of warps that are not whole, only an array of just as many elements tells.
    let is_whole = |block: &Dim3| block.volume().is_multiple_of(32);
    let elements: Vec<_> = arrays.iter().map(|(rows, columns)| rows * columns).collect();
    let is_array = |block: &Dim3| elements.iter().any(|all| u64::from(*all) == block.volume());
    all.retain(|block| is_whole(block) || is_array(block));
    all.sort_by_key(|block| !is_whole(block));
    let mut listed = Vec::new();
    for block in all {
        if !listed.contains(&block) && listed.len() < MOST {
            listed.push(block);
        }
    }
    listed
}

fn reads_thread(program: &Program, axis: u8) -> bool {
    let is_it = |init: &Init| matches!(init, Init::Special(Special::Tid(of)) if *of == axis);
    program.init.iter().any(|(_, init)| is_it(init))
}

/// The rows and columns of an array; of one of unknown shape, the square that it may be, or a row.
fn extents(array: &SharedArray, source: Option<&Source>) -> Option<(u32, u32)> {
    let declared = source.and_then(|from| declared::shape(from, &array.name, array.bytes));
    match declared.as_deref() {
        Some([.., rows, columns]) => Some((*rows, *columns)),
        Some([columns]) => Some((1, *columns)),
        Some([]) | None => {
            let words = array.bytes / 4;
            let side = words.isqrt();
            let shape = if side * side == words { (side, side) } else { (1, words) };
            (words > 0).then_some(shape)
        }
    }
}

/// Along x alone.
fn flat(arrays: &[(u32, u32)], constants: &[u32]) -> Vec<Dim3> {
    let whole = arrays.iter().map(|(rows, columns)| rows.saturating_mul(*columns));
    let inner = arrays.iter().flat_map(|(_, columns)| trimmed(*columns));
    let all = whole.chain(inner).chain(constants.iter().copied()).chain(FLAT);
    all.map(|threads| Dim3::flat(threads, 1)).collect()
}

/// Along x and y: each number of columns with each number of rows, the likeliest pairs first.
fn square(arrays: &[(u32, u32)], constants: &[u32]) -> Vec<Dim3> {
    let side = |own: Vec<u32>| {
        let mut side = Vec::new();
        for extent in own.into_iter().chain(constants.iter().copied()) {
            if extent > 0 && !side.contains(&extent) {
                side.push(extent);
            }
        }
        side
    };
    let across = side(arrays.iter().flat_map(|(_, columns)| trimmed(*columns)).collect());
    let down = side(arrays.iter().flat_map(|(rows, _)| trimmed(*rows)).collect());
    let pairs = across
        .iter()
        .enumerate()
        .flat_map(|(i, x)| down.iter().enumerate().map(move |(j, y)| (i + j, Dim3::flat(*x, *y))));
    let mut pairs: Vec<_> = pairs.collect();
    pairs.sort_by_key(|(rank, _)| *rank);
    let usual = SQUARE.map(|(x, y)| Dim3::flat(x, y));
    pairs.into_iter().map(|(_, block)| block).chain(usual).collect()
}

/// An extent, and what it is without a column of padding and without an edge of one on both sides.
fn trimmed(extent: u32) -> [u32; 3] {
    [0, 1, 2].map(|by| extent.saturating_sub(by))
}
