import OstiaryProtocol

/// A message that lies open, with those of its fields that may be shown. A field stands here by its name or not at all: what is added to a message
/// is not shown before somebody has thought about it.
struct SeenMessage: Sendable {
    let type: MessageType
    let fields: [SeenField]
    var happenings: Set<Happening> = []

    /// - Throws: `WireError` of bytes that are no message.
    init(of bytes: [UInt8]) throws(WireError) {
        type = try MessageType(of: bytes)
        switch type {
        case .e1: fields = Self.fields(of: try E1(decoding: bytes))
        case .e3: fields = Self.fields(of: try E3(decoding: bytes))
        case .w1: fields = Self.fields(of: try W1(decoding: bytes))
        case .l1: fields = Self.fields(of: try L1(decoding: bytes))
        case .l5: fields = Self.fields(of: try L5(decoding: bytes))
        case .l7: fields = Self.fields(of: try L7(decoding: bytes))
        case .m1: fields = Self.fields(of: try M1(decoding: bytes))
        case .m3: fields = Self.fields(of: try M3(decoding: bytes))
        case .ping: fields = Self.fields(of: try Ping(decoding: bytes))
        case .stop: fields = Self.fields(of: try Stop(decoding: bytes))
        case .delete: fields = [.id("accountId", try Delete(decoding: bytes).accountID)]
        case .fetch: fields = [.id("accountId", try Fetch(decoding: bytes).accountID)]
        // Who has the code may bring it, too.
        case .verification: fields = [.id("accountId", try Verification(decoding: bytes).accountID)]
        case .getToken: fields = Self.fields(of: try GetToken(decoding: bytes))
        case .getData: fields = Self.fields(of: try GetData(decoding: bytes))
        case .ticket: fields = Self.fields(of: try Ticket(decoding: bytes))
        case .proof: fields = Self.fields(of: try Proof(decoding: bytes))
        case .close: fields = [.id("sfId", try Close(decoding: bytes).instanceID)]
        case .leave: fields = [.id("sfId", try Leave(decoding: bytes).instanceID)]
        case .reset: fields = [.id("sfId", try Reset(decoding: bytes).instanceID)]
        case .probe: fields = [.id("serverId", try Probe(decoding: bytes).serverID)]
        case .secondFactorAnswer: fields = Self.fields(of: try SecondFactorAnswer(decoding: bytes))
        case .bundle: fields = Self.fields(of: try Bundle(decoding: bytes))
        // These travel inside of what is sealed to the phone, or inside of another message; nobody but the phone sees one open.
        case .request, .answer, .e2, .e4, .l2, .l6, .m2, .m4, .receipt, .secondFactorEvaluation, .pingAnswer, .tombstone, .waiting,
            .serviceToken, .serviceData:
            fields = []
        }
        happenings = try Self.happenings(in: bytes, type)
    }

    private static func happenings(in bytes: [UInt8], _ type: MessageType) throws(WireError) -> Set<Happening> {
        switch type {
        case .e1: return [.enrolmentBegan]
        case .e3: return isRefusal(try E3(decoding: bytes).decision) ? [.refusal] : []
        case .l5: return isRefusal(try L5(decoding: bytes).decision) ? [.refusal] : []
        case .l7: return try L7(decoding: bytes).state == .penalised ? [.penalty] : []
        case .m3: return try M3(decoding: bytes).context == .pinChangeSet ? [.newPIN] : []
        case .stop: return [.stop]
        case .secondFactorAnswer:
            let answer = try SecondFactorAnswer(decoding: bytes)
            // The count of an answer has its own try in it, which may have been right; the one before it was not.
            if answer.status == .penalised { return [.wrongPIN, .penalty] }
            return answer.tries.failed > 1 ? [.wrongPIN] : []
        default: return []
        }
    }
}

extension SeenMessage {
    private static func isRefusal(_ decision: Decision) -> Bool { decision == .decline || decision == .notMe }

    private static func fields(of message: E1) -> [SeenField] {
        [
            .id("enrolId", message.enrolID), SeenField("enrolSecret", .secret(bytes: message.enrolSecret.count)),
            .beginning("devPk", of: message.deviceKey), SeenField("appInfo", .text(message.appInfo)), SeenField("osInfo", .text(message.osInfo)),
        ]
    }

    private static func fields(of message: E3) -> [SeenField] {
        present([
            SeenField("decision", .text("\(message.decision)")), SeenField("context", .text(ProtocolWord.of(message.context))),
            .id("sfId", message.instanceID), .beginning("pkSf", of: message.secondFactorKey),
            .beginning("sfSig", of: message.secondFactorSignature), .beginning("devSig", of: message.deviceSignature),
        ])
    }

    private static func fields(of message: W1) -> [SeenField] { [.id("accountId", message.accountID), .seconds("hold", UInt32(message.hold))] }

    private static func fields(of message: L1) -> [SeenField] {
        present([
            message.link.map { .id("sid", $0.value.sessionID) }, SeenField("via", .text("\(message.via)")),
            message.link.map { SeenField("binding", .text("\($0.value.binding)")) }, .id("accountId", message.accountID),
        ])
    }

