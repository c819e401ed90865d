//! Kernels on elements of other types: what the panels show of their values.

use super::{app_of, press, shown};
use matviz::kernel::{LaunchSpec, Problem, Source, UserKernel};
use matviz::launch::Dim3;
use matviz::matrix::Operand;
use matviz::tui::App;

/// A kernel of tests/data/types with a block of its run recorded.
fn typed(entry: &str, side: u32, args: Option<&str>) -> App {
    let read = |file: &str| std::fs::read_to_string(format!("tests/data/types/{file}"));
    let (text, ptx) = (read("types.cu").expect("committed"), read("types.ptx").expect("committed"));
    let module = matviz::ptx::parse(&ptx).expect("PTX");
    let size = side.to_string().parse().expect("a size");
    let source = Source { file: "types.cu".to_owned(), text, defines: Vec::new() };
    let wanted = LaunchSpec {
        entry: Some(entry.to_owned()),
        grid: None,
        block: Dim3::flat(side, side),
        shared: 0,
        args: args.map(str::to_owned),
        source: Some(source),
    };
    let kernel = UserKernel::new(&module, size, wanted).expect("it can be launched");
    app_of(vec![Problem::of_user(kernel, size, ptx)], 0, Dim3::at(0, 0), (200, 60))
}

/// An element of A or B as the panel writes it.
fn text(app: &App, operand: Operand, index: u64) -> String {
    let value = app.session.problem().before(operand, index) + 0.0;
    if value.fract() == 0.0 { format!("{value}") } else { format!("{value:.2}") }
}

/// The rows of the screen that hold these words, one after the other.
fn has_row(app: &App, words: &[String]) -> bool {
    let screen = shown(app);
    screen.lines().any(|line| {
        let all: Vec<_> = line.split([' ', '│', '║']).filter(|word| !word.is_empty()).collect();
        all.windows(words.len()).any(|some| some == words)
    })
}

#[test]
fn the_matrices_show_the_values_of_each_type() {
    let cases = [
        ("doubles", None),
        ("unsigneds", None),
        ("halves", None),
        ("brains", None),
        ("bytes", None),
        ("columns", Some("A,B:col,C,M,N,K,lda,ldb,ldc")),
    ];
    for (entry, args) in cases {
        let mut app = typed(entry, 8, args);
        press(&mut app, "1 G");
        let rows = [Operand::A, Operand::B]
            .map(|operand| (8..16).map(|index| text(&app, operand, index)).collect::<Vec<_>>());
        for row in rows {
            assert!(has_row(&app, &row), "{entry}: {row:?}\n{}", shown(&app));
        }
        assert!(!app.sentence().starts_with("WRONG"), "{entry}: {}", app.sentence());
    }
}

/// One byte is loaded by each lane: half of a warp's lanes load the same element.
#[test]
fn an_element_smaller_than_a_word_is_lit_alone() {
    let mut app = typed("bytes", 8, None);
    press(&mut app, "1 a");
    assert!(app.sentence().contains("loads A[0-3][0]"), "{}", app.sentence());
    let lit: Vec<_> = matviz::tui::screen::facts::touched(&app.session);
    assert!(lit.iter().all(|element| element.column == 0), "{lit:?}");
}

#[test]
fn shared_memory_shows_whole_numbers_of_integers() {
    let mut app = typed("ints", 16, None);
    press(&mut app, "2 n");
    let row: Vec<_> = (16..20).map(|index| text(&app, Operand::A, index)).collect();
    assert!(has_row(&app, &row), "{row:?}\n{}", shown(&app));
}
