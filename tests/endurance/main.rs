//! Minutes or hours of random use: no panic, no hang, no growth of memory.
//!
//! ```text
//! MATVIZ_ENDURANCE_SECONDS   how long all scenes take together; a minute, if not given
//! MATVIZ_ENDURANCE_SCENE     the one scene that is played
//! MATVIZ_ENDURANCE_SEED      what the events are drawn from
//! MATVIZ_ENDURANCE_BINARY    another program than the one that was built for the tests
//! ```

#![cfg(unix)]

mod event;
mod memory;
mod run;
mod scene;
#[path = "../shared/session.rs"]
mod session;
#[path = "../shared/stderr.rs"]
mod stderr;

use run::play;
use scene::{SCENES, Scene};
use std::env;
use std::path::PathBuf;
use std::sync::Mutex;
use std::thread;
use std::time::Duration;
use stderr::say;

/// The number of scenes that run at once: each keeps most of a core busy.
const AT_ONCE: u32 = 2;

#[test]
fn random_use_neither_ends_nor_stops_nor_swells_the_program() {
    let seconds = number("MATVIZ_ENDURANCE_SECONDS").unwrap_or(60);
    let seed = number("MATVIZ_ENDURANCE_SEED").unwrap_or(1);
    let scenes = scenes();
    let rounds = scenes.len().div_ceil(AT_ONCE as usize) as u32;
    let length = Duration::from_secs(seconds) / rounds;
    let (waiting, failures) = (Mutex::new(scenes.iter()), Mutex::new(Vec::new()));
    let next = || waiting.lock().expect("no scene panics here").next();
    let work = || {
        while let Some(scene) = next() {
            if let Err(failure) = tell(scene, seed, length) {
                failures.lock().expect("no scene panics here").push(failure);
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(work);
        }
    });
    let failures = failures.into_inner().expect("no scene panics here");
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

/// Runs a scene and prints its result.
fn tell(scene: &Scene, seed: u64, length: Duration) -> Result<(), String> {
    let name = scene.name;
    let result = play(scene, &program(), seed, length);
    match &result {
        Ok(tally) => say(&format!("{name}, seed {seed}: {tally}")),
        Err(_) => say(&format!("{name}, seed {seed}: FAILED")),
    }
    result.map(drop).map_err(|problem| format!("{name}, seed {seed}: {problem}"))
}

fn scenes() -> Vec<Scene> {
    let wanted = env::var("MATVIZ_ENDURANCE_SCENE").ok();
    let is_wanted = |scene: &&Scene| wanted.as_deref().is_none_or(|name| scene.name == name);
    let scenes: Vec<_> = SCENES.iter().filter(is_wanted).copied().collect();
    assert!(!scenes.is_empty(), "there is no scene {wanted:?}");
    scenes
}

fn program() -> PathBuf {
    let given = env::var_os("MATVIZ_ENDURANCE_BINARY").map(PathBuf::from);
    given.unwrap_or_else(|| PathBuf::from(env!("CARGO_BIN_EXE_matviz")))
}

fn number(name: &str) -> Option<u64> {
    env::var(name).ok().map(|given| given.parse().expect("the length and the seed are numbers"))
}
