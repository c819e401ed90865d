//! Two kernels after the same amount of work: what each has paid so far, as sums over k.

use super::cost::figure;
use super::pen::Pen;
use crate::analysis::Counters;
use crate::trace::RunCost;
use crate::tui::layout::text::{fitting, width, wrapped};
use crate::tui::theme::{Look, Role};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;

mod curve;
mod graph;

pub use curve::Curve;

use curve::{CurveRelation, course};
use graph::CostGraph;

/// The same part of C, computed by two kernels up to the same number of multiply-adds.
#[derive(Clone, Copy, Debug)]
pub struct ComparePanel<'a> {
    /// The simpler kernel.
    pub left: Side<'a>,
    /// The other kernel.
    pub right: Side<'a>,
    /// The length of k.
    pub k: u32,
    /// A tile's steps along k: the graphs show at least this many.
    pub tile: u32,
    pub look: Look,
}

/// One kernel of the comparison.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// The name shown, for example "tiled 16x16".
    pub name: &'a str,
    /// The simulated counts of its block so far, as written in PTX and as executed in SASS.
    pub totals: Counters,
    /// How often a word that its block fetched has been used so far.
    pub reuse: Option<f64>,
    /// What the block has cost after each step along k.
    pub curve: Curve<'a>,
}

/// Which of two figures is the better one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Better {
    Less,
    More,
}

/// One compared figure.
struct Fact {
    label: &'static str,
    values: [f64; 2],
    better: Better,
}

/// Columns of a fact's label, and the least of each of its values.
const LABEL: u16 = 24;
const VALUE: u16 = 12;

/// The rows around the graphs: their headings, the names, the axis, the course, the basis.
const AROUND: u16 = 6;

