//! The result of simulating a grid, as text and JSON.

pub(super) mod buffers;
pub mod located;
mod order;
pub mod page;
mod products;
pub mod program;

use super::approximate;
use super::cause::{Explanation, Verdict};
use super::chosen;
use super::contracted;
use super::costly;
use super::figures::{self, Row};
use super::finding::{self, Names};
use super::number::{Count, grouped, sides};
use super::vectorised;
use crate::analysis::Counters;
use crate::kernel::{Assumptions, Goal, Tile, compiled_by, sha256_of};
use crate::launch::{Dim3, Launch};
use crate::matrix::judge::{Errors, Mismatch, Wrong};
use crate::matrix::{Layout, Operand, Size};
use crate::study::approximate::{Approximation, approximations};
use crate::study::batches;
use crate::study::cause::{Cause, Diagnosis};
use crate::study::simulation::{Simulated, Simulation};
use order::BlockOrders;
use products::ProductsReport;
use serde::Serialize;
use std::fmt::Write;

/// The result of a simulation.
#[derive(Debug, Serialize)]
pub struct SimReport {
    kernel: String,
    /// The entry point's name in the PTX.
    entry: String,
    ptx_sha256: String,
    /// The compiler that the PTX names.
    #[serde(skip_serializing_if = "Option::is_none")]
    compiled_by: Option<String>,
    /// The size of the matrices, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<Size>,
    /// The tile of a catalogue kernel.
    #[serde(skip_serializing_if = "Option::is_none")]
    tile: Option<Tile>,
    grid: Dim3,
    block: Dim3,
    /// The blocks of a cluster, if they are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    cluster: Option<Dim3>,
    /// Accesses of warps to the shared memory of other blocks of a cluster.
    #[serde(skip_serializing_if = "is_none")]
    cluster_accesses: u64,
    /// Bytes of dynamic shared memory per block.
    dynamic_shared_bytes: u32,
    /// The arguments of a user's kernel, as `--launch` takes them.
    #[serde(skip_serializing_if = "Option::is_none")]
    args: Option<String>,
    /// What of its launch nobody stated.
    #[serde(skip_serializing_if = "Assumptions::is_empty")]
    assumed: Assumptions,
    /// Functions whose calls are skipped because they do not affect the simulation: `printf`.
    calls_left_out: Vec<&'static str>,
    /// What it is to compute: of anything but the product nothing is judged.
    result: Goal,
    /// How A, B and C lie in memory, if not as float32, row-major, without gaps.
    #[serde(skip_serializing_if = "Option::is_none")]
    layouts: Option<[Layout; 3]>,
    /// The number of blocks simulated: one block stands for each class, see
    /// [`block_classes`](crate::analysis::block_classes).
    blocks_simulated: u64,
    blocks_total: u64,
    /// The reason why every block was simulated although only counts were requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    no_classes: Option<String>,
    #[serde(serialize_with = "figures::ptx")]
    ptx: Counters,
    /// Predicted counts for the SASS that ptxas generates. The total number of SASS instructions
    /// cannot be predicted.
    #[serde(serialize_with = "figures::sass")]
    sass: Counters,
    /// The least and the most that an uncertain count for the SASS may be.
    #[serde(serialize_with = "figures::uncertain", skip_serializing_if = "figures::is_certain")]
    sass_uncertain: Counters,
    /// The accesses that ptxas vectorises.
    joins: Vec<vectorised::Row>,
    /// Accesses for which that is uncertain, and other notes.
    join_notes: Vec<vectorised::NoteRow>,
    /// Whether the run was checked for races, barrier errors and uninitialised reads.
    checked: bool,
    /// The errors found in the kernel, whether or not C is right; empty if it was not checked.
    findings: Vec<finding::Row>,
    /// Stores that would race with other data: in this run they are of one value.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    same_by_data: Vec<String>,
    /// Indices that leave their row of an array for another one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    leaves_row: Vec<String>,
    /// Instructions whose results may differ from a GPU's in some bits.
    approximate: Vec<Approximation>,
    /// Instructions that need more sectors or wavefronts than necessary, the worst first.
    costly: Vec<costly::Row>,
    /// Why the command ends with 1, if it does: `wrong`, `findings`, and what `--fail-on` names.
    fails: Vec<&'static str>,
    /// The judgement of C, if it is to be the product.
    #[serde(flatten)]
    of_c: Option<ProductReport>,
    /// The products of the launch, if it computes several.
    #[serde(skip_serializing_if = "Option::is_none")]
    products: Option<ProductsReport>,
    /// The buffers after the run, if the result is not judged.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    buffers: Vec<buffers::Row>,
    /// What the order of the blocks changes, if anything.
    #[serde(skip_serializing_if = "Option::is_none")]
    order_of_blocks: Option<BlockOrders>,
    /// The result at an awkward size, at which a kernel of one's own is checked as well.
    #[serde(skip_serializing_if = "Option::is_none")]
    awkward: Option<Box<SimReport>>,
    seconds: f64,
    warp_instructions_per_second: f64,
}

