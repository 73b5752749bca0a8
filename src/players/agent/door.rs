//! The door of a seat: what an agent calls goes through it while its turn is open, and is turned away otherwise.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::{oneshot, watch};

/// The environment variable with the address of a seat.
pub const SEAT_VARIABLE: &str = "STANDOFF_SEAT";

/// The environment variable with the key of a seat.
pub const KEY_VARIABLE: &str = "STANDOFF_SEAT_KEY";

/// A tool that an agent called in its turn.
pub(super) struct ToolUse {
    /// The turn that was open when it was called.
    pub(super) turn: u32,
    pub(super) name: String,
    pub(super) arguments: String,
    pub(super) reply: oneshot::Sender<ToolReply>,
}

/// What a call of a tool comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ToolReply {
    pub(super) text: String,
    pub(super) is_error: bool,
}

impl ToolReply {
    pub(super) fn told(text: String) -> ToolReply {
        ToolReply { text, is_error: false }
    }

    pub(super) fn refused(text: String) -> ToolReply {
        ToolReply { text, is_error: true }
    }
}

/// Lets calls through while a turn is open.
#[derive(Debug)]
pub(super) struct Door {
    /// The open turn, counted from 1; 0 while none is.
    open: AtomicU64,
    uses: UnboundedSender<ToolUse>,
    /// How often the tools were listed.
    listed: watch::Sender<u64>,
}

/// Closes the door when it is dropped.
#[derive(Debug)]
pub(super) struct OpenTurn(Arc<Door>);

impl Drop for OpenTurn {
    fn drop(&mut self) {
        self.0.open.store(0, Ordering::SeqCst);
    }
}

impl Door {
    pub(super) fn new(uses: UnboundedSender<ToolUse>) -> Arc<Door> {
        Arc::new(Door { open: AtomicU64::new(0), uses, listed: watch::Sender::new(0) })
    }

    /// Somebody has listed the tools.
    pub(super) fn list(&self) {
        self.listed.send_modify(|count| *count += 1);
    }

    /// Completes when the tools are listed once more than at the time of the call.
    pub(super) fn next_list(&self) -> impl Future<Output = ()> + use<> {
        let mut listed = self.listed.subscribe();
        listed.borrow_and_update();
        async move {
            let _ = listed.changed().await;
        }
    }

    /// Opens the door for a turn.
    pub(super) fn open(door: &Arc<Door>, turn: u32) -> OpenTurn {
        door.open.store(u64::from(turn) + 1, Ordering::SeqCst);
        OpenTurn(door.clone())
    }

    /// Calls a tool. Nothing comes back where no turn is open, or it was over before there was an answer.
    pub(super) async fn call(&self, name: String, arguments: String) -> Option<ToolReply> {
        let open = self.open.load(Ordering::SeqCst).checked_sub(1)?;
        let turn = u32::try_from(open).ok()?;
        let (reply, answer) = oneshot::channel();
        self.uses.send(ToolUse { turn, name, arguments, reply }).ok()?;
        answer.await.ok()
    }
}

/// Passes lines between an agent and its seat until one of them leaves: what the command `agent-seat` does.
///
/// # Errors
/// If the seat cannot be reached.
pub async fn relay(
    address: &str,
    key: &str,
    mut input: impl AsyncRead + Unpin,
    mut output: impl AsyncWrite + Unpin,
) -> io::Result<()> {
    let mut seat = TcpStream::connect(address).await?;
    seat.set_nodelay(true)?;
    seat.write_all(format!("{key}\n").as_bytes()).await?;
    let (mut from, mut to) = seat.split();
    let inwards = async {
        tokio::io::copy(&mut input, &mut to).await?;
        to.shutdown().await
    };
    let outwards = async {
        let mut buffer = vec![0; 16 * 1024];
        loop {
            let read = tokio::io::AsyncReadExt::read(&mut from, &mut buffer).await?;
            if read == 0 {
                return io::Result::Ok(());
            }
            output.write_all(&buffer[..read]).await?;
            output.flush().await?;
        }
    };
    // Whoever leaves first ends it.
    tokio::select! {
        done = inwards => done,
        done = outwards => done,
    }
}
