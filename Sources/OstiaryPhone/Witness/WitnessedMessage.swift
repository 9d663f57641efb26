import OstiaryProtocol

/// Who sends and who reads.
enum Party: String, Sendable, CaseIterable {
    case phone
    case authentication
    case secondFactor
}

/// One message as it passed, with what may be told of it.
struct WitnessedMessage: Sendable, Equatable {
    /// In the order in which they passed, from 1; given by ``Witness``.
    var number = 0
    /// Whether it belongs to an attack of the demonstration and not to its visitor.
    var isThiefs = false
    let from: Party
    let to: Party
    /// As docs/protocol has it: `M1`.
    let name: String
    /// What it travelled in: `Req`, `SecondFactorCall`; nil when in nothing.
    var wrapping: String?
    /// On the wire.
    let bytes: Int
    /// What it is for, in one sentence.
    let sentence: String
    let section: ProtocolSection
    let fields: [SeenField]
    var happenings: Set<Happening> = []
    /// Whether servers send it by themselves, whoever is logged in.
    var isBackground = false
}

extension WitnessedMessage {
    /// A message that lies open.
    /// - Parameters:
    ///   - wrapping: what it travels in.
    ///   - bytes: on the wire, with what it travels in.
    ///   - sealed: what goes with it and is closed.
    init(
        _ seen: SeenMessage, from: Party, to: Party, in wrapping: String? = nil, bytes: Int, with sealed: [SeenField] = [], isBackground: Bool = false
    ) {
        self.init(
            from: from, to: to, name: seen.type.name, wrapping: wrapping, bytes: bytes, sentence: seen.type.sentence, section: seen.type.section,
            fields: seen.fields + sealed, happenings: seen.happenings, isBackground: isBackground)
    }
}

/// A field of a message, or what stands for it.
struct SeenField: Sendable, Hashable {
    let name: String
    let value: SeenValue

    init(_ name: String, _ value: SeenValue) {
        self.name = name
        self.value = value
    }

    /// Whether it says whose the message is.
    var isName: Bool { ["accountId", "sfId", "sid", "enrolId"].contains(name) }
}

/// What is shown of a field.
enum SeenValue: Sendable, Hashable {
    case text(String)
    /// A secret that the reader of the message learns: told as that, with its size only.
    case secret(bytes: Int)
    /// Cipher text of which whoever relays it has nothing but the size.
    case sealed(bytes: Int, to: Party)
}

/// What a message tells of the way of a person through the demonstration.
enum Happening: String, Sendable, Hashable {
    /// A phone read an enrol code.
    case enrolmentBegan
    /// The second-factor server has counted a try after a wrong one.
    case wrongPIN
    /// The phone was told to wait.
    case penalty
    /// A person said no.
    case refusal
    /// A new PIN was set in the place of another.
    case newPIN
    /// The phone ended a session.
    case stop
}

/// A place in docs/protocol.
struct ProtocolSection: Sendable, Equatable {
    /// Name of the file, without its ending.
    let page: String
    /// Of the fence that has the structure.
    let anchor: String
}
