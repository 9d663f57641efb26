import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import OstiaryMobile

/// A server that signs a false picture of itself and of its second-factor server.
@Suite("A lying server about second-factor servers and keys", .timeLimit(.minutes(10)))
struct LyingBundleTests {
    private func attempts(_ phone: TestPhone) async -> Int { await phone.server.with { $0.seenAttempts.count } }

    private func stored(_ phone: TestPhone) throws -> StoredState { try StoredState(decoding: phone.accounts.document) }

    /// From now on the bundle, truly signed, names another second-factor server, and the phone hears of it with its next request.
    private func moveAway(_ phone: TestPhone) async throws {
        try await phone.server.with { server in
            server.secondFactor = try server.otherSecondFactor()
            try server.keys.rotatePrekey()
        }
    }

    @Test("A PIN is proved to the second-factor server that it was set at and to no other, whatever else the server signs")
    func otherSecondFactorServer() async throws {
        let phone = try await TestPhone.enrolled()
        try await phone.addBiometrics()
        let before = await attempts(phone)
        try await moveAway(phone)
        _ = try await phone.beginLogin()
        #expect(try await phone.finalFailure() == .serverIdentity)
        phone.ostiary.startAppLogin()
        #expect(try await phone.finalFailure() == .serverIdentity)
        phone.ostiary.changePIN()
        #expect(try await phone.failure().0 == .serverIdentity)
        phone.ostiary.removeBiometrics()
        #expect(try await phone.failure().0 == .serverIdentity)
        #expect(await attempts(phone) == before)
    }

    @Test("The PIN of the first account vouches for a second one only at the second-factor server that it was set at")
    func otherSecondFactorServerAtEnrolment() async throws {
        let phone = try await TestPhone.enrolled()
        let before = await attempts(phone)
        try await moveAway(phone)
        phone.ostiary.start(with: try await phone.server.makeEnrolLink())
        phone.ostiary.setAccount(nil, for: try await phone.confirmEnrol())
        #expect(try await phone.finalFailure() == .serverIdentity)
        #expect(await attempts(phone) == before && phone.ostiary.accounts?.count == 1)
    }

    @Test("S4-43 a new PIN goes to the second-factor server of the old one: a server that names another in the middle of the change gets nothing")
    func otherSecondFactorServerDuringChange() async throws {
        let phone = try await TestPhone.enrolled()
        let old = try stored(phone).instances
        phone.ostiary.changePIN()
        _ = try await phone.secondFactor()
        try await phone.server.with { $0.lies.secondFactorAfter = (.m1, try $0.otherSecondFactor()) }
        let before = await attempts(phone)
        phone.ostiary.sfInput(PIN("271828"))
        #expect(try await phone.failure().0 == .serverIdentity)
        #expect(await phone.server.with { $0.received.last } == .m3, "the old PIN was verified")
        #expect(await attempts(phone) == before + 1)
        #expect(try stored(phone).instances.map(\.box) == old.map(\.box) && stored(phone).instances.allSatisfy { $0.change == nil })
    }

    @Test("A bundle that names the second-factor server of before and brings the keys of another is refused")
    func chainOfAnother() async throws {
        let phone = try await TestPhone.enrolled()
        let honest = await phone.server.with { $0.secondFactor.rootHash }
        try await moveAway(phone)
        await phone.server.with { server in
            let other = server.secondFactor.rootHash
            server.lies.bundle = { bundle in
                let bytes = bundle.encoded
                // The hash stands before the identity, whose root it is no longer the hash of.
                guard let place = bytes.indices.first(where: { Array(bytes[$0...].prefix(32)) == other }),
                    let lie = try? Bundle(decoding: bytes.overwritten(at: place, with: honest))
                else { return bundle }
                return lie
            }
        }
        let before = await attempts(phone)
        phone.ostiary.start(with: try await phone.server.makeLoginLink())
        #expect(try await phone.finalFailure() == .serverIdentity)
        #expect(await attempts(phone) == before)
    }

    /// Who made the prekey that is offered as the second-factor server's.
    enum Maker: CaseIterable { case nobody, server, stranger }

