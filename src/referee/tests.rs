use std::collections::VecDeque;
use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::*;
use crate::bots::BotSpec;
use crate::games::accepted::READS;
use crate::games::refusal::Code;
use crate::games::ruleset::Ruleset;
use crate::games::{Reason, Seed, View, Viewer, library};
use crate::matches::{Attempt, Call, Fault, Lapse, Problem, Turn};
use crate::players::{Answer, Ask, BotPlayer, PlayerError, Time, TurnLog};
use crate::settings::fields::Fields;

/// What a player of the tests does when it is asked.
#[derive(Clone)]
enum TestDeed {
    Say(&'static str),
    /// Acts, and says something to the others.
    Talk(&'static str, &'static str),
    /// Answers after so many seconds.
    Late(u64, &'static str),
    /// Plays the first legal action after so many seconds.
    Pause(u64),
    /// Spends so many seconds each as something that runs no clock, then answers as late as this.
    Held(Time, u64, u64, &'static str),
    /// Makes a request to a model, then never answers.
    Lost(Call),
    Fail(PlayerError),
}

/// Does what it was told, deed by deed; then plays the first legal action for ever.
struct Puppet {
    deeds: VecDeque<TestDeed>,
    heard: Heard,
}

/// What a player was asked, with the answers that were not taken by then.
type Heard = Arc<std::sync::Mutex<Vec<(Ask, Vec<Attempt>)>>>;

impl Player for Puppet {
    fn act<'a>(&'a mut self, ask: &'a Ask, log: &'a TurnLog) -> BoxFuture<'a, Result<Answer, PlayerError>> {
        Box::pin(async move {
            let legal = ask.view.legal(ask.seat).remove(0);
            self.heard.lock().expect("not poisoned").push((ask.clone(), log.attempts()));
            let answer = |action: &str| ask.answer(action);
            match self.deeds.pop_front() {
                None => answer(&legal),
                Some(TestDeed::Say(action)) => answer(action),
                Some(TestDeed::Talk(action, words)) => {
                    ask.answer(action).map(|answer| answer.with(Some(words.to_owned()), None))
                }
                Some(TestDeed::Late(seconds, action)) => {
                    tokio::time::sleep(Duration::from_secs(seconds)).await;
                    answer(action)
                }
                Some(TestDeed::Pause(seconds)) => {
                    tokio::time::sleep(Duration::from_secs(seconds)).await;
                    answer(&legal)
                }
                Some(TestDeed::Held(time, held, thought, action)) => {
                    let lap = log.lap(time);
                    tokio::time::sleep(Duration::from_secs(held)).await;
                    drop(lap);
                    tokio::time::sleep(Duration::from_secs(thought)).await;
                    answer(action)
                }
                Some(TestDeed::Lost(call)) => {
                    log.charge(call);
                    std::future::pending().await
                }
                Some(TestDeed::Fail(error)) => Err(error),
            }
        })
    }
}

#[derive(Default)]
struct TurnCollector(Vec<Turn>);

impl Watch for TurnCollector {
    fn record(&mut self, _: &Match, record: &Record) -> std::io::Result<()> {
        if let Record::Turn(turn) = record {
            self.0.push(turn.clone());
        }
        Ok(())
    }
}

struct PlayedMatch {
    turns: Vec<Turn>,
    end: Result<Outcome, Stopped>,
    heard: Vec<Vec<(Ask, Vec<Attempt>)>>,
}

/// Plays a ruleset with some fields set, each seat with its deeds.
async fn play(ruleset: &str, fields: &[(&str, &str)], deeds: &[&[TestDeed]]) -> PlayedMatch {
    let mut over = Fields::none(ruleset);
    for (key, value) in fields {
        over.set(key, value);
    }
    let ruleset = Ruleset::load(ruleset, over, &|_| Err("no files".to_owned())).expect("a ruleset");
    play_by(ruleset, deeds).await
}

/// Plays a ruleset, each seat with its deeds.
async fn play_by(ruleset: Ruleset, deeds: &[&[TestDeed]]) -> PlayedMatch {
    let names = vec!["puppet".to_owned(); deeds.len()];
    let (mut game, _) = Match::open("m", Arc::new(ruleset), Seed(7), names).expect("opens");
    let heard: Vec<Heard> = deeds.iter().map(|_| Arc::default()).collect();
    let mut players: BySeat<Box<dyn Player>> = deeds
        .iter()
        .zip(&heard)
        .map(|(deeds, heard)| {
            Box::new(Puppet { deeds: deeds.to_vec().into(), heard: heard.clone() }) as Box<dyn Player>
        })
        .collect();
    let mut kept = TurnCollector::default();
    let end = run("m", &mut game, None, &mut players, &mut kept, Duration::ZERO).await;
    let heard = heard.iter().map(|heard| heard.lock().expect("not poisoned").clone()).collect();
    PlayedMatch { turns: kept.0, end, heard }
}

fn seat(letter: &str) -> Seat {
    letter.parse().expect("a seat")
}

const SHORT: &[(&str, &str)] = &[("max_rounds", "3")];

#[tokio::test(start_paused = true)]
async fn a_refused_answer_is_asked_for_again_with_the_reason() {
    use TestDeed::Say;
    let played = play("cowboy", SHORT, &[&[Say("shoot up"), Say("dance"), Say("shield left")], &[]]).await;
    let turn = &played.turns[0];
    assert_eq!(turn.actions[&seat("A")], "shield left");
    let refused: Vec<_> = turn.refused.iter().map(|refused| (refused.fault, refused.code)).collect();
    assert_eq!(refused, [(Fault::Illegal, Code::ShootOwnShield), (Fault::Unreadable, Code::UnreadableAction)]);
    let asks = &played.heard[0];
    assert_eq!(asks[2].1.len(), 2);
    assert_eq!(asks[2].1[1].text, "dance");
    assert_eq!(played.end.expect("it ends").reason, Reason::RoundLimit);
}

#[tokio::test(start_paused = true)]
async fn three_failures_lapse_by_the_last_ones_fault_and_no_move_is_made_up() {
    let nothing = |problem| TestDeed::Fail(PlayerError::NoAction(Attempt { text: "…".to_owned(), problem }));
    for (problem, fault) in [
        (Problem::Truncated, Fault::Truncated),
        (Problem::Declined, Fault::Declined),
        (Problem::Nothing, Fault::Unreadable),
    ] {
        let deeds = vec![nothing(problem); 3];
        let played = play("cowboy", SHORT, &[&deeds, &[]]).await;
        let turn = &played.turns[0];
        assert_eq!(turn.actions[&seat("A")], "pass");
        assert_eq!(turn.lapses[&seat("A")].fault, fault);
        assert_eq!(turn.refused.len(), 3);
    }
}

#[tokio::test(start_paused = true)]
async fn who_is_too_slow_loses_the_turn_and_at_last_the_match() {
    let slow = vec![TestDeed::Late(200, "shield up"); 9];
    let played = play("cowboy", &[], &[&slow, &[]]).await;
    let lapses: Vec<_> = played.turns.iter().filter(|turn| turn.actions.contains_key(&seat("A"))).collect();
    assert_eq!(lapses.len(), 5);
    assert!(lapses.iter().all(|turn| turn.lapses[&seat("A")].fault == Fault::TooSlow));
    assert_eq!(lapses[4].actions[&seat("A")], "forfeit");
    assert_eq!(lapses[0].micros[&seat("A")], 120_000_000);
    let outcome = played.end.expect("it ends");
    assert_eq!((outcome.reason, outcome.winner()), (Reason::Forfeit, Some(seat("B"))));
}

#[tokio::test(start_paused = true)]
async fn only_thinking_runs_the_clock_and_the_rest_is_recorded() {
    let fields = &[("max_rounds", "3"), ("policy.turn_seconds", "30"), ("policy.total_seconds", "65")];
    let deeds = [
        TestDeed::Held(Time::Waiting, 100, 10, "shield up"),
        TestDeed::Held(Time::Backend, 600, 25, "shield up"),
        TestDeed::Held(Time::Waiting, 100, 31, "shield up"),
    ];
    let played = play("cowboy", fields, &[&deeds, &[]]).await;
    let of_a: Vec<_> = played.turns.iter().filter(|turn| turn.actions.contains_key(&seat("A"))).collect();
    let actions: Vec<_> = of_a.iter().map(|turn| turn.actions[&seat("A")].as_str()).collect();
    assert_eq!(actions, ["shield up", "shield up", "pass"]);
    assert_eq!(of_a[2].lapses[&seat("A")].fault, Fault::TooSlow);
    let seconds = |micros: &std::collections::BTreeMap<Seat, u64>| micros.get(&seat("A")).map(|it| it / 1_000_000);
    let times: Vec<_> = of_a
        .iter()
        .map(|turn| (seconds(&turn.micros), seconds(&turn.waited_micros), seconds(&turn.backend_micros)))
        .collect();
    assert_eq!(
        times,
        [(Some(10), Some(100), None), (Some(25), None, Some(600)), (Some(30), Some(100), None)],
        "thirty seconds a turn were left of sixty-five"
    );
}

/// A player that answers for a table of its own.
struct Elsewhere(View);

impl Player for Elsewhere {
    fn act<'a>(&'a mut self, ask: &'a Ask, _log: &'a TurnLog) -> BoxFuture<'a, Result<Answer, PlayerError>> {
        let view = self.0.clone();
        Box::pin(async move { Ask { view, ..ask.clone() }.answer("shield up") })
    }
}

