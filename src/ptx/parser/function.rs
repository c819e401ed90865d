//! Kernels and device functions: their names, parameters and directives.

use super::Parser;
use super::body::BodyParser;
use crate::ast::{ClusterDirectives, Function, Param, Registers, Scope, Threads};
use crate::error::ParseError;
use crate::lexer::TokenKind;

/// Maximum total size of a kernel's parameters in bytes (PTX ISA, "Kernel Function Parameters").
const MAX_PARAMS: u32 = 32_764;

impl Parser<'_> {
    /// `.entry name(params) {directives} { body }`
    pub(super) fn entry(&mut self) -> Result<Function, ParseError> {
        self.at += 1;
        let mut function =
            Function { name: self.name("a function's name")?.to_owned(), ..Function::default() };
        function.params = self.params()?;
        while !self.take('{') {
            let at = self.at;
            let refused = self.cluster_directive(&mut function.cluster)?;
            if self.at == at {
                self.performance_directive(&mut function.threads)?;
            }
            function.unsupported.extend(refused);
        }
        BodyParser::new(self, &mut function).block()?;
        Ok(function)
    }

    /// `.func {(returned)} name{(params)} {directives} { body }`, or `None` if the body is in
    /// another module or in the driver (`;` in its place).
    pub(super) fn device_function(&mut self) -> Result<Option<Function>, ParseError> {
        self.at += 1;
        let returns = self.params()?;
        let name = self.name("a function's name")?.to_owned();
        let params = self.params()?;
        while self.kind() != Some(TokenKind::Sign('{')) {
            if self.take(';') {
                return Ok(None);
            }
            self.performance_directive(&mut None)?;
        }
        self.at += 1;
        let formals = returns.iter().chain(&params).filter(|param| param.in_register);
        let register = |param: &Param| Registers {
            name: param.name.clone(),
            ty: param.ty,
            count: None,
            scope: Scope(0),
            halved: false,
        };
        let registers = formals.map(register).collect();
        let mut function = Function { name, params, returns, registers, ..Function::default() };
        BodyParser::new(self, &mut function).block()?;
        Ok(Some(function))
    }

    /// `(.param .u64 {.ptr .global .align 4} name{[bytes]}, ..)`, or nothing.
    fn params(&mut self) -> Result<Vec<Param>, ParseError> {
        let (mut params, mut end) = (Vec::new(), 0_u32);
        if !self.take('(') || self.take(')') {
            return Ok(params);
        }
        loop {
            let span = self.span();
            let mut param = self.param()?;
            param.offset = end.next_multiple_of(param.align);
            end = param.offset.saturating_add(param.bytes);
            if end > MAX_PARAMS {
                let message = format!("a kernel's parameters take at most {MAX_PARAMS} bytes");
                return Err(ParseError::new(span, message));
            }
            params.push(param);
            if !self.take(',') {
                self.sign(')')?;
                return Ok(params);
            }
        }
    }

    /// One parameter, whose offset is not set yet.
    fn param(&mut self) -> Result<Param, ParseError> {
        let in_register = self.kind() == Some(TokenKind::Word(".reg"));
        if in_register {
            self.at += 1;
        } else {
            self.word(".param")?;
        }
        let mut align = self.alignment()?;
        let ty = self.ty()?;
        // The properties of a pointer's target: its space and its alignment.
        while let Some(TokenKind::Word(
            ".ptr" | ".global" | ".shared" | ".const" | ".local" | ".align",
        )) = self.kind()
        {
            self.at += 1;
            if matches!(self.kind(), Some(TokenKind::Integer(_))) {
                self.integer()?;
            }
        }
        let name = self.name("a parameter's name")?.to_owned();
        let bytes = ty.bytes().saturating_mul(self.elements()?.unwrap_or(1));
        align = align.max(ty.bytes());
        Ok(Param { name, ty, offset: 0, align, bytes, in_register })
    }

    /// `.explicitcluster`, `.reqnctapercluster 2, 1, 1`, `.maxclusterrank 8`; returns the error of a
    /// directive that is not supported.
    fn cluster_directive(
        &mut self,
        cluster: &mut ClusterDirectives,
    ) -> Result<Option<ParseError>, ParseError> {
        let span = self.span();
        match self.kind() {
            Some(TokenKind::Word(".explicitcluster")) => {
                self.at += 1;
                cluster.explicit = true;
            }
            Some(TokenKind::Word(".reqnctapercluster")) => {
                self.at += 1;
                cluster.shape = Some(self.sides()?);
            }
            Some(TokenKind::Word(".maxclusterrank")) => {
                self.at += 1;
                cluster.most = u32::try_from(self.integer()?).ok();
            }
            Some(TokenKind::Word(".blocksareclusters")) => {
                self.at += 1;
                let message = "`.blocksareclusters`: launch a grid of blocks, not of clusters";
                return Ok(Some(ParseError::unsupported(span, message)));
            }
            _ => {}
        }
        Ok(None)
    }

    /// `2, 1, 1`: one to three sides; those that are missing are 1.
    fn sides(&mut self) -> Result<[u32; 3], ParseError> {
        let (span, mut sides) = (self.span(), [1; 3]);
        for side in &mut sides {
            *side = u32::try_from(self.integer()?).unwrap_or(0);
            if !self.take(',') {
                break;
            }
        }
        if sides.contains(&0) {
            return Err(ParseError::new(span, "a cluster has at least one block along each side"));
        }
        Ok(sides)
    }

    /// `256, 1, 1`: the product of the numbers.
    fn integers(&mut self) -> Result<u64, ParseError> {
        let mut product = self.integer()?;
        while self.take(',') {
            product = product.saturating_mul(self.integer()?);
        }
        Ok(product)
    }

    /// `.maxntid 256, 1, 1` and `.reqntid` restrict the launch; directives about multiprocessors
    /// and registers do not affect a simulation.
    fn performance_directive(&mut self, threads: &mut Option<Threads>) -> Result<(), ParseError> {
        match self.kind() {
            Some(TokenKind::Word(word @ (".maxntid" | ".reqntid"))) => {
                self.at += 1;
                let bound = if word == ".maxntid" { Threads::AtMost } else { Threads::Exactly };
                *threads = Some(bound(self.integers()?));
                Ok(())
            }
            Some(TokenKind::Word(".minnctapersm" | ".maxnreg" | ".maxnctapersm")) => {
                self.at += 1;
                self.integers().map(|_| ())
            }
            Some(TokenKind::Word(".noreturn")) => {
                self.at += 1;
                Ok(())
            }
            Some(TokenKind::Word(".pragma")) => {
                self.skip_statement();
                Ok(())
            }
            _ => Err(self.unexpected("`{`")),
        }
    }
}
