//! A slow look at the server: `INFO`, the clients, the scripts it remembers. What it refuses was
//! found out when the link was made, and is left out.

use std::sync::Arc;

use futures_util::future::join_all;
use redis::{Pipeline, Value};

use super::super::error::{StoreError, words};
use super::super::link::wire::time_us;
use super::super::link::{LIMIT, Store};
use crate::clock::EpochMillis;
use crate::queue::fleet::ClusterView;
use crate::queue::look::{Client, Clients, Info, LookAsk, Scripts};
use crate::queue::{Known, NodeLook, Optional, ServerLook, text};

/// The sections that are read; the last one by a whole look only.
const SECTIONS: [&str; 7] = [
    "memory",
    "stats",
    "persistence",
    "replication",
    "cluster",
    "errorstats",
    "commandstats",
];

/// The scripts that Redisson clients leave in the server's cache: transfer and offer of 2.7.0 to
/// 3.21.0, then of 3.21.1 to 4.7.0.
const SCRIPTS: [&str; 4] = [
    "78d2ea980580b285865f2db54663f281dc326a78",
    "123f42e8b1ae89f7c826c32644ddb9cb57fd2a9f",
    "a3a86b949561b56e14c274ad54368afeff259bc8",
    "c04f7fc56f47093daaea1bdbaacf49c8c619f98e",
];

/// Takes a look, in one round trip; in a cluster at all nodes that own slots, at the same time. One
/// that does not answer is left out.
pub async fn look(store: &Store, asked: LookAsk) -> Result<ServerLook, StoreError> {
    let nodes = store.nodes().await;
    let each = nodes.into_iter().map(async |(node, slots)| {
        let (look, view) = tokio::join!(look_at(&node, asked), view(&node));
        let look = look.ok()?;
        let link = node.link().borrow().clone();
        let node = NodeLook {
            address: node.endpoint().address.to_string().into(),
            slots,
            link,
            look,
        };
        Some((node, view))
    });
    let (here, nodes) = tokio::join!(look_at(store, asked), join_all(each));
    let (mut nodes, views): (Vec<_>, Vec<_>) = nodes.into_iter().flatten().unzip();
    let views: Vec<_> = views.into_iter().flatten().collect();
    for node in &mut nodes {
        node.look.views.clone_from(&views);
    }
    Ok(ServerLook {
        nodes,
        views,
        sentinels: store.sentinels(),
        ..here?
    })
}

/// Reads which process the server is, and how often each command was called; none: it does not tell.
pub async fn calls(store: &Store) -> Option<Info> {
    let mut info = Info::default();
    if store.why_refused(Optional::Info).is_some() {
        return None;
    }
    let mut ask = Pipeline::new();
    ask.cmd("INFO").arg("server");
    ask.cmd("INFO").arg("commandstats");
    let answers = store.query("tell about itself", &ask, LIMIT).await.ok()?;
    for section in answers {
        info.read(&text_of(section).ok()?);
    }
    Some(info)
}

/// Reads all nodes of a cluster, as this one tells of them; none: it does not.
async fn view(node: &Store) -> Option<Arc<ClusterView>> {
    const ATTEMPT: &str = "tell of the nodes of its cluster";
    if node.why_refused(Optional::ClusterNodes).is_some() {
        return None;
    }
    let mut ask = Pipeline::new();
    ask.cmd("CLUSTER").arg("NODES");
    let answer = node.query(ATTEMPT, &ask, LIMIT).await.ok()?.pop()?;
    match answer {
        Value::ServerError(error) if error.code() == "NOPERM" => {
            node.refuse(Optional::ClusterNodes, words(&error));
            None
        }
        answer => {
            let asked = node.endpoint().address.to_string();
            Some(ClusterView::read(&text_of(answer).ok()?, &asked).into())
        }
    }
}

