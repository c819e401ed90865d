//! What the questions of a lesson are about that are not answered yet: what would show it is hidden.

use super::now::WatchMode;
use super::state::LessonSession;
use crate::lesson::document::{Ask, AskKind, Choice, PageBlock};
use crate::lesson::expr::Topic;
use std::borrow::Cow;

/// What stands for what is asked.
const HIDDEN: &str = "hidden until you answer";

impl LessonSession {
    /// Whether the open question is about this.
    pub fn asks(&self, topic: Topic) -> bool {
        let asked = self.asked.as_ref().filter(|_| self.now.question.is_some());
        asked.is_some_and(|asked| topic.is_of(&asked.ask))
    }

    /// Whether the open question, or a later one of the lesson, is about this.
    pub fn will_ask(&self, topic: Topic) -> bool {
        let pages = &self.lesson().pages;
        // Ahead of its page, all of that page comes later.
        let done = if self.now.review { 0 } else { self.block_index };
        let here = pages.get(self.page).and_then(|page| page.blocks.get(done..));
        let later = pages.iter().skip(self.page + 1).flat_map(|page| &page.blocks);
        let asks = |page_block: &PageBlock| match page_block {
            PageBlock::Ask(ask) => topic.is_of(ask),
            PageBlock::Change(_) => topic == Topic::Remedy,
            _ => false,
        };
        let comes = || here.into_iter().flatten().chain(later).any(asks);
        self.asks(topic) || self.now.watch != WatchMode::Only && comes()
    }

    /// Whether the run is the evidence from which the answer is to be found: what is broken in it has
    /// to be named, mended or proved.
    pub fn shows_symptoms(&self) -> bool {
        let open = self.now.question.as_ref();
        let mends = open.is_some_and(|open| open.question.kind == AskKind::Gap);
        mends || open.is_some() && self.broken.is_some() || self.now.proof.is_some()
    }

    /// A step's caption without what the question asks for: without the cost of an access; nothing at a
    /// finding, or if it names the warps to be counted.
    pub fn redacted<'s>(&self, sentence: &'s str, found: bool) -> Cow<'s, str> {
        let costs = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
        // What a block is costs nothing.
        let begins = sentence.starts_with("Block") || sentence.starts_with("Cluster");
        let cut = sentence.match_indices(": ").find(|(at, _)| costs(&sentence[at + 2..]));
        match cut {
            _ if found && self.asks(Topic::Outcome) && !self.shows_symptoms() => HIDDEN.into(),
            _ if self.asks(Topic::Block) => HIDDEN.into(),
            Some((at, _)) if !found && !begins && self.asks(Topic::Cost) => {
                format!("{}.", &sentence[..at]).into()
            }
            _ => sentence.into(),
        }
    }
}

impl Topic {
    /// Whether a question is about this.
    pub fn is_of(self, ask: &Ask) -> bool {
        if self == Self::Remedy {
            return matches!(ask.kind, Some(AskKind::Gap | AskKind::Name));
        }
        let asked = ask.options.iter().filter_map(Choice::holds).chain([&ask.want]);
        asked
            .filter_map(|query| query.meaning().ok())
            .any(|asked| asked.calls().iter().any(|call| call.function.topics.contains(&self)))
    }
}
