import OstiaryProtocol

/// What stands in `Vectors/transcript` and `Vectors/calls`: a transcript, the calls in it, and orders after it.
struct TranscriptFiles {
    private(set) var contents: [String: any Encodable] = [:]
    private let maker: TranscriptMaker
    private let reader: FenceReader

    init() throws {
        maker = try TranscriptMaker()
        reader = try ProtocolPages.read.get().reader
        let vector = try maker.make()
        contents[TranscriptTests.file] = vector
        let steps = [
            ("ticket-of-a-first-pin", "Ticket", "M1 of the first PIN"), ("proof-of-a-first-pin", "Proof", "E3"),
            ("ticket-of-a-login", "Ticket", "M1 of the login"), ("proof-of-a-login", "Proof", "L5"),
        ]
        for (name, structure, step) in steps {
            let step = try vector.step(step)
            guard let call = step.call else { throw MissingField(name: "call of \(step.name)") }
            try add(name, structure, call, at: step.time)
        }
        for (name, structure, call) in orders() { try add(name, structure, call, at: (TranscriptServer.begin + 400).seconds) }
    }

    private mutating func add(_ name: String, _ structure: String, _ call: TranscriptVector.Call, at time: UInt64) throws {
        let (bytes, answer) = (VectorFiles.bytes(call.call), VectorFiles.bytes(call.answer))
        contents[CallVectorTests.path(name)] = CallVector(
            name: name, trusted: VectorFiles.hex(maker.server.root.hash), pinned: VectorFiles.hex(maker.secondFactor.root.hash),
            chain: VectorFiles.hex(maker.secondFactor.chain.encoded), time: time, call: call.call,
            callFields: try reader.vectorFields("SecondFactorCall", bytes), structure: structure,
            messageFields: try reader.vectorFields(structure, SecondFactorCall(decoding: bytes).message), answer: call.answer,
            answerFields: try reader.vectorFields("SfAnswer", answer))
    }

    /// Close, Leave, Reset and Probe, and what they are answered after the login of the transcript.
    private func orders() -> [(String, String, TranscriptVector.Call)] {
        let (server, instance, now) = (maker.server, maker.instance, TranscriptServer.begin + 400)
        let id = server.root.serverID
        func call(_ order: Encoded<some SecondFactorOrder>, _ status: Status = .ok, highest: UInt64, epoch: UInt32, _ tries: Tries)
            -> TranscriptVector.Call
        {
            let answer = SecondFactorAnswer(attemptID: order.answerID, status: status, highest: highest, epoch: epoch, tries: tries)
            return TranscriptVector.Call(
                call: VectorFiles.hex(SecondFactorCall(caller: Encoded(server.chain), message: order.bytes).encoded),
                answer: VectorFiles.hex(Encoded(answer, signedBy: maker.secondFactor.operatorKey).bytes))
        }
        let tries = Tries(failed: 0, most: 5, wait: 0, withoutPINLeft: Tries.unlimited)
        let close = Encoded(Close(serverID: id, instanceID: instance, time: now), signedBy: server.operatorKey)
        let leave = Encoded(
            Leave(serverID: id, instanceID: instance, deviceKey: maker.devicePublicKey, time: now),
            signedBy: server.operatorKey)
        let reset = Encoded(Reset(serverID: id, instanceID: instance, time: now), signedBy: server.operatorKey)
        let probe = Encoded(Probe(serverID: id, nonce: FixedRandom(7).bytes(16), time: now), signedBy: server.operatorKey)
        return [
            ("close", "Close", call(close, highest: 1, epoch: 1, tries)), ("leave", "Leave", call(leave, highest: 1, epoch: 1, tries)),
            ("reset", "Reset", call(reset, highest: 1, epoch: 1, tries)),
            ("reset-too-many", "Reset", call(reset, .tooMany, highest: 1, epoch: 1, tries)),
            ("probe", "Probe", call(probe, highest: 0, epoch: 0, .none)),
        ]
    }
}
