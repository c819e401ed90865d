//! The order in which a block's warps run: a choice of the simulation, displayed as such.

use super::flow::{Graph, successors};
use super::program::{Inst, Program};
use super::script::{ParseScriptError, Script};
use ptx::{LaneOp, MatrixOp, Op};
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// The order of the warps. Hardware guarantees none; a correct kernel computes the same C under
/// every order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// One instruction of each warp in turn.
    #[default]
    RoundRobin,
    /// Each warp to its next barrier (or its end) in turn.
    ToBarrier,
    /// Each warp in turn to its next barrier, but one instruction of each warp in turn as long as a
    /// multiply-add lies between a warp and its next barrier: warps are seen to wait for each
    /// other, and loops of multiply-adds run in all warps together. After each round of a loop in
    /// which a warp waits for what another one stores, it lets the others go first.
    ByPhase,
    /// Any ready warp, from a seed.
    Random(u64),
    /// Round-robin, except that in one barrier interval of the block one warp runs ahead of all
    /// others until it waits.
    Ahead {
        /// The warp's number in the block.
        warp: u8,
        /// The interval: the number of barriers that the whole block has passed.
        interval: u32,
    },
    /// Each warp in turn to its next barrier, and once in every barrier interval to the first
    /// memory access at this line of the CUDA source, as if a barrier stood before it.
    Before(u32),
    /// Each warp in turn, repeatedly, to its next memory access at one of these lines (or, if there
    /// are none, to its next shared memory access): all warps perform that access before any
    /// continues.
    InStep(Arc<[u32]>),
    /// Each warp in turn to its next barrier, and each `cp.async` completes when it is issued:
    /// hardware may complete it at any time before the wait.
    EarlyCopies,
    /// As the script says, and then each warp in turn to its next barrier.
    Scripted(Script),
}

impl Order {
    /// The names that are orders as they stand.
    pub const NAMES: [&str; 6] =
        ["round-robin", "to-barrier", "by-phase", "random", "in-step", "early-copies"];

    /// Command-line help for the orders.
    pub const HELP: &str = "\
        Order in which the warps issue: round-robin; to-barrier (each warp in turn, up to its \
        barrier); by-phase (to-barrier, but round-robin while FMAs lie before the \
        barrier); random:SEED; ahead:WARP@INTERVAL (round-robin, but WARP runs ahead once, after \
        INTERVAL barriers); before:LINE (to-barrier, as if one more barrier stood before LINE); \
        in-step:LINES (each warp in turn, up to its next memory access at these lines; without \
        lines, to shared memory); early-copies (to-barrier, and each cp.async completes as soon \
        as it is issued); script:PIECES (0@40,1 runs warp 0 until it has executed 40 \
        instructions, then warp 1 to its barrier; the rest as to-barrier) [default: by-phase where \
        steps are watched, round-robin where a grid is counted]";