#[tokio::test(start_paused = true)]
async fn an_action_that_was_accepted_for_another_turn_is_none() {
    let ruleset = Arc::new(Ruleset::named("cowboy").expect("built in"));
    let names = vec!["elsewhere".to_owned(), "random".to_owned()];
    let (mut game, _) = Match::open("m", ruleset, Seed(7), names).expect("opens");
    let view = game.table().view(Viewer::Seat(seat("A")));
    let random = BotPlayer::new(BotSpec::Random.seat(Seed(7)));
    let mut players: BySeat<Box<dyn Player>> =
        [Box::new(Elsewhere(view)) as Box<dyn Player>, Box::new(random)].into_iter().collect();
    let mut kept = TurnCollector::default();
    run("m", &mut game, None, &mut players, &mut kept, Duration::ZERO).await.expect("it ends");
    let of_a: Vec<_> = kept.0.iter().filter(|turn| turn.actions.contains_key(&seat("A"))).collect();
    assert_eq!(of_a[0].actions[&seat("A")], "shield up");
    assert_eq!(of_a[1].lapses[&seat("A")].fault, Fault::Crashed);
}

#[tokio::test]
async fn a_bots_action_is_never_read() {
    let ruleset = Arc::new(Ruleset::named("grid-royale").expect("built in"));
    let (mut game, _) = Match::open("m", ruleset, Seed(7), vec!["greedy".to_owned(); 3]).expect("opens");
    let bot = |seat| Box::new(BotPlayer::new(BotSpec::Greedy.seat(Seed(7).child("bot", seat)))) as Box<dyn Player>;
    let mut players: BySeat<Box<dyn Player>> = (0..3).map(bot).collect();
    READS.set(0);
    let mut kept = TurnCollector::default();
    run("m", &mut game, None, &mut players, &mut kept, Duration::ZERO).await.expect("it ends");
    assert_eq!((READS.get(), kept.0.iter().all(|turn| turn.lapses.is_empty())), (0, true));
}

