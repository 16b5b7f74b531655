//! Our user and password at sentinels, from the URL, the flags (or the keys of a profile) and the
//! environment.

use crate::args::SentinelFlags;
use crate::queue::{Address, Endpoint};

/// The variable with the password for sentinels.
pub(super) const VARIABLE: &str = "DELAYSCOPE_SENTINEL_AUTH";

/// A login for sentinels at a server that is not led to by any.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error(
    "--sentinel-user and --sentinel-pass are for sentinels: write redis-sentinel://HOST,HOST/DB?sentinelMasterId=NAME."
)]
pub struct NoSentinels;

/// Fills in who we are to the sentinels that lead to the endpoint. `usual` is the password where
/// neither flags nor URL have one; it is sent to no other server.
pub(super) fn apply(
    given: &SentinelFlags,
    usual: Option<&str>,
    endpoint: &mut Endpoint,
) -> Result<(), NoSentinels> {
    let Address::Sentinel(sentinels) = &mut endpoint.address else {
        let says_nothing = given.user.is_none() && given.password.is_none();
        return says_nothing.then_some(()).ok_or(NoSentinels);
    };
    let password = given.password.clone().filter(|typed| !typed.is_empty());
    sentinels.user = given.user.clone().or(sentinels.user.take());
    sentinels.password = password
        .or(sentinels.password.take())
        .or_else(|| usual.map(str::to_owned));
    Ok(())
}

/// Tells whether it has a password for sentinels.
pub(super) fn has_password(endpoint: &Endpoint) -> bool {
    matches!(&endpoint.address, Address::Sentinel(sentinels) if sentinels.password.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::url;

    fn login(url: &str, given: &SentinelFlags, usual: Option<&str>) -> [Option<String>; 2] {
        let mut endpoint = url::parse(url).unwrap();
        apply(given, usual, &mut endpoint).unwrap();
        let Address::Sentinel(sentinels) = endpoint.address else {
            panic!("{url} names sentinels")
        };
        [sentinels.user, sentinels.password]
    }

    #[test]
    fn a_flag_beats_the_url_and_the_url_the_environment() {
        let nothing = SentinelFlags::default();
        let typed = SentinelFlags {
            user: Some("me".into()),
            password: Some("typed".into()),
        };
        let with = "redis-sentinel://h?sentinel_username=u&sentinel_password=url";
        let of = |words: [&str; 2]| words.map(|word| Some(word.to_owned()));
        assert_eq!(login(with, &typed, Some("env")), of(["me", "typed"]));
        assert_eq!(login(with, &nothing, Some("env")), of(["u", "url"]));
        let from_env = login("redis-sentinel://h", &nothing, Some("env"));
        assert_eq!(from_env, [None, Some("env".to_owned())]);
    }

    #[test]
    fn a_login_for_sentinels_is_never_a_login_for_a_server() {
        let mut server = url::parse("redis://h").unwrap();
        let before = server.clone();
        let typed = SentinelFlags {
            user: Some("me".into()),
            password: None,
        };
        assert_eq!(apply(&typed, None, &mut server), Err(NoSentinels));
        apply(&SentinelFlags::default(), Some("env"), &mut server).unwrap();
        assert_eq!(server, before);
    }
}
