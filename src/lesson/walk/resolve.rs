//! Replaces the queries in a text by their values.

use crate::lesson::answer::{Answer, AnsweredFrom};
use crate::lesson::document::{Para, Piece};
use crate::lesson::expr::{self, Elsewhere, Expr};
use crate::lesson::query::{self, Given};
use crate::lesson::setting::Setting;
use crate::lesson::stage::Stages;

/// Where the queries of a text are asked, and what they may refer to.
#[derive(Clone, Copy)]
pub(super) struct Resolve<'a> {
    /// The recorded runs.
    pub stages: &'a Stages,
    /// The run that is asked.
    pub setting: &'a Setting,
    /// The question that is replied to.
    pub given: &'a Given,
}

impl Resolve<'_> {
    /// The paragraphs without queries.
    pub(super) fn paras<'a>(&self, paras: impl IntoIterator<Item = &'a Para>) -> Vec<Para> {
        paras.into_iter().map(|para| self.para(para)).collect()
    }

    fn para(&self, para: &Para) -> Para {
        match para {
            Para::Text(pieces) => Para::Text(self.pieces(pieces)),
            Para::Code(lines) => Para::Code(lines.clone()),
            Para::Item(mark, paras) => Para::Item(mark.clone(), self.paras(paras)),
            Para::Quote(paras) => Para::Quote(self.paras(paras)),
        }
    }

    /// Running text without queries. Of several values from one place the last says where it is.
    pub(super) fn pieces(&self, pieces: &[Piece]) -> Vec<Piece> {
        let mut said = Vec::new();
        let mut all: Vec<_> =
            pieces.iter().rev().map(|piece| self.piece(piece, &mut said)).collect();
        all.reverse();
        all
    }

    fn piece(&self, piece: &Piece, said: &mut Vec<AnsweredFrom>) -> Piece {
        let Piece::Query(expr, _) = piece else { return piece.clone() };
        let expr = expr.trim();
        let answer = query::answer_given(expr, self.stages, self.setting, self.given);
        Piece::Plain(match answer {
            Ok(answer) => spelt(&answer, said),
            Err(missing) => format!("[{expr}: {}]", missing.message),
        })
    }
}

/// The value, and where it is from unless it was simulated or that is said already.
fn spelt(answer: &Answer, said: &mut Vec<AnsweredFrom>) -> String {
    let Answer { value, origin, .. } = answer;
    if *origin == AnsweredFrom::Simulated || said.contains(origin) {
        return value.to_string();
    }
    said.push(origin.clone());
    format!("{value} ({origin})")
}

/// The stage that a question asks: that in which it stands, with what its query says is other.
pub(super) fn asked_of(want: &str, setting: &Setting) -> Setting {
    let others = others(want);
    others.iter().fold(setting.clone(), |setting, other| other.of(setting))
}

/// Whether a question asks another run than the one it stands in: then no moment of this one is its
/// evidence.
pub(super) fn is_of_another_run(want: &str) -> bool {
    others(want).iter().any(|other| !matches!(other, Elsewhere::Warp(_)))
}

fn others(want: &str) -> Vec<Elsewhere> {
    let read = expr::expr(want);
    let calls = read.iter().flat_map(Expr::calls);
    calls.flat_map(|call| call.elsewhere.iter().map(|(other, _)| other.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_with_several_recorded_values_says_once_where_they_are_from() {
        let query = |text: &str| Piece::Query(text.to_owned(), 0..0);
        let (stages, setting, given) = (Stages::new(), Setting::default(), Given::default());
        let text = Resolve { stages: &stages, setting: &setting, given: &given };
        let times = ["ms(naive, 64)", "2 * 3", "ms(tiled, 64)"].map(query);
        let [naive, six, tiled] = &text.pieces(&times)[..] else { panic!("three values") };
        let recorded = |piece: &Piece| format!("{piece:?}").contains("(recorded, ");
        assert!(!recorded(naive) && recorded(tiled), "{naive:?} {tiled:?}");
        assert_eq!(*six, Piece::Plain("6".to_owned()));
    }

    #[test]
    fn a_question_of_another_run_has_no_moment_here() {
        assert!(is_of_another_run("passes(store sA, tile 32)"));
        assert!(is_of_another_run("2 * passes(store sA, of tiled)"));
        assert!(!is_of_another_run("passes(store sA, warp 2)"));
        assert!(!is_of_another_run("passes(store sA line \"x, of y\")"));
        assert!(!is_of_another_run("lines_of(\"race\")"));
        assert!(!is_of_another_run("this is no query ("));
    }
}
