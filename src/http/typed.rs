//! What answers repeat of a state, typed: schemas that follow from those of the games, whichever games there are.
//!
//! Clients that are generated from `openapi.json` then know every field that a bot reads.

use serde_json::{Map, Value as Json, json};

/// How the schema of a seat's name looks.
const SEAT: &str = "^[A-Z]+$";

/// Fills in what stands for parts of a state, or for events that are told to a seat.
pub(super) fn fill_in(schemas: &mut Map<String, Json>) {
    let states = schemas.get("State").and_then(|state| state["anyOf"].as_array()).cloned().unwrap_or_default();
    let field = |name: &str| {
        let found: Vec<Json> = states.iter().filter_map(|state| state["properties"].get(name).cloned()).collect();
        one_of_these(found)
    };
    let all = states.iter().filter_map(|state| state["properties"].as_object()).flatten();
    let entries: Vec<(&String, Json)> =
        all.filter(|(_, list)| is_entry(&list["items"])).map(|(name, list)| (name, list["items"].clone())).collect();
    let of = |wanted: Option<&str>| {
        let found = entries.iter().filter(|(name, _)| wanted.is_none_or(|wanted| *name == wanted));
        found.map(|(_, entry)| entry.clone()).collect::<Vec<Json>>()
    };
    let mut you = of(None);
    you.push(json!({ "type": "null" }));
    let filled = [
        ("tick", field("tick")),
        ("zone", field("zone")),
        ("you", one_of_these(you)),
        ("bots", json!({ "type": "array", "items": one_of_these(of(Some("bots"))) })),
        ("events_last_tick", json!({ "type": "array", "items": { "$ref": "#/components/schemas/AddressedEvent" } })),
    ];
    if let Some(view) = schemas.get_mut("View").and_then(|view| view["properties"].as_object_mut()) {
        for (name, mut schema) in filled {
            let said = view.get(name).and_then(|before| before.get("description").cloned());
            if let (Some(said), Some(schema)) = (said, schema.as_object_mut()) {
                schema.insert("description".to_owned(), said);
            }
            view.insert(name.to_owned(), schema);
        }
    }
    let events: Vec<(String, Json)> = schemas
        .iter()
        .filter(|(name, _)| {
            name.strip_prefix("Event").is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()))
        })
        .map(|(name, schema)| (format!("Addressed{name}"), addressed(schema)))
        .collect();
    schemas.extend(events);
}

/// Whether a list's items are what a state says of each player.
fn is_entry(item: &Json) -> bool {
    let fields = &item["properties"];
    ["seat", "id"].iter().any(|name| fields[*name]["pattern"] == SEAT)
}

/// A schema for any of these.
fn one_of_these(mut schemas: Vec<Json>) -> Json {
    schemas.dedup();
    match schemas.len() {
        1 => schemas.remove(0),
        _ => json!({ "anyOf": schemas }),
    }
}

/// The schema of an event that says `you` in place of its reader's seat.
fn addressed(schema: &Json) -> Json {
    match schema {
        Json::Object(fields) if fields.get("pattern").is_some_and(|pattern| pattern == SEAT) => {
            let mut fields = fields.clone();
            fields.insert("pattern".to_owned(), json!("^([A-Z]+|you)$"));
            Json::Object(fields)
        }
        Json::Object(fields) => {
            let field = |(name, value): (&String, &Json)| match (name.as_str(), value.as_str()) {
                ("$ref", Some(to)) => (name.clone(), json!(to.replace("/Event", "/AddressedEvent"))),
                _ => (name.clone(), addressed(value)),
            };
            Json::Object(fields.iter().map(field).collect())
        }
        Json::Array(items) => Json::Array(items.iter().map(addressed).collect()),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_repeated_of_a_state_has_its_schema() {
        let entry =
            json!({ "properties": { "id": { "pattern": SEAT, "type": "string" }, "hp": { "type": "integer" } } });
        let mut schemas = json!({
            "State": { "anyOf": [{ "properties": {
                "bots": { "type": "array", "items": entry }, "tick": { "type": "integer" },
                "zone": { "type": "object" }, "walls": { "type": "array", "items": { "type": "array" } },
            } }] },
            "View": { "properties": { "you": { "description": "yours" }, "bots": {}, "tick": {}, "zone": {} } },
            "Event": { "anyOf": [{ "$ref": "#/components/schemas/Event2" }] },
            "Event2": { "properties": { "by": { "pattern": SEAT, "type": "string" } } },
        });
        let schemas = schemas.as_object_mut().expect("an object");
        fill_in(schemas);
        let view = &schemas["View"]["properties"];
        assert_eq!(view["you"], json!({ "anyOf": [entry, { "type": "null" }], "description": "yours" }));
        assert_eq!(view["bots"]["items"], entry);
        assert_eq!((&view["tick"]["type"], &view["zone"]["type"]), (&json!("integer"), &json!("object")));
        assert_eq!(schemas["AddressedEvent"]["anyOf"][0]["$ref"], "#/components/schemas/AddressedEvent2");
        assert_eq!(schemas["AddressedEvent2"]["properties"]["by"]["pattern"], "^([A-Z]+|you)$");
    }
}
