//! What the streams of a program put in order, the launches that have ended before the next one of a
//! stream begins, and what races as nothing does.

use super::probe::{TouchedWords, touched};
use crate::kernel::Problem;
use cudac::{DeviceLaunch, HostRun, HostStep, HostTransfer, StreamOrder};
use std::collections::{BTreeMap, BTreeSet};

/// Numbers of launches.
type LaunchSet = BTreeSet<usize>;

/// The launches that each stream, event and the host itself comes after.
#[derive(Clone, Debug, Default)]
struct StreamClocks {
    host: LaunchSet,
    streams: BTreeMap<u64, LaunchSet>,
    events: BTreeMap<u64, LaunchSet>,
    /// Streams that the default stream has nothing to do with.
    apart: BTreeSet<u64>,
}

/// The default stream, which waits for the others and they for it.
const DEFAULT: u64 = 0;

impl StreamClocks {
    /// Takes what the host puts in order.
    fn order(&mut self, order: StreamOrder) {
        match order {
            StreamOrder::Device => {
                let all: LaunchSet = self.streams.values().flatten().copied().collect();
                self.host.extend(all);
            }
            StreamOrder::Stream(stream) => {
                let before = self.before(stream);
                self.host.extend(before);
            }
            StreamOrder::Record { event, stream } => {
                let before = self.before(stream);
                self.events.insert(event, before);
            }
            StreamOrder::Wait { stream, event } => {
                let before = self.events.get(&event).cloned().unwrap_or_default();
                self.streams.entry(stream).or_default().extend(before);
            }
            StreamOrder::Event(event) => {
                self.host.extend(self.events.get(&event).into_iter().flatten().copied());
            }
            StreamOrder::Apart(stream) => drop(self.apart.insert(stream)),
        }
    }

    /// The launches that come before the next one of a stream.
    fn before(&self, stream: u64) -> LaunchSet {
        let is_apart = |other: &u64| self.apart.contains(other);
        let waits = |other: &u64| {
            *other == stream
                || !is_apart(&stream)
                    && !is_apart(other)
                    && (stream == DEFAULT || *other == DEFAULT)
        };
        let of_streams = self.streams.iter().filter(|(other, _)| waits(other));
        let all = of_streams.flat_map(|(_, launches)| launches);
        all.chain(&self.host).copied().collect()
    }

    /// Launches a kernel in a stream; returns the launches that have ended before it begins.
    fn launch(&mut self, number: usize, stream: u64) -> LaunchSet {
        let before = self.before(stream);
        let own = self.streams.entry(stream).or_default();
        own.extend(&before);
        own.insert(number);
        before
    }

    /// The launches that the host has waited for.
    const fn ended(&self) -> &LaunchSet {
        &self.host
    }
}

/// The races of a program's launches and copies with those of other streams.
pub(super) struct StreamRaces<'o> {
    run: &'o HostRun,
    clocks: StreamClocks,
    are_several: bool,
    /// What the host has not waited for yet.
    pending: Vec<StreamWork>,
    transfers: usize,
    /// The races of copies, each with the launch beside which it is told.
    of_copies: Vec<(usize, String)>,
}

/// Copies are numbered from here on, beside the launches.
const TRANSFERS: usize = 1 << 31;

/// A launch or a copy of a stream that others may overlap.
struct StreamWork {
    number: usize,
    stream: u64,
    /// How it is named in a message.
    named: String,
    touched: Vec<(usize, TouchedWords)>,
}

impl StreamWork {
    fn new(
        number: usize,
        (called, line, stream): (&str, u32, u64),
        touched: Vec<(usize, TouchedWords)>,
    ) -> Self {
        let of = match stream {
            DEFAULT => "the default stream".to_owned(),
            number => format!("stream {number}"),
        };
        Self { number, stream, named: format!("`{called}` (line {line}, {of})"), touched }
    }

    /// A word of a buffer that both touch and one of them stores: the buffer, the word, whether both do.
    fn conflict(&self, other: &Self) -> Option<(usize, (u64, bool))> {
        self.touched.iter().find_map(|(number, words)| {
            let mut same = other.touched.iter().filter(|(other, _)| other == number);
            Some((*number, same.find_map(|(_, others)| words.conflict(others))?))
        })
    }
}

impl<'o> StreamRaces<'o> {
    pub(super) fn new(run: &'o HostRun) -> Self {
        let stream = |step: &HostStep| match step {
            HostStep::Launch(launch) => Some(launch.stream),
            HostStep::Transfer(transfer) => Some(transfer.stream),
            _ => None,
        };
        let streams: BTreeSet<u64> = run.steps.iter().filter_map(stream).collect();
        let are_several = streams.len() > 1;
        let (clocks, pending, of_copies) = (StreamClocks::default(), Vec::new(), Vec::new());
        Self { run, clocks, are_several, pending, transfers: 0, of_copies }
    }

    /// Whether the program uses more than one.
    pub(super) const fn are_several(&self) -> bool {
        self.are_several
    }

