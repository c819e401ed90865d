//! A lesson as a learner experiences it.

use super::example::course;
use super::*;
use crate::lesson::document::{Para, Piece};
use crate::lesson::read;
use crate::lesson::target::View;

fn taken(lesson: u32, page: usize, seed: u64) -> LessonSession {
    LessonSession::begin(course(), lesson, page, seed).expect("a page of the course")
}

/// The words of some paragraphs.
fn said(paras: &[Para]) -> String {
    let all = paras.iter().map(|para| match para {
        Para::Text(pieces) => words(pieces),
        Para::Code(lines) => lines.join("\n"),
        Para::Item(_, paras) | Para::Quote(paras) => said(paras),
    });
    all.collect::<Vec<_>>().join("\n")
}

fn reply(session: &LessonSession) -> &Reply {
    session.now().reply.as_ref().expect("a reply")
}

/// What the open question has for an answer.
fn right(session: &LessonSession) -> String {
    let open = session.now().question.as_ref().expect("a question");
    let offer = open.question.offers.iter().find(|offer| offer.right);
    offer.map_or_else(|| open.question.right.value.to_string(), |offer| offer.key.to_string())
}

fn given(session: &mut LessonSession) -> Vec<GivenAnswer> {
    let events = session.events().into_iter();
    events
        .filter_map(|event| match event {
            LessonEvent::Given(given) => Some(given),
            _ => None,
        })
        .collect()
}

#[test]
fn a_page_opens_up_to_its_question_with_its_values() {
    let session = taken(12, 1, 0);
    let now = session.now();
    assert_eq!((now.page, now.pages, now.title.as_str()), (1, 4, "One column more"));
    assert_eq!(now.lesson, (12, "Padding".to_owned()));
    assert_eq!(now.look, [View::Banks, View::Shared]);
    assert!(now.step > 0, "it stands before a store, not at the start");
    let text = said(&now.text);
    assert!(text.contains("The grid has 2,304 threads."), "{text}");
    assert!(text.ends_with("In how many passes is it done now?"), "{text}");
    let pieces = now.text.iter().filter_map(|para| match para {
        Para::Text(pieces) => Some(pieces),
        _ => None,
    });
    assert!(!pieces.flatten().any(|piece| matches!(piece, Piece::Query(..))));
    let open = now.question.as_ref().expect("a question");
    assert_eq!((open.hints_left, open.tries_left, open.hints.len()), (2, 2, 0));
    assert!(now.reply.is_none() && !now.over);
}

#[test]
fn a_wrong_idea_gets_a_second_try_without_the_number_and_then_the_evidence() {
    let mut session = taken(12, 1, 0);
    let before = session.now().step;
    session.answer(" 1 ");
    let open = session.now().question.as_ref().expect("still open");
    let told = open.said.as_deref().unwrap_or_default();
    let idea = "\"A padded array has no conflicts.\" Lane 0 stores sA[0][0], lane 1 sA[1][0], ";
    assert!(told.starts_with(idea) && told.ends_with("One more try."), "{told}");
    assert_eq!((open.lit.len(), open.tries_left), (3, 1));
    let mut other = session.clone();
    other.answer("2");
    let text = said(&reply(&other).text);
    assert!(
        text.contains("Your first answer said: \"A padded array has no conflicts.\""),
        "{text}"
    );
    session.answer("1");
    let reply = reply(&session);
    assert_eq!((reply.you.as_deref(), reply.right), (Some("1"), Some(false)));
    assert_eq!((reply.is.as_str(), reply.unit.as_str()), ("2", "passes"));
    assert_eq!(reply.model.as_deref(), Some("padding-helps"));
    assert_eq!(reply.idea.as_deref(), Some("A padded array has no conflicts."));
    let text = said(&reply.text);
    assert!(text.contains("You say 1, but it is 2: 2 passes, and nothing else."), "{text}");
    assert!(text.contains("The store took 2 passes."), "{text}");
    assert_eq!(reply.play_to, Some(before + 1), "the evidence is the store itself");
    assert!(session.now().question.is_none());
    let given = given(&mut session);
    let tries: Vec<_> = given.iter().map(|given| (given.outcome, given.tries)).collect();
    assert_eq!(tries, [(Outcome::Wrong, 1), (Outcome::Wrong, 2)]);
    assert_eq!(given[0].model.as_deref(), Some("padding-helps"));
    assert!(session.events().is_empty(), "each is told once");
}

