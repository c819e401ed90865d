//! The order of the warps that spoils a racy kernel's C, and the one that does not.

use super::finding::{Names, Row};
use crate::analysis::check::{self, Checked, Checks, Finding, What};
use crate::kernel::Problem;
use crate::launch::Dim3;
use crate::matrix::{Operand, fill, tolerance};
use crate::sim::{Machine, Order, Program, WarpState};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

/// Barrier intervals in which each warp is tried ahead of the others.
const INTERVALS: u32 = 4;

/// What is searched.
#[derive(Debug)]
pub struct Search<'a> {
    /// The kernel and its launch.
    pub problem: &'a Problem,
    /// What runs.
    pub program: &'a Arc<Program>,
    /// The block; none: the first that races.
    pub block: Option<Dim3>,
    /// How many random orders are tried.
    pub random: u64,
    /// Instructions after which a block is given up.
    pub budget: u64,
}

/// What was found.
#[derive(Debug, Serialize)]
pub struct Outcome {
    kernel: String,
    block: Dim3,
    /// The races of the kernel.
    races: Vec<Row>,
    /// The simplest order that gives a wrong C.
    wrong: Option<Run>,
    /// The simplest order that gives the right one.
    right: Option<Run>,
    /// Random orders that were tried, and those of them that gave a wrong C.
    random_orders: u64,
    random_wrong: u64,
}

/// One order of the block's warps.
#[derive(Clone, Debug, Serialize)]
pub struct Run {
    /// As `--order` takes it.
    order: String,
    /// How often a warp was left that could have gone on.
    preemptions: u64,
    /// Elements of C that the block wrote, and those of them that are wrong.
    elements: usize,
    wrong: usize,
    /// The first wrong one: row, column, what it is and what it should be.
    first: Option<(u32, u32, f32, f64)>,
    /// Whether the block came to its end.
    ended: bool,
}

impl Run {
    fn is_right(&self) -> bool {
        self.ended && self.wrong == 0
    }
}

impl Search<'_> {
    /// Checks the grid, and if a block races, tries orders of its warps: each warp to its barrier;
    /// round robin; as if a barrier stood before one of the racing lines; one warp ahead of the
    /// others once; random ones.
    pub fn run(&self) -> Outcome {
        let (problem, program) = (self.problem, self.program);
        let make =
            |block, memory| problem.machine(Arc::clone(program), block, memory, Order::default());
        let checks = Checks {
            launch: problem.launch(),
            only: self.block,
            budget: self.budget,
            unfilled: problem.unfilled(),
        };
        let Checked { findings, memory, .. } =
            check::run(&checks, || problem.dense_memory(program), make);
        let within = |finding: &&Finding| {
            matches!(finding.what, What::Race | What::InFlight) && finding.interval.is_some()
        };
        let races: Vec<_> = findings.iter().filter(within).collect();
        let first = races.first().map(|finding| finding.block);
        let block = self.block.or(first).unwrap_or(Dim3::at(0, 0));
        let names = Names { problem, program, memory: &memory };
        let rows = races.iter().map(|finding| names.row(finding)).collect();
        let mut outcome = Outcome {
            kernel: problem.name().to_owned(),
            block,
            races: rows,
            wrong: None,
            right: None,
            random_orders: 0,
            random_wrong: 0,
        };
        if !races.is_empty() {
            self.search(&races, &mut outcome);
        }
        outcome
    }

    fn search(&self, races: &[&Finding], outcome: &mut Outcome) {
        let mut exact = BTreeMap::new();
        for order in self.orders(races) {
            let run = self.try_order(outcome.block, order, &mut exact);
            outcome.keep(run);
        }
        for seed in 1..=self.random {
            let run = self.try_order(outcome.block, Order::Random(seed), &mut exact);
            outcome.random_orders += 1;
            outcome.random_wrong += u64::from(!run.is_right());
            outcome.keep(run);
        }
    }

    /// The orders to try besides random ones.
    fn orders(&self, races: &[&Finding]) -> Vec<Order> {
        let warps = self.problem.launch().warps() as u8;
        let racing = races.iter().flat_map(|race| {
            let interval = race.interval.unwrap_or(0);
            race.sides.iter().map(move |side| (side.warp as u8, interval))
        });
        let all = (0..INTERVALS).flat_map(|at| (0..warps).map(move |warp| (warp, at)));
        let ahead = racing.chain(all).map(|(warp, interval)| Order::Ahead { warp, interval });
        let lines = races.iter().flat_map(|race| race.sides.iter().filter_map(|side| side.line));
        let before = lines.map(Order::Before);
        [Order::ToBarrier, Order::RoundRobin].into_iter().chain(before).chain(ahead).collect()
    }

    fn try_order(&self, block: Dim3, order: Order, exact: &mut BTreeMap<(u32, u32), f64>) -> Run {
        let memory = self.problem.sparse_memory(self.program);
        let mut machine = self.problem.machine(Arc::clone(self.program), block, memory, order);
        let (mut preemptions, mut last, mut ended) = (0, 0, false);
        for _ in 0..self.budget {
            match machine.step() {
                Ok(Some(step)) => {
                    let warp = usize::from(step.warp);
                    let left = warp != last && machine.state(last) == WarpState::Ready;
                    (preemptions, last) = (preemptions + u64::from(left), warp);
                }
                end => {
                    ended = end.is_ok();
                    break;
                }
            }
        }
        let written = self.written(&machine, exact);
        let scale = written.iter().fold(0.0, |scale: f64, element| scale.max(element.3.abs()));
        let most = 64.0 * tolerance(self.problem.size.k) * scale;
        let off = |of: &&(u32, u32, f32, f64)| {
            let error = (f64::from(of.2) - of.3).abs();
            error > most || error.is_nan()
        };
        Run {
            order: order.to_string(),
            preemptions,
            elements: written.len(),
            wrong: written.iter().filter(off).count(),
            first: written.iter().find(off).copied(),
            ended,
        }
    }

    /// The elements of C that a block has written, with what they should be.
    fn written(
        &self,
        machine: &Machine,
        exact: &mut BTreeMap<(u32, u32), f64>,
    ) -> Vec<(u32, u32, f32, f64)> {
        let size = self.problem.size;
        let memory = machine.memory();
        let is_c = |number: usize| memory.buffers()[number].name == Operand::C.name();
        let words = memory.written().into_iter().filter(|(number, ..)| is_c(*number));
        let places: Vec<_> = words
            .map(|(_, word, bits)| {
                ((word / u64::from(size.n)) as u32, (word % u64::from(size.n)) as u32, bits)
            })
            .collect();
        if exact.is_empty() && !places.is_empty() {
            let [a, b] = [Operand::A, Operand::B].map(|of| fill(self.problem.seed, of, size));
            let (n, k) = (size.n as usize, size.k as usize);
            for (row, column, _) in &places {
                let (row_start, column_start) = (*row as usize * k, *column as usize);
                let product =
                    |k: usize| f64::from(a[row_start + k]) * f64::from(b[k * n + column_start]);
                let sum = (0..k).map(product).sum();
                exact.insert((*row, *column), self.problem.expected(sum, *row, *column));
            }
        }
        let known = |(row, column, bits): (u32, u32, u32)| {
            let exact = exact.get(&(row, column)).copied().unwrap_or(f64::NAN);
            (row, column, f32::from_bits(bits), exact)
        };
        places.into_iter().map(known).collect()
    }
}

