//! Where the host's code begins: at `main`, or at each function that launches.

use super::interpreter::{Eval, Frame, Halt, HowToRun, Interpreter};
use super::memory::MemorySide;
use super::value::{HostValue, TemplateArgument};
use super::{HostBuffer, HostRun, Unknown};
use crate::ast::{Expr, ExprKind, Function, GenericParameter, HostExpr, Parameter, Stmt};
use crate::parse::HostModule;
use crate::types::{Scalar, Type};
use std::rc::Rc;

/// Runs a module from `main` on, or all of it that launches.
pub(super) fn run<'m>(module: &'m HostModule, how: HowToRun<'m>) -> Option<HostRun> {
    let main = module.functions.iter().find(|one| &*one.own.name == "main");
    let main = main.map(|main| &*main.own);
    if main.is_none() && how.names.is_none() {
        return None;
    }
    let run = run_once(module, how, main, false);
    if how.names.is_some() || run.launches_what_is_known() {
        return Some(run);
    }
    // With arguments it may do what it does without: it is run so only where that helps.
    let given = run_once(module, how, main, true);
    Some(if given.launches_what_is_known() { given } else { run })
}

fn run_once<'m>(
    module: &'m HostModule,
    how: HowToRun<'m>,
    main: Option<&'m Function>,
    has_arguments: bool,
) -> HostRun {
    let names = how.names;
    let mut interpreter = Interpreter::new(module, how);
    let ended = interpreter.globals().and_then(|()| match main {
        Some(main) => {
            let given = has_arguments.then(|| interpreter.arguments_of_main(main)).flatten();
            let values = given.unwrap_or_else(|| match main.parameters.len() {
                2.. => vec![interpreter.count_of_arguments(), HostValue::Pointer(0, Type::Void)],
                _ => Vec::new(),
            });
            interpreter.call(main, Vec::new(), values, None).map(drop)
        }
        None => Ok(()),
    });
    match (ended, names) {
        (_, Some(_)) => interpreter.all_that_launches(),
        (Err(Halt::Spent), None) => {
            let why = "the host's code takes too long".to_owned();
            interpreter.run.stopped = Some(Unknown { line: interpreter.line, why });
        }
        (Ok(()) | Err(Halt::Exit), None) => {}
    }
    interpreter.run
}

impl<'m> Interpreter<'m> {
    fn globals(&mut self) -> Eval<()> {
        for one in &self.module.globals {
            self.line = one.at.line;
            self.declare(one, true)?;
        }
        Ok(())
    }

    /// `argc`: the program is run without arguments, and might be with some.
    fn count_of_arguments(&mut self) -> HostValue {
        match self.names {
            None => HostValue::int(1),
            Some(_) => self.unknown("how many arguments the program has"),
        }
    }

    /// Runs each function that launches, and that nothing before has called.
    fn all_that_launches(&mut self) {
        let module = self.module;
        let functions = module.functions.iter().map(|one| (&*one.own, &one.generic[..]));
        let methods = module.methods.iter().map(|one| (&**one, &[][..]));
        for (function, generic) in functions.chain(methods) {
            if launches(&function.body) && !self.has_called(function) {
                self.frames = vec![Frame::default()];
                self.rests();
                // What does not come to its end has launched what it has launched.
                let _ = self.open(function, generic);
            }
        }
    }

    /// Runs a function that nobody calls.
    fn open(&mut self, function: &'m Function, generic: &'m [GenericParameter]) -> Eval<()> {
        let module = self.module;
        let list = module.instances.iter().find(|(name, _)| *name == function.name);
        let list = list.map_or(Ok(Vec::new()), |(_, list)| self.list(list))?;
        let bound = self.bound(generic, list, (&[], &[]))?;
        let values = function.parameters.iter().map(|one| self.of_nobody(one)).collect();
        self.call(function, bound, values, None).map(drop)
    }

    /// What a parameter is that nobody gives: a pointer to memory of its name, or what its name says.
    fn of_nobody(&mut self, parameter: &Parameter) -> HostValue {
        let name = &parameter.name;
        if let Type::Pointer(pointer) = &parameter.ty {
            let buffer = self.run.buffers.len();
            let (of, line) = (pointer.to.to_string(), parameter.at.line);
            self.run.buffers.push(HostBuffer { name: name.to_string(), bytes: 0, of, line });
            let at = self.memory.add(MemorySide::Device(buffer), 0);
            return HostValue::Pointer(at, pointer.to.clone());
        }
        self.unknown(format!("`{name}` is what its caller gives"))
    }

