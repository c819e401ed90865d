//! Threads for long work: one for each kind of work, which does one job after the other, so that a
//! held key queues jobs but never creates more threads.

use super::task::WorkKind;
use std::collections::HashMap;
use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::Builder;
use std::time::Duration;

/// The name of the thread for work of a kind, as `top -H` shows it.
const fn thread_name(kind: WorkKind) -> &'static str {
    match kind {
        WorkKind::Load => "loader",
        WorkKind::Record => "recorder",
        WorkKind::RecordBeside => "recorder 2",
        WorkKind::Seek => "seeker",
        WorkKind::Check => "checker",
        WorkKind::Plan => "planner",
        WorkKind::Ask => "asker",
        WorkKind::Count => "counter",
        WorkKind::Compare => "comparer",
        WorkKind::Dial => "dialler",
        WorkKind::Walk => "lesson",
        WorkKind::LookAhead => "lesson ahead",
        WorkKind::AskAhead => "lesson times",
        WorkKind::Keep => "keeper",
        WorkKind::Edit => "compiler",
        WorkKind::Save => "saver",
    }
}

type Job = Box<dyn FnOnce() + Send>;

/// The threads started so far.
#[derive(Debug, Default)]
pub(super) struct WorkerThreads(HashMap<WorkKind, Sender<Job>>);

impl WorkerThreads {
    /// Runs a job in a lane, after the jobs queued there before. A job that is no longer wanted by
    /// then has to detect that itself.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub(super) fn put(
        &mut self,
        lane: WorkKind,
        job: impl FnOnce() + Send + 'static,
    ) -> io::Result<()> {
        let jobs = match self.0.remove(&lane) {
            Some(jobs) => jobs,
            None => start(lane)?,
        };
        // Sending cannot fail: the thread ends only when its sender is dropped, or with the
        // program.
        let _ = jobs.send(Box::new(job));
        self.0.insert(lane, jobs);
        Ok(())
    }

    /// Waits until the jobs of a lane are done, but no longer than this.
    pub(super) fn finish(&mut self, lane: WorkKind, patience: Duration) {
        let Some(jobs) = self.0.remove(&lane) else { return };
        let (done, end) = channel::<()>();
        // Both may fail: the thread has ended, or takes too long.
        _ = jobs.send(Box::new(move || drop(done)));
        _ = end.recv_timeout(patience);
    }
}

fn start(lane: WorkKind) -> io::Result<Sender<Job>> {
    let (jobs, queue) = channel::<Job>();
    Builder::new().name(thread_name(lane).to_owned()).spawn(move || work(&queue))?;
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

/// Returns freed memory to the system. glibc keeps it in each thread's arena: studying one large
/// kernel left 60 MB in use.
fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: malloc_trim takes no pointer and may be called at any time from any thread
    // (malloc_trim(3)).
    unsafe {
        libc::malloc_trim(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_waits_for_the_jobs_of_a_lane_but_not_for_ever() {
        let mut lanes = WorkerThreads::default();
        let (done, order) = channel();
        let (go, wait) = channel::<()>();
        lanes.put(WorkKind::Keep, move || done.send(1).expect("we listen")).expect("a thread");
        lanes.finish(WorkKind::Keep, Duration::from_secs(60));
        assert_eq!(order.try_recv(), Ok(1));
        lanes.put(WorkKind::Keep, move || _ = wait.recv()).expect("a thread");
        lanes.finish(WorkKind::Keep, Duration::from_millis(1));
        drop(go);
    }

    #[test]
    fn the_work_of_a_lane_is_done_in_order_and_lanes_do_not_wait_for_each_other() {
        let mut lanes = WorkerThreads::default();
        let (done, order) = channel();
        let (go, wait) = channel::<()>();
        let held = done.clone();
        let blocked = move || {
            wait.recv().expect("the other lane goes on");
            held.send(1).expect("we listen");
        };
        lanes.put(WorkKind::Check, blocked).expect("a thread");
        let last = done.clone();
        lanes.put(WorkKind::Check, move || last.send(2).expect("we listen")).expect("a thread");
        lanes.put(WorkKind::Seek, move || done.send(0).expect("we listen")).expect("a thread");
        assert_eq!(order.recv(), Ok(0));
        go.send(()).expect("it waits");
        assert_eq!([order.recv(), order.recv()], [Ok(1), Ok(2)]);
    }
}
