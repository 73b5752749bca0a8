//! The body of a request.

use std::sync::Arc;

use async_openai::types::chat::{
    ChatCompletionMessageToolCall, ChatCompletionRequestAssistantMessage, ChatCompletionRequestMessage,
    ChatCompletionRequestSystemMessage, ChatCompletionRequestToolMessage, ChatCompletionRequestUserMessage,
    ChatCompletionStreamOptions, ChatCompletionTool, ChatCompletionToolChoiceOption, ChatCompletionTools,
    CreateChatCompletionRequest, FunctionCall, FunctionObject, ResponseFormat, ResponseFormatJsonSchema,
    ToolChoiceOptions,
};
use serde_json::{Value as Json, json};

use super::reply::ToolCall;
use crate::briefs::Tool;
use crate::players::profile::Profile;

/// The longest piece of a model's own words that it is shown again.
const MAX_ECHO: usize = 16 * 1024;

/// What was said in a turn so far.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Message {
    System(Arc<str>),
    User(String),
    Assistant { content: String, calls: Vec<ToolCall> },
    Tool { id: String, text: String },
}

/// How the answer is to come.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Form {
    Tools(Vec<Tool>),
    Json(Json),
    Text,
}

/// A request as it is sent.
#[expect(deprecated, reason = "all servers but OpenAI's own know `max_tokens`, and some know `seed`")]
pub(super) fn body(profile: &Profile, messages: &[Message], form: &Form, max_tokens: u32, is_openai: bool) -> String {
    let mut request = CreateChatCompletionRequest {
        model: profile.model.clone(),
        messages: messages.iter().map(Message::typed).collect(),
        temperature: profile.temperature,
        seed: profile.seed,
        ..CreateChatCompletionRequest::default()
    };
    if profile.stream {
        request.stream = Some(true);
        request.stream_options =
            Some(ChatCompletionStreamOptions { include_usage: Some(true), include_obfuscation: None });
    }
    if is_openai {
        request.max_completion_tokens = Some(max_tokens);
    } else {
        request.max_tokens = Some(max_tokens);
    }
    match form {
        Form::Tools(tools) => {
            request.tools = Some(tools.iter().map(typed_tool).collect());
            request.tool_choice = Some(ChatCompletionToolChoiceOption::Mode(ToolChoiceOptions::Required));
        }
        Form::Json(schema) => {
            let name = "answer".to_owned();
            let json_schema =
                ResponseFormatJsonSchema { description: None, name, schema: schema.clone(), strict: Some(true) };
            request.response_format = Some(ResponseFormat::JsonSchema { json_schema });
        }
        Form::Text => {}
    }
    let mut json = json!(request);
    // The endpoint's own word, which the type may not know.
    if let Some(effort) = &profile.reasoning_effort {
        json["reasoning_effort"] = json!(effort);
    }
    serde_json::to_string(&json).expect("plain data")
}

impl Message {
    fn typed(&self) -> ChatCompletionRequestMessage {
        match self {
            Message::System(text) => ChatCompletionRequestSystemMessage::from(&**text).into(),
            Message::User(text) => ChatCompletionRequestUserMessage::from(text.as_str()).into(),
            Message::Assistant { content, calls } => {
                let mut message = ChatCompletionRequestAssistantMessage::default();
                if !content.is_empty() {
                    message.content = Some(cut(content).into());
                }
                if !calls.is_empty() {
                    message.tool_calls = Some(calls.iter().map(|call| typed_call(call).into()).collect());
                }
                message.into()
            }
            Message::Tool { id, text } => {
                ChatCompletionRequestToolMessage { content: text.as_str().into(), tool_call_id: id.clone() }.into()
            }
        }
    }
}

fn typed_tool(tool: &Tool) -> ChatCompletionTools {
    let function = FunctionObject {
        name: tool.name.to_owned(),
        description: Some(tool.description.clone()),
        parameters: Some(tool.input_schema.clone()),
        strict: None,
    };
    ChatCompletionTools::Function(ChatCompletionTool { function })
}

fn typed_call(call: &ToolCall) -> ChatCompletionMessageToolCall {
    // Servers read the arguments again to show them to the model: what is no JSON object breaks some of them.
    let readable = serde_json::from_str::<Json>(&call.arguments).is_ok_and(|json| json.is_object());
    let arguments = if readable && call.arguments.len() <= MAX_ECHO { call.arguments.clone() } else { "{}".to_owned() };
    ChatCompletionMessageToolCall { id: call.id.clone(), function: FunctionCall { name: call.name.clone(), arguments } }
}

/// The end of a long text: that is where the answer was to be.
fn cut(text: &str) -> &str {
    let mut from = text.len().saturating_sub(MAX_ECHO);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    &text[from..]
}
