//! What the simulation says of a version: whether C is right, what was found, what it costs.

use super::mistake::Mistake;
use super::mistakes::mistakes;
use super::run::{BUDGET, JudgedStage, SizeResult, sides};
use super::version::{SizedKernel, Version};
use crate::analysis::Counts;
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
            judged.extend(JudgedStage::of(at, stage, token));
        }
        let mistakes = mistakes(&judged, order, token)?;
        let is_product = |judged: &&JudgedStage<'_>| judged.stage.problem.is_product();
        Some(Self {
            products: judged.iter().filter(is_product).map(JudgedStage::product).collect(),
            findings: mistakes.iter().filter(|mistake| mistake.kind.is_found()).count() as u64,
            counts: judged
                .first()
                .map(|first| first.run.simulated.counters.ptx)
                .unwrap_or_default(),
            mistakes,
        })
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
    let products = sizes.iter().map(|size| {
        let product = |judgement: &Judgement| judgement.product(*size);
        Row { label: format!("C at {}", sides(*size)), cells: cells(&product) }
    });
    let counts = FIGURES.iter().map(|figure| {
        let count = |judgement: &Judgement| {
            let count = (figure.count)(judgement);
            TableCell { text: grouped(count), is_bad: figure.is_bad && count > 0 }
        };
        Row { label: figure.label.to_owned(), cells: cells(&count) }
    });
    products.chain(counts).collect()
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
