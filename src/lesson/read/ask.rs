//! The block `ask`, with the list of its options and the hints after it.

use super::super::complaint::{Complaints, NOT_THERE, OUT_OF_PLACE, WRONG_VALUE};
use super::super::document::{Ask, Choice, Decides, Kind, Para, Piece, Spot, Within};
use super::super::expr::Query;
use super::super::question::Sort;
use super::block::Block;
use super::settings::is_file;
use super::words::meant;
use crate::kernel;
use std::ops::Range;
use toml::de::DeValue;

/// How a question is answered, by the word for it.
const KINDS: &[(&str, Kind)] = &[
    ("number", Kind::Number),
    ("choice", Kind::Choice),
    ("pick", Kind::Pick),
    ("order", Kind::Order),
    ("gap", Kind::Gap),
    ("name", Kind::Name),
];

/// A question that is being read: what stands after it belongs to it.
#[derive(Debug)]
pub(super) struct Asked {
    /// The question.
    pub ask: Ask,
    /// The ideas that it names, with their places.
    pub ideas: Vec<Spot>,
    /// The keys of options that have no text yet.
    waiting: Vec<Spot>,
}

impl Asked {
    pub(super) fn read(block: &Block<'_>, out: &mut Complaints<'_>) -> Self {
        let keys = &block.keys;
        let kinds: Vec<_> = KINDS.iter().map(|(word, _)| *word).collect();
        let kind = keys.word("kind", &kinds, out);
        let kind = kind.and_then(|word| KINDS.iter().find(|row| row.0 == word.text));
        let kind = kind.map(|(_, kind)| *kind);
        let options = options(block, kind, out);
        let (ideas, options) = wrong(block, options, out);
        let by_idea = options.iter().any(|choice| choice.idea.is_some());
        let ask = Ask {
            id: block.name.as_ref().map(|name| name.text.clone()).unwrap_or_default(),
            want: want(block, kind, out),
            kind,
            wrong: if by_idea { Vec::new() } else { texts(&ideas) },
            of: of(block, kind, out),
            within: within(block, out),
            unit: keys.text("unit", out).map(|unit| unit.text).unwrap_or_default(),
            insert: keys.text("insert", out).map(|insert| insert.text),
            all: keys.flag("all", out).unwrap_or(false),
            tries: keys.number("tries", 1..=3, out).unwrap_or(2),
            show: keys.text("show", out).map(Spot::place),
            hints: Vec::new(),
            span: block.span.clone(),
            options,
        };
        check(&ask, block, out);
        let span = |choice: &Choice| Spot {
            text: choice.key.clone(),
            span: choice.decides.span().clone(),
        };
        let waiting = ask.options.iter().map(span).collect();
        Self { ask, ideas, waiting }
    }

    /// Takes a paragraph after the block, if it is the text of an option; gives it back if not.
    pub(super) fn option(
        &mut self,
        para: Para,
        span: &Range<usize>,
        out: &mut Complaints<'_>,
    ) -> Option<Para> {
        if self.waiting.is_empty() {
            return Some(para);
        }
        let Some((key, text)) = lettered(&para) else { return Some(para) };
        let Some(index) = self.waiting.iter().position(|waiting| waiting.text == key) else {
            let told = format!("there is no option `{key}` without a text in this question");
            out.add(OUT_OF_PLACE, span.clone(), told);
            return None;
        };
        self.waiting.remove(index);
        if let Some(choice) = self.ask.options.iter_mut().find(|choice| choice.key == key) {
            choice.text = text;
        }
        None
    }

    /// The question, complete.
    pub(super) fn end(self, out: &mut Complaints<'_>) -> Ask {
        for Spot { text, span } in self.waiting {
            let told = format!(
                "option `{text}` has no text: a list after the block has `- **{text}** ...`"
            );
            out.add(OUT_OF_PLACE, span, told);
        }
        self.ask
    }
}

/// The key and the text of a list's item that begins with a stressed key.
fn lettered(para: &Para) -> Option<(String, Vec<Piece>)> {
    let Para::Item(_, paras) = para else { return None };
    let Some(Para::Text(pieces)) = paras.first() else { return None };
    let (Piece::Strong(key), rest) = pieces.split_first()? else { return None };
    let mut text = rest.to_vec();
    if let Some(Piece::Plain(first)) = text.first_mut() {
        *first = first.trim_start().to_owned();
    }
    Some((key.trim().to_owned(), text))
}

fn texts(spots: &[Spot]) -> Vec<String> {
    spots.iter().map(|spot| spot.text.clone()).collect()
}

/// The right answer; what is to be ordered or named says itself what is right.
fn want(block: &Block<'_>, kind: Option<Kind>, out: &mut Complaints<'_>) -> Query {
    let itself =
        matches!(kind, Some(Kind::Order | Kind::Name)) && block.keys.value("want").is_none();
    let want = if itself { None } else { block.keys.needed("want", "what is right", out) };
    want.unwrap_or_else(|| Spot { text: String::new(), span: block.line.clone() }).query()
}

