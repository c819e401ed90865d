//! A call with the setting that it asks, and its arguments.

use crate::lesson::answer::{Answer, AnsweredFrom, Value};
use crate::lesson::expr::{
    AccessQuery, Argument, Bindings, Elsewhere, EvalContext, FunctionCall, QueryCall, QueryExpr,
};
use crate::lesson::query_error::QueryError;
use crate::lesson::setting::Setting;
use crate::lesson::setting_runs::{Evidence, SettingRuns};
use crate::lesson::target::{Target, View};
use crate::matrix::Element;
use std::ops::Range;
use std::sync::Arc;

impl<'c> QueryCall<'c> {
    /// A call in the setting that it names.
    pub(in crate::lesson) fn new(context: &EvalContext<'c>, call: &'c FunctionCall) -> Self {
        // Another kernel first: it has none of the changes of this one, but those of the call.
        let is_kernel = |(other, _): &&(Elsewhere, _)| matches!(other, Elsewhere::Of(_));
        let others = call.elsewhere.iter().filter(|other| !is_kernel(other));
        let all = call.elsewhere.iter().filter(is_kernel).chain(others);
        let setting = all.fold(context.setting.clone(), |setting, (other, _)| other.apply(setting));
        let same_run = |(other, _): &(Elsewhere, _)| matches!(other, Elsewhere::Warp(_));
        let here = call.elsewhere.iter().all(same_run);
        Self { cache: context.cache, setting, call, given: context.given, here }
    }

    pub(in crate::lesson) fn runs(&self) -> Result<Arc<SettingRuns>, QueryError> {
        self.cache.runs(&self.setting)
    }

    /// The setting with this instead, asked as well.
    pub(super) fn stage_of(&self, other: &Elsewhere) -> Result<Arc<SettingRuns>, QueryError> {
        self.cache.runs(&other.apply(self.setting.clone()))
    }

    /// What the query may refer to.
    pub(super) fn given(&self) -> &Bindings {
        self.given
    }

    /// The step from which places are searched.
    pub(in crate::lesson) fn from(&self) -> usize {
        if self.here { self.given.from } else { 0 }
    }

    /// The setting that is asked, and what a query may refer to there.
    pub(in crate::lesson) fn inside(&self) -> (Setting, Bindings) {
        (self.setting.clone(), Bindings { from: self.from(), ..self.given.clone() })
    }

    /// Evaluates an expression in the setting that is asked.
    pub(super) fn evaluate(&self, expr: &QueryExpr) -> Result<Answer, QueryError> {
        let given = Bindings { from: self.from(), ..self.given.clone() };
        EvalContext { cache: self.cache, setting: &self.setting, given: &given }.evaluate(expr)
    }

    /// Answers a call in the setting that is asked.
    pub(super) fn call(&self, call: &FunctionCall) -> Result<Answer, QueryError> {
        let context = EvalContext { cache: self.cache, setting: &self.setting, given: self.given };
        context.call(call)
    }

    /// Evaluates an expression in a setting that differs in this.
    pub(super) fn elsewhere(
        &self,
        expr: &QueryExpr,
        other: &Elsewhere,
    ) -> Result<Answer, QueryError> {
        let (setting, given) =
            (other.apply(self.setting.clone()), Bindings { from: 0, ..self.given.clone() });
        EvalContext { cache: self.cache, setting: &setting, given: &given }.evaluate(expr)
    }

