//! Tests of the reader as a whole: what files say, what is wrong in them, and what does no harm.

use super::super::diagnostic::Diagnostic;
use super::super::document::{AskKind, Course, PageBlock, Para, Piece, Scene, Tolerance};
use super::super::setting::{BlockChoice, KernelFrom};
use super::super::target::View;
use super::{read, shipped};
use crate::kernel::Tile;
use crate::launch::Dim3;
use crate::sim::Order;
use proptest::prelude::*;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A lesson with everything that one can have.
const LESSON: &str = include_str!("sample/12-padding.md");

/// Its wrong ideas.
const MODELS: &str = include_str!("sample/models.md");

/// A source with dials.
const DIALS: &str = "// dial PAD: 0 | 1\n__global__ void k() {}\n";

/// A folder with these files, beside the ideas and a kernel.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("kernels")).expect("a folder");
    let usual = [("models.md", MODELS), ("kernels/dials.cu", DIALS)];
    for (name, text) in usual.iter().chain(files) {
        fs::write(folder.path().join(name), text).expect("written");
    }
    folder
}

fn course(text: &str) -> (Course, Vec<Diagnostic>) {
    read(folder(&[("12-padding.md", text)]).path())
}

/// Each diagnostic about a lesson: its code, line and column.
fn places(text: &str) -> Vec<(&'static str, u32, u32)> {
    let (_, found) = course(text);
    found.iter().map(|told| (told.code, told.line, told.column)).collect()
}

fn scenes(course: &Course) -> Vec<&Scene> {
    let beats = course.lessons[0].pages.iter().flat_map(|page| &page.blocks);
    let scenes = beats.filter_map(|page_block| match page_block {
        PageBlock::Scene(scene) => Some(scene),
        _ => None,
    });
    scenes.collect()
}

#[test]
fn the_course_of_the_program_has_nothing_wrong() {
    let (_, found) = shipped();
    let told: Vec<_> = found.iter().map(Diagnostic::to_string).collect();
    assert!(told.is_empty(), "{}", told.join("\n"));
}

#[test]
fn a_lesson_becomes_its_pages_and_beats_in_order() {
    let (course, found) = course(LESSON);
    assert_eq!(found, [], "{}", found[0]);
    let lesson = &course.lessons[0];
    assert_eq!((lesson.number, &*lesson.id, &*lesson.title), (12, "padding", "Padding"));
    assert_eq!((lesson.minutes, &*lesson.about), (6, "One unused column in shared memory."));
    assert_eq!(lesson.ideas, ["padding-helps"]);
    let titles: Vec<_> = lesson.pages.iter().map(|page| (&*page.title, page.minutes)).collect();
    let pages = [("One column more", Some(2)), ("Which is it?", Some(3)), ("Break it", Some(1))];
    assert_eq!(titles, pages);
    let kinds = lesson.pages.iter().map(|page| {
        page.blocks.iter().map(|page_block| match page_block {
            PageBlock::Text(_) => 't',
            PageBlock::Scene(_) => 's',
            PageBlock::Ask(_) => 'a',
            PageBlock::Change(_) => 'c',
            PageBlock::Dials(_) => 'd',
        })
    });
    let kinds: Vec<String> = kinds.map(Iterator::collect).collect();
    assert_eq!(kinds, ["stat", "stat", "stcd"]);
    assert_eq!(lesson.pages[0].notes, ["let them draw the two columns first"]);
    let page = &lesson.pages[1];
    assert!(lesson.text[page.span.clone()].starts_with("## Which is it?"));
}

#[test]
fn text_keeps_its_pieces_and_queries_know_their_place() {
    let (course, _) = course(LESSON);
    let lesson = &course.lessons[0];
    let PageBlock::Text(paras) = &lesson.pages[0].blocks[1] else { panic!("text") };
    let Para::Text(pieces) = &paras[0] else { panic!("a paragraph") };
    let [Piece::Plain(_), Piece::Strong(strong), Piece::Plain(_), Piece::Query(query), ..] =
        pieces.as_slice()
    else {
        panic!("{pieces:?}")
    };
    assert_eq!((&**strong, &*query.text), ("17 words", "words(store sA)"));
    assert_eq!(lesson.text[query.span.clone()], query.text);
    assert_eq!(paras[1], Para::Code(vec!["__shared__ float sA[16][17];".to_owned()]));
    let Para::Text(keys) = &paras[2] else { panic!("a paragraph") };
    let keys: Vec<_> = keys.iter().filter(|piece| matches!(piece, Piece::Key(_))).collect();
    let [j, k, n] = ["j", "k", "n"].map(|key| Piece::Key(key.to_owned()));
    assert_eq!(keys, [&j, &k, &n]);
    let item = |text: &str| {
        Para::Item("-".to_owned(), vec![Para::Text(vec![Piece::Plain(text.to_owned())])])
    };
    assert_eq!(paras[3..5], [item("tiled: rows"), item("turned: columns")]);
    let table = ["tile  passes", "16    two", "32    one"].map(str::to_owned);
    assert_eq!(paras[5], Para::Code(table.to_vec()));
    assert!(matches!(&paras[6], Para::Quote(_)));
}