/// What a caller may want to be an error, beside a wrong C and what the checks find.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureClass {
    /// An access that takes more sectors or wavefronts than it needs.
    Costly,
    /// One to global memory that is not coalesced.
    Uncoalesced,
    /// One to shared memory with bank conflicts.
    Conflicts,
    /// A count of the SASS that cannot be predicted.
    Uncertain,
}

impl FailureClass {
    pub const ALL: [Self; 4] = [Self::Costly, Self::Uncoalesced, Self::Conflicts, Self::Uncertain];

    /// Its name on the command line and in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Costly => "costly",
            Self::Uncoalesced => "uncoalesced",
            Self::Conflicts => "conflicts",
            Self::Uncertain => "uncertain",
        }
    }

    /// What it stands for.
    pub const fn help(self) -> &'static str {
        match self {
            Self::Costly => "an access that takes more sectors or wavefronts than it needs",
            Self::Uncoalesced => "an access to global memory that is not coalesced",
            Self::Conflicts => "an access to shared memory with bank conflicts",
            Self::Uncertain => "a count of the SASS that cannot be predicted",
        }
    }

    fn occurs(self, outcome: &SimReport) -> bool {
        match self {
            Self::Costly => !outcome.costly.is_empty(),
            Self::Uncoalesced => outcome.costly.iter().any(costly::Row::is_uncoalesced),
            Self::Conflicts => outcome.costly.iter().any(costly::Row::has_conflicts),
            Self::Uncertain => !figures::is_certain(&outcome.sass),
        }
    }
}

/// The judgement of C.
#[derive(Debug, Serialize)]
struct ProductReport {
    /// The formula for C, for example `2 x A x B + 0.5 x C`.
    expected: String,
    /// The largest |c - reference| over all elements, relative to the largest |reference|; the
    /// reference is computed in float64. `None` if C is not judged: it is not known which part of C
    /// a single block of a user's kernel computes, and a run for counts alone computes no C.
    max_relative_error: Option<f64>,
    /// The relative error in the Frobenius norm; `None` as above.
    relative_error: Option<f64>,
    tolerance: f64,
    /// The wrong elements, if C is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    wrong: Option<WrongRow>,
    /// SHA-256 of C as little-endian bytes, or `None` if only a part of C was computed.
    c_sha256: Option<String>,
    /// Whether it is a user's kernel, which may be to compute something else.
    #[serde(skip)]
    is_own: bool,
    /// The options with which it would.
    #[serde(skip)]
    otherwise: Option<String>,
    /// The arguments with which a C that is right for other layouts is judged right.
    #[serde(skip)]
    as_meant: Option<String>,
}

