//! Links to matches as crawlers and chat programs read them, without a browser: pages, pictures, and what they keep back.

use serde_json::json;

use super::client::{Client, server};
use crate::serve::Server;

/// The content of a property in a page's head.
fn property(page: &str, name: &str) -> Option<String> {
    let tag = page.split('<').find(|tag| tag.contains(&format!("\"{name}\"")))?;
    Some(tag.split_once("content=\"")?.1.split_once('"')?.0.to_owned())
}

/// Where a file is, from its whole address.
fn path_of(address: &str) -> String {
    let rest = address.strip_prefix("http://127.0.0.1:").expect("an address of this server");
    rest[rest.find('/').expect("a path")..].replace("&amp;", "&")
}

#[test]
fn a_link_to_a_match_has_a_title_a_description_and_a_picture() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = server(folder.path(), &[]);
    let anybody = Client::of(&server);
    let rules = json!({ "base": "cowboy", "max_rounds": 4 });
    let (id, _) = anybody.open(&json!({ "ruleset": rules, "seats": ["random", "greedy"], "seed": 3 }));
    anybody.after(&id, 100);
    for (path, turn) in [(format!("/m/{id}"), None), (format!("/m/{id}/turn/3"), Some("turn=3"))] {
        let (status, head, page) = anybody.file(&path, "");
        let page = String::from_utf8(page).expect("text");
        assert_eq!(status, 200, "{page}");
        assert!(head.contains("text/html"));
        assert_eq!(property(&page, "og:title").as_deref(), Some("cowboy: random vs greedy"));
        assert!(property(&page, "og:url").is_some_and(|url| url.ends_with(&path)), "{page}");
        let told = property(&page, "og:description").expect("a description");
        assert!(told.contains("A random") && told.contains("B greedy"), "{told}");
        assert_eq!(property(&page, "twitter:card").as_deref(), Some("summary_large_image"));
        let image = property(&page, "og:image").expect("a picture");
        assert!(turn.is_none_or(|turn| image.contains(turn)), "{image}");
        let (status, head, png) = anybody.file(&path_of(&image), "");
        assert_eq!((status, &png[1..4]), (200, &b"PNG"[..]));
        assert!(head.to_lowercase().contains("cache-control: public"), "{head}");
        // The files of the page are found from wherever it is.
        let script = page.split("src=\"").nth(1).and_then(|rest| rest.split_once('"')).expect("a script").0;
        let depth = path.trim_start_matches('/').matches('/').count();
        assert_eq!(script, format!("{}board.js", "../".repeat(depth)));
    }
    let (_, _, page) = anybody.file(&format!("/m/{id}?lang=zh"), "");
    let page = String::from_utf8(page).expect("text");
    assert_eq!(property(&page, "og:title").as_deref(), Some("cowboy: random 对 greedy"));
    // Any other address of the page is the page; where there is nothing, it says so.
    for path in ["/p/random", "/matches", "/rules/cowboy", "/new"] {
        assert_eq!(anybody.file(path, "").0, 200, "{path}");
    }
    for path in ["/t/cup", "/p/somebody", "/m/nothing", "/rules/nothing"] {
        let (status, _, page) = anybody.file(path, "");
        assert!(status == 404 && String::from_utf8_lossy(&page).contains("<main"), "{path}: {status}");
    }
    assert_eq!(anybody.file("/m/nothing.png", "").0, 404);
    let (status, _, page) = anybody.file("/nowhere", "Accept: text/html\r\n");
    assert!(status == 404 && String::from_utf8_lossy(&page).contains("<main"));
}

