import ArgumentParser
import Foundation
import OstiaryMobile
import OstiaryProgram

/// `ostiary phone history`.
struct HistoryCommand: PhoneSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "List what became of the logins and enrolments on this phone, oldest first.",
        discussion: "At most 200 entries of the last 90 days. A login that was never logged out stands as such until the phone hears of its end.")

    @OptionGroup var options: PhoneOptions
    @OptionGroup(visibility: .hidden) var page: PhonePageFlag
    @Flag(help: "Empty it instead.")
    var clear = false

    func perform(_ output: PhoneOutput) async throws -> PhoneExit {
        let ostiary = try PhoneHome.open(options)
        if clear {
            try await ostiary.forgetHistory()
            return .done
        }
        let items = ostiary.history
        for item in items { output.list("history", "item", item.json, line: item.line) }
        if items.isEmpty { output.remark("nothing yet") }
        return .done
    }
}

extension HistoryItem {
    fileprivate var json: JSONText {
        [
            ("id", .string(id.uuidString.lowercased())), ("status", .string(status.rawValue)), ("username", .string(username)),
            ("server", .string(serverName)), ("service", .string(serviceName)), ("isAppLogin", .bool(isAppLogin)),
            ("isEnrolment", .bool(isEnrolment)), ("changed", .number(Int(clamping: changedAt))),
        ].asObject
    }

    fileprivate var line: TerminalLine {
        let what: TerminalLine =
            isEnrolment
            ? "enrolment at \(others: serverName)" : isAppLogin ? "AppLogin at \(others: serverName)" : "\(others: serviceName)"
        let time = Date(timeIntervalSince1970: Double(changedAt)).formatted(.iso8601)
        let known = "\(time)  \(status.rawValue.padding(toLength: 18, withPad: " ", startingAt: 0))  "
        return "\(ours: known)\(others: username.isEmpty ? "-" : username)  " + what
    }
}
