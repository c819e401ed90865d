//! A lesson's file: the title, the block `lesson`, and the pages.

use super::super::diagnostic::{
    Diagnostic, Diagnostics, MINUTES, OUT_OF_PLACE, TOO_MUCH, TWICE, WRONG_VALUE,
};
use super::super::document::{Lesson, PageBlock, Para, SpannedText, words};
use super::ask::AskDraft;
use super::block::{FencedBlock, Verb, is_id};
use super::folder::Folder;
use super::html::{self, HtmlPart};
use super::keys::{Text, Texts};
use super::markdown::{self, MarkdownNode, NodeKind};
use super::others;
use super::page::OpenPage;
use super::scene::CurrentScene;
use std::collections::BTreeSet;
use std::num::NonZeroU32;
use std::ops::Range;
use toml::Spanned;

const MOST_PAGES: usize = 40;

const MOST_BLOCKS: usize = 64;

/// The most minutes of a lesson: a class of them.
const MOST_MINUTES: u32 = 50;

/// The keys of the block `lesson`.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct LessonKeys {
    id: Text,
    minutes: Spanned<NonZeroU32>,
    needs: Option<Spanned<Texts>>,
    models: Option<Spanned<Texts>>,
    of: Option<Text>,
}

/// A lesson, and what it names that is elsewhere.
#[derive(Debug)]
pub(super) struct LessonDraft {
    pub lesson: Lesson,
    pub needs: Vec<SpannedText>,
    /// The ideas that it says it treats.
    pub treats: Vec<SpannedText>,
    /// The ideas that its questions name.
    pub ideas: Vec<SpannedText>,
    pub links: Vec<(String, Range<usize>)>,
}

/// Reads a lesson; complains about its form.
pub(super) fn read(
    file: &str,
    number: u32,
    text: &str,
    folder: &Folder,
) -> (LessonDraft, Vec<Diagnostic>) {
    let mut out = Diagnostics::new(file, text);
    let read = markdown::read(text, 0..text.len(), &mut out);
    let mut reader = LessonReader::new(file, number, text, folder, &mut out);
    reader.draft.links = read.links;
    let whole = read.list.into_iter().all(|node| reader.take(node));
    let draft = reader.end(whole && !read.cut);
    (draft, out.all())
}

struct LessonReader<'t, 'o, 'c> {
    text: &'t str,
    folder: &'t Folder,
    out: &'o mut Diagnostics<'c>,
    draft: LessonDraft,
    page: Option<OpenPage>,
    standing: CurrentScene,
    /// The names of blocks so far.
    names: BTreeSet<String>,
    blocks: usize,
    titled: bool,
    /// The value of `minutes`, if the block `lesson` has been read.
    minutes: Option<Range<usize>>,
    begun: bool,
}

impl<'t, 'o, 'c> LessonReader<'t, 'o, 'c> {
    fn new(
        file: &str,
        number: u32,
        text: &'t str,
        folder: &'t Folder,
        out: &'o mut Diagnostics<'c>,
    ) -> Self {
        let lesson = Lesson {
            number,
            id: String::new(),
            title: String::new(),
            about: String::new(),
            minutes: 0,
            needs: Vec::new(),
            ideas: Vec::new(),
            pages: Vec::new(),
            file: file.to_owned(),
            text: text.to_owned(),
        };
        let (needs, treats, ideas, links) = Default::default();
        Self {
            text,
            folder,
            out,
            draft: LessonDraft { lesson, needs, treats, ideas, links },
            page: None,
            standing: CurrentScene::default(),
            names: BTreeSet::new(),
            blocks: 0,
            titled: false,
            minutes: None,
            begun: false,
        }
    }

