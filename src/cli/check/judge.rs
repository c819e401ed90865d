//! What the result of a program is judged by: another kernel, the host's own code, a file of numbers.

use super::args::{Args, KernelCheck};
use crate::cli::BadUse;
use crate::cli::output::read_bytes;
use crate::kernel::Problem;
use crate::launch::Dim3;
use crate::own::{HostComparison, HostProgram, ProgramLaunch};
use crate::report::sim::program::ComparedReport;
use crate::sim::Memory;
use crate::study::expected::{JudgedBuffer, compare, origin};
use crate::study::simulation::Simulation;
use crate::work::WorkToken;
use std::path::{Path, PathBuf};

/// What a result is judged by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ResultJudge {
    Kernel(String),
    Host,
    /// The buffer, if one is named, and the file.
    File(Option<String>, PathBuf),
}

/// The word for what the host compares.
const HOST: &str = "host";

/// The largest file of numbers.
const MOST: u64 = 256 << 20;

impl ResultJudge {
    /// The judge that is asked for.
    pub(super) fn of(args: &Args) -> Option<Self> {
        if let Some(name) = &args.same_as {
            let is_host = name == HOST;
            return Some(if is_host { Self::Host } else { Self::Kernel(name.clone()) });
        }
        let text = args.expect.as_ref()?;
        Some(match text.split_once('=') {
            Some((buffer, file)) => Self::File(Some(buffer.to_owned()), file.into()),
            None => Self::File(None, text.into()),
        })
    }

    /// The option that asks for it.
    pub(super) const fn option(&self) -> &'static str {
        match self {
            Self::Kernel(_) | Self::Host => "--same-as",
            Self::File(..) => "--expect",
        }
    }

    /// Which of these launches it judges, by its place: the last one of another kernel.
    pub(super) fn launch<'k>(
        &self,
        kernels: impl Iterator<Item = &'k str>,
        entry: Option<&str>,
    ) -> Option<usize> {
        let Self::Kernel(name) = self else { return None };
        let is_it = |kernel: &str| entry.map_or(kernel != name, |entry| kernel == entry);
        kernels.enumerate().filter(|(_, kernel)| is_it(kernel)).map(|(place, _)| place).last()
    }
}

/// A launch that was run.
pub(super) struct RunLaunch {
    pub(super) launch: ProgramLaunch,
    pub(super) problem: Problem,
}

/// What a kernel leaves beside what another one leaves in the same buffers.
pub(super) fn beside(
    kernel: &str,
    (one, of_one): (&Simulation<'_>, &Memory),
    (other, of_other): (&Problem, &Memory),
    tolerance: Option<f64>,
) -> Vec<ComparedReport> {
    let problem = one.problem;
    let mut all = Vec::new();
    for (number, (buffer, twin)) in problem.buffers.iter().zip(&other.buffers).enumerate() {
        let (Some(is), Some(expected)) = (of_one.named(&buffer.name), of_other.named(&twin.name))
        else {
            continue;
        };
        let words = || 0..is.bytes.div_ceil(4);
        let before = |word| problem.word_before(number, word);
        let is_stored = words()
            .any(|word| is.load(word) != before(word) || expected.load(word) != before(word));
        if !is_stored {
            continue;
        }
        let of = buffer.of;
        let values: Vec<_> =
            (0..buffer.count).map(|index| (index, expected.element(of, index))).collect();
        let found = compare((&buffer.name, of), &values, &|index| is.element(of, index), tolerance);
        all.push(told(found, kernel, one));
    }
    all
}

/// A comparison with where its first wrong element comes from.
fn told(found: JudgedBuffer, with: &str, simulation: &Simulation<'_>) -> ComparedReport {
    let token = WorkToken::default();
    let origin = found
        .first
        .and_then(|first| origin(simulation, (&found.buffer, found.of, first.index), &token));
    ComparedReport::new(found, with, origin.as_ref())
}

/// What the program leaves beside the numbers of a file, or those that its host compares it with.
///
/// # Errors
/// A file that cannot be read; a buffer that is not there; a host that compares nothing.
pub(super) fn of_result(
    check: &KernelCheck<'_>,
    judge: &ResultJudge,
    program: &HostProgram<'_>,
    done: &[RunLaunch],
) -> anyhow::Result<Vec<ComparedReport>> {
    let (all, with) = match judge {
        ResultJudge::Kernel(_) => return Ok(Vec::new()),
        ResultJudge::Host => (program.compared().to_vec(), "what the host expects".to_owned()),
        ResultJudge::File(name, file) => {
            let result = program.result(name.as_deref()).map_err(|why| BadUse(why.to_string()))?;
            let expected = numbers(file)?;
            if expected.len() > result.is.len() {
                let told = format!(
                    "{} has {} numbers, and `{}` {} elements",
                    file.display(),
                    expected.len(),
                    result.buffer,
                    result.is.len()
                );
                return Err(BadUse(told).into());
            }
            let expected = (0..).zip(expected).collect();
            (vec![HostComparison { expected, ..result }], file.display().to_string())
        }
    };
    if all.is_empty() {
        let told = "--same-as host: the host compares nothing that it copies back with a number that is \
                    known here: a loop of its own code may take too long, which a smaller --size makes \
                    shorter; or name a kernel of the file instead of host";
        return Err(BadUse(told.to_owned()).into());
    }
    let mut reports = Vec::new();
    for one in all {
        let is = |index: u64| one.is.get(index as usize).copied().unwrap_or(f64::NAN);
        let tolerance = check.args.tolerance;
        let found = compare((&one.buffer, one.of), &one.expected, &is, tolerance);
        let own = |run: &&RunLaunch| run.launch.name_of(one.number).is_some();
        let stored = done.iter().take(one.launches).rfind(own).filter(|_| found.first.is_some());
        let Some(RunLaunch { launch, problem }) = stored else {
            reports.push(ComparedReport::new(found, &with, None));
            continue;
        };
        let name = launch.name_of(one.number).unwrap_or(&one.buffer).to_owned();
        let code = check.problem.program(problem)?;
        let simulation = check.simulation(problem, &code, Dim3::at(0, 0));
        reports.push(told(JudgedBuffer { buffer: name, ..found }, &with, &simulation));
    }
    Ok(reports)
}

/// The numbers of a file, apart from one another by spaces, commas, brackets or lines.
fn numbers(file: &Path) -> Result<Vec<f64>, BadUse> {
    let name = file.display();
    let text = read_bytes(file, MOST).map_err(|error| BadUse(format!("{name}: {error}")))?;
    let text = String::from_utf8_lossy(&text);
    let is_between = |letter: char| letter.is_whitespace() || ",;[](){}".contains(letter);
    let words = text.split(is_between).filter(|word| !word.is_empty());
    words
        .map(|word| {
            let number = word.trim_end_matches(['f', 'F']).parse().ok();
            number.or_else(|| word.parse().ok()).ok_or_else(|| {
                BadUse(format!("{name}: `{word}` is no number: it is to have numbers alone"))
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_launch_that_is_judged_is_the_last_one_of_another_kernel() {
        let judge = ResultJudge::Kernel("naive".to_owned());
        let kernels = ["fill", "naive", "tiled", "naive"];
        assert_eq!(judge.launch(kernels.into_iter(), None), Some(2));
        assert_eq!(judge.launch(kernels.into_iter(), Some("fill")), Some(0));
        assert_eq!(judge.launch(["naive"].into_iter(), None), None);
    }
}
