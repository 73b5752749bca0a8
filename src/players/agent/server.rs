//! The MCP server of one seat, on a loopback address that its key opens.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, Implementation, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool as McpTool,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler, ServiceExt as _};
use serde_json::json;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::task::JoinSet;

use super::door::{Door, ToolUse};
use crate::briefs::{Language, Tool, tool_text};
use crate::players::model::ThinkingFirst;

/// A line of the key is never longer.
const MAX_KEY: u64 = 200;

/// A seat's tools, served to whoever has the key. Dropped, it lets everybody go.
#[derive(Debug)]
pub(super) struct Listening {
    door: Arc<Door>,
    address: SocketAddr,
    key: String,
    /// Its tasks end with it.
    _tasks: JoinSet<()>,
}

impl Listening {
    /// Opens an address for these tools.
    ///
    /// # Errors
    /// If the system gives no port or no random numbers.
    pub(super) async fn open(
        tools: Vec<Tool>,
        language: Language,
    ) -> io::Result<(Listening, UnboundedReceiver<ToolUse>)> {
        let (sender, uses) = unbounded_channel();
        let door = Door::new(sender);
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).map_err(io::Error::other)?;
        let key = format!("{:032x}", u128::from_be_bytes(bytes));
        let server = SeatServer { door: door.clone(), tools: tools.iter().map(mcp_tool).collect(), language };
        let (wanted, mut tasks) = (key.clone(), JoinSet::new());
        tasks.spawn(async move {
            let mut sessions = JoinSet::new();
            while let Ok((socket, _)) = listener.accept().await {
                while sessions.try_join_next().is_some() {}
                sessions.spawn(serve(server.clone(), socket, wanted.clone()));
            }
        });
        Ok((Listening { door, address, key, _tasks: tasks }, uses))
    }

    pub(super) fn door(&self) -> &Arc<Door> {
        &self.door
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(super) fn key(&self) -> &str {
        &self.key
    }
}

/// Serves one connection, if its first line is the key.
async fn serve(server: SeatServer, socket: TcpStream, key: String) {
    let (from, mut to) = socket.into_split();
    let mut from = BufReader::new(from);
    let mut line = String::new();
    let read = (&mut from).take(MAX_KEY).read_line(&mut line).await;
    // Both are digests of chance: how long a comparison takes tells nothing that helps.
    if read.is_err() || line.trim_end() != key {
        return;
    }
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let (ours_in, ours_out) = tokio::io::split(ours);
    let outwards = async move {
        let mut lines = BufReader::new(ours_in).lines();
        while let Ok(Some(line)) = lines.next_line().await {
            // Models write the fields of a schema in its order: thinking comes before the action.
            let line = match serde_json::from_str(&line) {
                Ok(json) => serde_json::to_string(&ThinkingFirst(&json)).unwrap_or(line),
                Err(_) => line,
            };
            if to.write_all(format!("{line}\n").as_bytes()).await.is_err() {
                return;
            }
        }
    };
    let session = async move {
        if let Ok(running) = server.serve((from, theirs)).await {
            let _ = running.waiting().await;
        }
    };
    // The session writes into one end of the pipe, and the other is read until it is closed.
    drop(ours_out);
    tokio::join!(outwards, session);
}

fn mcp_tool(tool: &Tool) -> McpTool {
    let schema = tool.input_schema.as_object().cloned().unwrap_or_default();
    McpTool::new(tool.name, tool.description.clone(), Arc::new(schema))
}

/// A session of an agent with its seat.
#[derive(Clone, Debug)]
struct SeatServer {
    door: Arc<Door>,
    tools: Vec<McpTool>,
    language: Language,
}

impl ServerHandler for SeatServer {
    fn get_info(&self) -> ServerConfig {
        let mut info = ServerConfig::new(ServerCapabilities::builder().enable_tools().build());
        info.server_info = Implementation::new("standoff", env!("CARGO_PKG_VERSION"));
        info.instructions = Some(tool_text("agent.server", json!({}), self.language));
        info
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        self.door.list();
        Ok(ListToolsResult { tools: self.tools.clone(), ..ListToolsResult::default() })
    }

    fn get_tool(&self, name: &str) -> Option<McpTool> {
        self.tools.iter().find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        params: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = serde_json::Value::Object(params.arguments.unwrap_or_default()).to_string();
        let reply = self.door.call(params.name.into_owned(), arguments).await;
        let (text, is_error) = match reply {
            Some(reply) => (reply.text, reply.is_error),
            None => (tool_text("agent.not_now", json!({}), self.language), false),
        };
        let content = vec![ContentBlock::text(text)];
        let result = if is_error { CallToolResult::error(content) } else { CallToolResult::success(content) };
        Ok(result.into())
    }
}
