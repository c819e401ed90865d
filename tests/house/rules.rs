//! Checks the house rules like any other behaviour.

#![expect(clippy::panic, reason = "a file that cannot be read fails the test")]

use crate::imports::{Crate, Graph, circles};
use crate::need;
use crate::need::not_tested;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The packages, from the bottom up: their names in code, and their folders. Of ptx, cudac and web each
/// is one room; those of simt and matviz are their modules.
const PACKAGES: &[(&str, &str)] = &[
    ("ptx", "src/ptx"),
    ("simt", "src/simt"),
    ("cudac", "src/cudac"),
    ("matviz", "src"),
    ("web", "src/web"),
];

/// Each room of `src/`, from the bottom up, and the rooms that it may use. Other rooms may not
/// exist.
#[rustfmt::skip]
const MAY_USE: &[(&str, &[&str])] = &[
    ("ptx", &[]),
    ("launch", &[]),
    ("matrix", &[]),
    ("work", &[]),
    // `matrix`: the values of A and B are computed when they are first read.
    ("sim", &["ptx", "launch", "matrix", "work"]),
    ("analysis", &["ptx", "launch", "work", "sim"]),
    ("trace", &["ptx", "launch", "work", "sim", "analysis"]),
    ("cudac", &[]),
    ("stats", &[]),
    ("kernel", &["ptx", "launch", "matrix", "sim", "cudac"]),
    ("study", &["ptx", "launch", "matrix", "work", "sim", "analysis", "trace", "cudac", "kernel"]),
    ("timing", &["launch", "matrix", "stats", "kernel"]),
    ("file", &[]),
    ("gpu", &["launch", "matrix", "stats", "kernel", "timing", "file"]),
    ("compile", &["cudac", "timing", "file", "gpu"]),
    ("own", &["ptx", "launch", "matrix", "sim", "cudac", "kernel", "timing", "compile"]),
    ("export", &[]),
    ("report", &["ptx", "launch", "matrix", "sim", "analysis", "trace", "cudac", "stats", "kernel", "study", "timing"]),
    ("lesson", &["ptx", "launch", "matrix", "work", "sim", "analysis", "trace", "cudac", "stats", "kernel", "study", "timing", "file", "compile", "own", "report"]),
    ("tui", &["ptx", "launch", "matrix", "work", "sim", "analysis", "trace", "cudac", "stats", "kernel", "study", "timing", "file", "gpu", "compile", "own", "export", "report", "lesson"]),
    ("cli", &["ptx", "launch", "matrix", "work", "sim", "analysis", "trace", "cudac", "stats", "kernel", "study", "timing", "file", "gpu", "compile", "own", "export", "report", "lesson", "tui"]),
    ("main", &["cli"]),
    ("web", &["work", "export", "lesson", "tui"]),
];

/// Crates that only these rooms may name.
const KEPT_IN: &[(&str, &[&str])] = &[
    ("cudarc", &["gpu"]),
    ("libloading", &["gpu"]),
    ("ratatui", &["tui", "export"]),
    ("crossterm", &["tui", "export"]),
    ("clap", &["cli", "main"]),
    ("clap_complete", &["cli"]),
    ("clap_mangen", &["cli"]),
    ("anyhow", &["cli", "main"]),
    ("matrixmultiply", &["gpu"]),
    ("csv", &["report"]),
    ("sha2", &["kernel"]),
    ("pulldown_cmark", &["lesson"]),
    ("similar", &["lesson"]),
    ("toml", &["lesson", "tui"]),
    ("etcetera", &["file"]),
];

/// What threads, files, clocks and the environment are called.
const OF_THE_MACHINE: &[&str] =
    &["std::thread", "thread::", "std::fs", "fs::", "Instant", "SystemTime", "std::env", "env::"];

