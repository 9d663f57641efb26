import OstiaryProtocol
import Testing

/// Messages that are whole, signed or not, and say something that the specification has no meaning for: refused by whoever reads them, whatever they
/// would be taken for further on.
@Suite("Values without a meaning (protocol §2)")
struct RefusedValueTests {
    let samples: Samples

    init() throws { samples = try Samples() }

    private func expectRefused<Value: WireStruct>(
        _ bytes: [UInt8], _: Value.Type, _ error: WireError = .badValue, _ name: Comment? = nil, at location: SourceLocation = #_sourceLocation
    ) {
        #expect(throws: error, name, sourceLocation: location) { try Value(decoding: bytes) }
    }

    private func changed(_ bytes: [UInt8], at place: Int, to value: UInt8) -> [UInt8] {
        var copy = bytes
        copy[place] = value
        return copy
    }

    @Test("Methods with a bit that no method has are none", arguments: [0x08, 0x10, 0x80, 0xFF] as [UInt8])
    func methods(_ bits: UInt8) throws {
        // Behind header, serverId, sfId, attemptId and context.
        let proof = samples.proof().bytes
        expectRefused(changed(proof, at: 4 + 16 + 16 + 16 + 1, to: bits), Proof.self)
        // Behind header, sid, sessHash, accountId, attemptId and decision.
        let l5 = try samples.l5().bytes
        expectRefused(changed(l5, at: 4 + 16 + 32 + 16 + 16 + 1, to: bits), L5.self)
    }

    /// An L1 of these parts, whatever they say together.
    private func l1(link: [UInt8], via: Via, account: [UInt8], signature: [UInt8]) -> [UInt8] {
        var writer = ByteWriter()
        writer.v8(link)
        writer.choice(via)
        writer.v8(account)
        writer.text16("Door 1.0", cap: 1_024)
        writer.v8(signature)
        return Array(L1(link: samples.loginLink(), via: .scan, clientInfo: "").encoded.prefix(4)) + writer.bytes
    }

    @Test("An L1 is about a link and says nothing of who asks, or it is an AppLogin's, which names its account and is signed")
    func l1() throws {
        let (link, account, signature) = (samples.loginLink().bytes, samples.account.bytes, samples.bytes(64))
        #expect(try L1(decoding: l1(link: link, via: .scan, account: [], signature: [])).accountID == nil)
        #expect(try L1(decoding: l1(link: [], via: .app, account: account, signature: signature)).link == nil)
        for via in [Via.scan, .link, .push] {
            expectRefused(l1(link: [], via: via, account: [], signature: []), L1.self)
            expectRefused(l1(link: link, via: via, account: account, signature: []), L1.self)
            expectRefused(l1(link: link, via: via, account: [], signature: signature), L1.self)
        }
        expectRefused(l1(link: link, via: .app, account: account, signature: signature), L1.self)
        expectRefused(l1(link: [], via: .app, account: [], signature: signature), L1.self)
        expectRefused(l1(link: [], via: .app, account: account, signature: []), L1.self)
    }

    private func m1(_ context: SecondFactorContext, session: [UInt8], offer: [UInt8]) throws -> [UInt8] {
        let attempt = try samples.attempt(context)
        var writer = ByteWriter()
        writer.raw(samples.account.bytes)
        writer.raw(attempt.bytes)
        writer.v16([])
        writer.v16(samples.bytes(132))
        writer.v8(session)
        writer.v8(offer)
        let header = M1(accountID: samples.account, attempt: attempt, payload: [], sealed: []).encoded.prefix(4)
        return Array(header) + writer.bytes
    }

    @Test("A VERIFY brings back session and offer, both; every other context brings neither", arguments: SecondFactorContext.allCases)
    func m1(_ context: SecondFactorContext) throws {
        let (session, offer) = (samples.session.bytes, samples.offer().bytes)
        let isLogin = context == .verify
        #expect(throws: Never.self) { try M1(decoding: m1(context, session: isLogin ? session : [], offer: isLogin ? offer : [])) }
        expectRefused(try m1(context, session: isLogin ? [] : session, offer: isLogin ? [] : offer), M1.self)
        expectRefused(try m1(context, session: session, offer: []), M1.self)
        expectRefused(try m1(context, session: [], offer: offer), M1.self)
    }

