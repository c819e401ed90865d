//! Reads sizes and places of up to three dimensions: `32x8` or `8,8,4`.

use super::{Dim3, MAX_BLOCK, MAX_GRID, MAX_THREADS_PER_BLOCK};

/// Reads the size of a block: `256`, `32x8` or `8,8,4`, with 1 to 1,024 threads.
///
/// # Errors
/// Any other text.
pub fn block(text: &str) -> Result<Dim3, String> {
    let size = numbers(text, 1).ok_or("give X, X,Y or X,Y,Z, for example 32,8")?;
    let most = u64::from(MAX_THREADS_PER_BLOCK);
    if size.fits(MAX_BLOCK) && size.volume() <= most {
        Ok(size)
    } else {
        Err(format!("a block has 1 to {most} threads, and at most {} along z", MAX_BLOCK.z))
    }
}

/// Reads the size of a grid: `64`, `64x32` or `64,32,2`.
///
/// # Errors
/// Any other text, or more blocks than a GPU allows.
pub fn grid(text: &str) -> Result<Dim3, String> {
    let size = numbers(text, 1).ok_or("give X, X,Y or X,Y,Z, for example 64,64")?;
    if size.fits(MAX_GRID) {
        Ok(size)
    } else {
        let Dim3 { x, y, .. } = MAX_GRID;
        Err(format!("a grid has 1 to {x} blocks along x, 1 to {y} along y and z"))
    }
}

/// Reads a place: `1`, `1,2` or `1,2,3`.
///
/// # Errors
/// Any other text.
pub fn place(text: &str) -> Result<Dim3, String> {
    numbers(text, 0).ok_or_else(|| "give X, X,Y or X,Y,Z, for example 1,2".to_owned())
}

/// One to three numbers; missing ones are `rest`.
fn numbers(text: &str, rest: u32) -> Option<Dim3> {
    let separator = if text.contains('x') { 'x' } else { ',' };
    let numbers = text.split(separator).map(|part| part.trim().parse().ok());
    match numbers.collect::<Option<Vec<u32>>>()?.as_slice() {
        [x] => Some(Dim3::new(*x, rest, rest)),
        [x, y] => Some(Dim3::new(*x, *y, rest)),
        [x, y, z] => Some(Dim3::new(*x, *y, *z)),
        [] | [_, _, _, _, ..] => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_spellings_are_read_and_what_no_gpu_runs_is_refused() {
        assert_eq!(block("32x8"), Ok(Dim3::new(32, 8, 1)));
        assert_eq!(block("32,8"), Ok(Dim3::new(32, 8, 1)));
        assert_eq!(block("8,8,4"), Ok(Dim3::new(8, 8, 4)));
        assert_eq!(grid("2147483647,65535,65535").map(|grid| grid.z), Ok(65_535));
        assert_eq!(place("1,2"), Ok(Dim3::at(1, 2)));
        for text in ["0", "1025", "32x33", "1x1x65", "8,", "8x8,2", "", "-1", "1,1,1,1"] {
            assert!(block(text).is_err(), "{text}");
        }
        for text in ["0", "2147483648", "1x65536", "1,1,0"] {
            assert!(grid(text).is_err(), "{text}");
        }
    }
}