/// The wrong elements of C, and why they are wrong.
#[derive(Debug, Serialize)]
struct WrongRow {
    #[serde(flatten)]
    wrong: Wrong,
    #[serde(flatten)]
    explanation: Option<Explanation>,
    /// That it may come from a part of the launch that nobody stated, if it may.
    #[serde(skip_serializing_if = "Option::is_none")]
    caution: Option<String>,
}

impl SimReport {
    /// The result of a simulation whose blocks ran for so many seconds, with names for places and
    /// lines; the diagnosis is that of its C.
    pub fn new(
        simulation: &Simulation<'_>,
        (simulated, seconds): (&Simulated, f64),
        diagnosis: Option<&Diagnosis>,
    ) -> Self {
        let Simulation { problem, program, .. } = *simulation;
        let Simulated { counters, memory, findings, errors, tolerance, joins, is_whole, .. } =
            simulated;
        let Launch { grid, block } = problem.launch;
        let is_known = problem.known.is_some();
        let c = memory.as_ref().and_then(|memory| memory.named(Operand::C.name()));
        let found = memory.iter().flat_map(|memory| {
            let names = Names { problem, program, memory };
            let mut all: Vec<_> = findings.iter().flatten().collect();
            all.sort_by_key(|finding| names.rank(finding));
            names.rows(&all)
        });
        let same = memory.iter().flat_map(|memory| {
            let names = Names { problem, program, memory };
            simulated.same.iter().filter_map(move |found| names.same_by_data(found))
        });
        // Another compiler merges the indices of an array into one.
        let is_own = compiled_by(&problem.ptx).is_some_and(|by| by.starts_with("matviz"));
        let leaves_row = memory.iter().filter(|_| is_own).flat_map(|memory| {
            let names = Names { problem, program, memory };
            simulated.left_rows.iter().map(move |found| names.leaves_row(found))
        });
        let off = |error: f64| error > *tolerance || error.is_nan();
        let is_wrong = || errors.is_some_and(|errors| off(errors.relative()));
        // A block that does not end keeps others from being run.
        let is_run = *is_whole && simulated.blocks == grid.volume();
        Self {
            kernel: problem.name().to_owned(),
            entry: problem.entry.clone(),
            ptx_sha256: problem.ptx_sha256(),
            compiled_by: compiled_by(&problem.ptx),
            size: problem.operands.first().map(|_| problem.size),
            tile: problem.tile(),
            grid,
            block,
            cluster: (program.blocks_together() > 1).then_some(program.cluster_shape()),
            cluster_accesses: counters.ptx.shared.distributed.all(),
            dynamic_shared_bytes: problem.shared,
            args: (!is_known).then(|| problem.words.clone()),
            assumed: problem.assumed.clone(),
            calls_left_out: problem.left_out.clone(),
            result: problem.goal,
            layouts: (!is_known && problem.layouts != [Layout::default(); 3])
                .then_some(problem.layouts),
            blocks_simulated: simulated.blocks,
            blocks_total: grid.volume(),
            no_classes: simulated.unclassed.as_ref().map(ToString::to_string),
            ptx: *counters,
            sass: *counters,
            sass_uncertain: *counters,
            joins: vectorised::rows(problem, program, joins),
            join_notes: vectorised::notes(problem, program, joins)
                .into_iter()
                .chain(contracted::notes(problem, program))
                .collect(),
            checked: findings.is_some(),
            findings: found.collect(),
            same_by_data: same.collect(),
            leaves_row: leaves_row.collect(),
            approximate: approximations(program, &problem.ptx),
            costly: costly::rows(problem, program, &simulated.costly),
            fails: Vec::new(),
            of_c: problem.is_product().then(|| ProductReport {
                expected: problem.gemm.to_string(),
                max_relative_error: errors.map(Errors::largest),
                relative_error: errors.map(Errors::relative),
                tolerance: *tolerance,
                wrong: errors.filter(|_| is_wrong()).map(|errors| {
                    let explanation =
                        diagnosis.map(|diagnosis| Explanation::new(problem, diagnosis));
                    let caution = chosen::of_result(problem, explanation.as_ref());
                    WrongRow { wrong: errors.wrong(), explanation, caution }
                }),
                c_sha256: c.filter(|_| is_run).map(|c| sha256_of(problem.words_of_c(c))),
                is_own: !is_known,
                otherwise: problem.otherwise.clone(),
                as_meant: diagnosis
                    .filter(|_| !is_known)
                    .and_then(|of| as_meant(&problem.words, of)),
            }),
            products: memory
                .as_ref()
                .filter(|_| *is_whole)
                .and_then(|memory| batches::judge(problem, memory))
                .map(ProductsReport::from),
            buffers: match problem.goal {
                Goal::Product => Vec::new(),
                Goal::Any => buffers::rows(problem, memory.as_ref().filter(|_| *is_whole)),
            },
            order_of_blocks: memory
                .as_ref()
                .zip(simulated.backwards.as_ref())
                .map(|(memory, backwards)| BlockOrders::new(memory, backwards)),
            awkward: None,
            seconds,
            warp_instructions_per_second: counters.ptx.warp_instructions as f64 / seconds,
        }
    }