    /// Takes what the host puts in order.
    pub(super) fn order(&mut self, order: StreamOrder) {
        self.clocks.order(order);
    }

    /// Takes a launch that is not run.
    pub(super) fn pass(&mut self, number: usize, launch: &DeviceLaunch) {
        self.clocks.launch(number, launch.stream);
    }

    /// The races of a launch with what nothing puts before it.
    pub(super) fn launch(
        &mut self,
        (number, launch): (usize, &DeviceLaunch),
        problem: Option<&Problem>,
        buffers: &[(String, usize)],
    ) -> Vec<String> {
        let words = problem.filter(|_| self.are_several).and_then(touched).unwrap_or_default();
        let touched = buffers.iter().map(|(_, number)| *number).zip(words).collect();
        let called = (&*launch.kernel, launch.line, launch.stream);
        let races = self.begins(StreamWork::new(number, called, touched));
        races.into_iter().map(|(_, race)| race).collect()
    }

    /// Takes a copy after so many launches.
    pub(super) fn transfer(&mut self, transfer: &HostTransfer, launches: usize) {
        let HostTransfer { call, line, stream, touched } = transfer;
        let of_range = |(place, bytes, is_write): &(cudac::DevicePlace, u64, bool)| {
            (place.buffer, TouchedWords::of_range(place.offset, *bytes, *is_write))
        };
        let touched = touched.iter().filter(|_| self.are_several).map(of_range).collect();
        self.transfers += 1;
        let number = TRANSFERS + self.transfers;
        let races = self.begins(StreamWork::new(number, (&**call, *line, *stream), touched));
        let beside = |other: usize| if other < TRANSFERS { other } else { launches.max(1) };
        self.of_copies.extend(races.into_iter().map(|(other, race)| (beside(other), race)));
    }

    /// Begins something; what it races with, by its number, in words.
    fn begins(&mut self, work: StreamWork) -> Vec<(usize, String)> {
        let before = self.clocks.launch(work.number, work.stream);
        let ended = self.clocks.ended();
        self.pending.retain(|one| !ended.contains(&one.number));
        let (mut races, mut told) = (Vec::new(), Vec::new());
        // What comes before it in the same stream races as well, for the same reason.
        for other in self.pending.iter().rev().filter(|one| !before.contains(&one.number)) {
            let Some((number, (word, both_store))) = work.conflict(other) else { continue };
            if told.contains(&(other.stream, number)) {
                continue;
            }
            told.push((other.stream, number));
            let what = if both_store { "store" } else { "touch, and one of them stores," };
            let race = format!(
                "race: {} and {} both {what} byte {} of `{}`, and neither an event nor a synchronisation orders them",
                other.named,
                work.named,
                4 * word,
                self.run.buffers[number].name
            );
            races.push((other.number, race));
        }
        self.pending.push(work);
        races
    }

    /// The races of copies that are told beside this launch.
    pub(super) fn of_copies(&self, number: usize) -> impl Iterator<Item = &String> {
        self.of_copies.iter().filter(move |(own, _)| *own == number).map(|(_, race)| race)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The launches before the last of these, each given by its stream or by what is put in order.
    fn before(steps: &[Result<u64, StreamOrder>]) -> Vec<usize> {
        let mut clocks = StreamClocks::default();
        let mut before = LaunchSet::new();
        for (number, step) in steps.iter().enumerate() {
            match step {
                Ok(stream) => before = clocks.launch(number, *stream),
                Err(order) => clocks.order(*order),
            }
        }
        before.into_iter().collect()
    }

    #[test]
    fn a_launch_comes_after_what_its_stream_or_the_host_has_waited_for() {
        use StreamOrder::{Apart, Device, Event, Record, Stream, Wait};
        assert_eq!(before(&[Ok(1), Ok(2), Ok(1)]), [0]);
        assert_eq!(before(&[Ok(1), Ok(2), Err(Device), Ok(3)]), [0, 1]);
        // Only the stream that is waited for is in order.
        assert_eq!(before(&[Ok(1), Ok(2), Err(Stream(1)), Ok(3)]), [0]);
        let (record, wait) = (Record { event: 9, stream: 1 }, Wait { stream: 2, event: 9 });
        assert_eq!(before(&[Ok(1), Err(record), Ok(1), Err(wait), Ok(2)]), [0]);
        assert_eq!(before(&[Ok(1), Err(record), Ok(1), Err(Event(9)), Ok(2)]), [0]);
        // An event that is recorded after the wait orders nothing.
        assert_eq!(before(&[Ok(1), Err(wait), Err(record), Ok(2)]), [] as [usize; 0]);
        // The default stream waits for all that were not made to be apart from it, and they for it.
        assert_eq!(before(&[Ok(1), Ok(2), Ok(0)]), [0, 1]);
        assert_eq!(before(&[Ok(0), Ok(2)]), [0]);
        assert_eq!(before(&[Err(Apart(1)), Ok(1), Ok(2), Ok(0)]), [2]);
        assert_eq!(before(&[Err(Apart(1)), Ok(0), Ok(1)]), [] as [usize; 0]);
    }
}