    private func offer(_ maker: Maker, at server: TestServer) async throws {
        try await server.with { server in
            let secret = try PrekeySecret(id: 0x99, secret: [UInt8](repeating: 0x77, count: 32))
            let end = server.now + 86_400
            server.lies.prekey =
                switch maker {
                case .nobody: Encoded(Prekey(id: 0x99, publicKey: secret.publicKey, notAfter: end))
                case .server: secret.published(until: end, signedBy: server.keys.operatorKey)
                case .stranger: secret.published(until: end, signedBy: try server.otherSecondFactor().operatorKey)
                }
        }
    }

    @Test(
        "Nothing is sealed to a prekey that the second-factor server did not sign, in a login, an AppLogin, a second account",
        arguments: Maker.allCases)
    func prekeys(_ maker: Maker) async throws {
        let phone = try await TestPhone.enrolled()
        let before = await attempts(phone)
        try await offer(maker, at: phone.server)
        _ = try await phone.beginLogin()
        #expect(try await phone.finalFailure() == .serverIdentity)
        phone.ostiary.startAppLogin()
        #expect(try await phone.finalFailure() == .serverIdentity)
        phone.ostiary.start(with: try await phone.server.makeEnrolLink())
        phone.ostiary.setAccount(nil, for: try await phone.confirmEnrol())
        #expect(try await phone.finalFailure() == .serverIdentity)
        #expect(await attempts(phone) == before)
    }

    @Test("A first PIN is not sealed to such a prekey either, and nothing stays of the enrolment", arguments: Maker.allCases)
    func prekeysOfFirstPIN(_ maker: Maker) async throws {
        let phone = TestPhone(try TestServer(clock: TestClock()))
        try await offer(maker, at: phone.server)
        phone.ostiary.start(with: try await phone.server.makeEnrolLink())
        phone.ostiary.setAccount(nil, for: try await phone.confirmEnrol())
        #expect(try await phone.finalFailure() == .serverIdentity)
        #expect(await attempts(phone) == 0 && phone.ostiary.accounts == [])
    }

    @Test("A prekey of the bundle, unsigned, is refused where no other is offered, as at a change of the PIN")
    func prekeyOfTheBundle() async throws {
        let phone = try await TestPhone.enrolled()
        await phone.server.with { server in
            let evil = server.keys.operatorKey
            let prekey = server.secondFactor.prekey
            let end = server.now + 86_400
            server.lies.bundle = { bundle in
                let chain = bundle.secondFactor.value.chain
                return Bundle(
                    chain: bundle.chain, name: bundle.name, url: bundle.url, sequence: bundle.sequence + 1, prekeys: bundle.prekeys,
                    secondFactor: Encoded(SecondFactorIdentity(chain: chain, prekeys: [prekey.published(until: end, signedBy: evil)])))
            }
            try? server.keys.rotatePrekey()
        }
        phone.ostiary.start(with: try await phone.server.makeLoginLink())
        phone.ostiary.stop(try await phone.confirmLogin().0)
        _ = try await phone.stopped()
        let before = await attempts(phone)
        phone.ostiary.changePIN()
        #expect(try await phone.failure().0 == .serverIdentity)
        #expect(await attempts(phone) == before)
    }

    @Test("A bundle that asks for a suite that this app does not speak is refused as that, not taken for one that it speaks")
    func suite() async throws {
        let phone = try await TestPhone.enrolled()
        await phone.server.with { server in
            server.lies.bundle = { bundle in
                // minSuite stands behind header, root, name and url.
                let place = 4 + 50 + 1 + bundle.name.utf8.count + 1 + bundle.url.utf8.count
                return (try? Bundle(decoding: bundle.encoded.overwritten(at: place, with: [0x02, 0x01]))) ?? bundle
            }
            try? server.keys.rotatePrekey()
        }
        phone.ostiary.start(with: try await phone.server.makeLoginLink())
        #expect(try await phone.finalFailure() == .serverNotAllowed)
    }

    @Test("A bundle that is signed and names an address without TLS is refused")
    func address() async throws {
        let phone = try await TestPhone.enrolled()
        await phone.server.with { server in
            server.lies.bundle = { bundle in
                Bundle(
                    chain: bundle.chain, name: bundle.name, url: "http://login.example", sequence: bundle.sequence, prekeys: bundle.prekeys,
                    secondFactor: bundle.secondFactor)
            }
            try? server.keys.rotatePrekey()
        }
        phone.ostiary.start(with: try await phone.server.makeLoginLink())
        #expect(try await phone.finalFailure() == .serverNotAllowed)
        #expect(try stored(phone).servers.map(\.url) == [TestServer.url])
    }
}
