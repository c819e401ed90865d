//! Every kind of file that matviz reads, changed at random: a result or an error, never a panic.

use super::mutated::each;
use super::{assert_ended_well, matviz, said};
use cudac::CompileOptions;
use matviz::kernel::LaunchSpec;
use matviz::launch::Dim3;
use matviz::lesson::change::ChangeTable;
use matviz::lesson::dials::Dials;
use matviz::lesson::progress::Progress;
use matviz::lesson::read;
use matviz::matrix::Size;
use matviz::own::launch::StatedLaunch;
use matviz::report::access::{IndexExpr, Pattern, answer};
use matviz::report::sim::SimReport;
use matviz::report::{self, reconcile};
use matviz::sim;
use matviz::study::cause::Diagnosis;
use matviz::study::simulation::Simulation;
use matviz::timing::pack::Pack;
use matviz::tui::config;
use matviz::work::WorkToken;
use serde_json::{Value, json};
use std::cell::Cell;
use std::fs;
use std::path::Path;

fn texts(paths: &[&str]) -> Vec<String> {
    let read = |path: &&str| fs::read_to_string(path).expect("it is committed");
    paths.iter().map(read).collect()
}

#[test]
fn changed_ptx_is_run_or_refused_with_its_name_and_line() {
    let all =
        texts(&["kernels/ptx/naive.t8.ptx", "kernels/ptx/tiled.t8.ptx", "lessons/mistakes.ptx"]);
    each(&all, 3000, |bytes| {
        let text = String::from_utf8_lossy(bytes);
        match ptx::parse(&text) {
            Ok(module) => {
                for function in &module.functions {
                    if let Err(error) = sim::lower_with(&module, &function.name, 0) {
                        assert!(error.render(&text, "a.ptx").contains("a.ptx"));
                    }
                }
            }
            Err(errors) => {
                assert!(!errors.is_empty());
                for error in errors {
                    assert!(error.render(&text, "a.ptx").contains("a.ptx:"));
                }
            }
        }
    });
}

/// The kernel is simulated as `matviz check` does it, and everything is told of it.
#[test]
fn changed_ptx_is_simulated_and_reported() {
    let all = texts(&[
        "kernels/ptx/naive.t8.ptx",
        "kernels/ptx/tiled.t8.ptx",
        "kernels/ptx/tiled_no_load_barrier.t8.ptx",
    ]);
    let told = Cell::new(0);
    each(&all, 1500, |bytes| {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let Ok(module) = ptx::parse(&text) else { return };
        let spec = LaunchSpec { block: Dim3::flat(8, 8), ..LaunchSpec::default() };
        let size = Size::square(16);
        let Ok(problem) = spec.problem(&module, text, size) else { return };
        let Ok(program) = problem.program() else { return };
        let simulation = Simulation::checked(&problem, &program, 2000);
        let simulated = simulation.run(&WorkToken::default()).expect("a fault is a finding");
        let diagnosis = Diagnosis::of(&simulation, &simulated);
        let outcome = SimReport::new(&simulation, (&simulated, 1.0), diagnosis.as_ref());
        assert!(!report::sim::text(&outcome).is_empty());
        serde_json::to_string(&outcome).expect("it is JSON");
        told.set(told.get() + 1);
    });
    assert!(told.get() > 60, "only {} of 1500 could be simulated", told.get());
}

#[test]
fn changed_cuda_compiles_or_is_refused_with_its_name_and_line() {
    let all = texts(&["kernels/naive.cu", "kernels/tiled.cu", "lessons/kernels/dials.cu"]);
    let defines = ["TILE=8".to_owned()];
    each(&all, 3000, |bytes| {
        let text = String::from_utf8_lossy(bytes);
        let options = CompileOptions {
            file: "a.cu",
            defines: &defines,
            headers: &[],
            instances: &[],
            rolled: true,
        };
        match cudac::compile(&text, &options) {
            Ok(compiled) => assert!(ptx::parse(&compiled.ptx).is_ok(), "it is PTX:\n{text}"),
            Err(error) => assert!(error.render(&text, "a.cu").contains("a.cu:")),
        }
    });
}

