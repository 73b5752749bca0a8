//! The letters of pictures: fonts in the program itself, and the system's for what those lack.

use std::sync::{Arc, OnceLock};

use resvg::usvg::fontdb::{Database, ID};
use resvg::usvg::{FontResolver, Options};

/// The family of the fonts in the program.
pub(super) const FAMILY: &str = "Standoff Sans";

const REGULAR: &[u8] = include_bytes!("../../assets/fonts/standoff-sans-regular.otf");
const BOLD: &[u8] = include_bytes!("../../assets/fonts/standoff-sans-bold.otf");

static OWN: OnceLock<Arc<Database>> = OnceLock::new();
static ALL: OnceLock<Arc<Database>> = OnceLock::new();

fn own() -> Arc<Database> {
    let made = OWN.get_or_init(|| {
        let mut fonts = Database::new();
        for data in [REGULAR, BOLD] {
            fonts.load_font_source(resvg::usvg::fontdb::Source::Binary(Arc::new(data)));
        }
        fonts.set_sans_serif_family(FAMILY);
        fonts.set_serif_family(FAMILY);
        fonts.set_monospace_family(FAMILY);
        Arc::new(fonts)
    });
    made.clone()
}

/// Our own fonts and the system's, which take a while to find: only for letters that ours do not have.
fn all() -> Arc<Database> {
    let made = ALL.get_or_init(|| {
        let mut fonts = Database::clone(&own());
        fonts.load_system_fonts();
        fonts.set_sans_serif_family(FAMILY);
        fonts.set_serif_family(FAMILY);
        fonts.set_monospace_family(FAMILY);
        Arc::new(fonts)
    });
    made.clone()
}

/// How drawings are read.
pub(super) fn options() -> Options<'static> {
    let usual = FontResolver::default_fallback_selector();
    let fallback = move |c: char, tried: &[ID], fonts: &mut Arc<Database>| {
        usual(c, tried, fonts).or_else(|| {
            // What is in ours keeps its number there.
            *fonts = all();
            usual(c, tried, fonts)
        })
    };
    let font_resolver =
        FontResolver { select_font: FontResolver::default_font_selector(), select_fallback: Box::new(fallback) };
    Options { font_family: FAMILY.to_owned(), fontdb: own(), font_resolver, ..Options::default() }
}
