//! Rate limits delay, and decide nothing.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use standoff::briefs::{Language, Variant};
use standoff::games::{BySeat, Reason, Ruleset, Seat, Seed};
use standoff::matches::Match;
use standoff::players::model::{Model, NoJournal, RunBudget};
use standoff::players::{EndpointLimits, Mode, Player, Profile};
use standoff::referee;
use wiremock::matchers::method;
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::process::Kept;

/// Eight seats of one model at 60 requests per minute need eight seconds for a turn, and may think for six.
#[tokio::test(flavor = "multi_thread")]
async fn a_turn_that_outlasts_its_clock_in_our_own_queue_is_played() {
    const SEATS: usize = 8;
    let server = MockServer::start().await;
    let answer = json!({ "choices": [{ "message": { "content": "ACTION: stay" }, "finish_reason": "stop" }] });
    Mock::given(method("POST")).respond_with(ResponseTemplate::new(200).set_body_json(answer)).mount(&server).await;
    let profile = Profile {
        mode: Mode::Text,
        stream: false,
        limits: EndpointLimits { requests_per_minute: Some(60), tokens_per_minute: None, concurrency: 4 },
        ..Profile::at(&format!("{}/v1", server.uri()), "slow")
    };
    let variant = Variant::named("standard").expect("it is built in");
    let model = Model::new(profile, None, variant, Arc::new(RunBudget::unlimited()), Arc::new(NoJournal));
    let model = model.expect("a profile that can be used");
    let rules = json!({ "base": "grid-royale", "max_ticks": 2, "policy": { "turn_seconds": 6 } });
    let ruleset = Arc::new(Ruleset::from_json(&rules).expect("a ruleset"));
    let (mut game, _) = Match::open("slow", ruleset, Seed(7), vec!["slow".to_owned(); SEATS]).expect("it opens");
    let mut players: BySeat<Box<dyn Player>> = (0..SEATS).map(|_| model.seat(Language::En)).collect();
    let mut kept = Kept::default();
    let end = referee::run("slow", &mut game, None, &mut players, &mut kept, Duration::ZERO).await;

    assert_eq!(end.expect("nobody is suspended").reason, Reason::TurnLimit);
    for turn in &kept.0 {
        assert!(turn.lapses.is_empty() && turn.refused.is_empty(), "{turn:?}");
        assert!(Seat::first(SEATS).all(|seat| turn.actions[&seat] == "stay"), "{turn:?}");
    }
    let longest = kept.0[1].waited_micros.values().max().copied().expect("they wait");
    assert!(longest > 6_000_000, "the last waits longer than it may think: {longest}");
}
