//! Schemas of our types in the words that `utoipa` has for them.
//!
//! `schemars` makes the schemas, as it does for the tools of MCP; `utoipa` keeps the document, and knows fewer keywords.

use schemars::transform::{RecursiveTransform, Transform as _};
use serde_json::{Map, Value as Json, json};
use utoipa::openapi::{RefOr, Schema};

/// A schema as the document keeps it.
pub(super) fn described(schema: Json) -> RefOr<Schema> {
    serde_json::from_value(reworded(schema)).expect("types of the API have schemas that the document can hold")
}

/// The same schema with the keywords that the document knows.
fn reworded(schema: Json) -> Json {
    let mut schema = schemars::Schema::try_from(schema).expect("a schema is an object");
    RecursiveTransform(|schema: &mut schemars::Schema| {
        if let Some(fields) = schema.as_object_mut() {
            reword(fields);
        }
    })
    .transform(&mut schema);
    schema.into()
}

fn reword(fields: &mut Map<String, Json>) {
    if let Some(only) = fields.remove("const") {
        fields.insert("enum".to_owned(), json!([only]));
    }
    if let Some(Json::Object(patterns)) = fields.get("patternProperties")
        && let [(pattern, value)] = patterns.iter().collect::<Vec<_>>()[..]
    {
        let (names, value) = (json!({ "type": "string", "pattern": pattern }), value.clone());
        fields.remove("patternProperties");
        if !fields.contains_key("properties") {
            fields.insert("propertyNames".to_owned(), names);
        }
        fields.insert("additionalProperties".to_owned(), value);
    }
    // A tuple is as long as `maxItems` says; generators want a type for its items all the same.
    if let (Some(Json::Array(parts)), false) = (fields.get("prefixItems"), fields.contains_key("items")) {
        let mut parts = parts.clone();
        parts.dedup();
        let items = if parts.len() == 1 { parts.remove(0) } else { json!({ "anyOf": parts }) };
        fields.insert("items".to_owned(), items);
    }
    // It means that the field may be left out, which `required` says too.
    if fields.get("default").is_some_and(Json::is_null) {
        fields.remove("default");
    }
}

/// A schema of a value that is there, where it may be left out.
pub(super) fn without_null(schema: &mut Json) {
    let Some(fields) = schema.as_object_mut() else { return };
    fields.remove("default");
    if let Some(Json::Array(kinds)) = fields.get_mut("type") {
        kinds.retain(|kind| kind != "null");
        if let [kind] = kinds.as_slice() {
            let kind = kind.clone();
            fields.insert("type".to_owned(), kind);
        }
    }
    if let Some(Json::Array(choices)) = fields.get_mut("anyOf") {
        choices.retain(|choice| choice.get("type") != Some(&json!("null")));
        if let [Json::Object(only)] = choices.as_slice() {
            let only = only.clone();
            fields.remove("anyOf");
            fields.extend(only);
        }
    }
    if let Some(Json::Array(values)) = fields.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
}

/// Looks whether a schema comes out of the document as it was put in.
#[cfg(test)]
pub(super) fn assert_kept(name: &str, schema: Json) {
    let kept = serde_json::to_value(described(schema.clone())).expect("JSON");
    assert_eq!(kept, reworded(schema), "{name}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_that_the_document_does_not_know_are_said_with_those_that_it_knows() {
        let schema = json!({ "type": "object", "required": ["kind"], "properties": {
            "kind": { "type": "string", "const": "a" },
            "places": {
                "type": "object", "patternProperties": { "^[A-Z]+$": { "type": "integer" } }, "additionalProperties": false,
            },
            "at": { "type": "array", "prefixItems": [{ "type": "integer" }, { "type": "string" }], "minItems": 2, "maxItems": 2 },
            "seed": { "type": ["string", "null"], "default": null },
        } });
        let fields = reworded(schema.clone())["properties"].clone();
        assert_eq!(fields["kind"], json!({ "type": "string", "enum": ["a"] }));
        assert_eq!(fields["places"]["propertyNames"]["pattern"], "^[A-Z]+$");
        assert_eq!(fields["places"]["additionalProperties"], json!({ "type": "integer" }));
        assert_eq!(fields["at"]["items"], json!({ "anyOf": [{ "type": "integer" }, { "type": "string" }] }));
        assert_eq!(fields["seed"], json!({ "type": ["string", "null"] }));
        assert_kept("all", schema);
    }
}
