//! Where a request really comes from, when proxies pass requests on.

use std::net::IpAddr;
use std::str::FromStr;

use axum::http::{HeaderMap, HeaderName};

/// Who asked, and by whom it was passed on, as proxies write it: each adds whom it heard it from.
const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// A proxy, or a network of them, that is believed about where requests come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrustedProxy {
    network: IpAddr,
    /// So many of the first bits are the network's.
    bits: u32,
}

/// A text is no address and no network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an address or a network, like 10.0.0.7 or 10.0.0.0/8")]
pub struct ParseProxyError;

impl FromStr for TrustedProxy {
    type Err = ParseProxyError;

    fn from_str(text: &str) -> Result<TrustedProxy, ParseProxyError> {
        let (network, bits) = text.split_once('/').map_or((text, None), |(network, bits)| (network, Some(bits)));
        let network: IpAddr = network.parse().map_err(|_| ParseProxyError)?;
        let most = if network.is_ipv4() { 32 } else { 128 };
        let bits = bits.map_or(Ok(most), str::parse).map_err(|_| ParseProxyError)?;
        if bits > most {
            return Err(ParseProxyError);
        }
        Ok(TrustedProxy { network, bits })
    }
}

impl TrustedProxy {
    fn has(self, address: IpAddr) -> bool {
        match (self.network, address) {
            (IpAddr::V4(network), IpAddr::V4(address)) => {
                let differing = network.to_bits() ^ address.to_bits();
                differing.checked_shr(32 - self.bits).unwrap_or(0) == 0
            }
            (IpAddr::V6(network), IpAddr::V6(address)) => {
                let differing = network.to_bits() ^ address.to_bits();
                differing.checked_shr(128 - self.bits).unwrap_or(0) == 0
            }
            _ => false,
        }
    }
}

/// Whether somebody is one of the proxies.
pub(super) fn is_proxy(proxies: &[TrustedProxy], address: IpAddr) -> bool {
    let address = address.to_canonical();
    proxies.iter().any(|proxy| proxy.has(address))
}

/// Where a request comes from that `peer` has sent. A proxy is believed, and nobody else: what was in the header before the
/// first proxy of ours wrote to it, anybody may have made up.
pub(super) fn origin(proxies: &[TrustedProxy], peer: IpAddr, headers: &HeaderMap) -> IpAddr {
    let mut from = peer;
    let told: Vec<&str> =
        headers.get_all(FORWARDED_FOR).iter().flat_map(|line| line.to_str().unwrap_or("?").split(',')).collect();
    for told in told.into_iter().rev() {
        if !is_proxy(proxies, from) {
            break;
        }
        let Some(before) = address(told.trim()) else { break };
        from = before;
    }
    from
}

/// An address, also where its port stands beside it.
fn address(text: &str) -> Option<IpAddr> {
    let bare = text.strip_prefix('[').and_then(|rest| rest.split_once(']')).map(|(address, _)| address);
    let with_port = || text.split_once(':').filter(|(_, port)| !port.contains(':')).map(|(address, _)| address);
    bare.or_else(with_port).unwrap_or(text).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(proxies: &[&str], peer: &str, lines: &[&str]) -> String {
        let proxies: Vec<TrustedProxy> = proxies.iter().map(|proxy| proxy.parse().expect("a proxy")).collect();
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(FORWARDED_FOR, line.parse().expect("a value"));
        }
        origin(&proxies, peer.parse().expect("an address"), &headers).to_string()
    }

    #[test]
    fn a_proxy_of_ours_is_believed_and_nobody_else() {
        for (proxies, peer, lines, expected) in [
            (&[][..], "10.0.0.1", &["203.0.113.9"][..], "10.0.0.1"),
            (&["10.0.0.1"], "203.0.113.5", &["198.51.100.1"], "203.0.113.5"),
            (&["10.0.0.1"], "10.0.0.1", &["203.0.113.9"], "203.0.113.9"),
            // Whatever somebody has written there by themselves stands before what the proxy adds.
            (&["10.0.0.1"], "10.0.0.1", &["10.0.0.1, 198.51.100.1, 203.0.113.9"], "203.0.113.9"),
            (&["10.0.0.1"], "10.0.0.1", &["198.51.100.1", "203.0.113.9"], "203.0.113.9"),
            (&["10.0.0.0/8"], "10.0.0.1", &["198.51.100.1, 203.0.113.9, 10.2.3.4"], "203.0.113.9"),
            // All are proxies: the first of them has asked.
            (&["10.0.0.0/8"], "10.0.0.1", &["10.9.9.9,10.2.3.4"], "10.9.9.9"),
            // Nothing is told, or nothing that can be read.
            (&["10.0.0.1"], "10.0.0.1", &[], "10.0.0.1"),
            (&["10.0.0.1"], "10.0.0.1", &["203.0.113.9, unknown"], "10.0.0.1"),
            (&["10.0.0.1"], "10.0.0.1", &["203.0.113.9:4711"], "203.0.113.9"),
            (&["::1"], "::1", &["[2001:db8::7]:4711"], "2001:db8::7"),
            (&["2001:db8::/32"], "2001:db8:1::1", &["2001:db9::7"], "2001:db9::7"),
            (&["127.0.0.1"], "::ffff:127.0.0.1", &["203.0.113.9"], "203.0.113.9"),
            (&["0.0.0.0/0"], "203.0.113.5", &["198.51.100.1"], "198.51.100.1"),
        ] {
            assert_eq!(found(proxies, peer, lines), expected, "{proxies:?} {peer} {lines:?}");
        }
    }

    #[test]
    fn what_is_no_address_and_no_network_is_refused() {
        for bad in
            ["", "proxy", "10.0.0", "10.0.0.0/33", "::/129", "10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/8/8", "10.0.0.1:80"]
        {
            assert_eq!(bad.parse::<TrustedProxy>(), Err(ParseProxyError), "{bad}");
        }
    }
}