#[test]
fn pictures_of_a_match_are_files_of_their_kinds_and_asked_for_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = server(folder.path(), &[]);
    let anybody = Client::of(&server);
    let rules = json!({ "base": "paint", "turns": 6 });
    let (id, _) = anybody.open(&json!({ "ruleset": rules, "seats": ["random", "greedy"], "seed": 3 }));
    anybody.after(&id, 100);
    for (path, kind, begins) in [
        (format!("/m/{id}.svg"), "image/svg+xml", &b"<svg"[..]),
        (format!("/m/{id}.svg?card=true&lang=zh&turn=2"), "image/svg+xml", b"<svg"),
        (format!("/m/{id}.png?turn=0"), "image/png", b"\x89PNG"),
        (format!("/m/{id}.gif?from=2&to=4"), "image/gif", b"GIF89a"),
        (format!("/m/{id}/embed"), "text/html", b"<!DOCTYPE html>"),
    ] {
        let (status, head, bytes) = anybody.file(&path, "");
        assert!(status == 200 && head.contains(kind) && bytes.starts_with(begins), "{path}: {head}");
        assert!(!head.contains("frame-ancestors"), "any page may show it, also one from a file: {head}");
        assert!(!head.to_lowercase().contains("x-frame-options"), "{head}");
        if let Some(tag) = head.lines().find_map(|line| line.strip_prefix("etag: ")) {
            assert_eq!(anybody.file(&path, &format!("If-None-Match: {tag}\r\n")).0, 304);
        }
    }
    for wrong in ["?turn=7", "?from=5&to=2", "?turn=x", "?colour=red"] {
        assert_eq!(anybody.file(&format!("/m/{id}.gif{wrong}"), "").0, 400, "{wrong}");
    }
}

#[test]
fn nothing_that_is_hidden_or_sealed_is_in_a_shared_picture() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = server(folder.path(), &[]);
    let anybody = Client::of(&server);
    let policy = json!({ "turn_seconds": 0, "tick_seconds": 0 });
    let rules = json!({ "base": "grid-royale-fog", "max_ticks": 2, "policy": policy });
    let (id, seats) = anybody.open(&json!({ "ruleset": rules, "seats": ["me", "me"], "seed": 7, "ticks": false }));
    let forms = [".svg", ".png", ".gif", "/embed"];
    let play = |turn: u64| {
        for seat in &seats {
            seat.act(&id, &json!({ "action": "stay", "turn": turn })).expect(200);
        }
        seats[0].after(&id, turn);
    };
    play(0);
    for form in forms {
        assert_eq!(anybody.file(&format!("/m/{id}{form}"), "").0, 409, "{form}");
        assert_eq!(seats[0].file(&format!("/m/{id}{form}"), "").0, 409, "{form}: a picture is for everybody");
    }
    let (_, _, page) = anybody.file(&format!("/m/{id}"), "");
    assert_eq!(property(&String::from_utf8_lossy(&page), "og:image"), None);
    play(1);
    for form in forms {
        assert_eq!(anybody.file(&format!("/m/{id}{form}"), "").0, 200, "{form}: it is over");
    }
    // A sealed action changes no byte of what is shared.
    let rules = json!({ "base": "paint", "turns": 3 });
    let (id, seats) = anybody.open(&json!({ "ruleset": rules, "seats": ["me", "me"], "seed": 7 }));
    let all = || forms.map(|form| anybody.file(&format!("/m/{id}{form}"), "").2);
    anybody.begun(&id);
    let before = all();
    seats[0].act(&id, &json!({ "action": "shoot east", "turn": 0 })).expect(200);
    assert!(all() == before);
}

#[test]
fn a_server_that_wants_a_token_shares_nothing_without_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let token = "0123456789abcdef0123456789abcdef";
    let server = Server::start(&folder.path().join("s.db"), &["--bind", "0.0.0.0"], Some(token));
    let anybody = Client::of(&server);
    let owner = anybody.with(&json!(token));
    let (id, _) = owner.open(&json!({ "ruleset": { "base": "paint", "turns": 2 }, "seats": ["random", "greedy"] }));
    owner.after(&id, 100);
    assert_eq!(anybody.file(&format!("/m/{id}.png"), "").0, 401);
    let (status, _, page) = anybody.file(&format!("/m/{id}"), "");
    assert_eq!((status, property(&String::from_utf8_lossy(&page), "og:title")), (200, None));
    assert_eq!(owner.file(&format!("/m/{id}.png"), "").0, 200);
}