impl Outcome {
    /// Keeps a run if it leaves its warps less often than the one so far with the same result.
    fn keep(&mut self, run: Run) {
        let best = if run.is_right() { &mut self.right } else { &mut self.wrong };
        if best.as_ref().is_none_or(|best| run.preemptions < best.preemptions) {
            *best = Some(run);
        }
    }

    /// The block, and the order of its warps, as `--order` takes it, that gives a wrong C.
    pub fn spoiled(&self) -> Option<(Dim3, &str)> {
        self.wrong.as_ref().map(|run| (self.block, run.order.as_str()))
    }

    /// Whether the kernel has no race within a block.
    pub fn is_sound(&self) -> bool {
        self.races.is_empty()
    }
}

/// The same for a person.
pub fn text(outcome: &Outcome) -> String {
    let Outcome { kernel, block, .. } = outcome;
    if outcome.is_sound() {
        return format!("{kernel}: no race within a block was found\n");
    }
    let mut text = String::new();
    for race in &outcome.races {
        let _ = writeln!(text, "race: {}", race.message);
    }
    let _ = writeln!(text, "\nBlock ({},{}) of {kernel}", block.x, block.y);
    let _ = writeln!(text, "  {:<22}{}", "a wrong C:", told(outcome.wrong.as_ref()));
    let _ = writeln!(text, "  {:<22}{}", "the right C:", told(outcome.right.as_ref()));
    let _ = writeln!(
        text,
        "  {:<22}{} of {} give a wrong C",
        "random orders:", outcome.random_wrong, outcome.random_orders
    );
    if let Some(run) = &outcome.wrong {
        let _ = writeln!(
            text,
            "\nTo see it happen: --show, or the screen of this kernel with --order {} --at {},{}",
            run.order, block.x, block.y
        );
    }
    text
}

fn told(run: Option<&Run>) -> String {
    let Some(run) = run else { return "in no order that was tried".to_owned() };
    let mut text = format!("--order {} ({} preemptions)", run.order, run.preemptions);
    if let Some((row, column, is, should)) = run.first {
        let _ = write!(
            text,
            ": {} of {} elements, first C[{row}][{column}] = {is:.6} instead of {should:.6}",
            run.wrong, run.elements
        );
    }
    if !run.ended {
        text.push_str(": the block does not come to its end");
    }
    text
}
