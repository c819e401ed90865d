//! The dials of a source: where they stand, and in how many of their settings something holds. Each
//! setting is compiled and simulated.

use super::asked::count;
use crate::lesson::answer::{Answer, Value};
use crate::lesson::dials::{Dial, Dials};
use crate::lesson::expr::{Bindings, EvalContext, QueryCall, QueryExpr};
use crate::lesson::nearest::nearest;
use crate::lesson::query_error::QueryError;
use crate::lesson::setting::{KernelFrom, Setting};
use crate::lesson::setting_runs::SettingCache;
use crate::lesson::target::View;
use crate::work::{WorkToken, on_all_cores};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

type Result<T> = std::result::Result<T, QueryError>;

/// What was counted, so that it is counted once.
static COUNTED: Mutex<Vec<Arc<SettingCount>>> = Mutex::new(Vec::new());

/// The settings of the scene that was counted last: the next count is mostly of the same ones.
static LAST: Mutex<Option<Arc<DialSweep>>> = Mutex::new(None);

/// A scene with its dials in every setting, each with its runs.
struct DialSweep {
    scene: Setting,
    settings: Vec<(Setting, SettingCache)>,
}

/// A count: of what, in which scene.
struct SettingCount {
    scene: Setting,
    /// The expression as it was read.
    text: String,
    holds: QueryExpr,
    settings: OnceLock<Result<usize>>,
}

pub(super) fn settings(asked: &QueryCall<'_>) -> Result<Answer> {
    let counted = known(&asked.setting, asked.value(0)?);
    let settings = counted.settings.get_or_init(|| counted.count()).clone()?;
    Ok(Answer { view: Some(View::Source), ..Answer::simulated(count(settings)) })
}

/// Where a dial stands that the scene sets; of others, any choice is meant.
pub(super) fn dial(asked: &QueryCall<'_>) -> Result<Answer> {
    let (name, span) = asked.name(0).unwrap_or_default();
    let dials = dials(&asked.setting)?.dials;
    let dial = dials.iter().find(|dial| dial.name == name).ok_or_else(|| {
        let meant = nearest(name, dials.iter().map(|dial| &*dial.name));
        let hint = meant.map_or_else(String::new, |meant| format!(": did you mean `{meant}`?"));
        QueryError::at(span, format!("there is no dial `{name}`{hint}"))
    })?;
    let chosen = define(&asked.setting, dial).and_then(|choice| dial.choices.get(choice));
    Ok(Answer::simulated(Value::Name(chosen.cloned().unwrap_or_else(|| "any".to_owned()))))
}

/// The number of the choice that a scene's macros make.
fn define(scene: &Setting, dial: &Dial) -> Option<usize> {
    let defines = scene.defines.iter().filter_map(|define| define.split_once('='));
    let own = defines.filter(|(name, _)| *name == dial.name);
    own.filter_map(|(_, choice)| choice.parse().ok()).next_back()
}

/// The dials of a scene's source.
fn dials(scene: &Setting) -> Result<Dials> {
    let KernelFrom::File { name, text } = &scene.kernel else {
        return Err(QueryError::new("only the kernel of a file has dials"));
    };
    Dials::read(name, text).map_err(|why| QueryError::new(why.to_string()))
}

/// The count of something in a scene, perhaps made before. Whoever asks while it is being made waits.
fn known(scene: &Setting, holds: &QueryExpr) -> Arc<SettingCount> {
    let mut all = COUNTED.lock().unwrap_or_else(PoisonError::into_inner);
    let text = format!("{holds:?}");
    let found = all.iter().find(|other| other.scene == *scene && other.text == text);
    if let Some(found) = found {
        return Arc::clone(found);
    }
    let settings = OnceLock::new();
    let new = Arc::new(SettingCount { scene: scene.clone(), text, holds: holds.clone(), settings });
    all.push(Arc::clone(&new));
    new
}

impl SettingCount {
    fn count(&self) -> Result<usize> {
        let turned = DialSweep::of(&self.scene)?;
        let token = WorkToken::default();
        let each = on_all_cores(&turned.settings, (&token, "setting"), |(setting, cache)| {
            let given = Bindings::default();
            let answer = EvalContext { cache, setting, given: &given }.evaluate(&self.holds)?;
            let none = || QueryError::new("`settings` counts where something holds");
            Ok(answer.value.number().ok_or_else(none)? != 0.0)
        });
        let each: Vec<_> = each.into_iter().collect::<Result<_>>()?;
        Ok(each.into_iter().filter(|holds| *holds).count())
    }
}

impl DialSweep {
    fn of(scene: &Setting) -> Result<Arc<Self>> {
        let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(same) = last.as_ref().filter(|last| last.scene == *scene) {
            return Ok(Arc::clone(same));
        }
        let settings = turned(scene)?.into_iter().map(|setting| (setting, SettingCache::new()));
        let new = Arc::new(Self { scene: scene.clone(), settings: settings.collect() });
        *last = Some(Arc::clone(&new));
        Ok(new)
    }
}

/// The scene with its dials in every setting, but for those whose macro it sets itself.
fn turned(scene: &Setting) -> Result<Vec<Setting>> {
    let dials = dials(scene)?;
    let fixed: Vec<_> = dials.dials.iter().map(|dial| define(scene, dial).is_some()).collect();
    let open =
        |at: &Vec<usize>| at.iter().zip(&fixed).all(|(choice, fixed)| !fixed || *choice == 0);
    let settings = dials.all().into_iter().filter(open).map(|at| {
        let turned = dials.defines(&at).into_iter().zip(&fixed).filter(|(_, fixed)| !**fixed);
        let defines = scene.defines.iter().cloned().chain(turned.map(|(define, _)| define));
        Setting { defines: defines.collect(), ..scene.clone() }
    });
    Ok(settings.collect())
}