#[test]
fn what_is_missing_is_said_where_a_value_would_stand() {
    let mut session = taken(12, 1, 0);
    session.answer("2");
    let text = said(&reply(&session).text);
    assert!(text.contains("The load took [passes(load Q): "), "{text}");
}

#[test]
fn a_question_without_an_answer_is_left_out_and_the_page_says_so() {
    let mut session = taken(12, 3, 0);
    assert_eq!(
        session.now().question.as_ref().map(|open| open.question.id.as_str()),
        Some("warps")
    );
    let answer = right(&session);
    session.answer(&*answer);
    session.go_on();
    let now = session.now();
    assert!(said(&now.text).contains("A question is left out here: "), "{}", said(&now.text));
    assert_eq!(now.question.as_ref().map(|open| open.question.id.as_str()), Some("threads"));
}

#[test]
fn another_wrong_answer_may_be_tried_again() {
    let mut session = taken(12, 1, 0);
    session.answer("77");
    let open = session.now().question.as_ref().expect("still open");
    assert_eq!(open.tries_left, 1);
    assert!(open.said.as_ref().is_some_and(|said| said.starts_with("77 is too high.")));
    assert!(session.now().reply.is_none());
    session.answer("2");
    assert_eq!(reply(&session).right, Some(true));
    let given = given(&mut session);
    let outcomes: Vec<_> = given.iter().map(|given| (given.outcome, given.tries)).collect();
    assert_eq!(outcomes, [(Outcome::Wrong, 1), (Outcome::Right, 2)]);
}

#[test]
fn after_the_last_try_it_is_shown() {
    let mut session = taken(13, 1, 0);
    for _ in 0..3 {
        assert!(session.now().reply.is_none());
        session.answer("77");
    }
    assert_eq!((reply(&session).right, reply(&session).is.as_str()), (Some(false), "4,096"));
}

#[test]
fn what_cannot_be_read_costs_nothing() {
    let mut session = taken(12, 1, 0);
    for typed in ["", "one?", "\u{0}\u{1b}[31m", "NaN", &"9".repeat(5000)] {
        session.answer(typed);
        if session.now().question.as_ref().is_none_or(|open| open.tries_left < 2) {
            assert_eq!(typed.len(), 5000, "{typed} is no number");
        }
    }
    let told = given(&mut session);
    assert!(told.iter().all(|given| given.typed.as_ref().is_some_and(|typed| typed.len() < 100)));
}

#[test]
fn a_skipped_question_is_shown_and_three_offer_to_watch() {
    let mut session = taken(12, 1, 0);
    session.skip();
    assert_eq!((reply(&session).you.as_deref(), reply(&session).right), (None, None));
    assert_eq!(reply(&session).is, "2");
    assert!(!said(&reply(&session).text).contains("You say"));
    assert_eq!(given(&mut session)[0].outcome, Outcome::Skipped);
    session.go_to(3);
    session.skip();
    session.go_on();
    assert_eq!(session.now().watch, WatchMode::No);
    session.skip();
    assert_eq!(session.now().watch, WatchMode::Offered);
    session.watch();
    assert_eq!(session.now().watch, WatchMode::Only);
    session.go_to(1);
    assert!(session.now().question.is_none());
    assert_eq!((reply(&session).you.as_deref(), reply(&session).is.as_str()), (None, "2"));
    assert_eq!(given(&mut session).last().map(|given| given.outcome), Some(Outcome::Watched));
}

#[test]
fn an_answer_between_ends_the_row_of_skipped_ones() {
    let mut session = taken(12, 3, 0);
    session.skip();
    session.go_on();
    session.skip();
    session.go_to(1);
    session.answer("2");
    session.go_to(3);
    session.skip();
    assert_eq!(session.now().watch, WatchMode::No);
}