#[test]
fn words_that_are_known_are_not_among_those_that_must_not_tell() {
    let (course, _) = course(LESSON);
    let lesson = &course.lessons[0];
    let prose = lesson.pages[0].prose.iter().map(|span| &lesson.text[span.clone()]);
    let prose = prose.collect::<Vec<_>>().join("|");
    assert!(prose.contains("17 words") && prose.contains("tiled: rows"), "{prose}");
    for hidden in ["sA[16][17]", "a warp has 32 lanes", "store sA", "draw the two"] {
        assert!(!prose.contains(hidden), "{hidden}: {prose}");
    }
}

#[test]
fn a_scene_keeps_what_it_does_not_say_and_vary_makes_variants() {
    let (course, _) = course(LESSON);
    let scenes = scenes(&course);
    let first = scenes[0];
    let sizes: Vec<_> =
        first.variants.iter().map(|setting| (setting.size.n, setting.warp)).collect();
    let product =
        [(48, Some(0)), (48, Some(2)), (64, Some(0)), (64, Some(2)), (80, Some(0)), (80, Some(2))];
    assert_eq!(sizes, product);
    assert_eq!(first.look, [View::Banks, View::Shared]);
    assert_eq!(first.at.as_ref().map(|at| &*at.text), Some("before store sA"));
    let at = first.at.as_ref().expect("a place").span.clone();
    assert_eq!(&course.lessons[0].text[at], "before store sA");
    // Across the page: what is new is new in every variant, the rest is as it was.
    let second = scenes[1];
    assert_eq!(second.variants.len(), 6);
    assert!(second.variants.iter().all(|setting| setting.tile == Some(Tile::square(32))));
    let like = |setting: &super::super::setting::Setting| (setting.size, setting.warp);
    assert!(first.variants.iter().map(like).eq(second.variants.iter().map(like)));
    assert_eq!((second.at.clone(), &second.look), (first.at.clone(), &first.look));
    assert!(second.ptx && !first.ptx);
    // Another kernel has no changes and no launch of the one before; the size is kept.
    let third = &scenes[2].variants;
    assert_eq!(third.len(), 1);
    assert_eq!(
        third[0].kernel,
        KernelFrom::File { name: "kernels/dials.cu".to_owned(), text: DIALS.to_owned() }
    );
    assert_eq!(third[0].size.to_string(), "64x48x96");
    assert_eq!(
        (third[0].grid, third[0].threads),
        (Some(Dim3::flat(3, 4)), Some(Dim3::flat(16, 16)))
    );
    assert_eq!((third[0].order.clone(), third[0].rolled), (Some(Order::ToBarrier), true));
    assert_eq!(
        (&*third[0].defines, third[0].block),
        (&["PAD=1".to_owned()][..], BlockChoice::Corner)
    );
}

#[test]
fn a_question_has_its_keys_its_options_and_its_hints() {
    let (course, _) = course(LESSON);
    let asks = course.lessons[0].pages.iter().flat_map(|page| &page.blocks);
    let asks = asks.filter_map(|page_block| match page_block {
        PageBlock::Ask(ask) => Some(ask),
        _ => None,
    });
    let asks: Vec<_> = asks.collect();
    let first = asks[0];
    assert_eq!((&*first.id, &*first.want.text), ("padded-store", "passes(store sA)"));
    assert_eq!(
        (&*first.wrong, &*first.unit, first.tries),
        (&["padding-helps".to_owned()][..], "passes", 3)
    );
    assert_eq!(first.within, Tolerance::Share(0.1));
    assert_eq!(first.hints.len(), 2);
    let [Para::Text(hint)] = first.hints[0].as_slice() else { panic!("{:?}", first.hints) };
    assert!(hint.contains(&Piece::Code("17 tx + ty".to_owned())), "{hint:?}");
    assert_eq!(first.hints[1].len(), 2);
    let second = asks[1];
    assert_eq!((second.kind, second.options.len()), (Some(AskKind::Choice), 2));
    let [a, b] = second.options.as_slice() else { panic!("two options") };
    assert_eq!(
        (&*a.key, a.holds().map(|query| &*query.text), &a.idea),
        ("a", Some("passes(store sA) == 1"), &None)
    );
    assert_eq!(a.text[0], Piece::Plain("one pass, ".to_owned()));
    assert!(matches!(a.text[1], Piece::Query(..)));
    assert_eq!(b.idea.as_deref(), Some("padding-helps"));
}

