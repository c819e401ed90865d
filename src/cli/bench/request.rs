//! What a measurement is asked for.

use super::args::{Args, BenchSubjects};
use crate::cli::form::{self, OutputForm};
use crate::cli::{BadUse, user_kernel};

/// What a run is asked for.
pub(super) struct BenchRequest<'a> {
    pub(super) args: &'a Args,
    pub(super) subjects: BenchSubjects,
    /// How the kernel of one's own is launched.
    pub(super) own: user_kernel::Args,
    pub(super) form: OutputForm,
}

impl<'a> BenchRequest<'a> {
    pub(super) fn of(args: &'a Args) -> Result<Self, BadUse> {
        let form = args.form.one_of(form::of_command("bench"))?;
        let subjects = args.subjects()?;
        let own = args.foreign.of(subjects.own.clone());
        Ok(Self { args, subjects, own, form })
    }

    pub(super) fn is_json(&self) -> bool {
        self.form == OutputForm::Json
    }
}
