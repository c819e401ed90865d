//! Statements and functions.

use super::memory::{HostMemory, HostVariable, MemorySide};
use super::value::{HostValue, Reason, TemplateArgument};
use super::{ByteState, DevicePlace, HostRun, HostStep, HostTensorMap, Unknown};
use crate::ast::{Expr, ExprKind, Function, HostExpr, Loop, Stmt, StmtKind};
use crate::parse::HostModule;
use crate::types::{Qualifiers, Type};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// Steps after which the host is stopped, and after which a loop that does nothing to the device is.
const MOST: u64 = 20_000_000;
const MOST_OF_LOOP: u64 = 1_000_000;

/// How many times as many are taken where the host's own numbers are to judge.
const PATIENCE: u64 = 20;

/// Steps of such a loop where only what is launched is asked for, and not what the memory holds.
const MOST_OF_SHAPE_LOOP: u64 = 1 << 13;

/// How many bytes are moved or filled in the time of a step.
const BYTES_OF_STEP: u64 = 1 << 10;

/// Functions that only show what they are given.
const PRINTS: [&str; 4] = ["printf", "fprintf", "puts", "fputs"];

/// How deep functions may call one another.
const DEEPEST: usize = 64;

/// What whole numbers are by their names, where more is to be known than the host's code says.
#[derive(Clone, Copy)]
pub struct NamedNumbers<'n> {
    /// Whatever the code says.
    pub given: &'n dyn Fn(&str) -> Option<i64>,
    /// Where it says nothing.
    pub otherwise: &'n dyn Fn(&str) -> Option<i64>,
}

/// How long loops of the host may take that do nothing to the device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HostPatience {
    /// Not long: what is launched is asked for, and not what the memory holds.
    Shapes,
    #[default]
    Usual,
    /// Seconds: the host's own numbers are to judge.
    Judging,
}

/// How a module is run.
#[derive(Clone, Copy, Default)]
pub(crate) struct HowToRun<'n> {
    /// With names all of it that launches is run, each way that it may go.
    pub(crate) names: Option<NamedNumbers<'n>>,
    pub(crate) patience: HostPatience,
}

pub(super) struct Interpreter<'m> {
    pub(super) module: &'m HostModule,
    pub(super) memory: HostMemory,
    pub(super) globals: HashMap<Rc<str>, HostVariable>,
    pub(super) frames: Vec<Frame>,
    pub(super) lambdas: HashMap<Rc<str>, &'m Function>,
    pub(super) run: HostRun,
    /// What is known beside the code; with it each way is gone, known or not.
    pub(super) names: Option<NamedNumbers<'m>>,
    pub(super) maps: Vec<HostTensorMap>,
    /// What was copied to the host: where, how many bytes, and where from.
    pub(super) copied: Vec<((u64, u64), DevicePlace)>,
    /// The functions to which variables point.
    pub(super) pointed: Vec<HostValue>,
    called: HashSet<*const Function>,
    pub(super) reasons: Vec<Unknown>,
    touching: HashMap<*const Stmt, bool>,
    steps: u64,
    /// The steps at which the loop around is given up.
    limit: u64,
    /// The steps that all of it may take, and a loop that does nothing to the device.
    most: u64,
    most_of_loop: u64,
    pub(super) line: u32,
    pub(super) random: u64,
    pub(super) streams: u64,
}

#[derive(Default)]
pub(super) struct Frame {
    /// Whether what it returns is a place, as a pointer.
    by_reference: bool,
    pub(super) variables: Vec<HostVariable>,
    pub(super) list: Vec<(Rc<str>, TemplateArgument)>,
}

/// How a statement ends.
pub(super) enum Flow {
    Next,
    Break,
    Continue,
    Return(HostValue),
    /// It goes on at this label of a block around.
    Goto(Rc<str>),
}

/// Why it does not go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Halt {
    /// The program ends.
    Exit,
    /// A loop takes too long.
    Spent,
}

pub(super) type Eval<T> = Result<T, Halt>;

impl<'m> Interpreter<'m> {
    pub(super) fn new(module: &'m HostModule, how: HowToRun<'m>) -> Self {
        let HowToRun { names, patience } = how;
        let (most, most_of_loop) = match patience {
            HostPatience::Shapes => (MOST, MOST_OF_SHAPE_LOOP),
            HostPatience::Usual => (MOST, MOST_OF_LOOP),
            HostPatience::Judging => (PATIENCE * MOST, PATIENCE * MOST_OF_LOOP),
        };
        Self {
            module,
            memory: HostMemory::default(),
            globals: HashMap::new(),
            frames: vec![Frame::default()],
            lambdas: HashMap::new(),
            run: HostRun::default(),
            names,
            maps: Vec::new(),
            copied: Vec::new(),
            pointed: Vec::new(),
            called: HashSet::new(),
            reasons: vec![Unknown { line: 0, why: "it is not written".to_owned() }],
            touching: HashMap::new(),
            steps: 0,
            limit: most,
            most,
            most_of_loop,
            line: 0,
            random: 1,
            streams: 0,
        }
    }

