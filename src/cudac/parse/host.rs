//! The host's code: what it has beside that of kernels, read without its types being checked.
//!
//! A type that is not known is a structure of that name without members; `vector<T>` has the one
//! member `of`, of its elements' type. A statement that cannot be read is one that is not
//! ([`HostExpr::Unread`]), at its place.

use super::words::scalar;
use super::{Declarator, Parser};
use crate::ast::{
    Declaration, Expr, ExprKind, Function, GenericParameter, HostExpr, Init, Loop, Parameter, Stmt,
    StmtKind, Storage, StructureTemplate,
};
use crate::at::Pos;
use crate::error::Error;
use crate::hint;
use crate::token::{Token, TokenClass};
use crate::types::{Member, Qualifiers, Scalar, Struct, Type};
use std::rc::Rc;

/// What a file has for the host.
#[derive(Debug, Default)]
pub(crate) struct HostModule {
    pub globals: Vec<Declaration>,
    pub functions: Vec<HostFunction>,
    /// Member functions, called `Pair::name`.
    pub methods: Vec<Rc<Function>>,
    pub kernels: Vec<KernelHead>,
    pub structures: Vec<StructureTemplate>,
    /// Instances that are asked for: `template void run<float>(float *);`
    pub instances: Vec<(Rc<str>, Vec<Expr>)>,
}

#[derive(Debug)]
pub(crate) struct HostFunction {
    pub own: Rc<Function>,
    pub generic: Vec<GenericParameter>,
}

/// A kernel without its body.
#[derive(Debug)]
pub(crate) struct KernelHead {
    pub name: Rc<str>,
    pub parameters: Vec<Parameter>,
    pub generic: Vec<GenericParameter>,
}

/// What the standard library's pointers are called: to the interpreter they are plain ones.
const POINTERS: [&str; 2] = ["unique_ptr", "shared_ptr"];

/// The most tokens of a template's list.
const LONGEST: usize = 64;

/// Words that begin no declaration.
const NO_TYPES: [&str; 9] =
    ["return", "delete", "new", "goto", "else", "case", "throw", "sizeof", "operator"];

/// Reads the host's code of a file, after `prelude`, which declares the types of CUDA.
pub(crate) fn host(prelude: &[Token], tokens: &[Token]) -> HostModule {
    let mut module = HostModule::default();
    let mut first = Parser { is_host: true, ..Parser::new(prelude) };
    first.host_items(&mut module);
    let (aliases, numbers, known) = (first.aliases, first.numbers, first.known);
    let mut parser = Parser { is_host: true, aliases, numbers, known, ..Parser::new(tokens) };
    parser.host_items(&mut module);
    module
}

