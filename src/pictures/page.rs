//! A match as a page that replays by itself: one file that needs no server, or one in a frame on another page.

use serde::Serialize;

use super::frames::Frame;
use super::{PictureNote, Show};
use crate::briefs::{self, Language, markup};
use crate::games::outcome::Outcome;
use crate::games::scene::Scene;
use crate::games::seat::Seat;

const SCRIPTS: [(&str, &str); 2] =
    [("board.js", include_str!("../http/page/board.js")), ("replay.js", include_str!("../http/page/replay.js"))];
const STYLES: [(&str, &str); 2] =
    [("board.css", include_str!("../http/page/board.css")), ("replay.css", include_str!("../http/page/replay.css"))];

/// Where a page finds the rest of itself.
#[derive(Clone, Copy, Debug)]
pub enum Surroundings<'a> {
    /// Everything is in the one file.
    Alone,
    /// In a frame: scripts and styles are at this address, the match is at that one.
    Framed {
        /// Where the files of the page are, as seen from this one; ends with a slash.
        root: &'a str,
        /// The match's own page.
        link: &'a str,
        /// Where further turns of a match in play are.
        more: Option<&'a str>,
    },
}

/// What the script is given.
#[derive(Serialize)]
struct Reel<'a> {
    language: Language,
    seats: Vec<(Seat, &'a str)>,
    /// The number of the first frame.
    from: usize,
    frames: Vec<Moment<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<&'a Outcome>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    link: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    more: Option<&'a str>,
}

#[derive(Serialize)]
struct Moment<'a> {
    scene: Scene,
    told: Vec<(Option<Seat>, &'a str)>,
}

/// The match from its start as a page.
pub fn render_html(show: &Show, frames: &[Frame], surroundings: Surroundings<'_>) -> String {
    let picture = frames.last().map(|frame| show.picture(&frame.state, &frame.events));
    let moment = |frame: &'_ Frame| {
        let scene = show.picture(&frame.state, &frame.events).scene;
        briefs::worded_scene(scene, show.language)
    };
    let told = |note: &'_ PictureNote| note.seat;
    let frames: Vec<Moment<'_>> = frames
        .iter()
        .map(|frame| Moment {
            scene: moment(frame),
            told: frame.notes.iter().map(|note| (told(note), note.text())).collect(),
        })
        .collect();
    let (link, more) = match surroundings {
        Surroundings::Alone => (None, None),
        Surroundings::Framed { link, more, .. } => (Some(link), more),
    };
    let result = picture.as_ref().and_then(|picture| picture.scene.outcome.as_ref());
    let reel = Reel {
        language: show.language,
        seats: (0..).map(Seat::new).zip(show.names.iter().map(String::as_str)).collect(),
        from: 0,
        frames,
        result,
        verdict: picture.as_ref().and_then(super::Picture::result),
        link,
        more,
    };
    // Nothing that a player wrote can end the script that it is in.
    let data = serde_json::to_string(&reel).expect("plain data").replace('<', "\\u003c");
    let title = markup(&title(show));
    let lang = if show.language == Language::Zh { "zh-CN" } else { "en" };
    let head = |name: &str, text: &str, tag: &str| match surroundings {
        Surroundings::Alone => format!("<{tag}>{text}</{tag}>\n"),
        Surroundings::Framed { root, .. } if tag == "style" => {
            format!("<link rel=\"stylesheet\" href=\"{root}{name}\">\n")
        }
        Surroundings::Framed { root, .. } => format!("<script src=\"{root}{name}\"></script>\n"),
    };
    let styles: String = STYLES.iter().map(|(name, text)| head(name, text, "style")).collect();
    let scripts: String = SCRIPTS.iter().map(|(name, text)| head(name, text, "script")).collect();
    format!(
        "<!DOCTYPE html>\n<html lang=\"{lang}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n{styles}</head>\n<body>\n\
         <main id=\"replay\"></main>\n<script type=\"application/json\" id=\"reel\">{data}</script>\n{scripts}</body>\n</html>\n"
    )
}

/// Who plays what.
pub fn title(show: &Show) -> String {
    let names: Vec<String> = show.names.iter().map(|name| super::text::clean(name)).collect();
    let names = names.join(match show.language {
        Language::En => " vs ",
        Language::Zh => " 对 ",
    });
    format!("{}: {names}", show.ruleset.name)
}