#[tokio::test(start_paused = true)]
async fn what_a_player_paid_for_is_recorded_when_the_clock_cuts_it_off() {
    let call = Call { model: "tiny".to_owned(), usd: Some(0.5), ..Call::default() };
    let played = play("cowboy", SHORT, &[&[TestDeed::Say("x"), TestDeed::Lost(call.clone())], &[]]).await;
    let turn = &played.turns[0];
    assert_eq!(turn.lapses[&seat("A")].fault, Fault::TooSlow);
    assert_eq!(turn.calls[&seat("A")], [call]);
    assert_eq!(turn.refused.len(), 1, "what was refused before, too");
}

#[tokio::test(start_paused = true)]
async fn where_a_lapse_is_a_forfeit_the_first_one_ends_the_match() {
    let slow = [TestDeed::Late(200, "shield up")];
    let played = play("cowboy", &[("policy.on_lapse", "forfeit")], &[&slow, &[]]).await;
    assert_eq!(played.turns[0].actions[&seat("A")], "forfeit");
    let outcome = played.end.expect("it ends");
    assert_eq!((outcome.reason, outcome.winner()), (Reason::Forfeit, Some(seat("B"))));
}

#[tokio::test(start_paused = true)]
async fn a_players_time_for_the_whole_match_runs_out() {
    let fields = &[("max_rounds", "4"), ("policy.total_seconds", "100"), ("policy.forfeit_after", "0")];
    let slow = vec![TestDeed::Late(40, "shield up"); 4];
    let played = play("cowboy", fields, &[&slow, &[]]).await;
    let of_a: Vec<_> = played.turns.iter().filter_map(|turn| turn.actions.get(&seat("A"))).collect();
    assert_eq!(of_a, ["shield up", "shield up", "pass", "pass"], "40 s, 80 s, and then none is left");
}

