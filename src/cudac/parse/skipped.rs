//! What no kernel need use: a declaration outside the subset, or a function of the host. It is passed
//! over, and told where something names it.

use super::Parser;
use crate::ast::Module;
use crate::error::Error;
use crate::skipped::{SkippedDeclaration, names, passed_over};
use crate::token::{Token, TokenClass};

/// Words of variables of the device: such a declaration is never passed over.
const VARIABLES: [&str; 3] = ["__shared__", "__constant__", "__managed__"];

impl Parser<'_> {
    /// Reads what stands next outside functions, or passes over it.
    pub(super) fn any_item(&mut self, module: &mut Module, open: &mut u32) -> Result<(), Error> {
        let (start, depth, scopes) = (self.index, self.depth, self.aliases.len());
        let Err(error) = self.item(module, open) else { return Ok(()) };
        let end = self.item_end(start);
        let tokens = &self.tokens[start..end];
        let has = |word: &&str| tokens.iter().any(|token| token.is(word));
        // Of a kernel that is wrong the error is told; one that is outside may not be wanted.
        let is_kernel = has(&"__global__");
        let is_told = if is_kernel { !error.outside } else { VARIABLES.iter().any(has) };
        let is_slip = error.hint.as_ref().is_some_and(|hint| hint.starts_with("did you mean"));
        if is_told || is_slip || tokens.is_empty() {
            return Err(error);
        }
        (self.index, self.depth) = (end, depth);
        self.aliases.truncate(scopes);
        let names = names(tokens);
        // A structure of which a part was read is none.
        let is_structure = tokens.first().is_some_and(|word| word.is("struct") || word.is("class"));
        for scope in self.aliases.iter_mut().filter(|_| is_structure) {
            scope.retain(|name, _| !names.contains(name));
        }
        self.skipped.push(SkippedDeclaration { names, error, is_kernel });
        Ok(())
    }

    /// The place after the declaration that begins at `start`: after its body, or its semicolon.
    pub(super) fn item_end(&self, start: usize) -> usize {
        let mut depth = 0_usize;
        for (at, token) in self.tokens.iter().enumerate().skip(start) {
            if token.kind == TokenClass::End {
                return at;
            }
            let opens = ["{", "(", "["].iter().any(|open| token.is(open));
            let closes = ["}", ")", "]"].iter().any(|close| token.is(close));
            depth = (depth + usize::from(opens)).saturating_sub(usize::from(closes));
            if depth == 0 && (token.is(";") || token.is("}")) {
                // `struct X { ... } x;` goes on up to its semicolon.
                let goes_on = token.is("}") && is_of_a_type(&self.tokens[start..at]);
                if !goes_on {
                    return at + 1;
                }
            }
        }
        self.tokens.len()
    }

    /// The error for a use of a skipped name.
    pub(super) fn passed_over(&self, name: &str) -> Option<Error> {
        passed_over(&self.skipped, name)
    }
}

fn is_of_a_type(tokens: &[Token]) -> bool {
    let words = ["struct", "class", "union", "enum", "typedef"];
    tokens.first().is_some_and(|first| words.iter().any(|word| first.is(word)))
}
