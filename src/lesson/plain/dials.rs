//! Dials in lines of text.

use super::wrap::{WIDTH, wrapped};
use super::{PlainLesson, paragraph};
use crate::lesson::judged::Judged;
use crate::lesson::session::OpenDials;
use crate::report::number::grouped;
use std::io::{self, Write};

impl<W: Write> PlainLesson<'_, W> {
    /// Prints the dials' setting, its effect, and the commands.
    pub(super) fn dials(&mut self, turning: &OpenDials) -> io::Result<()> {
        let mut lines = vec![String::new()];
        for (dial, at) in turning.dials.dials.iter().zip(&turning.at) {
            let mark = |(index, choice): (usize, &String)| {
                if index == *at { format!("[{choice}]") } else { choice.clone() }
            };
            let choices: Vec<_> = dial.choices.iter().enumerate().map(mark).collect();
            lines.push(format!("  {:<10}{}: {}", dial.name, dial.title, choices.join("  ")));
        }
        lines.push(String::new());
        match &turning.judged {
            Ok(judged) => {
                lines.extend(judged.iter().map(judged_text));
                let size = turning.sizes.first().copied();
                let cache = self.session.cache();
                let asked = size.map(|size| turning.asked(&turning.at, size, cache));
                let asked = asked.into_iter().flatten();
                lines.extend(asked.map(|(what, is)| format!("    {what}: {is}")));
            }
            Err(why) => lines.extend(why.to_string().lines().map(str::to_owned)),
        }
        if let Some(said) = &turning.said {
            lines.push(String::new());
            lines.extend(wrapped(said, WIDTH));
        }
        self.write(&lines)?;
        let name = turning.dials.dials.first().map_or("NAME", |dial| &dial.name);
        let choice = turning.dials.dials.first().and_then(|dial| dial.choices.last());
        let example = format!("{name}={}", choice.map(String::as_str).unwrap_or_default());
        self.paras(&[paragraph(format!(
            "Turn a dial, for example {example}; y: this is the one. An empty line goes on, q leaves."
        ))])
    }
}

/// `at 64: C right, 2 findings, 4,096 sectors loaded, 3,584 bank conflicts`
fn judged_text(judged: &Judged) -> String {
    let c = if judged.right { "C right" } else { "C WRONG" };
    let findings = match judged.findings.len() {
        0 => "no finding".to_owned(),
        1 => "1 finding".to_owned(),
        several => format!("{several} findings"),
    };
    let [sectors, conflicts] = [judged.load_sectors, judged.conflicts].map(grouped);
    format!(
        "  at {}: {c}, {findings}, {sectors} sectors loaded, {conflicts} bank conflicts",
        judged.size
    )
}
