import AsyncHTTPClient
import Foundation
import HTTPService
import Logging
import NIOCore
import NIOHTTP1
import OstiaryTesting
import QRCode
import Testing

@testable import OstiaryMobile
@testable import OstiaryPhone

/// What stands in a browser: a page that has the address, and says what a person does.
struct PageCaller: Sendable {
    /// `http://127.0.0.1:PORT`.
    let origin: String
    let secret: String
    /// What the program proves itself by, and what is sent is sealed under.
    let key: String
    private let numbers = CallNumbers()

    struct Answer: Sendable {
        let status: UInt
        let headers: HTTPHeaders
        let text: String
    }

    /// - Parameter address: as `ostiary phone --ui` prints it.
    init(_ address: String) throws {
        let parts = address.split(separator: "#")
        try #require(parts.count == 2 && parts[0].hasSuffix("/"), "\(address)")
        origin = String(parts[0].dropLast())
        let secrets = parts[1].split(separator: ".")
        try #require(secrets.count == 2, "\(address)")
        (secret, key) = (String(secrets[0]), String(secrets[1]))
    }

    /// One request; `changes` are header fields in the place of those that the page sends, none where nil.
    /// - Parameter isSealed: whether the body is sealed on the way, as the page does it.
    func send(
        _ method: HTTPMethod, _ path: String, _ changes: [String: String?] = [:], body: [UInt8]? = nil, isSealed: Bool = true,
        within limit: TimeAmount = .minutes(5)
    ) async throws -> Answer {
        var request = HTTPClientRequest(url: origin + path)
        request.method = method
        var fields: [String: String?] = ["X-Phone-Page": secret, "Origin": method == .GET ? nil : origin]
        fields.merge(changes) { _, theirs in theirs }
        for case (let name, let value?) in fields { request.headers.add(name: name, value: value) }
        if let body {
            let sent = try isSealed ? PageSealKey(secret: key).seal(body, for: path, sender: numbers.sender, count: numbers.next()) : body
            request.body = .bytes(ByteBuffer(bytes: sent))
        }
        let response = try await HTTPClient.shared.execute(request, timeout: limit)
        return Answer(
            status: response.status.code, headers: response.headers, text: String(buffer: try await response.body.collect(upTo: 1 << 22)))
    }

    /// A call of the page of one phone.
    @discardableResult
    func call(_ path: String, phone: Int = 0, _ json: String = "{}") async throws -> Answer {
        try await send(.POST, "/phones/\(phone)/\(path)", ["Content-Type": "application/octet-stream"], body: Array(json.utf8))
    }

    /// All that is shown now.
    func shown(phone: Int = 0) async throws -> JSONLine {
        let answer = try await send(.GET, "/phones")
        try #require(answer.status == 200, "\(answer.text)")
        return try #require(try JSONLine(answer.text)["phones"]?.array?[phone])
    }

    /// What is shown as soon as it is so, waiting as the page does.
    func until(phone: Int = 0, _ what: String, _ condition: (JSONLine) -> Bool) async throws -> JSONLine {
        let deadline = ContinuousClock.now + .aHang
        var version = 0
        while true {
            let answer = try JSONLine(try await send(.GET, "/phones?after=\(version)").text)
            let shown = try #require(answer["phones"]?.array?[phone])
            if condition(shown) { return shown }
            guard ContinuousClock.now < deadline else { throw Timeout(description: "in vain: \(what); it shows \(shown)") }
            version = try #require(answer["version"]?.int)
        }
    }

    func until(phone: Int = 0, screen: String) async throws -> JSONLine {
        try await until(phone: phone, "the screen \(screen)") { $0["screen"] == .string(screen) }
    }

    /// Presses the digits one by one, and OK.
    func type(_ digits: String, phone: Int = 0) async throws {
        let question = try #require(try await shown(phone: phone)["question"]?.int)
        for key in digits.map(String.init) + ["enter"] {
            let answer = try await call("key", phone: phone, #"{"question":\#(question),"key":"\#(key)"}"#)
            try #require(answer.status == 200, "\(answer.text)")
        }
    }

    /// Answers what is shown, by its number.
    @discardableResult
    func answer(_ path: String, phone: Int = 0, to shown: JSONLine, _ more: String = "") async throws -> Answer {
        try await call(path, phone: phone, #"{"question":\#(shown["question"]?.int ?? -1)\#(more)}"#)
    }

    /// Says yes, as the first account that is offered.
    func confirm(phone: Int = 0, _ shown: JSONLine) async throws {
        let account = try #require(shown["choices"]?.array?.first?["id"]?.string)
        let answer = try await answer("confirm", phone: phone, to: shown, #","account":"\#(account)""#)
        try #require(answer.status == 200, "\(answer.text)")
    }

    /// Scans a code with a phone of which nothing is asked any more.
    func scan(_ code: [UInt8], phone: Int = 0) async throws {
        _ = try await until(phone: phone, screen: "home")
        let answer = try await hold(code, phone: phone)
        try #require(try JSONLine(answer.text)["found"] == .bool(true), "\(answer.text)")
    }

    /// Holds a symbol before the phone, as a frame of a shared screen.
    func hold(_ code: [UInt8], phone: Int = 0) async throws -> Answer {
        let symbol = try QRSymbol(bytes: code)
        let (scale, margin) = (4, 40)
        let edge = symbol.side * scale + 2 * margin
        var pixels = [UInt8](repeating: 240, count: edge * edge)
        for y in 0..<symbol.side * scale {
            for x in 0..<symbol.side * scale where symbol.isDark(column: x / scale, row: y / scale) { pixels[(y + margin) * edge + x + margin] = 20 }
        }
        return try await send(.POST, "/phones/\(phone)/frame?width=\(edge)&height=\(edge)", body: pixels)
    }
}

/// A page on loopback with phones of a world.
enum RunningPage {

    /// Lends a page with these phones to `body`; a phone goes by the clock of the world.
    static func with(
        _ world: ServersFixture, phones names: [String] = ["phone"], source: ScanSource? = nil, framedBy: [PublicURL] = [],
        logger: Logger = Logger.service("test", level: .critical), _ body: (PageCaller) async throws -> Void
    ) async throws {
        let changes = PhoneChanges()
        let (start, begun) = (ContinuousClock.now, world.clock.wall)
        let phones = try names.map { name in
            let sensor = SimulatedBiometrics()
            var configuration = Ostiary.Configuration()
            configuration.watchesSessions = true
            configuration.automaticallySelectSingleAccountWhenSecondFactorNeeded = false
            configuration.deviceName = name
            configuration.connectionPatience = .seconds(5)
            let ports = try world.ports(name, biometrics: sensor)
            return PagePhone(
                name: name, ostiary: Ostiary(configuration: configuration, ports: ports), sensor: sensor, source: source, changes: changes,
                now: { start + .seconds(world.clock.wall - begun) })
        }
        let (port, drain) = (try ReservedPort(), DrainSignal())
        let page = PhonePage(phones: phones, changes: changes, port: port.number, framedBy: framedBy, drain: drain)
        await page.begin()
        let (opened, open) = AsyncStream.makeStream(of: Void.self)
        let runner = ServerRunner(logger: logger, drain: drain)
        let server = Task { try await runner.run([page.listener], stopsOnSignals: false) { _ in open.yield() } }
        for await _ in opened { break }
        do {
            try await body(try PageCaller(page.address))
        } catch {
            server.cancel()
            throw error
        }
        server.cancel()
        _ = try? await server.value
        withExtendedLifetime(port) {}
    }
}
