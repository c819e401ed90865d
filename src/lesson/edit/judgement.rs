//! What the simulation says of a version: whether C is right, what was found, what it costs.

use super::mistake::{Mistake, MistakeKind};
use super::mistakes::mistakes;
use super::run::{BUDGET, JudgedStage, SizeResult, sides};
use super::version::{SizedKernel, Version};
use crate::analysis::Counts;
use crate::lesson::exercise::ExerciseGoal;
use crate::lesson::exercise::assignment::Assignment;
use crate::lesson::exercise::goals::GoalResult;
use crate::matrix::Size;
use crate::report::number::grouped;
use crate::sim::Order;
use crate::study::schedule::Search;
use crate::work::WorkToken;

/// The random orders of the warps that are tried of a kernel that races.
const RANDOM: u64 = 100;

/// What a version does.
#[derive(Clone, Debug, Default)]
pub struct Judgement {
    /// Whether C is right, at each size that is judged.
    pub products: Vec<SizeResult>,
    /// The number of errors in the run, whether or not C is right.
    pub findings: u64,
    /// The counts of the grid at the first of these sizes, as written.
    pub counts: Counts,
    /// What is wrong, in the order in which it is best put right.
    pub mistakes: Vec<Mistake>,
    /// The goals of the exercise, if it is to solve one.
    pub goals: Vec<GoalResult>,
}

/// A row of the table: what it is called, and its cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub label: String,
    pub cells: Vec<TableCell>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TableCell {
    /// `right`, `WRONG`, `INCOMPLETE` or a count; empty if it is not known.
    pub text: String,
    /// Whether it says that something is wrong.
    pub is_bad: bool,
}

/// A count of the table.
struct JudgedFigure {
    label: &'static str,
    count: fn(&Judgement) -> u64,
    /// Whether any is too many.
    is_bad: bool,
}

const fn figure(label: &'static str, is_bad: bool, count: fn(&Judgement) -> u64) -> JudgedFigure {
    JudgedFigure { label, count, is_bad }
}

/// The counts of the table, in its order.
const FIGURES: &[JudgedFigure] = &[
    figure("findings", true, |it| it.findings),
    figure("load sectors", false, |it| it.counts.global.loads.sectors),
    figure("passes", false, |it| it.counts.shared.all().wavefronts),
    figure("conflicts", true, |it| it.counts.shared.all().conflicts),
    figure("barriers", false, |it| it.counts.barriers),
];

impl Judgement {
    /// Simulates and checks a version at its sizes; the places of its mistakes are those of runs
    /// in this order of the warps. Returns `None` as soon as it is cancelled.
    pub fn of(version: &Version, order: &Order, token: &WorkToken) -> Option<Self> {
        let mut judged = Vec::new();
        for (at, stage) in version.judged() {
            if token.is_cancelled() {
                return None;
            }
            let run = JudgedStage::of(at, stage, version.assignment.is_some(), token);
            judged.extend(run);
            // In an exercise what does not end at one size takes all its instructions at each.
            if version.assignment.is_some() && judged.last().is_some_and(JudgedStage::has_fault) {
                break;
            }
        }
        let mut mistakes = mistakes(&judged, order, token)?;
        let goals = version.assignment.as_ref().map(|assignment| {
            let goals = judged.first().map(|first| {
                let is_sound = !mistakes.iter().any(|it| it.kind < MistakeKind::Goal(0));
                assignment.goals(&first.run, is_sound)
            });
            let goals = goals.unwrap_or_default();
            missed(&mut mistakes, &goals, assignment);
            goals
        });
        let is_product = |judged: &&JudgedStage<'_>| judged.stage.problem.is_product();
        Some(Self {
            products: judged.iter().filter(is_product).map(JudgedStage::product).collect(),
            findings: mistakes.iter().filter(|mistake| mistake.kind.is_found()).count() as u64,
            counts: judged
                .first()
                .map(|first| first.run.simulated.counters.ptx)
                .unwrap_or_default(),
            mistakes,
            goals: goals.unwrap_or_default(),
        })
    }

    /// Whether the exercise is solved: C is right, nothing was found, and each goal is met.
    pub fn is_solved(&self) -> bool {
        let is_met = |goal: &GoalResult| goal.is_met == Some(true);
        self.is_fine() && !self.goals.is_empty() && self.goals.iter().all(is_met)
    }

    /// Whether C is right wherever that is known, and nothing was found.
    pub fn is_fine(&self) -> bool {
        self.findings == 0 && self.products.iter().all(|product| product.is_right != Some(false))
    }

    fn product(&self, size: Size) -> TableCell {
        let product = self.products.iter().find(|product| product.size == size);
        match product.and_then(|product| Some((product.is_right?, product.verdict))) {
            Some((true, _)) => TableCell { text: "right".to_owned(), is_bad: false },
            Some((false, verdict)) => TableCell { text: verdict.to_string(), is_bad: true },
            None => TableCell::default(),
        }
    }
}

