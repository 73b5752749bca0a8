//! Prompts that people pick from a menu, and the completion of arguments.

use rmcp::model::{
    CompleteRequestParams, CompleteResult, CompletionInfo, ErrorData, GetPromptRequestParams, GetPromptResult,
    ListPromptsResult, Prompt, PromptArgument, PromptMessage, Role,
};
use serde_json::json;

use super::Server;
use crate::briefs::{self, Language};
use crate::games::library;

/// A prompt: its name and what it takes.
const PROMPTS: [(&str, &[&str]); 3] = [
    ("play", &["ruleset", "opponent", "language"]),
    ("coach", &["match_id", "language"]),
    ("commentate", &["match_id", "language"]),
];

/// What is said of a prompt or of what it takes.
fn say(what: &str, name: &str, language: Language) -> String {
    briefs::tool_text(&format!("prompt.{what}.{name}"), json!({ "default": library::DEFAULT }), language)
}

/// What it is for, for people of every language: they pick it from a menu.
fn description(name: &str) -> String {
    Language::ALL.map(|language| say("description", name, language)).join(" / ")
}

pub(super) fn list() -> ListPromptsResult {
    let prompts = PROMPTS.iter().map(|(name, arguments)| {
        let arguments = arguments.iter().map(|argument| {
            let described = PromptArgument::new(*argument).with_description(say("arguments", argument, Language::En));
            described.with_required(*argument == "match_id" && *name == "commentate")
        });
        Prompt::new(*name, Some(description(name)), Some(arguments.collect())).with_title(say(
            "title",
            name,
            Language::En,
        ))
    });
    ListPromptsResult { prompts: prompts.collect(), ..ListPromptsResult::default() }
}

pub(super) async fn get(server: &Server, params: &GetPromptRequestParams) -> Result<GetPromptResult, ErrorData> {
    let wrong = |why: String| ErrorData::invalid_params(why, None);
    let Some((name, known)) = PROMPTS.iter().find(|(name, _)| *name == params.name) else {
        let names: Vec<&str> = PROMPTS.iter().map(|(name, _)| *name).collect();
        return Err(wrong(format!(
            "no prompt `{}`; available: {}",
            crate::settings::shorten(&params.name),
            names.join(", ")
        )));
    };
    let given = params.arguments.clone().unwrap_or_default();
    if let Some(unknown) = given.keys().find(|key| !known.contains(&key.as_str())) {
        return Err(wrong(format!(
            "`{name}` takes no `{}`; it takes {}",
            crate::settings::shorten(unknown),
            known.join(", ")
        )));
    }
    let argument =
        |name: &str| given.get(name).and_then(|value| value.as_str()).map(str::trim).filter(|text| !text.is_empty());
    let language: Language =
        argument("language").map_or(Ok(Language::En), str::parse).map_err(|error| wrong(error.to_string()))?;
    let ruleset = argument("ruleset").unwrap_or(library::DEFAULT);
    if library::ruleset(ruleset).is_none() {
        return Err(wrong(format!(
            "no ruleset `{}`; available: {}",
            crate::settings::shorten(ruleset),
            library::rulesets().collect::<Vec<_>>().join(", ")
        )));
    }
    let match_id = argument("match_id");
    if let Some(id) = match_id {
        server.shared.arena.watch(id).await.map_err(|error| wrong(error.to_string()))?;
    } else if *name == "commentate" {
        return Err(wrong("`commentate` needs a match_id".to_owned()));
    }
    let opponent = argument("opponent").unwrap_or("search");
    let text = briefs::prompt(name, ruleset, opponent, match_id, language);
    Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]).with_description(description(name)))
}

pub(super) fn complete(server: &Server, params: &CompleteRequestParams) -> CompleteResult {
    // An argument means the same wherever it stands.
    let values: Vec<String> = match params.argument.name.as_str() {
        "ruleset" => library::rulesets().map(ToOwned::to_owned).collect(),
        "language" => Language::ALL.iter().map(ToString::to_string).collect(),
        "opponent" => server.shared.arena.guests(),
        "match_id" => server.shared.arena.list().iter().map(|live| live.id().to_owned()).collect(),
        _ => Vec::new(),
    };
    let begun = params.argument.value.trim().to_lowercase();
    let mut values: Vec<String> = values.into_iter().filter(|value| value.to_lowercase().starts_with(&begun)).collect();
    values.truncate(CompletionInfo::MAX_VALUES);
    CompleteResult::new(CompletionInfo::with_all_values(values).unwrap_or_default())
}
