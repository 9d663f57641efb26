import OstiaryProtocol

/// The keys of one of the two servers, from secrets that are written down.
struct TranscriptServer {
    static let begin = Instant(1_800_000_000)
    static let prekeyID: UInt32 = 21

    let rootKey: RootKey
    let operatorKey: OperatorKey
    let prekeySecret: PrekeySecret

    /// - Parameter name: what stands before the names of its secrets.
    init(_ name: String, _ secret: (String) throws -> [UInt8]) throws {
        guard let id = ServerID(try secret("\(name).serverId")) else { throw MissingField(name: "\(name).serverId") }
        rootKey = try RootKey(seed: try secret("\(name).rootSeed"), serverID: id)
        operatorKey = try OperatorKey(seed: try secret("\(name).opSeed"))
        prekeySecret = try PrekeySecret(id: Self.prekeyID, secret: try secret("\(name).prekey"))
    }

    var root: Root { rootKey.root }
    var chain: ServerChain {
        ServerChain(root: root, certificates: [rootKey.certify(operatorKey, from: Self.begin - 60, until: Self.begin + 90 * 86_400)])
    }
    var prekey: Encoded<Prekey> { prekeySecret.published(until: Self.begin + 86_400, signedBy: operatorKey) }
}

/// Gives the bytes that it was given.
struct GivenBytes: RandomSource {
    let given: [UInt8]

    init(_ given: [UInt8]) { self.given = given }

    func bytes(_ count: Int) -> [UInt8] { Array(given.prefix(count)) }
}

/// The box of a transcript, from its secrets. Enrolment and login have a blind and an attempt each, of which the scalar of the proof comes.
enum TranscriptBox {
    static func scenario(pin: String, _ secret: (String) throws -> [UInt8], of flow: String) throws -> BoxScenario {
        try BoxScenario(
            Given(fields: [
                "pin": .text(pin), "deviceSecret": .hex(try secret("dsec")), "sfId": .hex(try secret("sfId")), "epoch": .number(1),
                "memory": .number(UInt64(Argon2id.Parameters.standard.memory)), "passes": .number(UInt64(Argon2id.Parameters.standard.passes)),
                "serverShare": .hex(try secret("srvShare")), "oprfKey": .hex(try secret("k")), "blind": .hex(try secret("\(flow)Blind")),
                "attemptId": .hex(try secret("\(flow)AttemptId")),
            ]))
    }
}