    /// Whether a condition holds, if that is known: whether a pointer that nobody gives is one is not.
    pub(super) fn holds(&self, value: &HostValue) -> Option<bool> {
        let of_nobody = |at: u64| {
            let buffer = self.device_place(at).and_then(|at| self.run.buffers.get(at.buffer));
            buffer.is_some_and(|buffer| buffer.bytes == 0)
        };
        match value {
            HostValue::Pointer(at, _) if self.names.is_some() && of_nobody(*at) => None,
            _ => value.holds(),
        }
    }

    /// The instance of a template of structures.
    pub(super) fn structure_of(&mut self, name: &str, list: &'m [Expr]) -> Eval<Option<Type>> {
        let given = self.list(list)?;
        let templates = &self.module.structures;
        let Some(template) = templates.iter().find(|one| &*one.name == name) else {
            return Ok(None);
        };
        let bound = self.bound(&template.generic, given, (&[], &[]))?;
        if bound.iter().any(|(_, of)| *of == TemplateArgument::Unknown) {
            return Ok(None);
        }
        let types = bound.iter().filter_map(|(name, of)| match of {
            TemplateArgument::Type(ty) => Some((name.clone(), ty.clone())),
            _ => None,
        });
        let numbers = bound.iter().filter_map(|(name, of)| match of {
            TemplateArgument::Number(number) => Some((name.clone(), *number)),
            _ => None,
        });
        Ok(template.with(types, numbers))
    }

    /// The parameters of a template with what is given for them, what follows from the values of a
    /// function's parameters, and their defaults.
    pub(super) fn bound(
        &mut self,
        generic: &'m [GenericParameter],
        list: Vec<TemplateArgument>,
        (parameters, values): (&[Parameter], &[HostValue]),
    ) -> Eval<Vec<(Rc<str>, TemplateArgument)>> {
        let list = list.into_iter().chain(std::iter::repeat(TemplateArgument::Unknown));
        let names = generic.iter().map(|one| one.name.clone());
        let mut bound: Vec<_> = names.zip(list).collect();
        super::launch::deduce(&mut bound, parameters.iter().map(|one| &one.ty).zip(values));
        for (_, argument) in &mut bound {
            if matches!(argument, TemplateArgument::Type(ty) if self.is_open(ty)) {
                *argument = TemplateArgument::Unknown;
            }
        }
        for (place, one) in generic.iter().enumerate() {
            if bound[place].1 == TemplateArgument::Unknown
                && let Some(default) = &one.default
            {
                bound[place].1 = self.list(std::slice::from_ref(default))?.remove(0);
            }
        }
        Ok(bound)
    }

    /// What the user gives for a whole number of this name.
    pub(super) fn given(&self, name: &str, ty: &Type) -> Option<HostValue> {
        self.names
            .filter(|_| is_whole(ty))
            .and_then(|names| (names.given)(name))
            .map(HostValue::int)
    }

    /// A value, or what its name says where it has none.
    pub(super) fn or_named(&self, value: HostValue, name: &str, ty: &Type) -> HostValue {
        let names = self.names.filter(|_| value.reason().is_some() && is_whole(ty));
        let said = names.and_then(|names| (names.otherwise)(name));
        said.map_or(value, HostValue::int)
    }
}

fn is_whole(ty: &Type) -> bool {
    matches!(ty, Type::Scalar(scalar) if !scalar.is_float() && !scalar.is_half() && *scalar != Scalar::Bool)
}

/// Whether a statement itself launches a kernel.
fn launches(stmt: &Stmt) -> bool {
    let mut found = false;
    stmt.visit(&mut |kind| {
        found |= match kind {
            ExprKind::Host(host) => matches!(**host, HostExpr::Launch(..)),
            ExprKind::Call(name, _) => {
                name.starts_with("cudaLaunch") && !name.starts_with("cudaLaunchHostFunc")
            }
            _ => false,
        }
    });
    found
}
