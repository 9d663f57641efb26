import OstiaryProtocol
import Testing

@Suite("Offer: what a server wants back")
struct OfferTests {
    private let key = [UInt8](repeating: 7, count: 32)

    private func sealed(_ samples: Samples) throws -> (offer: Encoded<Offer>, place: Offer.Place) {
        let (session, ephemeral) = (samples.session, samples.bytes(32))
        return (
            samples.offer(session: session, ephemeral: ephemeral, shownHash: samples.bytes(32), key: key),
            Offer.Place(session: session, ephemeral: ephemeral)
        )
    }

    @Test("An offer has 95 bytes, and only its maker takes it: for its session, its ephemeral key, with its own key")
    func genuine() throws {
        let samples = try Samples()
        let (offer, place) = try sealed(samples)
        #expect(offer.bytes.count == 95 && Offer.count == 95)
        #expect(offer.isGenuine(for: place, key: key))
        #expect(!offer.isGenuine(for: place, key: samples.bytes(32)))
        let other = try sealed(samples)
        #expect(!offer.isGenuine(for: other.place, key: key))
    }

    @Test("An offer with any bit changed is not genuine, or does not decode")
    func flippedBits() throws {
        let (offer, place) = try sealed(try Samples())
        for index in offer.bytes.indices {
            for bit in 0..<8 {
                var bytes = offer.bytes
                bytes[index] ^= 1 << UInt8(bit)
                guard let changed = try? Encoded<Offer>(decoding: bytes) else { continue }
                #expect(!changed.isGenuine(for: place, key: key))
            }
        }
    }

    @Test("l2Hash covers every byte of an L2 but its offer")
    func shownHash() throws {
        let answer = try Samples().offeredL2()
        #expect(answer.value.offer.value.shownHash == answer.shownHash)
        for index in answer.bytes.indices {
            var bytes = answer.bytes
            bytes[index] ^= 1
            guard let changed = try? Encoded<L2>(decoding: bytes) else { continue }
            #expect((changed.shownHash == answer.shownHash) == (index > answer.bytes.count - 96))
        }
    }

    @Test("An L2 names the selected account to its own phone, and to nobody else")
    func accountMark() throws {
        let samples = try Samples()
        let (account, stranger) = (samples.account, samples.account)
        func l2(_ account: AccountID?, _ nonce: [UInt8]) -> L2 {
            L2(
                sessionID: samples.session, purpose: .login, account: account, relyingParty: RelyingParty(name: "", origin: "", clientID: ""),
                browser: BrowserFacts(binding: .qrStatic, label: "", city: "", startedAt: SampleServer.now), secondFactor: .needed, methods: .pin,
                serverNonce: nonce, secondFactorPrekey: nil, expiresAt: SampleServer.now)
        }
        let (first, second) = (l2(account, samples.bytes(32)), l2(account, samples.bytes(32)))
        #expect(first.selects(account) == true && second.selects(account) == true && first.selects(stranger) == false)
        #expect(first.accountMark != second.accountMark && first.accountMark != account.bytes)
        #expect(l2(nil, samples.bytes(32)).selects(account) == nil)
    }

    @Test("Only an AppLogin's L1 is signed, and it always is")
    func signedL1() throws {
        let samples = try Samples()
        let account = samples.account
        let signed = try Encoded(L1(appLoginOf: account, clientInfo: "Door"), freshness: samples.bytes(40), signedBy: samples.device.sign)
        let unsigned = Array(signed.bytes.dropLast(65)) + [0]
        #expect(throws: WireError.badValue) { try L1(decoding: unsigned) }
        let scanned = L1(link: samples.loginLink(), via: .scan, clientInfo: "Door").encoded
        #expect(throws: WireError.badValue) { try L1(decoding: Array(scanned.dropLast()) + [64] + samples.bytes(64)) }
    }

    @Test("Session and offer come with a PIN for a login, and with no other")
    func signedM1() throws {
        let samples = try Samples()
        let question = (session: samples.session, offer: samples.offer())
        for context in SecondFactorContext.allCases {
            let attempt = try samples.attempt(context)
            let with = M1(accountID: samples.account, attempt: attempt, payload: [], sealed: [], about: question).encoded
            let without = M1(accountID: samples.account, attempt: attempt, payload: [], sealed: []).encoded
            #expect(((try? M1(decoding: with)) != nil) == (context == .verify))
            #expect(((try? M1(decoding: without)) != nil) == (context != .verify))
        }
    }
}