/// The rooms and files that may name them. To all others time comes in as a value, and work goes out as
/// a task.
const NEAR_THE_MACHINE: &[&str] = &[
    "src/simt/work.rs",
    "src/file.rs",
    "src/file/",
    "src/gpu/",
    "src/compile.rs",
    "src/compile/include.rs",
    "src/compile/python.rs",
    "src/own/missing.rs",
    "src/own/sources.rs",
    // A course for unit tests.
    "src/lesson/session/example.rs",
    "src/tui/clock.rs",
    "src/tui/event_loop.rs",
    "src/tui/terminal.rs",
    "src/tui/worker_threads.rs",
    "src/cli/",
    "src/main.rs",
    "src/build.rs",
];

/// Calls that start or advance a run: `report` only reads the results of one.
const RUNS: &[&str] = &[
    ".step(",
    ".record(",
    "Machine::new",
    "problem.machine(",
    "Recorder",
    "analysis::grid",
    "grid::",
    "check::run",
    "classes::classes",
    "costly::find",
    "simulate(",
    "every_block",
    ".look()",
    ".ask(",
    "search.run()",
    "simulation.run()",
];

/// The allowed entries at the top of the repository, in addition to dotfiles.
const TOP: &[&str] = &[
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE",
    "README.md",
    "benches",
    "kernels",
    "lessons",
    "src",
    "tests",
];

/// The maximum number of lines in a file, without its unit tests.
const MAX_LINES: usize = 600;

/// Names that say nothing.
const EMPTY_NAMES: &[&str] = &["mod", "utils", "util", "helpers", "common", "manager", "misc"];

#[test]
fn the_plan_is_the_order_of_the_house() {
    let rooms: Vec<_> = MAY_USE.iter().map(|(room, _)| *room).collect();
    for (index, (room, allowed)) in MAY_USE.iter().enumerate() {
        let above = allowed.iter().all(|other| rooms[..index].contains(other));
        assert!(above, "`{room}` uses a room that is not above it in the plan");
    }
    let declared = PACKAGES.iter().flat_map(|(package, folder)| {
        let lib = read(&Path::new(folder).join("lib.rs"));
        let modules = lib.lines().filter_map(|line| line.strip_prefix("pub mod "));
        let rooms: Vec<_> = modules.map(|room| room.trim_end_matches(';').to_owned()).collect();
        if rooms.is_empty() { vec![(*package).to_owned()] } else { rooms }
    });
    let planned = rooms.into_iter().filter(|room| *room != "main");
    assert_eq!(declared.collect::<Vec<_>>(), planned.collect::<Vec<_>>());
}

#[test]
fn the_map_in_lib_rs_is_the_plan() {
    let lib = read(Path::new("src/lib.rs"));
    for (index, (room, allowed)) in MAY_USE.iter().enumerate().filter(|(_, it)| it.0 != "main") {
        let line = lib.lines().find(|line| line.starts_with(&format!("//! {room} ")));
        let line = line.unwrap_or_else(|| panic!("`{room}` is not on the map"));
        let exact = line.ends_with(&format!(" [{}]", allowed.join(", ")));
        let kept_out = |other: &&(&str, _)| !allowed.contains(&other.0);
        let but: Vec<_> = MAY_USE[..index].iter().filter(kept_out).map(|(room, _)| *room).collect();
        let short = match &*but.join(", ") {
            "" => "[all above]".to_owned(),
            but => format!("[all above but {but}]"),
        };
        assert!(exact || line.ends_with(&short), "{line}: {short}");
    }
}

#[test]
fn rooms_use_only_what_the_plan_allows() {
    // Cargo's build script is compiled alone.
    for source in sources().iter().filter(|source| !["lib", "build"].contains(&&*source.room)) {
        let (_, allowed) = MAY_USE
            .iter()
            .find(|(room, _)| *room == source.room)
            .unwrap_or_else(|| panic!("`{}` is not on the plan", source.room));
        for (other, _) in MAY_USE.iter().filter(|(other, _)| *other != source.room) {
            let fine = allowed.contains(other) || !source.names(other);
            assert!(fine, "{} may not use `{other}`", source.path.display());
        }
    }
}

