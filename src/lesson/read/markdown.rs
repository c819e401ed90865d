//! CommonMark to paragraphs and blocks, each with its place in the file.

mod inline;
mod lines;
mod table;

use super::super::diagnostic::{Diagnostics, HTML, IMAGE, OUT_OF_PLACE, TOO_MUCH};
use super::super::document::{Para, Piece, words};
use inline::Inline;
use lines::{lines_of, marks};
use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use std::ops::Range;
use table::MarkdownTable;

/// How deep quotes and lists may be nested.
const DEEPEST: usize = 16;

/// Something at the margin of a file.
#[derive(Clone, Debug)]
pub(super) struct MarkdownNode {
    pub kind: NodeKind,
    /// Its place in the file, in bytes.
    pub span: Range<usize>,
    /// Where words stand in it, which must not tell an answer.
    pub prose: Vec<Range<usize>>,
}

/// What stands at the margin of a file.
#[derive(Clone, Debug)]
pub(super) enum NodeKind {
    /// `#` or `##`, and its text.
    Heading(u8, String),
    Para(Para),
    /// A fenced `matviz` block.
    Block {
        /// The words after ` ```matviz `.
        info: Range<usize>,
        body: Range<usize>,
    },
    Html,
}

/// What was read, and where it links to.
#[derive(Debug, Default)]
pub(super) struct Nodes {
    /// In the order of the file.
    pub list: Vec<MarkdownNode>,
    /// Each link's target and place.
    pub links: Vec<(String, Range<usize>)>,
    /// Whether the rest was not read, since it is nested too deep.
    pub cut: bool,
}

/// Reads the part of a file at `range`.
pub(super) fn read(text: &str, range: Range<usize>, out: &mut Diagnostics<'_>) -> Nodes {
    let mut reader = MarkdownReader::new(text, range.start, out);
    if reader.is_shallow(range.clone()) {
        let parser = Parser::new_ext(&text[range], Options::ENABLE_TABLES);
        for (event, span) in parser.into_offset_iter() {
            let span = reader.base + span.start..reader.base + span.end;
            if !reader.take(event, span) {
                break;
            }
        }
    }
    reader.done
}

/// What is open around the current event.
enum Container {
    Quote(Vec<Para>),
    Item(String, Vec<Para>),
}

/// A code block that is being read.
struct CodeBlock {
    info: String,
    text: String,
    /// Where its text stands, from the first line to the last.
    body: Option<Range<usize>>,
}

struct MarkdownReader<'t, 'o, 'c> {
    text: &'t str,
    base: usize,
    out: &'o mut Diagnostics<'c>,
    done: Nodes,
    containers: Vec<Container>,
    /// The number of the next item of each open list, or `None` for one with dashes.
    lists: Vec<Option<u64>>,
    inline: Inline,
    code: Option<CodeBlock>,
    table: Option<MarkdownTable>,
    /// How many images are open.
    images: usize,
}

impl<'t, 'o, 'c> MarkdownReader<'t, 'o, 'c> {
    fn new(text: &'t str, base: usize, out: &'o mut Diagnostics<'c>) -> Self {
        Self {
            text,
            base,
            out,
            done: Nodes::default(),
            containers: Vec::new(),
            lists: Vec::new(),
            inline: Inline::default(),
            code: None,
            table: None,
            images: 0,
        }
    }

    /// Complains about the first line that opens more quotes and items than may be nested: the time
    /// to read such a file could grow with its square.
    fn is_shallow(&mut self, range: Range<usize>) -> bool {
        let mut at = range.start;
        for line in self.text[range].split_inclusive('\n') {
            if marks(line) > DEEPEST {
                self.too_deep(at..at + line.trim_end().len());
                return false;
            }
            at += line.len();
        }
        true
    }

    fn too_deep(&mut self, span: Range<usize>) {
        self.done.cut = true;
        let told = format!("quotes and lists may be nested {DEEPEST} deep");
        self.out.add(TOO_MUCH, span, told);
    }

    /// Takes an event; returns whether the next one is wanted.
    fn take(&mut self, event: Event<'_>, span: Range<usize>) -> bool {
        match event {
            Event::Start(tag) => self.start(tag, span),
            Event::End(tag) => self.end(tag, span),
            Event::Text(text) => self.words(&text, span),
            Event::Code(text) if self.images == 0 => self.code_span(&text, span),
            Event::SoftBreak | Event::HardBreak => self.words(" ", span.start..span.start),
            Event::InlineHtml(html) => self.inline_html(&html, span),
            Event::Rule => {
                let told = "a line across is not shown: a page begins with `## `";
                self.out.add(OUT_OF_PLACE, span, told);
            }
            _ => {}
        }
        if self.containers.len() > DEEPEST {
            let at = self.done.list.last().map_or(self.base, |node| node.span.end);
            self.too_deep(at..at + 1);
        }
        self.containers.len() <= DEEPEST
    }

