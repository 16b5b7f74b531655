//! Files of the user's own: nobody else reads or writes them, and no link leads to them.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Read as _};
use std::os::unix::fs::{
    DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _,
};
use std::path::Path;

use nix::fcntl::OFlag;
use nix::unistd::geteuid;

use crate::queue::shell;

/// The permission bits of a file that is not the user's alone: others may write it.
const OTHERS_WRITE: u32 = 0o022;

/// Opens a file in that way, for the user alone. One that is a link, or that others own, is refused;
/// one that others may read is closed to them.
pub(super) fn open(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    let options = options.mode(0o600).custom_flags(OFlag::O_NOFOLLOW.bits());
    let file = options.open(path).map_err(|why| told(why, path))?;
    let about = file.metadata()?;
    check_owner(about.uid(), path)?;
    if about.mode() & 0o077 != 0 && about.uid() == geteuid().as_raw() {
        file.set_permissions(Permissions::from_mode(0o600))?;
    }
    Ok(file)
}

/// Reads what a file holds.
pub(super) fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    open(OpenOptions::new().read(true), path)?.read_to_end(&mut text)?;
    Ok(text)
}

/// Makes a directory of the user's own, where there is none. One that is a link, that others own or
/// in which they may write, is refused: they could put there what is taken for the user's. (Above
/// it links are as good as any path.)
pub(super) fn dir(dir: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(dir)?;
    check(dir)
}

/// The same of one that is there.
pub(super) fn check(dir: &Path) -> io::Result<()> {
    let about = fs::symlink_metadata(dir)?;
    if about.is_symlink() {
        return Err(refused(format!(
            "{} is a link, behind which others could be; make it a directory",
            dir.display()
        )));
    }
    check_owner(about.uid(), dir)?;
    if about.mode() & OTHERS_WRITE != 0 {
        return Err(refused(format!(
            "others may write in {} (its mode is {:o}); `chmod go-w {}` closes it",
            dir.display(),
            about.mode() & 0o7777,
            shell::word(dir.as_os_str().as_encoded_bytes()),
        )));
    }
    Ok(())
}

fn check_owner(owner: u32, path: &Path) -> io::Result<()> {
    if owner == geteuid().as_raw() || owner == 0 {
        return Ok(());
    }
    Err(refused(format!(
        "{} belongs to the user {owner}",
        path.display()
    )))
}

/// A link has a code that says nothing to people.
fn told(why: io::Error, path: &Path) -> io::Error {
    if fs::symlink_metadata(path).is_ok_and(|about| about.is_symlink()) {
        return refused(format!("{} is a link; remove it", path.display()));
    }
    why
}

fn refused(why: String) -> io::Error {
    io::Error::new(io::ErrorKind::PermissionDenied, why)
}
