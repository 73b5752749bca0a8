//! The four tools that a model plays with, whoever serves them.

use serde_json::{Value as Json, json};

use super::language::Language;
use crate::games::speech::{MAX_MESSAGE, MAX_REASONING};

/// A tool: its name, what it does, and what it takes.
#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    /// The name that it is called by.
    pub name: &'static str,
    /// What it does, for the model.
    pub description: &'static str,
    /// The JSON schema of its arguments.
    pub input_schema: Json,
}

/// What a player is given beside `get_state` and `act`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offer {
    /// `list_legal_actions`.
    pub legal: bool,
    /// `speak`.
    pub talk: bool,
    /// Notes to oneself with `act`.
    pub notes: bool,
}

/// The tools, always in this order.
pub fn tools(offer: Offer, language: Language) -> Vec<Tool> {
    let say = |en: &'static str, zh: &'static str| match language {
        Language::En => en,
        Language::Zh => zh,
    };
    let mut tools = vec![Tool {
        name: "get_state",
        description: say("The position and whose turn it is, as JSON.", "以 JSON 给出当前局面，以及轮到谁行动。"),
        input_schema: object(&json!({}), &[]),
    }];
    if offer.legal {
        tools.push(Tool {
            name: "list_legal_actions",
            description: say("All that you may do now, in notation.", "列出你现在可以采取的所有行动（用记法写出）。"),
            input_schema: object(&json!({}), &[]),
        });
    }
    let mut act = json!({
        "action": { "type": "string", "description": say("One action in notation.", "用记法写出的一个行动。") },
        "reasoning": {
            "type": "string",
            "maxLength": MAX_REASONING,
            "description": say("A word to the spectators; may be left out.", "给观众看的一句说明，可以省略。"),
        },
    });
    if offer.notes {
        act["notes"] = json!({
            "type": "string",
            "description": say(
                "A note to yourself for your next turn; may be left out.",
                "留给自己下回合看的笔记，可以省略。"
            ),
        });
    }
    tools.push(Tool {
        name: "act",
        description: say("Does your action. This ends your turn.", "执行你的行动，你的回合随之结束。"),
        input_schema: object(&act, &["action"]),
    });
    if offer.talk {
        tools.push(Tool {
            name: "speak",
            description: say("Says something to everybody at the table.", "对桌上所有人说一句话。"),
            input_schema: object(&json!({ "text": { "type": "string", "maxLength": MAX_MESSAGE } }), &["text"]),
        });
    }
    tools
}

fn object(properties: &Json, required: &[&str]) -> Json {
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

/// What a player is told of a tool call that did not end its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolNote<'a> {
    /// There is no such tool.
    Unknown(&'a str),
    /// The arguments of `speak` are not as they should be.
    NotSaid,
    /// The message will be heard with the action.
    Said,
    /// One message a turn.
    SaidAlready,
    /// There was an action already; this one was not looked at.
    ActedAlready,
}

/// The same in words.
pub fn tool_note(note: ToolNote<'_>, language: Language) -> String {
    let (en, zh) = match note {
        ToolNote::Unknown(name) => {
            let name = crate::settings::shorten(name);
            return match language {
                Language::En => format!("There is no tool `{name}`. Call `act` to act."),
                Language::Zh => format!("没有名为 `{name}` 的工具。要行动，请调用 `act`。"),
            };
        }
        ToolNote::NotSaid => (
            "That was not said: `speak` takes {\"text\": \"…\"}, plain text on one line, 1 to 140 characters.",
            "这句话没有说出去：`speak` 的参数是 {\"text\": \"…\"}，一行纯文本，1 到 140 个字符。",
        ),
        ToolNote::Said => ("It will be heard when the turn is played.", "这一回合结算时，大家会听到这句话。"),
        ToolNote::SaidAlready => {
            ("That was not said: you may say one thing a turn.", "这句话没有说出去：每回合只能说一句话。")
        }
        ToolNote::ActedAlready => ("Not looked at: only your first action counts.", "未处理：只有你的第一个行动有效。"),
    };
    match language {
        Language::En => en,
        Language::Zh => zh,
    }
    .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_languages_have_the_same_tools() {
        let all = Offer { legal: true, talk: true, notes: true };
        let names = |language| tools(all, language).iter().map(|tool| tool.name).collect::<Vec<_>>();
        assert_eq!(names(Language::En), ["get_state", "list_legal_actions", "act", "speak"]);
        assert_eq!(names(Language::Zh), names(Language::En));
    }

    #[test]
    fn what_is_not_offered_is_not_there() {
        let tools = tools(Offer { legal: false, talk: false, notes: false }, Language::En);
        assert_eq!(tools.iter().map(|tool| tool.name).collect::<Vec<_>>(), ["get_state", "act"]);
        assert_eq!(tools[1].input_schema["properties"].get("notes"), None);
    }

    #[test]
    fn the_note_on_messages_has_the_length_of_the_rules() {
        for language in Language::ALL {
            assert!(tool_note(ToolNote::NotSaid, language).contains(&MAX_MESSAGE.to_string()));
        }
    }
}
