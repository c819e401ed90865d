//! L10 to L14: each scene, place, query and question is tried in every variant.

use super::each_variant::{EachVariant, VariantError, name_of};
use super::place::inside;
use super::stand::{Stand, broken, scene_of, stands, turned};
use crate::lesson::answer::Value;
use crate::lesson::diagnostic::{
    Diagnostic, NO_ANSWER, NO_RUN, NOT_REACHED, OPTIONS, SAYS_NOTHING,
};
use crate::lesson::dials::Dials;
use crate::lesson::document::{self, Ask, AskKind, Decides, Lesson, PageBlock, Para, Piece};
use crate::lesson::expr::{Bindings, EvalContext, Parsed, Query, RunPosition};
use crate::lesson::query_error::QueryError;
use crate::lesson::question::{Question, UnusedReason, unused};
use crate::lesson::setting::Setting;
use crate::lesson::setting_runs::SettingCache;
use std::ops::Range;

/// What the simulator says to a page.
#[derive(Default)]
pub(super) struct SceneChecks<'c> {
    found: EachVariant,
    /// Each question in each variant in which it can be asked.
    pub answered: Vec<(&'c Ask, Question)>,
}

/// A variant of a stand: what its queries are asked of.
struct CheckedVariant<'a> {
    lesson: &'a Lesson,
    cache: &'a SettingCache,
    setting: &'a Setting,
    given: Bindings,
    /// Its name among the variants.
    name: String,
}

impl CheckedVariant<'_> {
    const fn context(&self) -> EvalContext<'_> {
        EvalContext { cache: self.cache, setting: self.setting, given: &self.given }
    }
}

impl<'c> SceneChecks<'c> {
    pub(super) fn complaints(&self, lesson: &Lesson) -> Vec<Diagnostic> {
        self.found.complaints(lesson)
    }

    /// Whether the page cannot be taken as it is.
    pub(super) fn is_broken(&self) -> bool {
        self.found.is_broken()
    }

    /// Asks everything that a page asks.
    pub(super) fn of(lesson: &'c Lesson, page: usize, cache: &SettingCache, quick: bool) -> Self {
        let mut scenes = Self::default();
        let beats = lesson.pages.get(page).into_iter().flat_map(|page| &page.blocks);
        for scene in beats.filter_map(scene_of) {
            for setting in scene.variants.iter().take(if quick { 1 } else { usize::MAX }) {
                let name = name_of(setting, &scene.variants);
                let here =
                    CheckedVariant { lesson, cache, setting, given: Bindings::default(), name };
                scenes.scene(&here, scene);
            }
        }
        for stand in stands(lesson, page, quick) {
            for setting in &stand.settings {
                scenes.variant(lesson, cache, &stand, setting);
            }
        }
        scenes
    }

    /// A scene must run, and reach its place.
    fn scene(&mut self, here: &CheckedVariant<'_>, scene: &document::Scene) {
        if let Err(why) = here.cache.runs(here.setting) {
            let first = first_line(here, &scene.span);
            return self.wrong(
                here,
                NO_RUN,
                first,
                format!("this scene does not run: {}", why.message),
            );
        }
        if let Some(at) = &scene.at {
            self.reach(here, at);
        }
    }

    fn variant(
        &mut self,
        lesson: &'c Lesson,
        cache: &SettingCache,
        stand: &Stand<'c>,
        setting: &Setting,
    ) {
        if cache.runs(setting).is_err() {
            return;
        }
        let from = stand.place.step(cache, setting).unwrap_or(0);
        let given = Bindings { from, ..Bindings::default() };
        let name = name_of(setting, &stand.settings);
        let here = CheckedVariant { lesson, cache, setting, given, name };
        for page_block in &stand.blocks {
            match page_block {
                PageBlock::Text(paras) => self.paras(&here, paras),
                PageBlock::Ask(ask) => self.ask(&here, ask),
                PageBlock::Change(change) => self.change(&here, change),
                PageBlock::Dials(dials) => self.dials(&here, dials),
                PageBlock::Scene(_) => {}
            }
        }
    }

    /// The run must reach a place.
    fn reach(&mut self, here: &CheckedVariant<'_>, place: &Parsed<RunPosition>) {
        if let Err(why) = place.step(here.cache, here.setting) {
            let span = inside(here.lesson, &place.span, &why.span);
            let told = format!("the run does not come here: {}", why.message);
            self.wrong(here, NOT_REACHED, span, told);
        }
    }

    fn paras(&mut self, here: &CheckedVariant<'_>, paras: &[Para]) {
        for para in paras {
            match para {
                Para::Text(pieces) => self.pieces(here, pieces),
                Para::Code(_) => {}
                Para::Item(_, paras) | Para::Quote(paras) => self.paras(here, paras),
            }
        }
    }

    fn pieces(&mut self, here: &CheckedVariant<'_>, pieces: &[Piece]) {
        for piece in pieces {
            if let Piece::Query(query) = piece {
                self.answer(here, query);
            }
        }
    }

    /// The value of a query; reports its error.
    fn answer(&mut self, here: &CheckedVariant<'_>, query: &Query) -> Option<Value> {
        match here.context().answer(query) {
            Ok(answer) => Some(answer.value),
            Err(why) => {
                self.unanswered(here, &query.span, &why);
                None
            }
        }
    }

