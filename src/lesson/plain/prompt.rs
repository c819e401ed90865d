//! What a line may say at this moment of a lesson.

use super::wrap::lines;
use super::{PagePart, PlainLesson, paragraph};
use crate::lesson::document::{AskKind, Para};
use crate::lesson::question::Question;
use crate::lesson::session::{OpenProof, OpenQuestion, ProofBy, WatchMode};
use std::io::{self, Write};

impl<W: Write> PlainLesson<'_, W> {
    /// Prints what may be answered.
    pub(super) fn prompt(&mut self) -> io::Result<()> {
        let now = self.session.now().clone();
        if now.watch == WatchMode::Offered && !self.shown.has(PagePart::Watch) {
            self.write(&[
                String::new(),
                "Three questions skipped: `w` shows all further answers, as in a film.".to_owned(),
            ])?;
        }
        self.shown.mark(PagePart::Watch, now.watch == WatchMode::Offered);
        if let Some(open) = &now.question {
            return self.question(open);
        }
        if let Some(proof) = &now.proof {
            return self.proof(proof);
        }
        if let Some(turning) = &now.dials {
            return self.dials(turning);
        }
        let again =
            self.session.differs_again().map_or(String::new(), |other| format!(" with {other}"));
        let on = format!("An empty line goes on, b back, n again{again}, l the listing, q leaves.");
        self.paras(&[paragraph(on)])
    }

    fn question(&mut self, open: &OpenQuestion) -> io::Result<()> {
        if let Some(said) = &open.said {
            self.paras(&[paragraph(said.clone())])?;
        }
        let hints = open.hints.get(self.shown.hints..).unwrap_or_default().to_vec();
        self.shown.hints = open.hints.len();
        for hint in &hints {
            self.write(&[String::new(), "Hint:".to_owned()])?;
            self.write(&lines(hint))?;
        }
        let offers =
            open.question.offers.iter().map(|offer| {
                Para::Item(offer.key.to_string(), vec![Para::Text(offer.text.clone())])
            });
        let offers: Vec<_> = offers.collect();
        if !self.shown.has(PagePart::Question) {
            self.paras(&offers)?;
        }
        self.shown.mark(PagePart::Question, true);
        let hint = match open.hints_left {
            0 => String::new(),
            1 => ", ? for a hint".to_owned(),
            left => format!(", ? for a hint ({left} left)"),
        };
        let what = expected(&open.question);
        let findings =
            if self.session.shows_symptoms() { ", findings what the checks find" } else { "" };
        let text = format!(
            "Your answer: {what}. An empty line shows it{hint}, l the listing{findings}, q leaves."
        );
        self.paras(&[paragraph(text)])
    }

    fn proof(&mut self, proof: &OpenProof) -> io::Result<()> {
        let said = proof.said.clone().into_iter().map(paragraph);
        let task = match proof.by {
            ProofBy::Order => {
                "Prove it: an order of the warps that makes C wrong, for example to-barrier or random:1. \
                 An empty line searches for one, q leaves."
            }
            ProofBy::Size => {
                "Prove it: a size that makes C wrong, for example 60 or 64x48x96. An empty line shows \
                 one, q leaves."
            }
        };
        let paras: Vec<_> = said.chain([paragraph(task)]).collect();
        self.paras(&paras)
    }
}

/// What is expected as an answer.
fn expected(question: &Question) -> String {
    match question.kind {
        AskKind::Number if question.unit.is_empty() => "a number".to_owned(),
        AskKind::Number => format!("a number ({})", question.unit),
        AskKind::Choice | AskKind::Name => "the number of an option".to_owned(),
        AskKind::Pick => "what is to be pointed at, for example thread 5,3 or C[35][37]".to_owned(),
        AskKind::Order => "the numbers in their order, for example 2, 1, 3".to_owned(),
        AskKind::Gap => "the line after which it belongs, for example line 34".to_owned(),
    }
}
