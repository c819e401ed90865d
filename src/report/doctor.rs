//! The report of what matviz finds on this machine, what is missing, and what to do about it.

use super::ceilings;
use crate::timing::GpuError;
use crate::timing::protocol::{Libraries, Library};
use crate::timing::{Ceilings, Gpus, HardwareCounts};
use serde::Serialize;
use std::fmt::Write;

/// An item that was looked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DoctorItem {
    pub name: &'static str,
    pub state: Presence,
    /// A description of what was found, or of what is missing.
    pub found: String,
    /// Advice, if there is anything to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Presence {
    Ok,
    /// Missing; everything else works without it.
    Missing,
    /// It cannot be used as it is.
    Wrong,
}

/// Properties of the terminal and the environment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Terminal {
    /// (columns, rows), or `None` if there is no terminal.
    pub size: Option<(u16, u16)>,
    /// `TERM`.
    pub term: Option<String>,
    /// A note on the layout, if the terminal is too small for every panel.
    pub narrow: Option<&'static str>,
    /// The number of colours that matviz uses, or `None` if `NO_COLOR` is not empty.
    pub colours: Option<&'static str>,
    /// Whether matviz draws with characters beyond ASCII.
    pub unicode: bool,
    /// The first of `LC_ALL`, `LC_CTYPE` and `LANG` that is not empty.
    pub locale: Option<String>,
}

/// All items of the report, in reading order.
pub fn items(
    gpus: &Result<Gpus, GpuError>,
    ceilings: Option<&Result<Ceilings, GpuError>>,
    counted: Option<&Result<HardwareCounts, GpuError>>,
    libraries: &Result<Libraries, GpuError>,
    terminal: &Terminal,
) -> Vec<DoctorItem> {
    let mut items = hardware(gpus);
    items.extend(ceilings.into_iter().flat_map(measured));
    items.extend(counted.map(counters));
    items.extend(software(libraries));
    items.extend([size(terminal), colours(terminal), locale(terminal)]);
    items
}

/// One line per item, followed by its advice.
pub fn text(items: &[DoctorItem]) -> String {
    let width = items.iter().map(|item| item.name.len()).max().unwrap_or(0);
    items.iter().fold(String::new(), |mut text, DoctorItem { name, state, found, advice }| {
        let state = match state {
            Presence::Ok => "ok     ",
            Presence::Missing => "missing",
            Presence::Wrong => "wrong  ",
        };
        let _ = writeln!(text, "{state}  {name:<width$}  {found}");
        if let Some(advice) = advice {
            let _ = writeln!(text, "         {:<width$}  -> {advice}", "");
        }
        text
    })
}

fn hardware(gpus: &Result<Gpus, GpuError>) -> Vec<DoctorItem> {
    let advice = "matviz shows recorded times; the simulation works in full";
    match gpus {
        Err(error) => vec![missing("GPU", error.to_string(), advice)],
        Ok(Gpus { driver, cuda, gpus }) => {
            let release = driver.as_deref().unwrap_or("of unknown release");
            let mut items = vec![ok("driver", format!("{release}, up to CUDA {cuda}"))];
            items.extend(gpus.iter().enumerate().map(|(number, gpu)| {
                let (name, memory) = (&gpu.name, gpu.memory as f64 / (1_u64 << 30) as f64);
                let capability = &gpu.compute_capability;
                ok(
                    "GPU",
                    format!("{number}: {name}, compute capability {capability}, {memory:.0} GiB"),
                )
            }));
            items
        }
    }
}

/// The ceilings of the first GPU, measured just now.
fn measured(ceilings: &Result<Ceilings, GpuError>) -> Vec<DoctorItem> {
    let name = "measured";
    match ceilings {
        Ok(seen) => {
            let levels = seen.hierarchy.as_ref().map(ceilings::hierarchy);
            let lines = [Some(ceilings::line(seen)), levels, Some(ceilings::ways(seen))];
            lines.into_iter().flatten().map(|line| ok(name, line)).collect()
        }
        Err(error) => vec![missing(name, error.to_string(), "matviz bench may work all the same")],
    }
}

/// Whether this user may read the hardware's counters, from an attempt to do so.
fn counters(counted: &Result<HardwareCounts, GpuError>) -> DoctorItem {
    let advice = "matviz bench --counters then shows the simulated ones alone";
    match counted {
        Ok(counted) => ok("counters", format!("{} can be read", counted.counters.len())),
        Err(error) => missing("counters", error.to_string(), advice),
    }
}

fn software(libraries: &Result<Libraries, GpuError>) -> [DoctorItem; 2] {
    let found = |name, library: &Result<Option<Library>, GpuError>, advice| match library {
        Ok(Some(Library { path, version })) => ok(name, format!("{version}, {path}")),
        Ok(None) => missing(name, "not found".to_owned(), advice),
        Err(error) => missing(name, error.to_string(), advice),
    };
    let nvrtc = "needed only for CUDA C++ outside matviz's own subset of it: install the CUDA toolkit \
                 or, in a virtual environment of Python, `pip install nvidia-cuda-nvrtc-cu12`";
    let cublas = "needed only to compare with it: install the CUDA toolkit or, in a virtual \
                  environment of Python, `pip install nvidia-cublas-cu12`";
    match libraries {
        Ok(libraries) => {
            [found("NVRTC", &libraries.nvrtc, nvrtc), found("cuBLAS", &libraries.cublas, cublas)]
        }
        Err(error) => ["NVRTC", "cuBLAS"].map(|name| missing(name, error.to_string(), nvrtc)),
    }
}