    fn unanswered(&mut self, here: &CheckedVariant<'_>, span: &Range<usize>, why: &QueryError) {
        let text = here.lesson.text.get(span.clone()).unwrap_or_default();
        let code = if names_no_line(here, text, why) { NOT_REACHED } else { NO_ANSWER };
        let place = inside(here.lesson, span, &why.span);
        self.wrong(here, code, place, format!("this has no answer: {}", why.message));
    }

    fn ask(&mut self, here: &CheckedVariant<'_>, ask: &'c Ask) {
        for hint in &ask.hints {
            self.paras(here, hint);
        }
        if let Some(show) = &ask.show {
            self.reach(here, show);
        }
        let mut holds = Vec::new();
        for option in &ask.options {
            self.pieces(here, &option.text);
            match &option.decides {
                Decides::Happens(place) => self.reach(here, place),
                Decides::Holds(query) => holds.push(self.answer(here, query)),
            }
        }
        if holds.contains(&None) {
            return;
        }
        let true_ones = holds.iter().filter(|value| **value == Some(Value::Truth(true))).count();
        if !holds.is_empty() && true_ones != 1 {
            let told = format!("{true_ones} options are true: exactly one must be");
            return self.wrong(here, OPTIONS, first_line(here, &ask.span), told);
        }
        match Question::of(ask, 0, &here.context()) {
            Ok(question) => {
                self.quiet(here, ask);
                self.answered.push((ask, question));
            }
            Err(_) if ask.kind == Some(AskKind::Order) => {}
            Err(why) => self.unanswered(here, &ask.want.span, &why),
        }
    }

    /// Each idea of a question must say something wrong, and something of its own.
    fn quiet(&mut self, here: &CheckedVariant<'_>, ask: &Ask) {
        let context = EvalContext { given: &Bindings::default(), ..here.context() };
        for quiet in unused(ask, &context).unwrap_or_default() {
            let block = here.lesson.text.get(ask.span.clone()).unwrap_or_default();
            let named = format!("\"{}\"", quiet.idea);
            let span = match block.find(&named) {
                Some(at) => ask.span.start + at + 1..ask.span.start + at + named.len() - 1,
                None => ask.want.span.clone(),
            };
            let message = quiet.to_string();
            let warning = matches!(quiet.why, UnusedReason::Twin(..));
            self.found.add(
                VariantError { code: SAYS_NOTHING, span, message, warning },
                here.name.clone(),
            );
        }
    }

    /// Every change must give a kernel that can be judged, at each size.
    fn change(&mut self, here: &CheckedVariant<'_>, change: &document::ChangeBlock) {
        for broken in broken(std::slice::from_ref(here.setting), change) {
            let own = [broken.size.to_string()];
            let sizes = if change.sizes.is_empty() { &own[..] } else { &change.sizes };
            for size in sizes.iter().filter_map(|size| size.parse().ok()) {
                let there = Setting { size, ..broken.clone() };
                let judged = here.cache.runs(&there).and_then(|runs| runs.wrong());
                if let Err(why) = judged {
                    let span = first_line(here, &change.span);
                    let id = broken.changes.last().map_or("", String::as_str);
                    self.wrong(
                        here,
                        NO_RUN,
                        span,
                        format!("with `{id}` at {size}: {}", why.message),
                    );
                }
            }
        }
    }

    /// The goal of dials must have a value at each size, as they stand first.
    fn dials(&mut self, here: &CheckedVariant<'_>, dials: &document::DialsBlock) {
        if let Err(why) = Dials::read(&dials.kernel.0, &dials.kernel.1) {
            return self.wrong(here, NO_RUN, first_line(here, &dials.span), why.to_string());
        }
        for start in turned(std::slice::from_ref(here.setting), dials) {
            for size in dials.sizes.iter().filter_map(|size| size.replace(',', "x").parse().ok()) {
                let setting = &Setting { size, ..start.clone() };
                let name = format!("size {size}");
                let there = CheckedVariant { setting, name, given: Bindings::default(), ..*here };
                if let Err(why) = there.cache.runs(setting) {
                    self.wrong(&there, NO_RUN, first_line(here, &dials.span), why.message);
                } else if let Some(goal) = &dials.goal {
                    self.answer(&there, goal);
                } else {
                    // Without a goal there is nothing to reach.
                }
            }
        }
    }

    fn wrong(
        &mut self,
        here: &CheckedVariant<'_>,
        code: &'static str,
        span: Range<usize>,
        message: String,
    ) {
        self.found.add(VariantError { code, span, message, warning: false }, here.name.clone());
    }
}

/// The first line of a block.
fn first_line(here: &CheckedVariant<'_>, span: &Range<usize>) -> Range<usize> {
    let text = here.lesson.text.get(span.clone()).unwrap_or_default();
    let length = text.lines().next().map_or(0, str::len);
    span.start..span.start + length
}

/// Whether a query has no answer since a line that it names is none, or several.
fn names_no_line(here: &CheckedVariant<'_>, text: &str, why: &QueryError) -> bool {
    let text = text.replace("\\\"", "\"");
    let Ok(runs) = here.cache.runs(here.setting) else { return false };
    let named = text.split("line \"").skip(1).filter_map(|rest| rest.split('"').next());
    let missing = named.filter_map(|line| runs.line(line).err());
    missing.into_iter().any(|other| other.message == why.message)
}
