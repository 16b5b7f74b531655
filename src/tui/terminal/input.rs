//! Terminal events become messages. What a user pasted is text, never keys.

use crossterm::event::{
    Event, EventStream, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent,
    MouseEventKind,
};
use futures_util::StreamExt;
use tokio::sync::mpsc::UnboundedSender;
use tokio::task::JoinHandle;

use crate::tui::edge::{Ended, Input};
use crate::tui::keys::{Code, Key};
use crate::tui::msg::Msg;

/// Forwards what the terminal says until it is gone.
pub(super) fn forward(tx: UnboundedSender<Input>) -> JoinHandle<()> {
    tokio::spawn(async move {
        let mut events = EventStream::new();
        while let Some(Ok(event)) = events.next().await {
            let Some(msg) = message(&event) else {
                continue;
            };
            if tx.send(Input::Happened(Box::new(msg))).is_err() {
                return;
            }
        }
        // Nobody is left to tell.
        let _ = tx.send(Input::End(Ended::HUNG_UP));
    })
}

fn message(event: &Event) -> Option<Msg> {
    match event {
        Event::Key(key) => pressed(key).map(Msg::KeyPressed),
        Event::Mouse(mouse) => pointed(*mouse),
        Event::Resize(columns, rows) => Some(Msg::Resized(*columns, *rows)),
        Event::Paste(text) => Some(Msg::Pasted(text.clone())),
        Event::FocusGained | Event::FocusLost => None,
    }
}

fn pressed(event: &KeyEvent) -> Option<Key> {
    if event.kind == KeyEventKind::Release {
        return None;
    }
    let code = match event.code {
        KeyCode::Char(c) => Code::Char(c),
        KeyCode::F(n) => Code::F(n),
        KeyCode::Enter => Code::Enter,
        KeyCode::Esc => Code::Esc,
        KeyCode::Tab => Code::Tab,
        KeyCode::BackTab => Code::BackTab,
        KeyCode::Up => Code::Up,
        KeyCode::Down => Code::Down,
        KeyCode::Left => Code::Left,
        KeyCode::Right => Code::Right,
        KeyCode::PageUp => Code::PageUp,
        KeyCode::PageDown => Code::PageDown,
        KeyCode::Home => Code::Home,
        KeyCode::End => Code::End,
        KeyCode::Backspace => Code::Backspace,
        KeyCode::Delete => Code::Delete,
        _ => return None,
    };
    Some(Key {
        code,
        ctrl: event.modifiers.contains(KeyModifiers::CONTROL),
        alt: event.modifiers.contains(KeyModifiers::ALT),
    })
}

fn pointed(event: MouseEvent) -> Option<Msg> {
    let (x, y) = (event.column, event.row);
    match event.kind {
        MouseEventKind::Down(MouseButton::Left) => Some(Msg::Clicked(x, y)),
        MouseEventKind::Drag(MouseButton::Left) => Some(Msg::Dragged(x, y)),
        MouseEventKind::Up(MouseButton::Left) => Some(Msg::Released(x, y)),
        MouseEventKind::ScrollUp => Some(Msg::Scrolled(x, y, -1)),
        MouseEventKind::ScrollDown => Some(Msg::Scrolled(x, y, 1)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_paste_is_no_key() {
        let pasted = message(&Event::Paste("q".into()));
        assert!(matches!(pasted, Some(Msg::Pasted(text)) if text == "q"));
    }

    #[test]
    fn a_key_keeps_its_ctrl() {
        let event = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
        assert_eq!(pressed(&event), Some(Key::ctrl('c')));
        let event = KeyEvent::new(KeyCode::Char('G'), KeyModifiers::SHIFT);
        assert_eq!(pressed(&event), Some(Key::char('G')));
    }
}
