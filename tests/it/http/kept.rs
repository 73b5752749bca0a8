//! Records in the store that say more than this program knows.

use std::path::Path;

use serde_json::json;
use standoff::games::{Seat, Seed};
use standoff::matches::SeatInfo;
use standoff::store::{Change, Location, NewMatch, Store};

use super::client::{Client, server};
use crate::records::{changed, record};

/// Puts a record into the store of the server that is about to start.
async fn keep(folder: &Path, id: &str, record: &str) {
    let store = Store::open(&Location::File(folder.join("s.db"))).await.expect("a store");
    let seats = ["A", "B"].map(|seat| {
        let seat: Seat = seat.parse().expect("a seat");
        SeatInfo::configured(seat, "random".to_owned(), None)
    });
    let new =
        NewMatch { id: id.to_owned(), ruleset: "cowboy".to_owned(), seed: Seed(101), seats: seats.into(), note: None };
    let lines = record.lines().map(ToOwned::to_owned).collect();
    let append = Change::Append { match_id: id.to_owned(), first_line: 0, lines };
    store.write(vec![Change::Open(new), append]).await.expect("kept");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_known_of_a_record_is_passed_on_and_only_positions_are_missed() {
    let folder = tempfile::tempdir().expect("a folder");
    let first = record("v1-cowboy-1.jsonl");
    let more = changed(&first, 2, "\"turn\":1,", "\"turn\":1,\"crowd\":[9],");
    let more = changed(&more, 2, "\"events\":[{", "\"events\":[{\"echo\":true,");
    let unknown = changed(&first, 1, "\"hp\":10,", "\"hp\":10,\"horses\":2,");
    keep(folder.path(), "more", &more).await;
    keep(folder.path(), "unknown", &unknown).await;
    let asked = tokio::task::spawn_blocking(move || {
        let server = server(folder.path(), &[]);
        let anybody = Client::of(&server);
        for (id, record) in [("more", &more), ("unknown", &unknown)] {
            assert_eq!(anybody.get(&format!("/matches/{id}/record")).text, *record);
        }
        let turns = anybody.get("/matches/more/turns").expect(200);
        assert_eq!(turns["turns"][0]["crowd"], json!([9]));
        assert_eq!(turns["turns"][0]["events"][0]["echo"], true);
        assert_eq!(turns["turns"][0]["state"]["game"], "cowboy");
        assert_eq!(anybody.get("/matches/more").expect(200)["state"]["turn"], 24);
        let turns = anybody.get("/matches/unknown/turns").expect(200);
        assert!(turns["no_positions"].as_str().is_some_and(|why| why.contains("horses")), "{turns}");
        assert_eq!(turns["turns"].as_array().map(Vec::len), Some(24));
        assert_eq!(turns["turns"][0]["actions"], json!({ "A": "move down" }));
        assert_eq!(turns["turns"][0]["events"][0]["type"], "moved");
        assert!(turns["turns"][0].get("state").is_none() && turns.get("start").is_none(), "{turns}");
        assert_eq!(turns["result"]["places"], json!({ "A": 1, "B": 1 }));
        assert_eq!(anybody.get("/matches/unknown").problem(409), "unknown_rules");
    });
    asked.await.expect("asked");
}
