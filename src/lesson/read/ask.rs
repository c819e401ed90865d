//! The block `ask`, with the list of its options and the hints after it.

use super::super::diagnostic::{Diagnostics, NOT_THERE, OUT_OF_PLACE, WRONG_VALUE};
use super::super::document::{Ask, AskKind, Choice, Decides, Para, Piece, SpannedText, Tolerance};
use super::super::expr::Query;
use super::super::question::TargetKind;
use super::block::FencedBlock;
use super::keys::{Text, Texts, TomlBody};
use super::settings::is_file;
use super::words::meant;
use crate::kernel;
use std::collections::BTreeMap;
use std::ops::Range;
use toml::Spanned;

#[derive(Default, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct AskKeys {
    want: Option<Text>,
    kind: Option<AskKind>,
    wrong: Option<Spanned<Texts>>,
    options: Option<Spanned<BTreeMap<Text, Text>>>,
    of: Option<Spanned<Texts>>,
    within: Option<Text>,
    #[serde(default)]
    unit: String,
    insert: Option<Text>,
    #[serde(default)]
    all: bool,
    tries: Option<Spanned<u32>>,
    show: Option<Text>,
}

/// A question that is being read: what stands after it belongs to it.
#[derive(Debug)]
pub(super) struct AskDraft {
    pub ask: Ask,
    /// The ideas that it names, with their places.
    pub ideas: Vec<SpannedText>,
    /// The keys of options that have no text yet.
    waiting: Vec<SpannedText>,
    /// Whether its keys could not be read: then nothing is known of its options.
    is_broken: bool,
}

impl AskDraft {
    pub(super) fn read(block: &FencedBlock<'_>, out: &mut Diagnostics<'_>) -> Self {
        let (body, id) = (&block.body, block.name.as_ref().map(|name| name.text.clone()));
        let Some(keys) = body.read::<AskKeys>(out) else {
            let want = Query::query("", block.line.clone());
            let ask = Ask::new(id.unwrap_or_default(), want, block.span.clone());
            return Self { ask, ideas: Vec::new(), waiting: Vec::new(), is_broken: true };
        };
        let options = options(block, &keys, out);
        let (ideas, options) = wrong(body, keys.wrong.as_ref(), options, out);
        let by_idea = options.iter().any(|choice| choice.idea.is_some());
        let spot = |text: &Text| body.spot(text);
        let ask = Ask {
            id: id.unwrap_or_default(),
            want: want(block, &keys, out),
            kind: keys.kind,
            wrong: if by_idea { Vec::new() } else { texts(&ideas) },
            of: of(body, &keys, out),
            within: within(keys.within.as_ref().map(spot), out),
            unit: keys.unit.clone(),
            insert: keys.insert.as_ref().map(|insert| insert.get_ref().clone()),
            all: keys.all,
            tries: tries(keys.tries.as_ref(), body, out),
            show: keys.show.as_ref().map(|show| spot(show).place()),
            hints: Vec::new(),
            span: block.span.clone(),
            options,
        };
        check(&ask, &keys, body, out);
        let span = |choice: &Choice| SpannedText {
            text: choice.key.clone(),
            span: choice.decides.span().clone(),
        };
        let waiting = ask.options.iter().map(span).collect();
        Self { ask, ideas, waiting, is_broken: false }
    }