#[test]
fn hints_open_one_after_the_other() {
    let mut session = taken(12, 1, 0);
    session.hint();
    let open = session.now().question.as_ref().expect("a question");
    assert_eq!(said(&open.hints[0]), "A block has 8 warps.");
    assert_eq!(open.hints_left, 1);
    session.hint();
    session.hint();
    assert_eq!(session.now().question.as_ref().map(|open| open.hints.len()), Some(2));
    session.answer("2");
    assert_eq!(given(&mut session)[0].hints, 2);
}

#[test]
fn going_on_stands_at_the_evidence_and_keeps_the_text() {
    let mut session = taken(12, 1, 0);
    session.go_on();
    assert!(session.now().question.is_some(), "an open question is not passed by going on");
    session.answer("1");
    session.answer("1");
    session.go_on();
    assert_eq!((session.now().page, session.now().title.as_str()), (2, "Two scenes"));
    session.back();
    assert_eq!(session.now().page, 1);
    assert!(session.now().question.is_some(), "it is asked again");
    session.back();
    assert_eq!(session.now().page, 1);
}

#[test]
fn a_second_scene_waits_until_the_first_was_seen() {
    let mut session = taken(12, 2, 0);
    assert_eq!((session.now().step, said(&session.now().text).as_str()), (0, "This is the start."));
    session.go_on();
    let end = session.now().step;
    assert!(end > 0);
    assert!(said(&session.now().text).ends_with("This is the end."));
    session.go_on();
    assert_eq!(session.now().page, 3);
}

#[test]
fn a_page_reached_by_its_number_has_the_stage_of_the_scene_before() {
    let by_number = taken(12, 2, 5);
    let mut on_foot = taken(12, 1, 5);
    on_foot.skip();
    on_foot.go_on();
    assert_eq!(by_number.now().setting, on_foot.now().setting);
    assert_eq!(by_number.now().text, on_foot.now().text);
}

#[test]
fn neighbours_see_other_numbers_and_the_same_seed_the_same() {
    for seed in 0..6 {
        let [one, next, same] = [seed, seed + 1, seed].map(|seed| taken(12, 3, seed));
        assert_ne!(right(&one), right(&next));
        assert_eq!(format!("{:?}", one.now()), format!("{:?}", same.now()));
    }
    let mut again = taken(12, 3, 0);
    let first = right(&again);
    again.again();
    assert_ne!(right(&again), first);
}

#[test]
fn after_the_last_page_it_is_over() {
    let mut session = taken(13, 1, 0);
    session.answer("4096");
    session.go_on();
    assert!(session.now().over);
    assert!(session.events().contains(&LessonEvent::Done { lesson: "after".to_owned() }));
    session.go_on();
    session.answer("3");
    session.skip();
    session.hint();
    assert!(session.now().over && session.events().is_empty());
    session.back();
    assert!(!session.now().over && session.now().question.is_some());
}

#[test]
fn a_lesson_or_page_that_is_not_there_says_which_are() {
    let of = |course, lesson, page| match LessonSession::begin(course, lesson, page, 0) {
        Ok(_) => String::new(),
        Err(none) => none.to_string(),
    };
    let begin = |lesson, page| of(course(), lesson, page);
    assert_eq!(begin(40, 1), "there is no lesson 40: the course has 12 to 13");
    let shipped = Arc::new(read::shipped().0);
    assert_eq!(of(shipped, 18, 1), "there is no lesson 18: the course has 0 to 17");
    assert_eq!(begin(12, 9), "lesson 12 has pages 1 to 4, and no 12.9");
    assert_eq!(begin(12, 0), "lesson 12 has pages 1 to 4, and no 12.0");
    assert_eq!(begin(13, 2), "lesson 13 has one page, and no 13.2");
    let none = of(Arc::new(Course::default()), 1, 1);
    assert_eq!(none, "there is no lesson 1: the course is empty");
}

