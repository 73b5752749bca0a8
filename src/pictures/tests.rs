use std::sync::Arc;

use gif::{ColorOutput, DecodeOptions};

use super::animation::frame_svg;
use super::raster::rasterize;
use super::*;
use crate::games::dice::Seed;
use crate::games::joint::Order;
use crate::games::table::Table;
use crate::games::{Action, Joint};

/// A match of dice, frame by frame.
fn match_of(ruleset: &str, seats: usize, names: &[&str]) -> (Show, Vec<Frame>) {
    let ruleset = Arc::new(Ruleset::named(ruleset).expect("built in"));
    let names = names.iter().map(ToString::to_string).collect();
    let show = Show { ruleset: ruleset.clone(), names, language: Language::En };
    let mut table = Table::open(ruleset, seats, Seed(5)).expect("as many as can play");
    let mut dice = Seed(6).dice();
    let mut frames = vec![Frame { state: table.state(), events: Vec::new(), notes: Vec::new() }];
    while frames.len() <= 100 && table.outcome().is_none() {
        let joint: Joint<Action> =
            table.to_act().iter().map(|seat| (seat, Order::Play(table.random_legal(seat, &mut dice)))).collect();
        let events = table.play(&joint, &mut dice).expect("legal actions");
        frames.push(Frame { state: table.state(), events, notes: Vec::new() });
    }
    (show, frames)
}

/// The frames of an animation as they are seen, four bytes a pixel.
fn seen(gif: &[u8]) -> (usize, usize, Vec<Vec<u8>>) {
    let mut options = DecodeOptions::new();
    options.set_color_output(ColorOutput::RGBA);
    let mut decoder = options.read_info(gif).expect("a GIF");
    let (width, height) = (usize::from(decoder.width()), usize::from(decoder.height()));
    let mut screen = vec![0; width * height * 4];
    let mut frames = Vec::new();
    while let Some(frame) = decoder.read_next_frame().expect("a frame") {
        let wide = usize::from(frame.width);
        for (at, pixel) in frame.buffer.chunks_exact(4).enumerate().filter(|(_, pixel)| pixel[3] > 0) {
            let (x, y) = (usize::from(frame.left) + at % wide, usize::from(frame.top) + at / wide);
            screen[(y * width + x) * 4..][..4].copy_from_slice(pixel);
        }
        frames.push(screen.clone());
    }
    (width, height, frames)
}

/// How far two pictures are apart: the mean over all channels, and the share of pixels that anybody would call different.
fn apart(one: &[u8], other: &[u8]) -> (f64, f64) {
    assert_eq!(one.len(), other.len());
    let (mut sum, mut far) = (0_u64, 0_u32);
    for (a, b) in one.chunks_exact(4).zip(other.chunks_exact(4)) {
        let off = (0..3).map(|at| a[at].abs_diff(b[at])).max().unwrap_or(0);
        sum += u64::from(off);
        far += u32::from(off > 40);
    }
    let pixels = f64::from(u32::try_from(one.len() / 4).expect("a picture"));
    (f64::from(u32::try_from(sum).expect("few")) / pixels, f64::from(far) / pixels)
}

#[test]
fn every_frame_of_an_animation_is_the_drawing_of_its_turn() {
    for (ruleset, seats) in [("cowboy", 4), ("paint", 3), ("grid-royale", 8), ("trails", 2)] {
        let (show, frames) = match_of(ruleset, seats, &["牛仔", "greedy", "random"]);
        let gif = render_gif(&show, &frames, &(0..=frames.len())).expect("it is drawn");
        let (width, height, shown) = seen(&gif);
        assert_eq!(shown.len(), frames.len());
        for (at, frame) in frames.iter().enumerate().step_by(7) {
            let (wide, high, svg) = frame_svg(&show.picture(&frame.state, &frame.events)).expect("it is drawn");
            assert_eq!((wide as usize, high as usize), (width, height));
            let drawn = rasterize(&svg, wide, high).expect("it is painted");
            let (mean, far) = apart(&shown[at], drawn.data());
            assert!(mean < 2.0 && far < 0.002, "{ruleset} turn {at}: {mean:.2} {far:.4}");
        }
    }
}

#[test]
fn an_animation_of_some_turns_has_these_and_no_others() {
    let (show, frames) = match_of("cowboy", 2, &["one", "two"]);
    let gif = render_gif(&show, &frames, &(10..=14)).expect("it is drawn");
    assert_eq!(seen(&gif).2.len(), 5);
    assert!(matches!(render_gif(&show, &frames, &(500..=501)), Err(PictureError::NoTurns(_))));
}

#[test]
fn colours_are_written_out_for_renderers_without_style_sheets() {
    let (show, frames) = match_of("cowboy", 2, &["one", "two"]);
    let picture = show.picture(&frames[30].state, &frames[30].events);
    for svg in [render_svg(&picture), render_card(&picture)] {
        assert!(!svg.contains("var("));
        let (start, end) = (svg.find("<style>").expect("a style"), svg.find("</style>").expect("its end"));
        let bare = format!("{}{}", &svg[..start], &svg[end + 8..]);
        for tag in
            bare.split('<').filter(|tag| ["rect", "circle", "path", "text"].iter().any(|name| tag.starts_with(name)))
        {
            assert!(tag.contains("fill=\"") || tag.contains("stroke=\""), "{tag}");
        }
        // What is left of the style sheet is for dark pages only: without it the picture is the same.
        let size = if svg == render_card(&picture) { (1200, 630) } else { (900, 500) };
        let (with, without) = (rasterize(&svg, size.0, size.1), rasterize(&bare, size.0, size.1));
        assert_eq!(with.expect("painted").data(), without.expect("painted").data());
    }
}

#[test]
fn a_card_has_the_size_of_link_previews_and_shows_chinese_names() {
    let (show, frames) = match_of("cowboy", 2, &["牛仔", "神枪手"]);
    let picture = show.picture(&frames[9].state, &frames[9].events);
    let png = render_png(&picture).expect("it is drawn");
    assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
    assert_eq!((&png[16..20], &png[20..24]), (&1200_u32.to_be_bytes()[..], &630_u32.to_be_bytes()[..]));
    // Characters that the font lacks would all be the same empty box.
    let ink = |text: &str| {
        let svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"40\" height=\"40\"><text y=\"30\" font-size=\"30\">{text}</text></svg>"
        );
        rasterize(&svg, 40, 40).expect("painted").data().to_vec()
    };
    assert!(ink("牛") != ink("枪") && ink("牛").iter().any(|byte| *byte > 0));
}

#[test]
fn a_page_that_replays_has_everything_in_it_and_nothing_escapes_from_it() {
    let (mut show, frames) = match_of("paint", 2, &["one", "two"]);
    show.names[0] = "</script><script>alert(1)</script>".to_owned();
    let html = render_html(&show, &frames, Surroundings::Alone);
    assert!(
        !html.contains("src=") && !html.contains("href=\"") && !html.contains("alert(1)</script>"),
        "{}",
        &html[..400]
    );
    let data = html.split_once("id=\"reel\">").and_then(|(_, rest)| rest.split_once("</script>")).expect("the data").0;
    let reel: serde_json::Value = serde_json::from_str(data).expect("JSON");
    assert_eq!(reel["frames"].as_array().map(Vec::len), Some(frames.len()));
    assert_eq!(reel["seats"][0][1], show.names[0]);
}
