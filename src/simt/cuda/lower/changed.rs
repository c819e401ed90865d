//! Which variables a function changes: the others keep their first value.

use crate::cuda::ast::{ExprKind, Stmt};
use std::collections::BTreeSet;
use std::rc::Rc;

/// The variables that a statement changes after their declaration, or of which it takes the address.
pub(super) fn changed(body: &Stmt) -> BTreeSet<Rc<str>> {
    let mut names = BTreeSet::new();
    body.visit(&mut |kind| {
        if let ExprKind::Assign(_, to, _) | ExprKind::Postfix(_, to) | ExprKind::Unary('&', to) =
            kind
        {
            let mut root = &**to;
            while let ExprKind::Member(of, _) | ExprKind::Index(of, _) = &root.kind {
                root = of;
            }
            if let ExprKind::Name(name) = &root.kind {
                names.insert(name.clone());
            }
        }
    });
    names
}
