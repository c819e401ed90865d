//! A call of a query, in the setting that it asks.

use crate::kernel;
use crate::lesson::answer::Value;
use crate::lesson::expr::{
    AccessQuery, AccessVerb, Argument, Bindings, Elsewhere, EvalContext, FunctionCall, QueryExpr,
    QueryNode,
};
use crate::lesson::query::{self, function};
use crate::lesson::setting::{KernelFrom, Setting};
use crate::lesson::setting_runs::{Evidence, SettingCache, SettingRuns};
use crate::matrix::Element;
use std::sync::Arc;

/// A call, and whom it asks.
pub(super) struct ModelCall<'a> {
    call: &'a FunctionCall,
    cache: &'a SettingCache,
    given: Bindings,
    /// The setting that the call asks.
    pub(super) setting: Setting,
}

impl<'a> ModelCall<'a> {
    pub(super) fn of(call: &'a FunctionCall, context: &EvalContext<'a>) -> Self {
        let (setting, given) = query::QueryCall::new(context, call).inside();
        Self { call, cache: context.cache, given, setting }
    }

    /// Whether requests to global memory are counted.
    pub(super) fn is_of_requests(&self) -> bool {
        let counted = self.is(&["total", "executed", "of_block"]);
        self.is(&["requests"])
            || counted && self.name(0).is_some_and(|name| name.ends_with("_requests"))
    }

    pub(super) const fn function(&self) -> &'static str {
        self.call.function.name
    }

    pub(super) fn is(&self, functions: &[&str]) -> bool {
        functions.contains(&self.function())
    }

    pub(super) fn runs(&self) -> Option<Arc<SettingRuns>> {
        self.cache.runs(&self.setting).ok()
    }

    /// The access that is asked about, if one is.
    pub(super) fn access(&self) -> Option<&AccessQuery> {
        self.call.arguments.iter().find_map(|argument| match argument {
            Argument::Access(access) => Some(access),
            _ => None,
        })
    }

    /// That access in the run.
    pub(super) fn evidence(&self) -> Option<Evidence> {
        self.runs()?.evidence(self.access()?, self.given.from).ok()
    }

    /// The element that is asked about, if one is.
    pub(super) fn element(&self) -> Option<Element> {
        self.call.arguments.iter().find_map(|argument| match argument {
            Argument::Element(element, _) => Some(*element),
            _ => None,
        })
    }

    /// The thread that is asked about, if one is.
    pub(super) fn thread(&self) -> Option<(u32, u32)> {
        self.call.arguments.iter().find_map(|argument| match argument {
            Argument::Thread(thread, _) => Some(*thread),
            _ => None,
        })
    }

    pub(super) fn argument(&self, index: usize) -> Option<&'a Argument> {
        self.call.arguments.get(index)
    }

    /// An argument that is a name, also that of a function.
    pub(super) fn name(&self, index: usize) -> Option<&'a str> {
        match self.argument(index)? {
            Argument::Name(name, _) => Some(name),
            Argument::Function(function, _) => Some(function.name),
            _ => None,
        }
    }

    /// An argument that is an expression.
    pub(super) fn value(&self, index: usize) -> Option<QueryExpr> {
        match self.argument(index)? {
            Argument::Value(value) => Some(value.clone()),
            _ => None,
        }
    }

    /// The whole number that is an argument.
    pub(super) fn whole(&self, index: usize) -> Option<u32> {
        match self.value(index)?.node {
            QueryNode::Value(Value::Number(number)) if number.fract() == 0.0 => Some(number as u32),
            _ => None,
        }
    }

    /// The call without the part that names another setting.
    pub(super) fn plain(&self) -> QueryExpr {
        FunctionCall { elsewhere: Vec::new(), ..self.call.clone() }.into()
    }

    /// The same function with other arguments.
    pub(super) fn with(&self, arguments: impl IntoIterator<Item = Argument>) -> QueryExpr {
        let function = self.call.function;
        FunctionCall::new(function, arguments.into_iter().collect()).into()
    }

    /// What the simulator answers to another expression in the same setting.
    pub(super) fn ask(&self, expr: &QueryExpr) -> Option<Value> {
        let (cache, setting, given) = (self.cache, &self.setting, &self.given);
        EvalContext { cache, setting, given }.evaluate(expr).ok().map(|answer| answer.value)
    }

    /// The number that the simulator answers to it.
    pub(super) fn number(&self, expr: &QueryExpr) -> Option<f64> {
        self.ask(expr)?.number()
    }

    /// What the simulator answers to an expression in another setting.
    pub(super) fn ask_in(&self, expr: &QueryExpr, setting: &Setting) -> Option<Value> {
        let (cache, given) = (self.cache, &Bindings::default());
        EvalContext { cache, setting, given }.evaluate(expr).ok().map(|answer| answer.value)
    }

    /// The kernel of the catalogue that is asked, if it is unchanged.
    pub(super) fn kernel(&self) -> Option<&str> {
        match &self.setting.kernel {
            KernelFrom::Catalogue(name) if self.setting.changes.is_empty() => Some(name),
            _ => None,
        }
    }

    /// The setting with another kernel of the catalogue, unchanged.
    pub(super) fn with_kernel(&self, name: &str) -> Setting {
        let kernel = KernelFrom::Catalogue(name.to_owned());
        Setting { kernel, changes: Vec::new(), ..self.setting.clone() }
    }

    /// The kernels of the catalogue among the arguments.
    pub(super) fn kernels(&self) -> Vec<&'a str> {
        let names = (0..).map_while(|index| self.name(index));
        names.filter(|name| kernel::find(name).is_some()).collect()
    }
}

pub(super) fn number(number: impl Into<f64>) -> Value {
    Value::Number(number.into())
}

/// A call of the function of this name.
pub(super) fn call(name: &str, arguments: impl IntoIterator<Item = Argument>) -> Option<QueryExpr> {
    Some(FunctionCall::new(function(name)?, arguments.into_iter().collect()).into())
}

/// The same of another kernel of the catalogue.
pub(super) fn call_of(
    kernel: &str,
    name: &str,
    arguments: impl IntoIterator<Item = Argument>,
) -> Option<QueryExpr> {
    let call = FunctionCall::new(function(name)?, arguments.into_iter().collect());
    let elsewhere = vec![(Elsewhere::Of(kernel.to_owned()), 0..0)];
    Some(FunctionCall { elsewhere, ..call }.into())
}

pub(super) fn named(name: impl Into<String>) -> Argument {
    Argument::Name(name.into(), 0..0)
}

/// The first load of a matrix, as an argument.
pub(super) fn load(array: &str) -> Argument {
    let (array, span) = (array.to_owned(), 0..0);
    Argument::Access(AccessQuery { how: AccessVerb::Load, array, number: 1, line: None, span })
}