    /// Begins to count the steps anew.
    pub(super) const fn rests(&mut self) {
        (self.steps, self.memory.moved, self.limit) = (0, 0, self.most);
    }

    const fn spent(&self) -> u64 {
        self.steps + self.memory.moved / BYTES_OF_STEP
    }

    pub(super) fn has_called(&self, function: &Function) -> bool {
        self.called.contains(&std::ptr::from_ref(function))
    }

    pub(super) fn unknown(&mut self, why: impl Into<String>) -> HostValue {
        let unknown = Unknown { line: self.line, why: why.into() };
        let found = self.reasons.iter().position(|known| *known == unknown);
        let number = found.unwrap_or_else(|| {
            self.reasons.push(unknown);
            self.reasons.len() - 1
        });
        HostValue::Unknown(number as Reason)
    }

    pub(super) fn why(&self, value: &HostValue) -> Unknown {
        let number = value.reason().unwrap_or(0) as usize;
        let none = || Unknown { line: self.line, why: "its value is not known".to_owned() };
        if number == 0 { none() } else { self.reasons.get(number).cloned().unwrap_or_else(none) }
    }

    pub(super) fn step(&mut self) -> Eval<()> {
        self.steps += 1;
        if self.spent() > self.limit { Err(Halt::Spent) } else { Ok(()) }
    }

    pub(super) fn variable(&self, name: &str) -> Option<&HostVariable> {
        let locals = self.frames.last().into_iter().flat_map(|frame| frame.variables.iter().rev());
        locals.into_iter().find(|one| &*one.name == name).or_else(|| self.globals.get(name))
    }

    /// Calls a function with values for its parameters; `this` is the structure that it is of.
    pub(super) fn call(
        &mut self,
        function: &'m Function,
        list: Vec<(Rc<str>, TemplateArgument)>,
        values: Vec<HostValue>,
        this: Option<(u64, Type)>,
    ) -> Eval<HostValue> {
        self.call_by(function, list, values, &[], this)
    }

    /// The same, where some parameters stand for variables that are at these addresses.
    pub(super) fn call_by(
        &mut self,
        function: &'m Function,
        list: Vec<(Rc<str>, TemplateArgument)>,
        values: Vec<HostValue>,
        places: &[Option<u64>],
        this: Option<(u64, Type)>,
    ) -> Eval<HostValue> {
        if self.frames.len() > DEEPEST {
            return Ok(self.unknown("functions call one another too deep"));
        }
        self.called.insert(function);
        let line = self.line;
        let by_reference = function.by_reference;
        let mut frame = Frame { by_reference, list, ..Frame::default() };
        if let Some((at, ty)) = this {
            let own = self.memory.add(MemorySide::Host, 8);
            self.memory.store(own, &at.to_le_bytes(), &[ByteState::Known; 8]);
            let ty = ty.pointer(None, Qualifiers::default());
            frame.variables.push(HostVariable { name: "this".into(), at: own, ty, is_own: true });
        }
        self.frames.push(frame);
        let mut values = values.into_iter();
        for (place, parameter) in function.parameters.iter().enumerate() {
            let value = match (values.next(), &parameter.default) {
                (Some(value), _) => value,
                (None, Some(default)) => self.eval(default)?,
                (None, None) => self.unknown(format!("`{}` is not given", parameter.name)),
            };
            let mut ty = self.resolved(&parameter.ty);
            if ty == Type::Void {
                ty = value.ty().unwrap_or(Type::INT);
            }
            let by_reference = places.get(place).copied().flatten();
            if let Some(at) = by_reference.filter(|_| parameter.storage.by_reference) {
                self.bind(parameter.name.clone(), at, ty, false);
                continue;
            }
            let at = self.memory.add(MemorySide::Host, ty.bytes());
            self.bind(parameter.name.clone(), at, ty.clone(), true);
            self.store(at, &ty, value);
        }
        let flow = self.statement(&function.body);
        if let Some(frame) = self.frames.pop() {
            self.forget_variables(frame.variables);
        }
        let flow = flow?;
        if let Flow::Goto(label) = &flow {
            let why =
                self.unknown(format!("`goto {label}` leads into a block, which is not followed"));
            self.run.stopped = Some(self.why(&why));
            return Err(Halt::Exit);
        }
        self.line = line;
        Ok(if let Flow::Return(value) = flow { value } else { HostValue::Nothing })
    }

