import OstiaryProtocol
import Testing

@Suite("Sealed exchange (protocol §4)")
struct ExchangeTests {
    let server: SampleServer
    let ephemeral: EphemeralKey
    let now = SampleServer.now

    init() throws {
        server = try SampleServer(seed: 11)
        ephemeral = try EphemeralKey(using: FixedRandom(12))
    }

    private func seal(_ message: [UInt8]) throws -> SealedRequest {
        try SealedRequest(message, to: server.prekey.value, of: server.root, ephemeral: ephemeral, at: now)
    }

    @Test("What the phone seals, the server opens; what the server answers, the phone opens")
    func thereAndBack() throws {
        let request = try seal([1, 2, 3])
        let opened = try OpenedRequest(request.bytes, with: server.prekeySecret)
        #expect(opened.message == [1, 2, 3])
        #expect(opened.sentAt == now)
        #expect(opened.ephemeral == ephemeral.publicKey)
        #expect(opened.hash == request.hash)
        let answer = try opened.answer(.penalised, body: [9, 9], at: now + 1, signedBy: server.operatorKey)
        let received = try request.open(answer, from: server.keys(), clock: now)
        #expect(received.status == .penalised)
        #expect(received.body == [9, 9])
        #expect(received.time == now + 1)
    }

    @Test("Any flipped bit of a request is refused")
    func tamperedRequest() throws {
        let request = try seal([1, 2, 3]).bytes
        for index in request.indices {
            var bytes = request
            bytes[index] ^= 0x20
            #expect(throws: ExchangeError.self) { try OpenedRequest(bytes, with: server.prekeySecret) }
        }
    }

    @Test("No prefix of a request opens, nor a request with a byte more")
    func cutRequest() throws {
        let request = try seal([1, 2, 3]).bytes
        for count in 0..<request.count {
            #expect(throws: ExchangeError.self) { try OpenedRequest(Array(request.prefix(count)), with: server.prekeySecret) }
        }
        #expect(throws: ExchangeError.cannotOpen) { try OpenedRequest(request + [0], with: server.prekeySecret) }
    }

    @Test("Any flipped bit of an answer is refused, and no prefix opens")
    func tamperedAnswer() throws {
        let request = try seal([1])
        let answer = try OpenedRequest(request.bytes, with: server.prekeySecret).answer(.ok, body: [7], at: now, signedBy: server.operatorKey)
        let keys = try server.keys()
        for index in answer.indices {
            var bytes = answer
            bytes[index] ^= 1
            #expect(throws: ExchangeError.self) { try request.open(bytes, from: keys, clock: now) }
            #expect(throws: ExchangeError.self) { try request.open(Array(answer.prefix(index)), from: keys, clock: now) }
        }
        #expect(throws: ExchangeError.cannotOpen) { try request.open(answer + [0], from: keys, clock: now) }
    }

    @Test("An answer to another request of the same phone is refused")
    func otherRequest() throws {
        let first = try seal([1])
        let second = try seal([1])
        let answer = try OpenedRequest(first.bytes, with: server.prekeySecret).answer(.ok, at: now, signedBy: server.operatorKey)
        #expect(throws: ExchangeError.cannotOpen) { try second.open(answer, from: server.keys(), clock: now) }
    }

    @Test("An answer signed by a key that the pinned root did not certify is refused")
    func otherSigner() throws {
        let thief = try SampleServer(seed: 13)
        let request = try seal([1])
        let answer = try OpenedRequest(request.bytes, with: server.prekeySecret).answer(.ok, at: now, signedBy: thief.operatorKey)
        #expect(throws: ExchangeError.badSignature) { try request.open(answer, from: server.keys(), clock: now) }
    }

    @Test("An operational key signs nothing outside its time")
    func expiredKey() throws {
        let request = try seal([1])
        let answer = try OpenedRequest(request.bytes, with: server.prekeySecret).answer(.ok, at: now, signedBy: server.operatorKey)
        let keys = try server.keys()
        #expect(throws: ExchangeError.badSignature) { try request.open(answer, from: keys, clock: now + 91 * 86_400) }
        #expect(throws: ExchangeError.badSignature) { try request.open(answer, from: keys, clock: now - 61) }
        #expect(!keys.hasKey(at: now - 61))
    }

    @Test("A request to one prekey is not opened with another")
    func otherPrekey() throws {
        let request = try seal([1])
        let sameNumber = try PrekeySecret(id: 7, secret: FixedRandom(3).bytes(32))
        let otherNumber = try PrekeySecret(id: 8, secret: FixedRandom(3).bytes(32))
        #expect(throws: ExchangeError.cannotOpen) { try OpenedRequest(request.bytes, with: sameNumber) }
        #expect(throws: ExchangeError.cannotOpen) { try OpenedRequest(request.bytes, with: otherNumber) }
        // The same key under another number: a request says which prekey it was sealed to, and is taken at its word.
        let secret = FixedRandom(4).bytes(32)
        let (seven, eight) = (try PrekeySecret(id: 7, secret: secret), try PrekeySecret(id: 8, secret: secret))
        let prekey = Prekey(id: 7, publicKey: seven.publicKey, notAfter: now)
        let sealed = try SealedRequest([1], to: prekey, of: server.root, ephemeral: ephemeral, at: now).bytes
        #expect(try OpenedRequest(sealed, with: seven).message == [1])
        #expect(throws: ExchangeError.cannotOpen) { try OpenedRequest(sealed, with: eight) }
    }

    static let pointsOfSmallOrder: [[UInt8]] = [
        [UInt8](repeating: 0, count: 32), [1] + [UInt8](repeating: 0, count: 31), [0xED] + [UInt8](repeating: 0xFF, count: 30) + [0x7F],
        [0xED] + [UInt8](repeating: 0xFF, count: 31),
    ]

    @Test("A point of small order is never sealed to, nor opened from", arguments: pointsOfSmallOrder)
    func smallOrder(_ point: [UInt8]) throws {
        let prekey = Prekey(id: 1, publicKey: point, notAfter: now)
        #expect(throws: ExchangeError.cannotSeal) { try SealedRequest([1], to: prekey, of: server.root, ephemeral: ephemeral, at: now) }
        var request = try seal([1]).bytes
        request.replaceSubrange(12..<44, with: point)
        #expect(throws: ExchangeError.cannotOpen) { try OpenedRequest(request, with: server.prekeySecret) }
    }

    @Test("Requests print nothing of the secrets that open their answers")
    func printing() throws {
        let request = try seal([1])
        let opened = try OpenedRequest(request.bytes, with: server.prekeySecret)
        #expect(String(reflecting: request).contains("‹secret›"))
        #expect(String(reflecting: opened).contains("‹secret›"))
    }
}
