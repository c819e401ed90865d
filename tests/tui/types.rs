//! Kernels on elements of other types: what the panels show of their values.

use super::{app_of, press, shown};
use matviz::kernel::{LaunchSpec, Source};
use matviz::launch::Dim3;
use matviz::matrix::{ElementType, Layout, Major, Operand, SEED};
use matviz::tui::App;

/// A kernel of tests/data/kernel/types with a block of its run recorded.
fn typed(entry: &str, side: u32, args: Option<&str>) -> App {
    let read = |file: &str| std::fs::read_to_string(format!("tests/data/kernel/types/{file}"));
    let (text, ptx) = (read("types.cu").expect("committed"), read("types.ptx").expect("committed"));
    let module = ptx::parse(&ptx).expect("PTX");
    let size = side.to_string().parse().expect("a size");
    let source = Source { file: "types.cu".to_owned(), text, ..Source::default() };
    let wanted = LaunchSpec {
        entry: Some(entry.to_owned()),
        block: Dim3::flat(side, side),
        args: args.map(str::to_owned),
        source: Some(source),
        ..LaunchSpec::default()
    };
    let problem = wanted.problem(&module, ptx, size).expect("it can be launched");
    app_of(vec![problem], 0, Dim3::at(0, 0), (200, 60))
}

/// Row 1 of A or B as the panel writes it, where they are of this type.
fn second_row(of: ElementType, operand: Operand, layout: Layout, side: u32) -> Vec<String> {
    let text = |column| {
        let place = layout.place((side, side), 1, column);
        let value = of.element(SEED, operand, place) + 0.0;
        if value.fract() == 0.0 { format!("{value}") } else { format!("{value:.2}") }
    };
    (0..side).map(text).collect()
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
    let column = Layout { major: Major::Column, ..Layout::default() };
    let cases = [
        ("doubles", None, ElementType::F64, Layout::default()),
        ("unsigneds", None, ElementType::U32, Layout::default()),
        ("halves", None, ElementType::F16, Layout::default()),
        ("brains", None, ElementType::Bf16, Layout::default()),
        ("bytes", None, ElementType::I8, Layout::default()),
        ("columns", Some("A,B:col,C,M,N,K,lda,ldb,ldc"), ElementType::F32, column),
    ];
    for (entry, args, of, layout_of_b) in cases {
        let mut app = typed(entry, 8, args);
        press(&mut app, "G Esc 1");
        for (operand, layout) in [(Operand::A, Layout::default()), (Operand::B, layout_of_b)] {
            let row = second_row(of, operand, layout, 8);
            assert!(has_row(&app, &row), "{entry}: {row:?}\n{}", shown(&app));
        }
        assert!(!app.sentence().contains("WRONG"), "{entry}: {}", app.sentence());
    }
}

/// They are what the kernel is for, and not what it computes beside that.
#[test]
fn products_of_integers_are_the_work_of_a_warp() {
    for entry in ["unsigneds", "bytes"] {
        let screen = shown(&typed(entry, 8, None));
        assert!(screen.contains(" mad ") && !screen.contains(" FMA "), "{entry}:\n{screen}");
    }
    let screen = shown(&typed("doubles", 8, None));
    assert!(screen.contains(" FMA ") && !screen.contains(" mad "), "{screen}");
}

#[test]
fn shared_memory_shows_whole_numbers_of_integers() {
    let mut app = typed("ints", 16, None);
    press(&mut app, "2 n");
    let row = second_row(ElementType::I32, Operand::A, Layout::default(), 16);
    assert!(has_row(&app, &row[..4]), "{row:?}\n{}", shown(&app));
}