impl Parser<'_> {
    fn host_items(&mut self, module: &mut HostModule) {
        while self.token().kind != TokenClass::End {
            let (start, scopes) = (self.index, self.aliases.len());
            let read = self.host_item(module);
            self.aliases.truncate(scopes);
            self.depth = 0;
            if read.is_err() || self.index == start {
                self.index = self.item_end(start).max(start + 1);
            }
        }
        module.methods.append(&mut self.methods);
        module.globals.append(&mut self.statics);
        module.structures.append(&mut self.templates);
    }

    fn host_item(&mut self, module: &mut HostModule) -> Result<(), Error> {
        let start = self.index;
        if self.is("extern") && self.ahead(1).kind == TokenClass::Text {
            self.index += 2;
            self.accept("{");
            return Ok(());
        }
        if self.accept(";") || self.accept("}") {
            return Ok(());
        }
        if self.names_a_type() {
            return self.named_type();
        }
        if self.is("enum") && self.defines_an_enumeration() {
            module.globals.extend(self.enumeration()?);
            return self.expect(";").map(drop);
        }
        if self.defines_a_structure() {
            self.structure()?;
            return self.expect(";").map(drop);
        }
        if self.is("template") && !self.ahead(1).is("<") {
            return self.explicit_instance(module);
        }
        let generic = if self.accept("template") { self.generic()? } else { Vec::new() };
        if self.defines_a_structure() {
            let template = self.structure_template(generic);
            self.templates.extend(template);
            self.index = self.item_end(start);
            return Ok(());
        }
        // A name of a template stands for a type that its call gives.
        let unknown = |one: &GenericParameter| (one.name.clone(), opaque(one.name.clone(), None));
        self.aliases.push(generic.iter().map(unknown).collect());
        let mut base = self.base()?;
        let ty = self.pointers_of(base.ty.clone(), base.storage.qualifiers);
        let bounds = self.bounds()?;
        if !base.is_kernel {
            base.bounds = bounds;
        }
        self.accept("&");
        let name = self.name("a name")?;
        let is_value = base.storage.qualifiers.constant && self.begins_value();
        if !self.is("(") || is_value {
            let declared = self.declarations(&base.ty, base.storage, ty, name)?;
            self.learn(&declared);
            module.globals.extend(declared);
            return Ok(());
        }
        let Some(parameters) = self.parameters(false)? else { return Ok(()) };
        let of_host = || self.tokens[start..self.index].iter().any(|word| word.is("__host__"));
        if base.is_kernel {
            module.kernels.push(KernelHead { name: name.text.clone(), parameters, generic });
            self.index = self.item_end(start);
            return Ok(());
        }
        if base.is_device && !of_host() {
            self.index = self.item_end(start);
            return Ok(());
        }
        let (body, at) = (self.block()?, name.at);
        let own = Rc::new(Function {
            name: name.text.clone(),
            at,
            is_kernel: false,
            owner: None,
            returns: ty,
            deduced: base.storage.deduced,
            by_reference: false,
            parameters,
            bounds: None,
            body,
            end: at,
        });
        module.functions.push(HostFunction { own, generic });
        Ok(())
    }

    /// `template void run<float, 8>(float *);`
    fn explicit_instance(&mut self, module: &mut HostModule) -> Result<(), Error> {
        let start = self.index;
        while !self.instance_follows() {
            if self.is(";") || self.token().kind == TokenClass::End {
                self.index = self.item_end(start);
                return Ok(());
            }
            self.index += 1;
        }
        let name = self.tokens[self.index - 1].text.clone();
        module.instances.push((name, self.template_list()?));
        self.index = self.item_end(start);
        Ok(())
    }

    /// `<typename T, int N = 16>`
    fn generic(&mut self) -> Result<Vec<GenericParameter>, Error> {
        self.expect("<")?;
        let mut all = Vec::new();
        while !self.accept(">") {
            let mut name = None;
            while !self.is(",") && !self.is(">") && !self.is("=") {
                let token = self.next();
                if token.kind == TokenClass::End {
                    return Err(hint::no_value(self.before(), token, token.at));
                }
                name = Some(token.text.clone());
            }
            let default = if self.accept("=") { Some(self.template_argument()?) } else { None };
            all.extend(name.map(|name| GenericParameter { name, default }));
            self.accept(",");
        }
        Ok(all)
    }

    /// A statement; one that cannot be read is told so where it is run.
    pub(super) fn host_statement(&mut self) -> Result<Stmt, Error> {
        let (start, depth, scopes) = (self.index, self.depth, self.aliases.len());
        let at = self.at();
        if self.token().kind == TokenClass::End {
            return Err(hint::no_value(self.before(), self.token(), at));
        }
        let read = self.deeper(Self::host_words);
        if let Ok(read) = read {
            return Ok(read);
        }
        (self.depth, self.in_angles) = (depth, false);
        self.aliases.truncate(scopes);
        self.index = self.item_end(start).max(start + 1);
        Ok(Stmt { kind: StmtKind::Value(Expr::host(HostExpr::Unread, at)), at })
    }

    fn host_words(&mut self) -> Result<Stmt, Error> {
        let at = self.at();
        if self.accept("try") {
            let block = self.block()?;
            while self.accept("catch") {
                self.closing_bracket();
                self.block()?;
            }
            return Ok(block);
        }
        if self.accept("delete") {
            if self.accept("[") {
                self.expect("]")?;
            }
            let of = self.expression()?;
            self.expect(";")?;
            let kind = StmtKind::Value(Expr::new(ExprKind::Call("free".into(), vec![of]), at));
            return Ok(Stmt { kind, at });
        }
        if self.is("for") && self.goes_through() {
            return self.each(at);
        }
        self.any_statement()
    }

    /// Whether this loop goes through something, `for (auto x : all)`.
    fn goes_through(&self) -> bool {
        let mut depth = 0;
        for count in 1..LONGEST {
            let token = self.ahead(count);
            match &*token.text {
                "(" => depth += 1,
                ")" => depth -= 1,
                ":" if depth == 1 => return true,
                ";" | "?" => return false,
                _ => {}
            }
            if depth == 0 {
                return false;
            }
        }
        false
    }

    /// `for (auto &x : all)`, as a loop over the indices of all.
    fn each(&mut self, at: Pos) -> Result<Stmt, Error> {
        self.index += 1;
        self.expect("(")?;
        let base = self.base()?;
        let qualifiers = base.storage.qualifiers;
        let ty = self.pointers_of(base.ty.clone(), qualifiers);
        let Declarator { name, ty, by_reference } = self.declared(ty, qualifiers, "a name")?;
        self.expect(":")?;
        let of = self.expression()?;
        self.expect(")")?;
        let rest = self.statement()?;
        let number = self.number();
        let counter: Rc<str> = format!("the place in loop {number}").into();
        let expr = |kind| Expr::new(kind, at);
        let counted = || Box::new(expr(ExprKind::Name(counter.clone())));
        let declared = |this: &mut Self, name: &Rc<str>, ty, value, storage| {
            let (id, sides, init) = (this.number(), Vec::new(), Some(Init::Value(value)));
            let one = Declaration { id, at, ty, name: name.clone(), sides, init, storage };
            Stmt { kind: StmtKind::Declare(vec![one]), at }
        };
        let size = Type::Scalar(Scalar::U64);
        let zero = expr(ExprKind::Int(0, Scalar::U64));
        let init = declared(self, &counter, size, zero, Storage::default());
        let count = ExprKind::Method(Box::new(of.clone()), "size".into(), Vec::new());
        let condition = ExprKind::Binary("<".into(), counted(), Box::new(expr(count)));
        let element = expr(ExprKind::Index(Box::new(of), counted()));
        let storage = Storage { by_reference, ..base.storage };
        let first = declared(self, &name.text, ty, element, storage);
        let each = Loop {
            id: number,
            init: Some(init),
            condition: Some(expr(condition)),
            asks_after: false,
            step: Some(expr(ExprKind::Postfix("+".into(), counted()))),
            body: Stmt { kind: StmtKind::Block(vec![first, rest]), at },
            unroll: None,
        };
        Ok(Stmt { kind: StmtKind::Loop(Box::new(each)), at })
    }

    /// Passes over brackets and what is in them.
    pub(super) fn closing_bracket(&mut self) {
        let mut depth = 0_u32;
        while self.token().kind != TokenClass::End {
            let token = self.next();
            depth += u32::from(token.is("("));
            depth = depth.saturating_sub(u32::from(token.is(")")));
            if depth == 0 {
                return;
            }
        }
    }

    /// The place after a path of names and the lists of their templates, so many tokens ahead.
    fn after_path(&self, from: usize) -> Option<usize> {
        let mut at = from;
        loop {
            if self.ahead(at).kind != TokenClass::Name {
                return None;
            }
            at += 1;
            if self.ahead(at).is("<") {
                at = self.after_list(at)?;
            }
            if !self.ahead(at).is("::") {
                return Some(at);
            }
            at += 1;
        }
    }

    /// The place after the list that begins so many tokens ahead, if it ends.
    fn after_list(&self, from: usize) -> Option<usize> {
        let mut depth = 0_i32;
        for at in from..from + LONGEST {
            let token = self.ahead(at);
            match &*token.text {
                "<" => depth += 1,
                ">" => depth -= 1,
                ">>" => depth -= 2,
                ";" | "{" | "}" | "&&" | "||" | "=" | "<<" => return None,
                _ => {}
            }
            if depth <= 0 {
                return Some(at + 1);
            }
        }
        None
    }

    /// Whether a declaration of a type that is not known begins here.
    pub(super) fn declares_on_host(&self) -> bool {
        if NO_TYPES.iter().any(|word| self.is(word)) || self.token().kind != TokenClass::Name {
            return false;
        }
        let Some(mut at) = self.after_path(0) else { return false };
        while ["*", "&", "const", "&&", "__restrict__"].iter().any(|word| self.ahead(at).is(word)) {
            at += 1;
        }
        let is_named = self.ahead(at).kind == TokenClass::Name;
        is_named && ["=", ";", ",", "(", "{", "[", ":"].iter().any(|end| self.ahead(at + 1).is(end))
    }

    /// `(Real*)`, `(std::size_t)`: a cast to a type that is not known.
    pub(super) fn begins_cast_on_host(&self) -> bool {
        let Some(mut at) = self.after_path(1) else { return false };
        let is_path = at > 2;
        let stars = at;
        while self.ahead(at).is("*") || self.ahead(at).is("const") {
            at += 1;
        }
        let next = self.ahead(at + 1);
        let is_value = next.kind != TokenClass::Punctuator || next.is("(") || next.is("&");
        self.ahead(at).is(")") && (at > stars || is_path) && is_value
    }

    /// A type that is no word of C: by its name, with its list.
    pub(super) fn named_by_host(&mut self) -> Result<Type, Error> {
        let begins = self.token();
        let mut name = String::new();
        let mut list = Vec::new();
        loop {
            let part = self.name("a type")?;
            if !matches!(&*part.text, "std" | "thrust") {
                name += &part.text;
            }
            if self.is("<") && self.after_list(0).is_some() {
                list = self.template_list()?;
            }
            if !self.accept("::") {
                break;
            }
            if !name.is_empty() {
                name += "::";
            }
        }
        if let Some(known) = scalar(&[&name]).or_else(|| self.alias(&name).cloned()) {
            return Ok(known);
        }
        if NO_TYPES.contains(&&*name) {
            return Err(hint::no_value(self.before(), begins, begins.at));
        }
        if let Some(instance) = self.structure_instance(&name, &list) {
            return Ok(instance);
        }
        let of = match list.first().map(|first| &first.kind) {
            Some(ExprKind::Host(of)) => match &**of {
                HostExpr::Type(ty) => Some(ty.clone()),
                _ => None,
            },
            _ => None,
        };
        match (&*name, &of) {
            ("atomic", Some(of)) => return Ok(of.clone()),
            (name, Some(of)) if POINTERS.contains(&name) => {
                return Ok(of.clone().pointer(None, Qualifiers::default()));
            }
            _ => {}
        }
        let holds = matches!(
            &*name,
            "vector" | "host_vector" | "device_vector" | "array" | "initializer_list"
        );
        Ok(opaque(name.as_str().into(), of.filter(|_| holds)))
    }

    /// Whether a list of a template's arguments begins here, and no comparison.
    pub(super) fn instance_follows(&self) -> bool {
        self.after_list(0).is_some_and(|end| {
            let next = self.ahead(end);
            next.is("(")
                || next.is("{")
                || next.is("<<") && self.ahead(end + 1).is("<")
                || [",", ")", ";", ":"].iter().any(|end| next.is(end))
        })
    }

    /// `<float, 16>`
    pub(super) fn template_list(&mut self) -> Result<Vec<Expr>, Error> {
        self.expect("<")?;
        let mut all = Vec::new();
        while !self.accept(">") {
            all.push(self.template_argument()?);
            if !self.is(">") {
                // `>>` ends two lists.
                if self.is(">>") {
                    break;
                }
                self.expect(",")?;
            }
        }
        Ok(all)
    }

    fn template_argument(&mut self) -> Result<Expr, Error> {
        let at = self.at();
        let is_type = self.token().kind == TokenClass::Name
            && (self.begins_type(&self.token().text)
                || self.is("const")
                || self.after_path(0).is_some_and(|end| self.ahead(end).is("*") || end > 1));
        if is_type {
            let base = self.base()?;
            let ty = self.pointers_of(base.ty, base.storage.qualifiers);
            // `unique_ptr<float[]>`
            if self.accept("[") {
                self.expect("]")?;
            }
            return Ok(Expr::host(HostExpr::Type(ty), at));
        }
        let in_angles = std::mem::replace(&mut self.in_angles, true);
        let value = self.assignment();
        self.in_angles = in_angles;
        value
    }

    /// Whether an operator here is none: the end of a list, or of a launch's `>>>`.
    pub(super) fn ends_angles(&self) -> bool {
        let ends_list = self.in_angles && (self.is(">") || self.is(">>"));
        ends_list || self.is_host && self.is(">>") && self.ahead(1).is(">")
    }

    /// `<<<grid, block, shared, stream>>>(a, b)` after the kernel.
    pub(super) fn launch(&mut self, kernel: Expr, at: Pos) -> Result<Expr, Error> {
        self.index += 2;
        let mut shape = Vec::new();
        while !(self.is(">>") && self.ahead(1).is(">")) {
            shape.push(self.value_or_list()?);
            if !self.is(">>") {
                self.expect(",")?;
            }
        }
        self.index += 2;
        self.expect("(")?;
        let given = self.given()?;
        Ok(Expr::host(HostExpr::Launch(kernel, shape, given), at))
    }

    /// Whether a pointer to a function is declared here: `(*kernel)(float *, int)`.
    pub(super) fn points_to_function(&self) -> bool {
        let words = [(0, "("), (1, "*"), (3, ")"), (4, "(")];
        words.iter().all(|(at, word)| self.ahead(*at).is(word))
    }

    /// `new float[n]`, after its word.
    pub(super) fn allocation(&mut self, at: Pos) -> Result<Expr, Error> {
        let base = self.base()?;
        let ty = self.pointers_of(base.ty, base.storage.qualifiers);
        let mut count = None;
        if self.accept("[") {
            count = Some(self.expression()?);
            self.expect("]")?;
        }
        let given = if self.accept("(") { self.given()? } else { Vec::new() };
        if self.is("{") {
            self.value_or_list()?;
        }
        Ok(Expr::host(HostExpr::New(ty, count, given), at))
    }

    /// `sizeof(float)`, `sizeof x`, after its word.
    pub(super) fn size_on_host(&mut self, at: Pos) -> Result<Expr, Error> {
        let is_instance = self.ahead(2).is("<") && self.alias(&self.ahead(1).text).is_none();
        let is_type = self.is("(")
            && !is_instance
            && self.ahead(1).kind == TokenClass::Name
            && (self.begins_type(&self.ahead(1).text)
                || ["const", "struct", "unsigned"].iter().any(|word| self.ahead(1).is(word))
                || self.begins_cast_on_host());
        if is_type {
            self.expect("(")?;
            let base = self.base()?;
            let mut ty = self.pointers_of(base.ty, base.storage.qualifiers);
            while self.accept("[") {
                let side = self.expression()?;
                let side = self.whole(&side).and_then(|side| u32::try_from(side).ok());
                ty = Type::Array(Box::new(ty), side.unwrap_or(0));
                self.expect("]")?;
            }
            self.expect(")")?;
            return Ok(Expr::host(HostExpr::SizeOf(Expr::host(HostExpr::Type(ty), at)), at));
        }
        let of = self.unary()?;
        Ok(Expr::host(HostExpr::SizeOf(of), at))
    }

    /// `[&](int n) { ... }`
    pub(super) fn lambda(&mut self) -> Result<Expr, Error> {
        let at = self.expect("[")?;
        while !self.accept("]") {
            let token = self.next();
            if token.kind == TokenClass::End {
                return Err(hint::no_value(self.before(), token, token.at));
            }
        }
        let function = self.lambda_called("lambda".into(), at)?;
        Ok(Expr::host(HostExpr::Lambda(Rc::new(function)), at))
    }
}

/// A type of this name without members, but that of what it holds.
pub(super) fn opaque(name: Rc<str>, of: Option<Type>) -> Type {
    let bytes = if of.is_some() { 24 } else { 0 };
    let full = match &of {
        Some(of) => format!("{name}<{of}>").into(),
        None => name,
    };
    let member = |ty| Member { name: "of".into(), ty, offset: 0 };
    let members = of.map(member).into_iter().collect();
    Type::Struct(Rc::new(Struct { name: full, members, bytes, align: 8 }))
}
