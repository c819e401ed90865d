//! A kernel with dials: each setting is judged at once, until one reaches the goal.

use super::blocks::plain;
use super::event::{self, LessonEvent, Outcome};
use super::now::{OpenDials, Reply};
use super::state::LessonSession;
use crate::lesson::answer::{AnsweredFrom, Value};
use crate::lesson::dials::Dials;
use crate::lesson::document;
use crate::lesson::expr::{Bindings, EvalContext, Parsed};
use crate::lesson::judged::sizes;
use crate::lesson::setting::Setting;
use crate::lesson::setting_runs::SettingCache;
use crate::matrix::Size;

impl LessonSession {
    /// Brings the dials; returns whether the page waits.
    pub(super) fn set_dials(&mut self, block: &document::DialsBlock) -> bool {
        let (file, text) = &block.kernel;
        let read = Dials::read(file, text);
        let (dials, sizes) = match read.and_then(|dials| Ok((dials, sizes(&block.sizes)?))) {
            Ok(read) => read,
            Err(why) => {
                self.say(&format!("The dials cannot be turned: {why}."));
                return false;
            }
        };
        let mut turning = OpenDials {
            id: block.id.clone(),
            at: dials.start.clone(),
            dials,
            sizes,
            judged: Ok(Vec::new()),
            said: None,
            tries: 0,
            goal: block.goal.clone(),
        };
        turning.judge();
        self.now.dials = Some(turning);
        self.stand_at_dials();
        true
    }

    /// Turns a dial, as `NAME=CHOICE` says; what cannot be turned is said.
    pub fn turn(&mut self, turn: &str) {
        let Some(turning) = &mut self.now.dials else { return };
        match turning.dials.turned(&turning.at, turn) {
            Err(why) => turning.said = Some(why.to_string()),
            Ok(at) => {
                turning.at = at;
                turning.said = None;
                turning.judge();
                self.stand_at_dials();
            }
        }
    }

    /// Turns the dials to a setting: the number of a choice for each.
    pub fn dial(&mut self, at: &[usize]) {
        let Some(turning) = &mut self.now.dials else { return };
        turning.said = None;
        if turning.at != at {
            turning.at = at.to_vec();
            turning.judge();
            self.stand_at_dials();
        }
    }

    /// Says that this setting is the one. It is, if the goal holds at every size.
    pub fn choose(&mut self) {
        let Some(mut turning) = self.now.dials.take() else { return };
        turning.tries += 1;
        let missed = turning.sizes.iter().find_map(|size| self.misses(&turning, *size));
        let is_right = missed.is_none();
        self.events.push(LessonEvent::Given(event::GivenAnswer {
            lesson: (self.lesson().id.clone(), self.lesson().number),
            ask: turning.id.clone(),
            outcome: if is_right { Outcome::Right } else { Outcome::Wrong },
            model: None,
            typed: Some(turning.choices_text()),
            is: if is_right { turning.choices_text() } else { String::new() },
            tries: turning.tries,
            hints: 0,
        }));
        if is_right {
            return self.reached(&turning);
        }
        turning.said = missed;
        self.now.dials = Some(turning);
    }

    /// Why the goal is missed at a size.
    fn misses(&self, turning: &OpenDials, size: Size) -> Option<String> {
        let goal = turning.goal.as_ref()?;
        let setting = turning.setting(size, &self.setting);
        let context =
            EvalContext { cache: &self.cache, setting: &setting, given: &Bindings::default() };
        match context.answer(goal).map(|answer| answer.value) {
            Ok(Value::Truth(true)) => None,
            Ok(_) => {
                let asked = turning.asked(&turning.at, size, &self.cache);
                // What holds as it should is not why.
                let asked = asked.iter().filter(|(_, is)| is != "yes");
                let asked: Vec<_> = asked.map(|(what, is)| format!("{what}: {is}")).collect();
                Some(format!("Not this one. At {size}, {}.", asked.join(", ")))
            }
            Err(missing) => Some(format!("At {size}: {}.", missing.message)),
        }
    }

    fn reached(&mut self, turning: &OpenDials) {
        let all = turning.dials.settings();
        let told = format!("This is the one of {all} settings: {}.", turning.choices_text());
        let mut text = vec![plain(&told)];
        text.extend(self.take_text());
        self.pending.clone_from(&text);
        self.now.reply = Some(Reply {
            you: Some("this one".to_owned()),
            right: Some(true),
            is: "the one".to_owned(),
            unit: String::new(),
            origin: AnsweredFrom::Simulated,
            model: None,
            idea: None,
            text,
            play_to: None,
            marks: Vec::new(),
            view: None,
            warp: None,
        });
    }

    /// The picture shows what the dials make.
    fn stand_at_dials(&mut self) {
        let Some(turning) = &self.now.dials else { return };
        let size = turning.sizes.first().copied().unwrap_or(self.setting.size);
        self.setting = turning.setting(size, &self.setting);
        if turning.judged.is_ok() {
            self.stand(&Parsed::start());
        }
    }
}

impl OpenDials {
    fn judge(&mut self) {
        self.judged = self.dials.trial(&self.at).judge(&self.sizes);
    }

    /// The run of this setting of the dials, at a size, in the order of another.
    fn setting(&self, size: Size, other: &Setting) -> Setting {
        Setting { size, order: other.order.clone(), ..self.dials.scene(&self.at) }
    }

    /// What the goal asks about a setting, and the values: `sectors of load A`, 4.
    pub fn asked(&self, at: &[usize], size: Size, cache: &SettingCache) -> Vec<(String, String)> {
        let Some(goal) = &self.goal else { return Vec::new() };
        let setting = Setting { size, ..self.dials.scene(at) };
        let context = EvalContext { cache, setting: &setting, given: &Bindings::default() };
        let meaning = goal.meaning();
        let mut asked: Vec<(String, String)> = Vec::new();
        for call in meaning.iter().flat_map(|meaning| meaning.calls()) {
            let text = goal.text.get(call.span.clone()).unwrap_or_default().trim();
            let what = match text {
                "right" => "C is right".to_owned(),
                _ => text.replace(['"', ')'], "").replace('(', " of ").replace('_', " "),
            };
            if let (Ok(answer), false) =
                (context.call(call), asked.iter().any(|(other, _)| *other == what))
            {
                asked.push((what, answer.value.to_string()));
            }
        }
        asked
    }

    /// Where the dials stand, in words: `threads in a row of the block: 16`.
    fn choices_text(&self) -> String {
        let dials = self.dials.dials.iter().zip(&self.at);
        let one = dials.filter_map(|(dial, choice)| {
            Some(format!("{}: {}", dial.title, dial.choices.get(*choice)?))
        });
        one.collect::<Vec<_>>().join(", ")
    }

    /// The same as it is typed: `ALONG=columns, TURNED=no`.
    pub fn as_typed(&self) -> String {
        let dials = self.dials.dials.iter().zip(&self.at);
        let one = dials.map(|(dial, choice)| {
            let choice = dial.choices.get(*choice).map(String::as_str).unwrap_or_default();
            format!("{}={choice}", dial.name)
        });
        one.collect::<Vec<_>>().join(", ")
    }
}
