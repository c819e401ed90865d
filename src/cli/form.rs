//! The form of a result: `--format`, `--json`, or the ending of the file of `--output`.

use super::names::NameParser;
use super::{BadUse, output};
use std::path::Path;

/// The form in which a result is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OutputForm {
    Text,
    /// `file:line:column: warning: text`, as compilers tell it.
    Short,
    Json,
    Sarif,
    Csv,
    Svg,
    /// A page with the source and a picture.
    Html,
    /// A recording for asciinema.
    Cast,
    Markdown,
    /// Test results in XML, as JUnit writes them.
    Junit,
    /// The results.json of Gradescope.
    Gradescope,
}

/// The forms, each with its name and the ending of its files.
const FORMS: &[(OutputForm, &str, &str)] = &[
    (OutputForm::Text, "text", "txt"),
    (OutputForm::Short, "short", ""),
    (OutputForm::Json, "json", "json"),
    (OutputForm::Sarif, "sarif", "sarif"),
    (OutputForm::Csv, "csv", "csv"),
    (OutputForm::Svg, "svg", "svg"),
    (OutputForm::Html, "html", "html"),
    (OutputForm::Cast, "cast", "cast"),
    (OutputForm::Markdown, "markdown", "md"),
    (OutputForm::Junit, "junit", "xml"),
    (OutputForm::Gradescope, "gradescope", ""),
];

/// The forms that each command has; the screen is the empty name.
const OF_COMMANDS: &[(&str, &[OutputForm])] = &[
    ("", &[OutputForm::Text]),
    (
        "check",
        &[
            OutputForm::Text,
            OutputForm::Short,
            OutputForm::Json,
            OutputForm::Sarif,
            OutputForm::Html,
        ],
    ),
    ("bench", &[OutputForm::Text, OutputForm::Json, OutputForm::Csv]),
    (
        "export",
        &[OutputForm::Text, OutputForm::Json, OutputForm::Csv, OutputForm::Svg, OutputForm::Cast],
    ),
    (
        "course grade",
        &[
            OutputForm::Text,
            OutputForm::Json,
            OutputForm::Csv,
            OutputForm::Junit,
            OutputForm::Gradescope,
        ],
    ),
    ("course class", &[OutputForm::Text, OutputForm::Csv, OutputForm::Markdown]),
    ("learn", &[OutputForm::Text, OutputForm::Json, OutputForm::Csv, OutputForm::Markdown]),
];

/// The form that is wanted.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
#[group(skip)]
pub(super) struct FormArgs {
    /// Form of the result [default: by the ending of --output, else text]
    #[arg(long, value_name = "FORM", value_parser = FORM, hide_possible_values = true)]
    format: Option<OutputForm>,
    /// The same as --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

const FORM: NameParser<OutputForm> = NameParser {
    of: || FORMS.iter().map(|(_, name, _)| (*name, "")).collect(),
    parse: |text| {
        let found = FORMS.iter().find(|(_, name, _)| *name == text);
        let names: Vec<_> = FORMS.iter().map(|(_, name, _)| *name).collect();
        found
            .map(|(form, ..)| *form)
            .ok_or_else(|| BadUse(format!("give one of {}", names.join(", "))))
    },
};

impl FormArgs {
    /// The form that is asked for, by an option or by the ending of `--output`.
    pub(super) fn asked(self) -> Option<OutputForm> {
        let json = self.json.then_some(OutputForm::Json);
        self.format.or(json).or_else(|| output::output().and_then(of_ending))
    }

    /// The form for a command that has these; text if nothing else is asked for.
    ///
    /// # Errors
    /// It has no such form.
    pub(super) fn one_of(self, known: &[OutputForm]) -> Result<OutputForm, BadUse> {
        let form = match self.asked() {
            Some(form) if known.contains(&form) => form,
            // An ending that says nothing here.
            Some(_) | None if self.format.is_none() && !self.json => OutputForm::Text,
            Some(form) => {
                let told = format!("--format {}: this has {}", form.name(), names(known));
                return Err(BadUse(told));
            }
            None => OutputForm::Text,
        };
        Ok(form)
    }

    /// Whether the result is JSON.
    ///
    /// # Errors
    /// Another form than text or JSON is asked for.
    pub(super) fn is_json(self) -> Result<bool, BadUse> {
        self.one_of(&[OutputForm::Text, OutputForm::Json]).map(|form| form == OutputForm::Json)
    }

    /// Whether an option asks for any.
    pub(super) const fn is_given(self) -> bool {
        self.format.is_some() || self.json
    }
}

/// The form that a file's ending says.
pub(super) fn of_ending(file: &Path) -> Option<OutputForm> {
    let ending = file.extension()?.to_str()?;
    FORMS.iter().find(|(.., own)| *own == ending).map(|(form, ..)| *form)
}

/// The forms of a command.
pub(super) fn of_command(command: &str) -> &'static [OutputForm] {
    let own = OF_COMMANDS.iter().find(|(name, _)| *name == command).map(|(_, forms)| *forms);
    own.unwrap_or(&[OutputForm::Text, OutputForm::Json])
}

/// The names of some forms, for help and errors.
pub(super) fn names(forms: &[OutputForm]) -> String {
    forms.iter().map(|form| form.name()).collect::<Vec<_>>().join(", ")
}

impl OutputForm {
    fn name(self) -> &'static str {
        FORMS.iter().find(|(form, ..)| *form == self).map_or("", |(_, name, _)| name)
    }
}
