//! Times that were measured while a page was open.

use super::state::LessonSession;
use crate::lesson::document::PageBlock;

impl LessonSession {
    /// Takes measured times, if they have become known since the page was opened: the page opens
    /// again with them. Only before its first answer, so that the times on a page are of one machine.
    pub(super) fn take_times(&mut self) {
        let beats = &self.lesson().pages[self.page].blocks[..self.block_index.saturating_sub(1)];
        let is_first = beats
            .iter()
            .all(|page_block| matches!(page_block, PageBlock::Text(_) | PageBlock::Scene(_)));
        let is_late = !self.cache.is_timed() && self.cache.is_clock_ready();
        let Some(before) = self.now.question.take_if(|_| is_first && is_late && !self.now.review)
        else {
            return;
        };
        let tried = self.asked.as_ref().map_or(0, |asked| asked.tried);
        let told = self.events.len();
        self.open(self.page);
        self.events.truncate(told);
        if let (Some(open), Some(asked)) = (&mut self.now.question, &mut self.asked) {
            (open.hints, open.hints_left) = (before.hints, before.hints_left);
            (open.tries_left, open.said) = (before.tries_left, before.said);
            asked.tried = tried;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lesson::clock::Clock;
    use crate::lesson::read;
    use crate::lesson::setting_runs::SettingCache;
    use crate::timing::Measurement;
    use crate::work::WorkToken;
    use std::fs;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    /// Naive takes twice as long as was recorded, once that is known.
    #[derive(Debug, Default)]
    struct Late(AtomicBool);

    impl Clock for Late {
        fn measured(&self, recorded: &Measurement) -> Option<Measurement> {
            let mut row = recorded.clone();
            row.ms.median *= if recorded.kernel == "naive" { 2.0 } else { 1.0 };
            self.is_ready().then_some(row)
        }

        fn is_ready(&self) -> bool {
            self.0.load(Ordering::Relaxed)
        }
    }

    /// Two pages that ask how many times as fast as naive tiled is.
    const LESSON: &str = r#"# Times
```matviz lesson
id = "times"
minutes = 1
```
## Large
```matviz scene
kernel = "tiled"
tile = 8
at = "start"
```
How many times as fast?
```matviz ask large
want = "faster(tiled, naive, 4096)"
```
It is recorded, or measured.
## Small
And here?
```matviz ask small
want = "faster(tiled, naive, 64)"
```
"#;

    /// The first of these pages, and its clock.
    fn stopwatch() -> (LessonSession, Arc<Late>) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("1-times.md");
        fs::write(&path, LESSON).expect("written");
        let (course, found) = read::read(&path);
        assert_eq!(found, []);
        let clock = Arc::new(Late::default());
        let cache = SettingCache::timed_by(Some(Arc::clone(&clock) as Arc<dyn Clock>));
        let session = LessonSession::begin_on(cache, Arc::new(course), (1, 1), 3);
        (session.expect("a page"), clock)
    }

    fn is(session: &LessonSession) -> String {
        let reply = session.now().reply.as_ref().expect("a reply");
        let origin = reply.origin.to_string();
        format!("{}, {}", reply.is, origin.split(',').next().unwrap_or_default())
    }

    #[test]
    fn a_time_that_becomes_known_before_the_answer_is_taken() {
        let (mut session, _) = stopwatch();
        session.skip();
        assert_eq!(is(&session), "1.54, recorded");
        let (mut session, clock) = stopwatch();
        session.hint();
        session.events();
        clock.0.store(true, Ordering::Relaxed);
        session.answer("3.08");
        assert_eq!(is(&session), "3.08, measured");
        assert_eq!(session.now().reply.as_ref().map(|reply| reply.right), Some(Some(true)));
        let events = session.events();
        assert_eq!(events.len(), 1, "the page is not opened twice: {events:?}");
    }

    #[test]
    fn the_times_of_a_page_are_of_one_machine() {
        let (mut session, clock) = stopwatch();
        session.skip();
        clock.0.store(true, Ordering::Relaxed);
        session.go_on();
        session.skip();
        assert!(is(&session).ends_with("measured"), "the next page: {}", is(&session));
        let (mut session, clock) = stopwatch();
        session.clone().look_ahead(&WorkToken::default());
        clock.0.store(true, Ordering::Relaxed);
        session.clone().look_ahead(&WorkToken::default());
        assert!(!session.cache.is_timed(), "a copy that goes ahead changes nothing");
        session.back();
        assert!(session.cache.is_timed());
    }
}