    private static func fields(of message: L5) -> [SeenField] {
        present([
            .id("sid", message.sessionID), .beginning("sessHash", of: message.sessionHash), .id("accountId", message.accountID),
            SeenField("decision", .text("\(message.decision)")), SeenField("method", .text(message.method.words)),
            .beginning("sfSig", of: message.secondFactorSignature), .beginning("bioSig", of: message.biometricSignature),
            message.cache.map { SeenField("cache", .secret(bytes: $0.count)) }, .beginning("devSig", of: message.deviceSignature),
        ])
    }

    private static func fields(of message: L7) -> [SeenField] {
        [.id("sid", message.sessionID), .id("accountId", message.accountID), SeenField("state", .text("\(message.state)"))]
    }

    private static func fields(of message: M1) -> [SeenField] {
        [.id("accountId", message.accountID)] + fields(of: message.attempt.value) + [.sealed("sealed", message.sealed, to: .secondFactor)]
    }

    private static func fields(of message: M3) -> [SeenField] {
        present([
            .id("accountId", message.accountID), .id("sfId", message.instanceID), SeenField("context", .text(ProtocolWord.of(message.context))),
            SeenField("method", .text(message.method.words)), .number("epoch", message.epoch), .beginning("sfSig", of: message.secondFactorSignature),
            .beginning("devSig", of: message.deviceSignature),
        ])
    }

    private static func fields(of message: Ping) -> [SeenField] { [.id("sid", message.sessionID), .seconds("hold", UInt32(message.hold))] }

    private static func fields(of message: Stop) -> [SeenField] {
        [.id("sid", message.sessionID), SeenField("reason", .text("\(message.reason)"))]
    }

    private static func fields(of message: GetToken) -> [SeenField] { [.id("sid", message.sessionID), .id("callId", message.callID)] }

    private static func fields(of message: GetData) -> [SeenField] {
        [.id("accountId", message.accountID), .id("callId", message.callID), SeenField("payload", .secret(bytes: message.payload.count))]
    }

    private static func fields(of message: Bundle) -> [SeenField] {
        [SeenField("name", .text(message.name)), SeenField("url", .text(message.url)), .number("prekeys", UInt32(message.prekeys.count))]
    }
}

extension SeenMessage {
    /// Those fields that this message has.
    private static func present(_ fields: [SeenField?]) -> [SeenField] { fields.compactMap(\.self) }
}

/// Between the servers.
extension SeenMessage {
    private static func fields(of attempt: Attempt) -> [SeenField] {
        present([
            .id("sfId", attempt.instanceID), .id("attemptId", attempt.attemptID), SeenField("context", .text(ProtocolWord.of(attempt.context))),
            .number("epoch", attempt.epoch), .beginning("sessHash", of: attempt.sessionHash), .beginning("hB", of: attempt.blindedHash),
            .beginning("devSig", of: attempt.deviceSignature),
        ])
    }

    private static func fields(of message: Ticket) -> [SeenField] {
        [.id("serverId", message.serverID), SeenField("seq", .text("\(message.sequence)"))] + fields(of: message.attempt.value)
    }

    private static func fields(of message: Proof) -> [SeenField] {
        present([
            .id("sfId", message.instanceID), .id("attemptId", message.attemptID), SeenField("context", .text(ProtocolWord.of(message.context))),
            SeenField("method", .text(message.method.words)), .beginning("sessHash", of: message.sessionHash),
            .beginning("pkSf", of: message.secondFactorKey), .beginning("sfSig", of: message.secondFactorSignature),
            .beginning("bioSig", of: message.biometricSignature),
        ])
    }

    private static func fields(of message: SecondFactorAnswer) -> [SeenField] {
        present([
            .id("attemptId", message.attemptID), SeenField("status", .text(ProtocolWord.of(message.status))),
            SeenField("h", .text("\(message.highest)")),
            message.tries.most > 0 ? SeenField("failed", .text("\(message.tries.failed) of \(message.tries.most), this try among them")) : nil,
            message.tries.wait > 0 ? .seconds("wait", message.tries.wait) : nil,
            message.sealed.isEmpty ? nil : .sealed("sealedM2", message.sealed, to: .phone),
            message.receipt.map { SeenField("receipt", .text("number \($0.value.sequence), by \($0.value.method.words)")) },
        ])
    }
}

extension SeenField {
    static func id<Kind>(_ name: String, _ id: Identifier<Kind>) -> SeenField { beginning(name, of: id.bytes) }
    static func id<Kind>(_ name: String, _ id: Identifier<Kind>?) -> SeenField? { id.map { beginning(name, of: $0.bytes) } }

    /// The first bytes of a value that is no secret.
    static func beginning(_ name: String, of bytes: [UInt8]) -> SeenField {
        SeenField(name, .text(Hexadecimal.text(bytes.prefix(4)) + (bytes.count > 4 ? "… (\(bytes.count) bytes)" : "")))
    }

    static func beginning(_ name: String, of bytes: [UInt8]?) -> SeenField? { bytes.map { beginning(name, of: $0) } }
    static func number(_ name: String, _ value: UInt32) -> SeenField { SeenField(name, .text("\(value)")) }
    static func seconds(_ name: String, _ value: UInt32) -> SeenField { SeenField(name, .text("\(value) s")) }
    static func sealed(_ name: String, _ bytes: [UInt8], to party: Party) -> SeenField { SeenField(name, .sealed(bytes: bytes.count, to: party)) }
}
