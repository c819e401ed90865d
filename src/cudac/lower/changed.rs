//! Which variables a function changes: the others keep their first value.

use crate::ast::{Expr, ExprKind, Init, Module, Stmt};
use crate::template::deduce;
use std::collections::BTreeSet;
use std::rc::Rc;

/// The variables that a statement changes after their declaration, of which it takes the address, or
/// that a reference stands for.
pub(super) fn changed(body: &Stmt, module: &Module) -> BTreeSet<Rc<str>> {
    let mut names = BTreeSet::new();
    body.visit(&mut |kind| match kind {
        ExprKind::Assign(_, to, _) | ExprKind::Postfix(_, to) | ExprKind::Unary('&', to) => {
            names.extend(root(to));
        }
        ExprKind::Method(of, _, given) => {
            names.extend(given.iter().chain([&**of]).filter_map(root));
        }
        ExprKind::Construct(_, given) => names.extend(given.iter().filter_map(root)),
        ExprKind::Call(name, given) => {
            let changes = given.iter().zip(0..).filter(|(_, place)| refers(module, name, *place));
            names.extend(changes.filter_map(|(one, _)| root(one)));
        }
        _ => {}
    });
    body.declared(&mut |one| {
        if let Some(Init::Value(to)) = &one.init
            && one.storage.changes_another()
        {
            names.extend(root(to));
        }
    });
    names
}

/// The variable of which an expression names a part.
fn root(of: &Expr) -> Option<Rc<str>> {
    let mut root = of;
    while let ExprKind::Member(of, _) | ExprKind::Index(of, _) = &root.kind {
        root = of;
    }
    match &root.kind {
        ExprKind::Name(name) => Some(name.clone()),
        _ => None,
    }
}

/// Whether a function can change its argument at a place: by a reference. Instances of a template
/// are alike in this, and before there is one it may.
fn refers(module: &Module, name: &str, place: usize) -> bool {
    let (plain, _) = deduce::called(name);
    let mut meant = module.functions.iter().filter(|one| deduce::called(&one.name).0 == plain);
    let is_template = deduce::find(&module.templates, name).is_some();
    let mut known = meant.by_ref().peekable();
    if known.peek().is_none() {
        return is_template;
    }
    known.any(|one| one.parameters.get(place).is_some_and(|one| one.storage.changes_another()))
}
