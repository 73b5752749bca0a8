//! Two processes on one store, and answers that are asked for again.

use super::arena::{House, register};
use super::*;
use crate::store::{Change, Filter, Pace};

/// Lets the lease of whoever plays a match run out.
async fn run_out(store: &Store, match_id: &str) {
    let owner = store.owner_of(match_id).await.expect("readable").expect("somebody plays it");
    store.write(vec![Change::EndLease { id: owner.process.id }]).await.expect("kept");
}

#[tokio::test]
async fn a_process_that_lost_a_match_acknowledges_nothing_more() {
    let house = House::new();
    let (one, other) = (house.arena().await, house.arena().await);
    let opened = one.open(&request("cowboy", &["me", "greedy"])).await.expect("two can play");
    let ((me, key), id) = (&opened.mine[0], opened.live.id());
    me.turn(LONG).await;
    assert!(matches!(other.watch(id).await, Err(ArenaError::Elsewhere { .. })), "it is played there");
    run_out(&house.store().await, id).await;
    let there = other.seat(key).await.expect("its owner is gone");
    there.turn(LONG).await;
    there.act(Some(0), "shield down", None).await.expect("legal");
    // The first has not noticed yet; what it is sent now is refused, and it says who plays the match.
    let refused = me.act(Some(0), "move down", None).await.expect_err("it is not its own");
    assert!(matches!(&refused, ActError::Arena(error) if matches!(**error, ArenaError::Elsewhere { .. })), "{refused}");
    assert!(opened.live.is_closed(), "whoever follows it here is sent away");
    there.turn(LONG).await;
    assert_eq!(there.live().turns_after(0)[0].actions[&me.seat()], "shield down");
    other.close().await;
    assert_eq!(one.seat(key).await.expect("it is free").view().seen.turn(), 2, "it comes back");
    one.close().await;
}

#[tokio::test]
async fn the_same_question_has_the_same_answer_after_a_restart_too() {
    let house = House::new();
    let key = |text: &str| IdempotencyKey::new("ada", text).expect("a key");
    let (wish, joining) = (request("cowboy", &["me", "open"]), Joining::Named("other".to_owned()));
    let mut answers = Vec::new();
    for _ in 0..2 {
        let arena = house.arena().await;
        for _ in 0..2 {
            let opened = arena.open_once(&wish, Some(&key("open"))).await.expect("two can play");
            let (me, mine) = &opened.mine[0];
            let invite = opened.invite.clone().expect("a seat is open");
            let joined = arena.join_once(opened.live.id(), None, &joining, Some(&invite), Some(&key("join"))).await;
            let (other, others) = joined.expect("a seat is open");
            me.turn(LONG).await;
            // Without a turn: the next one must not be taken for it.
            let receipt = me.act_once(None, "shield down".into(), None, None, Some("act")).await.expect("legal");
            assert_eq!((receipt.turn, receipt.action.as_str()), (0, "shield down"));
            if answers.is_empty() {
                // When it is asked again, it is no longer to act.
                other.turn(LONG).await;
            }
            let theirs =
                other.act_once(None, "shield up".into(), Some("why not"), None, Some("act")).await.expect("legal");
            assert_eq!(theirs.turn, 1);
            let secrets = [mine.reveal().to_owned(), others.reveal().to_owned(), invite];
            answers.push((opened.live.id().to_owned(), other.seat(), secrets));
        }
        let reused = arena.open_once(&request("paint", &["me", "open"]), Some(&key("open"))).await;
        assert_eq!(reused.expect_err("another question"), ArenaError::KeyReused);
        arena.close().await;
    }
    assert!(answers.windows(2).all(|pair| pair[0] == pair[1]), "{answers:?}");
    assert_eq!(house.store().await.matches(&Filter::default()).await.expect("readable").len(), 1);
    let bytes = std::fs::read(house.path()).expect("a file");
    let (_, _, secrets) = &answers[0];
    for secret in secrets {
        assert!(!bytes.windows(secret.len()).any(|window| window == secret.as_bytes()), "a secret is in the store");
    }
}

#[tokio::test]
async fn an_answer_that_got_lost_can_be_asked_for() {
    let house = House::new();
    let arena = house.arena().await;
    let key = IdempotencyKey::new("ada", "lost").expect("a key");
    let wish = request("cowboy", &["me", "open"]);
    // Both at once: one match comes of it.
    let (one, other) = tokio::join!(arena.open_once(&wish, Some(&key)), arena.open_once(&wish, Some(&key)));
    let (one, other) = (one.expect("opened"), other.expect("opened"));
    assert_eq!((one.live.id(), one.mine[0].1.reveal()), (other.live.id(), other.mine[0].1.reveal()));
    let ada = register(&arena, "Ada").await;
    let queue = async || {
        arena.queue_once(&ada, &wanted("paint", Some(2), false, Pace::Live), Some(&key), None).await.expect("it waits")
    };
    let first = queue().await;
    assert_eq!(queue().await, first);
    arena.leave_queue(&ada).await.expect("it leaves");
    assert_eq!(queue().await, Queued::Idle, "the ticket of that question is gone; asking again makes no other");
    for bad in ["", " ", "two words", "\u{7}"] {
        assert_eq!(IdempotencyKey::new("ada", bad).expect_err("no key"), ArenaError::BadKey);
    }
    arena.close().await;
}