    /// The same, with the result at an awkward size beside it.
    #[must_use]
    pub fn beside(mut self, awkward: Option<Self>) -> Self {
        if awkward.is_some() {
            for finding in &mut self.findings {
                finding.size = self.size;
            }
        }
        self.awkward = awkward.map(|mut awkward| {
            for finding in &mut awkward.findings {
                finding.size = awkward.size;
            }
            Box::new(awkward)
        });
        self
    }

    /// The same, failing also on these.
    #[must_use]
    pub fn failing_on(mut self, classes: &[FailureClass]) -> Self {
        let any =
            |fails: fn(&Self) -> bool| fails(&self) || self.awkward.as_deref().is_some_and(fails);
        let wrong = [("wrong", any(Self::is_wrong)), ("findings", any(|it| !it.is_sound()))];
        let named = FailureClass::ALL.into_iter().filter(|class| classes.contains(class));
        let named = named.map(|class| (class.name(), class.occurs(&self)));
        let fails = wrong.into_iter().chain(named).filter(|(_, fails)| *fails);
        self.fails = fails.map(|(name, _)| name).collect();
        self
    }

    /// Why the command ends with 1; empty if it does not.
    pub fn fails(&self) -> &[&'static str] {
        &self.fails
    }

    /// Whether the checks found nothing.
    pub const fn is_sound(&self) -> bool {
        self.findings.is_empty()
    }

    /// Whether C is wrong, and not only unfinished.
    fn is_wrong(&self) -> bool {
        !self.is_right() && self.verdict() == Verdict::Wrong
    }

    /// What a C that is not right is.
    fn verdict(&self) -> Verdict {
        let wrong = self.of_c.as_ref().and_then(|of_c| of_c.wrong.as_ref());
        Verdict::of(wrong.and_then(|wrong| wrong.explanation.as_ref()))
    }

    /// Whether C is the product, to within rounding, as far as it can be judged; NaN is an error.
    pub fn is_right(&self) -> bool {
        let of_c = self.of_c.as_ref();
        if self.products.as_ref().is_some_and(|all| all.wrong > 0) {
            return false;
        }
        of_c.is_none_or(|c| c.relative_error.is_none_or(|error| error <= c.tolerance))
    }
}

