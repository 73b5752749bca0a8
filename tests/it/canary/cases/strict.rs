//! Texts that have actions in them, of which at most one is given in the form that the prompt asks for.

use serde_json::json;
use standoff::players::Mode;

use crate::canary::case::Case;
use crate::canary::reply::{Reply, message, text};

/// Nothing of this may be recorded; then the same in the right form is.
fn unreadable(name: &'static str, mode: Mode, reply: Reply) -> Case {
    Case::new(name, mode, [reply, text("ACTION: move south")], "move south, refused: unreadable, 2 calls")
}

fn in_text(name: &'static str, content: &str) -> Case {
    unreadable(name, Mode::Text, text(content))
}

/// The action is given, whatever else stands there.
fn given(name: &'static str, content: &str) -> Case {
    Case::new(name, Mode::Text, [text(content)], "move south, 1 call")
}

#[expect(clippy::too_many_lines, reason = "it is a table")]
pub(in crate::canary) fn strict() -> Vec<Case> {
    let candidates = "Candidates:\nmove east\nmove south\n\nMy decision: **move south-east**";
    let thought = |content: &str| message(&json!({ "content": content }), "stop");
    vec![
        in_text("candidates-above-a-decision", candidates),
        unreadable("candidates-above-a-decision-without-a-call", Mode::Tools, text(candidates)),
        in_text("an-action-above-prose", "move east\n\nThat is what I would avoid."),
        in_text("a-bare-action", "move east"),
        in_text("a-bare-action-in-ornaments", "**move east**"),
        in_text("a-label-that-is-not-last", "ACTION: move east\nWait, the wall. Let me think again."),
        in_text("a-label-inside-a-line", "So my ACTION: move east"),
        in_text("a-label-of-another-kind", "DECISION: move east"),
        in_text("two-actions-on-a-line", "ACTION: move east or move south"),
        in_text("two-labels-on-a-line", "ACTION: move east ACTION: move south"),
        in_text("a-denial", "ACTION: not move east"),
        in_text("a-question", "ACTION: move east?"),
        in_text("a-choice-by-a-slash", "ACTION: move east / move south"),
        in_text("a-choice-by-an-arrow", "ACTION: move east -> move south"),
        in_text("one-after-the-other", "ACTION: move east, move south"),
        in_text("one-and-the-other", "ACTION: move east and move south"),
        in_text("another-after-a-strike", "ACTION: ~~move east~~ move south"),
        in_text("struck-out-behind-the-label", "**ACTION:** ~~move east~~"),
        in_text("with-a-reason", "ACTION: move east (it is free)"),
        in_text("in-brackets", "ACTION: [move east]"),
        in_text("as-json", "ACTION: {\"action\":\"move east\"}"),
        in_text("a-heading", "## ACTION: move east"),
        in_text("a-fence-with-a-word", "```\nACTION: move east\n``` done"),
        in_text("a-rule-below", "ACTION: move east\n---"),
        in_text("an-end-token", "ACTION: move east<|im_end|>"),
        in_text("a-call-below", "ACTION: move east\n</tool_call>"),
        in_text("a-call-around", "<tool_call>\nACTION: move east\n</tool_call>"),
        in_text("another-line-by-a-return", "ACTION: move east\rOn second thought, no."),
        in_text("another-line-by-a-separator", "ACTION: move east\u{2028}On second thought, no."),
        in_text("a-plural", "ACTIONS: move east"),
        in_text("a-label-within-a-word", "REACTION: move east"),
        in_text("a-label-without-a-colon", "ACTION = move east"),
        in_text("a-label-in-the-middle-in-chinese", "我的动作：move east"),
        in_text("two-labels-in-two-languages", "ACTION: move east 动作：move south"),
        in_text("a-name-that-is-no-ones", "ACTION: B: move east"),
        in_text("a-think-in-a-namespace", "<x:think>\nACTION: move east"),
        in_text("two-ends-of-a-thought", "a</think>\nb\nACTION: move east</think>"),
        in_text("struck-out", "~~ACTION: move east~~"),
        in_text("an-item-of-a-list", "- ACTION: move east"),
        in_text("a-label-without-an-action", "move east\nACTION:"),
        in_text("a-thought-alone", "<think>\nACTION: move east\n</think>"),
        in_text("a-thought-that-never-ends", "<think>\nI could go east.\nACTION: move east"),
        in_text("a-thought-that-ends-only", "ACTION: move east\n</think>\nI am not sure."),
        in_text("a-thought-in-a-thought", "<think>a <think>b</think>\nACTION: move east\n</think>"),
        in_text("a-thought-in-the-middle", "ACTION: move <think>south</think> east"),
        in_text("thinking-tag", "<thinking>ACTION: move east"),
        in_text("thought-tag", "<Thought>\nACTION: move east\n</Thought>"),
        in_text("reasoning-tag", "<reasoning>\nACTION: move east"),
        in_text("square-tag", "[THINK]ACTION: move east[/THINK]"),
        in_text("triangle-tag", "◁think▷\nACTION: move east"),
        in_text("channel-tag", "<|channel|>analysis<|message|>\nACTION: move east"),
        unreadable("a-thought-without-a-call", Mode::Tools, thought("<think>\nACTION: move east\n</think>")),
        unreadable(
            "a-thought-as-a-part",
            Mode::Text,
            message(&json!({ "content": [{ "type": "reasoning", "text": "ACTION: move east" }] }), "stop"),
        ),
        unreadable(
            "a-thought-as-a-field",
            Mode::Text,
            message(&json!({ "content": "", "reasoning_content": "ACTION: move east" }), "stop"),
        ),
        given("labelled", "The wall is north of me.\n\nACTION: move south"),
        given("labelled-after-candidates", "move east\nACTION: move east\nNo:\nACTION: move south\n\n"),
        given("labelled-after-a-thought", "<think>\nACTION: move east\n</think>\n\nACTION: move south"),
        given("labelled-before-a-thought", "ACTION: move south\n<think>Was it right? ACTION: move east</think>"),
        given("labelled-after-the-end-of-a-thought", "ACTION: move east\n</think>\nACTION: move south"),
        given("labelled-in-small-letters", "action: move south."),
        given("labelled-with-a-space-before-the-colon", "ACTION : move south"),
        given("labelled-in-full-width-colon", "ACTION： move south"),
        given("labelled-with-a-return", "ACTION: move south\r\n"),
        given("labelled-after-two-ends", "ACTION: move east</think>\nno</think>\nACTION: move south"),
        given("labelled-above-stars", "ACTION: move south\n***\n"),
        given("labelled-in-bold", "**ACTION: move south**"),
        given("labelled-in-half-bold", "**ACTION:** move south"),
        given("labelled-in-bold-and-code", "**Action**: `move south`."),
        given("labelled-in-quotes", "“ACTION: move south.”"),
        given("labelled-in-a-box", "$\\boxed{\\text{ACTION: move south}}$"),
        given("labelled-before-a-box", "ACTION: \\boxed{move south}"),
        given("labelled-in-a-fence", "```\nACTION: move south\n```"),
        given("labelled-in-full-width", "ＡＣＴＩＯＮ：ｍｏｖｅ　ｓｏｕｔｈ"),
        given("labelled-in-chinese", "北边是墙。\n动作：向南移动。"),
        given("labelled-in-chinese-to-a-chinese", "北边是墙。\n**动作：** move south").in_chinese(),
        given("labelled-in-english-to-a-chinese", "ACTION: 向南移动").in_chinese(),
        Case::new(
            "said-above-the-action",
            Mode::Text,
            [text("SAY: not this\nHm.\nSAY: hello\nACTION: move south")],
            "move south, said hello, 1 call",
        ),
        Case::new(
            "said-in-a-thought",
            Mode::Text,
            [text("<think>SAY: my plan</think>\nACTION: move south")],
            "move south, 1 call",
        ),
        in_text("said-below-the-action", "ACTION: move east\nSAY: hello"),
        in_text("said-twice", "SAY: hello\nSAY: goodbye\nACTION: move east"),
        Case::new(
            "json-after-a-thought",
            Mode::Json,
            [text("<think>{\"action\":\"move east\"}</think>\n{\"action\":\"move south\"}")],
            "move south, 1 call",
        ),
        Case::new(
            "json-in-a-thought",
            Mode::Json,
            [text("<think>{\"action\":\"move east\"}"), text("{\"action\":\"move south\"}")],
            "move south, refused: unreadable, 2 calls",
        ),
    ]
}
