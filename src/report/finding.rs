//! What a check found, in words and as JSON: what happened, where, between whom, what to do.

mod advice;

use super::number::Count;
use super::place::Places;
use crate::analysis::check::{Compared, Did, Finding, Loop, Missing, Place, Side, What};
use crate::kernel::Problem;
use crate::launch::Dim3;
use crate::ptx::{Op, Space};
use crate::sim::{LaneMask, Memory, Program};
use advice::Advice;
use serde::Serialize;
use std::fmt::Write;

/// A finding, with names for places and lines.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// race, barrier, memory, assertion or no-end.
    pub kind: &'static str,
    kernel: String,
    /// The first block of the grid in which it happens.
    block: Dim3,
    #[serde(skip)]
    grid: Dim3,
    /// Barriers that the whole block had passed; none between blocks.
    interval: Option<u32>,
    /// Where in memory, if it is about memory.
    address: Option<Address>,
    /// Who took part: of two accesses, the one first that came first in the simulation.
    pub sides: Vec<Party>,
    /// Places in memory, of all blocks, that it happens to.
    words: u64,
    /// Blocks in which it happens.
    blocks: u64,
    /// What happened, in a sentence.
    pub message: String,
    /// What hardware makes of it from compute capability 7.0 on, of a barrier.
    #[serde(skip_serializing_if = "Option::is_none")]
    since_volta: Option<String>,
    /// The same before.
    #[serde(skip_serializing_if = "Option::is_none")]
    before_volta: Option<String>,
    /// What to do about it.
    pub advice: String,
}

/// A place in memory.
#[derive(Clone, Debug, Serialize)]
pub struct Address {
    space: &'static str,
    /// Byte address in its space.
    byte: u64,
    /// The element of the array or matrix that lies there.
    element: String,
}

/// One who took part.
#[derive(Clone, Debug, Serialize)]
pub struct Party {
    did: Did,
    block: Dim3,
    warp: u16,
    /// Its lanes.
    lanes: Vec<usize>,
    /// The line of the CUDA source.
    pub line: Option<u32>,
    /// The name of the file that this line is in.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// The line of the PTX.
    ptx_line: usize,
}

/// What names are taken from.
pub struct Names<'a> {
    /// The launch.
    pub problem: &'a Problem,
    /// What ran.
    pub program: &'a Program,
    /// Global memory.
    pub memory: &'a Memory,
}

