//! The jobs that people open this program for, and what does each of them.

use super::words::HelpLine;
use crate::tui::keys::Action;
use crate::tui::model::Model;

/// The way to do a job.
enum JobMeans {
    /// A key.
    Key(Action),
    /// A command.
    Command(&'static str),
}

/// The jobs, the most urgent first.
const JOBS: &[(JobMeans, &str)] = &[
    (
        JobMeans::Key(Action::Tab(crate::tui::tabs::Tab::Findings)),
        "Why is it late? The findings tell the cause, the evidence and the repair.",
    ),
    (
        JobMeans::Key(Action::Repair),
        "Repair it: the menu proposes what the finding asks for, and asks before it is done.",
    ),
    (
        JobMeans::Key(Action::Filter),
        "Find an order by a part of its payload. Through all queues: :find TEXT.",
    ),
    (
        JobMeans::Key(Action::Lives),
        "What happened to a message? When it was offered, due, transferred and taken; {monitor} there: by whom.",
    ),
    (
        JobMeans::Key(Action::Transfer),
        "Transfer what is due to the target list.",
    ),
    (
        JobMeans::Key(Action::Requeue),
        "Move an entry to another due time. On the table of queues: all that is late.",
    ),
    (
        JobMeans::Key(Action::Delete),
        "Delete an entry, or all that {mark} has marked.",
    ),
    (JobMeans::Key(Action::Undo), "Undo the last change."),
    (
        JobMeans::Key(Action::Worker),
        "Start a worker here, which transfers while no client does.",
    ),
    (JobMeans::Key(Action::Offer), "Offer a message."),
    (
        JobMeans::Command(":server"),
        "Change the server, in the same way (--proxy, --map, --cacert, …); :profile takes one of the configuration, :db another database.",
    ),
    (
        JobMeans::Key(Action::CopyCommand),
        "Copy for a ticket: in tab {tab-findings} the finding ({copy-payload}: its command), elsewhere a redis-cli command.",
    ),
];

/// The lines of the page. In the words, too, the keys are those that are bound.
pub(crate) fn lines(model: &Model) -> Vec<HelpLine> {
    let line = |(by, words): &(JobMeans, &str)| HelpLine::Keys {
        keys: match by {
            JobMeans::Key(action) => {
                let none = if model.look.ascii { "-" } else { "—" };
                let label = model.keymap.label(*action, model.look.ascii);
                label.unwrap_or_else(|| none.to_owned())
            }
            JobMeans::Command(name) => (*name).to_owned(),
        },
        words: model.sentence(words),
        here: true,
    };
    JOBS.iter().map(line).collect()
}