/// No file of `src/` imports itself by way of others; parents and children are no exception.
///
/// A file uses another if one of its paths names an item that the other defines. The paths are
/// those in a private `use` and those in the code, where an imported name stands for its full path.
/// A path is followed through re-exports to the file that defines the item. So neither `mod child;`
/// nor `pub use child::Thing;` makes a parent use its child, unless its own code names `Thing`; and
/// a child that imports `super::Thing` uses the file of `Thing`, not its parent. Unit tests may use
/// anything. Methods have no path: an `impl` in another file than its type uses the type's file,
/// and a caller of its methods does not use the file of the `impl`.
#[test]
fn no_file_imports_itself_by_way_of_others() {
    let sources = sources();
    for (package, folder) in PACKAGES {
        let library = sources.iter().filter(|it| it.package == *package && it.room != "main");
        let is_one_file = library.clone().count() == 1;
        let graph = Crate::read(library.map(|source| (source.module(), source.code()))).graph();
        let uses: usize = graph.values().map(BTreeMap::len).sum();
        assert!(uses > 50 || is_one_file, "the imports of {package} are not read");
        let circles = circles(&graph);
        let told: Vec<_> = circles.iter().map(|it| describe(folder, &graph, it)).collect();
        assert!(told.is_empty(), "circles of imports:\n{}", told.join("\n"));
    }
}

#[test]
fn circles_of_imports_are_found() {
    let files = [
        ("", "pub mod room;"),
        ("room", "mod a; mod b; mod c; mod d; pub use a::A; use b::B; fn f(b: B) { c::C::new(b) }"),
        ("room::a", "use super::d; pub struct A; fn f() -> usize { d::D }"),
        ("room::b", "use crate::room::{A, d::{self, D as E}}; pub struct B(A, E);"),
        ("room::c", "pub struct C; impl C { fn new() { super::f(\"B::new\") } } // crate::room::A"),
        ("room::d", "pub const D: char = 'D'; fn f<'a>(a: &'a str) -> usize { a.A }"),
    ];
    let graph = |files: &[(&str, &str)]| {
        Crate::read(files.iter().map(|(module, code)| ((*module).to_owned(), *code))).graph()
    };
    let of = graph(&files);
    let uses = |module: &str| of[module].keys().map(String::as_str).collect::<Vec<_>>().join(" ");
    assert_eq!(
        files.map(|(module, _)| uses(module)),
        ["", "room::b room::c", "room::d", "room::a room::d", "room", ""]
    );
    assert_eq!(circles(&of), [["room", "room::c"].into()].into());
    let longer = files.map(|(module, code)| match module {
        "room::d" => (module, "use super::B; pub const D: B = B;"),
        _ => (module, code),
    });
    let both = [["room", "room::c"].into(), ["room::a", "room::b", "room::d"].into()];
    assert_eq!(circles(&graph(&longer)), both.into());
    assert_eq!(
        describe("src", &of, &["room", "room::c"].into()),
        "src/room.rs uses C of src/room/c.rs; src/room/c.rs uses f of src/room.rs"
    );
}

/// The files of a circle, and what each uses of which other.
fn describe(folder: &str, graph: &Graph, circle: &BTreeSet<&str>) -> String {
    let file = |module: &str| format!("{folder}/{}.rs", module.replace("::", "/"));
    let uses = circle.iter().flat_map(|module| graph[*module].iter().map(move |it| (module, it)));
    let within = uses.filter(|(_, (other, _))| circle.contains(other.as_str()));
    let lines = within.map(|(module, (other, items))| {
        let items: Vec<_> = items.iter().map(String::as_str).collect();
        format!("{} uses {} of {}", file(module), items.join(", "), file(other))
    });
    lines.collect::<Vec<_>>().join("; ")
}