impl Names<'_> {
    /// The finding with names, sentences and advice.
    pub fn row(&self, finding: &Finding) -> Row {
        let Advice { since_volta, before_volta, text } = advice::of(self, finding);
        Row {
            kind: finding.what.kind(),
            kernel: self.problem.name().to_owned(),
            block: finding.block,
            grid: self.problem.launch().grid,
            interval: finding.interval,
            address: finding.place.map(|place| self.address(place, &finding.sides)),
            sides: finding.sides.iter().map(|side| self.party(side)).collect(),
            words: finding.words,
            blocks: finding.blocks,
            message: self.message(finding),
            since_volta,
            before_volta,
            advice: text,
        }
    }

    fn party(&self, side: &Side) -> Party {
        Party {
            did: side.did,
            block: side.block,
            warp: side.warp,
            lanes: side.lanes.lanes().collect(),
            line: side.line,
            file: self.file(side),
            ptx_line: self.ptx_line(side),
        }
    }

    fn file(&self, side: &Side) -> Option<String> {
        side.line?;
        let other = self.program.other_file(side.pc).map(|file| file.name().to_owned());
        other.or_else(|| self.problem.source().map(|(file, _)| file.into_owned()))
    }

    fn ptx_line(&self, side: &Side) -> usize {
        self.program.inst(side.pc).span.line(&self.problem.ptx)
    }

    fn address(&self, place: Place, sides: &[Side]) -> Address {
        let space = if place.space == Space::Shared { "shared" } else { "global" };
        Address { space, byte: place.addr, element: self.element(place, sides) }
    }

    /// What the source calls the place.
    pub(super) fn element(&self, place: Place, sides: &[Side]) -> String {
        let places = Places { problem: self.problem, program: self.program };
        if place.space == Space::Shared {
            places.shared(place.addr, self.element_bytes(sides))
        } else {
            places.global(self.memory, place.addr)
        }
    }

    /// Bytes of an element of what a finding is about: as wide as the side's type.
    fn element_bytes(&self, sides: &[Side]) -> u32 {
        let side = sides.first().map(|side| &self.program.inst(side.pc).op);
        match side {
            Some(Op::Ld { ty, .. } | Op::St { ty, .. }) => ty.bytes(),
            _ => 4,
        }
    }

    /// `line 12`, `line 12 of tile.cuh` in another file than the kernel's own, or where that is not
    /// known the line of the PTX.
    pub(super) fn line(&self, side: &Side) -> String {
        match side.line {
            Some(line) => format!("line {line}{}", self.of_file(side)),
            None => format!("line {} of the PTX", self.ptx_line(side)),
        }
    }

    fn of_file(&self, side: &Side) -> String {
        let other = self.program.other_file(side.pc);
        other.map_or_else(String::new, |file| format!(" of {}", file.name()))
    }

    /// What happened, in a sentence.
    pub fn message(&self, finding: &Finding) -> String {
        let element = finding.place.map(|place| self.element(place, &finding.sides));
        let element = element.unwrap_or_default();
        match (&finding.what, &finding.sides[..]) {
            (What::Race | What::InFlight, [first, second]) => {
                self.race(finding, &element, first, second)
            }
            (What::StillRead, [copy, writes]) if copy.did == Did::Copy => format!(
                "{} {} {element} at {}, which the copy of {} at {} still reads: nobody has waited \
                 for it",
                lanes(writes),
                verb(writes.did),
                self.line(writes),
                lanes(copy),
                self.line(copy)
            ),
            (What::StillRead, [product, writes]) => format!(
                "{} {} {element} at {}, which the tensor cores still read: nobody has waited for \
                 the product of {} at {}",
                lanes(writes),
                verb(writes.did),
                self.line(writes),
                lanes(product),
                self.line(product)
            ),
            (What::Unseen, [writes, product]) => format!(
                "{} {} {element} at {}, and the tensor cores read it for the product of {} at {}, \
                 with no fence.proxy.async on the way",
                lanes(writes),
                verb(writes.did),
                self.line(writes),
                lanes(product),
                self.line(product)
            ),
            (What::Busy, [product, touches]) => format!(
                "{} touches at {} registers of its product of {}, for which it has not waited",
                lanes(touches),
                self.line(touches),
                self.line(product)
            ),
            (What::Unordered, [first, product]) if first.pc == product.pc => format!(
                "{} starts a product at {} with no wgmma.fence before",
                lanes(product),
                self.line(product)
            ),
            (What::Unordered, [touches, product]) => format!(
                "{} starts a product at {} whose registers it has touched at {}, with no \
                 wgmma.fence since",
                lanes(product),
                self.line(product),
                self.line(touches)
            ),
            (What::DifferentBarriers, [first, second]) => {
                let [first, second] = [first, second].map(|side| self.stands(side));
                format!("{first} and {second} wait for each other at different barriers")
            }
            (What::DifferentCounts(a, b), [first, second]) => {
                let count = |threads: &Option<u32>| match threads {
                    Some(threads) => format!("{threads} threads"),
                    None => "all threads".to_owned(),
                };
                format!(
                    "one barrier is for {} at {} and for {} at {}",
                    count(a),
                    self.line(first),
                    count(b),
                    self.line(second)
                )
            }
            (What::FirstCome(threads), [first, second]) => format!(
                "a barrier of {threads} threads is for the first that come: {} has passed it, and \
                 nothing keeps {} from coming before",
                self.stands(first),
                self.stands(second)
            ),
            (What::Ended { threads }, [waits, ended]) => format!(
                "{} ended before the barrier of {}: {} at {}",
                Count((*threads).into(), "thread"),
                self.line(waits),
                lanes(ended),
                self.line(ended)
            ),
            (What::Deadlock(deadlock), sides) => {
                let lanes = deadlock.standing.iter().all(|at| at.members.is_some());
                let mut text = if lanes {
                    "lanes wait for ever for others of their warp: ".to_owned()
                } else {
                    "the block waits for ever: ".to_owned()
                };
                self.standing(&mut text, sides);
                if deadlock.ended > 0 {
                    let _ = write!(text, "; {} threads have ended", deadlock.ended);
                }
                text
            }
            (What::Absent, [side, ..]) => {
                let (takes, this) =
                    if side.lanes.count() == 1 { ("takes", "it") } else { ("take", "them") };
                format!(
                    "{} {takes} at {} the value of a lane that does not execute this with {this}",
                    lanes(side),
                    self.line(side)
                )
            }
            (What::Unwritten, [side, ..]) => {
                let line = self.line(side);
                format!("{} loads {element} at {line}, which nobody has written", lanes(side))
            }
            (What::Fault(kind), [side, ..]) => {
                format!("{} at {}: {kind}", lanes(side), self.line(side))
            }
            (What::NoEnd(found), sides) => self.no_end(found, sides),
            _ => String::new(),
        }
    }

    fn race(&self, finding: &Finding, element: &str, first: &Side, second: &Side) -> String {
        let [one, two] = [first, second].map(|side| {
            let of = match finding.interval {
                None => format!(" of block ({})", side.block.place_in(self.problem.launch().grid)),
                Some(_) => String::new(),
            };
            format!("{}{of} {} ", lanes(side), verb(side.did))
        });
        let [here, there] = [first, second].map(|side| self.line(side));
        if first.pc == second.pc && first.warp == second.warp && finding.interval.is_some() {
            return format!(
                "lanes {} and {} of warp {} write different values to {element} at {here}",
                lane(first),
                lane(second),
                first.warp
            );
        }
        let why = match &finding.what {
            What::InFlight => "and the copy has not been waited for",
            _ if finding.missing == Some(Missing::Acquire) => {
                "and no fence follows the access that saw it released"
            }
            _ if finding.interval.is_none() => "and blocks do not wait for each other",
            _ if first.warp == second.warp => "with no __syncwarp() between them",
            _ => "with no barrier between them",
        };
        format!("{one}{element} at {here} and {two}it at {there}, {why}")
    }

    fn no_end(&self, found: &Loop, sides: &[Side]) -> String {
        let mut text = format!("no end after {} instructions of a block", found.budget);
        if let (Some((first, last)), [side, ..]) = (found.lines, sides) {
            let lines = if first == last {
                format!("line {first}")
            } else {
                format!("lines {first} to {last}")
            };
            let of = self.of_file(side);
            let _ = write!(text, ": warp {} goes round in {lines}{of}", side.warp);
        }
        if let Some(Compared { how, values: [a, b], changed }) = &found.compared {
            let still = match changed {
                [false, false] => "neither of which changes",
                [true, false] => "of which only the first changes",
                [false, true] => "of which only the second changes",
                [true, true] => "both of which change",
            };
            let _ = write!(text, " as long as {a} {how} {b}, {still}");
        }
        text
    }

    fn stands(&self, side: &Side) -> String {
        format!("{} ({})", lanes(side), self.line(side))
    }

    /// Who waits where, neighbours who wait alike together.
    fn standing(&self, text: &mut String, mut sides: &[Side]) {
        while let [first, ..] = sides {
            let same = |side: &&Side| (side.pc, side.lanes) == (first.pc, first.lanes);
            let count = sides.iter().take_while(same).count();
            let who = if count == 1 {
                lanes(first)
            } else {
                format!("warps {} to {}", first.warp, sides[count - 1].warp)
            };
            sides = &sides[count..];
            let end = if sides.is_empty() { "" } else { ", " };
            let _ = write!(text, "{who} at {}{end}", self.line(first));
        }
    }
}