/// The result as text.
pub fn text(outcome: &SimReport) -> String {
    let mut text = format!("{}\n\n", heading(outcome));
    let mut rows = vec![["Simulated", "PTX", "SASS"].map(str::to_owned)];
    rows.extend(figures::rows(&outcome.ptx).into_iter().map(|Row { label, ptx, sass }| {
        let sass = sass.map_or_else(|| "-".to_owned(), |sass| sass.to_string());
        [format!("  {label}"), grouped(ptx), sass]
    }));
    // A range of large counts is wider than the column that most launches need.
    let longest = rows.iter().map(|[.., sass]| sass.len()).max().unwrap_or(0);
    let wide = longest.max(16) + 2;
    for [label, ptx, sass] in rows {
        let _ = writeln!(text, "{label:<34}{ptx:>18}{sass:>wide$}");
    }
    text.push_str(&figures::note(&outcome.ptx));
    let uncounted = outcome.ptx.ptx.shared.distributed.uncounted;
    if uncounted > 0 {
        let count = Count(uncounted, "atomic operation");
        let _ =
            writeln!(text, "Not counted: {count} in other blocks' shared memory, loops in SASS.");
    }
    text.push_str(&vectorised::text(&outcome.joins, &outcome.join_notes));
    let _ = write!(
        text,
        "\n{}\n{:.2} s, {:.1} million warp instructions a second\nPTX {}{}\n",
        verdict(outcome),
        outcome.seconds,
        outcome.warp_instructions_per_second / 1e6,
        outcome.ptx_sha256,
        outcome.compiled_by.as_ref().map_or(String::new(), |by| format!(", compiled by {by}")),
    );
    if let Some(hash) = outcome.of_c.as_ref().and_then(|c| c.c_sha256.as_ref()) {
        let _ = writeln!(text, "C   {hash}");
    }
    text.push_str(&buffers::text(&outcome.buffers));
    text.push_str(&outcome.order_of_blocks.as_ref().map_or_else(String::new, BlockOrders::text));
    text.push_str(&costly::text(&outcome.costly));
    text.push_str(&approximate::text(&outcome.approximate));
    text.push_str(&finding::text(&outcome.findings));
    for note in outcome.same_by_data.iter().chain(&outcome.leaves_row) {
        let _ = writeln!(text, "\nnote: {note}");
    }
    if let Some(awkward) = &outcome.awkward {
        text.push_str(&at_awkward(awkward));
    }
    if !outcome.checked {
        text.push_str("\nNot checked for races, barriers and uninitialized memory\n");
    }
    text
}

/// What the awkward size adds.
fn at_awkward(outcome: &SimReport) -> String {
    let size = outcome.size.map_or(String::new(), |size| format!("{size}: "));
    let nothing = if outcome.is_sound() { "; the checks find nothing" } else { "" };
    let verdict = if outcome.of_c.is_some() { verdict(outcome) } else { String::new() };
    let verdict = if verdict.is_empty() { "it was run".to_owned() } else { verdict };
    format!("\nAt {size}{verdict}{nothing}\n{}", finding::text(&outcome.findings))
}

/// `tiled, size 512, tile 16: 1,024 of 1,024 blocks of 16 x 16 threads`, followed by the arguments
/// of a user's kernel.
fn heading(outcome: &SimReport) -> String {
    let SimReport { kernel, size, grid, block, .. } = outcome;
    let tile = outcome.tile.map_or(String::new(), |tile| format!(", tile {tile}"));
    let size = size.map_or(String::new(), |size| format!(", size {size}"));
    let mut text = format!(
        "{kernel}{size}{tile}: {} of {} blocks of {} threads",
        grouped(outcome.blocks_simulated),
        grouped(grid.volume()),
        sides(*block),
    );
    if let Some(cluster) = outcome.cluster {
        let _ = write!(text, ", in clusters of {}", sides(cluster));
    }
    if let Some(why) = &outcome.no_classes {
        let _ = write!(text, "\nEvery block, not one of each class: {why}");
    }
    if let Some(args) = &outcome.args {
        let _ = write!(text, "\ngrid {}, arguments {args}", sides(*grid));
    }
    if outcome.dynamic_shared_bytes > 0 {
        let bytes = grouped(outcome.dynamic_shared_bytes.into());
        let _ = write!(text, ", {bytes} bytes of dynamic shared memory");
    }
    text
}

