//! A small course for tests: two lessons, two ideas, a broken kernel.

use crate::lesson::document::Course;
use crate::lesson::read;
use std::fs;
use std::sync::{Arc, OnceLock};

const FILES: [(&str, &str); 3] = [
    ("12-padding.md", include_str!("example/12-padding.md")),
    ("13-after.md", include_str!("example/13-after.md")),
    ("models.md", include_str!("example/models.md")),
];

/// The course, read once.
pub(in crate::lesson) fn course() -> Arc<Course> {
    static COURSE: OnceLock<Arc<Course>> = OnceLock::new();
    Arc::clone(COURSE.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in FILES {
            fs::write(folder.path().join(name), text).expect("a file");
        }
        let (course, complaints) = read::read(folder.path());
        let errors: Vec<_> = complaints.iter().filter(|told| !told.warning).collect();
        assert!(errors.is_empty(), "{errors:#?}");
        Arc::new(course)
    }))
}
