import OstiaryMobile

/// Tells what happens: to a script as JSON on standard output, to a person as text.
struct PhoneOutput: Sendable {
    let isJSON: Bool

    func tell(_ event: OstiaryEvent) {
        if isJSON {
            if let json = event.json { StandardStreams.print(json.text) }
        } else {
            for line in event.lines { StandardStreams.print(line) }
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
    func list(_ event: String, _ member: String, _ json: JSONText, line: String) {
        StandardStreams.print(isJSON ? [("event", .string(event)), (member, json)].asObject.text : line.withMarkedContinuation)
    }

    /// A remark for a person; scripts don't get it.
    func remark(_ text: String) {
        if !isJSON { StandardStreams.print(text.withMarkedContinuation) }
    }
}
