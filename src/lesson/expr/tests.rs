//! What an author notices: which texts are read, and what is said of those that are not.

use super::*;

fn read(text: &str) -> QueryExpr {
    expr(text).unwrap_or_else(|why| panic!("{text}: {why}"))
}

fn wrong(text: &str) -> (String, &str) {
    let why = expr(text).err().unwrap_or_else(|| panic!("{text} is read"));
    let part = text.get(why.span.clone()).unwrap_or_else(|| panic!("{text}: {:?}", why.span));
    (why.message, part)
}

#[test]
fn an_access_keeps_its_number_its_line_and_its_place() {
    let text = "2 * passes(store sA #2 line \"acc  +=\", of tiled_padded tile 32)";
    let all = read(text);
    let access = all.access().expect("it names one");
    let wanted = (AccessVerb::Store, "sA", 2, Some("acc  +="));
    assert_eq!((access.how, &*access.array, access.number, access.line.as_deref()), wanted);
    assert_eq!(&text[access.span.clone()], "store sA #2 line \"acc  +=\"");
    let elsewhere: Vec<_> =
        all.calls()[0].elsewhere.iter().map(|(other, _)| other.clone()).collect();
    assert_eq!(elsewhere, [Elsewhere::Of("tiled_padded".to_owned()), Elsewhere::Tile(32.into())]);
}

#[test]
fn places_are_events_one_after_the_other() {
    let events = |text: &str| match place(text) {
        Ok(RunPosition::At { before, events }) => {
            (before, events.into_iter().map(|(event, _)| event).collect::<Vec<_>>())
        }
        other => panic!("{text}: {other:?}"),
    };
    assert_eq!(place("start"), Ok(RunPosition::Start));
    assert_eq!(place(" 448 "), Ok(RunPosition::Step(448)));
    assert_eq!(events("barrier 2, fma"), (false, vec![RunEvent::Barrier(2), RunEvent::Fma]));
    let (before, all) = events("before tile 3, line \"acc\", waits");
    assert!(before);
    assert_eq!(all, [RunEvent::Tile(3), RunEvent::Line("acc".to_owned()), RunEvent::Waits]);
}

#[test]
fn what_is_wrong_is_named_with_the_nearest_known_word() {
    let cases = [
        (
            "sector(load A)",
            "`sector` is neither a function nor a kernel; did you mean `sectors`?",
            "sector",
        ),
        (
            "of_librar(naive, 64)",
            "`of_librar` is neither a function nor a kernel; did you mean `of_library`?",
            "of_librar",
        ),
        (
            "passes(store sA, of tiled_paded)",
            "`tiled_paded` is not a kernel of the catalogue: did you mean `tiled_padded`?",
            "tiled_paded",
        ),
        ("1 + ", "here is the end; expected a number, a text in quotes or a function", ""),
        ("passes(store sA", "here is the end; expected `,` or `)`", ""),
        (
            "passes()",
            "`passes` is missing an argument: `passes(ACCESS)` tells the passes over the banks that one access takes",
            "passes()",
        ),
        ("warps(3)", "here is `3`; expected the end: `warps` tells the warps of a block", "3"),
        ("dial(\"acc)", "this text has no `\"` at its end", "\"acc)"),
        ("uses(A[5])", "an element is a matrix, a row and a column: A[5][33]", "A[5]"),
        ("2 2", "here is `2`; expected an operator, or the end", "2"),
    ];
    for (text, message, part) in cases {
        assert_eq!(wrong(text), (message.to_owned(), part), "{text}");
    }
    let why = place("before barier 2").expect_err("a slip");
    assert_eq!(why.message, "`barier` is not a place or an event: did you mean `barrier`?");
}

#[test]
fn what_is_too_deep_or_too_long_is_refused() {
    assert!(wrong(&format!("{}1", "(".repeat(1000))).0.contains("more than 32 deep"));
    assert!(wrong(&format!("{}1", "-".repeat(1000))).0.contains("more than 32 deep"));
    assert!(wrong(&format!("{}naive{}", "most(".repeat(500), ")".repeat(500))).0.contains("deep"));
    let long = format!("1{}", " + 1".repeat(1024));
    assert!(expr(&long).is_err_and(|why| why.message == "a query has at most 4096 bytes"));
    let all = format!("1{}", " + 1".repeat(1000));
    assert!(expr(&all).is_ok(), "long, but not deep");
}

proptest::proptest! {
    #[test]
    fn no_text_makes_it_panic(text in "[a-zA-Z0-9_ \"#,()\\[\\]<>=!?:&|+*/%.é-]{0,60}") {
        let ends = |why: QueryError| assert!(text.get(why.span.clone()).is_some(), "{:?}", why.span);
        expr(&text).err().into_iter().for_each(ends);
        place(&text).err().into_iter().for_each(ends);
    }
}
