import Foundation
import OstiaryTesting
import QRCode
import Testing

@testable import OstiaryPhone

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A television that shows a code, a person with a terminal phone, and two server processes.
@Suite("A device, a phone, two servers", .serialized)
struct DeviceCodeJourneyTests {
    private static let file = """
        applications:
          tv:
            kind: native
            client_name: Television
            token_endpoint_auth_method: none
            grant_types: ["urn:ietf:params:oauth:grant-type:device_code"]
        """

    /// A pair of servers whose operator has registered the television.
    private func running(on engine: DatabaseEngine) async throws -> ProcessesFixture {
        let pair = try await ProcessesFixture.running(on: engine)
        let path = pair.folder.file("provider.yaml")
        try Self.file.write(toFile: path, atomically: true, encoding: .utf8)
        let program = try Program(
            ["admin", "apply", path, "--url", pair.layout.adminURL], environment: ["OSTIARY_ROOT_API_KEY": pair.layout.rootAPIKey])
        let code = try await program.end()
        try #require(code == 0, "\(program.output) \(program.complaints)")
        let discovery = pair.layout.publicURL + "/.well-known/openid-configuration"
        try await eventually("it is a provider") { try await pair.answer(discovery).status == 200 }
        return pair
    }

    /// What the television hears.
    private func ask(_ pair: ProcessesFixture, _ path: String, _ form: String) async throws -> (status: Int, json: JSONLine) {
        var request = URLRequest(url: try #require(URL(string: pair.layout.publicURL + path)), timeoutInterval: 10)
        request.httpMethod = "POST"
        request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
        request.httpBody = Data("client_id=tv&\(form)".utf8)
        let (data, response) = try await URLSession.shared.data(for: request)
        return ((response as? HTTPURLResponse)?.statusCode ?? 0, try JSONLine(String(decoding: data, as: UTF8.self)))
    }

    private func poll(_ pair: ProcessesFixture, _ begun: JSONLine) async throws -> (status: Int, json: JSONLine) {
        let code = try #require(begun["device_code"]?.string)
        return try await ask(pair, "/oauth/token", "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code&device_code=\(code)")
    }

    @Test(
        "The phone scans a picture of its screen, shows who asks and the code, and the television is logged in; a second scan is too late",
        arguments: DatabaseEngine.allCases)
    func scanned(on engine: DatabaseEngine) async throws {
        let pair = try await running(on: engine)
        let person = Person(try await pair.backend(), pair.phone())
        try await person.enrol(in: pair.folder)
        let begun = try await ask(pair, "/oauth/device/code", "scope=openid")
        #expect(begun.status == 200)
        let (uri, shown) = (try #require(begun.json["verification_uri_complete"]?.string), try #require(begun.json["user_code"]?.string))
        let png = try pair.folder.write(try QRSymbol(bytes: Array(uri.utf8)).png(), to: "television.png")
        let outcome = try await person.phone.run(["login", png], pins: [Person.pin])
        #expect(outcome.code == 0, "\(outcome.events) \(outcome.complaints)")
        let info = outcome.event("confirmLogin")?["info"]
        #expect(info?["service"]?.string == "Television" && info?["binding"]?.string == "unboundLink", "\(outcome.events)")
        guard case .object(let announced)? = info?["announceInfo"] else { throw Missing() }
        #expect(announced.values.contains(.string(shown)))
        let given = try await poll(pair, begun.json)
        #expect(given.status == 200 && given.json["access_token"]?.string != nil, "\(given)")
        let late = try await person.phone.run(["login", uri], pins: [Person.pin])
        #expect(late.code == PhoneExit.codeOver.rawValue, "\(late.events) \(late.complaints)")
        try await pair.stop()
    }

    @Test(
        "A no on the phone is access_denied; another server's address is no code to the phone, and nobody is asked",
        arguments: DatabaseEngine.allCases)
    func refused(on engine: DatabaseEngine) async throws {
        let pair = try await running(on: engine)
        let person = Person(try await pair.backend(), pair.phone())
        try await person.enrol(in: pair.folder)
        let begun = try await ask(pair, "/oauth/device/code", "scope=openid")
        let uri = try #require(begun.json["verification_uri_complete"]?.string)
        let foreign = try await person.phone.run(["login", uri.replacing(pair.layout.publicURL, with: "https://tv.example")])
        #expect(foreign.code == PhoneExit.usage.rawValue && foreign.event("confirmLogin") == nil, "\(foreign.events) \(foreign.complaints)")
        let denied = try await person.phone.run(["login", uri, "--deny"])
        #expect(denied.event("sessionLogin") == nil)
        #expect(try await poll(pair, begun.json).json["error"]?.string == "access_denied")
        try await pair.stop()
    }

    private struct Missing: Error {}
}
