//! The pages of `models.md`: each wrong idea in a sentence, what is replied to it, and a question.

use super::super::diagnostic::{Diagnostic, Diagnostics, OUT_OF_PLACE, TWICE};
use super::super::document::{Idea, Para, SpannedText, words};
use super::ask::AskDraft;
use super::block::{FencedBlock, Verb, is_id};
use super::html::{self, HtmlPart};
use super::markdown::{self, MarkdownNode, NodeKind};
use std::ops::Range;

/// The page that has the titles of changes and is no idea.
const CHANGES: &str = "changes";

/// The ideas of a file, and where their probes name ideas.
#[derive(Debug, Default)]
pub(super) struct Ideas {
    pub ideas: Vec<Idea>,
    /// The ideas that their probes name.
    pub named: Vec<SpannedText>,
}

/// Reads the ideas; complains about their form.
pub(super) fn read(file: &str, text: &str) -> (Ideas, Vec<Diagnostic>) {
    let mut out = Diagnostics::new(file, text);
    let read = markdown::read(text, 0..text.len(), &mut out);
    let mut reader = IdeasReader {
        text,
        out: &mut out,
        done: Ideas::default(),
        idea: None,
        asked: None,
        hint: None,
    };
    let mut skipped = false;
    for node in read.list {
        match &node.kind {
            NodeKind::Heading(1, _) => skipped = false,
            NodeKind::Heading(_, title) => {
                skipped = title == CHANGES;
                reader.begin(title.clone(), node.span, skipped);
            }
            _ if skipped => {}
            _ => reader.take(node),
        }
    }
    reader.end(text.len());
    let done = reader.done;
    (done, out.all())
}

struct IdeasReader<'t, 'o, 'c> {
    text: &'t str,
    out: &'o mut Diagnostics<'c>,
    done: Ideas,
    idea: Option<Idea>,
    asked: Option<AskDraft>,
    hint: Option<Vec<Para>>,
}

impl IdeasReader<'_, '_, '_> {
    fn begin(&mut self, id: String, span: Range<usize>, skipped: bool) {
        self.end(span.start);
        let name = SpannedText { text: id.clone(), span: span.clone() };
        if skipped || !is_id(&name, self.out) {
            return;
        }
        if self.done.ideas.iter().any(|idea| idea.id == id) {
            self.out.add(TWICE, span.clone(), format!("there is already an idea `{id}`"));
        }
        let (says, reply) = Default::default();
        self.idea = Some(Idea { id, says, reply, probe: None, span });
    }

    fn take(&mut self, node: MarkdownNode) {
        let Some(idea) = &mut self.idea else { return };
        match node.kind {
            NodeKind::Para(Para::Quote(paras)) if idea.says.is_empty() => {
                idea.says = said(&paras);
            }
            NodeKind::Para(para) => self.para(para, &node.span),
            NodeKind::Block { info, body } => self.block(info, body, node.span),
            NodeKind::Html => self.html(&node.span),
            NodeKind::Heading(..) => {}
        }
    }

    fn para(&mut self, para: Para, span: &Range<usize>) {
        if let Some(hint) = &mut self.hint {
            return hint.push(para);
        }
        let para = match &mut self.asked {
            Some(asked) => asked.option(para, span, self.out),
            None => Some(para),
        };
        self.idea.iter_mut().for_each(|idea| idea.reply.extend(para.clone()));
    }

    fn block(&mut self, info: Range<usize>, body: Range<usize>, span: Range<usize>) {
        let line = span.start..info.end;
        let Some(block) = FencedBlock::read(self.text, info, body, span, self.out) else { return };
        if block.verb == Verb::Ask && self.asked.is_none() {
            let asked = AskDraft::read(&block, self.out);
            self.done.named.extend(asked.ideas.iter().cloned());
            self.asked = Some(asked);
        } else {
            self.out.add(OUT_OF_PLACE, line, "an idea has one block, the `ask` of its probe");
        }
    }

    fn html(&mut self, span: &Range<usize>) {
        for (part, place) in html::parts(self.text, span.clone(), self.out) {
            match part {
                HtmlPart::Comment => {}
                HtmlPart::Open if self.asked.is_some() => self.hint = Some(Vec::new()),
                HtmlPart::Text if self.hint.is_some() => {
                    let nodes = markdown::read(self.text, place, self.out).list;
                    let paras = nodes.into_iter().filter_map(|node| match node.kind {
                        NodeKind::Para(para) => Some(para),
                        _ => None,
                    });
                    self.hint.iter_mut().for_each(|hint| hint.extend(paras.clone()));
                }
                HtmlPart::Close if self.hint.is_some() => {
                    let hint = self.hint.take();
                    self.asked.iter_mut().for_each(|asked| asked.ask.hints.extend(hint.clone()));
                }
                HtmlPart::Open | HtmlPart::Text | HtmlPart::Close => {
                    self.out.add(OUT_OF_PLACE, place, "a hint stands after the `ask`");
                }
            }
        }
    }

    fn end(&mut self, end: usize) {
        let asked = self.asked.take().map(|asked| asked.end(self.out));
        let Some(mut idea) = self.idea.take() else { return };
        let line = idea.span.clone();
        if idea.says.is_empty() {
            let told = "an idea has one sentence that says it: `> ...`";
            self.out.add(OUT_OF_PLACE, line.clone(), told);
        }
        if idea.reply.is_empty() {
            self.out.add(OUT_OF_PLACE, line, "an idea has a reply");
        }
        idea.probe = asked;
        idea.span.end = end;
        self.done.ideas.push(idea);
    }
}

/// The words of some paragraphs.
fn said(paras: &[Para]) -> String {
    let words = paras.iter().filter_map(|para| match para {
        Para::Text(pieces) => Some(words(pieces)),
        _ => None,
    });
    words.collect::<Vec<_>>().join(" ")
}
