//! Instructions that the lanes of a warp execute together.

use super::words::Words;
use super::{Instruction, Opcode, Parser};
use crate::ast::Operand;
use crate::error::ParseError;
use crate::op::{Collective, Op, Reduce, Shuffle, Vote, WarpOp};
use crate::types::Type;

pub(super) const OPCODES: &[Opcode] = &[
    ("activemask", |p, words| p.activemask(words)),
    ("elect", |p, words| p.elect(words)),
    ("match", |p, words| p.match_of_warp(words)),
    ("redux", |p, words| p.redux(words)),
    ("shfl", |p, words| p.shfl(words)),
    ("vote", |p, words| p.vote_of_warp(words)),
];

impl Parser<'_> {
    /// `shfl{.sync}.mode.b32 d{|p}, a, b, c{, members}`
    fn shfl(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        let sync = words.take("sync");
        let mode = words.take_as(shuffle).ok_or_else(|| words.unsupported())?;
        self.together(WarpOp::Shuffle(mode), untyped(words)?, (1, 3), sync)
    }

    /// `vote{.sync}.{all,any,uni}.pred d, {!}a{, members}`, `vote{.sync}.ballot.b32`
    fn vote_of_warp(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        let sync = words.take("sync");
        let vote = words.take_as(vote).ok_or_else(|| words.unsupported())?;
        let result = if vote == Vote::Ballot { Type::B32 } else { Type::Pred };
        if words.last_type()? != result {
            return Err(words.unsupported());
        }
        self.together(WarpOp::Vote(vote), Type::Pred, (0, 1), sync)
    }

    /// `match.{any,all}.sync.type d{|p}, a, members`
    fn match_of_warp(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        let all = words.take("all");
        if !(all || words.take("any")) || !words.take("sync") {
            return Err(words.unsupported());
        }
        let ty = words.last_type()?;
        if !matches!(ty, Type::B32 | Type::B64) {
            return Err(words.unsupported());
        }
        self.together(WarpOp::Match { all }, ty, (u8::from(all), 1), true)
    }

    /// `redux.sync.op.type d, a, members`
    fn redux(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        if !words.take("sync") {
            return Err(words.unsupported());
        }
        let reduce = words.take_as(reduce).ok_or_else(|| words.unsupported())?;
        let bits = matches!(reduce, Reduce::And | Reduce::Or | Reduce::Xor);
        let ty = words.last_type()?;
        let fits = if bits { ty == Type::B32 } else { matches!(ty, Type::U32 | Type::S32) };
        if !fits {
            return Err(words.unsupported());
        }
        self.together(WarpOp::Reduce(reduce), ty, (0, 1), true)
    }

    /// `elect.sync d|p, members`
    fn elect(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        if !words.take("sync") {
            return Err(words.unsupported());
        }
        words.end()?;
        self.together(WarpOp::Elect, Type::B32, (1, 0), true)
    }

    /// `activemask.b32 d`
    fn activemask(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        let ty = untyped(words)?;
        self.together(WarpOp::ActiveMask, ty, (0, 0), false)
    }

    /// `bar.warp.sync members`, after `bar.warp`.
    pub(super) fn bar_warp(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        if !words.take("sync") {
            return Err(words.unsupported());
        }
        words.end()?;
        let members = Some(self.operand()?);
        let (op, ty) = (WarpOp::Sync, Type::B32);
        Ok(Op::Warp(Collective {
            op,
            ty,
            dst: None,
            pred: None,
            negated: false,
            args: vec![],
            members,
        }))
    }

    /// `d{|p}, a, ..{, members}`: at most `predicates` predicate results, and `count` inputs.
    fn together(
        &mut self,
        op: WarpOp,
        ty: Type,
        (predicates, count): (u8, usize),
        sync: bool,
    ) -> Result<Instruction, ParseError> {
        let dst = Some(self.operand()?);
        let pred = if predicates > 0 && self.take('|') { Some(self.operand()?) } else { None };
        let mut negated = false;
        let mut args = Vec::new();
        for _ in 0..count {
            self.sign(',')?;
            negated |= ty == Type::Pred && self.take('!');
            args.push(self.operand()?);
        }
        let members = if sync { Some(self.members()?) } else { None };
        Ok(Op::Warp(Collective { op, ty, dst, pred, negated, args, members }))
    }

    fn members(&mut self) -> Result<Operand, ParseError> {
        self.sign(',')?;
        self.operand()
    }
}

fn untyped(words: &mut Words<'_>) -> Result<Type, ParseError> {
    match words.last_type()? {
        Type::B32 => Ok(Type::B32),
        _ => Err(words.unsupported()),
    }
}

fn shuffle(word: &str) -> Option<Shuffle> {
    Some(match word {
        "up" => Shuffle::Up,
        "down" => Shuffle::Down,
        "bfly" => Shuffle::Butterfly,
        "idx" => Shuffle::Index,
        _ => return None,
    })
}

fn vote(word: &str) -> Option<Vote> {
    Some(match word {
        "all" => Vote::All,
        "any" => Vote::Any,
        "uni" => Vote::Uniform,
        "ballot" => Vote::Ballot,
        _ => return None,
    })
}

fn reduce(word: &str) -> Option<Reduce> {
    Some(match word {
        "add" => Reduce::Add,
        "min" => Reduce::Min,
        "max" => Reduce::Max,
        "and" => Reduce::And,
        "or" => Reduce::Or,
        "xor" => Reduce::Xor,
        _ => return None,
    })
}
