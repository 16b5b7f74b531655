//! The form that lies over the screen.

use super::InputForm;
use crate::tui::model::{Model, Overlay};

impl Overlay {
    /// The form that it is, when it is one.
    #[must_use]
    pub fn form(&self) -> Option<&dyn InputForm> {
        match self {
            Self::Offer(form) => Some(&**form),
            Self::Requeue(form) => Some(&**form),
            Self::Edit(form) => Some(&**form),
            Self::Repair(form) => Some(&**form),
            Self::Help { .. } | Self::Lives { .. } | Self::Dialog(_) | Self::Change(_) => None,
        }
    }

    /// The same, to be filled in.
    pub fn form_mut(&mut self) -> Option<&mut dyn InputForm> {
        match self {
            Self::Offer(form) => Some(&mut **form),
            Self::Requeue(form) => Some(&mut **form),
            Self::Edit(form) => Some(&mut **form),
            Self::Repair(form) => Some(&mut **form),
            Self::Help { .. } | Self::Lives { .. } | Self::Dialog(_) | Self::Change(_) => None,
        }
    }
}

impl Model {
    /// The form over the screen.
    #[must_use]
    pub fn form(&self) -> Option<&dyn InputForm> {
        self.overlay.as_ref()?.form()
    }

    /// The same, to be filled in.
    pub fn form_mut(&mut self) -> Option<&mut dyn InputForm> {
        self.overlay.as_mut()?.form_mut()
    }
}
