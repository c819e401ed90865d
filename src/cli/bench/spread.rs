//! `matviz bench --gpu all`: one matrix product on several GPUs, and how it scales.

use super::progress::{note, say_progress};
use super::request::BenchRequest;
use super::runner::{Runner, runners};
use crate::cli::BadUse;
use crate::cli::form::OutputForm;
use crate::cli::gpu_choice::GpuChoice;
use crate::cli::output::{json, print};
use crate::gpu::client::{Client, Launcher};
use crate::matrix::{SEED, Size};
use crate::report::multi_gpu::{Row, Scaling, table};
use crate::report::number::Count;
use crate::timing::GpuError;
use crate::timing::{MultiGpuRequest, MultiGpuResult, SamplingPlan, Share};
use std::process::ExitCode;

/// Measures every kernel at every size on one GPU, two, four, and all of them: the same product
/// (strong scaling), then a product with the same number of rows per GPU (weak scaling).
///
/// # Errors
/// No GPU, no NCCL, or a measurement that failed; what was measured before has been printed.
pub(super) fn run(asked: &BenchRequest<'_>, devices: &GpuChoice) -> anyhow::Result<ExitCode> {
    refuse(asked)?;
    let mut rows = Vec::new();
    let failure = measured(asked, devices, &mut rows).err();
    let right = rows.iter().all(|row: &Row| row.spreading.is_right());
    let text = if asked.is_json() {
        let error = failure.as_ref().map(ToString::to_string);
        json("bench", &serde_json::json!({ "rows": rows, "error": error }))?
    } else {
        table(&rows)
    };
    print(&text)?;
    match failure {
        Some(error) if !asked.is_json() => Err(error.into()),
        Some(_) => Ok(ExitCode::from(2)),
        None => Ok(if right { ExitCode::SUCCESS } else { ExitCode::FAILURE }),
    }
}

/// Refuses what only one GPU measures.
fn refuse(asked: &BenchRequest<'_>) -> Result<(), BadUse> {
    let (args, subjects) = (asked.args, &asked.subjects);
    let given = [
        (subjects.own.is_some(), "a file"),
        (subjects.cpu, "cpu"),
        (args.counters, "--counters"),
        (args.record.is_some(), "--record"),
        (args.against.is_some(), "--against"),
        (args.tolerance.is_some(), "--tolerance"),
        (asked.form == OutputForm::Csv, "CSV"),
    ];
    match given.into_iter().find(|(is_given, _)| *is_given) {
        None => Ok(()),
        Some((_, what)) => Err(BadUse(format!("{what} is for one GPU: --gpu names several"))),
    }
}

fn measured(
    asked: &BenchRequest<'_>,
    devices: &GpuChoice,
    rows: &mut Vec<Row>,
) -> Result<(), GpuError> {
    let args = asked.args;
    let mut client = Client::new(Launcher::default(), args.patience());
    let found = client.probe()?.gpus.len() as u32;
    let devices = devices.numbers(found)?;
    if let [only] = devices[..] {
        note(&format!("GPU {only} alone: there is nothing to scale with"));
    }
    for runner in &runners(asked, None, &mut client)? {
        for size in args.sizes() {
            for scaling in [Scaling::Strong, Scaling::Weak] {
                for count in counts(devices.len()) {
                    // One GPU does the same work in both.
                    if scaling == Scaling::Weak && count == 1 {
                        continue;
                    }
                    let whole = scaling.size(size, count as u32);
                    let request = request(runner, whole, &devices[..count]);
                    let spreading = spread(&mut client, request)?;
                    rows.push(Row { scaling, spreading });
                }
            }
        }
    }
    Ok(())
}

/// 1, 2, 4 and so on, then the number of all GPUs.
fn counts(all: usize) -> Vec<usize> {
    let doubled = std::iter::successors(Some(1), |count| Some(count * 2));
    doubled.take_while(|count| *count < all).chain([all]).collect()
}

/// A request with the rows divided among the GPUs as evenly as possible.
fn request(runner: &Runner, size: Size, devices: &[u32]) -> MultiGpuRequest {
    let edge = |number: usize| (u64::from(size.m) * number as u64 / devices.len() as u64) as u32;
    let share = |(number, device): (usize, &u32)| {
        let (first_row, rows) = (edge(number), edge(number + 1) - edge(number));
        Share {
            device: *device,
            first_row,
            rows,
            subject: runner.subject(Size { m: rows, ..size }),
        }
    };
    let shares = devices.iter().enumerate().map(share).collect();
    MultiGpuRequest { size, seed: SEED, shares, effort: SamplingPlan::default() }
}

fn spread(client: &mut Client, request: MultiGpuRequest) -> Result<MultiGpuResult, GpuError> {
    let name = request.shares.first().map_or("", |share| share.subject.name());
    let (size, count) = (request.size, request.shares.len());
    let what = format!("{name} at {size} on {}", Count(count as u64, "GPU"));
    say_progress(&what, |progress| client.spread(request, progress), |_| "measured".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::Precision;
    use crate::timing::pack::NoSuchGpu;

    #[test]
    fn all_rows_are_shared_out_once() {
        let size = Size { m: 10, n: 3, k: 2 };
        let request = request(&Runner::Cublas(Precision::Single), size, &[0, 1, 2, 3]);
        let shares: Vec<_> = request.shares.iter().map(|s| (s.first_row, s.rows)).collect();
        assert_eq!(shares, [(0, 2), (2, 3), (5, 2), (7, 3)]);
    }

    #[test]
    fn it_grows_by_doubling_up_to_all() {
        assert_eq!([counts(1), counts(2), counts(4)], [vec![1], vec![1, 2], vec![1, 2, 4]]);
        assert_eq!(counts(6), [1, 2, 4, 6]);
    }

    #[test]
    fn gpus_are_named_once_and_must_be_there() {
        assert_eq!("all".parse(), Ok(GpuChoice::All));
        assert_eq!("0,2".parse(), Ok(GpuChoice::These(vec![0, 2])));
        assert!("0,0".parse::<GpuChoice>().is_err());
        assert!("both".parse::<GpuChoice>().is_err());
        assert_eq!(GpuChoice::All.numbers(3), Ok(vec![0, 1, 2]));
        let error = GpuChoice::These(vec![5]).numbers(2);
        assert_eq!(error, Err(GpuError::NoSuchGpu(NoSuchGpu { asked: 5, found: 2 })));
    }
}
