//! Clients that hang up at any moment: what they asked for happens as a whole or not at all.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

use super::arena::{House, register};
use super::*;
use crate::store::{Filter, Pace};

/// Polls a request so many times and drops it, as a server does when its client hangs up.
async fn hung_up_after<F: Future>(polls: usize, request: F) -> Option<F::Output> {
    let mut request = pin!(request);
    let mut left = polls;
    poll_fn(|context| match request.as_mut().poll(context) {
        Poll::Ready(output) => Poll::Ready(Some(output)),
        Poll::Pending if left == 0 => Poll::Ready(None),
        Poll::Pending => {
            left -= 1;
            Poll::Pending
        }
    })
    .await
}

/// No request here has more places to wait at.
const PLACES: usize = 8;

#[tokio::test]
async fn an_action_whose_client_hung_up_can_be_sent_again_with_other_reasons() {
    let house = House::new();
    let arena = house.arena().await;
    for place in 0..PLACES {
        let opened = arena.open(&request("cowboy", &["me", "greedy"])).await.expect("two can play");
        let (me, _) = &opened.mine[0];
        me.turn(LONG).await;
        hung_up_after(place, me.act(Some(0), "shield down", Some("the first reason"))).await;
        // What was written meanwhile is delivered too.
        tokio::time::sleep(Duration::from_millis(20)).await;
        me.act(Some(0), "shield down", Some("another reason")).await.unwrap_or_else(|error| panic!("{place}: {error}"));
        me.turn(LONG).await;
        assert_eq!(me.view().seen.turn(), 2, "{place}: the turn is stuck");
    }
    arena.close().await;
}

#[tokio::test]
async fn a_seat_whose_taker_hung_up_is_open_or_taken_here_and_in_the_store() {
    let house = House::new();
    let (arena, store) = (house.arena().await, house.store().await);
    for place in 0..PLACES {
        let opened = arena.open(&request("cowboy", &["me", "open"])).await.expect("two can play");
        let id = opened.live.id();
        hung_up_after(place, arena.join(id, None, "other")).await;
        // Whoever comes next waits for what was begun.
        let next = arena.join(id, None, "third").await;
        let taken = store.keys(id).await.expect("readable").iter().any(|key| key.seat == Seat::new(1));
        assert!(taken, "{place}: a seat is taken by nobody: {next:?}");
        assert_eq!(opened.live.stage(), Stage::Playing, "{place}: it has not begun");
    }
    arena.close().await;
}

#[tokio::test]
async fn one_pair_of_tickets_is_one_match() {
    let house = House::new();
    let (arena, store) = (house.arena().await, house.store().await);
    for place in 0..2 * PLACES {
        let ada = register(&arena, &format!("Ada {place}")).await;
        let bob = register(&arena, &format!("Bob {place}")).await;
        arena.queue(&ada, &wanted("paint", Some(2), false, Pace::Live)).await.expect("it waits");
        hung_up_after(place, arena.queue(&bob, &wanted("paint", Some(2), false, Pace::Live))).await;
        let bob_stands = arena.queue(&bob, &wanted("paint", Some(2), false, Pace::Live)).await.expect("matched");
        assert_eq!(bob_stands, arena.queue_status(&ada).await.expect("readable"), "{place}");
        let matches = store.matches(&Filter::default()).await.expect("readable");
        assert_eq!(matches.len(), place + 1, "{place}: one pair, two matches");
    }
    arena.close().await;
}