#[test]
fn a_changed_file_with_host_code_keeps_its_lines_and_its_launches_are_read() {
    let all = texts(&["tests/data/kernel/host/whole.cu", "tests/data/kernel/host/template.cu"]);
    each(&all, 3000, |bytes| {
        let text = String::from_utf8_lossy(bytes);
        let file = cudac::CudaFile::new(&text, |_| None);
        let code = file.device_code(&["mm<16, float>".to_owned()]);
        assert_eq!(code.text.lines().count(), text.lines().count(), "the lines stay:\n{text}");
        let names = cudac::NamedNumbers {
            given: &|_| None,
            otherwise: &|name| (name == "N").then_some(64),
        };
        for step in file.all_launches(names).steps {
            if let cudac::HostStep::Launch(launch) = step {
                assert!(launch.line as usize <= text.lines().count() && !launch.kernel.is_empty());
            }
        }
    });
}

#[test]
fn changed_comments_of_launches_and_dials_are_read_or_refused_with_their_line() {
    let launches = ["mm<16><<<dim3(4, 4), 16x16, 1024>>>(A, B, C, M, N, K) --size 64", "--size 8"];
    let launches = launches.map(|words| format!("// a kernel\n// launch: {words}\n"));
    each(&launches, 400, |bytes| {
        let text = String::from_utf8_lossy(bytes);
        if let Err(error) = StatedLaunch::written(&text) {
            assert!(error.render(&text, "a.cu").contains("a.cu:"), "{error:?}");
        }
    });
    each(&texts(&["lessons/kernels/dials.cu"]), 100, |bytes| {
        match Dials::read("a.cu", &String::from_utf8_lossy(bytes)) {
            Ok(dials) => assert_eq!(dials.all().len(), dials.settings()),
            Err(told) => assert!(told.to_string().contains("a.cu"), "{told}"),
        }
    });
}

#[test]
fn changed_indices_are_counted_or_refused_where_they_are_wrong() {
    let all = ["ty*33 + tx", "(tid / 32 % 4) * 32 + (lane ^ (lane >> 3)) * bdx", "tx ? -ty : !bx"];
    let pattern = Pattern {
        space: ptx::Space::Shared,
        direction: sim::Direction::Load,
        bytes: 4,
        block: Dim3::flat(32, 8),
        at: Dim3::at(0, 0),
    };
    each(&all.map(str::to_owned), 1000, |bytes| {
        let text = String::from_utf8_lossy(bytes);
        let accesses = IndexExpr::parse(&text).and_then(|index| pattern.accesses(&index));
        match accesses {
            Ok(warps) => assert_eq!(warps.len(), 8),
            Err(error) => assert!(!error.render(&text).is_empty()),
        }
    });
}

/// A pack with one row of each kind, so that a change often hits a figure.
fn small_pack() -> String {
    let text = texts(&["kernels/timings/h200.json"]).remove(0);
    let mut pack: Value = serde_json::from_str(&text).expect("JSON");
    let rows = pack["rows"].as_array_mut().expect("rows");
    let mut kept = 0;
    rows.retain(|row| {
        let keeps = row["size"] == json!({"m": 1024, "n": 1024, "k": 1024}) && kept < 6;
        kept += usize::from(keeps);
        keeps
    });
    pack.to_string()
}

#[test]
fn a_changed_pack_is_read_or_refused_and_what_is_read_can_be_drawn() {
    let all = [small_pack()];
    Pack::read(&all[0]).expect("unchanged it is a pack");
    let home = tempfile::tempdir().expect("a folder");
    let read = Cell::new(0);
    each(&all, 1000, |bytes| {
        if let Err(error) = Pack::read(&String::from_utf8_lossy(bytes)) {
            assert!(error.to_string().starts_with("this"), "{error}");
            return;
        }
        read.set(read.get() + 1);
        // Drawing takes a process each: some are enough.
        if read.get() % 20 == 0 {
            fs::write(home.path().join("a.json"), bytes).expect("written");
            for picture in ["roofline", "memory", "occupancy", "ladder", "sizes"] {
                let mut command = matviz(home.path(), &["export", picture, "--pack", "a.json"]);
                let output = command.current_dir(home.path()).output().expect("the binary runs");
                assert_ended_well(&output, picture);
            }
        }
    });
    assert!(read.get() > 20, "only {} of 1000 could be read", read.get());
}

#[test]
fn a_changed_report_or_batch_is_answered_or_refused() {
    let reports = fs::read_dir("tests/data/report/nsight_compute").expect("it is committed");
    let paths = reports.map(|entry| entry.expect("a file").path());
    let csv = paths.filter(|path| path.extension().is_some_and(|end| end == "csv"));
    let all: Vec<_> = csv.map(|path| fs::read_to_string(path).expect("text")).collect();
    assert!(!all.is_empty());
    each(&all, 3000, |bytes| {
        if let Err(error) = reconcile::read(&String::from_utf8_lossy(bytes)) {
            assert!(error.to_string().contains("report"), "{error}");
        }
    });
    let line = r#"{"space": "shared", "op": "ld", "bytes": 4, "mask": "0xffffffff", "offsets": [0,4,8,12]}"#;
    let global = line.replace("shared", "global").replace("\"ld\"", "\"st\"");
    each(&[line.to_owned(), global], 3000, |bytes| {
        if let Err(error) = answer(&String::from_utf8_lossy(bytes), 1) {
            assert!(!error.to_string().is_empty());
        }
    });
}

