import ArgumentParser
import Foundation
import OstiaryMobile

/// `ostiary phone sessions`.
struct SessionsCommand: PhoneSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "sessions", abstract: "List what is logged in with this phone, and end it.",
        discussion: "The server is told that the phone is there. What it could not be told to end is listed until it has answered.")

    @OptionGroup var options: PhoneOptions
    @OptionGroup(visibility: .hidden) var page: PhonePageFlag
    @Option(help: ArgumentHelp("Log this session out: an id of the list, or all.", valueName: "id"))
    var end: String?

    func perform(_ output: PhoneOutput) async throws -> PhoneExit {
        let ostiary = try PhoneHome.open(options)
        let events = ostiary.events
        // A server may have news of other devices for any of the accounts.
        let listener = Task { for await event in events where event.isOfOtherDevices { output.tell(event) } }
        defer { listener.cancel() }
        let exit = if let end { try await finish(end, ostiary, output) } else { try await list(ostiary, output) }
        listener.cancel()
        await listener.value
        return exit
    }

    private func list(_ ostiary: Ostiary, _ output: PhoneOutput) async throws -> PhoneExit {
        let sessions = try await ostiary.refresh().filter { !$0.isOver }
        let loggedIn = sessions.filter { $0.isLoggedIn || $0.isReturning }
        for session in sessions where session.isEnrolment && !session.isLoggedIn {
            output.remark(
                "an enrolment waits for its code: ostiary phone watch shows it, and after ten minutes it is over (\(others: session.enrolInfo.displayName))"
            )
        }
        for session in loggedIn {
            let line: TerminalLine =
                "\(ours: session.id.uuidString.lowercased())  \(others: session.username ?? "-")  \(others: session.title)"
            output.list("session", "session", session.json, line: line)
        }
        let undecided = try await ostiary.undecidedLogins()
        for name in undecided {
            output.remark("whether a login counts is not known yet: ostiary phone sessions asks again, and with --end all ends it (\(others: name))")
        }
        if loggedIn.isEmpty, undecided.isEmpty { output.remark("nothing is logged in") }
        return .done
    }

    private func finish(_ end: String, _ ostiary: Ostiary, _ output: PhoneOutput) async throws -> PhoneExit {
        let isAll = end == "all"
        let ended = try await ostiary.end { isAll || $0.isWritten(end) }
        guard isAll || !ended.isEmpty || ostiary.history.contains(where: { $0.id.isWritten(end) && $0.status == .loggedOut }) else {
            throw PhoneInputError.unknownSession(end)
        }
        if !isAll, ended.isEmpty { output.remark("that session is over") }
        for session in ended where session.failure == nil {
            if let shown = ostiary.session(session.id) { output.tell(.sessionStop(shown)) }
        }
        if let failure = ended.lazy.compactMap(\.failure).first { throw failure }
        // What else was to be told, and the news of the sessions that stay.
        _ = try await ostiary.refresh()
        return .done
    }
}

extension Session.ID {
    fileprivate func isWritten(_ text: String) -> Bool { uuidString.lowercased() == text.lowercased() }
}

extension OstiaryEvent {
    /// Whether it is what another device did.
    fileprivate var isOfOtherDevices: Bool {
        switch self {
        case .newDevice, .pinReplacedByBiometric: true
        default: false
        }
    }
}