    fn forget_variables(&mut self, variables: impl IntoIterator<Item = HostVariable>) {
        for one in variables.into_iter().filter(|one| one.is_own) {
            self.memory.drop(one.at);
        }
    }

    pub(super) fn bind(&mut self, name: Rc<str>, at: u64, ty: Type, is_own: bool) {
        if let Some(frame) = self.frames.last_mut() {
            frame.variables.push(HostVariable { name, at, ty, is_own });
        }
    }

    /// Calls a lambda, which sees the variables around it.
    pub(super) fn call_lambda(
        &mut self,
        function: &'m Function,
        values: Vec<HostValue>,
    ) -> Eval<HostValue> {
        let before = self.frames.last().map_or(0, |frame| frame.variables.len());
        for (parameter, value) in function.parameters.iter().zip(values) {
            let ty = self.resolved(&parameter.ty);
            let ty = if ty == Type::Void { value.ty().unwrap_or(Type::INT) } else { ty };
            let at = self.memory.add(MemorySide::Host, ty.bytes());
            self.bind(parameter.name.clone(), at, ty.clone(), true);
            self.store(at, &ty, value);
        }
        let flow = self.statement(&function.body);
        let ended = self.frames.last_mut().map(|frame| frame.variables.split_off(before));
        self.forget_variables(ended.into_iter().flatten());
        Ok(if let Flow::Return(value) = flow? { value } else { HostValue::Nothing })
    }

    pub(super) fn statement(&mut self, stmt: &'m Stmt) -> Eval<Flow> {
        self.step()?;
        self.line = if stmt.at.file == 0 { stmt.at.line } else { self.line };
        match &stmt.kind {
            StmtKind::Block(all) => self.block(all),
            StmtKind::Declare(all) => {
                for one in all {
                    self.declare(one, false)?;
                }
                Ok(Flow::Next)
            }
            StmtKind::Value(expr) => self.eval(expr).map(|_| Flow::Next),
            StmtKind::If(condition, yes, no) => {
                let value = self.eval(condition)?;
                match (self.holds(&value), no) {
                    (Some(true), _) => self.statement(yes),
                    (Some(false), Some(no)) => self.statement(no),
                    (Some(false), None) => Ok(Flow::Next),
                    (None, _) if self.names.is_some() => {
                        self.either_way(yes)?;
                        no.as_ref().map_or(Ok(()), |no| self.either_way(no))?;
                        Ok(Flow::Next)
                    }
                    (None, _) => {
                        // Neither way is known: what either may change is not known after it.
                        self.give_up(yes, &value);
                        if let Some(no) = no {
                            self.give_up(no, &value);
                        }
                        Ok(Flow::Next)
                    }
                }
            }
            StmtKind::Loop(each) => self.repeated(stmt, each),
            StmtKind::Switch(of, cases) => {
                let of = self.eval(of)?.whole();
                let mut taken = None;
                for (number, case) in cases.iter().enumerate() {
                    for label in case.labels.iter().flatten() {
                        if of.is_some() && self.eval(label)?.whole() == of {
                            taken = taken.or(Some(number));
                        }
                    }
                }
                if of.is_none() && self.names.is_some() {
                    for stmt in cases.iter().flat_map(|case| &case.body) {
                        self.either_way(stmt)?;
                    }
                    return Ok(Flow::Next);
                }
                let default =
                    || cases.iter().position(|case| case.labels.iter().any(Option::is_none));
                let from = taken.or_else(default).unwrap_or(cases.len());
                for case in &cases[from..] {
                    match self.block(&case.body)? {
                        Flow::Next => {}
                        Flow::Break => return Ok(Flow::Next),
                        other => return Ok(other),
                    }
                }
                Ok(Flow::Next)
            }
            StmtKind::Return(Some(value))
                if self.frames.last().is_some_and(|frame| frame.by_reference) =>
            {
                let place = self.place(value)?;
                Ok(Flow::Return(match place {
                    Some(place) => HostValue::Pointer(place.at, place.ty),
                    None => self.unknown("what is returned by reference"),
                }))
            }
            StmtKind::Return(value) => {
                let value =
                    value.as_ref().map_or(Ok(HostValue::Nothing), |value| self.eval(value))?;
                Ok(Flow::Return(value))
            }
            StmtKind::Break => Ok(Flow::Break),
            StmtKind::Continue => Ok(Flow::Continue),
            StmtKind::Assert(_) | StmtKind::Assembly(_) | StmtKind::Label(_) | StmtKind::Empty => {
                Ok(Flow::Next)
            }
            StmtKind::Goto(label) => Ok(Flow::Goto(label.clone())),
        }
    }

