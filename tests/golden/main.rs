//! The output of commands is unchanged, byte for byte: one for each command and each kind of what it
//! is asked about. What is right in it, other tests say.
//!
//! It is stored in tests/data/golden. After an intended change, `MATVIZ_WRITE=1 cargo test --test
//! golden` stores the new output, and `git diff` shows the difference, each part under its command.
//!
//! ```text
//! $ matviz check --json naive --size 128     a command as a shell takes it
//! {                                        stdout, or the file screen.txt that it draws
//!   "seconds": ,                           without the number, which is never the same
//! }
//! --- stderr                               if there is any
//! --- exit 0
//! ```

// Each thread is pinned to one core, which needs Linux.
#![cfg(target_os = "linux")]

mod command;
mod stored;

#[path = "../shared/kernel.rs"]
mod kernel;

use stored::check;

#[test]
fn simulations_of_the_catalogue() {
    check("sim_catalogue", &command::catalogue());
}

#[test]
fn simulations_in_other_orders_and_ways() {
    check("sim_ways", &command::lines(command::WAYS));
}

#[test]
fn simulations_of_foreign_kernels() {
    check("sim_foreign", &command::sims_of_foreign());
}

#[test]
fn simulations_of_broken_and_of_sound_kernels() {
    check("sim_checked", &command::sims_of_checked());
}

#[test]
fn races() {
    check("race", &command::races());
}

#[test]
fn traces() {
    check("trace", &command::traces());
}

#[test]
fn runs_as_text() {
    check("plain", &command::plain());
}

#[test]
fn costs_of_accesses_and_reports_of_the_hardware() {
    check("access", &command::lines(command::ACCESSES));
    check("reconcile", &command::lines(command::REPORTS));
}

#[test]
fn screens_of_80x24() {
    check("screens_80x24", &command::screens("80x24"));
}

#[test]
fn screens_of_120x36() {
    check("screens_120x36", &command::screens("120x36"));
}

#[test]
fn screens_of_200x60() {
    check("screens_200x60", &command::screens("200x60"));
}

#[test]
fn pictures_of_what_was_measured() {
    check("pictures", &command::pictures());
}
