import Database
import Foundation
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import OstiaryMobile
@testable import OstiaryPhone

/// `ostiary serve` as a process, a phone that speaks to it over HTTP, and behind it a second-factor server that lies when it is told to.
struct DeceivedFixture: Sendable {
    let pair: ProcessesFixture
    let liar: LyingSecondFactor
    let backend: DemoBackend
    let phone: FixturePhone

    /// Where the phone keeps what it has.
    var home: String { pair.folder.file("phone") }

    /// Opens it with a person who enrolled, and to whom nobody lied yet.
    static func open(_ body: @Sendable @escaping (DeceivedFixture) async throws -> Void) async throws {
        let pair = try await ProcessesFixture()
        try await LyingSecondFactor.open(for: pair) { liar in
            try pair.authentication.start(["OSTIARY_SECOND_FACTOR_URL": liar.address])
            try await eventually("serve trusts the liar: \(pair.authentication.complaints)") { await pair.readiness() == 200 }
            let house = DeceivedFixture(
                pair: pair, liar: liar, backend: try await DemoBackend(pair.layout), phone: try .onNetwork(in: pair.folder.file("phone")))
            try await house.enrol()
            try await body(house)
            try await pair.authentication.stop()
        }
    }

    private func enrol() async throws {
        let nonce = ManagementClient.newNonce()
        let code = try await backend.enrolCode(nonce, name: "Alice", user: "alice", asPNG: false)
        let end = try await phone.enrol(code) { shown in try await backend.confirm(nonce, code: shown) }
        _ = try #require(end.session, "\(end)")
    }

    struct Outcome {
        let end: FixturePhone.End
        let answers: [SecondFactorInfo]
        let nonce: String
        /// What getSession says.
        let isLoggedIn: Bool
    }

    func logIn(_ pins: [String] = [Person.pin], by other: FixturePhone? = nil) async throws -> Outcome {
        let nonce = ManagementClient.newNonce()
        let login = try await (other ?? phone).logIn(try await backend.loginCode(nonce, asPNG: false), pins: pins)
        return Outcome(end: login.end, answers: login.answers, nonce: nonce, isLoggedIn: try await backend.session(nonce).loggedin)
    }

    /// The same with all that the phone showed, up to the end.
    func logIn(showing pins: [String]) async throws -> Outcome {
        let nonce = ManagementClient.newNonce()
        let login = try await phone.logIn(try await backend.loginCode(nonce, asPNG: false), by: pins.map { .pin($0) })
        return Outcome(
            end: login.end, answers: login.asked.filter { $0.result != nil }, nonce: nonce, isLoggedIn: try await backend.session(nonce).loggedin)
    }

    /// That the right PIN fares well when nobody lies.
    func expectHonestLogin(_ after: String) async throws {
        liar.sayTheTruth()
        let login = try await logIn()
        #expect(login.isLoggedIn && login.end.session != nil, "after \(after): \(login)")
    }

    /// That the right PIN logs nobody in while this is said, and is not called wrong.
    @discardableResult
    func expectNobody(_ name: String, while lie: @escaping LyingSecondFactor.Lie) async throws -> Outcome {
        liar.say(lie)
        let login = try await logIn()
        #expect(!login.isLoggedIn && login.end.session == nil, "\(name): \(login)")
        #expect(!login.answers.contains { $0.result == .failed }, "\(name): \(login)")
        return login
    }

    /// A row of the second-factor server, or of the authentication server's database.
    func number(_ query: String, in server: ServersSite.Server) async throws -> Int {
        let layout = pair.layout
        let file =
            switch server {
            case .authentication: layout.authenticationData.appendingPathComponent("ostiary.sqlite").path
            case .secondFactor: layout.secondFactorData.appendingPathComponent("second-factor.sqlite").path
            }
        let database = try openDatabase(.sqlite(path: file), ownership: .shared)
        let number = try await database.read { try $0.one(query)?.int("number") }
        try await database.close()
        return try #require(number)
    }
}