/// `warp 3, lane 5`, `warp 3, 12 lanes`, `warp 3`.
pub(super) fn lanes(side: &Side) -> String {
    let warp = side.warp;
    match (side.lanes, side.lanes.count()) {
        (LaneMask::ALL | LaneMask::NONE, _) => format!("warp {warp}"),
        (_, 1) => format!("lane {} of warp {warp}", lane(side)),
        (_, count) => format!("{count} lanes of warp {warp}"),
    }
}

fn lane(side: &Side) -> usize {
    side.lanes.lanes().next().unwrap_or(0)
}

pub(super) const fn verb(did: Did) -> &'static str {
    match did {
        Did::Load => "loads",
        Did::Store => "stores",
        Did::Atomic => "atomically changes",
        Did::Copy => "copies to",
        Did::Multiply => "multiplies",
        Did::Wait => "waits",
        Did::End => "ends",
        Did::Stand => "is",
    }
}

/// All findings for a person; nothing where there are none.
pub fn text(rows: &[Row]) -> String {
    let mut text = String::new();
    for row in rows {
        let place = row.block.place_in(row.grid);
        let _ = write!(text, "\n{}: {}\n    block ({place})", row.kind, row.message);
        if let Some(interval) = row.interval {
            let _ = write!(text, ", barrier interval {interval}");
        }
        let blocks = Count(row.blocks, "block");
        let _ = match row.words {
            0 => writeln!(text, "; in {blocks}"),
            words => writeln!(text, "; {} in {blocks}", Count(words, "word")),
        };
        if let (Some(since), Some(before)) = (&row.since_volta, &row.before_volta) {
            let _ = writeln!(text, "    since Volta: {since}\n    before Volta: {before}");
        }
        let _ = writeln!(text, "    {}", row.advice);
    }
    text
}