    fn block(&mut self, all: &'m [Stmt]) -> Eval<Flow> {
        let before = self.frames.last().map_or(0, |frame| frame.variables.len());
        let mut flow = Flow::Next;
        let mut next = 0;
        while let Some(stmt) = all.get(next) {
            flow = self.statement(stmt)?;
            let is_label = |stmt: &Stmt| matches!((&stmt.kind, &flow), (StmtKind::Label(own), Flow::Goto(to)) if own == to);
            next = match (&flow, all.iter().position(is_label)) {
                (Flow::Next, _) => next + 1,
                (_, Some(label)) => label,
                (_, None) => break,
            };
        }
        let ended = self.frames.last_mut().map(|frame| frame.variables.split_off(before));
        self.forget_variables(ended.into_iter().flatten());
        Ok(flow)
    }

    fn repeated(&mut self, stmt: &'m Stmt, each: &'m Loop) -> Eval<Flow> {
        let is_outermost = self.limit == self.most && !self.touches(stmt);
        if !is_outermost {
            return self.rounds(each);
        }
        self.limit = self.spent() + self.most_of_loop;
        let ended = self.within(|own| own.rounds(each));
        self.limit = self.most;
        if ended.as_ref().err() != Some(&Halt::Spent) {
            return ended;
        }
        let spent = self.unknown("this loop of the host takes too long to be run here");
        self.give_up(stmt, &spent);
        Ok(Flow::Next)
    }

    /// Does something, and takes back the functions and variables that it has begun and not ended.
    fn within<T>(&mut self, does: impl FnOnce(&mut Self) -> Eval<T>) -> Eval<T> {
        let (frames, variables) =
            (self.frames.len(), self.frames.last().map_or(0, |frame| frame.variables.len()));
        let ended = does(self);
        if ended.is_err() {
            self.frames.truncate(frames);
            let left = self.frames.last_mut().map(|frame| frame.variables.split_off(variables));
            self.forget_variables(left.into_iter().flatten());
        }
        ended
    }

    /// Runs a statement of which nobody knows whether it is reached, and goes on after it.
    fn either_way(&mut self, stmt: &'m Stmt) -> Eval<()> {
        match self.within(|own| own.statement(stmt)) {
            Err(Halt::Spent) => Err(Halt::Spent),
            Err(Halt::Exit) | Ok(_) => Ok(()),
        }
    }

    fn rounds(&mut self, each: &'m Loop) -> Eval<Flow> {
        let before = self.frames.last().map_or(0, |frame| frame.variables.len());
        if let Some(init) = &each.init {
            self.statement(init)?;
        }
        let flow = self.rounds_after(each);
        let ended = self.frames.last_mut().map(|frame| frame.variables.split_off(before));
        self.forget_variables(ended.into_iter().flatten());
        flow
    }

    fn rounds_after(&mut self, each: &'m Loop) -> Eval<Flow> {
        let mut is_first = each.asks_after;
        loop {
            self.step()?;
            if let (Some(condition), false) = (&each.condition, is_first) {
                let value = self.eval(condition)?;
                match value.holds() {
                    Some(true) => {}
                    Some(false) => return Ok(Flow::Next),
                    None if self.names.is_some() => {
                        self.either_way(&each.body)?;
                        return Ok(Flow::Next);
                    }
                    None => {
                        self.give_up(&each.body, &value);
                        return Ok(Flow::Next);
                    }
                }
            }
            is_first = false;
            match self.statement(&each.body)? {
                Flow::Next | Flow::Continue => {}
                Flow::Break => return Ok(Flow::Next),
                flow @ (Flow::Return(_) | Flow::Goto(_)) => return Ok(flow),
            }
            if let Some(step) = &each.step {
                self.eval(step)?;
            }
        }
    }

