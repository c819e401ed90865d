//! A call of a query, in the stage that it asks.

use crate::kernel;
use crate::lesson::answer::Value;
use crate::lesson::expr::{Access, Argument, Call, Elsewhere};
use crate::lesson::query::{self, Given};
use crate::lesson::setting::{KernelFrom, Setting};
use crate::lesson::stage::{Evidence, Stage, Stages};
use crate::matrix::Element;
use std::ops::Range;
use std::sync::Arc;

/// A call, and whom it asks.
pub(super) struct Asked<'a> {
    call: &'a Call,
    text: &'a str,
    stages: &'a Stages,
    given: Given,
    /// The setting of the stage that the call asks.
    pub(super) setting: Setting,
}

impl<'a> Asked<'a> {
    pub(super) fn of(
        call: &'a Call,
        text: &'a str,
        stages: &'a Stages,
        (setting, given): (&Setting, &Given),
    ) -> Self {
        let all = call.elsewhere.iter();
        let setting = all.fold(setting.clone(), |setting, (other, _)| other.of(setting));
        let same_run = |(other, _): &(Elsewhere, _)| matches!(other, Elsewhere::Warp(_));
        let from = if call.elsewhere.iter().all(same_run) { given.from } else { 0 };
        Self { call, text, stages, given: Given { from, ..given.clone() }, setting }
    }

    /// Whether requests to global memory are counted.
    pub(super) fn is_of_requests(&self) -> bool {
        let counted = self.is(&["total", "executed", "of_block"]);
        self.is(&["requests"])
            || counted && self.name(0).is_some_and(|name| name.ends_with("_requests"))
    }

    /// The setting of the stage, and what the query may refer to there.
    pub(super) const fn context(&self) -> (&Setting, &Given) {
        (&self.setting, &self.given)
    }

    /// The function's name.
    pub(super) const fn function(&self) -> &'static str {
        self.call.function.name
    }

    /// Whether the function is one of these.
    pub(super) fn is(&self, functions: &[&str]) -> bool {
        functions.contains(&self.function())
    }

    pub(super) fn stage(&self) -> Option<Arc<Stage>> {
        self.stages.of(&self.setting).ok()
    }

    /// The access that is asked about, if one is.
    pub(super) fn access(&self) -> Option<&Access> {
        self.call.arguments.iter().find_map(|argument| match argument {
            Argument::Access(access) => Some(access),
            _ => None,
        })
    }

    /// That access in the run.
    pub(super) fn evidence(&self) -> Option<Evidence> {
        self.stage()?.evidence(self.access()?, self.given.from).ok()
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

    /// The text of an argument.
    pub(super) fn argument(&self, index: usize) -> Option<&'a str> {
        self.text.get(self.call.arguments.get(index).map(span)?)
    }

    /// An argument that is a name.
    pub(super) fn name(&self, index: usize) -> Option<&'a str> {
        self.argument(index).map(|text| text.trim_matches('"'))
    }

    /// The whole number that is an argument.
    pub(super) fn whole(&self, index: usize) -> Option<u32> {
        self.argument(index)?.trim().parse().ok()
    }

    /// The call without the part that names another stage.
    pub(super) fn plain(&self) -> String {
        let arguments: Vec<_> = (0..).map_while(|index| self.argument(index)).collect();
        let name = self.function();
        if arguments.is_empty() {
            name.to_owned()
        } else {
            format!("{name}({})", arguments.join(", "))
        }
    }

    /// What the simulator answers to another text in the same stage.
    pub(super) fn ask(&self, text: &str) -> Option<Value> {
        let answer = query::answer_given(text, self.stages, &self.setting, &self.given);
        answer.ok().map(|answer| answer.value)
    }

    /// What the simulator answers to a text in another setting.
    pub(super) fn ask_in(&self, text: &str, setting: &Setting) -> Option<Value> {
        query::answer(text, self.stages, setting).ok().map(|answer| answer.value)
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

/// Where an argument stands.
fn span(argument: &Argument) -> Range<usize> {
    match argument {
        Argument::Access(access) => access.span.clone(),
        Argument::Value(value) => value.span.clone(),
        Argument::Given(span)
        | Argument::Name(_, span)
        | Argument::Element(_, span)
        | Argument::Thread(_, span)
        | Argument::Place(_, span)
        | Argument::Function(_, span) => span.clone(),
    }
}
