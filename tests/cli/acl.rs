//! `acl`: rules to be fed to redis-cli, without any server. (Whether they do is
//! `tests/servers/acl.rs`.)

use crate::program::local;

#[test]
fn there_is_a_rule_for_reading_and_one_for_each_change() {
    let said = local(&["acl"]).done();
    let users: Vec<&str> = said
        .out
        .lines()
        .map(|line| line.split(' ').nth(2).unwrap())
        .collect();
    assert_eq!(users[0], "delayscope-read");
    for change in ["transfer", "delete", "offer", "undo", "worker", "consume"] {
        let user = format!("delayscope-{change}");
        assert!(users.contains(&user.as_str()), "{users:?}");
    }
    assert!(
        said.out
            .lines()
            .all(|line| line.starts_with("ACL SETUSER "))
    );
    assert!(said.err.contains("cannot log in"), "{said:?}");
}

#[test]
fn changes_are_allowed_together_to_one_user_on_one_queue() {
    let args = ["acl", "two words", "--for", "kick,delete", "--name", "anna"];
    let json = local(&[&args[..], &["--json"]].concat()).done().json();
    assert_eq!(json.len(), 1);
    assert_eq!(json[0]["user"], "anna");
    assert_eq!(
        json[0]["for"],
        serde_json::json!(["read", "delete", "kick"])
    );
    let keys = json[0]["keys"].as_array().unwrap();
    assert!(keys.contains(&"two?words".into()), "{keys:?}");
    let commands = json[0]["commands"].as_array().unwrap();
    assert!(commands.contains(&"publish".into()) && commands.contains(&"zrem".into()));
    assert!(!commands.contains(&"zadd".into()) && !commands.contains(&"scan".into()));
    let rule = local(&args).done().out;
    assert_eq!(rule.trim_end(), json[0]["rule"]);
}

#[test]
fn what_is_no_change_is_told_with_those_that_are() {
    local(&["acl", "--for", "explode"]).failed("transfer, deliver, requeue");
}
