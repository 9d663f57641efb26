import Foundation
import OstiaryMobile
import OstiaryProgram

/// Tells what happens: to a script as JSON on standard output, to a person as text.
struct PhoneOutput: Sendable {
    let isJSON: Bool
    /// Asked anew for each line: a window changes its size.
    private var columns: Int { StandardStreams.columns(of: STDOUT_FILENO) }

    init(isJSON: Bool) { self.isJSON = isJSON }

    func tell(_ event: OstiaryEvent) {
        if isJSON {
            if let json = event.json { StandardStreams.print(json.text) }
        } else {
            for line in event.lines(columns: columns) { StandardStreams.print(line) }
        }
    }

    /// A one-time code. What it is good for is written beside it, because a person reads it to somebody.
    func tell(_ code: OneTimeCode, of account: Account, for session: Session) {
        if isJSON {
            StandardStreams.print(code.json(of: account, for: session).text)
        } else {
            for line in code.lines(of: account) { StandardStreams.print(line.text(columns: columns)) }
        }
    }

    /// A failure that has no event of its own.
    func tell(_ error: OstiaryError) { tell(.error(error, session: nil)) }

    /// A failure of this command rather than of the phone.
    func failure(_ message: String) {
        if isJSON {
            let members: [(String, JSONText)] = [("event", "error"), ("code", .null), ("name", "input"), ("message", .string(message))]
            StandardStreams.print(members.asObject.text)
        } else {
            StandardStreams.printError("ostiary phone: \(message)")
        }
    }

    /// One entry of a list: to a script an event of that name with `member`, to a person a line.
    func list(_ event: String, _ member: String, _ json: JSONText, line: TerminalLine) {
        StandardStreams.print(text(event, member, json, line))
    }

    /// The same where it is what the command is for.
    func deliver(_ event: String, _ member: String, _ json: JSONText, line: TerminalLine) throws(OutputFailure) {
        try StandardStreams.deliver(text(event, member, json, line))
    }

    private func text(_ event: String, _ member: String, _ json: JSONText, _ line: TerminalLine) -> String {
        isJSON ? [("event", .string(event)), (member, json)].asObject.text : line.text(columns: columns)
    }

    /// That there was nothing to do: to a script an event of that name and nothing more.
    func tell(nothing event: String, _ line: TerminalLine) {
        StandardStreams.print(isJSON ? [("event", .string(event))].asObject.text : line.text(columns: columns))
    }

    /// A remark for a person; scripts don't get it.
    func remark(_ line: TerminalLine) {
        if !isJSON { StandardStreams.print(line.text(columns: columns)) }
    }
}
