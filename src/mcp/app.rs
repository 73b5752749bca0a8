//! The board that hosts with MCP Apps show beside the conversation.

use std::sync::LazyLock;

use rmcp::RoleServer;
use rmcp::service::RequestContext;

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

/// The name under which hosts say that they draw such pages.
const EXTENSION: &str = "io.modelcontextprotocol/ui";

/// Whether a host draws pages beside the conversation. What only those need is sent to nobody else.
pub(super) fn can_draw(context: &RequestContext<RoleServer>) -> bool {
    let extensions = context.client_capabilities().and_then(|capabilities| capabilities.extensions);
    extensions.is_some_and(|extensions| extensions.contains_key(EXTENSION))
}