#[test]
fn an_idea_is_a_sentence_a_reply_and_a_probe() {
    let (course, _) = course(LESSON);
    let idea = &course.ideas[0];
    assert_eq!((&*idea.id, &*idea.says), ("padding-helps", "A padded array has no conflicts."));
    assert!(matches!(&idea.reply[0], Para::Text(pieces) if matches!(pieces[0], Piece::Query(..))));
    assert_eq!(idea.probe.as_ref().map(|probe| &*probe.id), Some("padding-helps-probe"));
    let same = course.ideas.iter().filter(|other| other.id == idea.id).count();
    assert_eq!(same, 1, "it stands for the one that comes with matviz");
}

#[test]
fn course_toml_gives_the_order_and_the_groups() {
    let lesson =
        |id: &str| format!("# T\n```matviz lesson\nid = \"{id}\"\nminutes = 1\n```\n## P\n");
    let order = "[[group]]\nid = \"one\"\nlessons = [\"b\", \"a\"]\n";
    let of = |order: &str| {
        let files = [("1-a.md", &*lesson("a")), ("2-b.md", &*lesson("b")), ("course.toml", order)];
        read(folder(&files).path())
    };
    let (course, found) = of(order);
    assert_eq!(found, []);
    let ids: Vec<_> = course.lessons.iter().map(|lesson| (&*lesson.id, lesson.number)).collect();
    assert_eq!(ids, [("b", 2), ("a", 1)]);
    assert_eq!(
        (&*course.groups[0].id, &*course.groups[0].lessons),
        ("one", &["b".to_owned(), "a".to_owned()][..])
    );
    let (_, found) = of("[[group]]\nid = \"one\"\nlessons = [\"b\",\n \"c\"]\n");
    let told: Vec<_> = found.iter().map(|told| (told.code, told.line, told.column)).collect();
    assert_eq!(told, [("L04", 1, 1), ("L05", 4, 3)]);
    assert!(found[0].file.ends_with("course.toml"), "{}", found[0].file);
}

