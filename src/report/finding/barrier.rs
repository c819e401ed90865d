//! Messages for threads that must meet and do not: at barriers, and in shuffles.

use super::in_flight;
use super::names::{Names, ParticipantPair, lanes};
use super::ways::{ForkStatement, SkippingPath};
use super::words::FindingText;
use crate::analysis::check::{Finding, Participant};
use crate::report::cause::{capitalised, listed};
use crate::report::number::Count;
use crate::sim::{Deadlock, StalledLanes};
use std::fmt::Write;

pub(super) fn different_barriers(names: &Names<'_>, finding: &Finding) -> FindingText {
    let places: Vec<_> = by_place(&finding.sides).collect();
    let standing = |sides: &Vec<&Participant>| format!("{} ({})", who(sides), names.line(sides[0]));
    let waiting: Vec<_> = places.iter().map(standing).collect();
    let message = format!("{} wait for each other at different barriers", listed(&waiting));
    let is_inside = |way: &SkippingPath| way.kind == ForkStatement::If;
    let inside = places.iter().filter_map(|sides| names.ways(sides[0]).into_iter().find(is_inside));
    let mut inside: Vec<_> = inside.map(|way| way.name).collect();
    inside.dedup();
    let outside = if inside.is_empty() { "the branch".to_owned() } else { listed(&inside) };
    let advice = format!(
        "Let all threads of the block come to one and the same __syncthreads(), outside {outside}."
    );
    let words = FindingText::new(message, advice);
    let is_parted = |side: &Participant| {
        let same = |other: &Participant| (other.rank, other.warp) == (side.rank, side.warp);
        finding.sides.iter().any(|other| same(other) && other.pc != side.pc)
    };
    if finding.sides.iter().any(is_parted) {
        words.meaning(
            // Of eight such kernels, five hung and three passed, whatever their number of warps.
            "undefined: every lane of a warp must come to the same bar.sync; an H200 hangs on some \
             such kernels and lets others pass, as this run does",
            "the parts of the warp arrive one after the other and count as a whole warp each: the \
             block is out of step, or hangs",
        )
    } else {
        words.meaning(
            "passes: arrivals are counted, wherever they are",
            "passes as well: arrivals of warps are counted, wherever they are",
        )
    }
}

pub(super) fn different_counts(
    names: &Names<'_>,
    finding: &Finding,
    counts: [Option<u32>; 2],
) -> Option<FindingText> {
    let ParticipantPair { here, there, .. } = names.pair(finding)?;
    let [a, b] = counts.map(|threads| match threads {
        Some(threads) => format!("{threads} threads"),
        None => "all threads".to_owned(),
    });
    let message = format!("one barrier is for {a} at {here} and for {b} at {there}");
    let words =
        FindingText::new(message, "Give the barrier the same number of threads everywhere.");
    Some(words.meaning(
        "undefined: the first arrival's number or the last one's may hold",
        "undefined in the same way",
    ))
}

pub(super) fn first_come(
    names: &Names<'_>,
    finding: &Finding,
    threads: u32,
) -> Option<FindingText> {
    let ParticipantPair { first, second, .. } = names.pair(finding)?;
    let [who, other] = [first, second].map(|side| names.stands(side));
    let message = format!(
        "a barrier of {threads} threads is for the first that come: {who} has passed it, and \
         nothing keeps {other} from coming before"
    );
    let advice = "Give each group of threads a barrier of its own, and let no thread come to it again \
                  before the others have passed.";
    Some(FindingText::new(message, advice).meaning(
        "passes, with whichever warps come first: arrivals are counted, from whichever warp",
        "passes in the same way",
    ))
}

pub(super) fn ended(names: &Names<'_>, finding: &Finding, threads: u32) -> Option<FindingText> {
    let [barrier, ended @ ..] = &finding.sides[..] else { return None };
    let at = |sides: Vec<&Participant>| format!("{} at {}", who(&sides), names.line(sides[0]));
    let places: Vec<_> = by_place(ended).map(at).collect();
    let message = format!(
        "{} ended before the barrier of {}: {}",
        Count(threads.into(), "thread"),
        names.line(barrier),
        listed(&places)
    );
    Some(FindingText::new(message, stay(names, barrier, ended)).meaning(
        "passes without them: it waits for the threads that have not exited",
        "a warp of which a part has ended arrives as a whole; for a warp that has ended as a whole \
         the manual promises nothing, and the block may hang",
    ))
}

/// How exiting threads would reach a barrier first.
fn stay(names: &Names<'_>, barrier: &Participant, ended: &[Participant]) -> String {
    let ways = names.ways(barrier);
    let at_end = |way: &&SkippingPath| ended.iter().any(|side| side.pc == way.fork.pc);
    let way = ways.iter().find(at_end).or(ways.first());
    match way.map(|way| (way.kind, &way.name)) {
        Some((ForkStatement::If, name)) => format!(
            "The barrier stands in {name}, which not all threads of the block take. Take it out: end the \
             `if` before it, and begin another after it for what follows."
        ),
        Some((ForkStatement::Loop, name)) => format!(
            "The barrier stands in {name}, which not all threads go through equally often: let all make \
             the same number of rounds and guard in it what they load and store, or take the barrier \
             out of the loop."
        ),
        Some((ForkStatement::Branch, name)) => format!(
            "{} leads some threads past the barrier: let all threads of the block come to it, and guard \
             what they load and store instead.",
            capitalised(name)
        ),
        Some((ForkStatement::Return, _)) | None => {
            "Let these threads stay until the last barrier: guard what they load and store instead of \
             returning early."
                .to_owned()
        }
    }
}