#[test]
fn an_address_at_which_nothing_is_says_so_with_its_status_and_as_a_page() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = server(folder.path(), &[]);
    let anybody = Client::of(&server);
    let (id, _) = anybody.open(&json!({ "ruleset": { "base": "paint", "turns": 2 }, "seats": ["random", "greedy"] }));
    anybody.after(&id, 100);
    let missing = ["/m/nope", "/m/nope/turn/3", "/t/nope", "/p/nope", "/rules/nope", "/join/nope", "/join/nope/secret"];
    let crooked = format!("/m/{id}/turn/abc");
    for path in missing.into_iter().chain([crooked.as_str()]) {
        let (status, head, page) = anybody.file(path, "");
        assert!(status == 404 && head.contains("text/html"), "{path}: {head}");
        let page = String::from_utf8_lossy(&page);
        let root = "../".repeat(path.matches('/').count() - 1);
        assert!(page.contains(&format!("src=\"{root}main.js\"")), "{path}: {page}");
    }
    let (own, invitation) = (format!("/m/{id}"), format!("/join/{id}"));
    for path in [own.as_str(), &invitation, "/p/greedy", "/rules/grid_royale", "/new/paint"] {
        assert_eq!(anybody.file(path, "").0, 200, "{path}");
    }
    let (_, _, page) = anybody.file("/p/greedy", "");
    assert_eq!(property(&String::from_utf8_lossy(&page), "og:title").as_deref(), Some("greedy"));
    let (_, _, page) = anybody.file("/", "");
    assert_eq!(property(&String::from_utf8_lossy(&page), "og:title").as_deref(), Some("Standoff"));
}

#[test]
fn link_previews_are_in_the_language_of_the_address_or_of_whoever_reads_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = server(folder.path(), &[]);
    let anybody = Client::of(&server);
    let (id, _) = anybody.open(&json!({ "ruleset": { "base": "paint", "turns": 2 }, "seats": ["random", "greedy"] }));
    anybody.after(&id, 100);
    let head = |path: &str, wanted: &str| {
        let (_, head, page) = anybody.file(path, &format!("Accept-Language: {wanted}\r\n"));
        assert!(head.to_lowercase().contains("vary: accept-language"), "{head}");
        let page = String::from_utf8(page).expect("text");
        ["og:locale", "og:description", "og:image"].map(|name| property(&page, name).unwrap_or_default())
    };
    let is_chinese = |text: &str| text.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c));
    for path in ["/", "/p/greedy", &format!("/m/{id}")] {
        for (wanted, chinese) in [
            ("zh-CN,zh;q=0.9,en;q=0.8", true),
            ("fr, zh-TW;q=0.5", true),
            ("en;q=0.5, zh;q=0.7", true),
            ("en-GB,zh;q=0.9", false),
            ("zh;q=0, en;q=0.1", false),
            ("fr", false),
            ("nonsense;;", false),
        ] {
            let [locale, told, image] = head(path, wanted);
            assert_eq!(locale, if chinese { "zh_CN" } else { "en_US" }, "{path} {wanted}");
            assert_eq!(is_chinese(&told), chinese, "{path} {wanted}: {told}");
            assert!(image.is_empty() || image.ends_with("lang=zh") == chinese, "{image}");
        }
        assert_eq!(head(&format!("{path}?lang=en"), "zh")[0], "en_US", "{path}");
        // What other sites add to links, and languages that there are not, change nothing.
        assert_eq!(head(&format!("{path}?fbclid=x&lang=de&turn=last"), "zh")[0], "zh_CN", "{path}");
    }
    let [_, _, image] = head(&format!("/m/{id}/turn/1"), "zh");
    let (status, _, png) = anybody.file(&path_of(&image), "");
    assert_eq!((status, &png[1..4]), (200, &b"PNG"[..]), "{image}");
}
