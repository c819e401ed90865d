//! A file that is saved in all the ways in which editors save.

use super::*;
use std::thread::sleep;
use std::time::Instant;

/// Looks until there is news, for at most some seconds.
fn news(watch: &mut FileWatch) -> Option<FileEvent> {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(5) {
        let (news, wait) = watch.look();
        if news.is_some() {
            return news;
        }
        sleep(wait.min(AGAIN));
    }
    None
}

/// Looks for a while; there is nothing new.
fn quiet(watch: &mut FileWatch) {
    for _ in 0..10 {
        assert_eq!(watch.look().0, None);
        sleep(Duration::from_millis(5));
    }
}

fn watched(text: &str) -> (tempfile::TempDir, PathBuf, FileWatch) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("mine.cu");
    fs::write(&path, text).expect("it is written");
    let mut watch = FileWatch::new(path.clone(), 1 << 18);
    assert_eq!(watch.read().expect("it is read"), text);
    (folder, path, watch)
}

fn saved(text: &str) -> FileEvent {
    FileEvent::Saved(text.to_owned())
}

#[test]
fn a_save_is_told_once_and_a_touch_never() {
    let (_folder, path, mut watch) = watched("one");
    quiet(&mut watch);
    fs::write(&path, "two").expect("it is written");
    assert_eq!(news(&mut watch), Some(saved("two")));
    fs::write(&path, "two").expect("it is written");
    quiet(&mut watch);
}

#[test]
fn a_save_by_renaming_is_told_even_with_the_time_and_the_length_of_the_old_file() {
    let (folder, path, mut watch) = watched("one");
    let time = fs::metadata(&path).and_then(|found| found.modified()).expect("it has a time");
    let new = folder.path().join("new");
    fs::write(&new, "two").expect("it is written");
    File::options().write(true).open(&new).and_then(|file| file.set_modified(time)).expect("set");
    fs::rename(&new, &path).expect("it is renamed");
    assert_eq!(news(&mut watch), Some(saved("two")));
}

#[test]
fn a_file_written_twice_within_a_tick_of_its_clock_is_read_again() {
    let (_folder, path, mut watch) = watched("one");
    let time = fs::metadata(&path).and_then(|found| found.modified()).expect("it has a time");
    fs::write(&path, "two").expect("it is written");
    File::options().write(true).open(&path).and_then(|file| file.set_modified(time)).expect("set");
    assert_eq!(news(&mut watch), Some(saved("two")), "same time, same length, same file");
}

#[test]
fn an_editor_that_first_empties_the_file_is_waited_for() {
    let (_folder, path, mut watch) = watched("one");
    File::create(&path).expect("it is emptied");
    for _ in 0..PATIENCE {
        assert_eq!(watch.look().0, None, "nobody saves an empty kernel");
    }
    fs::write(&path, "two, ").expect("half of it");
    assert_eq!(watch.look().0, None, "it has just changed");
    fs::write(&path, "two, and the rest").expect("all of it");
    assert_eq!(news(&mut watch), Some(saved("two, and the rest")));
}

#[test]
fn a_file_that_stays_empty_is_told_in_the_end() {
    let (_folder, path, mut watch) = watched("one");
    File::create(&path).expect("it is emptied");
    assert_eq!(news(&mut watch), Some(saved("")));
}

#[test]
fn a_deletion_is_told_once_and_so_is_the_return() {
    let (_folder, path, mut watch) = watched("one");
    fs::remove_file(&path).expect("it is deleted");
    assert_eq!(watch.look().0, None, "an editor may be about to write it");
    assert_eq!(news(&mut watch), Some(FileEvent::Deleted));
    quiet(&mut watch);
    fs::write(&path, "one").expect("it is written");
    assert_eq!(news(&mut watch), Some(FileEvent::Back));
    fs::remove_file(&path).expect("it is deleted");
    assert_eq!(news(&mut watch), Some(FileEvent::Deleted));
    fs::write(&path, "two").expect("it is written");
    assert_eq!(news(&mut watch), Some(saved("two")));
}

#[test]
fn what_is_not_a_file_is_never_opened() {
    let (_folder, path, mut watch) = watched("one");
    fs::remove_file(&path).expect("it is deleted");
    fs::create_dir(&path).expect("a folder");
    assert_eq!(news(&mut watch), Some(FileEvent::Unreadable("it is a folder".to_owned())));
    quiet(&mut watch);
    assert_eq!(watch.read().expect_err("no file").to_string(), "it is a folder");
}

#[test]
fn of_a_thousand_saves_the_last_is_never_missed() {
    let (folder, path, mut watch) = watched("0");
    let new = folder.path().join("new");
    let mut last = None;
    for save in 1..=1000 {
        // Numbers of equal length, saved in both ways.
        let text = format!("{save:04}");
        if save % 2 == 0 {
            fs::write(&path, &text).expect("it is written");
        } else {
            fs::write(&new, &text).expect("it is written");
            fs::rename(&new, &path).expect("it is renamed");
        }
        last = watch.look().0.or(last);
    }
    // It may have been told within the loop.
    let told = if last == Some(saved("1000")) { last } else { news(&mut watch) };
    assert_eq!(told, Some(saved("1000")));
    quiet(&mut watch);
}