/// The configuration file, and what is wrong with it, if anything is.
pub fn configuration(path: String, error: Option<String>) -> DoctorItem {
    match error {
        None => ok("configuration", path),
        Some(error) => DoctorItem {
            state: Presence::Wrong,
            ..missing(
                "configuration",
                error,
                "correct it: until then \
                 matviz does as if there were none",
            )
        },
    }
}

fn size(terminal: &Terminal) -> DoctorItem {
    match terminal.size {
        Some((columns, rows)) => DoctorItem {
            advice: terminal.narrow.map(str::to_owned),
            ..ok("terminal", format!("{columns} x {rows}"))
        },
        None => missing(
            "terminal",
            "neither the output nor the input is one".to_owned(),
            "the screen needs one; the commands do not",
        ),
    }
}

fn colours(terminal: &Terminal) -> DoctorItem {
    let advice = "set TERM to what the terminal is, for example xterm-256color";
    match (terminal.colours, terminal.term.as_deref()) {
        (None, _) => missing("colours", "NO_COLOR is set".to_owned(), "unset it to see colours"),
        (Some(_), None) => missing("colours", "TERM is not set".to_owned(), advice),
        (Some(_), Some("dumb")) => missing("colours", "TERM is dumb".to_owned(), advice),
        (Some(found), Some(term)) => ok("colours", format!("{found} ({term})")),
    }
}

fn locale(terminal: &Terminal) -> DoctorItem {
    let locale = terminal.locale.clone().unwrap_or_else(|| "no locale is set".to_owned());
    if terminal.unicode {
        ok("UTF-8", locale)
    } else {
        missing("UTF-8", locale, "matviz draws in ASCII; set LANG to a UTF-8 locale for lines")
    }
}

fn ok(name: &'static str, found: String) -> DoctorItem {
    DoctorItem { name, state: Presence::Ok, found, advice: None }
}

fn missing(name: &'static str, found: String, advice: &str) -> DoctorItem {
    DoctorItem { name, state: Presence::Missing, found, advice: Some(advice.to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timing::Gpu;

    fn projector() -> Terminal {
        Terminal {
            size: Some((120, 36)),
            term: Some("xterm-256color".to_owned()),
            narrow: None,
            colours: Some("16 million"),
            unicode: true,
            locale: Some("en_GB.UTF-8".to_owned()),
        }
    }

    #[test]
    fn a_machine_with_everything_needs_no_advice() {
        let gpu = Gpu {
            name: "NVIDIA H200".to_owned(),
            compute_capability: "9.0".to_owned(),
            memory: 150_754_820_096,
            limits: None,
        };
        let driver = Some("580.159.03".to_owned());
        let gpus = Ok(Gpus { driver, cuda: "13.0".to_owned(), gpus: vec![gpu] });
        let library =
            |path: &str| Ok(Some(Library { path: path.to_owned(), version: "12.9".to_owned() }));
        let libraries =
            Ok(Libraries { nvrtc: library("libnvrtc.so.12"), cublas: library("libcublas.so.12") });
        let counters = [("dram__bytes.sum".to_owned(), 1.0)].into();
        let counted = Ok(HardwareCounts { counters, ..HardwareCounts::default() });
        insta::assert_snapshot!(text(&items(&gpus, None, Some(&counted), &libraries, &projector())), @"
        ok       driver    580.159.03, up to CUDA 13.0
        ok       GPU       0: NVIDIA H200, compute capability 9.0, 140 GiB
        ok       counters  1 can be read
        ok       NVRTC     12.9, libnvrtc.so.12
        ok       cuBLAS    12.9, libcublas.so.12
        ok       terminal  120 x 36
        ok       colours   16 million (xterm-256color)
        ok       UTF-8     en_GB.UTF-8
        ");
    }

    #[test]
    fn a_machine_with_nothing_is_told_what_to_do() {
        let libraries = Ok(Libraries { nvrtc: Ok(None), cublas: Ok(None) });
        let terminal = Terminal { colours: Some("16"), ..Terminal::default() };
        let items = items(&Err(GpuError::NoDriver), None, None, &libraries, &terminal);
        insta::assert_snapshot!(text(&items), @"
        missing  GPU       no NVIDIA driver found on this machine; the simulation and the recorded times need none
                           -> matviz shows recorded times; the simulation works in full
        missing  NVRTC     not found
                           -> needed only for CUDA C++ outside matviz's own subset of it: install the CUDA toolkit or, in a virtual environment of Python, `pip install nvidia-cuda-nvrtc-cu12`
        missing  cuBLAS    not found
                           -> needed only to compare with it: install the CUDA toolkit or, in a virtual environment of Python, `pip install nvidia-cublas-cu12`
        missing  terminal  neither the output nor the input is one
                           -> the screen needs one; the commands do not
        missing  colours   TERM is not set
                           -> set TERM to what the terminal is, for example xterm-256color
        missing  UTF-8     no locale is set
                           -> matviz draws in ASCII; set LANG to a UTF-8 locale for lines
        ");
        assert!(items.iter().all(|item| item.state == Presence::Missing && item.advice.is_some()));
    }

    #[test]
    fn counters_that_are_kept_back_are_told_with_the_way_to_them() {
        let item = counters(&Err(GpuError::CountersRefused));
        assert_eq!(item.state, Presence::Missing);
        assert!(item.found.contains("NVreg_RestrictProfilingToAdminUsers=0"), "{}", item.found);
    }

    #[test]
    fn colours_are_told_with_what_keeps_them_away() {
        let found = |term: &str, known| {
            colours(&Terminal { term: Some(term.to_owned()), colours: known, ..projector() }).found
        };
        assert_eq!(found("xterm-256color", Some("256")), "256 (xterm-256color)");
        assert_eq!(found("dumb", Some("16")), "TERM is dumb");
        assert_eq!(found("xterm", None), "NO_COLOR is set");
    }
}
