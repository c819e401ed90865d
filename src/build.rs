//! Cargo's build script: tells the program which commit and which compiler it is built of.
//!
//! The commit is `MATVIZ_COMMIT` if that is set, that of a package of a registry, or that of the Git
//! clone. A debug build has none: each commit would compile everything anew.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

/// What the program is made of.
const MADE_OF: [&str; 5] = ["src", "kernels", "lessons", "Cargo.toml", "Cargo.lock"];

fn main() {
    println!("cargo::rerun-if-changed=src/build.rs");
    println!("cargo::rerun-if-env-changed=MATVIZ_COMMIT");
    let compiler = env::var("RUSTC").ok().and_then(|rustc| said(&rustc, &["--version"]));
    println!("cargo::rustc-env=MATVIZ_RUSTC={}", compiler.unwrap_or_default());
    if let Some(commit) = commit() {
        println!("cargo::rustc-env=MATVIZ_COMMIT={commit}");
    }
}

fn commit() -> Option<String> {
    // Set, it reaches the compiler without this script.
    if env::var_os("MATVIZ_COMMIT").is_some() || env::var("PROFILE").ok()? != "release" {
        return None;
    }
    packaged().or_else(cloned)
}

/// The commit that `cargo package` has noted: `{ "git": { "sha1": "..." } }`.
fn packaged() -> Option<String> {
    let text = fs::read_to_string(".cargo_vcs_info.json").ok()?;
    let (_, rest) = text.split_once("\"sha1\"")?;
    let commit = rest.split('"').nth(1)?;
    Some(describe(commit, text.contains("\"dirty\": true")))
}

/// The commit of the clone whose top is this folder, and whether what the program is made of has
/// changed since.
fn cloned() -> Option<String> {
    // In a folder of another repository, its commit would say nothing.
    if !said("git", &["rev-parse", "--show-prefix"])?.is_empty() {
        return None;
    }
    let branch = said("git", &["rev-parse", "--symbolic-full-name", "HEAD"])?;
    for file in ["HEAD", "packed-refs", branch.as_str()] {
        watch(&said("git", &["rev-parse", "--git-path", file])?);
    }
    MADE_OF.into_iter().for_each(watch);
    let commit = said("git", &["rev-parse", "HEAD"])?;
    let changed = said("git", &[&["status", "--porcelain", "--"][..], &MADE_OF].concat())?;
    Some(describe(&commit, !changed.is_empty()))
}

fn describe(commit: &str, changed: bool) -> String {
    format!("{commit}{}", if changed { ", with changes" } else { "" })
}

/// Runs the script again when the file changes; for one that is missing, Cargo would do so each time.
fn watch(file: &str) {
    if Path::new(file).exists() {
        println!("cargo::rerun-if-changed={file}");
    }
}

/// What a command prints, if it succeeds.
fn said(command: &str, args: &[&str]) -> Option<String> {
    let output = Command::new(command).args(args).output().ok()?;
    let text = output.status.success().then(|| String::from_utf8(output.stdout).ok())??;
    Some(text.trim().to_owned())
}
