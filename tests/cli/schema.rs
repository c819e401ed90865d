//! Checks JSON against a JSON Schema: the keywords that `matviz generate schema` uses, and no others; and
//! that the JSON has no key that the schema does not describe, which a schema itself lets through: who
//! validates with it is not to be stopped by the next version.

#![expect(clippy::panic, reason = "a schema that cannot be read fails the test")]

use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// What is wrong with a value, each with its place; empty if it is as the schema says.
///
/// # Panics
/// The schema has a keyword that is not known here.
pub(crate) fn complaints(schema: &Value, value: &Value) -> Vec<String> {
    checked(schema, value).0
}

/// What is wrong with a value, and the keys of the schema that it has, each as the way through the
/// schema.
pub(crate) fn checked(schema: &Value, value: &Value) -> (Vec<String>, BTreeSet<String>) {
    let (mut found, mut met) = (Vec::new(), BTreeSet::new());
    Checker { root: schema, found: &mut found, met: &mut met }.check(schema, value, ("", ""));
    (found, met)
}

struct Checker<'a> {
    root: &'a Value,
    found: &'a mut Vec<String>,
    met: &'a mut BTreeSet<String>,
}

/// Keywords that check nothing.
const NOTES: [&str; 5] = ["$schema", "$id", "$defs", "title", "description"];

impl Checker<'_> {
    /// `at` is the place in the value, `way` that in the schema.
    fn check(&mut self, schema: &Value, value: &Value, (at, way): (&str, &str)) {
        let rules = schema.as_object().expect("a schema is an object");
        for (keyword, rule) in rules {
            match keyword.as_str() {
                note if NOTES.contains(&note) => {}
                "$ref" => {
                    let path = rule.as_str().and_then(|path| path.strip_prefix('#'));
                    let target = self.root.pointer(path.expect("a path")).expect("it is defined");
                    let name = rule.as_str().and_then(|path| path.rsplit('/').next());
                    self.check(
                        &target.clone(),
                        value,
                        (at, &format!("#{}", name.expect("a name"))),
                    );
                }
                "type" => self.of_type(rule, value, at),
                "const" => self.holds(rule == value, at, &format!("{value} is not {rule}")),
                "minimum" => {
                    let is_less =
                        value.as_f64().zip(rule.as_f64()).is_some_and(|(is, least)| is < least);
                    self.holds(!is_less, at, &format!("{value} is less than {rule}"));
                }
                "enum" => {
                    let known = rule.as_array().expect("a list").contains(value);
                    self.holds(known, at, &format!("{value} is none of {rule}"));
                }
                "anyOf" => self.any_of(rule.as_array().expect("a list"), value, (at, way)),
                "items" => {
                    for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                        self.check(rule, item, (&format!("{at}[{index}]"), way));
                    }
                }
                "properties" | "required" | "additionalProperties" => {}
                other => panic!("the keyword `{other}` is not known to this test"),
            }
        }
        if let Some(value) = value.as_object() {
            self.object(rules, value, (at, way));
        }
    }

    fn object(
        &mut self,
        rules: &Map<String, Value>,
        value: &Map<String, Value>,
        (at, way): (&str, &str),
    ) {
        for name in rules.get("required").and_then(Value::as_array).into_iter().flatten() {
            let name = name.as_str().expect("a name");
            self.holds(value.contains_key(name), at, &format!("`{name}` is missing"));
        }
        let known = rules.get("properties").and_then(Value::as_object);
        for (name, value) in value {
            let at = format!("{at}.{name}");
            let has = known.is_some_and(|known| known.contains_key(name));
            let way = if has { format!("{way}.{name}") } else { way.to_owned() };
            if has {
                self.met.insert(way.clone());
            }
            match (known.and_then(|known| known.get(name)), rules.get("additionalProperties")) {
                (Some(rule), _) | (None, Some(rule @ Value::Object(_))) => {
                    self.check(rule, value, (&at, &way));
                }
                (None, None) if known.is_some() => self.holds(false, &at, "is not in the schema"),
                (None, _) => {}
            }
        }
    }

    fn any_of(&mut self, rules: &[Value], value: &Value, (at, way): (&str, &str)) {
        let each = rules.iter().enumerate().map(|(number, rule)| {
            let (mut found, mut met) = (Vec::new(), BTreeSet::new());
            let way = format!("{way}|{number}");
            let mut checker = Checker { root: self.root, found: &mut found, met: &mut met };
            checker.check(rule, value, (at, &way));
            (found, met)
        });
        let (found, met) = each.min_by_key(|(found, _)| found.len()).expect("one or more");
        self.found.extend(found);
        self.met.extend(met);
    }

    fn of_type(&mut self, rule: &Value, value: &Value, at: &str) {
        let is = |name: &str| match name {
            "null" => value.is_null(),
            "boolean" => value.is_boolean(),
            "integer" => value.is_i64() || value.is_u64(),
            "number" => value.is_number(),
            "string" => value.is_string(),
            "array" => value.is_array(),
            "object" => value.is_object(),
            other => panic!("the type `{other}` is not known to this test"),
        };
        let names = match rule {
            Value::Array(names) => names.clone(),
            one => vec![one.clone()],
        };
        let fits = names.iter().any(|name| is(name.as_str().expect("a name")));
        self.holds(fits, at, &format!("{value} is not of type {rule}"));
    }

    fn holds(&mut self, holds: bool, at: &str, told: &str) {
        if !holds {
            self.found.push(format!("{}: {told}", if at.is_empty() { "." } else { at }));
        }
    }
}
