//! A kernel that is being lowered: its names, its arrays, and what is around the current statement.

use super::code::{self, Code, Label};
use super::location::Lvalue;
use super::stop::Result;
use super::value::{Reg, Value};
use crate::ast::{Expr, Function, Loop, Module};
use crate::at::Pos;
use crate::compiled::{CompileOptions, SharedArray};
use crate::error::Error;
use crate::types::{Scalar, Type};
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

/// How deep statements, expressions and inlined functions may stand in one another.
const DEEPEST: u32 = 220;

/// What has been decided about a kernel in earlier attempts.
#[derive(Debug, Default)]
pub(super) struct Decisions {
    /// Loops that are unrolled so that an array can be in registers.
    pub unrolled: BTreeSet<u32>,
    /// Arrays and variables that are in local memory.
    pub in_memory: BTreeSet<u32>,
    /// Whether pointers that change or lie in memory have addresses that say into which memory.
    pub generic: bool,
}

#[derive(Clone, Debug)]
pub(super) enum Binding {
    Constant(Value),
    Place(Lvalue),
}

#[derive(Clone, Debug)]
pub(super) struct EnclosingLoop<'a> {
    pub each: &'a Loop,
    /// Its variable, if it counts one.
    pub variable: Option<Rc<str>>,
}

/// Where `break` and `continue` go.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exits {
    pub leave: Label,
    /// `None` in a `switch` that no loop stands around.
    pub next: Option<Label>,
}

/// A label of the source, and the first `goto` that leads to it.
#[derive(Clone, Copy, Debug)]
pub(super) struct NamedLabel {
    pub label: Label,
    pub at: Pos,
    pub is_placed: bool,
}

/// An inlined call: where `return` goes, and where its value.
#[derive(Clone, Debug)]
pub(super) struct InlineFrame {
    pub function: Rc<Function>,
    pub end: Label,
    pub returns: Type,
    pub result: Option<Lvalue>,
    /// Whether the first `return` says what it returns.
    pub deduced: bool,
    /// Whether what it returns is a variable, and not a value.
    pub by_reference: bool,
}

/// An array in registers: one for each number, as soon as it is used.
#[derive(Debug)]
pub(super) struct RegisterArray {
    pub id: u32,
    pub scalar: Scalar,
    pub registers: HashMap<u64, Reg>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct LoweringMark {
    code: code::CodeMark,
    arrays: usize,
    given: usize,
}

pub(super) struct Lowering<'a> {
    pub module: &'a Module,
    pub options: &'a CompileOptions<'a>,
    pub decisions: &'a Decisions,
    pub code: Code,
    pub scopes: Vec<HashMap<Rc<str>, Binding>>,
    pub arrays: Vec<RegisterArray>,
    /// The registers of arrays in the order in which they were given: the array, the number in it.
    pub given: Vec<(usize, u64)>,
    /// The variables that registers are of.
    pub owners: HashMap<Reg, u32>,
    /// The labels of each function that is inlined here.
    pub labels: Vec<HashMap<Rc<str>, NamedLabel>>,
    pub around: Vec<EnclosingLoop<'a>>,
    pub exits: Vec<Exits>,
    pub frames: Vec<InlineFrame>,
    /// The names that the function being lowered changes: others keep their first value.
    pub changed: Vec<BTreeSet<Rc<str>>>,
    pub shared: Vec<SharedArray>,
    /// Names and bytes of arrays in local memory.
    pub local: Vec<(String, u64)>,
    pub external: Vec<String>,
    /// Functions that are called and have no body.
    pub unlinked: BTreeSet<String>,
    pub entry: String,
    pub texts: Vec<Rc<str>>,
    pub depth: u32,
    /// How many expressions were computed, also those whose code was forgotten.
    pub computed: usize,
    /// The types of expressions that were computed only to learn them.
    types: HashMap<*const Expr, Type>,
}

impl<'a> Lowering<'a> {
    pub(super) fn new(
        module: &'a Module,
        options: &'a CompileOptions<'a>,
        decisions: &'a Decisions,
    ) -> Self {
        Self {
            module,
            options,
            decisions,
            code: Code::default(),
            scopes: vec![HashMap::new()],
            arrays: Vec::new(),
            given: Vec::new(),
            owners: HashMap::new(),
            labels: Vec::new(),
            around: Vec::new(),
            exits: Vec::new(),
            frames: Vec::new(),
            changed: Vec::new(),
            shared: Vec::new(),
            local: Vec::new(),
            external: Vec::new(),
            unlinked: BTreeSet::new(),
            entry: String::new(),
            texts: Vec::new(),
            depth: 0,
            computed: 0,
            types: HashMap::new(),
        }
    }

    pub(super) fn bind(&mut self, name: &Rc<str>, binding: Binding, at: Pos) -> Result<()> {
        let Some(scope) = self.scopes.last_mut() else { return Ok(()) };
        if scope.insert(name.clone(), binding).is_some() {
            return Err(Error::at(at, format!("`{name}` is declared twice here")).into());
        }
        Ok(())
    }

    pub(super) fn find(&self, name: &str) -> Option<&Binding> {
        let in_scope = |name: &str| self.scopes.iter().rev().find_map(|scope| scope.get(name));
        in_scope(name).or_else(|| {
            // A constant of the structure whose member function this is.
            let Binding::Place(this) = in_scope("this")? else { return None };
            let Type::Struct(of) = this.ty() else { return None };
            in_scope(&format!("{}::{name}", of.name))
        })
    }

    /// The type of an expression, of which no code is left.
    ///
    /// It is learnt once: an expression in an expression in an expression would otherwise be computed
    /// twice on each level.
    pub(super) fn type_of(&mut self, expr: &'a Expr) -> Result<Type> {
        let key = std::ptr::from_ref(expr);
        if let Some(ty) = self.types.get(&key) {
            return Ok(ty.clone());
        }
        let mark = self.mark();
        let ty = self.value(expr)?.ty;
        self.back(mark);
        // Which memory a pointer points into may be known only later.
        if !matches!(ty, Type::Pointer(_)) {
            self.types.insert(key, ty.clone());
        }
        Ok(ty)
    }

    pub(super) const fn mark(&self) -> LoweringMark {
        LoweringMark { code: self.code.mark(), arrays: self.arrays.len(), given: self.given.len() }
    }

    /// Forgets the code written since, and the registers that arrays got in it: others get their
    /// numbers.
    pub(super) fn back(&mut self, mark: LoweringMark) {
        self.code.back(mark.code);
        for (array, index) in self.given.drain(mark.given..) {
            self.arrays[array].registers.remove(&index);
        }
        self.arrays.truncate(mark.arrays);
    }

    pub(super) fn deeper<T>(
        &mut self,
        at: Pos,
        inner: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(Error::at(at, "this is nested too deep").into());
        }
        let result = inner(self);
        self.depth -= 1;
        result
    }
}
