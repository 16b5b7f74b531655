//! TLS to the server, from the URL and the flags (or the keys of a profile, which mean the same).

use crate::args::TlsFlags;
use crate::queue::{Address, Endpoint, Identity, Tls, Verify};

/// The reason why flags or keys of TLS make no sense together.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum BadTls {
    /// A certificate without its key, or the other way round.
    #[error("a certificate of ours needs its key, and a key its certificate: give cert and key.")]
    HalfIdentity,
    /// TLS on a unix socket.
    #[error("a unix socket speaks no TLS: leave the flags of TLS out.")]
    Socket,
}

/// Makes the endpoint one of TLS as the flags say; without any, it stays as its URL has it.
pub(super) fn apply(flags: &TlsFlags, endpoint: &mut Endpoint) -> Result<(), BadTls> {
    let given = flags.clone();
    let named = given.sni.is_some() || given.cacert.is_some() || given.cacertdir.is_some();
    let shown = given.cert.is_some() || given.key.is_some();
    let checks = given.verify.is_some() || given.insecure;
    if !(given.tls || named || shown || checks) {
        return Ok(());
    }
    if matches!(endpoint.address, Address::Unix(_)) {
        return Err(BadTls::Socket);
    }
    let before = endpoint.tls.take().unwrap_or_default();
    let identity = match (given.cert, given.key) {
        (Some(cert), Some(key)) => Some(Identity { cert, key }),
        (None, None) => before.identity,
        _ => return Err(BadTls::HalfIdentity),
    };
    let insecure = given.insecure.then_some(Verify::None);
    endpoint.tls = Some(Tls {
        verify: given.verify.or(insecure).unwrap_or(before.verify),
        name: given.sni.or(before.name),
        ca_file: given.cacert.or(before.ca_file),
        ca_dir: given.cacertdir.or(before.ca_dir),
        identity,
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::url;

    fn applied(url: &str, flags: &TlsFlags) -> Result<Option<Tls>, BadTls> {
        let mut endpoint = url::parse(url).unwrap();
        apply(flags, &mut endpoint).map(|()| endpoint.tls)
    }

    #[test]
    fn any_flag_of_tls_means_tls() {
        let flags = |set: fn(&mut TlsFlags)| {
            let mut flags = TlsFlags::default();
            set(&mut flags);
            flags
        };
        let each: [fn(&mut TlsFlags); 6] = [
            |f| f.tls = true,
            |f| f.sni = Some("x".into()),
            |f| f.cacert = Some("x".into()),
            |f| f.cacertdir = Some("x".into()),
            |f| f.verify = Some(Verify::Ca),
            |f| f.insecure = true,
        ];
        for set in each {
            assert!(applied("redis://h", &flags(set)).unwrap().is_some());
        }
        assert_eq!(applied("redis://h", &TlsFlags::default()), Ok(None));
        let insecure = applied("rediss://h", &flags(|f| f.insecure = true));
        assert_eq!(insecure.unwrap().unwrap().verify, Verify::None);
    }

    #[test]
    fn flags_add_to_what_a_profile_says() {
        let mut endpoint = url::parse("rediss://h").unwrap();
        let of_profile = TlsFlags {
            cacert: Some("/ca.pem".into()),
            cert: Some("/c.pem".into()),
            key: Some("/k.pem".into()),
            ..TlsFlags::default()
        };
        apply(&of_profile, &mut endpoint).unwrap();
        let typed = TlsFlags {
            sni: Some("inner".into()),
            ..TlsFlags::default()
        };
        apply(&typed, &mut endpoint).unwrap();
        let tls = endpoint.tls.unwrap();
        assert_eq!(tls.ca_file, Some("/ca.pem".into()));
        assert_eq!(tls.name.as_deref(), Some("inner"));
        assert_eq!(tls.identity.unwrap().key.to_str(), Some("/k.pem"));
    }

    #[test]
    fn what_makes_no_sense_together_is_refused() {
        let half = TlsFlags {
            cert: Some("/c.pem".into()),
            ..TlsFlags::default()
        };
        assert_eq!(applied("rediss://h", &half), Err(BadTls::HalfIdentity));
        let tls = TlsFlags {
            tls: true,
            ..TlsFlags::default()
        };
        assert_eq!(applied("unix:///r.sock", &tls), Err(BadTls::Socket));
    }
}