fn verdict(outcome: &SimReport) -> String {
    let Some(of_c) = &outcome.of_c else {
        if let Some(products) = &outcome.products {
            return products.to_string();
        }
        return "The result is not judged".to_owned();
    };
    let Some(error) = of_c.relative_error else {
        return "C is not judged: not all of it was computed".to_owned();
    };
    let explained = of_c.wrong.as_ref().and_then(|wrong| wrong.explanation.as_ref());
    if let Some(why) = explained.and_then(Explanation::unfinished) {
        return format!("C is {}: {why}", outcome.verdict());
    }
    let verdict =
        if outcome.is_right() { "right".to_owned() } else { outcome.verdict().to_string() };
    let ProductReport { tolerance, expected, .. } = of_c;
    let of = if expected == "A x B" { String::new() } else { format!("{expected} in ") };
    let mut text = if *tolerance > 0.0 {
        format!(
            "C is {verdict}: relative error {error:.1e} against {of}float64 (tolerance {tolerance:.1e})"
        )
    } else {
        format!("C is {verdict}: relative error {error:.1e}; sums of integers are exact")
    };
    if let Some(WrongRow { wrong, explanation, caution }) = &of_c.wrong {
        text.push_str(&wrong_elements(wrong, explanation.as_ref()));
        if let Some(caution) = caution {
            let _ = write!(text, "\n  {caution}");
        }
    }
    if let Some(words) = &of_c.as_meant {
        let _ = write!(text, "\n  if it is meant so: --launch '({words})'");
    }
    if of_c.is_own && of_c.wrong.is_some() {
        let words = of_c.otherwise.as_ref().map_or(String::new(), |words| format!("({words})"));
        let _ = write!(
            text,
            "\n  if it is to compute something else than {expected}: --launch '(void){words}'"
        );
    }
    text
}

/// The words of `--launch` with the matrices as a kernel takes them whose C is right for column-major
/// ones.
pub fn as_meant(words: &str, diagnosis: &Diagnosis) -> Option<String> {
    let Some(Cause::ColumnMajor(which)) = &diagnosis.cause else { return None };
    let of = |word: &str| {
        let (before, name) = word.rsplit_once('{').map_or(("", word), |(_, name)| ("{", name));
        let (name, after) = name.split_once('}').map_or((name, ""), |(name, _)| (name, "}"));
        let matrix = name.split([':', '=']).next().unwrap_or(name);
        let operand = Operand::ALL.into_iter().find(|of| of.name() == matrix);
        match operand.filter(|of| which[*of as usize]) {
            Some(_) if name.contains('=') => name.replacen('=', ":col=", 1),
            Some(_) => format!("{before}{name}:col{after}"),
            None => word.to_owned(),
        }
    };
    let words: Vec<_> = words.split(',').map(of).collect();
    Some(words.join(","))
}

/// Whether there is nothing to tell of.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes it so")]
const fn is_none(count: &u64) -> bool {
    *count == 0
}

/// How many elements are wrong, the first of them, and why; and how to trace it.
fn wrong_elements(
    Wrong { elements, of, first, .. }: &Wrong,
    explanation: Option<&Explanation>,
) -> String {
    let Some(first) = first else { return String::new() };
    let (Mismatch { row, column, .. }, [is, should]) = (first, first.shown());
    let mut text = format!(
        "\n  {} of {} elements are wrong, the first C[{row}][{column}] = {is} instead of {should}",
        grouped(*elements),
        grouped(*of)
    );
    for line in explanation.into_iter().flat_map(|explanation| explanation.lines(*elements)) {
        let _ = write!(text, "\n  {line}");
    }
    let _ = write!(
        text,
        "\n  matviz trace 'C[{row}][{column}]' with the same options tells where it comes from"
    );
    text
}
