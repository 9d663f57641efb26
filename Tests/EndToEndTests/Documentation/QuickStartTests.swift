import Foundation
import OstiaryMobile
import Synchronization
import Testing

@testable import ostiary

/// The thirty lines that the documentation tells people to paste, as they stand there.
@Suite("The quick start")
struct QuickStartTests {
    @Test("Pasted as it is, it onboards a person, logs them in to the app without asking again, and logs a browser in")
    func quickStart() async throws {
        let pair = try await ServerPair.running()
        let backend = try await pair.backend()
        let ostiary = try makeOstiary(home: pair.folder.path("app"))
        let nonce = ManagementClient.newNonce()
        let person = ObedientPerson { code in try? await backend.confirm(nonce, code: code) }
        let app = Task { await answer(ostiary, with: person) }
        defer { app.cancel() }

        #expect(Entry(ostiary) == .onboarding)
        ostiary.start(with: try await backend.enrolCode(nonce, name: "Alice", user: "alice", asPNG: false))
        try await eventually("the app is open: \(person.shown)") { person.shown.contains("Logged in as Alice") }
        #expect(Entry(ostiary) == .app)
        #expect(person.pins == 1, "the AppLogin after onboarding is silent")
        let webNonce = try #require(ostiary.appLoginSession?.webNonce)
        #expect(try await backend.session(webNonce).userid == "alice")

        let browser = ManagementClient.newNonce()
        ostiary.start(with: try await backend.loginCode(browser, asPNG: false))
        try await eventually("the browser is logged in: \(person.shown)") { try await backend.session(browser).loggedin }

        ostiary.stopAppLogin()
        try await eventually("the app is closed") { Entry(ostiary) == .login }
        try await pair.stop()
    }
}

/// Says yes, types the same PIN every time, and the confirmation code into the page.
private final class ObedientPerson: Screens {
    private let typeCode: @Sendable (String) async -> Void
    private let texts = Mutex<[String]>([])
    private let asked = Mutex(0)

    init(typeCode: @Sendable @escaping (String) async -> Void) { self.typeCode = typeCode }

    var shown: [String] { texts.withLock { $0 } }
    var pins: Int { asked.withLock { $0 } }

    func confirms(_ question: String) async -> Bool { true }

    func pin(for question: SecondFactorInfo) async -> PIN {
        asked.withLock { $0 += 1 }
        let pin = PIN()
        for digit in Person.pin.utf8 { pin.append(digit: digit - UInt8(ascii: "0")) }
        return pin
    }

    func show(_ text: String) async {
        texts.withLock { $0.append(text) }
        let words = text.split(separator: " ")
        if words.first == "Type", words.count > 1 { await typeCode(String(words[1])) }
    }
}
