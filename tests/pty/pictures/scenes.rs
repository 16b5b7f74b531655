//! What the README shows: moments of the demo.

use std::time::Duration;

use delayscope::clock::instant;

use crate::PROGRAM;
use crate::support::PATIENCE;
use crate::terminal::Terminal;

/// A moment that is pictured.
pub(crate) struct Scene {
    /// The name of the file, without `.svg`.
    pub(crate) name: &'static str,
    /// What is to be seen, for those who cannot.
    pub(crate) title: &'static str,
    /// Columns and rows.
    pub(crate) size: (u16, u16),
    /// The flags of the demo.
    flags: &'static [&'static str],
    /// The picture shows each moment before keys are typed, not the last one only.
    pub(crate) moves: bool,
    /// What is typed, and what the screen says before that.
    keys: &'static [(&'static str, &'static [u8])],
    /// What the screen says in the end.
    pub(crate) shows: &'static [&'static str],
}

/// All of them.
pub(crate) const SCENES: &[Scene] = &[
    Scene {
        name: "incident",
        title: "An incident: a queue turns red, the finding says what blocks it, R repairs it, all is delivered",
        size: (110, 30),
        flags: &["--scenario", "poison"],
        moves: true,
        keys: &[
            ("An entry in the old format blocks this queue.", b"5"),
            ("Same cause", b"R"),
            ("Repair ── invoices", b"R"),
            ("[ y rewrite ]", b"y"),
        ],
        shows: &["none late", "FIXED"],
    },
    Scene {
        name: "dashboard",
        title: "The demo: its queues, the countdown timeline of one, its entries by due time, depths and announcements",
        size: (120, 40),
        flags: &[],
        moves: false,
        keys: &[
            ("✖ reminders", b"G"),
            (
                "Due: orders",
                b"\t\x1b[C\x1b[C\x1b[C\x1b[C\x1b[C\x1b[C\x1b[C\x1b[C\x1b[C",
            ),
        ],
        shows: &["Due: orders", "of the view", "orderId"],
    },
    Scene {
        name: "entry",
        title: "One entry of the demo: when it is due, what its frame says, and its payload as JSON",
        size: (80, 24),
        flags: &[],
        moves: false,
        keys: &[
            ("✖ reminders", b"G"),
            ("Due: orders", b"\r"),
            ("› orders", b"\x1b[B\x1b[B\x1b[B\x1b[B\r"),
        ],
        shows: &["orderId", "byte-id"],
    },
];

/// The least time for which an incident lasts before it is mended.
const INCIDENT: Duration = Duration::from_secs(8);

/// The moments of a scene, entered when the demo has been playing for `life`; of one that does not
/// move the last one.
pub(crate) fn screens(scene: &Scene, life: Duration) -> Vec<vt100::Screen> {
    let program = [&[PROGRAM, "demo", "--theme", "dark"], scene.flags].concat();
    let env = [
        ("COLORTERM", "truecolor"),
        ("TZ", "UTC"),
        ("LANG", "C.UTF-8"),
    ];
    let mut terminal = Terminal::start(&program, scene.size, &env);
    // What was wrong for a moment only is not told as mended.
    let life = if scene.moves {
        life.max(INCIDENT)
    } else {
        life
    };
    let ripe = terminal.started + life;
    terminal.wait("the demo to live", life + PATIENCE, |_| instant() >= ripe);
    let mut screens = Vec::new();
    for (said, keys) in scene.keys {
        terminal.wait(said, PATIENCE, |s| s.whole() && s.text().contains(said));
        if scene.moves {
            screens.push(terminal.shown().screen().clone());
        }
        terminal.send(keys);
    }
    terminal.wait("what the scene shows", PATIENCE, |s| {
        let text = s.text();
        s.whole() && scene.shows.iter().all(|word| text.contains(word))
    });
    screens.push(terminal.shown().screen().clone());
    screens
}