pub(super) fn deadlock(names: &Names<'_>, finding: &Finding, deadlock: &Deadlock) -> FindingText {
    let message = waiting(names, deadlock, &finding.sides);
    if deadlock.standing.iter().any(|at| at.members.is_some()) {
        let advice = "Let every lane that the mask names come to the instruction, or name only \
                      those that do.";
        return FindingText::new(message, advice).meaning(
            "hangs: the instruction waits for every lane that its mask names and that has not ended",
            "undefined: the lanes that a mask names must come together",
        );
    }
    if let Some((awaited, advice)) = in_flight::phase(deadlock) {
        return FindingText::new(format!("{message}: at {awaited}"), advice);
    }
    let advice = "Let every thread that a barrier counts come to it: no barrier in a branch that \
                  not all take, and the right number for a part of the block.";
    let warp = |at: &StalledLanes| (at.rank, at.warp);
    let parted = deadlock.standing.windows(2).any(|pair| warp(&pair[0]) == warp(&pair[1]));
    let before = if parted {
        "one part of a warp arrives for all of it: the barrier may pass, out of step"
    } else {
        "hangs as well"
    };
    FindingText::new(message, advice).meaning("hangs: no barrier is ever complete", before)
}

pub(super) fn absent(names: &Names<'_>, finding: &Finding) -> Option<FindingText> {
    let side = finding.sides.first()?;
    let one = side.lanes.count() == 1;
    let (takes, this) = if one { ("takes", "it") } else { ("take", "them") };
    let message = format!(
        "{} {takes} at {} the value of a lane that does not execute this with {this}",
        lanes(side),
        names.line(side)
    );
    let advice = "Let the lane that is read execute the shuffle as well, outside the branch, and \
                  name it in the mask; the branch may then use the value or not.";
    Some(FindingText::new(message, advice))
}

/// The waiting threads, and what they wait for.
fn waiting(names: &Names<'_>, deadlock: &Deadlock, sides: &[Participant]) -> String {
    let lanes = deadlock.standing.iter().all(|at| at.members.is_some());
    let mut text = if lanes {
        "lanes wait for ever for others of their warp: ".to_owned()
    } else {
        "the block waits for ever: ".to_owned()
    };
    standing(names, &mut text, sides);
    if deadlock.ended > 0 {
        let _ = write!(text, "; {} threads have ended", deadlock.ended);
    }
    text
}

/// The participants by their instructions, in the order of the first of each.
fn by_place(sides: &[Participant]) -> impl Iterator<Item = Vec<&Participant>> {
    let is_first =
        |(at, side): &(usize, &Participant)| sides[..*at].iter().all(|before| before.pc != side.pc);
    let firsts = sides.iter().enumerate().filter(is_first);
    firsts.map(|(_, first)| sides.iter().filter(|side| side.pc == first.pc).collect())
}

/// `warps 0 to 2 and 8 lanes of warp 3`; of many parts of warps the number of threads.
fn who(sides: &[&Participant]) -> String {
    let (mut left, mut all) = (sides, Vec::new());
    while let [first, ..] = left {
        let follows = |(at, side): (usize, &&Participant)| {
            (side.rank, side.lanes) == (first.rank, first.lanes)
                && usize::from(side.warp) == usize::from(first.warp) + at
        };
        let is_whole = lanes(first).starts_with("warp");
        let count = left.iter().enumerate().take_while(|side| follows(*side)).count();
        let count = if is_whole { count } else { 1 };
        let of_block = first.rank.map(|rank| format!(" of the block of rank {rank}"));
        all.push(match left[count - 1].warp {
            last if last > first.warp => {
                format!("warps {} to {last}{}", first.warp, of_block.unwrap_or_default())
            }
            _ => lanes(first),
        });
        left = &left[count..];
    }
    if all.len() <= FEW {
        return listed(&all);
    }
    let threads = sides.iter().map(|side| u64::from(side.lanes.count())).sum();
    let warps = sides.iter().map(|side| side.warp);
    let (first, last) = (warps.clone().min().unwrap_or(0), warps.max().unwrap_or(0));
    format!("{} of warps {first} to {last}", Count(threads, "thread"))
}

/// The parts of warps that are listed.
const FEW: usize = 4;

/// The line at which each warp waits, with neighbouring warps that wait alike merged.
fn standing(names: &Names<'_>, text: &mut String, mut sides: &[Participant]) {
    while let [first, ..] = sides {
        let key = |side: &Participant| (side.rank, side.pc, side.lanes);
        let same = |side: &&Participant| key(side) == key(first);
        let count = sides.iter().take_while(same).count();
        let who = if count == 1 {
            lanes(first)
        } else {
            let of_block = first.rank.map(|rank| format!(" of the block of rank {rank}"));
            let last = sides[count - 1].warp;
            format!("warps {} to {last}{}", first.warp, of_block.unwrap_or_default())
        };
        sides = &sides[count..];
        let end = if sides.is_empty() { "" } else { ", " };
        let _ = write!(text, "{who} at {}{end}", names.line(first));
    }
}
