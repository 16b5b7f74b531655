//! The way to servers that cannot be reached where they say they are, from the flags or the keys of a
//! profile.

use crate::args::ViaFlags;
use crate::queue::Endpoint;

/// Adds to the endpoint what the flags say. Of two mappings of the same address the typed one counts.
pub(super) fn apply(given: &ViaFlags, endpoint: &mut Endpoint) {
    let via = &mut endpoint.via;
    // A typed one of the two goes before a profile's other one.
    if given.proxy.is_some() || given.tunnel_command.is_some() {
        (via.proxy, via.command) = (given.proxy.clone(), given.tunnel_command.clone());
    }
    via.alone |= given.alone;
    via.map.extend(given.map.iter().cloned());
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
        apply(&flags("socks5://of-profile", "a:1=b:1"), &mut endpoint);
        apply(&flags("socks5://typed", "a:1=c:1"), &mut endpoint);
        apply(&ViaFlags::default(), &mut endpoint);
        let via = endpoint.via;
        assert_eq!(via.proxy.as_ref().map(|proxy| &*proxy.host), Some("typed"));
        assert_eq!(via.mapped("a", 1), ("c".to_owned(), 1));
    }
}
