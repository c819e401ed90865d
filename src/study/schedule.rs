//! Searches for an order of the warps that spoils a racy kernel's C, and for one that does not; of a
//! kernel that computes something else, for one that changes its result.

mod blocks;
mod judge;
mod minimise;
mod played;
mod replay;
mod run;
mod same;

use crate::analysis::check::{self, CheckOutcome, Checks, Finding, FindingKind};
use crate::kernel::Problem;
use crate::launch::Dim3;
use crate::sim::{Memory, Order, Program};
use crate::work::{WorkToken, are_stopped};
pub use blocks::{Backwards, BlockOrder, backwards};
use judge::{ExpectedBlock, Judge};
use played::OrderResult;
pub use run::OrderRun;
pub use same::Changed;
use same::has_atomics;
use serde::Serialize;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Barrier intervals in which each warp is tried ahead of the others.
const INTERVALS: u32 = 4;

/// Preemptions up to which an order is readable as a script.
const SHORT: u64 = 16;

/// Instructions that all orders together may issue before the random ones are cut short: some
/// seconds.
const MOST: u64 = 50_000_000;

/// Instructions after which a block at an end of the grid, run alone, is aborted: it may be waiting
/// for others.
const ALONE: u64 = 10_000_000;

/// The parameters of a search.
pub struct Search<'a> {
    /// The kernel and its launch.
    pub problem: &'a Problem,
    /// The kernel's program.
    pub program: &'a Arc<Program>,
    /// The block, or `None` for the first that races.
    pub block: Option<Dim3>,
    /// The number of random orders to try.
    pub random: u64,
    /// Instructions after which a block is aborted.
    pub budget: u64,
    /// Is told of each block that begins when the whole grid is checked, and then how many orders have
    /// been tried. At least one is tried.
    pub token: &'a WorkToken,
}

#[derive(Debug)]
pub struct SearchResult {
    /// The block whose orders were searched.
    pub block: Dim3,
    /// The races of the kernel.
    pub races: Vec<Finding>,
    /// If no race is within a block: other errors, which no order of a block's warps shows.
    pub others: Vec<Finding>,
    /// If blocks race: what other orders of the blocks change, unless there are too many, or they wait
    /// for one another. Beside races within a block, only if they change something.
    pub blocks: Option<Vec<BlockOrder>>,
    /// Global memory after the check.
    pub memory: Memory,
    /// The results that the orders produce, if any were tried.
    pub orders: Orders,
}

/// The C that orders of a block's warps produce.
#[derive(Debug, Default, Serialize)]
pub struct Orders {
    /// The simplest order that gives a wrong C.
    pub wrong: Option<OrderRun>,
    /// The simplest order that gives the right one.
    pub right: Option<OrderRun>,
    /// If C is A times B in no order: how the results vary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub varies: Option<Varies>,
    /// If all orders give the same result: the reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fixed: Option<String>,
    /// The number of orders tried.
    pub tried: u64,
    /// The random orders among them; fewer than requested if those would take too long.
    pub random_orders: u64,
    /// The random orders that gave a wrong C.
    pub random_wrong: u64,
    /// The orders whose result float atomics have rounded otherwise, and that is all.
    #[serde(skip_serializing_if = "is_zero")]
    pub rounded: u64,
    /// The number of random orders requested.
    #[serde(skip)]
    pub random_asked: u64,
    /// The first wrong random order, shortened.
    pub shortened: Option<Shortened>,
}

/// What random orders of a block's warps do to its C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RandomOrders {
    /// Those that gave a wrong C.
    pub wrong: u64,
    /// Those that were tried; fewer than requested if they take too long.
    pub tried: u64,
}

/// How orders vary in a C whose expected value is not known.
#[derive(Clone, Debug, Serialize)]
pub struct Varies {
    /// The number of different results; those that rounding explains count as one.
    pub results: usize,
    pub order: String,
    /// Another order with a different C.
    pub other: Option<OrderRun>,
}

