//! Grades as text, CSV, JUnit XML and Gradescope's `results.json`.

use crate::lesson::exercise::Exercise;
use crate::lesson::exercise::grade::{Grade, GradedPart};
use crate::report::csv as csv_text;
use crate::report::number::Count;
use serde::Serialize;
use std::fmt::Write;

#[derive(Serialize)]
pub(super) struct GradesReport<'g> {
    grades: &'g [Grade],
}

impl<'g> GradesReport<'g> {
    pub(super) const fn new(grades: &'g [Grade]) -> Self {
        Self { grades }
    }
}

/// Of one submission each part; of several a line each.
pub(super) fn text(exercise: &Exercise, grades: &[Grade]) -> String {
    let mut text = String::new();
    if let [grade] = grades {
        let Grade { file, points, of, .. } = grade;
        let _ = writeln!(text, "{file}, {}: {points} of {of} points\n", exercise.name);
        let name = widest(grade.parts.iter().map(|part| &*part.name));
        for part in &grade.parts {
            let GradedPart { name: what, points, of, told, .. } = part;
            // What is said of source code has lines.
            let told = told.replace('\n', &format!("\n{:indent$}", "", indent = name + 13));
            let _ = writeln!(text, "  {what:<name$}  {points:>2} of {of:<2}  {told}");
        }
        return text;
    }
    let name = widest(grades.iter().map(|grade| &*grade.file));
    for Grade { file, points, of, fails, .. } in grades {
        let fails = fails.as_ref().map_or_else(String::new, |fails| format!("fails {fails} first"));
        let line = format!("{file:<name$}  {points:>3} of {of}  {fails}");
        let _ = writeln!(text, "{}", line.trim_end());
    }
    let all = grades.iter().filter(|grade| grade.fails.is_none()).count();
    let count = Count(grades.len() as u64, "submission");
    let _ = writeln!(text, "\n{count} to {}, {all} with all points", exercise.name);
    text
}

fn widest<'t>(texts: impl Iterator<Item = &'t str>) -> usize {
    texts.map(|text| text.chars().count()).max().unwrap_or(0)
}

/// A row for each submission, with the points of each part.
pub(super) fn csv(grades: &[Grade]) -> String {
    let parts = grades.first().map(|grade| &grade.parts[..]).unwrap_or_default();
    let name = |part: &GradedPart| part.name.clone();
    let head = ["file", "assignment", "points", "of", "fails"].map(str::to_owned);
    let head = head.into_iter().chain(parts.iter().map(name)).collect();
    let row = |grade: &Grade| {
        let Grade { file, assignment, points, of, fails, parts } = grade;
        let fails = fails.clone().unwrap_or_default();
        let own = [file.clone(), assignment.clone(), points.to_string(), of.to_string(), fails];
        own.into_iter().chain(parts.iter().map(|part| part.points.to_string())).collect()
    };
    csv_text::text(head, grades.iter().map(row))
}

/// A suite for each submission, with a case for each part.
pub(super) fn junit(grades: &[Grade]) -> String {
    let cases = |grade: &Grade| (grade.parts.len(), failures(grade));
    let all = grades.iter().map(cases);
    let (tests, failed) = all.fold((0, 0), |sum, each| (sum.0 + each.0, sum.1 + each.1));
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <testsuites name=\"matviz\" tests=\"{tests}\" failures=\"{failed}\">\n"
    );
    for grade in grades {
        let (tests, failed) = cases(grade);
        let file = attribute(&grade.file);
        let _ = writeln!(
            text,
            "  <testsuite name=\"{file}\" tests=\"{tests}\" failures=\"{failed}\" errors=\"0\" \
             skipped=\"0\">"
        );
        for GradedPart { name, passed, told, .. } in &grade.parts {
            let (class, name) = (attribute(&grade.assignment), attribute(name));
            let _ = write!(text, "    <testcase classname=\"{class}\" name=\"{name}\"");
            let _ = if *passed {
                writeln!(text, "/>")
            } else {
                writeln!(text, "><failure message=\"{}\"/></testcase>", attribute(told))
            };
        }
        text.push_str("  </testsuite>\n");
    }
    text + "</testsuites>\n"
}

fn failures(grade: &Grade) -> usize {
    grade.parts.iter().filter(|part| !part.passed).count()
}

/// A text as the value of an attribute in XML, in which a line's end would be a blank.
fn attribute(text: &str) -> String {
    let replaced =
        [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\"", "&quot;"), ("\n", "&#10;")];
    replaced.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}

/// What Gradescope reads from `/autograder/results/results.json`.
#[derive(Serialize)]
struct GradescopeResults<'g> {
    score: u32,
    output: String,
    stdout_visibility: &'static str,
    tests: Vec<GradescopeTest<'g>>,
}

#[derive(Serialize)]
struct GradescopeTest<'g> {
    name: &'g str,
    score: u32,
    max_score: u32,
    status: &'static str,
    output: &'g str,
    visibility: &'static str,
}

impl<'g> GradescopeTest<'g> {
    fn of(part: &'g GradedPart) -> Self {
        Self {
            name: &part.name,
            score: part.points,
            max_score: part.of,
            status: if part.passed { "passed" } else { "failed" },
            output: &part.told,
            visibility: if part.hidden { "after_due_date" } else { "visible" },
        }
    }
}

/// The result of one submission.
pub(super) fn gradescope(grades: &[Grade]) -> serde_json::Result<String> {
    let result = grades.first().map(|grade| GradescopeResults {
        score: grade.points,
        output: format!("{}: {} of {} points", grade.assignment, grade.points, grade.of),
        stdout_visibility: "hidden",
        tests: grade.parts.iter().map(GradescopeTest::of).collect(),
    });
    Ok(serde_json::to_string_pretty(&result)? + "\n")
}
