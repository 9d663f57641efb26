import ArgumentParser
import OstiaryMobile
import OstiaryProgram

/// `ostiary phone watch`.
struct WatchCommand: PhoneSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Keep what is logged in alive, and tell what happens to it, until Ctrl-C.",
        discussion:
            "Answers pings, hears at once of a stop by a server, goes on with enrolments that wait for their code, and tells of other devices.")

    @OptionGroup var options: PhoneOptions
    @OptionGroup(visibility: .hidden) var page: PhonePageFlag
    @Option(help: ArgumentHelp("End after that long; 0 goes on until Ctrl-C.", valueName: "seconds"))
    var seconds = 0

    func check() throws {
        guard seconds >= 0 else { throw ValidationError("--seconds is 0 or more") }
    }

    func perform(_ output: PhoneOutput) async throws -> PhoneExit {
        let ostiary = try PhoneHome.open(options, isWatching: true)
        let events = ostiary.events
        let sessions = try await ostiary.refresh().filter { !$0.isOver }
        output.remark(TerminalLine(ours: "watching \(sessions.count) \(sessions.count == 1 ? "session" : "sessions")"))
        for login in try await ostiary.undecidedLogins() { output.tell(login) }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for await event in events { output.tell(event) } }
            if seconds > 0 { group.addTask { try? await Task.sleep(for: .seconds(seconds)) } }
            await group.next()
            group.cancelAll()
        }
        return .done
    }
}
