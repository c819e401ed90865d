//! A page while it is read: its blocks, and the question whose options and hints come next.

use super::super::diagnostic::{Diagnostics, HTML, OUT_OF_PLACE, UNKNOWN, WRONG_VALUE};
use super::super::document::{Page, PageBlock, Para, SpannedText};
use super::ask::AskDraft;
use super::html::{self, HtmlPart};
use super::markdown::{self, KNOWN, MarkdownNode, NodeKind};
use super::words::meant;
use std::mem;
use std::ops::Range;

/// The words before the colon of a comment that says something; a word like one of them is a slip,
/// and any other begins a remark of the author.
const COMMENTS: &[&str] = &["note", "time"];

/// A page that is being read.
#[derive(Debug)]
pub(super) struct OpenPage {
    page: Page,
    /// The text since the last block.
    text: Vec<Para>,
    /// The question to which options and hints belong.
    asked: Option<AskDraft>,
    /// The hint that is open, and where it began.
    hint: Option<(Range<usize>, Vec<Para>)>,
    /// Whether the next paragraph may tell an answer.
    known: bool,
    /// The ideas that its questions name.
    pub ideas: Vec<SpannedText>,
    /// The links of its hints.
    pub links: Vec<(String, Range<usize>)>,
}

impl OpenPage {
    pub(super) fn new(title: String, span: Range<usize>) -> Self {
        let page = Page {
            title,
            blocks: Vec::new(),
            notes: Vec::new(),
            minutes: None,
            prose: Vec::new(),
            span,
        };
        Self {
            page,
            text: Vec::new(),
            asked: None,
            hint: None,
            known: false,
            ideas: Vec::new(),
            links: Vec::new(),
        }
    }

    pub(super) fn para(&mut self, para: Para, node: MarkdownNode, out: &mut Diagnostics<'_>) {
        let MarkdownNode { span, prose, .. } = node;
        let prose = if mem::take(&mut self.known) { Vec::new() } else { prose };
        if let Some((_, hint)) = &mut self.hint {
            hint.push(para);
        } else {
            let para = match &mut self.asked {
                Some(asked) => asked.option(para, &span, out),
                None => Some(para),
            };
            let Some(para) = para else { return };
            self.end_ask(out);
            self.text.push(para);
        }
        self.page.prose.extend(prose);
    }

    /// Takes a question; what stands after it may belong to it.
    pub(super) fn ask(&mut self, asked: AskDraft, out: &mut Diagnostics<'_>) {
        self.end_text(out);
        self.ideas.extend(asked.ideas.iter().cloned());
        self.asked = Some(asked);
    }

    /// Takes another block.
    pub(super) fn beat(&mut self, page_block: PageBlock, out: &mut Diagnostics<'_>) {
        self.end_text(out);
        self.page.blocks.push(page_block);
    }

    /// Takes a block of HTML: hints, notes, times.
    pub(super) fn html(&mut self, text: &str, span: &Range<usize>, out: &mut Diagnostics<'_>) {
        for (part, place) in html::parts(text, span.clone(), out) {
            match part {
                HtmlPart::Comment => self.comment(text[place.clone()].trim(), &place, out),
                HtmlPart::Open => self.open_hint(place, out),
                HtmlPart::Close => self.close_hint(&place, out),
                HtmlPart::Text if self.hint.is_some() => self.inside(text, place, out),
                HtmlPart::Text => {
                    let told = "text in a line of HTML is not shown: leave an empty line before it";
                    out.add(HTML, place, told);
                }
            }
        }
    }

    /// The whole page, which ends at `end`.
    pub(super) fn end(mut self, end: usize, out: &mut Diagnostics<'_>) -> Page {
        self.end_text(out);
        self.page.span.end = end;
        self.page
    }

    /// A comment that says something, or a remark.
    fn comment(&mut self, text: &str, place: &Range<usize>, out: &mut Diagnostics<'_>) {
        let (word, rest) = text.split_once(':').unwrap_or((text, ""));
        let (word, rest) = (word.trim(), rest.trim());
        match word {
            KNOWN => self.known = true,
            "note" => self.page.notes.push(rest.to_owned()),
            "time" => match rest.parse().ok().filter(|minutes| (1..=50).contains(minutes)) {
                Some(minutes) => self.page.minutes = Some(minutes),
                None => out.add(WRONG_VALUE, place.clone(), "a page takes 1 to 50 minutes"),
            },
            _ => {
                let hint = meant(word, COMMENTS.iter().copied()).filter(|_| text.contains(':'));
                if hint.is_some() {
                    let told = format!("a comment `{word}:` says nothing");
                    out.advise(UNKNOWN, place.clone(), told, hint);
                }
            }
        }
    }

    fn open_hint(&mut self, place: Range<usize>, out: &mut Diagnostics<'_>) {
        if self.asked.is_none() {
            let told = "a <details> is a hint: it stands after an `ask`, or after its options";
            out.add(OUT_OF_PLACE, place.clone(), told);
        }
        self.end_hint(out);
        self.hint = Some((place, Vec::new()));
    }

    fn close_hint(&mut self, place: &Range<usize>, out: &mut Diagnostics<'_>) {
        match (self.hint.take(), &mut self.asked) {
            (Some((_, paras)), Some(asked)) => asked.ask.hints.push(paras),
            (Some(_), None) => {}
            (None, _) => out.add(HTML, place.clone(), "there is no <details> that this closes"),
        }
    }

    /// Text of a hint that stands in the same lines as its tags.
    fn inside(&mut self, text: &str, place: Range<usize>, out: &mut Diagnostics<'_>) {
        let read = markdown::read(text, place, out);
        self.links.extend(read.links);
        for node in read.list {
            match node.kind {
                NodeKind::Para(para) => {
                    self.page.prose.extend(node.prose);
                    self.hint.iter_mut().for_each(|hint| hint.1.push(para.clone()));
                }
                _ => out.add(OUT_OF_PLACE, node.span, "a hint has only text"),
            }
        }
    }

    /// Complains about a hint that is still open.
    fn end_hint(&mut self, out: &mut Diagnostics<'_>) {
        if let Some((place, _)) = self.hint.take() {
            out.add(HTML, place, "this <details> is never closed");
        }
    }

    /// Ends the question: what stands after it now is for later.
    fn end_ask(&mut self, out: &mut Diagnostics<'_>) {
        if let Some(asked) = self.asked.take() {
            self.page.blocks.push(PageBlock::Ask(Box::new(asked.end(out))));
        }
    }

    /// Ends the text before a block, or before the page's end.
    fn end_text(&mut self, out: &mut Diagnostics<'_>) {
        self.end_hint(out);
        self.end_ask(out);
        if !self.text.is_empty() {
            self.page.blocks.push(PageBlock::Text(mem::take(&mut self.text)));
        }
    }
}