/// An order reduced to as few preemptions as possible.
#[derive(Clone, Debug, Serialize)]
pub struct Shortened {
    /// The original order.
    pub order: String,
    pub preemptions: u64,
    /// The reduced order.
    pub to: OrderRun,
}

impl Search<'_> {
    /// Checks a block at each end of the grid, and all blocks if neither races. If one races, tries
    /// orders of its warps: each warp to its barrier; round robin; as if a barrier stood before one
    /// of the racing lines; one warp ahead of the others once; in step; random ones. The orders
    /// that spoil C, and those that do not, are reduced to as few turns as possible. Of a kernel that
    /// computes no product, the orders that change its result, also if only atomics may do so.
    pub fn run(&self) -> SearchResult {
        let CheckOutcome { findings, memory, .. } = self.checked();
        let races: Vec<_> = races(&findings).into_iter().cloned().collect();
        let block = self.block.or(races.first().map(|race| race.block)).unwrap_or(Dim3::at(0, 0));
        let may_vary = !self.problem.is_product() && has_atomics(self.program);
        if races.is_empty() {
            let orders = if may_vary { self.search(&races, block) } else { Orders::default() };
            let is_between = |found: &Finding| found.kind == FindingKind::Race;
            let blocks = findings.iter().any(is_between);
            let blocks = blocks.then(|| blocks::orders(self.problem, self.program)).flatten();
            return SearchResult { block, races, others: findings, blocks, memory, orders };
        }
        let orders = self.search(&races, block);
        // What the race within a block does in another order of the blocks is not of interest: only
        // that blocks race as well.
        let blocks = blocks::orders_if_quick(self.problem, self.program);
        let blocks = blocks.filter(|orders| orders.iter().any(|order| order.wrong > 0));
        SearchResult { block, races, others: Vec::new(), blocks, memory, orders }
    }

    /// Tries random orders alone; `None` if nothing races within a block. Without the other orders of
    /// [`Self::run`] and its search for the simplest that spoils C, it takes a third of the time.
    pub fn count(&self) -> Option<RandomOrders> {
        let findings = self.checked().findings;
        let first = races(&findings).first()?.block;
        // In the usual order the block writes all of its C.
        let runs = self.play_each(self.block.unwrap_or(first), vec![Order::ToBarrier]);
        let judge = Judge::of(self.problem, self.program, &runs);
        let random = runs.get(1..).unwrap_or_default();
        let wrong = random.iter().filter(|run| !judge.is_right(run)).count();
        Some(RandomOrders { wrong: wrong as u64, tried: random.len() as u64 })
    }

    /// Checks the specified block; otherwise the first of the grid, then its last, then all. One
    /// block that races is enough, and a block takes much less time than a grid.
    fn checked(&self) -> CheckOutcome {
        let launch = self.problem.launch;
        let last = launch.grid.place(launch.blocks() - 1);
        let ends = [Dim3::at(0, 0), last].into_iter().map(|block| self.check(Some(block), ALONE));
        if self.block.is_some() {
            return self.check(self.block, self.budget);
        }
        let mut racing = ends.filter(|checked| !races(&checked.findings).is_empty());
        racing.next().unwrap_or_else(|| self.check(None, self.budget))
    }

    fn check(&self, only: Option<Dim3>, budget: u64) -> CheckOutcome {
        let (problem, program) = (self.problem, self.program);
        let make = |block, memory| {
            if only.is_none() {
                // Whoever runs the block asks as well.
                _ = self.token.begin("block", problem.launch.blocks());
            }
            problem.machine(Arc::clone(program), block, memory, Order::default())
        };
        let (launch, unfilled) = (problem.launch, problem.unfilled());
        let budget = budget.min(self.budget);
        let checks = Checks { launch, only, budget, unfilled: &unfilled, token: self.token };
        check::run(&checks, || problem.dense_memory(program), make)
    }

    /// Runs all orders.
    fn play_all(&self, races: &[Finding], block: Dim3) -> Vec<OrderResult> {
        let orders = self.orders(races).into_iter().chain([in_step(races)]);
        self.play_each(block, orders.collect())
    }

    /// Runs these orders and then the random ones, which only as long as they do not take too long.
    fn play_each(&self, block: Dim3, orders: Vec<Order>) -> Vec<OrderResult> {
        let (mut runs, mut left) = (Vec::new(), MOST);
        let of = self.random.saturating_add(orders.len() as u64);
        // One by one: nobody has memory for as many as may be asked for.
        let random = (1..=self.random).map(Order::Random);
        for order in orders.into_iter().chain(random) {
            if left == 0 && matches!(order, Order::Random(_)) {
                break;
            }
            let stops = self.token.step("order", runs.len() as u64, of).is_break();
            if stops && !runs.is_empty() {
                break;
            }
            let run = self.play(block, order);
            if are_stopped() {
                break;
            }
            left = left.saturating_sub(run.steps);
            runs.push(run);
        }
        runs
    }

    fn search(&self, races: &[Finding], block: Dim3) -> Orders {
        let runs = self.play_all(races, block);
        let judge = Judge::of(self.problem, self.program, &runs);
        let (tried, fixed) = (runs.len() as u64, self.why_fixed(races));
        let mut orders = Orders { tried, fixed, random_asked: self.random, ..Orders::default() };
        let judged: Vec<_> = runs.iter().map(|run| (run, judge.is_right(run))).collect();
        for (run, is_right) in judged.iter().copied() {
            if matches!(run.order, Order::Random(_)) {
                orders.random_orders += 1;
                orders.random_wrong += u64::from(!is_right);
            }
            orders.rounded += u64::from(is_right && judge.is_rounded(run));
            orders.keep(is_right, run.preemptions, || judge.run(run));
        }
        self.shorten_all(block, &judged, &judge, &mut orders);
        if orders.right.is_none() && orders.fixed.is_none() {
            orders.varies = self.varies(block, &runs);
        }
        orders
    }

    /// Whether runs differ of which none is known to be right.
    fn varies(&self, block: Dim3, runs: &[OrderResult]) -> Option<Varies> {
        let first = runs.iter().find(|run| run.ended)?;
        let mut kinds: Vec<Judge<'_>> = Vec::new();
        for run in runs.iter().filter(|run| run.ended) {
            if !kinds.iter().any(|kind| kind.is_right(run)) {
                kinds.push(Judge::C(ExpectedBlock::c_of(self.problem, run)));
            }
        }
        let differs = |run: &OrderResult| run.ended && !kinds[0].is_right(run);
        let others = runs.iter().filter(|run| differs(run));
        let other = others.min_by_key(|run| run.preemptions);
        let shorter = other.and_then(|run| self.shorten(block, &run.order, differs));
        let other = shorter.as_ref().or(other).map(|run| kinds[0].run(run));
        Some(Varies { results: kinds.len(), order: first.order.to_string(), other })
    }

    /// Shortens the first random order that spoils C, the simplest order that does, and the
    /// simplest that does not.
    fn shorten_all(
        &self,
        block: Dim3,
        judged: &[(&OrderResult, bool)],
        judge: &Judge<'_>,
        orders: &mut Orders,
    ) {
        let wrong = |run: &OrderResult| !judge.is_right(run);
        let is_random = |run: &OrderResult| matches!(run.order, Order::Random(_));
        let random = judged.iter().find(|(run, is_right)| !is_right && is_random(run));
        if let Some((from, _)) = random {
            let shorter = self.shorten(block, &from.order, wrong);
            orders.shortened = shorter.map(|run| Shortened {
                order: from.order.to_string(),
                preemptions: from.preemptions,
                to: judge.run(&run),
            });
        }
        if let Some(Shortened { to, .. }) = orders.shortened.clone() {
            orders.keep(false, to.preemptions, || to);
        }
        let simplest = |is_right: bool| {
            let alike = judged.iter().filter(|(_, other)| *other == is_right).map(|(run, _)| *run);
            alike.min_by_key(|run| run.preemptions).filter(|run| run.preemptions > 0)
        };
        // A long script is not simpler than the name of an order.
        let simpler = |script: &OrderResult, run: &OrderResult| {
            script.preemptions <= SHORT || 2 * script.preemptions <= run.preemptions
        };
        let shorter = |is_right: bool| {
            let run = simplest(is_right)?;
            let script = self.shorten(block, &run.order, |run| judge.is_right(run) == is_right);
            script.filter(|script| simpler(script, run))
        };
        for (is_right, run) in [false, true].map(|is_right| (is_right, shorter(is_right))) {
            if let Some(run) = run {
                orders.keep(is_right, run.preemptions, || judge.run(&run));
            }
        }
    }

    /// Returns the orders to try in addition to random ones.
    fn orders(&self, races: &[Finding]) -> Vec<Order> {
        let of_block = self.problem.launch.warps();
        let warps = (of_block * self.program.blocks_together() as u32) as u8;
        let racing = races.iter().flat_map(|race| {
            let interval = race.interval.unwrap_or(0);
            race.sides.iter().map(move |side| (side.machine_warp(of_block) as u8, interval))
        });
        let all = (0..INTERVALS).flat_map(|at| (0..warps).map(move |warp| (warp, at)));
        let ahead = racing.chain(all).map(|(warp, interval)| Order::Ahead { warp, interval });
        let before = lines(races).into_iter().map(Order::Before);
        let copies = self.program.insts.iter().any(|inst| inst.op.is_async_copy());
        let early = copies.then_some(Order::EarlyCopies);
        let simple = [Order::ToBarrier, Order::RoundRobin].into_iter().chain(early);
        simple.chain(before).chain(ahead).collect()
    }

    /// Returns why the order of the warps makes no difference, if that is known.
    fn why_fixed(&self, races: &[Finding]) -> Option<String> {
        if self.problem.launch.warps() == 1 && self.program.blocks_together() == 1 {
            return Some("the block is one warp, and its lanes go together".to_owned());
        }
        let atomic = has_atomics(self.program);
        let between = races.iter().any(|race| !race.is_within_a_warp());
        let what = if self.problem.is_product() { "C" } else { "result" };
        (!between && !atomic).then(|| {
            format!(
                "no two warps race, only lanes of one, which go together: all orders of the warps \
                 give one {what}"
            )
        })
    }
}

