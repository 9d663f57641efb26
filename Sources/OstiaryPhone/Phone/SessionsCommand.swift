import ArgumentParser
import Foundation
import OstiaryMobile
import OstiaryProgram

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
        let unheard = try await ostiary.undecidedLogins().map(\.id)
        let sessions = try await ostiary.refresh().filter { !$0.isOver }
        // Nobody has told yet that these are over.
        tellEnds(of: unheard, ostiary, output)
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
        for login in undecided { output.tell(login) }
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
        let told = tellEnds(of: ended.filter { $0.failure == nil }.map(\.id), ostiary, output)
        let failure = ended.lazy.compactMap(\.failure).first
        // What else was to be told, and the news of the sessions that stay.
        if failure == nil { _ = try await ostiary.refresh() }
        let untold = ended.map(\.id).filter { !told.contains($0) }
        if failure == nil { tellEnds(of: untold, ostiary, output) }
        for login in try await ostiary.undecidedLogins() where untold.contains(login.id) { output.tell(login) }
        if let failure { throw failure }
        return .done
    }

    /// - Returns: those that are over, as this process knows.
    @discardableResult
    private func tellEnds(of sessions: [Session.ID], _ ostiary: Ostiary, _ output: PhoneOutput) -> [Session.ID] {
        let over = sessions.compactMap { ostiary.session($0) }.filter(\.isOver)
        for session in over { output.tell(.sessionStop(session)) }
        return over.map(\.id)
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
