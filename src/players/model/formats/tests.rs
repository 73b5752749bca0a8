//! What the tests of all formats begin with.

use std::sync::Arc;

use serde_json::json;

use super::*;
use crate::briefs::{Language, Offer, SystemPrompt, Tool, Variant, answer_schema};
use crate::players::model::conversation::{Form, Message};

pub(super) fn talk() -> Vec<Message> {
    vec![Message::System(Arc::new(SystemPrompt::shared("The rules."))), Message::User("Your turn.".to_owned())]
}

pub(super) fn tools_form() -> Form {
    Form::Tools(vec![Tool { name: "act", description: "Acts.".to_owned(), input_schema: json!({ "type": "object" }) }])
}

pub(super) fn json_form() -> Form {
    Form::Json(json!({ "type": "object" }))
}

pub(super) fn request(format: &dyn Format, profile: &Profile, messages: &[Message], form: &Form) -> Json {
    format.body(&Request { profile, messages, form, max_tokens: 200 })
}

/// The next request of a turn after a reply that called a tool.
pub(super) fn carried_back(format: &dyn Format, profile: &Profile, reply: Reply) -> Json {
    let Reply { content, calls, received, .. } = reply;
    let result = Message::Tool { id: calls[0].id.clone(), text: "No.".to_owned() };
    let mut messages = talk();
    messages.extend([Message::Assistant { content, calls, received: Some(received) }, result]);
    request(format, profile, &messages, &tools_form())
}

/// What the pieces of an answer come to.
pub(super) fn put_together(format: &dyn Format, pieces: &[Json]) -> Result<Json, Failure> {
    let mut answer = format.pieces();
    for piece in pieces {
        answer.take(piece)?;
    }
    answer.whole()
}

/// As bytes, because the order of fields is all that this is about.
#[test]
fn reasoning_comes_before_the_action_in_every_format() {
    let variant = Variant::named("scratchpad").expect("built in");
    let offer = Offer { legal: true, talk: true, notes: true };
    for language in Language::ALL {
        for form in [Form::Tools(variant.tools(offer, language)), Form::Json(answer_schema(true, true))] {
            for api in Api::ALL {
                let profile = Profile { api, ..Profile::at("http://127.0.0.1:1", "m") };
                let body = crate::players::model::body(&profile, &talk(), &form, 100);
                let at = |field: &str| body.find(field).unwrap_or_else(|| panic!("{api}: no {field} in {body}"));
                assert!(at("\"reasoning\":{") < at("\"action\":{"), "{api}: {body}");
                // Of those that must be there, too.
                if let Some((_, required)) = body.split_once("\"required\":[\"reasoning\"") {
                    assert!(required.contains("\"action\""), "{api}: {body}");
                }
            }
        }
    }
}