async fn look_at(store: &Store, asked: LookAsk) -> Result<ServerLook, StoreError> {
    const ATTEMPT: &str = "tell about itself";
    let refused = [Optional::Info, Optional::ClientList, Optional::ScriptExists]
        .map(|command| store.why_refused(command));
    let mut ask = Pipeline::new();
    ask.cmd("TIME");
    let sections = infos(store, asked);
    if refused[0].is_none() {
        for some in &sections {
            ask.cmd("INFO").arg(*some);
        }
    }
    if refused[1].is_none() {
        ask.cmd("CLIENT").arg("LIST");
    }
    if refused[2].is_none() {
        ask.cmd("SCRIPT").arg("EXISTS").arg(&SCRIPTS);
    }
    ask.cmd("TIME");
    let own = store.link().borrow().cost.refused_full;
    let mut replies = store.exchange(ATTEMPT, &ask, LIMIT).await?.into_iter();
    let mut next = || replies.next().unwrap_or_default();
    let before = store.accept(ATTEMPT, next())?;
    let [info, clients, scripts] = refused;
    let info = info.map_or_else(
        || read_info(sections.iter().map(|_| next()).collect(), own),
        |why| Known::Unknown(why.into()),
    );
    if let Known::Is(info) = &info {
        store.heard_role(info);
    }
    let clients = clients.map_or_else(
        || text_of(next()).map_or_else(Known::Unknown, |text| Known::Is(Arc::new(listed(&text)))),
        |why| Known::Unknown(why.into()),
    );
    let scripts = scripts.map_or_else(|| read_scripts(&next()), |why| Known::Unknown(why.into()));
    let after = next();
    let (Some(start), Some(end)) = (time_us(&before), time_us(&after)) else {
        return Err(store.unexpected(ATTEMPT, &before));
    };
    let server_us = u64::try_from(end - start).unwrap_or(0);
    store.cost_server_us(server_us);
    Ok(ServerLook {
        at: EpochMillis::new(start.div_euclid(1000)),
        info,
        clients,
        scripts,
        server_us,
        nodes: Vec::new(),
        views: Vec::new(),
        sentinels: Vec::new(),
    })
}

/// Clients up to so many are listed for their names: a server makes a list of as many in some 20 ms,
/// and does nothing else meanwhile.
const MOST_LISTED: u64 = 10_000;

/// Every client that the server has, or why they are not listed. The list costs the server the more,
/// the more clients it has: whoever asks does so once, not again and again.
pub async fn clients(store: &Store) -> Result<Known<Vec<Client>>, StoreError> {
    const ATTEMPT: &str = "list its clients";
    if let Some(why) = store.why_refused(Optional::ClientList) {
        return Ok(Known::Unknown(why.into()));
    }
    if let Some(why) = store.why_refused(Optional::Info) {
        return Ok(uncounted(&why));
    }
    let mut ask = Pipeline::new();
    ask.cmd("INFO").arg("clients");
    let told = store.query(ATTEMPT, &ask, LIMIT).await?;
    let count = match read_info(told, 0) {
        Known::Is(info) => info.number("connected_clients"),
        Known::Unknown(why) => return Ok(uncounted(&why)),
        Known::None => None,
    };
    match count {
        Some(0..=MOST_LISTED) => {}
        Some(count) => {
            let count = text::thousands(count);
            return Ok(Known::Unknown(
                format!("it has {count} clients, and would stand still while it lists them").into(),
            ));
        }
        None => return Ok(uncounted("INFO does not tell it")),
    }
    let mut ask = Pipeline::new();
    ask.cmd("CLIENT").arg("LIST");
    let told = store.query(ATTEMPT, &ask, LIMIT).await?;
    let list = text_of(told.into_iter().next().unwrap_or_default());
    Ok(match list {
        Ok(list) => Known::Is(list.lines().map(|line| client(line).0).collect()),
        Err(why) => Known::Unknown(why),
    })
}

/// The reason why clients are not listed that are not counted.
fn uncounted(why: &str) -> Known<Vec<Client>> {
    let words = format!(
        "it does not tell how many clients it has, and may stand still while it lists them: {why}"
    );
    Known::Unknown(words.into())
}

fn text_of(value: Value) -> Result<String, Arc<str>> {
    match value {
        Value::BulkString(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        Value::VerbatimString { text, .. } => Ok(text),
        Value::ServerError(error) => Err(words(&error).into()),
        _ => Err("the answer was no text".into()),
    }
}

/// The sections by call: servers before 7.0 take one at a time, and a call costs as much as a
/// section.
fn infos(store: &Store, asked: LookAsk) -> Vec<&'static [&'static str]> {
    let link = store.link();
    let facts = &link.borrow().facts;
    let at_once = facts.as_ref().is_some_and(|facts| facts.major() >= 7);
    let wanted = match asked {
        LookAsk::Brief => &SECTIONS[..SECTIONS.len() - 1],
        LookAsk::Whole => &SECTIONS,
    };
    let together = if at_once { wanted.len() } else { 1 };
    wanted.chunks(together).collect()
}

/// Tells what `INFO` says, but for so many `OOM` errors: our own.
fn read_info(sections: Vec<Value>, own: u64) -> Known<Arc<Info>> {
    let mut info = Info::default();
    for section in sections {
        match text_of(section) {
            Ok(text) => info.read(&text),
            Err(why) => return Known::Unknown(why),
        }
    }
    info.without("OOM", own);
    Known::Is(Arc::new(info))
}

fn read_scripts(value: &Value) -> Known<Scripts> {
    let Value::Array(known) = value else {
        return Known::Unknown("the answer was no list".into());
    };
    let known = |i: usize| known.get(i) == Some(&Value::Int(1));
    Known::Is(Scripts {
        transfer: [known(0), known(2)],
        offer: [known(1), known(3)],
    })
}

/// The commands that run scripts.
const RUNNING: [&str; 3] = ["eval", "evalsha", "fcall"];