    /// Leaves out a statement: what it may change is not known after it. What is launched after it is checked
    /// as if it were reached; that the statement may end the program or a function is noted.
    fn give_up(&mut self, stmt: &'m Stmt, why: &HostValue) {
        if stmt.may_end() {
            let what = format!("the host does not end in line {}", self.line);
            let why = self.why(why).why;
            self.assume(what, why);
        }
        if self.touches(stmt) && self.run.stopped.is_none() {
            self.run.stopped = Some(self.why(why));
        }
        let reason = why.reason().unwrap_or(0);
        let functions = &self.module.functions;
        let (mut changed, mut passed) = (Vec::new(), Vec::new());
        let mut see = |kind: &'m ExprKind| match kind {
            ExprKind::Assign(_, to, _) | ExprKind::Postfix(_, to) | ExprKind::Unary('&', to) => {
                changed.push(&**to);
            }
            ExprKind::Call(name, _) if PRINTS.contains(&&**name) => {}
            // A number that is passed stays what it is.
            ExprKind::Call(name, given) => {
                let by_reference = |place: usize| {
                    let mut own = functions.iter().filter(|one| one.own.name == *name);
                    own.any(|one| {
                        let parameter = one.own.parameters.get(place);
                        parameter.is_some_and(|one| one.storage.by_reference)
                    })
                };
                for (place, one) in given.iter().enumerate() {
                    if by_reference(place) { &mut changed } else { &mut passed }.push(one);
                }
            }
            ExprKind::Method(_, _, given) => changed.extend(given),
            _ => {}
        };
        stmt.visit(&mut see);
        passed.retain(|one| !matches!(self.type_at(one), Some(Type::Scalar(_))));
        for to in changed.into_iter().chain(passed) {
            let (mut of, mut is_element) = (to, false);
            while let ExprKind::Index(inner, _)
            | ExprKind::Member(inner, _)
            | ExprKind::Unary('*', inner)
            | ExprKind::Cast(_, inner) = &of.kind
            {
                is_element |= matches!(of.kind, ExprKind::Index(..) | ExprKind::Unary(..));
                of = inner;
            }
            let ExprKind::Name(name) = &of.kind else { continue };
            let Some(variable) = self.variable(name).cloned() else { continue };
            if let Type::Struct(own) = &variable.ty
                && is_element
                && own.place_of("of").is_none()
            {
                for at in self.pointers_in(&variable) {
                    self.memory.forget_all(at, reason);
                }
                continue;
            }
            if !matches!(variable.ty, Type::Pointer(_) | Type::Struct(_)) {
                self.memory.forget(variable.at, variable.ty.bytes(), reason);
                continue;
            }
            if let Some(HostValue::Pointer(at, _)) = self.behind(&variable) {
                self.memory.forget_all(at, reason);
            }
        }
    }

    /// The type of what an expression names, as far as its text says.
    pub(super) fn type_at(&self, expr: &Expr) -> Option<Type> {
        Some(match &expr.kind {
            ExprKind::Name(name) => self.variable(name)?.ty.clone(),
            ExprKind::Index(of, _) | ExprKind::Unary('*', of) => match self.type_at(of)? {
                Type::Pointer(pointer) => pointer.to.clone(),
                Type::Array(of, _) => *of,
                Type::Struct(of) => of.members.get(of.place_of("of")?)?.ty.clone(),
                _ => return None,
            },
            ExprKind::Member(of, name) => match self.type_at(of)? {
                Type::Struct(of) => of.members.get(of.place_of(name)?)?.ty.clone(),
                Type::Vector(of, _) => Type::Scalar(of),
                _ => return None,
            },
            _ => return None,
        })
    }

    /// Whether a statement does something to the device, as far as its text says.
    pub(super) fn touches(&mut self, stmt: &'m Stmt) -> bool {
        if let Some(known) = self.touching.get(&std::ptr::from_ref(stmt)) {
            return *known;
        }
        // A function that calls itself does what its other calls do.
        self.touching.insert(stmt, false);
        let mut called = Vec::new();
        let mut found = false;
        stmt.visit(&mut |kind| match kind {
            ExprKind::Call(name, _) => called.push(name.clone()),
            ExprKind::Host(host) => match &**host {
                HostExpr::Launch(..) => found = true,
                HostExpr::Apply(of, _) => match &of.kind {
                    ExprKind::Name(name) => called.push(name.clone()),
                    ExprKind::Host(of) => {
                        if let HostExpr::Instance(name, _) = &**of {
                            called.push(name.clone());
                        }
                    }
                    _ => {}
                },
                _ => {}
            },
            _ => {}
        });
        for name in called {
            found |= name.starts_with("cuda") && !name.starts_with("cudaGet")
                || name.starts_with("cublas");
            let own = self.module.functions.iter().filter(|one| one.own.name == name);
            for one in own {
                found |= self.touches(&one.own.body);
            }
        }
        self.touching.insert(stmt, found);
        found
    }

    pub(super) fn did(&mut self, step: HostStep) {
        self.run.steps.push(step);
    }
}