#[test]
fn an_idea_missed_before_is_asked_about_first_with_other_numbers() {
    let mut session = taken(13, 1, 3);
    session.events();
    assert!(session.review("padding-helps"));
    let now = session.now();
    assert!(now.review);
    assert_eq!((now.page, now.title.as_str()), (1, "From a lesson before"));
    let asked = said(&now.text);
    assert!(asked.starts_with("The kernel tiled_padded, in blocks of 16 x 16 threads."), "{asked}");
    assert!(asked.ends_with("In how many passes is its store to sA done?"), "{asked}");
    let missed = taken(12, 1, 3);
    assert_ne!(now.setting.size, missed.now().setting.size, "not the numbers of that time");
    session.answer("1");
    session.answer("1");
    assert_eq!(reply(&session).model.as_deref(), Some("padding-helps"));
    let review =
        |outcome| LessonEvent::Review { idea: "padding-helps".to_owned(), lesson: 13, outcome };
    assert_eq!(session.events(), [review(Outcome::Wrong)]);
    session.go_on();
    assert_eq!((session.now().review, session.now().title.as_str()), (false, "The only page"));
    assert!(session.now().question.is_some());
}

#[test]
fn an_idea_without_a_probe_comes_back_as_the_question_of_its_page() {
    let mut session = taken(13, 1, 0);
    assert!(session.review("padding-ignored"));
    assert!(said(&session.now().text).ends_with("In how many passes is it done now?"));
    session.answer("2");
    assert_eq!(reply(&session).right, Some(true));
    let mut none = taken(13, 1, 0);
    let before = format!("{:?}", none.now());
    assert!(!none.review("no-such-idea"));
    assert_eq!(format!("{:?}", none.now()), before);
}

#[test]
fn a_broken_kernel_is_named_proved_and_mended() {
    let mut session = taken(12, 4, 0);
    let now = session.now();
    assert_eq!(now.setting.changes.len(), 1);
    let text = said(&now.text);
    assert!(text.contains("Something is changed in this kernel now."), "{text}");
    assert!(text.contains("At 64 C is right."), "{text}");
    assert!(text.contains("At 48 C is right."), "{text}");
    let answer = right(&session);
    session.answer(&*answer);
    let told = said(&reply(&session).text);
    assert!(told.contains("\n-    __syncthreads();"), "{told}");
    session.go_on();
    assert_eq!(session.now().proof.as_ref().map(|proof| proof.by), Some(ProofBy::Order));
    session.answer("round-robin");
    let said_of = session.now().proof.as_ref().and_then(|proof| proof.said.clone());
    assert_eq!(said_of.as_deref(), Some("With round-robin C is right. Try another one."));
    session.skip();
    assert!(said(&reply(&session).text).contains("of C are wrong"), "{:?}", reply(&session));
    assert!(session.now().setting.order.is_some());
    assert!(reply(&session).play_to.is_some_and(|step| step > 0), "the first wrong value is shown");
    session.go_on();
    assert!(session.now().setting.changes.is_empty());
    let text = said(&session.now().text);
    assert!(text.ends_with("The change is undone.\nThat was it."), "{text}");
    session.go_on();
    assert!(session.now().over);
}

#[test]
fn what_a_lesson_asks_later_is_known() {
    let session = taken(12, 1, 0);
    assert!(session.asks(Topic::Cost) && !session.asks(Topic::Time) && !session.shows_symptoms());
    assert_eq!(session.redacted("Warp 0 stores sA: 2 passes.", false), "Warp 0 stores sA.");
    let mut session = taken(12, 4, 0);
    assert!(session.shows_symptoms(), "the run is what is to be explained");
    assert_eq!(session.redacted("WRONG VALUE: w1 loads 0.5", true), "WRONG VALUE: w1 loads 0.5");
    session.skip();
    assert!(!session.shows_symptoms());
}

#[test]
fn neighbours_have_other_broken_kernels() {
    let [one, next] = [0, 1].map(|seed| taken(12, 4, seed).now().setting.changes.clone());
    assert_ne!(one, next);
}
