//! What happened, in a sentence.

use super::{Names, lane, lanes, verb};
use crate::analysis::check::{Compared, Did, Finding, Loop, Missing, Side, What};
use crate::report::number::Count;
use crate::sim::Deadlock;
use std::fmt::Write;

impl Names<'_> {
    /// What happened, in a sentence.
    pub fn message(&self, finding: &Finding) -> String {
        let element = finding.place.map(|place| self.element(place, &finding.sides));
        let element = element.unwrap_or_default();
        match (&finding.what, &finding.sides[..]) {
            (What::Race | What::InFlight, [first, second]) => {
                self.race(finding, &element, first, second)
            }
            (What::StillRead | What::Unseen | What::Busy | What::Unordered, [first, second]) => {
                self.meanwhile(&finding.what, &element, first, second)
            }
            (What::Deadlock(deadlock), sides) => self.deadlock(deadlock, sides),
            (What::NoEnd(found), sides) => self.no_end(found, sides),
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
            (what, [first, second]) => self.at_barrier(what, first, second),
            _ => String::new(),
        }
    }

    /// Of what goes on while the warps go on: copies, and products of the tensor cores.
    fn meanwhile(&self, what: &What, element: &str, first: &Side, second: &Side) -> String {
        let [who, other] = [lanes(first), lanes(second)];
        let [here, there] = [self.line(first), self.line(second)];
        match what {
            What::StillRead if first.did == Did::Copy => format!(
                "{other} {} {element} at {there}, which the copy of {who} at {here} still reads: \
                 nobody has waited for it",
                verb(second.did)
            ),
            What::StillRead => format!(
                "{other} {} {element} at {there}, which the tensor cores still read: nobody has \
                 waited for the product of {who} at {here}",
                verb(second.did)
            ),
            What::Unseen => format!(
                "{who} {} {element} at {here}, and the tensor cores read it for the product of \
                 {other} at {there}, with no fence.proxy.async on the way",
                verb(first.did)
            ),
            What::Busy => format!(
                "{other} touches at {there} registers of its product of {here}, for which it has \
                 not waited"
            ),
            _ if first.pc == second.pc => {
                format!("{other} starts a product at {there} with no wgmma.fence before")
            }
            _ => format!(
                "{other} starts a product at {there} whose registers it has touched at {here}, \
                 with no wgmma.fence since"
            ),
        }
    }

    /// Of those who meet at barriers.
    fn at_barrier(&self, what: &What, first: &Side, second: &Side) -> String {
        let [here, there] = [self.line(first), self.line(second)];
        let [who, other] = [first, second].map(|side| self.stands(side));
        match what {
            What::DifferentBarriers => {
                format!("{who} and {other} wait for each other at different barriers")
            }
            What::DifferentCounts(a, b) => {
                let [a, b] = [a, b].map(|threads| match threads {
                    Some(threads) => format!("{threads} threads"),
                    None => "all threads".to_owned(),
                });
                format!("one barrier is for {a} at {here} and for {b} at {there}")
            }
            What::FirstCome(threads) => format!(
                "a barrier of {threads} threads is for the first that come: {who} has passed it, \
                 and nothing keeps {other} from coming before"
            ),
            What::Ended { threads } => {
                let threads = Count((*threads).into(), "thread");
                let other = lanes(second);
                format!("{threads} ended before the barrier of {here}: {other} at {there}")
            }
            _ => String::new(),
        }
    }

    fn deadlock(&self, deadlock: &Deadlock, sides: &[Side]) -> String {
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