#[test]
fn foreign_crates_stay_in_their_rooms() {
    for source in sources() {
        for (krate, homes) in KEPT_IN {
            let fine = homes.contains(&&*source.room) || !names_crate(&source.text, krate);
            assert!(fine, "{} names `{krate}`", source.path.display());
        }
    }
}

#[test]
fn threads_files_clocks_and_the_environment_stay_at_the_edge() {
    let sources = sources();
    let of_the_machine = |source: &&Source| {
        let code = source.code();
        OF_THE_MACHINE.iter().any(|name| names_word(code, name))
    };
    let near: Vec<_> = sources.iter().filter(of_the_machine).map(|it| it.path.as_path()).collect();
    let is_at = |path: &Path, place: &str| path.display().to_string().starts_with(place);
    for path in &near {
        let fine = NEAR_THE_MACHINE.iter().any(|place| is_at(path, place));
        assert!(fine, "{} names a thread, a file, a clock or the environment", path.display());
    }
    for place in NEAR_THE_MACHINE {
        let names_it = near.iter().any(|path| is_at(path, place));
        assert!(names_it, "{place} names nothing of the machine: take it off the list");
    }
}

#[test]
fn reports_run_nothing() {
    for source in sources().iter().filter(|source| source.room == "report") {
        let found = RUNS.iter().find(|run| source.code().contains(**run));
        assert_eq!(found, None, "{} runs something: that is for `study`", source.path.display());
    }
}

#[test]
fn every_file_opens_with_its_purpose_and_stays_small() {
    let beside = ["tests", "benches"].into_iter().flat_map(rust_files);
    for source in sources().into_iter().chain(beside) {
        let path = source.path.display();
        assert!(source.text.starts_with("//! "), "{path} does not say what it is for");
        let lines = source.code().lines().count();
        assert!(lines <= MAX_LINES, "{path} has {lines} lines");
        let name = source.path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
        assert!(!EMPTY_NAMES.contains(&name), "{path} is a name that says nothing");
    }
}

#[test]
fn nothing_is_unwrapped_outside_the_tests() {
    for source in sources() {
        let unwraps = source.code().contains(".unwrap()");
        assert!(!unwraps, "{} unwraps: say in `expect` why it cannot fail", source.path.display());
    }
}

#[test]
fn the_top_of_the_repository_holds_what_the_plan_names() {
    for path in committed() {
        let top = path.iter().next().and_then(|top| top.to_str()).unwrap_or_default();
        let fine = top.starts_with('.') || TOP.contains(&top);
        assert!(fine, "{} is at a place that is not on the plan", path.display());
    }
}

#[test]
fn no_committed_file_names_a_path_of_one_machine() {
    let homes = ["root", "home", "Users", "work", "tmp/w"].map(|home| format!("/{home}/"));
    for path in committed() {
        let Ok(text) = fs::read_to_string(&path) else { continue };
        for home in &homes {
            // After a letter or a dot, it is the middle of a relative path or of an address.
            let absolute =
                |at: usize| !text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '.');
            let found = text.match_indices(home.as_str()).any(|(at, _)| absolute(at));
            assert!(!found, "{} names a path under {home}", path.display());
        }
    }
}

#[test]
fn what_is_required_of_this_machine_is_known() {
    need::required();
}

pub(crate) struct Source {
    pub(crate) path: PathBuf,
    /// Its package's name in code; for a file beside `src`, matviz.
    pub(crate) package: &'static str,
    /// The package if that is one room, else the first component of its path there.
    pub(crate) room: String,
    pub(crate) text: String,
}

impl Source {
    /// The text without its unit tests, which may use any room.
    pub(crate) fn code(&self) -> &str {
        let inside = self.path.starts_with("src") && self.path.iter().any(|part| part == "tests");
        if inside || self.path.ends_with("tests.rs") {
            return "";
        }
        self.text.split("\n#[cfg(test)]\nmod tests").next().unwrap_or(&self.text)
    }