impl ComparePanel<'_> {
    const fn sides(&self) -> [&Side<'_>; 2] {
        [&self.left, &self.right]
    }

    fn facts(&self) -> Vec<Fact> {
        let sums = |value: fn(&Counters) -> u64| {
            self.sides().map(|side| value(&side.totals) as f64 * side.curve.blocks)
        };
        let less = |label, values| Fact { label, values, better: Better::Less };
        let mut facts = vec![
            less("global load requests", sums(|c| c.ptx.global.loads.requests)),
            less("warp instructions", sums(|c| c.ptx.warp_instructions)),
        ];
        let differs = |side: &&Side<'_>| {
            let totals = &side.totals;
            totals.sass().shared.all().wavefronts != totals.ptx.shared.all().wavefronts
        };
        if self.sides().iter().any(differs) {
            facts.push(less("passes in SASS", sums(|c| c.sass().shared.all().wavefronts)));
        }
        let values = self.sides().map(|side| side.reuse.unwrap_or(0.0));
        facts.push(Fact { label: "uses of a fetched word", values, better: Better::More });
        facts
    }

    /// Returns the steps along k that the graphs show: a tile, doubled until `here` lies within.
    /// At the scale of a whole run, what one tile is ahead of the other kernel could not be seen.
    fn range(&self, here: f64) -> u32 {
        let mut range = self.tile.max(1);
        while range < self.k && f64::from(range) <= here {
            range = range.saturating_mul(2);
        }
        range.min(self.k)
    }

    /// Returns the two graphs with their headings: sectors, and the price of tiling.
    fn graphs(&self) -> [(&'static str, CostGraph<'_>); 2] {
        let curves = self.sides().map(|side| side.curve);
        let k = self.left.totals.sass().multiply_adds() as f64 / self.left.curve.per_k.max(1.0);
        let now = |value: fn(&Counters) -> u64| {
            self.sides().map(|side| value(&side.totals) as f64 * side.curve.blocks)
        };
        let (all, shown) = (self.k, self.range(k));
        let names = self.sides().map(|side| side.name);
        let graph = |of, value, role| {
            let here = (k, now(value));
            CostGraph { curves, names, of, shown, all, here, role }
        };
        [
            (
                "sectors requested from L1",
                graph(|c: &RunCost| c.sectors, |c| c.ptx.global.loads.sectors, Role::Memory),
            ),
            (
                "passes over the banks of shared memory",
                graph(|c: &RunCost| c.passes, |c| c.ptx.shared.all().wavefronts, Role::Shared),
            ),
        ]
    }

    /// Describes how the sectors of the two kernels compare over the run: never a verdict on the
    /// moment, in which one may have fetched in advance.
    fn course(&self) -> [String; 2] {
        let (of, names) = (|c: &RunCost| c.sectors, self.sides().map(|side| side.name));
        let curves = self.sides().map(|side| side.curve);
        let ends = curves.map(|curve| curve.at(f64::from(self.k), of));
        let end = match ends {
            [Some(left), Some(right)] => ratio([left.max(right), left.min(right)])
                .map_or_else(String::new, |ratio| format!(", {ratio} at the end")),
            _ => String::new(),
        };
        match course(curves, self.k, of) {
            CurveRelation::Unknown => {
                ["compared once both runs are recorded", "still recording"].map(str::to_owned)
            }
            CurveRelation::Equal => {
                ["both fetch equally many sectors at every k", "equal at every k"]
                    .map(str::to_owned)
            }
            CurveRelation::Never(better) => {
                let text = format!("{} never fetches more", names[better]);
                [format!("{text}{end}"), text]
            }
            CurveRelation::Always(better) => {
                let text = format!("{} fetches less at every k", names[better]);
                [format!("{text}{end}"), text]
            }
            CurveRelation::After(better, k) => {
                let name = names[better];
                let text = format!("as many up to k = {k}, then {name} fetches less");
                [format!("{text}{end}"), text]
            }
            CurveRelation::From(better, k) => {
                let name = names[better];
                let long =
                    format!("{name} fetches in advance: more before k = {k}, then less{end}");
                [long, format!("{name}: more before k = {k}, then less{end}")]
            }
        }
    }

    /// Draws the heading of a graph, with the values so far in the order of the kernels.
    fn heading(&self, pen: &mut Pen<'_>, y: u16, what: &str, now: [f64; 2]) {
        let look = self.look;
        let end = pen.text(0, y, what, look.bold());
        let [left, right] = now.map(|value| grouped(value, 0));
        let words = [
            format!(", less is better:  {left} and {right}"),
            format!(", less is better:  {left} : {right}"),
            format!(": {left} : {right}"),
        ];
        pen.text(end, y, fitting(&words, pen.width().saturating_sub(end)), look.dim());
    }

    /// Draws what is compared, and the position shown.
    fn names(&self, pen: &mut Pen<'_>, y: u16, k: f64) {
        let look = self.look;
        let named = self.sides().map(|side| match side.curve.blocks {
            blocks if blocks > 1.0 => format!("{} x {blocks:.0} blocks", side.name),
            _ => side.name.to_owned(),
        });
        let x = pen.text(0, y, &named.join(" and "), look.text()) + 3;
        let here = format!("{} here: k = {:.0}", look.pick("●", "O"), k.floor());
        if x + width(&here) <= pen.width() {
            pen.text(x, y, &here, look.strong(Role::Here));
        }
    }

    fn wide(&self, pen: &mut Pen<'_>) {
        let facts = self.facts();
        let spare = pen.height().saturating_sub(AROUND);
        // The table comes where the graphs have ten rows anyway.
        let table = facts.len() as u16 + 2;
        let table = if spare > table + 10 { table } else { 0 };
        // Where only one graph has rows enough, the other one's values say what it would.
        let small = if spare < 9 { 0 } else { (spare - table) / 3 };
        let graphs = self.graphs();
        let widest = graphs[0].1.top().max(graphs[1].1.top());
        let head = width(&grouped(widest, 0)) + 2;
        self.names(pen, 0, graphs[0].1.here.0);
        let [(what, sectors), (price, passes)] = &graphs;
        let large = spare - table - small;
        self.heading(pen, 1, what, sectors.here.1);
        sectors.draw(pen, 2, large, head);
        let mut y = 2 + large;
        if small == 0 {
            sectors.axis(pen, y, head);
            y += 1;
        }
        self.heading(pen, y, price, passes.here.1);
        if small > 0 {
            passes.draw(pen, y + 1, small, head);
            y += 1 + small;
            passes.axis(pen, y, head);
        }
        let bold = self.look.bold();
        pen.text(0, y + 1, fitting(&self.course(), pen.width()), bold);
        if table > 0 {
            self.table(pen, y + 2, &facts);
        }
        let bases = [
            "simulated, one block of each, PTX: sums from the start of the run",
            "simulated, one block of each, PTX",
        ];
        pen.text(0, y + 2 + table, fitting(&bases, pen.width()), self.look.dim());
    }

    fn table(&self, pen: &mut Pen<'_>, y: u16, facts: &[Fact]) {
        let look = self.look;
        let names = self.sides().map(|side| side.name);
        let value = names.iter().map(|name| width(name) + 2).max().unwrap_or(0).max(VALUE);
        let ends = [LABEL + value, LABEL + 2 * value];
        for (name, end) in names.into_iter().zip(ends) {
            pen.right(end, y, name, look.text());
        }
        for (fact, y) in facts.iter().zip(y + 1..) {
            pen.text(0, y, fact.label, look.dim());
            let digits = usize::from(fact.better == Better::More);
            for (value, end) in fact.values.into_iter().zip(ends) {
                pen.right(end, y, &grouped(value, digits), look.text());
            }
            let mut x = ends[1] + 2;
            if let Some(ratio) = ratio(fact.values) {
                x = pen.text(x, y, &ratio, look.text()) + 1;
            }
            let better = match fact.better {
                Better::Less => "less is better",
                Better::More => "more is better",
            };
            let x = x.max(ends[1] + 13);
            if x + width(better) <= pen.width() {
                pen.text(x, y, better, look.dim());
            }
        }
    }

    /// Draws the narrow form, for which no graph fits: the course, then one line per figure.
    fn narrow(&self, pen: &mut Pen<'_>) {
        let look = self.look;
        let lines = wrapped(&self.course()[0], pen.width());
        for (line, y) in lines.iter().zip(0..) {
            pen.text(0, y, line, look.bold());
        }
        let sums = self.graphs().map(|(label, graph)| Fact {
            label,
            values: graph.here.1,
            better: Better::Less,
        });
        let facts = sums.into_iter().chain(self.facts());
        let mut y = lines.len() as u16;
        for fact in facts {
            let digits = usize::from(fact.better == Better::More);
            let values = fact.values.map(|value| grouped(value, digits)).join(" : ");
            let room = pen.width().saturating_sub(width(&values) + 1);
            pen.text(0, y, fact.label, look.dim());
            // A label that leaves no room for them has its values in the next row.
            y += u16::from(width(fact.label) > room);
            pen.right(pen.width(), y, &values, look.text());
            y += 1;
        }
    }
}

impl Widget for ComparePanel<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let mut pen = Pen::new(area, buf, self.look);
        if pen.width() >= 56 && pen.height() >= AROUND + 5 {
            self.wide(&mut pen);
        } else {
            self.narrow(&mut pen);
        }
    }
}

/// Returns how the right value compares with the left one, as "8.0x less", if they differ.
fn ratio([left, right]: [f64; 2]) -> Option<String> {
    let (low, high) = (left.min(right), left.max(right));
    let word = if right < left { "less" } else { "more" };
    (low > 0.0 && high / low > 1.05).then(|| format!("{}x {word}", figure(high / low)))
}

/// Formats a figure with grouped thousands, or with decimal places.
fn grouped(value: f64, digits: usize) -> String {
    if digits > 0 {
        return format!("{value:.digits$}");
    }
    crate::report::number::grouped(value.round() as u64)
}