/// A text of the sample, what is put for it, and the code and the text at the place of the
/// diagnostic, after the line's start.
#[rustfmt::skip]
const BROKEN: &[(&str, &str, &str, &str)] = &[
    ("matviz scene\nkernel = \"tiled_padded\"", "matviz sceen\nkernel = \"tiled_padded\"", "L02", "sceen"),
    ("tile = 32", "tiel = 32", "L02", "tiel"),
    ("<!-- time: 2 -->", "<!-- tiem: 2 -->", "L02", " tiem"),
    ("tile = 32", "tile = [[1]]", "L03", "[[1]]"),
    ("tile = 32", "tile = 99", "L03", "99"),
    ("tile = 32", "tile = \"16", "L03", ""),
    ("warp = [0, 2]", "warp = [0, 99]", "L03", "99"),
    ("warp = [0, 2]", "wrap = [0, 2]", "L03", "wrap"),
    ("tries = 3", "tries = 4", "L03", "4"),
    ("options = { a", "options = { one", "L03", "one"),
    ("tries = 3", "tries = \"3\"", "L03", "\"3\""),
    ("within = \"10 %\"", "within = \"10\"", "L03", "10"),
    ("order = \"to-barrier\"", "order = \"sideways\"", "L03", "\"sideways\""),
    ("look = [\"banks\", \"shared\"]", "look = [\"banks\", \"shard\"]", "L03", "shard"),
    ("sizes = [\"64\", \"60\"]", "sizes = [\"64\", \"0\"]", "L03", "0"),
    ("matviz ask padded-store", "matviz ask Padded", "L03", "Padded"),
    ("want = \"passes(store sA)\"\nwrong", "wrong", "L03", "```matviz ask padded-store"),
    ("# Padding", "Padding", "L04", "Padding"),
    ("```matviz lesson", "```matviz scene\nkernel = \"tiled\"\n```\n```matviz lesson", "L04", "```matviz scene"),
    ("- **b** two passes", "", "L04", "passes(store sA) == 2"),
    ("## Break it", "# Break it", "L04", "# Break it"),
    ("## Break it", "***\n## Break it", "L04", "***"),
    ("The store again", "<details><summary>x</summary>x</details>\n\nThe store again", "L04", "<details>"),
    ("kernel = \"kernels/dials.cu\"\ngrid", "kernel = \"../dials.cu\"\ngrid", "L05", "\"../dials.cu\""),
    ("kernel = \"kernels/dials.cu\"\ngrid", "kernel = \"/etc/passwd.cu\"\ngrid", "L05", "\"/etc/passwd.cu\""),
    ("kernel = \"kernels/dials.cu\"\ngrid", "kernel = \"kernels/none.cu\"\ngrid", "L05", "\"kernels/none.cu\""),
    ("kernel = \"tiled_padded\"", "kernel = \"tiled_paded\"", "L05", "\"tiled_paded\""),
    ("beside = \"tiled\"", "beside = \"tild\"", "L05", "tild"),
    ("wrong = [\"padding-helps\"]", "wrong = [\"padding-halps\"]", "L05", "padding-halps"),
    ("minutes = 6", "minutes = 6\nneeds = [\"nothing\"]", "L05", "nothing"),
    ("[models](models.md)", "[models](modles.md)", "L05", "[models]"),
    ("matviz ask which", "matviz ask padded-store", "L06", "padded-store"),
    ("The store again", "![a](a.png)", "L07", "![a]"),
    ("The store again", "<b>The</b> store again", "L08", "<b>"),
    ("The store again", "<div>\n\nThe store again", "L08", "<div>"),
    ("The store again", "> > > > > > > > > > > > > > > > > x", "L09", "> > >"),
    ("size = [\"48\", \"64\", \"80\"]", "size = [1,2,3,4,5,6,7,8,9,10,11], tile = [4,8,16,32]", "L09", "{ size"),
    ("minutes = 6", "minutes = 7", "L21", "7"),
    ("minutes = 6", "minutes = 51", "L21", "51"),
];

#[test]
fn each_mistake_is_found_at_its_line_and_column() {
    for (good, bad, code, at) in BROKEN {
        assert!(LESSON.contains(good), "{good}");
        let text = LESSON.replacen(good, bad, 1);
        let (_, found) = course(&text);
        let wanted = |told: &&Diagnostic| {
            let line = text.lines().nth(told.line as usize - 1).unwrap_or_default();
            let rest: String = line.chars().skip(told.column as usize - 1).collect();
            told.code == *code && rest.starts_with(at)
        };
        let told: Vec<_> = found.iter().map(Diagnostic::to_string).collect();
        assert!(found.iter().any(|told| wanted(&told)), "{bad}: {}", told.join("\n"));
    }
}

#[test]
fn a_complaint_names_the_line_the_column_and_the_word_that_was_meant() {
    let text = "# T\n\n```matviz lesson\nid = \"t\"\nminutes = 2\nneed = []\n```\n\n## P\n";
    let (_, found) = course(text);
    let [told] = found.as_slice() else { panic!("{found:?}") };
    let told = told.to_string();
    let drawn = "12-padding.md:6:1: error[L02]: there is no key `need` here\n 6 | need = []\n   | ^^^^\n   \
                 = did you mean `needs`?";
    assert!(told.ends_with(drawn), "{told}");
    assert_eq!(places("# T\n"), [("L04", 1, 1), ("L04", 1, 1)]);
}

#[test]
fn lessons_that_need_each_other_and_ideas_that_no_question_offers_are_found() {
    let lesson = |id: &str, rest: &str| {
        format!("# T\n```matviz lesson\nid = \"{id}\"\nminutes = 1\n{rest}\n```\n## P\n")
    };
    let (a, b) = (lesson("a", "needs = [\"b\"]"), lesson("b", "needs = [\"a\"]"));
    let c = lesson("a", "models = [\"padding-helps\"]");
    let (_, found) = read(folder(&[("1.md", &*a), ("2.md", &*b), ("3.md", &*c)]).path());
    let found: Vec<_> = found.iter().map(|told| (told.code, told.line, told.column)).collect();
    assert_eq!(found, [("L04", 5, 11), ("L04", 5, 11), ("L06", 1, 1), ("L04", 5, 12)]);
}