    /// Takes what stands next; returns whether more is read.
    fn take(&mut self, node: MarkdownNode) -> bool {
        match node.kind.clone() {
            NodeKind::Heading(1, title) => self.title(title, node.span),
            NodeKind::Heading(_, title) => return self.begin_page(title, node.span),
            NodeKind::Para(para) => self.para(para, node),
            NodeKind::Html => self.html(&node.span),
            NodeKind::Block { info, body } => return self.block(info, body, node.span),
        }
        true
    }

    fn title(&mut self, title: String, span: Range<usize>) {
        if self.titled || self.page.is_some() {
            let told = "a lesson has one title, at the top: `## ` begins a page";
            return self.out.add(OUT_OF_PLACE, span, told);
        }
        self.titled = true;
        self.draft.lesson.title = title;
    }

    fn begin_page(&mut self, title: String, span: Range<usize>) -> bool {
        self.end_page(span.start);
        if self.draft.lesson.pages.len() == MOST_PAGES {
            self.out.add(TOO_MUCH, span, format!("a lesson has at most {MOST_PAGES} pages"));
            return false;
        }
        if title.trim().is_empty() {
            self.out.add(OUT_OF_PLACE, span.clone(), "this page has no title");
        }
        self.page = Some(OpenPage::new(title, span));
        true
    }

    /// The first paragraph before the pages says what the lesson is about.
    fn para(&mut self, para: Para, node: MarkdownNode) {
        match (&mut self.page, &para) {
            (Some(page), _) => page.para(para, node, self.out),
            (None, Para::Text(pieces)) if self.draft.lesson.about.is_empty() => {
                self.draft.lesson.about = words(pieces);
            }
            (None, _) => {
                let told =
                    "before the first page only one paragraph is shown, in the list of lessons";
                self.out.add(OUT_OF_PLACE, node.span, told);
            }
        }
    }

    fn html(&mut self, span: &Range<usize>) {
        if let Some(page) = &mut self.page {
            return page.html(self.text, span, self.out);
        }
        let parts = html::parts(self.text, span.clone(), self.out);
        for (_, place) in parts.into_iter().filter(|(part, _)| *part != HtmlPart::Comment) {
            self.out.add(OUT_OF_PLACE, place, "this stands before the first page");
        }
    }

    fn block(&mut self, info: Range<usize>, body: Range<usize>, span: Range<usize>) -> bool {
        self.blocks += 1;
        let line = span.start..info.end;
        if self.blocks > MOST_BLOCKS {
            self.out.add(TOO_MUCH, line, format!("a lesson has at most {MOST_BLOCKS} blocks"));
            return false;
        }
        let Some(block) = FencedBlock::read(self.text, info, body, span, self.out) else {
            return true;
        };
        if block.verb == Verb::Lesson {
            self.lesson(&block);
            return true;
        }
        if self.blocks == 1 {
            let told = "the first block of a lesson is `lesson`";
            self.out.add(OUT_OF_PLACE, line.clone(), told);
        }
        self.begun = true;
        let name = self.name(&block);
        if self.page.is_none() {
            let told = "this block stands before the first page: `## ` begins one";
            self.out.add(OUT_OF_PLACE, line, told);
            return true;
        }
        self.beat(&block, name);
        true
    }

    fn beat(&mut self, block: &FencedBlock<'_>, name: String) {
        let Some(page) = &mut self.page else { return };
        let out = &mut *self.out;
        if matches!(block.verb, Verb::Ask | Verb::Change) && !self.standing.is_set() {
            out.add(
                OUT_OF_PLACE,
                block.line.clone(),
                "there is no scene yet that this could be about",
            );
        }
        let page_block = match block.verb {
            Verb::Lesson => None,
            Verb::Ask => return page.ask(AskDraft::read(block, out), out),
            Verb::Scene => Some(PageBlock::Scene(self.standing.scene(block, self.folder, out))),
            Verb::Change => others::change(block, name, out).map(PageBlock::Change),
            Verb::Dials => others::dials(block, name, self.folder, out).map(PageBlock::Dials),
        };
        if let Some(page_block) = page_block {
            page.beat(page_block, out);
        }
    }