    fn start(&mut self, tag: Tag<'_>, span: Range<usize>) {
        if !is_inline(&tag) {
            self.flush(&span);
        }
        match tag {
            Tag::BlockQuote(_) => self.containers.push(Container::Quote(Vec::new())),
            Tag::List(first) => self.lists.push(first),
            Tag::Item => {
                let mark = self.next_mark();
                self.containers.push(Container::Item(mark, Vec::new()));
            }
            Tag::CodeBlock(kind) => {
                let info = match kind {
                    CodeBlockKind::Fenced(info) => info.into_string(),
                    CodeBlockKind::Indented => String::new(),
                };
                self.code = Some(CodeBlock { info, text: String::new(), body: None });
            }
            Tag::HtmlBlock => self.html_block(span),
            Tag::Table(_) => self.table = Some(MarkdownTable::default()),
            Tag::TableHead | Tag::TableRow => {
                if let Some(table) = &mut self.table {
                    table.next_row();
                }
            }
            Tag::Emphasis | Tag::Strong => self.inline.stress(),
            Tag::Link { dest_url, .. } => {
                self.inline.link(&dest_url);
                self.done.links.push((dest_url.into_string(), span));
            }
            Tag::Image { .. } => {
                self.images += 1;
                let told = "an image is not shown: a picture here is the program's";
                self.out.add(IMAGE, span, told);
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd, span: Range<usize>) {
        match tag {
            TagEnd::Paragraph => self.flush(&span),
            TagEnd::Heading(level) => self.heading(level, span),
            TagEnd::BlockQuote(_) | TagEnd::Item => {
                self.flush(&span);
                match self.containers.pop() {
                    Some(Container::Quote(paras)) => self.push(Para::Quote(paras), &span),
                    Some(Container::Item(mark, paras)) => self.push(Para::Item(mark, paras), &span),
                    None => {}
                }
            }
            TagEnd::List(_) => drop(self.lists.pop()),
            TagEnd::CodeBlock => self.code_block(span),
            TagEnd::TableCell => self.cell(span),
            TagEnd::Table => {
                if let Some(table) = self.table.take() {
                    self.push(Para::Code(table.lines()), &span);
                }
            }
            TagEnd::Emphasis | TagEnd::Strong => self.inline.calm(),
            TagEnd::Link => self.inline.end_link(),
            TagEnd::Image => self.images = self.images.saturating_sub(1),
            _ => {}
        }
    }

    fn next_mark(&mut self) -> String {
        match self.lists.last_mut() {
            Some(Some(number)) => {
                let mark = format!("{number}.");
                *number = number.saturating_add(1);
                mark
            }
            Some(None) | None => "-".to_owned(),
        }
    }

    fn words(&mut self, text: &str, span: Range<usize>) {
        if let Some(code) = &mut self.code {
            code.text.push_str(text);
            let start = code.body.as_ref().map_or(span.start, |body| body.start);
            code.body = Some(start..span.end);
        } else if self.images == 0 {
            self.inline.words(text, span);
        } else {
            // The text of an image is not shown either.
        }
    }

    fn code_span(&mut self, text: &str, span: Range<usize>) {
        let raw = &self.text[span.clone()];
        let quotes = raw.len() - raw.trim_start_matches('`').len();
        let inner = span.start + quotes..span.end - quotes;
        let query = text.strip_prefix('=').filter(|query| !query.starts_with('='));
        let Some(query) = query.map(str::trim) else { return self.inline.code(text) };
        let sign = self.text.get(inner.clone()).and_then(|raw| raw.find('='));
        let after = sign.map_or(inner.start, |at| inner.start + at + 1);
        let rest = self.text.get(after..inner.end).unwrap_or_default();
        let start = after + (rest.len() - rest.trim_start().len());
        let place = start..(after + rest.trim_end().len()).max(start);
        if query.is_empty() {
            self.out.add(OUT_OF_PLACE, span, "there is no query after this `=`");
        } else {
            self.inline.query(query, place);
        }
    }

    fn inline_html(&mut self, html: &str, span: Range<usize>) {
        match html.strip_prefix("<!--").map(|rest| rest.trim_end_matches("-->").trim()) {
            Some(KNOWN) => self.inline.known(),
            Some(_) => {}
            None => {
                let told = "of HTML only <details>, <summary> and comments are read, on lines of \
                            their own";
                self.out.add(HTML, span, told);
            }
        }
    }

    /// A block of HTML stands at the margin, unless it is only a comment.
    fn html_block(&mut self, span: Range<usize>) {
        let inner = self.text[span.clone()].trim();
        if self.containers.is_empty() {
            self.done.list.push(MarkdownNode { kind: NodeKind::Html, span, prose: Vec::new() });
        } else if !(inner.starts_with("<!--") && inner.ends_with("-->")) {
            self.out.add(HTML, span, "HTML in a list or a quote is not read");
        } else {
            // A comment in a list says nothing to the reader.
        }
    }

    fn heading(&mut self, level: HeadingLevel, span: Range<usize>) {
        let (pieces, prose) = self.inline.take();
        let query = pieces.iter().find_map(|piece| match piece {
            Piece::Query(query) => Some(query.span.clone()),
            _ => None,
        });
        if let Some(at) = query {
            self.out.add(OUT_OF_PLACE, at, "a heading is shown as it stands: it has no queries");
        }
        let text = words(&pieces);
        if level <= HeadingLevel::H2 && self.containers.is_empty() {
            let kind = NodeKind::Heading(level as u8, text);
            self.done.list.push(MarkdownNode { kind, span, prose });
        } else {
            self.push_with(Para::Text(vec![Piece::Strong(text)]), &span, prose);
        }
    }

    fn code_block(&mut self, span: Range<usize>) {
        let Some(CodeBlock { info, text, body }) = self.code.take() else { return };
        if info.split_whitespace().next() != Some("matviz") {
            return self.push(Para::Code(text.lines().map(str::to_owned).collect()), &span);
        }
        if !self.containers.is_empty() {
            let told = "a `matviz` block stands at the margin, not in a list or a quote";
            return self.out.add(OUT_OF_PLACE, span, told);
        }
        let (first, last) = lines_of(self.text, &span);
        let fence = self.text[last.clone()].trim();
        if last.start == first.start || !["```", "~~~"].iter().any(|mark| fence.starts_with(mark)) {
            self.out.add(OUT_OF_PLACE, first.clone(), "this block is never closed");
        }
        let Some(word) = self.text[first.clone()].find("matviz") else { return };
        let info = first.start + word + "matviz".len()..first.end;
        let body = body.unwrap_or(first.end..first.end);
        self.done.list.push(MarkdownNode {
            kind: NodeKind::Block { info, body },
            span,
            prose: Vec::new(),
        });
    }

    fn cell(&mut self, span: Range<usize>) {
        let (pieces, _) = self.inline.take();
        if pieces.iter().any(|piece| matches!(piece, Piece::Query(..))) {
            let told = "a query in a table is not answered: write it in a paragraph or a list";
            self.out.add(OUT_OF_PLACE, span, told);
        }
        if let Some(table) = &mut self.table {
            table.cell(words(&pieces));
        }
    }

    /// Ends the paragraph, if one is open.
    fn flush(&mut self, span: &Range<usize>) {
        let (pieces, prose) = self.inline.take();
        if !pieces.is_empty() {
            self.push_with(Para::Text(pieces), span, prose);
        }
    }

    fn push(&mut self, para: Para, span: &Range<usize>) {
        self.push_with(para, span, Vec::new());
    }

    fn push_with(&mut self, para: Para, span: &Range<usize>, prose: Vec<Range<usize>>) {
        match self.containers.last_mut() {
            Some(Container::Quote(paras) | Container::Item(_, paras)) => {
                paras.push(para);
                self.inline.keep(prose);
            }
            None => {
                let prose = self.inline.all(prose);
                self.done.list.push(MarkdownNode {
                    kind: NodeKind::Para(para),
                    span: span.clone(),
                    prose,
                });
            }
        }
    }
}

/// The comment whose paragraph may name an answer.
pub(super) const KNOWN: &str = "known";

const fn is_inline(tag: &Tag<'_>) -> bool {
    matches!(
        tag,
        Tag::Emphasis | Tag::Strong | Tag::Link { .. } | Tag::Image { .. } | Tag::Strikethrough
    )
}