#[test]
fn too_many_pages_blocks_and_variants_are_refused() {
    let head = "# T\n```matviz lesson\nid = \"t\"\nminutes = 1\n```\n";
    let pages = format!("{head}{}", "## P\n\n".repeat(41));
    assert_eq!(places(&pages).pop().map(|told| (told.0, told.1)), Some(("L09", 86)));
    let scene = "```matviz scene\nkernel = \"tiled\"\n```\n";
    let blocks = format!("{head}## P\n{}", scene.repeat(64));
    assert_eq!(places(&blocks).pop().map(|told| told.0), Some("L09"));
    let scene = "```matviz scene\nkernel = \"tiled\"\nvary = { size = [1, 2, 3, 4, 5, 6, 7, 8], tile = [4, 8, 16, 32] }\n```\n";
    let variants = format!("{head}## P\n{}", scene.repeat(4));
    assert_eq!(places(&variants), [("L09", 19, 1)]);
}

#[test]
fn a_single_file_is_read_with_the_ideas_beside_it() {
    let folder = folder(&[("12-padding.md", LESSON)]);
    let path = folder.path().join("12-padding.md");
    let (course, found) = read(&path);
    assert_eq!(found, []);
    assert_eq!(course.lessons[0].number, 12);
    assert!(course.ideas[0].says == "A padded array has no conflicts.");
    assert_eq!(course.lessons[0].file, path.display().to_string());
}

/// One diagnostic, about the file as a whole, in well under a second.
fn refused(path: &Path) -> String {
    let begun = Instant::now();
    let (course, found) = read(path);
    assert!(course.lessons.is_empty());
    assert!(begun.elapsed() < Duration::from_secs(1), "{:?}", begun.elapsed());
    let [told] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(told.code, "L01");
    told.to_string()
}

#[test]
fn files_that_are_no_text_are_refused() {
    let folder = folder(&[("2-empty.md", "")]);
    let at = |name: &str| folder.path().join(name);
    fs::write(at("1.md"), b"# T\nab\xffc\n").expect("written");
    assert!(refused(&at("1.md")).contains("1.md:2:3: error[L01]: this is not UTF-8"));
    fs::write(at("3.md"), vec![b'x'; 10 << 20]).expect("written");
    assert!(refused(&at("3.md")).contains("larger than 256 KiB"));
    assert!(refused(&at("none.md")).contains("cannot be read"));
    assert!(!read(&at("2-empty.md")).1.is_empty());
}

#[cfg(unix)]
#[test]
fn pipes_devices_folders_and_links_that_leave_the_folder_are_refused() {
    use std::os::unix::fs::symlink;
    use std::process::Command;
    let outside = folder(&[("secret.cu", "int secret;")]);
    let folder = folder(&[]);
    let at = |name: &str| folder.path().join(name);
    let made = Command::new("mkfifo").args([at("4.md"), at("pipe.cu")]).status();
    assert!(made.expect("mkfifo runs").success());
    assert!(refused(&at("4.md")).contains("not an ordinary file"));
    assert!(refused(Path::new("/dev/zero")).contains("not an ordinary file"));
    symlink(outside.path(), at("out")).expect("a link");
    symlink(outside.path().join("secret.cu"), at("link.cu")).expect("a link");
    symlink(at("kernels/dials.cu"), at("inside.cu")).expect("a link");
    fs::create_dir(at("dir.cu")).expect("a folder");
    fs::write(at("bytes.cu"), b"\xff\xfe").expect("written");
    fs::write(at("large.cu"), vec![b'x'; (1 << 20) + 1]).expect("written");
    for (name, why) in [
        ("pipe.cu", "is not an ordinary file"),
        ("dir.cu", "is not an ordinary file"),
        ("out/secret.cu", "is a link that leaves"),
        ("link.cu", "is a link that leaves"),
        ("bytes.cu", "is not text"),
        ("large.cu", "is larger than 1024 KiB"),
        ("../x.cu", "is not a path below"),
        ("./inside.cu", "is not a path below"),
        ("inside.cu", ""),
    ] {
        let text = format!(
            "# T\n```matviz lesson\nid = \"t\"\nminutes = 1\n```\n## P\n```matviz scene\nkernel = \"{name}\"\n```\n"
        );
        fs::write(at("1.md"), text).expect("written");
        let told: Vec<_> =
            read(&at("1.md")).1.iter().map(|told| (told.code, told.message.clone())).collect();
        match told.as_slice() {
            [] => assert_eq!(why, "", "{name}"),
            [(code, told)] => {
                assert!(!why.is_empty() && *code == "L05" && told.contains(why), "{told}");
            }
            _ => panic!("{told:?}"),
        }
    }
}

