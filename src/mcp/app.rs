//! The board that hosts with MCP Apps show beside the conversation.

use std::sync::LazyLock;

/// Where hosts find it.
pub const BOARD_URI: &str = "ui://standoff/board";

/// The type that says so.
pub(super) const APP_TYPE: &str = "text/html;profile=mcp-app";

/// One self-contained page, with the drawing code of the web page in it.
pub fn board_page() -> &'static str {
    static PAGE: LazyLock<String> = LazyLock::new(|| {
        include_str!("app/board.html")
            .replace("/*BOARD_CSS*/", include_str!("../http/page/board.css"))
            .replace("/*BOARD_JS*/", include_str!("../http/page/board.js"))
    });
    &PAGE
}
