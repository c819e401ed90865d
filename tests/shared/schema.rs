//! Checks JSON against a JSON Schema: the keywords that `matviz schema` uses, and no others.

use serde_json::{Map, Value};

/// What is wrong with a value, each with its place; empty if it is as the schema says.
///
/// # Panics
/// The schema has a keyword that is not known here.
pub(crate) fn complaints(schema: &Value, value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    Checker { root: schema, found: &mut found }.check(schema, value, "");
    found
}

struct Checker<'a> {
    root: &'a Value,
    found: &'a mut Vec<String>,
}

/// Keywords that check nothing.
const NOTES: [&str; 4] = ["$schema", "$defs", "title", "description"];

impl Checker<'_> {
    fn check(&mut self, schema: &Value, value: &Value, at: &str) {
        let rules = schema.as_object().expect("a schema is an object");
        for (keyword, rule) in rules {
            match keyword.as_str() {
                note if NOTES.contains(&note) => {}
                "$ref" => {
                    let path = rule.as_str().and_then(|path| path.strip_prefix('#'));
                    let target = self.root.pointer(path.expect("a path")).expect("it is defined");
                    self.check(&target.clone(), value, at);
                }
                "type" => self.of_type(rule, value, at),
                "const" => self.holds(rule == value, at, &format!("{value} is not {rule}")),
                "enum" => {
                    let known = rule.as_array().expect("a list").contains(value);
                    self.holds(known, at, &format!("{value} is none of {rule}"));
                }
                "anyOf" => self.any_of(rule.as_array().expect("a list"), value, at),
                "items" => {
                    for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                        self.check(rule, item, &format!("{at}[{index}]"));
                    }
                }
                "properties" | "required" | "additionalProperties" => {}
                other => panic!("the keyword `{other}` is not known to this test"),
            }
        }
        if let Some(value) = value.as_object() {
            self.object(rules, value, at);
        }
    }

    fn object(&mut self, rules: &Map<String, Value>, value: &Map<String, Value>, at: &str) {
        for name in rules.get("required").and_then(Value::as_array).into_iter().flatten() {
            let name = name.as_str().expect("a name");
            self.holds(value.contains_key(name), at, &format!("`{name}` is missing"));
        }
        let known = rules.get("properties").and_then(Value::as_object);
        for (name, value) in value {
            let at = format!("{at}.{name}");
            match (known.and_then(|known| known.get(name)), rules.get("additionalProperties")) {
                (Some(rule), _) | (None, Some(rule @ Value::Object(_))) => {
                    self.check(rule, value, &at);
                }
                (None, Some(Value::Bool(false))) => self.holds(false, &at, "is not in the schema"),
                (None, _) => {}
            }
        }
    }

    fn any_of(&mut self, rules: &[Value], value: &Value, at: &str) {
        let each = rules.iter().map(|rule| {
            let mut found = Vec::new();
            Checker { root: self.root, found: &mut found }.check(rule, value, at);
            found
        });
        let least = each.min_by_key(Vec::len).expect("one or more");
        self.found.extend(least);
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
