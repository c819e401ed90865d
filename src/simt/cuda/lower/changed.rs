//! Which variables a function changes: the others keep their first value.

use crate::cuda::ast::{ExprKind, Stmt};
use std::collections::BTreeSet;
use std::rc::Rc;

/// The variables that a function changes after their declaration.
pub(super) fn changed(body: &Stmt) -> BTreeSet<Rc<str>> {
    let mut names = BTreeSet::new();
    collect(body, &mut names);
    names
}

fn collect(stmt: &Stmt, names: &mut BTreeSet<Rc<str>>) {
    let found = std::cell::RefCell::new(std::mem::take(names));
    stmt.has(&|kind| {
        if let ExprKind::Assign(_, to, _) | ExprKind::Postfix(_, to) | ExprKind::Unary('&', to) =
            kind
        {
            let mut root = &**to;
            while let ExprKind::Member(of, _) | ExprKind::Index(of, _) = &root.kind {
                root = of;
            }
            if let ExprKind::Name(name) = &root.kind {
                found.borrow_mut().insert(name.clone());
            }
        }
        false
    });
    *names = found.into_inner();
}