/// Reads `CLIENT LIST`.
fn listed(text: &str) -> Clients {
    let mut clients = Clients::default();
    for line in text.lines() {
        clients.total += 1;
        let (client, blocked) = client(line);
        clients.blocked += u64::from(blocked);
        if blocked && RUNNING.contains(&client.command.as_str()) {
            clients.held += 1;
        }
        if !client.name.is_empty() && clients.names.len() < Clients::KEPT {
            clients.names.insert((client.db, client.name.clone()));
        }
        let of_interest = client.channels > 0 || client.blocked_on_list || client.took();
        if of_interest && clients.listed.len() < Clients::KEPT {
            clients.listed.push(client);
        }
    }
    clients
}

/// A client, and whether it is blocked by whatever.
fn client(line: &str) -> (Client, bool) {
    let mut client = Client::default();
    let mut blocked = false;
    for (name, value) in line.split(' ').filter_map(|pair| pair.split_once('=')) {
        let number = || value.parse().unwrap_or(0);
        match name {
            "id" => client.id = number(),
            "addr" => value.clone_into(&mut client.addr),
            "name" => value.clone_into(&mut client.name),
            "db" => client.db = value.parse().unwrap_or(0),
            "age" => client.age_s = number(),
            "idle" => client.idle_s = number(),
            "lib-name" => value.clone_into(&mut client.lib_name),
            "lib-ver" => value.clone_into(&mut client.lib_version),
            "sub" => client.channels = number(),
            "cmd" => value.clone_into(&mut client.command),
            "flags" => blocked = value.contains('b'),
            _ => {}
        }
    }
    let lists = ["blpop", "brpop", "blmpop", "brpoplpush", "blmove"];
    client.blocked_on_list = blocked && lists.contains(&client.command.as_str());
    (client, blocked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_the_clients_those_that_wait_or_listen_are_kept() {
        let text = "id=3 addr=10.0.0.1:5 name=cards age=9 idle=0 flags=N db=0 sub=0 psub=0 cmd=get\n\
                    id=4 addr=10.0.0.2:5 name=app age=9 idle=7 flags=b db=2 sub=0 psub=0 cmd=blpop\n\
                    id=5 addr=10.0.0.3:5 name= age=9 idle=0 flags=P db=0 sub=2 psub=0 cmd=subscribe\n\
                    id=6 addr=10.0.0.4:5 name= age=9 idle=8 flags=N db=2 sub=0 psub=0 cmd=blpop\n\
                    id=7 addr=10.0.0.1:6 name= age=9 idle=0 flags=b db=0 sub=0 psub=0 cmd=evalsha\n";
        let clients = listed(text);
        assert_eq!((clients.total, clients.listed.len()), (5, 3));
        assert_eq!(clients.held, 1);
        let names: Vec<_> = clients.names.iter().collect();
        assert_eq!(names, [&(0, "cards".to_owned()), &(2, "app".to_owned())]);
        let took: Vec<_> = clients.took(2).map(|client| client.id).collect();
        assert_eq!(took, [6]);
        assert_eq!(clients.blocked_on_lists(0).count(), 0);
        let waiting: Vec<_> = clients.blocked_on_lists(2).collect();
        assert_eq!((waiting[0].name.as_str(), waiting[0].idle_s), ("app", 7));
        assert_eq!(clients.subscribers().map(|c| c.id).collect::<Vec<_>>(), [5]);
    }

    #[test]
    fn a_client_is_named_by_its_host_its_name_and_its_library() {
        let of = |more: &str| {
            let line = format!("id=5 addr=10.0.3.7:51234 {more} sub=1 cmd=subscribe");
            listed(&line).listed[0].named()
        };
        assert_eq!(
            of("name=orders-7f lib-name=redisson lib-ver=3.15.1"),
            "10.0.3.7 (orders-7f, redisson 3.15.1)"
        );
        assert_eq!(of("name= lib-name= lib-ver="), "10.0.3.7");
        assert_eq!(
            of("name= lib-name=redisson lib-ver="),
            "10.0.3.7 (redisson)"
        );
    }

    #[test]
    fn counts_of_errors_and_failed_scripts_are_read() {
        let mut info = Info::default();
        info.read("# Stats\r\ntotal_error_replies:7\r\n");
        assert_eq!((info.errors("OOM"), info.failed_scripts()), (Some(0), None));
        info.read("errorstat_OOM:count=3\r\ncmdstat_eval:calls=9,usec=1,failed_calls=4\r\n");
        info.read("cmdstat_evalsha:calls=9,usec=1,failed_calls=2\r\n");
        assert_eq!(
            (info.errors("OOM"), info.failed_scripts()),
            (Some(3), Some(6))
        );
        // Of those two were our own.
        info.without("OOM", 2);
        assert_eq!(info.errors("OOM"), Some(1));
    }
}
