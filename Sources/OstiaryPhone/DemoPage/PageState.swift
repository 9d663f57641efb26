import HTTPService

/// What the page draws first: where the frames are, the tour, and what each party knows.
struct PageState: Sendable {
    let siteURL: String
    /// The phone's page with its secret; nil while there is none, or where the phone is in a terminal.
    let phoneURL: String?
    /// Command lines for a phone in a terminal.
    let phoneCommands: [String]
    let pages: ProtocolPages

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("site", siteURL)
            writer.member("phone", phoneURL)
            writer.member("commands", phoneCommands)
            writer.member("protocol", pages.isEmpty ? nil : "/protocol/index")
            writer.name("steps")
            writer.array(TourStep.allCases) { writer, step in write(step, to: &writer) }
            writer.name("parties")
            writer.array(Party.allCases) { writer, party in Self.write(party, to: &writer) }
        }
    }

    private func write(_ step: TourStep, to writer: inout JSONWriter) {
        let attack = step.attack
        writer.object { writer in
            writer.member("id", step.rawValue)
            writer.member("title", step.title)
            writer.member("task", step.task)
            writer.member("sentence", step.sentence)
            writer.name("attack")
            writer.object { writer in
                writer.member("id", attack.rawValue)
                writer.member("title", attack.title)
                writer.member("plan", attack.plan)
                writer.member("why", attack.why)
                writer.member("section", pages.address(of: attack.section.page, attack.section.anchor))
            }
        }
    }

    private static func write(_ party: Party, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("id", party.rawValue)
            writer.member("name", party.name)
            writer.member("knows", party.knows)
            writer.member("never", party.never)
        }
    }
}

/// docs/protocol §1, in short.
extension Party {
    var name: String {
        switch self {
        case .phone: "phone"
        case .authentication: "authentication server"
        case .secondFactor: "second-factor server"
        }
    }

    var knows: String {
        switch self {
        case .phone: "its device key, the PIN box and the server it was enrolled with"
        case .authentication: "users and names, sessions, what was shown and approved, its share for the PIN box"
        case .secondFactor: "one key for each phone, and how many tries were used"
        }
    }

    var never: String {
        switch self {
        case .phone: "the PIN, once it is typed; the key of the second-factor server; the share while nobody logs in"
        case .authentication: "a PIN, not even a stretched one; the private keys of a phone"
        case .secondFactor: "a name, what somebody logs in to, or a PIN"
        }
    }
}
