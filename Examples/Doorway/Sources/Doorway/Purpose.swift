import OstiaryMobile

/// What a person is about to approve: shown where they agree, and again above the PIN.
enum Purpose {
    static func lines(of session: Session) -> [String] {
        if session.isAppLogin { return ["Log in to this app."] }
        if session.isEnrolment { return ["Make the account \(session.enrolInfo.displayName) at \(session.info.serverName)."] }
        let info = session.info
        let browser = [info.browserLabel, info.browserCity].filter { !$0.isEmpty }.joined(separator: ", ")
        let origin = info.serviceOrigin.isEmpty ? "" : " (\(info.serviceOrigin))"
        let asks = "Log in to \(info.serviceName)\(origin)" + (browser.isEmpty ? "." : ", asked by \(browser).")
        let texts = info.announceInfo.sorted { $0.key < $1.key }.map { "  \($0.key): \($0.value)" }
        return [asks] + texts + warning(info.binding)
    }

    /// What anybody may have sent.
    private static func warning(_ binding: SessionInfo.Binding) -> [String] {
        switch binding {
        case .unboundLink, .qrStatic: ["Careful: anybody may have sent you this. Is it you who wants to log in there?"]
        case .unknown, .returnCode, .qrDynamic, .push, .app: []
        }
    }
}
