//! What the streams of a program put in order: the launches that have ended before the next one of a
//! stream begins.

use cudac::StreamOrder;
use std::collections::{BTreeMap, BTreeSet};

/// Numbers of launches.
type LaunchSet = BTreeSet<usize>;

/// The launches that each stream, event and the host itself comes after.
#[derive(Clone, Debug, Default)]
pub(super) struct StreamClocks {
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
    pub(super) fn order(&mut self, order: StreamOrder) {
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
    pub(super) fn launch(&mut self, number: usize, stream: u64) -> LaunchSet {
        let before = self.before(stream);
        let own = self.streams.entry(stream).or_default();
        own.extend(&before);
        own.insert(number);
        before
    }

    /// The launches that the host has waited for.
    pub(super) const fn ended(&self) -> &LaunchSet {
        &self.host
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
