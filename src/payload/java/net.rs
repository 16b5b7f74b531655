//! Addresses of `java.net`, as Java prints them.

use std::net::{Ipv4Addr, Ipv6Addr};

use super::{Level, field, long, text};
use crate::payload::tree::Shape;

/// An address with the name that it was found by: `host.example/10.0.0.1`.
pub(super) fn address(levels: &[Level<'_>]) -> Option<String> {
    let name = text(levels, "hostName").map_or_else(String::new, |name| format!("{name}/"));
    let number = match field(levels, "ipaddress").map(|node| &node.shape) {
        Some(Shape::Bytes(bytes)) => {
            let bytes: [u8; 16] = bytes.as_slice().try_into().ok()?;
            format!("{}{}", Ipv6Addr::from(bytes), scope(levels))
        }
        Some(_) => return None,
        None => {
            let bits = i32::try_from(long(levels, "address")?).ok()?;
            Ipv4Addr::from(bits.cast_unsigned()).to_string()
        }
    };
    Some(name + &number)
}

/// The interface or number that an address of one link belongs to: `%eth0`, `%5`.
fn scope(levels: &[Level<'_>]) -> String {
    let is_set = matches!(
        field(levels, "scope_id_set").map(|node| &node.shape),
        Some(Shape::Bool(true))
    );
    match (text(levels, "ifname"), long(levels, "scope_id")) {
        (Some(name), _) => format!("%{name}"),
        (None, Some(id)) if is_set => format!("%{id}"),
        _ => String::new(),
    }
}

/// An address or the name of a host that was not looked up, and a port.
pub(super) fn socket(levels: &[Level<'_>]) -> Option<String> {
    let port = long(levels, "port")?;
    let Some(address) = text(levels, "addr") else {
        return Some(format!("{}:{port}", text(levels, "hostname")?));
    };
    let (name, number) = match address.rsplit_once('/') {
        Some((name, number)) => (format!("{name}/"), number),
        None => (String::new(), &*address),
    };
    Some(if number.contains(':') {
        format!("{name}[{number}]:{port}")
    } else {
        format!("{name}{number}:{port}")
    })
}
