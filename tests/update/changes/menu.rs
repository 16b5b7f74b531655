//! Keys in the menu of repairs and on a finding that are not `R` alone, and what the hints say there.

use delayscope::queue::finding::Step;
use delayscope::queue::wish::What;
use delayscope::tui::effect::Effect;
use delayscope::tui::keys::{self, Code};
use delayscope::tui::model::Pane;
use delayscope::tui::model::repair::Repair as Row;

use super::repairs::{finding, menu};
use super::{asked, desk, toast};
use crate::desk::Desk;

#[test]
fn r_goes_on_in_its_menu_and_other_letters_say_what_does() {
    let mut desk = desk();
    let step = Step::Change(What::RestoreOrder);
    desk.model.queues[0].findings = vec![finding("set-aside", step)];
    desk.model.queues[0].survey.as_mut().unwrap().aside = Some(3);
    desk.char('R');
    assert_eq!(menu(&desk).chosen(), Some(Row::RestoreOrder));
    assert_eq!(asked(&desk.char('y')), None);
    assert!(toast(&desk).contains("plans what the cursor is on"));
    let wish = asked(&desk.char('R')).unwrap();
    assert_eq!(wish.what, What::RestoreOrder);
}

#[test]
fn on_a_finding_y_copies_the_command_that_mends_it_or_those_that_show_it() {
    for key in ['y', 'Y'] {
        let mut desk = desk();
        desk.model.redis_cli = "redis-cli -s /run/x.sock".to_owned();
        desk.model.focus = Pane::Entries;
        desk.char('5');
        let mut found = finding("wrong-type", Step::Outside);
        found.evidence.commands = vec!["redis-cli TYPE orders".to_owned()];
        desk.model.queues[0].findings = vec![found.clone()];
        let copied = |desk: &mut Desk| {
            let mut effects = desk.char(key).into_iter();
            effects.find_map(|effect| match effect {
                Effect::Copy(words) => Some(words),
                _ => None,
            })
        };
        let there = "redis-cli -s /run/x.sock";
        assert_eq!(copied(&mut desk).unwrap(), format!("{there} TYPE orders"));
        found.repair.lines = vec!["redis-cli RENAMENX orders taken".to_owned()];
        desk.model.queues[0].findings = vec![found];
        let mends = format!("{there} RENAMENX orders taken");
        assert_eq!(copied(&mut desk).unwrap(), mends);
        desk.model.queues[0].findings = Vec::new();
        assert_eq!(copied(&mut desk), None);
        assert!(
            toast(&desk).contains("nothing is wrong"),
            "{}",
            toast(&desk)
        );
    }
}

#[test]
fn enter_is_hinted_in_the_menu_only_where_it_plans_something() {
    let plans = |desk: &Desk| {
        keys::hints(&desk.model)
            .iter()
            .any(|hint| hint.word == "plan")
    };
    let mut desk = desk();
    desk.model.queues[0].findings = vec![finding("wrong-type", Step::Outside)];
    desk.char('R');
    assert!(!plans(&desk));
    desk.press(Code::Down);
    assert!(plans(&desk));
}