    /// The name of a block in the progress; without one, it is called by its page.
    fn name(&mut self, block: &FencedBlock<'_>) -> String {
        let page = self.draft.lesson.pages.len() + 1;
        let (name, span) = match (&block.name, block.verb) {
            (Some(name), _) => (name.text.clone(), name.span.clone()),
            (None, Verb::Change) => (format!("change-{page}"), block.line.clone()),
            (None, Verb::Dials) => (format!("dials-{page}"), block.line.clone()),
            (None, _) => return String::new(),
        };
        if !self.names.insert(name.clone()) {
            self.out.add(TWICE, span, format!("there is already a block `{name}` in this file"));
        }
        name
    }

    fn lesson(&mut self, block: &FencedBlock<'_>) {
        if self.minutes.is_some() || self.begun {
            let told = "the block `lesson` stands once, before all others";
            return self.out.add(OUT_OF_PLACE, block.line.clone(), told);
        }
        let (body, out) = (&block.body, &mut *self.out);
        self.minutes = Some(block.line.clone());
        let Some(keys) = body.read::<LessonKeys>(out) else { return };
        let lesson = &mut self.draft.lesson;
        if is_id(&body.spot(&keys.id), out) {
            lesson.id = keys.id.into_inner();
        }
        self.draft.needs = body.spots(keys.needs.as_ref(), out);
        self.draft.treats = body.spots(keys.models.as_ref(), out);
        lesson.needs = self.draft.needs.iter().map(|need| need.text.clone()).collect();
        lesson.ideas = self.draft.treats.iter().map(|idea| idea.text.clone()).collect();
        if let Some(of) = keys.of.map(|of| body.spot(&of))
            && !(of.text.len() == 8 && of.text.chars().all(|c| c.is_ascii_hexdigit()))
        {
            out.add(WRONG_VALUE, of.span, "`of` has 8 hexadecimal digits");
        }
        let minutes = body.place(&keys.minutes);
        self.minutes = Some(minutes.clone());
        lesson.minutes = keys.minutes.into_inner().get();
        if lesson.minutes > MOST_MINUTES {
            out.add(MINUTES, minutes, format!("a lesson takes at most {MOST_MINUTES} minutes"));
        }
    }

    fn end_page(&mut self, end: usize) {
        let Some(mut page) = self.page.take() else { return };
        self.draft.links.append(&mut page.links);
        self.draft.ideas.append(&mut page.ideas);
        self.draft.lesson.pages.push(page.end(end, self.out));
    }

    /// The lesson; in one that was read as a whole, nothing may be missing.
    fn end(mut self, whole: bool) -> LessonDraft {
        self.end_page(self.text.len());
        if whole {
            self.miss();
        }
        self.draft
    }

    fn miss(&mut self) {
        if !self.titled {
            self.out.add(OUT_OF_PLACE, 0..0, "a lesson begins with its title: `# ` and a name");
        }
        match self.minutes.clone() {
            Some(span) => self.add_up(span),
            None => self.out.add(OUT_OF_PLACE, 0..0, "there is no block ```matviz lesson"),
        }
        if self.draft.lesson.pages.is_empty() {
            self.out.add(OUT_OF_PLACE, 0..0, "a lesson has pages, each of which `## ` begins");
        }
    }

    /// If every page says how long it takes, they must take as long as the lesson.
    fn add_up(&mut self, span: Range<usize>) {
        let lesson = &self.draft.lesson;
        let minutes = lesson.pages.iter().map(|page| page.minutes);
        let Some(sum) = minutes.sum::<Option<u32>>() else { return };
        if sum != lesson.minutes && lesson.minutes > 0 && !lesson.pages.is_empty() {
            let told = format!("the pages take {sum} minutes, and the lesson {}", lesson.minutes);
            self.out.add(MINUTES, span, told);
        }
    }
}