#[tokio::test(start_paused = true)]
async fn patience_for_a_match_runs_out_too() {
    use TestDeed::Say;
    let fields = &[("max_rounds", "3"), ("policy.patience", "2")];
    let deeds = [Say("x"), Say("x"), Say("shield up"), Say("x"), Say("shield up")];
    let played = play("cowboy", fields, &[&deeds, &[]]).await;
    let of_a: Vec<_> = played.turns.iter().filter_map(|turn| turn.actions.get(&seat("A"))).collect();
    assert_eq!(of_a, ["shield up", "pass", "shield up"]);
}

#[tokio::test(start_paused = true)]
async fn everybody_is_asked_at_once_and_nobody_hears_before_the_turn_is_played() {
    let deeds =
        [vec![TestDeed::Late(2, "stay")], vec![TestDeed::Late(2, "stay")], vec![TestDeed::Late(2, "move north")]];
    let begun = Instant::now();
    let played = play("grid-royale", &[("max_ticks", "1")], &[&deeds[0], &deeds[1], &deeds[2]]).await;
    assert_eq!(begun.elapsed(), Duration::from_secs(2), "side by side, not one after another");
    assert_eq!(played.turns.len(), 1);
    assert!(played.heard.iter().all(|asks| asks[0].0.since.is_empty() && asks[0].0.view.turn() == 0));
}

#[tokio::test(start_paused = true)]
async fn in_a_live_royale_the_late_are_given_a_random_move_that_is_marked() {
    let slow = vec![TestDeed::Late(4, "stay"); 9];
    let ruleset = Ruleset::named("grid-royale").expect("built in").live();
    let played = play_by(ruleset, &[&slow, &[], &[]]).await;
    let lapses: Vec<_> = played.turns.iter().filter_map(|turn| turn.lapses.get(&seat("A"))).collect();
    assert_eq!(lapses.len(), 5);
    assert!(lapses[..4].iter().all(|lapse| lapse.stand_in && lapse.fault == Fault::TooSlow));
    assert!(!lapses[4].stand_in, "the fifth is a forfeit");
}

#[tokio::test(start_paused = true)]
async fn at_ones_own_pace_there_are_two_minutes_for_a_turn_in_every_ruleset() {
    for name in library::rulesets() {
        let ruleset = Ruleset::named(name).expect("built in").for_tournament(None);
        let deeds = [TestDeed::Pause(4), TestDeed::Pause(119), TestDeed::Pause(121)];
        let others: Vec<&[TestDeed]> = vec![&[]; ruleset.players.default - 1];
        let played = play_by(ruleset, &[&[&deeds[..]], others.as_slice()].concat()).await;
        let lapses =
            played.turns.iter().filter_map(|turn| Some((turn.actions.get(&seat("A"))?, turn.lapses.get(&seat("A")))));
        let lapses: Vec<_> = lapses.take(3).collect();
        assert_eq!([lapses[0].1, lapses[1].1], [None, None], "{name}");
        let late = Lapse::of(Fault::TooSlow);
        assert_eq!(lapses[2], (&"pass".to_owned(), Some(&late)), "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_player_without_a_turn_clock_has_only_that_of_the_match() {
    struct Unhurried(Puppet);
    impl Player for Unhurried {
        fn act<'a>(&'a mut self, ask: &'a Ask, log: &'a TurnLog) -> BoxFuture<'a, Result<Answer, PlayerError>> {
            self.0.act(ask, log)
        }

        fn has_turn_clock(&self) -> bool {
            false
        }
    }
    let fields =
        serde_json::json!({ "base": "paint", "turns": 2, "policy": { "turn_seconds": 5, "total_seconds": 1000 } });
    let ruleset = Arc::new(Ruleset::from_json(&fields).expect("a ruleset"));
    let (mut game, _) = Match::open("m", ruleset, Seed(7), vec!["puppet".to_owned(); 2]).expect("opens");
    let puppet =
        || Puppet { deeds: VecDeque::from([TestDeed::Pause(900), TestDeed::Pause(200)]), heard: Heard::default() };
    let mut players: BySeat<Box<dyn Player>> =
        [Box::new(Unhurried(puppet())) as Box<dyn Player>, Box::new(puppet())].into_iter().collect();
    let mut kept = TurnCollector::default();
    run("m", &mut game, None, &mut players, &mut kept, Duration::ZERO).await.expect("played");
    let late: Vec<Vec<Seat>> = kept.0.iter().map(|turn| turn.lapses.keys().copied().collect()).collect();
    assert_eq!(late, [vec![seat("B")], vec![seat("A"), seat("B")]]);
}

