//! What the tests of all formats begin with.

use serde_json::json;

use super::*;
use crate::briefs::Tool;
use crate::players::model::conversation::{Form, Message};

pub(super) fn talk() -> Vec<Message> {
    vec![Message::System("The rules.".into()), Message::User("Your turn.".to_owned())]
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