    @Test("An L7 says until when exactly in a penalty", arguments: PhoneState.allCases)
    func l7(_ state: PhoneState) throws {
        let soon = SampleServer.now + 30
        let (with, without) = (try samples.l7(state, until: soon).bytes, try samples.l7(state).bytes)
        #expect(throws: Never.self) { try L7(decoding: state == .penalised ? with : without) }
        expectRefused(state == .penalised ? without : with, L7.self)
    }

    @Test("A PIN's policy asks for no more digits than it allows, and a flag is 0 or 1")
    func pinPolicy() throws {
        #expect(try PINPolicy(decoding: [5, 5, 1]).refusesEasy)
        for bytes in [[6, 5, 0], [255, 0, 1], [5, 12, 2], [5, 12, 255]] as [[UInt8]] { expectRefused(bytes, PINPolicy.self) }
    }

    @Test("Nobody asks to be held for more than 25 seconds", arguments: [26, 255] as [UInt8])
    func hold(_ seconds: UInt8) throws {
        let ping = Ping(sessionID: samples.session, hold: 25).encoded
        let wait = W1(accountID: samples.account, hold: 25).encoded
        // Behind header and id.
        expectRefused(changed(ping, at: 4 + 16, to: seconds), Ping.self)
        expectRefused(changed(wait, at: 4 + 16, to: seconds), W1.self)
        #expect(try Ping(decoding: ping).hold == 25)
    }

    @Test("A Stop gives the person or inactivity as its reason, and nothing that is the server's to say", arguments: 0...255 as ClosedRange<UInt8>)
    func stopReason(_ reason: UInt8) throws {
        let stop = Stop(sessionID: samples.session, reason: .user).encoded
        // Behind header and sid.
        let bytes = changed(stop, at: 4 + 16, to: reason)
        guard reason == 1 || reason == 2 else { return expectRefused(bytes, Stop.self) }
        #expect(try Stop(decoding: bytes).encoded == bytes)
    }

    @Test("More than four logins wait for nobody, and each has a link of a login")
    func waiting() throws {
        let login = WaitingLogin(link: samples.pushedLink(), expiresAt: SampleServer.now)
        let four = Waiting(logins: Array(repeating: login, count: 5)).encoded
        #expect(try Waiting(decoding: four).logins.count == 4)
        let item = 1 + LoginLink.count + 8
        // Behind header and count, and before the length of the extensions.
        let five = changed(Array(four.dropLast(2)), at: 4, to: 5) + four[5..<5 + item] + four.suffix(2)
        expectRefused(five, Waiting.self, .badLength)
        // Version and kind of the first link.
        expectRefused(changed(four, at: 6, to: 2), Waiting.self, .badVersion)
        expectRefused(changed(four, at: 7, to: 1), Waiting.self, .badType)
        expectRefused(changed(four, at: 5, to: 0), Waiting.self, .truncated)
    }

    @Test("What a device shows has at most 512 bytes, and is text")
    func verification() throws {
        let most = String(repeating: "d", count: 512)
        let bytes = Verification(accountID: samples.account, uri: most).encoded
        #expect(try Verification(decoding: bytes).uri == most)
        // Behind header and account, a length of two bytes.
        let place = 4 + 16
        expectRefused(Array(bytes[..<place]) + [2, 1] + bytes[(place + 2)...] + [0], Verification.self, .badLength)
        expectRefused(changed(bytes, at: place + 2, to: 0x07), Verification.self, .badText)
    }

    @Test("A token of a service has 1 to 65,000 bytes of any kind, and the longest fits into the body of an answer")
    func serviceToken() throws {
        let most = [UInt8](repeating: 0xFF, count: 65_000)
        let bytes = try #require(ServiceToken(token: most)).encoded
        #expect(try ServiceToken(decoding: bytes).token == most)
        #expect(bytes.count + 512 < 65_535, "with room for extensions")
        #expect(ServiceToken(token: []) == nil && ServiceToken(token: most + [0]) == nil)
        // Behind the header, a length of two bytes.
        let longer = UInt16(65_001)
        expectRefused(Array(bytes[..<4]) + [UInt8(longer >> 8), UInt8(longer & 0xFF)] + bytes[6...] + [0], ServiceToken.self, .badLength)
        expectRefused(Array(bytes[..<4]) + [0, 0, 0, 0], ServiceToken.self, .badLength)
        #expect(!"\(try ServiceToken(decoding: bytes))".contains("255"), "it is nowhere printed")
    }