/// Adds the goals that are not met. What else could be cheaper is shown as a place of theirs, and is no
/// mistake where all are met.
fn missed(mistakes: &mut Vec<Mistake>, goals: &[GoalResult], assignment: &Assignment) {
    let at = mistakes.partition_point(|mistake| mistake.kind < MistakeKind::Goal(0));
    let costly = mistakes.split_off(at);
    let missed = goals.iter().filter(|goal| goal.is_met == Some(false));
    mistakes.extend(missed.map(|goal| {
        let now = goal.now.as_deref().unwrap_or_default();
        let (what, limit) = (&goal.label, &goal.limit);
        let ExerciseGoal { why, want, .. } = &assignment.exercise.rubric.goals[goal.goal];
        let place = costly.iter().find(|costly| is_counted(&want.text, costly.kind));
        let seen = place.map_or_else(String::new, |place| format!(" {}", place.what));
        Mistake {
            kind: MistakeKind::Goal(goal.goal),
            what: format!("{what}: {now}, and the goal is {limit}."),
            why: format!("{why}{seen}"),
            line: place.and_then(|place| place.line),
            place: place.and_then(|place| place.place),
            stage: 0,
        }
    }));
    if mistakes.len() > at {
        mistakes.extend(costly);
    }
}

/// Whether a mistake shows what a goal counts.
fn is_counted(want: &str, kind: MistakeKind) -> bool {
    match kind {
        MistakeKind::Sectors => want.contains("global_load_sectors"),
        MistakeKind::Conflicts => want.contains("shared_bank_conflicts"),
        _ => false,
    }
}

/// The table of some judgements, of which those that are not known have empty cells.
pub fn table(judgements: &[Option<&Judgement>]) -> Vec<Row> {
    let mut sizes: Vec<Size> = Vec::new();
    let all = judgements.iter().rev().flatten().flat_map(|judgement| &judgement.products);
    for product in all {
        if !sizes.contains(&product.size) {
            sizes.push(product.size);
        }
    }
    let cells = |cell: &dyn Fn(&Judgement) -> TableCell| {
        judgements.iter().map(|it| it.map_or_else(TableCell::default, cell)).collect()
    };
    let goals = judgements.iter().flatten().map(|it| &it.goals).find(|goals| !goals.is_empty());
    let goal_cell = |text: &str| goals.map(|_| TableCell { text: text.to_owned(), is_bad: false });
    let products = sizes.iter().map(|size| {
        let product = |judgement: &Judgement| judgement.product(*size);
        let cells: Vec<_> = cells(&product);
        let cells = cells.into_iter().chain(goal_cell("right")).collect();
        Row { label: format!("C at {}", sides(*size)), cells }
    });
    let of_goals = goals.into_iter().flatten().map(|goal| {
        let count = |judgement: &Judgement| {
            let own = judgement.goals.iter().find(|own| own.goal == goal.goal);
            let text = own.and_then(|own| own.now.clone()).unwrap_or_default();
            TableCell { text, is_bad: own.is_some_and(|own| own.is_met == Some(false)) }
        };
        let cells: Vec<_> = cells(&count);
        let cells = cells.into_iter().chain(goal_cell(&goal.limit)).collect();
        Row { label: goal.label.clone(), cells }
    });
    // The goals of an exercise stand for the costs that it is not about.
    let figures = FIGURES.iter().take(if goals.is_some() { 1 } else { FIGURES.len() });
    let counts = figures.map(|figure| {
        let count = |judgement: &Judgement| {
            let count = (figure.count)(judgement);
            TableCell { text: grouped(count), is_bad: figure.is_bad && count > 0 }
        };
        let cells: Vec<_> = cells(&count);
        let cells = cells.into_iter().chain(goal_cell("0")).collect();
        Row { label: figure.label.to_owned(), cells }
    });
    products.chain(counts).chain(of_goals).collect()
}

/// Tries orders of the warps of a version that races; says what they do to C. Some tenths of a
/// second.
pub fn searched(version: &Version, token: &WorkToken) -> Option<String> {
    let (_, stage) = version.judged().next()?;
    let SizedKernel { problem, program, .. } = stage;
    let (random, budget) = (RANDOM, BUDGET);
    let found = Search { problem, program, block: None, random, budget, token }.run();
    if token.is_cancelled() {
        return None;
    }
    let orders = found.orders;
    if found.races.is_empty() || orders.tried == 0 {
        return None;
    }
    let spoilt = (orders.random_wrong, orders.random_orders);
    let [spoil, what] =
        if problem.is_product() { ["spoil", "C"] } else { ["change", "the result"] };
    Some(match (&orders.wrong, orders.fixed) {
        (_, Some(why)) => format!("No order of the warps changes {what}: {why}."),
        (Some(_), None) if spoilt.0 > 0 => {
            format!("{} of {} random orders of the warps {spoil} {what}.", spoilt.0, spoilt.1)
        }
        (Some(run), None) => format!("The order {} of the warps {spoil}s {what}.", run.order),
        (None, None) => {
            let tried = orders.tried;
            format!("None of {tried} orders that were tried {spoil}s {what}: luck, not proof.")
        }
    })
}

#[cfg(test)]
mod tests;
