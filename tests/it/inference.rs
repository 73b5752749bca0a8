//! A match against a real inference server. `./check --full` sets one up where it can; against one's own:
//!
//! ```text
//! STANDOFF_INFERENCE=http://localhost:8080/v1 cargo test --test it inference:: -- --ignored
//! ```
//!
//! `STANDOFF_INFERENCE_MODEL` names the model, `STANDOFF_INFERENCE_KEY` is the key, where the server wants any.

use std::env;
use std::sync::Arc;
use std::time::Duration;

use secrecy::SecretString;
use standoff::briefs::{Language, Variant};
use standoff::games::{BySeat, Reason, Ruleset, Seat, Seed};
use standoff::matches::Match;
use standoff::players::model::{Model, NoJournal, RunBudget};
use standoff::players::{Api, EndpointLimits, Mode, Player, Profile};
use standoff::referee;

use crate::process::Kept;

fn model(api: Api, mode: Mode) -> Box<dyn Player> {
    let base_url = env::var("STANDOFF_INFERENCE").expect("STANDOFF_INFERENCE is the server's base URL");
    let name = env::var("STANDOFF_INFERENCE_MODEL").unwrap_or_else(|_| "smollm2-135m".to_owned());
    let profile = Profile {
        name: "real".to_owned(),
        api,
        prompt: "bare".to_owned(),
        mode,
        temperature: Some(0.0),
        // A small model that loses its way must not take an hour over it.
        max_output_tokens: 80,
        seed: (api == Api::Chat).then_some(7),
        timeout: Duration::from_mins(5),
        limits: EndpointLimits { requests_per_minute: None, tokens_per_minute: None, concurrency: 1 },
        ..Profile::at(&base_url, &name)
    };
    let key = env::var("STANDOFF_INFERENCE_KEY").ok().map(SecretString::from);
    // A short one: without a graphics card reading takes its time.
    let variant = Variant::named("bare").expect("it is built in");
    Model::new(profile, key, variant, Arc::new(RunBudget::unlimited()), Arc::new(NoJournal))
        .expect("a profile that can be used")
        .seat(Language::En)
}

/// How well it plays is its own affair. What must hold: every failure is found to be the player's, none the backend's,
/// the tokens of every call are known, and what is recorded as an action is one.
async fn check(players: [(Api, Mode); 2], turns: usize) {
    let ruleset = serde_json::json!({
        "base": "paint", "rows": 4, "cols": 4, "turns": turns, "speech": "off",
        "policy": { "turn_seconds": 0, "attempts": 2 },
    });
    let ruleset = Arc::new(Ruleset::from_json(&ruleset).expect("a ruleset"));
    let names = players.map(|(api, mode)| format!("{api}, {mode}")).to_vec();
    let (mut game, _) = Match::open("real", ruleset, Seed(7), names).expect("it opens");
    let mut players: BySeat<Box<dyn Player>> = players.into_iter().map(|(api, mode)| model(api, mode)).collect();
    let mut kept = Kept::default();
    let end = referee::run("real", &mut game, None, &mut players, &mut kept, Duration::ZERO).await;

    assert_eq!(end.expect("nobody is suspended").reason, Reason::TurnLimit);
    assert_eq!(kept.0.len(), turns);
    for turn in &kept.0 {
        for seat in Seat::first(2) {
            let calls = turn.calls.get(&seat).map_or(&[][..], Vec::as_slice);
            assert!(!calls.is_empty(), "{seat} was asked: {turn:?}");
            assert!(calls.iter().all(|call| call.input_tokens > 0 && call.output_tokens > 0), "{calls:?}");
            assert!(calls.iter().all(|call| call.retries.is_empty()), "{calls:?}");
            let lapsed = turn.actions[&seat] == "pass";
            assert_eq!(turn.lapses.contains_key(&seat), lapsed, "{turn:?}");
            let refused = turn.refused.iter().filter(|refused| refused.seat == seat).count();
            assert_eq!(refused == 2, lapsed, "two attempts, and each is accounted for: {turn:?}");
        }
    }
}

#[tokio::test]
#[ignore = "needs a real inference server; ./check --full sets one up, or set STANDOFF_INFERENCE to the base URL of yours"]
async fn a_real_model_plays_a_match_by_tools_and_by_json() {
    check([(Api::Chat, Mode::Tools), (Api::Chat, Mode::Json)], 2).await;
}

/// llama.cpp speaks these, too.
#[tokio::test]
#[ignore = "needs a real inference server that speaks Responses and Messages; ./check --full sets one up"]
async fn a_real_model_plays_over_responses_and_messages() {
    check([(Api::Responses, Mode::Tools), (Api::Anthropic, Mode::Text)], 1).await;
}