    @Test("A question to a Data Service and its answer have up to 65,000 bytes of any kind, also none, and the longest can travel")
    func serviceData() throws {
        let most = [UInt8](repeating: 0xFF, count: 65_000)
        let call = try #require(CallID(samples.bytes(16)))
        for bytes in [[], most] {
            let question = try #require(GetData(accountID: samples.account, callID: call, payload: bytes)).encoded
            #expect(try GetData(decoding: question).payload == bytes)
            #expect(question.count + 256 < 65_535, "with room for what a request adds")
            let answer = try #require(ServiceData(data: bytes)).encoded
            #expect(try ServiceData(decoding: answer).data == bytes)
        }
        #expect(GetData(accountID: samples.account, callID: call, payload: most + [0]) == nil && ServiceData(data: most + [0]) == nil)
        let longer: [UInt8] = [UInt8(65_001 >> 8), UInt8(65_001 & 0xFF)]
        let question = try #require(GetData(accountID: samples.account, callID: call, payload: most)).encoded
        // Behind header, account and call.
        let place = 4 + 16 + 16
        expectRefused(Array(question[..<place]) + longer + question[(place + 2)...] + [0], GetData.self, .badLength)
        let answer = try #require(ServiceData(data: most)).encoded
        expectRefused(Array(answer[..<4]) + longer + answer[6...] + [0], ServiceData.self, .badLength)
        #expect(!"\(try ServiceData(decoding: answer)) \(try GetData(decoding: question))".contains("255"), "neither is printed")
    }

    @Test("Whether a number is asked is 0 or 1", arguments: [2, 255] as [UInt8])
    func number(_ value: UInt8) throws {
        let l2 = samples.l2()
        let place = l2.encoded.count - tail(of: l2)
        #expect(l2.encoded[place] == 0)
        expectRefused(changed(l2.encoded, at: place, to: value), L2.self)
        #expect(try L2(decoding: changed(l2.encoded, at: place, to: 1)).needsNumber)
    }

    private func l2(_ purpose: SessionPurpose, announcing keys: [String]) -> [UInt8] {
        let shown = samples.shownL2(purpose, announcing: keys.map { Announcement(key: $0, text: "of \($0)") })
        return Encoded(shown) { hash in
            samples.offer(session: samples.session, ephemeral: samples.bytes(32), shownHash: hash, key: samples.bytes(32))
        }.bytes
    }

    @Test("An L2 has each key once: what is shown by its key is all that is signed. Keys that are canonically equivalent are one")
    func keys() throws {
        expectRefused(l2(.login, announcing: ["amount", "amount"]), L2.self)
        expectRefused(l2(.login, announcing: ["amount", "to", "amount"]), L2.self)
        // The same letter, as one character and as two.
        expectRefused(l2(.login, announcing: ["\u{E9}", "e\u{301}"]), L2.self)
        #expect(try L2(decoding: l2(.login, announcing: ["b", "a", "A"])).announceInfo.map(\.key) == ["b", "a", "A"])
    }

    @Test("Only a transaction has something to sign", arguments: [SessionPurpose.login, .app, .transaction])
    func transaction(_ purpose: SessionPurpose) throws {
        let l2 = samples.shownL2(purpose)
        let bytes = self.l2(purpose, announcing: [])
        #expect(try L2(decoding: bytes).transaction.isEmpty)
        let names = [l2.relyingParty.name, l2.relyingParty.origin, l2.relyingParty.clientID].reduce(0) { $0 + 1 + $1.utf8.count }
        // Behind header, sid, kind, account, names, no texts, and the hash of the image.
        let place = 4 + 16 + 1 + 1 + 16 + names + 1 + 1 + 32
        #expect(bytes[place] == 0 && bytes[place + 1] == 0)
        let changed = Array(bytes.prefix(place)) + [0, 3] + Array("pay".utf8) + bytes.dropFirst(place + 2)
        if purpose == .transaction {
            #expect(try L2(decoding: changed).transaction == Array("pay".utf8))
        } else {
            expectRefused(changed, L2.self)
        }
    }

    /// The bytes of an L2 from the number on: number, return address, need, methods, nonce, prekey, flags, end, extensions, offer.
    private func tail(of l2: L2) -> Int {
        1 + 2 + l2.returnURL.utf8.count + 1 + 1 + 32 + 2 + (l2.secondFactorPrekey?.bytes.count ?? 0) + 2 + 8 + 2 + 1 + l2.offer.bytes.count
    }
}