    /// Its module's path below the crate, as in `report::finding`.
    pub(crate) fn module(&self) -> String {
        let (_, inside) = package(&self.path);
        let inside = inside.with_extension("");
        let parts: Vec<_> = inside.iter().filter_map(|part| part.to_str()).collect();
        if parts == ["lib"] { String::new() } else { parts.join("::") }
    }

    /// Whether it names another room. ptx and cudac have modules of their own names, and Cargo.toml says
    /// which crates they may name.
    fn names(&self, room: &str) -> bool {
        let code = self.code();
        !["ptx", "cudac"].contains(&self.package)
            && (names_room(code, room) || names_crate(code, room))
    }
}

/// The package of a file of `src`, and the file's path in it.
fn package(path: &Path) -> (&'static str, &Path) {
    let within = |(package, folder): &(&'static str, &str)| {
        path.strip_prefix(folder).ok().map(|inside| (*package, inside))
    };
    // That of web is inside that of matviz.
    let innermost =
        PACKAGES.iter().filter_map(within).min_by_key(|(_, inside)| inside.as_os_str().len());
    innermost.unwrap_or(("matviz", path))
}

/// Whether `code` names `crate::room`, alone or in a braced `use crate::{…}`, or `matviz::room`.
fn names_room(code: &str, room: &str) -> bool {
    code.split("crate::").skip(1).chain(code.split("matviz::").skip(1)).any(|rest| {
        let end = if rest.starts_with('{') { ";" } else { "; :,()<>\n" };
        let head = rest.split(|c| end.contains(c)).next().unwrap_or(rest);
        head.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == room)
    })
}

/// Whether `text` names the crate at the start of a path (`krate::`).
fn names_crate(text: &str, krate: &str) -> bool {
    text.match_indices(&format!("{krate}::"))
        .any(|(at, _)| !text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':'))
}

/// Whether `code` has a line with `name` outside of comments and strings, and not as a part of a longer
/// word.
fn names_word(code: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    code.lines().filter(|line| !line.trim_start().starts_with("//")).any(|line| {
        line.match_indices(name).any(|(at, _)| {
            let (before, after) = (&line[..at], &line[at + name.len()..]);
            let goes_on = !name.ends_with(':') && after.starts_with(is_part);
            !before.ends_with(is_part) && !goes_on && before.matches('"').count().is_multiple_of(2)
        })
    })
}

/// Every file of `src/`.
pub(crate) fn sources() -> Vec<Source> {
    let files = rust_files("src");
    assert!(files.len() > 50, "the sources are not where they are looked for");
    files
}

/// Every Rust file below a folder.
fn rust_files(root: &str) -> Vec<Source> {
    let source = |path: PathBuf| {
        let (package, inside) = package(&path);
        let first = inside.iter().next().and_then(|first| first.to_str()).expect("a name");
        let whole = ["ptx", "cudac", "web"].contains(&package);
        let room = if whole { package } else { first.trim_end_matches(".rs") }.to_owned();
        Source { package, room, text: read(&path), path }
    };
    let is_rust = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "rs");
    files(Path::new(root)).into_iter().filter(is_rust).map(source).collect()
}

/// Every file below a folder, except the test data.
fn files(folder: &Path) -> Vec<PathBuf> {
    if folder == Path::new("tests/data") {
        return Vec::new();
    }
    let entries = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let paths = entries.map(|entry| entry.expect("a readable folder").path());
    paths.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// The committed files; without Git (as in a package), none, and a message.
fn committed() -> Vec<PathBuf> {
    let listed = Command::new("git").args(["ls-files", "-z"]).output();
    let listed = listed.ok().filter(|output| output.status.success()).map(|output| output.stdout);
    let Some(listed) = listed else {
        not_tested("git", "what is committed: this is no Git checkout");
        return Vec::new();
    };
    let names = String::from_utf8(listed).expect("UTF-8 names");
    names.split_terminator('\0').map(PathBuf::from).collect()
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