#[test]
fn hostile_texts_are_answered_at_once() {
    let repeated = |text: &str| text.repeat((250 << 10) / text.len());
    let head = "# T\n```matviz lesson\nid = \"t\"\nminutes = 1\n```\n## P\n";
    let block = |body: String| format!("{head}```matviz scene\n{body}\n```\n");
    let texts = [
        ("quotes", "> ".repeat(10_000)),
        ("items", "- ".repeat(10_000)),
        ("backticks", "`".repeat(100_000)),
        ("a query of backticks", format!("{head}{}", repeated("`= ``"))),
        ("brackets", repeated("[")),
        ("links", repeated("[a](b) ")),
        ("images", repeated("![a](b) ")),
        ("stars", repeated("*a **b ")),
        ("tags", repeated("<div>\n\n")),
        ("comments", repeated("<!-- ")),
        ("details", repeated("<details><summary>")),
        ("headings", repeated("## a\n")),
        ("empty lines in a deep list", "- ".repeat(16) + &repeated("\n")),
        ("lists", repeated("- a\n  - b\n")),
        (
            "tables",
            format!("|{}\n|{}\n{}", "a|".repeat(500), "-|".repeat(500), "|a\n".repeat(80_000)),
        ),
        (
            "a wide table",
            format!("|{}|b|\n|-|-|\n{}", "a".repeat(100_000), "|c|d|\n".repeat(20_000)),
        ),
        ("references", repeated("[a]: b\n[a] ")),
        ("deep lists of TOML", block("tile = ".to_owned() + &"[".repeat(100_000))),
        ("deep tables of TOML", block("tile = ".to_owned() + &"{a=".repeat(60_000))),
        ("long keys of TOML", block("a.".repeat(100_000) + "a = 1")),
        (
            "keys of TOML",
            block((0..20_000).map(|key| format!("k{key} = 1\n")).collect::<Vec<_>>().concat()),
        ),
        ("long lists of TOML", block(format!("look = [{}]", "\"x\",".repeat(50_000)))),
        (
            "wide variants",
            block(format!(
                "vary = {{ size = [{}], warp = [{}] }}",
                "1,".repeat(40_000),
                "1,".repeat(40_000)
            )),
        ),
        ("nothing", repeated("\0")),
    ];
    for (what, text) in texts {
        let folder = folder(&[("1-hostile.md", &text)]);
        let begun = Instant::now();
        let (_, found) = read(&folder.path().join("1-hostile.md"));
        let took = begun.elapsed();
        assert!(!found.is_empty(), "{what}");
        assert!(found.iter().map(|told| told.to_string().len()).sum::<usize>() < 100_000, "{what}");
        // The tests run unoptimised, and several at a time.
        assert!(took < Duration::from_secs(5), "{what} took {took:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_mutated_lesson_ends_the_program(
        cuts in prop::collection::vec((any::<prop::sample::Index>(), 0_usize..12, "[-`=<>#*\\[\\]{}\"'\n a-zé|!&:]{0,6}"), 1..8),
        joined in any::<prop::sample::Index>(),
    ) {
        let mut text: Vec<char> = format!("{LESSON}\n{MODELS}").chars().collect();
        for (at, length, put) in cuts {
            let at = at.index(text.len());
            let end = (at + length).min(text.len());
            text.splice(at..end, put.chars());
        }
        text.rotate_left(joined.index(8));
        let text: String = text.into_iter().collect();
        let folder = super::Folder::Disk("none".into());
        let (draft, mut found) = super::lesson::read("a.md", 1, &text, &folder);
        found.extend(super::ideas::read("a.md", &text).1);
        found.extend(super::order::read("a.toml", &text, &["a"]).1);
        for told in found {
            prop_assert!(told.line >= 1 && told.column >= 1 && !told.to_string().is_empty());
        }
        for page in &draft.lesson.pages {
            prop_assert!(text.get(page.span.clone()).is_some());
            for span in &page.prose {
                prop_assert!(text.get(span.clone()).is_some());
            }
        }
    }
}