    fn argument(&self, index: usize) -> Option<&'c Argument> {
        self.call.arguments.get(index)
    }

    /// How many arguments there are.
    pub(super) fn len(&self) -> usize {
        self.call.arguments.len()
    }

    fn missing(&self) -> QueryError {
        QueryError::at(self.call.span.clone(), self.call.function.usage())
    }

    /// The access that an argument names.
    pub(super) fn access(&self, index: usize) -> Result<AccessQuery, QueryError> {
        match self.argument(index) {
            Some(Argument::Access(access)) => Ok(access.clone()),
            Some(Argument::Given(span)) => self.given_access(span),
            _ => Err(self.missing()),
        }
    }

    fn given_access(&self, span: &Range<usize>) -> Result<AccessQuery, QueryError> {
        let none =
            || QueryError::at(span.clone(), "`a` means the access of a question: there is none");
        self.given.access.clone().ok_or_else(none)
    }

    /// The access named by an argument, or else in the value that is the first argument, or else the
    /// one that is given.
    pub(super) fn access_near(&self, index: usize) -> Result<AccessQuery, QueryError> {
        if self.argument(index).is_some() {
            return self.access(index);
        }
        let near = match self.argument(0) {
            Some(Argument::Value(value)) => value.access(),
            _ => None,
        };
        near.map_or_else(|| self.given_access(&self.call.span), |access| Ok(access.clone()))
    }

    /// The evidence of the access that is the first argument.
    pub(super) fn evidence(&self) -> Result<Evidence, QueryError> {
        self.runs()?.evidence(&self.access(0)?, self.from())
    }

    /// The element that is the first argument, if it lies in its matrix.
    pub(super) fn element(&self) -> Result<Element, QueryError> {
        let Some(Argument::Element(element, span)) = self.argument(0) else {
            return Err(self.missing());
        };
        let size = self.setting.size;
        if size.contains(*element) {
            return Ok(*element);
        }
        let (rows, columns) = size.shape(element.operand);
        let name = element.operand.name();
        let told = format!("{name} has {rows} rows and {columns} columns: {element} is outside");
        Err(QueryError::at(span.clone(), told))
    }

    /// The thread that is the first argument, if the block has it.
    pub(super) fn thread(&self, runs: &SettingRuns) -> Result<(u32, u32), QueryError> {
        let Some(Argument::Thread((x, y), span)) = self.argument(0) else {
            return Err(self.missing());
        };
        let block = runs.problem.launch.block;
        if *x < block.x && *y < block.y {
            return Ok((*x, *y));
        }
        let told = format!("a block has {} x {} threads", block.x, block.y);
        Err(QueryError::at(span.clone(), told))
    }

    /// The name that an argument is, with its place.
    pub(super) fn name(&self, index: usize) -> Option<(&'c str, Range<usize>)> {
        match self.argument(index)? {
            Argument::Name(name, span) => Some((name, span.clone())),
            _ => None,
        }
    }

    /// The steps done at the place that is the first argument, if it is one.
    pub(super) fn place(&self, runs: &SettingRuns) -> Option<Result<usize, QueryError>> {
        match self.argument(0)? {
            Argument::Place(place, span) => {
                let found = super::place::step_of(runs, place, 0);
                Some(found.map_err(|why| why.within(span)))
            }
            _ => None,
        }
    }

    /// The expression that an argument is.
    pub(super) fn value(&self, index: usize) -> Result<&'c QueryExpr, QueryError> {
        match self.argument(index) {
            Some(Argument::Value(value)) => Ok(value),
            _ => Err(self.missing()),
        }
    }

    /// The number that an argument is.
    pub(super) fn number(&self, index: usize) -> Result<f64, QueryError> {
        let value = self.value(index)?;
        let number = self.evaluate(value)?.value.number();
        number.ok_or_else(|| QueryError::at(value.span.clone(), "expected a number"))
    }

    /// The whole number, not negative, that an argument is.
    pub(super) fn whole(&self, index: usize) -> Result<u32, QueryError> {
        let number = self.number(index)?;
        let fits = number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&number);
        if fits { Ok(number as u32) } else { Err(self.missing()) }
    }

    /// An answer that an access shows, with what is lit.
    pub(super) fn shown(evidence: &Evidence, value: Value, marks: Vec<Target>) -> Answer {
        let view = match evidence.space {
            ptx::Space::Shared => View::Banks,
            _ => View::Lines,
        };
        Answer {
            value,
            origin: AnsweredFrom::Simulated,
            step: Some(evidence.step),
            warp: Some(evidence.warp),
            view: Some(view),
            marks,
        }
    }
}

pub(super) fn count(number: impl TryInto<u64>) -> Value {
    // Counts of steps, lanes and blocks are far below 2^53.
    Value::Number(number.try_into().map_or(f64::NAN, |number| number as f64))
}
