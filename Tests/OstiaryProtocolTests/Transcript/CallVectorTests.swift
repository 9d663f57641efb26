import Foundation
import OstiaryProtocol
import Testing

/// `Vectors/calls/*.json`: what is posted to `/sf/call`, one file each message, and the answer to it.
struct CallVector: Codable {
    let name: String
    /// Root hash that the second-factor server trusts.
    let trusted: String
    /// Root hash that the authentication server has pinned, and the chain that it was given.
    let pinned: String
    let chain: String
    let time: UInt64
    let call: String
    let callFields: [MessageVector.Field]
    /// Structure of the message in the call.
    let structure: String
    let messageFields: [MessageVector.Field]
    let answer: String
    let answerFields: [MessageVector.Field]
}

@Suite("Vectors/calls")
struct CallVectorTests {
    /// File names, of which those of the first line come from the transcript.
    static let files = [
        "ticket-of-a-first-pin", "proof-of-a-first-pin", "ticket-of-a-login", "proof-of-a-login",
        "close", "leave", "reset", "reset-too-many", "probe",
    ]

    static func path(_ name: String) -> String { "calls/\(name).json" }

    @Test("Each call and each answer is read, field by field, is signed by who it says, and the answer names what it answers", arguments: files)
    func read(_ name: String) throws {
        let vector = try VectorFiles.read(CallVector.self, Self.path(name))
        #expect(vector.name == name)
        let (bytes, answerBytes) = (VectorFiles.bytes(vector.call), VectorFiles.bytes(vector.answer))
        let call = try SecondFactorCall(decoding: bytes)
        #expect(call.encoded == bytes)
        let reader = try ProtocolPages.read.get().reader
        #expect(try reader.vectorFields("SecondFactorCall", bytes) == vector.callFields)
        #expect(try reader.vectorFields(vector.structure, call.message) == vector.messageFields)
        let answer = try Encoded<SecondFactorAnswer>(decoding: answerBytes)
        #expect(answer.value.encoded == answerBytes)
        #expect(try reader.vectorFields("SfAnswer", answerBytes) == vector.answerFields)
        let now = Instant(vector.time)
        let caller = try OperatorKeys.verify(call.caller.value, rootHash: VectorFiles.bytes(vector.trusted))
        let keys = try OperatorKeys.verify(ServerChain(decoding: VectorFiles.bytes(vector.chain)), rootHash: VectorFiles.bytes(vector.pinned))
        #expect(answer.value.attemptID == (try Self.subject(vector.structure, call.message, signedBy: caller, at: now)))
        try answer.verify(with: keys, at: now)
        try answer.value.receipt?.verify(with: keys, at: now)
    }

    /// What the answer must name; throws unless the caller signed the message.
    private static func subject(_ structure: String, _ message: [UInt8], signedBy keys: OperatorKeys, at now: Instant) throws -> AttemptID {
        func order<Message: SecondFactorOrder>(_: Message.Type) throws -> AttemptID {
            let order = try Encoded<Message>(decoding: message)
            try order.verify(with: keys, at: now)
            // By the words of protocol §7, not by the program's own property.
            return try #require(AttemptID(Array(H(Message.label, message).prefix(16))))
        }
        switch structure {
        case "Ticket":
            let ticket = try Encoded<Ticket>(decoding: message)
            try ticket.verify(with: keys, at: now)
            return ticket.value.attempt.value.attemptID
        case "Proof":
            let proof = try Encoded<Proof>(decoding: message)
            try proof.verify(with: keys, at: now)
            return proof.value.attemptID
        case "Close": return try order(Close.self)
        case "Leave": return try order(Leave.self)
        case "Reset": return try order(Reset.self)
        default: return try order(Probe.self)
        }
    }

    @Test("An order's answer is the answer to no other order: one byte more or less, or another second, names another")
    func distinct() throws {
        let maker = try TranscriptMaker()
        let (server, instance) = (maker.server, maker.instance)
        func close(_ time: Instant) -> Encoded<Close> {
            Encoded(Close(serverID: server.root.serverID, instanceID: instance, time: time), signedBy: server.operatorKey)
        }
        let first = close(TranscriptServer.begin)
        #expect(first.answerID == close(TranscriptServer.begin).answerID)
        #expect(first.answerID != close(TranscriptServer.begin + 1).answerID)
        let reset = Encoded(
            Reset(serverID: server.root.serverID, instanceID: instance, time: TranscriptServer.begin), signedBy: server.operatorKey)
        #expect(first.answerID != reset.answerID)
    }
}
