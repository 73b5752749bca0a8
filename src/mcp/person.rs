//! A person beside the assistant, asked by a form where the client has forms.

use std::collections::BTreeMap;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{
    ElicitRequest, ElicitRequestParams, ElicitationAction, ElicitationSchema, InputRequest, InputRequiredResult,
    ProtocolVersion,
};
use rmcp::service::RequestContext;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use super::Server;
use super::answer;
use super::args;
use super::calls::{ToolRefusal, ToolRequest, refuse};
use crate::arena::SeatHandle;
use crate::briefs;
use crate::games::seat::Seat;

/// How long a person may think before the call that asks them ends.
const THINKING: Duration = Duration::from_mins(5);

/// The name of the question among a call's inputs.
const QUESTION: &str = "action";

/// What came of asking.
pub(super) enum PersonReply {
    /// The person acted.
    Acted,
    /// The client is to call again with the answer.
    Input(Box<InputRequiredResult>),
    /// The person did not answer in time.
    Silent,
}

/// What a person answered, and to which question.
pub(super) struct PersonAnswer {
    question: PersonQuestion,
    answer: Option<String>,
}

/// What a question was about; travels with it, sealed.
#[derive(Serialize, Deserialize)]
struct PersonQuestion {
    match_id: String,
    seat: Seat,
    turn: u32,
}

/// Whether the client can put a form before its user.
pub(super) fn can_be_asked(context: &RequestContext<RoleServer>) -> bool {
    context.client_capabilities().is_some_and(|capabilities| capabilities.elicitation.is_some())
}

/// The answer that a repeated call brings along.
pub(super) fn reply(
    server: &Server,
    seated: &SeatHandle,
    call: &ToolRequest,
) -> Result<Option<PersonAnswer>, ToolRefusal> {
    let Some(state) = &call.params.request_state else { return Ok(None) };
    let again = || refuse(args::bad("old_question", json!({})));
    let question: PersonQuestion = server.shared.questions.open_json(state).map_err(|_| again())?;
    // The answer of one match's person must not act in another.
    let person =
        seated.person().filter(|person| question.match_id == person.live().id() && question.seat == person.seat());
    person.ok_or_else(again)?;
    let answer = call.params.input_responses.as_ref().and_then(|responses| responses.get(QUESTION));
    let answer =
        answer.filter(|answer| answer["action"] == "accept").and_then(|answer| answer["content"]["action"].as_str());
    Ok(Some(PersonAnswer { question, answer: answer.map(ToOwned::to_owned) }))
}

/// Asks the person whose turn it is, or takes the answer that came.
pub(super) async fn ask(
    server: &Server,
    person: &SeatHandle,
    call: &ToolRequest,
    reply: Option<PersonAnswer>,
) -> Result<PersonReply, ToolRefusal> {
    let view = person.view();
    let turn = view.seen.turn();
    if let Some(reply) = reply.filter(|reply| reply.question.turn == turn) {
        let Some(action) = reply.answer else { return Ok(PersonReply::Silent) };
        return act(person, turn, &action).await;
    }
    if !can_be_asked(&call.context) {
        return Ok(PersonReply::Silent);
    }
    let params = form(person);
    let modern = call
        .context
        .protocol_version()
        .is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str());
    if modern {
        let question = PersonQuestion { match_id: person.live().id().to_owned(), seat: person.seat(), turn };
        let state = server.shared.questions.seal_json(&question).map_err(|error| refuse(error.to_string()))?;
        let requests = BTreeMap::from([(QUESTION.to_owned(), InputRequest::Elicitation(ElicitRequest::new(params)))]);
        return Ok(PersonReply::Input(Box::new(InputRequiredResult::new(Some(requests), Some(state)))));
    }
    let asked = call.context.peer.create_elicitation_with_timeout(params, Some(THINKING));
    let answer = tokio::select! {
        answer = asked => answer,
        () = call.context.ct.cancelled() => return Ok(PersonReply::Silent),
        () = server.shared.closing.cancelled() => return Ok(PersonReply::Silent),
    };
    match answer {
        Ok(answer) if answer.action == ElicitationAction::Accept => {
            let action = answer.content.as_ref().and_then(|content| content["action"].as_str());
            match action {
                Some(action) => act(person, turn, action).await,
                None => Ok(PersonReply::Silent),
            }
        }
        _ => Ok(PersonReply::Silent),
    }
}

async fn act(person: &SeatHandle, turn: u32, action: &str) -> Result<PersonReply, ToolRefusal> {
    match person.act(Some(turn), action, None).await {
        Ok(_) => Ok(PersonReply::Acted),
        Err(why) => Err(refuse(answer::refusal(person, action, &why))),
    }
}

/// The form: one choice among the legal actions, under the board.
fn form(person: &SeatHandle) -> ElicitRequestParams {
    let view = person.view();
    let language = person.live().language();
    let legal: Vec<String> =
        view.seen.legal(person.seat()).into_iter().filter(|action| !action.contains('<')).collect();
    let schema: Json = json!({
        "type": "object",
        "properties": { "action": { "type": "string", "enum": legal } },
        "required": ["action"],
    });
    let requested_schema: ElicitationSchema =
        serde_json::from_value(schema).expect("a form of one choice is what clients know");
    let seen = &view.seen;
    let message = format!("{}\n{}", briefs::board(seen, language), briefs::ask_person(seen, person.seat(), language));
    ElicitRequestParams::FormElicitationParams { meta: None, message, requested_schema }
}
