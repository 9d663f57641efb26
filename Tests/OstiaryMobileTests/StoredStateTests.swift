import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import OstiaryMobile

@Suite("What is stored")
struct StoredStateTests {
    private func tries(wait: UInt32, _ clock: TestClock) -> StoredTries {
        StoredTries(Tries(failed: 3, most: 5, wait: wait, withoutPINLeft: 0), blocked: false, by: .secondFactor, heardAt: clock)
    }

    @Test("A penalty runs off by the monotonic clock, whatever is done to the other one")
    func penaltyIgnoresTheWallClock() {
        let clock = TestClock()
        let tries = tries(wait: 300, clock)
        clock.advance(100)
        #expect(tries.penalty(at: clock) == 200)
        clock.setWall(by: 86_400)
        #expect(tries.penalty(at: clock) == 200)
        clock.setWall(by: -2 * 86_400)
        #expect(tries.penalty(at: clock) == 200)
        clock.advance(200)
        #expect(tries.penalty(at: clock) == 0)
    }

    @Test("After a restart of the device the wall clock decides")
    func penaltyAfterARestart() {
        let clock = TestClock()
        let tries = tries(wait: 300, clock)
        clock.advance(60)
        clock.restartDevice(uptime: 20)
        #expect(tries.penalty(at: clock) == 240)
        clock.setWall(by: -86_400)
        #expect(tries.penalty(at: clock) == 280, "what passed since the restart counts in any case")
        clock.setWall(by: 2 * 86_400)
        #expect(tries.penalty(at: clock) == 0)
    }

    @Test("A document that is damaged or newer is refused, and left as it is")
    func unreadable() throws {
        #expect(throws: OstiaryError.storeUnreadable) { try StoredState(decoding: Array("{".utf8)) }
        #expect(throws: OstiaryError.storeUnreadable) { try StoredState(decoding: []) }
        var newer = StoredState()
        newer.version = StoredState.newestVersion + 1
        #expect(throws: OstiaryError.storeUnreadable) { try StoredState(decoding: try newer.encoded()) }
        #expect(try StoredState(decoding: nil) == StoredState())
    }

    @Test("Every prefix of a document is refused", .timeLimit(.minutes(10)))
    func prefixes() async throws {
        let phone = try await TestPhone.enrolled()
        let document = try #require(phone.accounts.document)
        let state = try StoredState(decoding: document)
        #expect(try state.encoded() == document)
        for count in stride(from: 0, to: document.count, by: 13) {
            #expect(throws: OstiaryError.storeUnreadable) { try StoredState(decoding: Array(document.prefix(count))) }
        }
    }

    @Test("The document holds neither the PIN, nor a key, nor a one-time secret")
    func holdsNoSecrets() async throws {
        let phone = try await TestPhone.enrolled()
        let document = try #require(phone.accounts.document)
        for name in phone.keys.names {
            guard let secret = try? phone.keys.secret(named: name) else { continue }
            #expect(!String(decoding: document, as: UTF8.self).contains(Base64URL.encode(secret)))
        }
        #expect(!String(decoding: document, as: UTF8.self).contains("271828"))
    }
}

@Suite("Addresses")
struct ServerAddressTests {
    @Test(
        "https, and http to this machine",
        arguments: [
            "https://a.example", "https://a.example:8443/", "http://127.0.0.1:8080", "http://localhost", "http://[::1]:80", "http://127.9.9.9",
            "https://a.example:65535", "https://a.example:1", "https://[2001:db8::1]", "https://[2001:db8::1]:8443/", "https://192.0.2.1",
            "https://a-b.xn--bcher-kva.example", "https://A.Example", "https://a.example.", "https://a_b.example:1", "https://1.a--b.example",
            "https://\(String(repeating: "a", count: 63)).example",
        ])
    func allowed(_ text: String) { #expect(ServerAddress(text) != nil) }

    @Test(
        "Nothing else",
        arguments: [
            "http://a.example", "ftp://a.example", "https://", "https://user@a.example", "https://user:word@a.example", "https://:word@a.example",
            "https://:8443", "https://a.example/path", "https://a.example?q",
            "https://a.example#f",
            "http://127.0.0.1.example", "http://127.0.0", "http://128.0.0.1", "http://127.0.0.01", "http://0.0.0.0", "",
            "a.example", "http://localhost.example",
            // No port there is, in a code that anybody makes: an HTTP client may end the process over it.
            "https://a.example:0", "https://a.example:65536", "http://127.0.0.1:70000", "https://[::1]:70000",
            "https://a.example:99999999999999999999", "https://a.example:", "https://[::1]:",
            "https://a%0d%0ab.example", "https://a%00b.example", "https://[fe80::1%25eth0]:1",
            // Nor such a name.
            "https://-:1", "https://.:1", "https://..:1", "https://-a.example", "https://a-.example", "https://a..example", "https://.a.example",
            "https://a%2eb:1", "https://%61.example", "https://\(String(repeating: "a", count: 64)).example",
            "https://\(String(repeating: "a.", count: 127))example",
        ])
    func refused(_ text: String) { #expect(ServerAddress(text) == nil) }
}
