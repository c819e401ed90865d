//! What crossterm reads from a terminal, as the keys and the mouse of the screen.

use super::input::{Mouse, MouseAct};
use super::keymap::{Key, KeyCode};
use ratatui::crossterm::event::{
    self, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};

/// A key that is pressed, if the screen knows it.
pub(super) fn key(event: &KeyEvent) -> Option<Key> {
    // Windows also sends key releases (ratatui#347).
    if event.kind == KeyEventKind::Release {
        return None;
    }
    let modifiers = [KeyModifiers::CONTROL, KeyModifiers::ALT, KeyModifiers::SHIFT];
    let [control, alt, shift] = modifiers.map(|modifier| event.modifiers.contains(modifier));
    // Shift and Tab have a code of their own.
    let is_back = event.code == event::KeyCode::BackTab;
    Some(Key::of(code(event.code)?, [control, alt, shift || is_back]))
}

const fn code(code: event::KeyCode) -> Option<KeyCode> {
    Some(match code {
        event::KeyCode::Char(letter) => KeyCode::Char(letter),
        event::KeyCode::F(number) => KeyCode::F(number),
        event::KeyCode::Enter => KeyCode::Enter,
        event::KeyCode::Esc => KeyCode::Esc,
        event::KeyCode::Tab | event::KeyCode::BackTab => KeyCode::Tab,
        event::KeyCode::Backspace => KeyCode::Backspace,
        event::KeyCode::Delete => KeyCode::Delete,
        event::KeyCode::Insert => KeyCode::Insert,
        event::KeyCode::Left => KeyCode::Left,
        event::KeyCode::Right => KeyCode::Right,
        event::KeyCode::Up => KeyCode::Up,
        event::KeyCode::Down => KeyCode::Down,
        event::KeyCode::Home => KeyCode::Home,
        event::KeyCode::End => KeyCode::End,
        event::KeyCode::PageUp => KeyCode::PageUp,
        event::KeyCode::PageDown => KeyCode::PageDown,
        _ => return None,
    })
}

/// What the mouse did, if it means something on the screen.
pub(super) fn mouse(event: MouseEvent) -> Option<Mouse> {
    let act = match event.kind {
        MouseEventKind::Down(MouseButton::Left) => MouseAct::Click,
        MouseEventKind::Down(_) => MouseAct::OtherClick,
        MouseEventKind::Drag(MouseButton::Left) => MouseAct::Drag,
        MouseEventKind::ScrollUp => MouseAct::ScrollUp,
        MouseEventKind::ScrollDown => MouseAct::ScrollDown,
        MouseEventKind::Drag(_)
        | MouseEventKind::Up(_)
        | MouseEventKind::Moved
        | MouseEventKind::ScrollLeft
        | MouseEventKind::ScrollRight => return None,
    };
    Some(Mouse { act, column: event.column, row: event.row })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_terminal_sends_is_what_the_table_says() {
        let known = |text: &str| text.parse().ok();
        let sent = |code, modifiers| key(&KeyEvent::new(code, modifiers));
        assert_eq!(sent(event::KeyCode::Char('G'), KeyModifiers::SHIFT), known("G"));
        assert_eq!(sent(event::KeyCode::BackTab, KeyModifiers::SHIFT), known("Shift-Tab"));
        assert_eq!(sent(event::KeyCode::Char('c'), KeyModifiers::CONTROL), known("Ctrl-c"));
        let question = sent(event::KeyCode::Char('?'), KeyModifiers::NONE);
        assert_eq!(question.and_then(Key::typed), Some('?'));
        let control = sent(event::KeyCode::Char('c'), KeyModifiers::CONTROL);
        assert_eq!(control.and_then(Key::typed), None);
        assert_eq!(sent(event::KeyCode::CapsLock, KeyModifiers::NONE), None);
        let released = KeyEvent::new_with_kind(
            event::KeyCode::Enter,
            KeyModifiers::NONE,
            KeyEventKind::Release,
        );
        assert_eq!(key(&released), None);
    }
}