    /// A short description for display.
    pub fn label(&self) -> Cow<'static, str> {
        match self {
            Self::RoundRobin => "round robin".into(),
            Self::ToBarrier => "each to its barrier".into(),
            Self::ByPhase => "by phase".into(),
            Self::Random(seed) => format!("random, seed {seed}").into(),
            Self::Before(line) => format!("together before line {line}").into(),
            Self::Ahead { warp, interval } => format!("warp {warp} ahead at {interval}").into(),
            Self::InStep(_) => "in step".into(),
            Self::EarlyCopies => "each to its barrier, copies early".into(),
            Self::Scripted(script) => {
                format!("as written, {} pieces", script.pieces().len()).into()
            }
        }
    }

    /// The next order when comparing orders: a few that need neither a warp nor a line, with
    /// several seeds, to show that C is the same under all.
    #[must_use]
    pub fn next(&self) -> Self {
        match self {
            Self::ByPhase => Self::RoundRobin,
            Self::RoundRobin => Self::ToBarrier,
            Self::ToBarrier => Self::Random(1),
            Self::Random(seed) if *seed < 3 => Self::Random(seed + 1),
            _ => Self::ByPhase,
        }
    }

    /// Checks whether a program whose blocks have `warps` warps can be run in this order.
    ///
    /// # Errors
    /// A warp that the block does not have, or a source line without memory accesses.
    pub fn fits(&self, program: &Program, warps: u32) -> Result<(), UnfitOrder> {
        let highest = match self {
            Self::Ahead { warp, .. } => Some(*warp),
            Self::Scripted(script) => script.pieces().iter().map(|piece| piece.warp).max(),
            _ => None,
        };
        if let Some(warp) = highest.filter(|warp| u32::from(*warp) >= warps) {
            return Err(UnfitOrder::Warp { warp, warps });
        }
        let accesses = |line: u32| {
            program.insts.iter().any(|inst| inst.line == Some(line) && inst.touches().is_some())
        };
        let idle = self.lines().iter().find(|line| !accesses(**line));
        idle.map_or(Ok(()), |line| Err(UnfitOrder::Line(*line)))
    }

    /// The source lines at whose accesses warps are held.
    fn lines(&self) -> &[u32] {
        match self {
            Self::Before(line) => std::slice::from_ref(line),
            Self::InStep(lines) => lines,
            _ => &[],
        }
    }

    /// The instructions, by number, at which the order treats a warp differently: with
    /// [`Self::ByPhase`] those from which a multiply-add lies before the next barrier, otherwise
    /// those before which warps are held.
    pub(super) fn marked(&self, program: &Program) -> Arc<[bool]> {
        match self {
            Self::ByPhase => before_multiply_adds(program),
            Self::Before(_) | Self::InStep(_) => self.held(program),
            _ => [].into(),
        }
    }

    /// For each instruction, whether warps are held before it. On a line with accesses to both
    /// shared and global memory these are the shared ones, because a warp at the edge of a matrix
    /// may skip the others.
    fn held(&self, program: &Program) -> Arc<[bool]> {
        let lines = self.lines();
        let at = |inst: &Inst, line: u32| inst.line == Some(line);
        let is_shared = |inst: &Inst| inst.touches() == Some(true);
        let with_shared = |line: &u32| program.insts.iter().any(|i| at(i, *line) && is_shared(i));
        let shared: Vec<_> = lines.iter().filter(|line| with_shared(line)).collect();
        let holds = |inst: &Inst| {
            let line = lines.iter().find(|line| at(inst, **line));
            match line {
                Some(line) if shared.contains(&line) => is_shared(inst),
                Some(_) => inst.touches().is_some(),
                None => lines.is_empty() && is_shared(inst),
            }
        };
        program.insts.iter().map(holds).collect()
    }
}

impl fmt::Display for Order {
    /// In the syntax of the command line.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RoundRobin => out.write_str("round-robin"),
            Self::ToBarrier => out.write_str("to-barrier"),
            Self::ByPhase => out.write_str("by-phase"),
            Self::Random(seed) => write!(out, "random:{seed}"),
            Self::Before(line) => write!(out, "before:{line}"),
            Self::Ahead { warp, interval } => write!(out, "ahead:{warp}@{interval}"),
            Self::InStep(lines) if lines.is_empty() => out.write_str("in-step"),
            Self::InStep(lines) => {
                let lines: Vec<_> = lines.iter().map(u32::to_string).collect();
                write!(out, "in-step:{}", lines.join(","))
            }
            Self::EarlyCopies => out.write_str("early-copies"),
            Self::Scripted(script) => write!(out, "script:{script}"),
        }
    }
}

/// Why a text is not an order, with the valid forms.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseOrderError {
    /// An unknown order.
    #[error(
        "give round-robin, to-barrier, by-phase, random:SEED, ahead:WARP@INTERVAL, before:LINE, \
         in-step:LINES, early-copies or script:PIECES"
    )]
    Word,
    /// `random:` followed by something other than a seed.
    #[error("the seed must be a number")]
    Seed,
    /// `before:` followed by something other than a line.
    #[error("give the line of the source, as before:35")]
    Line,
    /// `ahead:` followed by something malformed.
    #[error("give ahead:WARP@INTERVAL, for example ahead:3@1")]
    Ahead,
    /// `in-step:` followed by something other than lines.
    #[error("give lines of the source, as in-step:28,35")]
    Lines,
    /// `script:` followed by something malformed.
    #[error(transparent)]
    Script(#[from] ParseScriptError),
}

