//! `matviz access`: the cost of a memory instruction, from a typed index or from a batch.

use super::BadUse;
use super::form::FormArgs;
use super::output::{FORMAT, StdoutReader, coloured, is_stdin, json, named, print, print_coloured};
use crate::file;
use crate::launch::{Dim3, shape};
use crate::report::access::{
    Calculation, IndexExpr, Ink, Pattern, PictureGlyphs, Style, answer, picture, report,
};
use crate::sim::{Access, Direction};
use crate::tui::{terminal, theme};
use ptx::Space;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What an index is made of, at the end of `-h` and `--help`.
const WORDS: &str = "\
Variables: tx ty tz (threadIdx), bx by bz (blockIdx), bdx bdy bdz (blockDim), tid, lane, warp
Operators: those of C but for assignment, in 64 bits
";

/// Arguments of `matviz access`.
#[derive(Debug, clap::Args)]
#[group(skip)]
#[command(after_help = WORDS, after_long_help = WORDS)]
pub struct Args {
    /// Index of the element that each thread touches, for example 'ty*33 + tx'
    #[arg(required_unless_present = "batch", conflicts_with = "batch", allow_hyphen_values = true)]
    index: Option<String>,
    /// Answer the JSON lines of FILE (- for stdin): space, op, bytes, mask, offsets
    #[arg(long, value_name = "FILE")]
    batch: Option<PathBuf>,
    /// Instruction as PTX writes it: ld or st, .shared or .global, .b8 to .b128
    #[arg(long, value_name = "OP", default_value = "ld.shared.b32", conflicts_with = "batch",
          value_parser = op, hide_possible_values = true)]
    op: MemoryInstruction,
    /// Threads per block: X, XxY or XxYxZ
    #[arg(long, value_name = "SIZE", default_value = "32x8", value_parser = shape::block,
          conflicts_with = "batch")]
    block: Dim3,
    /// The block's place in the grid: X, X,Y or X,Y,Z
    #[arg(long, value_name = "PLACE", default_value = "0,0", value_parser = shape::place,
          conflicts_with = "batch")]
    at: Dim3,
    /// Show only this warp
    #[arg(long, value_name = "N", conflicts_with = "batch")]
    warp: Option<u32>,
    #[command(flatten)]
    form: FormArgs,
}

/// Prints the answers to a batch, or the cost of an index expression. No cost makes the command
/// fail.
///
/// # Errors
/// Bad use: a file that cannot be read, a line that is not an instruction, a wrong expression.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    match (&args.batch, &args.index) {
        (Some(file), _) => batch(file)?,
        (None, index) => calculate(args, index.as_deref().unwrap_or_default())?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The most bytes of a line of a batch.
const LONGEST: u64 = 1 << 20;

fn batch(path: &Path) -> anyhow::Result<()> {
    let (stdin, name) = (is_stdin(path), named(path));
    let unreadable = |error: io::Error| BadUse(format!("cannot read {name}: {error}"));
    let mut lines: Box<dyn BufRead> = if stdin {
        Box::new(io::stdin().lock())
    } else {
        Box::new(BufReader::new(file::open(path).map_err(unreadable)?))
    };
    for number in 1.. {
        let wrong = |why: &str| BadUse(format!("{name}, line {number}: {why}"));
        let mut line = Vec::new();
        let read = lines.by_ref().take(LONGEST + 1).read_until(b'\n', &mut line);
        if read.map_err(unreadable)? == 0 {
            break;
        }
        if line.len() as u64 > LONGEST {
            return Err(wrong(&format!("it has more than {LONGEST} bytes")).into());
        }
        let line = String::from_utf8(line).ok().ok_or_else(|| wrong("it is not UTF-8"))?;
        if line.trim().is_empty() {
            continue;
        }
        let answer = answer(&line, FORMAT).map_err(|error| wrong(&error.to_string()))?;
        if print(&(answer + "\n"))? == StdoutReader::Gone {
            break;
        }
    }
    Ok(())
}

fn calculate(args: &Args, expression: &str) -> anyhow::Result<()> {
    let pattern = Pattern {
        space: args.op.space,
        direction: args.op.direction,
        bytes: args.op.bytes,
        block: args.block,
        at: args.at,
    };
    let accesses = IndexExpr::parse(expression)
        .and_then(|expr| pattern.accesses(&expr))
        .map_err(|error| BadUse(error.render(expression)))?;
    let warps = chosen(accesses, args.warp)?;
    let calculation = Calculation { expression, pattern: &pattern, warps: &warps };
    if args.form.is_json()? {
        print(&json("access", &report(&calculation))?)?;
    } else {
        print_coloured(&picture(&calculation, style()))?;
    }
    Ok(())
}

/// All warps, or only the requested one.
fn chosen(accesses: Vec<Access>, warp: Option<u32>) -> Result<Vec<(u32, Access)>, BadUse> {
    let warps = accesses.len();
    let chosen: Vec<_> =
        (0..).zip(accesses).filter(|(index, _)| warp.is_none_or(|warp| warp == *index)).collect();
    match warp {
        Some(warp) if chosen.is_empty() => {
            let last = warps - 1;
            Err(BadUse(format!("there is no warp {warp}: the block has {warps} (0 to {last})")))
        }
        Some(_) | None => Ok(chosen),
    }
}

/// Colours if they are wanted, block characters if the locale is UTF-8.
fn style() -> Style {
    Style {
        ink: if coloured() { Ink::Ansi } else { Ink::Plain },
        glyphs: match terminal::look().glyphs {
            theme::Glyphs::Ascii => PictureGlyphs::Ascii,
            theme::Glyphs::Basic => PictureGlyphs::Unicode,
        },
    }
}

/// What each thread executes.
#[derive(Clone, Copy, Debug)]
struct MemoryInstruction {
    space: Space,
    direction: Direction,
    bytes: u8,
}

/// Reads `ld.shared.b32`, of which each part but the first may be missing.
fn op(text: &str) -> Result<MemoryInstruction, BadUse> {
    let told = || {
        let told = "give ld or st, then .shared or .global, then .b8, .b16, .b32, .b64 or .b128, for \
                    example st.global.b64";
        BadUse(told.to_owned())
    };
    let mut it = MemoryInstruction { space: Space::Shared, direction: Direction::Load, bytes: 4 };
    let mut parts = text.split('.');
    it.direction = match parts.next() {
        Some("ld") => Direction::Load,
        Some("st") => Direction::Store,
        _ => return Err(told()),
    };
    for part in parts {
        match part {
            "shared" => it.space = Space::Shared,
            "global" => it.space = Space::Global,
            part => {
                let bits = part.strip_prefix('b').and_then(|bits| bits.parse::<u8>().ok());
                let bits = bits.filter(|bits| [8, 16, 32, 64, 128].contains(bits));
                it.bytes = bits.ok_or_else(told)? / 8;
            }
        }
    }
    Ok(it)
}
