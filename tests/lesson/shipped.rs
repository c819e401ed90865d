//! Every shipped lesson is taken by keys on the real screen, at two sizes and in both kinds of glyphs,
//! and nothing is to be said against it.

use matviz::lesson::check::{CheckOptions, check};
use matviz::lesson::read;
use matviz::lesson::setting_runs::SettingCache;
use matviz::tui::lesson_check;
use matviz::work::WorkToken;
use std::sync::Arc;

#[test]
fn every_lesson_can_be_taken_by_keys() {
    let (course, _) = read::shipped();
    let caches: Vec<_> = course.lessons.iter().map(|_| SettingCache::new()).collect();
    let found =
        lesson_check::check(&Arc::new(course), &[], (&caches, false), &WorkToken::default());
    let told: Vec<_> = found.iter().map(ToString::to_string).collect();
    assert!(told.is_empty(), "{}", told.join("\n"));
}

#[test]
fn in_all_its_variants_the_shipped_course_has_neither_errors_nor_warnings() {
    let (course, _) = read::shipped();
    let caches: Vec<_> = course.lessons.iter().map(|_| SettingCache::new()).collect();
    // Which keys there are is asked where the screen is.
    let is_key = |_: &str| true;
    let token = &WorkToken::default();
    let wanted = CheckOptions { quick: false, caches: &caches, is_key: &is_key, token };
    let told: Vec<_> = check(&course, wanted).iter().map(ToString::to_string).collect();
    assert!(told.is_empty(), "{}", told.join("\n"));
}
