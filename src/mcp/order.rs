//! Arguments in the order in which a model is to write them: it thinks in `reasoning` before it commits itself to an
//! `action`. Maps of JSON are sorted here by their keys, so the list of tools is put in order on its way out.

use std::io;
use std::pin::Pin;
use std::sync::LazyLock;
use std::task::{Context, Poll, ready};

use serde_json::{Map, Value as Json};
use tokio::io::AsyncWrite;

use super::tools;

/// What comes first, in this order.
const FIRST: [&str; 2] = ["reasoning", "action"];

/// The arguments of `act` as they are written by themselves, and as they are to be read; both are of one length.
static ARGUMENTS: LazyLock<(String, String)> = LazyLock::new(|| {
    let act = tools::all().iter().find(|tool| tool.name == "act");
    let properties = act.and_then(|tool| tool.input_schema.get("properties")).and_then(Json::as_object);
    let properties: Map<String, Json> = properties.cloned().unwrap_or_default();
    let first = FIRST.iter().filter_map(|name| properties.get_key_value(*name));
    let rest = properties.iter().filter(|(name, _)| !FIRST.contains(&name.as_str()));
    let members = first.chain(rest).map(|(name, value)| format!("{}:{value}", Json::String(name.clone())));
    let ordered = format!("{{{}}}", members.collect::<Vec<_>>().join(","));
    (Json::Object(properties).to_string(), ordered)
});

/// A message with those arguments in order; nothing where they are not in it.
pub(super) fn ordered(message: &[u8]) -> Option<Vec<u8>> {
    let (sorted, ordered) = &*ARGUMENTS;
    if message.len() < sorted.len() {
        return None;
    }
    let text = str::from_utf8(message).ok()?;
    let at = text.find(sorted)?;
    Some([&text[..at], ordered, &text[at + sorted.len()..]].concat().into_bytes())
}

/// Output on which messages are put in order. Each comes in one piece: that is how the transport writes.
pub(super) struct InOrder<W> {
    output: W,
    /// The rest of a message that was put in order.
    rest: Vec<u8>,
}

impl<W: AsyncWrite + Unpin> InOrder<W> {
    pub(super) fn new(output: W) -> InOrder<W> {
        InOrder { output, rest: Vec::new() }
    }

    fn poll_rest(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.rest.is_empty() {
            let written = ready!(Pin::new(&mut self.output).poll_write(context, &self.rest))?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.rest.drain(..written);
        }
        Poll::Ready(Ok(()))
    }
}

impl<W: AsyncWrite + Unpin> AsyncWrite for InOrder<W> {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        ready!(this.poll_rest(context))?;
        let Some(message) = ordered(bytes) else { return Pin::new(&mut this.output).poll_write(context, bytes) };
        this.rest = message;
        // What is not taken now is taken with the next call.
        if let Poll::Ready(Err(error)) = this.poll_rest(context) {
            return Poll::Ready(Err(error));
        }
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(this.poll_rest(context))?;
        Pin::new(&mut this.output).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(this.poll_rest(context))?;
        Pin::new(&mut this.output).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    #[tokio::test]
    async fn reasoning_comes_before_the_action_however_slowly_the_list_is_read() {
        let list = serde_json::to_string(tools::all()).expect("plain data");
        let (near, mut far) = tokio::io::duplex(7);
        let mut output = InOrder::new(near);
        let written = async move {
            output.write_all(list.as_bytes()).await.expect("taken");
            output.write_all(b"\n{}\n").await.expect("taken");
            output.shutdown().await.expect("closed");
            list
        };
        let mut read = String::new();
        let (list, _) = tokio::join!(written, far.read_to_string(&mut read));
        let read = read.strip_suffix("\n{}\n").expect("what follows follows");
        assert_eq!(read.len(), list.len());
        let same = |text: &str| serde_json::from_str::<Json>(text).expect("JSON");
        assert_eq!(same(read), same(&list));
        assert!(read.find("\"reasoning\":{").expect("there") < read.find("\"action\":{").expect("there"), "{read}");
        assert!(list.find("\"reasoning\":{").expect("there") > list.find("\"action\":{").expect("there"));
    }
}