/// Returns the races within blocks among the findings, those between two warps first.
fn races(findings: &[Finding]) -> Vec<&Finding> {
    let within = |finding: &&Finding| {
        let by_order = matches!(
            finding.kind,
            FindingKind::Race | FindingKind::UnwaitedCopy | FindingKind::WriteDuringAsyncRead
        );
        by_order && finding.interval.is_some()
    };
    let mut races: Vec<_> = findings.iter().filter(within).collect();
    races.sort_by_key(|race| race.is_within_a_warp());
    races
}

/// Returns the order that comes closest to barriers between all racing accesses.
fn in_step(races: &[Finding]) -> Order {
    let known = races.iter().all(|race| race.sides.iter().all(|side| side.line.is_some()));
    Order::InStep(if known { lines(races).into_iter().collect() } else { [].into() })
}

/// Returns the distinct source lines that race.
fn lines(races: &[Finding]) -> BTreeSet<u32> {
    races.iter().flat_map(|race| race.sides.iter().filter_map(|side| side.line)).collect()
}

/// Whether no order was counted.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Orders {
    /// Keeps a run if it has fewer preemptions than the best so far with the same result.
    fn keep(&mut self, is_right: bool, preemptions: u64, run: impl FnOnce() -> OrderRun) {
        let best = if is_right { &mut self.right } else { &mut self.wrong };
        if best.as_ref().is_none_or(|best| preemptions < best.preemptions) {
            *best = Some(run());
        }
    }
}

impl SearchResult {
    /// Returns the block and the order of its warps, in the format of `--order`, that gives a wrong
    /// C.
    pub fn spoiled(&self) -> Option<(Dim3, &str)> {
        self.orders.wrong.as_ref().map(|run| (self.block, run.order.as_str()))
    }

    /// Whether no error was found.
    pub const fn is_sound(&self) -> bool {
        self.races.is_empty() && self.others.is_empty()
    }
}
