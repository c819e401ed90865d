//! A check as one HTML page: the verdict, what was found, the counts, a picture, and the source with
//! what was found beside its lines. It needs nothing but itself.

use super::located::LocatedFinding;
use super::{SimReport, heading, verdict};
use crate::report::figures::{self, Row};
use crate::report::number::{Count, grouped};
use std::fmt::Write;

/// How the page looks, in a light and in a dark browser.
const STYLE: &str = "\
:root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;max-width:68rem;margin:2rem auto;\
padding:0 1rem}pre,code,table{font-family:ui-monospace,Menlo,Consolas,monospace;font-size:13px}\
.verdict{white-space:pre-wrap;font-family:ui-monospace,monospace;padding:.6rem 1rem;border-left:.4rem solid}\
.good{border-color:#2a8}.bad{border-color:#d33}td{padding:0 1rem 0 0}td+td,th+th{text-align:right}\
.source{overflow-x:auto;font-family:ui-monospace,Menlo,Consolas,monospace;font-size:13px}.source div{white-space:pre}.source i{font-style:normal;opacity:.5;\
user-select:none}.source .error,.source .warning{white-space:normal;padding:.1rem .6rem;margin:.1rem 0 .1rem 3rem;\
border-left:.3rem solid}.error{border-color:#d33}.warning{border-color:#c80}figure{margin:1rem 0}\
figure svg{max-width:100%;height:auto}";

/// What stands in the page beside the result.
#[derive(Clone, Copy, Debug)]
pub struct PageParts<'a> {
    /// The name of the file.
    pub file: &'a str,
    pub source: &'a str,
    /// The screen at the first finding, as SVG, and what it says there.
    pub picture: &'a str,
    pub caption: &'a str,
    pub version: &'a str,
}

impl SimReport {
    /// The page.
    pub fn html(&self, parts: &PageParts<'_>) -> String {
        let found = self.located(parts.file);
        let heading = heading(self);
        let title = escaped(heading.lines().next().unwrap_or_default());
        let class = if self.is_right() { "good" } else { "bad" };
        let mut page = format!(
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
             <meta name=\"viewport\" content=\"width=device-width\">\n<title>matviz: {title}</title>\n\
             <style>{STYLE}</style></head><body>\n<h1>{title}</h1>\n\
             <p>{}</p>\n<p class=\"verdict {class}\">{}</p>\n",
            escaped(heading.split_once('\n').map_or("", |(_, rest)| rest)),
            escaped(verdict(self).trim())
        );
        let errors = self.findings.len() as u64;
        if errors > 0 {
            let _ = writeln!(
                page,
                "<p class=\"verdict bad\">The checks find {}</p>",
                Count(errors, "error")
            );
        }
        listed(&mut page, &found, parts.file);
        let _ = writeln!(
            page,
            "<h2>The run of a block</h2>\n<figure>{}<figcaption>{}</figcaption></figure>",
            parts.picture,
            escaped(parts.caption)
        );
        self.counts(&mut page);
        source(&mut page, &found, parts);
        let _ =
            writeln!(page, "<p>matviz {}. Nothing is loaded from a network.</p>", parts.version);
        page.push_str("</body></html>\n");
        page
    }

    fn counts(&self, page: &mut String) {
        page.push_str(
            "<h2>Counts, simulated</h2>\n<table><tr><th></th><th>PTX</th><th>SASS</th></tr>\n",
        );
        for Row { label, ptx, sass } in figures::rows(&self.ptx) {
            let sass = sass.map_or_else(|| "-".to_owned(), |sass| sass.to_string());
            let (label, ptx) = (escaped(label), grouped(ptx));
            let _ = writeln!(page, "<tr><td>{label}</td><td>{ptx}</td><td>{sass}</td></tr>");
        }
        page.push_str("</table>\n");
    }
}

/// What was found, each with a link to its line.
fn listed(page: &mut String, found: &[LocatedFinding], file: &str) {
    let what = if found.is_empty() { "Nothing was found" } else { "What was found" };
    let _ = writeln!(page, "<h2>{what}</h2>\n<ul>");
    for LocatedFinding { path, line, kind, message, .. } in found {
        let place = format!("{}:{line}", escaped(path));
        let place = if path == file { format!("<a href=\"#L{line}\">{place}</a>") } else { place };
        let _ = writeln!(page, "<li>{place}: <b>{kind}</b>: {}</li>", escaped(message));
    }
    page.push_str("</ul>\n");
}

/// The source, with what was found below its lines.
fn source(page: &mut String, found: &[LocatedFinding], parts: &PageParts<'_>) {
    let file = escaped(parts.file);
    let _ = writeln!(page, "<h2>{file}</h2>\n<div class=\"source\">");
    for (number, text) in (1..).zip(parts.source.lines()) {
        let _ = writeln!(page, "<div id=\"L{number}\"><i>{number:>4}</i>  {}</div>", escaped(text));
        for found in found.iter().filter(|found| found.path == parts.file && found.line == number) {
            let (level, message) = (found.level(), escaped(&found.message));
            let _ = writeln!(page, "<div class=\"{level}\">{}: {message}</div>", found.kind);
        }
    }
    page.push_str("</div>\n");
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