#[test]
fn changed_settings_are_taken_or_refused_with_the_files_name() {
    let text = "theme = 'stage'\nglyphs = 'ascii'\nmouse = false\npace = 'even'\nreduced_motion = \
                true\n[keys]\nplay = ['F6', 'Ctrl-p']\nhelp = '?'\n";
    each(&[text.to_owned()], 3000, |bytes| {
        let text = String::from_utf8_lossy(bytes);
        if let Err(error) = config::parse(&text, Path::new("config.toml")) {
            let error = error.to_string();
            assert!(error.starts_with("config.toml: "), "{error}");
            assert_eq!(error.lines().count(), 1, "{error}");
        }
    });
}

#[test]
fn changed_progress_is_read_or_set_aside_and_an_answer_is_kept_in_both_cases() {
    let text = r#"{"format":1,"seed":7,"lessons":{"padding":{"page":5,"asks":{"padded-store":
        {"first":"wrong","model":"padding-helps","typed":"1","is":"2 passes","tries":2,"hints":0,
        "when":"2026-11-22"}}}},"exercises":{"E1":{"points":4}},"review":{"padding-helps":
        {"due":13,"asked":1,"right":0}}}"#;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("progress.json");
    each(&[text.to_owned()], 200, |bytes| {
        fs::write(&path, bytes).expect("written");
        let mut progress = Progress::open(&path);
        for notice in progress.notices() {
            assert!(notice.contains("progress.json"), "{notice}");
        }
        progress.reset(Some("another"));
        if progress.file().is_some() {
            assert!(Progress::open(&path).notices().is_empty(), "what was written can be read");
        } else {
            assert_eq!(fs::read(&path).expect("a file"), bytes, "it is left as it is");
        }
        for entry in fs::read_dir(folder.path()).expect("the folder").flatten() {
            _ = fs::remove_file(entry.path());
        }
    });
}

#[test]
fn a_changed_lesson_is_read_or_complained_about_with_its_name() {
    let names = ["12-padding.md", "08-the-second-barrier.md", "models.md", "course.toml"];
    let all = texts(&names.map(|name| format!("lessons/{name}")).each_ref().map(|path| &**path));
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in names.into_iter().zip(all) {
        let path = folder.path().join(name);
        each(&[text], 200, |bytes| {
            fs::write(&path, bytes).expect("written");
            let (_, complaints) = read::read(folder.path());
            for complaint in complaints {
                let complaint = complaint.to_string();
                assert!(complaint.contains(".md") || complaint.contains(".toml"), "{complaint}");
            }
        });
        fs::remove_file(&path).expect("it is there");
    }
    each(&texts(&["lessons/changes.toml"]), 1000, |bytes| {
        _ = toml::from_str::<ChangeTable>(&String::from_utf8_lossy(bytes));
    });
}

#[test]
fn the_commands_name_the_file_that_they_cannot_read() {
    let home = tempfile::tempdir().expect("a folder");
    for (name, args) in [
        ("a.ptx", &["check", "--launch", "<<<,16>>>", "a.ptx"][..]),
        ("a.cu", &["check", "--launch", "<<<,16>>>", "--compiler", "matviz", "a.cu"]),
        ("a.json", &["export", "ladder", "--pack", "a.json"]),
        ("a.csv", &["check", "--against", "a.csv"]),
        ("a.batch", &["access", "--batch", "a.batch"]),
        ("a.md", &["course", "check", "a.md"]),
        ("a.md", &["learn", "--list", "--format", "text", "--from", "a.md"]),
    ] {
        for text in [&b"{ \x1b[2J ] \x00"[..], b"\xff\xfe\x80", b""] {
            fs::write(home.path().join(name), text).expect("written");
            let mut command = matviz(home.path(), args);
            let output = command.current_dir(home.path()).output().expect("the binary runs");
            assert_ended_well(&output, &format!("{args:?}"));
            // An empty batch has no answers.
            if !(name == "a.batch" && text.is_empty()) {
                assert!(said(&output).contains(name), "{args:?}, {text:?}: {}", said(&output));
            }
        }
    }
}
