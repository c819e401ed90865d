//! Replaces the queries in a text by their values.

use crate::lesson::answer::{Answer, AnsweredFrom};
use crate::lesson::document::{Para, Piece};
use crate::lesson::expr::{Elsewhere, EvalContext, Query};
use crate::lesson::setting::Setting;

/// The paragraphs without queries. GPU and day of a measurement are named by the first of them that
/// tells of it.
pub(super) fn resolved<'a>(
    paras: impl IntoIterator<Item = &'a Para>,
    context: &EvalContext<'_>,
) -> Vec<Para> {
    resolved_after(&mut Vec::new(), paras, context)
}

/// The same after paragraphs that have named these origins.
fn resolved_after<'a>(
    named: &mut Vec<AnsweredFrom>,
    paras: impl IntoIterator<Item = &'a Para>,
    context: &EvalContext<'_>,
) -> Vec<Para> {
    let mut resolve = |para: &Para| match para {
        Para::Text(pieces) => Para::Text(pieces_after(named, pieces, context)),
        Para::Code(lines) => Para::Code(lines.clone()),
        Para::Item(mark, paras) => Para::Item(mark.clone(), resolved_after(named, paras, context)),
        Para::Quote(paras) => Para::Quote(resolved_after(named, paras, context)),
    };
    paras.into_iter().map(&mut resolve).collect()
}

/// Running text without queries. Of several values from one place the last says where it is.
pub(super) fn resolved_pieces(pieces: &[Piece], context: &EvalContext<'_>) -> Vec<Piece> {
    pieces_after(&mut Vec::new(), pieces, context)
}

fn pieces_after(
    named: &mut Vec<AnsweredFrom>,
    pieces: &[Piece],
    context: &EvalContext<'_>,
) -> Vec<Piece> {
    let mut said = Vec::new();
    let resolve = |piece: &Piece| {
        let Piece::Query(query) = piece else { return piece.clone() };
        Piece::Plain(match context.answer(query) {
            Ok(answer) => value_text(&answer, &mut said, named),
            Err(missing) => format!("[{}: {}]", query.text.trim(), missing.message),
        })
    };
    let mut all: Vec<_> = pieces.iter().rev().map(resolve).collect();
    all.reverse();
    all
}

/// The value, and where it is from unless it was simulated or that is said already; in a word if it was
/// named before.
fn value_text(
    answer: &Answer,
    said: &mut Vec<AnsweredFrom>,
    named: &mut Vec<AnsweredFrom>,
) -> String {
    let Answer { value, origin, .. } = answer;
    if *origin == AnsweredFrom::Simulated || said.contains(origin) {
        return value.to_string();
    }
    said.push(origin.clone());
    if named.contains(origin) {
        return format!("{value} ({})", origin.word());
    }
    named.push(origin.clone());
    format!("{value} ({origin})")
}

/// The setting that a question asks: that in which it stands, with what its query says is other.
pub(super) fn asked_of(want: &Query, setting: &Setting) -> Setting {
    let others = others(want);
    others.iter().fold(setting.clone(), |setting, other| other.apply(setting))
}

/// Whether a question asks another run than the one it stands in: then no moment of this one is its
/// evidence.
pub(super) fn is_of_another_run(want: &Query) -> bool {
    others(want).iter().any(|other| !matches!(other, Elsewhere::Warp(_)))
}

fn others(want: &Query) -> Vec<Elsewhere> {
    let meaning = want.meaning();
    let calls = meaning.iter().flat_map(|meaning| meaning.calls());
    calls.flat_map(|call| call.elsewhere.iter().map(|(other, _)| other.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lesson::expr::Bindings;
    use crate::lesson::setting_runs::SettingCache;

    #[test]
    fn a_sentence_with_several_recorded_values_says_once_where_they_are_from() {
        let query = |text: &str| Piece::Query(Query::query(text, 0..0));
        let (cache, setting, given) =
            (SettingCache::new(), Setting::default(), Bindings::default());
        let context = EvalContext { cache: &cache, setting: &setting, given: &given };
        let times = ["ms(naive, 64)", "2 * 3", "ms(tiled, 64)"].map(query);
        let [naive, six, tiled] = &resolved_pieces(&times, &context)[..] else {
            panic!("three values")
        };
        let recorded = |piece: &Piece| format!("{piece:?}").contains("(recorded, ");
        assert!(!recorded(naive) && recorded(tiled), "{naive:?} {tiled:?}");
        assert_eq!(*six, Piece::Plain("6".to_owned()));
    }

    #[test]
    fn a_question_of_another_run_has_no_moment_here() {
        assert!(is_of_another_run(&Query::query("passes(store sA, tile 32)", 0..0)));
        assert!(is_of_another_run(&Query::query("2 * passes(store sA, of tiled)", 0..0)));
        assert!(!is_of_another_run(&Query::query("passes(store sA, warp 2)", 0..0)));
        assert!(!is_of_another_run(&Query::query("passes(store sA line \"x, of y\")", 0..0)));
        assert!(!is_of_another_run(&Query::query("lines_of(\"race\")", 0..0)));
        assert!(!is_of_another_run(&Query::query("this is no query (", 0..0)));
    }
}