fn options(block: &Block<'_>, kind: Option<Kind>, out: &mut Complaints<'_>) -> Vec<Choice> {
    let rows = block.keys.table("options", out);
    let most = if kind == Some(Kind::Order) { 9 } else { 5 };
    if block.keys.value("options").is_some() && !(2..=most).contains(&rows.len()) {
        let told = format!("`options` has 2 to {most} of them, not {}", rows.len());
        out.add(WRONG_VALUE, block.keys.place_of("options"), told);
    }
    let is_letter = |key: &str| matches!(key.as_bytes(), [b'a'..=b'z']);
    for (key, _) in rows.iter().filter(|(key, _)| !is_letter(&key.text)) {
        out.add(WRONG_VALUE, key.span.clone(), "an option has one letter, as `a`");
    }
    let choice = |(key, text): (Spot, Spot)| {
        let decides = match kind {
            Some(Kind::Order) => Decides::Happens(text.place()),
            _ => Decides::Holds(text.query()),
        };
        Choice { key: key.text, decides, text: Vec::new(), idea: None }
    };
    rows.into_iter().map(choice).collect()
}

/// The ideas in `wrong`: a list of them, or for each wrong option one.
fn wrong(
    block: &Block<'_>,
    mut options: Vec<Choice>,
    out: &mut Complaints<'_>,
) -> (Vec<Spot>, Vec<Choice>) {
    let by_option =
        block.keys.value("wrong").is_some_and(|value| matches!(value.get_ref(), DeValue::Table(_)));
    if !by_option {
        return (block.keys.texts("wrong", out), options);
    }
    let mut ideas = Vec::new();
    for (key, idea) in block.keys.table("wrong", out) {
        if let Some(choice) = options.iter_mut().find(|choice| choice.key == key.text) {
            choice.idea = Some(idea.text.clone());
        } else {
            out.add(WRONG_VALUE, key.span, format!("there is no option `{}`", key.text));
        }
        ideas.push(idea);
    }
    (ideas, options)
}

/// The kernels that are chosen from, or the things that are picked.
fn of(block: &Block<'_>, kind: Option<Kind>, out: &mut Complaints<'_>) -> Vec<String> {
    let spots = block.keys.texts("of", out);
    for Spot { text, span } in &spots {
        let is_thing = Sort::find(text).is_some();
        let is_kernel = kernel::find(text).is_some() || is_file(text);
        let fine = match kind {
            Some(Kind::Pick) => is_thing,
            Some(Kind::Name) => true,
            _ => is_thing || is_kernel,
        };
        if !fine {
            let kernels =
                kernel::all().map(|kernel| kernel.name).filter(|_| kind != Some(Kind::Pick));
            let hint = meant(text, Sort::all().chain(kernels));
            let things = || Sort::all().collect::<Vec<_>>().join(", ");
            let hint = hint.or_else(|| Some(format!("things are {}", things())));
            let told = format!("`{text}` is neither a kernel nor a thing that can be picked");
            out.advise(NOT_THERE, span.clone(), told, hint);
        }
    }
    texts(&spots)
}

fn within(block: &Block<'_>, out: &mut Complaints<'_>) -> Within {
    let Some(Spot { text, span }) = block.keys.text("within", out) else { return Within::Exact };
    let number = |text: &str| text.trim().parse().ok().filter(|number: &f64| number.is_finite());
    let share = text.trim().strip_suffix('%').and_then(number).filter(|share| *share > 0.0);
    let factor = text.trim().strip_prefix("factor").and_then(number).filter(|factor| *factor > 1.0);
    match (share, factor) {
        (Some(share), _) => Within::Share(share / 100.0),
        (None, Some(factor)) => Within::Factor(factor),
        (None, None) => {
            let told = "`within` must be like \"10 %\" or \"factor 1.5\"";
            out.add(WRONG_VALUE, span, told);
            Within::Exact
        }
    }
}

/// Complains about keys that do not suit each other.
fn check(ask: &Ask, block: &Block<'_>, out: &mut Complaints<'_>) {
    let keys = &block.keys;
    let is = |kind| ask.kind == Some(kind);
    if is(Kind::Gap) && keys.value("insert").is_none() {
        keys.miss("insert", "what is put into the gap", out);
    }
    if !is(Kind::Gap) && ask.insert.is_some() {
        let told = "only a question with `kind = \"gap\"` has something to insert";
        out.add(WRONG_VALUE, keys.place_of("insert"), told);
    }
    if is(Kind::Order) && keys.value("options").is_none() {
        keys.miss("options", "the events that are put in order", out);
    }
    let alone = ask.options.is_empty() && ask.wrong.is_empty() && ask.of.is_empty();
    if is(Kind::Choice) && keys.value("options").is_none() && alone {
        keys.miss("options", "a choice has `options`, `wrong` ideas or kernels in `of`", out);
    }
}