    /// Takes a paragraph after the block, if it is the text of an option; gives it back if not.
    pub(super) fn option(
        &mut self,
        para: Para,
        span: &Range<usize>,
        out: &mut Diagnostics<'_>,
    ) -> Option<Para> {
        if self.waiting.is_empty() && !self.is_broken {
            return Some(para);
        }
        let Some((key, text)) = lettered(&para) else { return Some(para) };
        if self.is_broken {
            return None;
        }
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
    pub(super) fn end(self, out: &mut Diagnostics<'_>) -> Ask {
        for SpannedText { text, span } in self.waiting {
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

fn texts(spots: &[SpannedText]) -> Vec<String> {
    spots.iter().map(|spot| spot.text.clone()).collect()
}

/// The right answer; for orders and names, the options themselves state it.
fn want(block: &FencedBlock<'_>, keys: &AskKeys, out: &mut Diagnostics<'_>) -> Query {
    let itself = matches!(keys.kind, Some(AskKind::Order | AskKind::Name));
    match keys.want.as_ref().map(|want| block.body.spot(want)) {
        Some(want) if want.text.trim().is_empty() => {
            out.add(WRONG_VALUE, want.span.clone(), "`want` is empty: what is right");
            want.query()
        }
        Some(want) => want.query(),
        None => {
            if !itself {
                block.body.miss("want", "what is right", out);
            }
            Query::query("", block.line.clone())
        }
    }
}

fn options(block: &FencedBlock<'_>, keys: &AskKeys, out: &mut Diagnostics<'_>) -> Vec<Choice> {
    let Some(table) = &keys.options else { return Vec::new() };
    let rows = block.body.rows(table.get_ref());
    let is_order = keys.kind == Some(AskKind::Order);
    let most = if is_order { 9 } else { 5 };
    if !(2..=most).contains(&rows.len()) {
        let told = format!("`options` has 2 to {most} of them, not {}", rows.len());
        out.add(WRONG_VALUE, block.body.place(table), told);
    }
    let is_letter = |key: &str| matches!(key.as_bytes(), [b'a'..=b'z']);
    for (key, _) in rows.iter().filter(|(key, _)| !is_letter(&key.text)) {
        out.add(WRONG_VALUE, key.span.clone(), "an option has one letter, as `a`");
    }
    let choice = |(key, text): (SpannedText, SpannedText)| {
        let decides =
            if is_order { Decides::Happens(text.place()) } else { Decides::Holds(text.query()) };
        Choice { key: key.text, decides, text: Vec::new(), idea: None }
    };
    rows.into_iter().map(choice).collect()
}

/// The ideas in `wrong`: a list of them, or for each wrong option one.
fn wrong(
    body: &TomlBody<'_>,
    wrong: Option<&Spanned<Texts>>,
    mut options: Vec<Choice>,
    out: &mut Diagnostics<'_>,
) -> (Vec<SpannedText>, Vec<Choice>) {
    let Some(Texts::Table(table)) = wrong.map(Spanned::get_ref) else {
        return (body.spots(wrong, out), options);
    };
    let mut ideas = Vec::new();
    for (key, idea) in body.rows(table) {
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
fn of(body: &TomlBody<'_>, keys: &AskKeys, out: &mut Diagnostics<'_>) -> Vec<String> {
    let (kind, spots) = (keys.kind, body.spots(keys.of.as_ref(), out));
    for SpannedText { text, span } in &spots {
        let is_thing = TargetKind::find(text).is_some();
        let is_kernel = kernel::find(text).is_some() || is_file(text);
        let fine = match kind {
            Some(AskKind::Pick) => is_thing,
            Some(AskKind::Name) => true,
            _ => is_thing || is_kernel,
        };
        if !fine {
            let kernels =
                kernel::all().map(|kernel| kernel.name).filter(|_| kind != Some(AskKind::Pick));
            let hint = meant(text, TargetKind::all().chain(kernels));
            let things = || TargetKind::all().collect::<Vec<_>>().join(", ");
            let hint = hint.or_else(|| Some(format!("things are {}", things())));
            let told = format!("`{text}` is neither a kernel nor a thing that can be picked");
            out.advise(NOT_THERE, span.clone(), told, hint);
        }
    }
    texts(&spots)
}

fn within(within: Option<SpannedText>, out: &mut Diagnostics<'_>) -> Tolerance {
    let Some(SpannedText { text, span }) = within else { return Tolerance::Exact };
    let number = |text: &str| text.trim().parse().ok().filter(|number: &f64| number.is_finite());
    let share = text.trim().strip_suffix('%').and_then(number).filter(|share| *share > 0.0);
    let factor = text.trim().strip_prefix("factor").and_then(number).filter(|factor| *factor > 1.0);
    match (share, factor) {
        (Some(share), _) => Tolerance::Share(share / 100.0),
        (None, Some(factor)) => Tolerance::Factor(factor),
        (None, None) => {
            let told = "`within` must be like \"10 %\" or \"factor 1.5\"";
            out.add(WRONG_VALUE, span, told);
            Tolerance::Exact
        }
    }
}

/// How often one may try.
fn tries(tries: Option<&Spanned<u32>>, body: &TomlBody<'_>, out: &mut Diagnostics<'_>) -> u32 {
    let Some(number) = tries else { return 2 };
    if !(1..=3).contains(number.get_ref()) {
        out.add(WRONG_VALUE, body.place(number), "`tries` must be a whole number from 1 to 3");
    }
    *number.get_ref()
}

/// Complains about keys that do not suit each other.
fn check(ask: &Ask, keys: &AskKeys, body: &TomlBody<'_>, out: &mut Diagnostics<'_>) {
    let is = |kind| ask.kind == Some(kind);
    match &keys.insert {
        None if is(AskKind::Gap) => body.miss("insert", "what is put into the gap", out),
        Some(insert) if !is(AskKind::Gap) => {
            let told = "only a question with `kind = \"gap\"` has something to insert";
            out.add(WRONG_VALUE, body.place(insert), told);
        }
        _ => {}
    }
    if keys.options.is_some() {
        return;
    }
    if is(AskKind::Order) {
        body.miss("options", "the events that are put in order", out);
    }
    if is(AskKind::Choice) && ask.wrong.is_empty() && ask.of.is_empty() {
        body.miss("options", "a choice has `options`, `wrong` ideas or kernels in `of`", out);
    }
}