#[tokio::test(start_paused = true)]
async fn what_happened_since_is_told_when_asked_again() {
    let played =
        play("cowboy-classic", SHORT, &[&[TestDeed::Say("shield left")], &[TestDeed::Say("shield down")]]).await;
    assert_eq!(played.heard[1][0].0.events().len(), 1, "B hears of A's turn");
    assert_eq!(played.heard[0][1].0.events().len(), 2, "A hears of its own and of B's");
}

#[tokio::test(start_paused = true)]
async fn where_nothing_is_hidden_all_seats_share_one_view_and_one_list_of_events() {
    let played = play("paint", &[("turns", "2")], &[&[], &[], &[]]).await;
    let asks: Vec<&Ask> = played.heard.iter().map(|asks| &asks[1].0).collect();
    for ask in &asks {
        assert!(std::ptr::eq(ask.view.seen(), asks[0].view.seen()), "a view each is quadratic work");
        assert!(Arc::ptr_eq(&ask.since[0], &asks[0].since[0]), "so is a list of events each");
        assert_eq!(ask.view.viewer(), Viewer::Seat(ask.seat));
    }
}

#[tokio::test(start_paused = true)]
async fn nobody_is_told_its_own_words() {
    use TestDeed::Talk;
    let deeds: [&[TestDeed]; 3] = [&[Talk("shield up", "I am A")], &[Talk("shield left", "I am B")], &[]];
    let played = play("cowboy-classic", SHORT, &deeds).await;
    let told = |seat: usize, ask: usize| -> Vec<String> {
        played.heard[seat][ask].0.said.iter().map(|(who, words)| format!("{who}: {words}")).collect()
    };
    assert!(told(0, 0).is_empty());
    assert_eq!(told(1, 0), ["A: I am A"]);
    assert_eq!(told(2, 0), ["A: I am A", "B: I am B"]);
    assert_eq!(told(0, 1), ["B: I am B"]);
    assert!(told(1, 1).is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_backend_that_fails_suspends_the_match_and_nobody_loses() {
    let deeds = [TestDeed::Say("shield up"), TestDeed::Fail(PlayerError::Backend("503 for an hour".to_owned()))];
    let played = play("cowboy", SHORT, &[&deeds, &[]]).await;
    assert_eq!(played.turns.len(), 2, "what was played is kept");
    let stopped = played.end.expect_err("suspended").to_string();
    assert!(stopped.contains("nobody has lost") && stopped.contains("503"), "{stopped}");
    let played = play("cowboy", SHORT, &[&[TestDeed::Fail(PlayerError::Withheld("no money".to_owned()))], &[]]).await;
    let stopped = played.end.expect_err("suspended").to_string();
    assert_eq!(stopped, "the match is suspended and nobody has lost: no money");
}

#[tokio::test(start_paused = true)]
async fn who_gives_up_or_crashes_is_told_apart() {
    let played = play("cowboy", SHORT, &[&[TestDeed::Fail(PlayerError::Resigned)], &[]]).await;
    assert_eq!(played.turns[0].lapses[&seat("A")].fault, Fault::Resigned);
    assert_eq!(played.end.expect("it ends").reason, Reason::Forfeit);
    let crash = TestDeed::Fail(PlayerError::Crashed("signal 9".to_owned()));
    let played = play("cowboy", SHORT, &[&[crash], &[]]).await;
    assert_eq!(played.turns[0].lapses[&seat("A")].fault, Fault::Crashed);
    assert_eq!(played.turns[0].actions[&seat("A")], "pass");
}
