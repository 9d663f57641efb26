import OstiaryProtocol

/// What an accepted login does in its session, and to whom its return code goes (protocol §6).
extension Login {
    /// Logs in, or on a page's session has the browser come back first.
    func acceptance(in session: Session, _ derivation: SessionDerivation) -> SessionEvent {
        session.page == nil ? .logIn(self) : .approve(self, codeHash: returnCode(of: session, derivation).hash)
    }

    /// The code for the app that was tapped; nil after a scan, when the page has it, and for a session without a page.
    func returnCodeForApp(of session: Session, _ derivation: SessionDerivation) -> ReturnCode? {
        session.page != nil && binding == .returnCode ? returnCode(of: session, derivation) : nil
    }

    private func returnCode(of session: Session, _ derivation: SessionDerivation) -> ReturnCode {
        derivation.returnCode(of: session.id, account: account, decision: decision)
    }
}
