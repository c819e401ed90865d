//! Threads for what takes long: one for each kind of work, which does one thing after the other, so
//! that a key that is held down asks for more and never makes more threads.

use std::collections::HashMap;
use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::Builder;

/// A kind of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Lane {
    Load,
    Record,
    /// The run with which another is compared.
    RecordBeside,
    Seek,
    Check,
    Ask,
    Count,
    Save,
}

impl Lane {
    const fn name(self) -> &'static str {
        match self {
            Self::Load => "loader",
            Self::Record => "recorder",
            Self::RecordBeside => "recorder 2",
            Self::Seek => "seeker",
            Self::Check => "checker",
            Self::Ask => "asker",
            Self::Count => "counter",
            Self::Save => "saver",
        }
    }
}

type Job = Box<dyn FnOnce() + Send>;

/// The threads that were needed so far.
#[derive(Debug, Default)]
pub(super) struct Lanes(HashMap<Lane, Sender<Job>>);

impl Lanes {
    /// Has it done after what was put there before. What nobody wants any more by then has to see
    /// that by itself.
    ///
    /// # Errors
    /// There can be no more threads.
    pub(super) fn put(
        &mut self,
        lane: Lane,
        job: impl FnOnce() + Send + 'static,
    ) -> io::Result<()> {
        let jobs = match self.0.remove(&lane) {
            Some(jobs) => jobs,
            None => start(lane)?,
        };
        // The thread ends with its sender alone, or with the program.
        let _ = jobs.send(Box::new(job));
        self.0.insert(lane, jobs);
        Ok(())
    }
}

fn start(lane: Lane) -> io::Result<Sender<Job>> {
    let (jobs, queue) = channel::<Job>();
    Builder::new().name(lane.name().to_owned()).spawn(move || work(&queue))?;
    Ok(jobs)
}

fn work(queue: &Receiver<Job>) {
    while let Ok(job) = queue.recv() {
        job();
        for job in queue.try_iter() {
            job();
        }
        give_back();
    }
}

/// Gives the system back what the work has freed. glibc keeps it, for each thread apart: to study one
/// large kernel left 60 MB behind.
fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: it takes no pointer, and may be called at any time from any thread (malloc_trim(3)).
    unsafe {
        libc::malloc_trim(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_work_of_a_lane_is_done_in_order_and_lanes_do_not_wait_for_each_other() {
        let mut lanes = Lanes::default();
        let (done, order) = channel();
        let (go, wait) = channel::<()>();
        let held = done.clone();
        let blocked = move || {
            wait.recv().expect("the other lane goes on");
            held.send(1).expect("we listen");
        };
        lanes.put(Lane::Check, blocked).expect("a thread");
        let last = done.clone();
        lanes.put(Lane::Check, move || last.send(2).expect("we listen")).expect("a thread");
        lanes.put(Lane::Seek, move || done.send(0).expect("we listen")).expect("a thread");
        assert_eq!(order.recv(), Ok(0));
        go.send(()).expect("it waits");
        assert_eq!([order.recv(), order.recv()], [Ok(1), Ok(2)]);
    }
}
