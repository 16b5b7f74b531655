//! The way to servers that cannot be reached where they say they are, from the flags or the keys of a
//! profile.

use crate::args::ViaFlags;
use crate::queue::{Address, Endpoint};

/// One node alone where sentinels lead to whichever is the master.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error(
    "--node is for the node of a cluster, and sentinels lead to the master. Leave it out, or name the server itself by host and port."
)]
pub struct NodeOfSentinels;

/// Adds to the endpoint what the flags say. Of two mappings of the same address the typed one counts.
pub(super) fn apply(given: &ViaFlags, endpoint: &mut Endpoint) -> Result<(), NodeOfSentinels> {
    if given.alone && matches!(endpoint.address, Address::Sentinel(_)) {
        return Err(NodeOfSentinels);
    }
    let via = &mut endpoint.via;
    // A typed one of the two goes before a profile's other one.
    if given.proxy.is_some() || given.tunnel_command.is_some() {
        (via.proxy, via.command) = (given.proxy.clone(), given.tunnel_command.clone());
    }
    via.alone |= given.alone;
    via.map.extend(given.map.iter().cloned());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::url;

    #[test]
    fn what_is_typed_goes_before_what_a_profile_says() {
        let flags = |proxy: &str, map: &str| ViaFlags {
            proxy: proxy.parse().ok(),
            map: vec![map.parse().unwrap()],
            ..ViaFlags::default()
        };
        let mut endpoint = url::default();
        apply(&flags("socks5://of-profile", "a:1=b:1"), &mut endpoint).unwrap();
        apply(&flags("socks5://typed", "a:1=c:1"), &mut endpoint).unwrap();
        apply(&ViaFlags::default(), &mut endpoint).unwrap();
        let via = endpoint.via;
        assert_eq!(via.proxy.as_ref().map(|proxy| &*proxy.host), Some("typed"));
        assert_eq!(via.mapped("a", 1), ("c".to_owned(), 1));
    }

    #[test]
    fn one_node_alone_is_refused_where_sentinels_lead_to_the_master() {
        let alone = ViaFlags {
            alone: true,
            ..ViaFlags::default()
        };
        let refused = |url: &str| {
            let mut endpoint = url::parse(url).unwrap();
            apply(&alone, &mut endpoint).err()
        };
        let led = "redis-sentinel://h?sentinelMasterId=m";
        assert_eq!(refused(led), Some(NodeOfSentinels));
        assert_eq!(refused("redis://h"), None);
        assert_eq!(refused("unix:///s"), None);
    }
}