/// Why a program cannot be run in an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnfitOrder {
    /// It names a warp that the block does not have.
    #[error("there is no warp {warp}, a block has {warps} (0 to {})", .warps - 1)]
    Warp {
        warp: u8,
        /// The number of warps in a block.
        warps: u32,
    },
    /// It names a line to hold warps at, but the line accesses no memory.
    #[error("line {0} accesses no memory")]
    Line(u32),
}

impl FromStr for Order {
    type Err = ParseOrderError;

    fn from_str(text: &str) -> Result<Self, ParseOrderError> {
        match text.split_once(':').unwrap_or((text, "")) {
            ("round-robin", "") => Ok(Self::RoundRobin),
            ("to-barrier", "") => Ok(Self::ToBarrier),
            ("by-phase", "") => Ok(Self::ByPhase),
            ("random", "") => Ok(Self::Random(1)),
            ("random", seed) => seed.parse().map(Self::Random).ok().ok_or(ParseOrderError::Seed),
            ("before", line) => line.parse().map(Self::Before).ok().ok_or(ParseOrderError::Line),
            ("ahead", place) => ahead(place).ok_or(ParseOrderError::Ahead),
            ("in-step", "") => Ok(Self::InStep([].into())),
            ("in-step", lines) => {
                let lines = lines.split(',').map(str::parse).collect::<Result<_, _>>();
                lines.map(Self::InStep).ok().ok_or(ParseOrderError::Lines)
            }
            ("early-copies", "") => Ok(Self::EarlyCopies),
            ("script", pieces) => Ok(Self::Scripted(pieces.parse()?)),
            _ => Err(ParseOrderError::Word),
        }
    }
}

/// For each instruction, whether a multiply-add may be executed after it, or by it, before the next
/// barrier.
fn before_multiply_adds(program: &Program) -> Arc<[bool]> {
    let insts = &program.insts;
    let is_barrier = |pc: usize| insts[pc].op.is_barrier();
    let multiplies_and_adds = |pc: &usize| match insts[*pc].op {
        Op::Lane(LaneOp::Ternary { op, .. }) => op.is_fma(),
        Op::Matrix(MatrixOp::Mma(_) | MatrixOp::Wgmma(_)) => true,
        _ => false,
    };
    let next = |pc| if is_barrier(pc) { Vec::new() } else { successors(insts, pc).collect() };
    let next: Vec<_> = (0..insts.len()).map(next).collect();
    let graph = Graph::reversed(&next, (0..insts.len()).filter(multiplies_and_adds));
    (0..insts.len()).map(|pc| graph.reaches(pc)).collect()
}

/// `3@1`
fn ahead(place: &str) -> Option<Order> {
    let (warp, interval) = place.split_once('@')?;
    Some(Order::Ahead { warp: warp.parse().ok()?, interval: interval.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_is_read_as_it_is_written() {
        let written = [
            "round-robin",
            "to-barrier",
            "by-phase",
            "random:7",
            "before:35",
            "ahead:3@1",
            "in-step",
            "in-step:28,35",
            "early-copies",
            "script:0@40,1,0@52",
        ];
        for text in written {
            assert_eq!(text.parse::<Order>().map(|order| order.to_string()), Ok(text.to_owned()));
        }
    }

    #[test]
    fn what_is_no_order_is_answered_with_an_example() {
        let answer = |text: &str| text.parse::<Order>().map_err(|error| error.to_string());
        assert_eq!(answer("before:the end"), Err(ParseOrderError::Line.to_string()));
        assert_eq!(answer("round-robin:2"), Err(ParseOrderError::Word.to_string()));
    }
}
