//! The board that hosts with MCP Apps show beside the conversation.

/// Where hosts find it.
pub const BOARD_URI: &str = "ui://standoff/board";

/// The type that says so.
pub(super) const APP_TYPE: &str = "text/html;profile=mcp-app";

/// One self-contained page.
pub fn board_page() -> &'static str {
    include_str!("app/board.html")
}
