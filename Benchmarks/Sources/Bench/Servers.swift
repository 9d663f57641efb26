import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import OstiaryProtocol

/// Both servers as an operator runs them: two processes of the release binary with databases of their own, on loopback.
final class Servers: Sendable {
    static let apiKey = "benchmark-" + Base64URL.encode(SystemRandomSource().bytes(24))

    let folder: URL
    let admin: String
    /// What phones and browsers reach the authentication server under.
    let origin: String
    private let ports: [ReservedPort]
    private let secondFactor: Process
    private let serve: Process
    private let isEmulated: Bool
    let serverID: String

    /// - Parameter emulator: what counts their instructions, at some twenty times their time; nil to run them as they are.
    init(binary: String, under emulator: Emulator? = nil) async throws {
        // Those that are not counted may run beside.
        let kind = emulator == nil ? "servers" : "counted-servers"
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("ostiary-bench-\(kind)-\(getpid())")
        isEmulated = emulator != nil
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        ports = [try ReservedPort(), try ReservedPort(), try ReservedPort()]
        let (sfPort, publicPort, adminPort) = (ports[0].number, ports[1].number, ports[2].number)
        admin = "http://127.0.0.1:\(adminPort)"
        origin = "http://127.0.0.1:\(publicPort)"
        let sfData = folder.appendingPathComponent("sf").path
        let data = folder.appendingPathComponent("serve").path
        let sfIdentity = try Process.output(of: binary, ["second-factor", "--data", sfData, "--print-identity"])
        let identity = try Process.output(of: binary, ["serve", "--data", data, "--print-identity"])
        secondFactor = try Self.start(
            binary, ["second-factor", "--data", sfData],
            ["OSTIARY_SF_LISTEN": "127.0.0.1:\(sfPort)", "OSTIARY_SF_TRUSTED_SERVERS": identity],
            under: emulator, counts: Self.counts(folder, "sf"))
        serve = try Self.start(
            binary, ["serve", "--data", data],
            [
                "OSTIARY_PUBLIC_URL": origin, "OSTIARY_LISTEN": "127.0.0.1:\(publicPort)",
                "OSTIARY_ADMIN_LISTEN": "127.0.0.1:\(adminPort)", "OSTIARY_ROOT_API_KEY": Self.apiKey,
                "OSTIARY_SECOND_FACTOR_URL": "http://127.0.0.1:\(sfPort)", "OSTIARY_SECOND_FACTOR_IDENTITY": sfIdentity,
            ],
            under: emulator, counts: Self.counts(folder, "serve"))
        try await Self.waitUntilReady(admin, folder)
        struct Listing: Decodable {
            struct Server: Decodable { let serverid: String }
            let servers: [Server]
        }
        let listing = try JSONDecoder().decode(Listing.self, from: Data(try await Self.call(admin, "GET", "/servers/")))
        serverID = listing.servers.first?.serverid ?? ""
    }

    var processIdentifiers: [Int32] { [serve, secondFactor].map(\.processIdentifier) }

    /// Meters of both processes, made anew so that threads started since are counted.
    func meter() -> [any Meter] { [serveMeter(), meter(secondFactor, "sf")] }
    func serveMeter() -> any Meter { meter(serve, "serve") }

    private func meter(_ process: Process, _ name: String) -> any Meter {
        isEmulated ? EmulatedMeter(counts: Self.counts(folder, name)) : ProcessMeter(process: process.processIdentifier)
    }

    private static func counts(_ folder: URL, _ name: String) -> URL { folder.appendingPathComponent("counts-\(name)") }

    /// A REST call with the API key; throws unless it answers 200.
    @discardableResult
    func call(_ method: String, _ path: String, nonce: String? = nil, body: String? = nil) async throws -> [UInt8] {
        try await Self.call(admin, method, path, nonce: nonce, body: body)
    }

    @discardableResult
    private static func call(_ admin: String, _ method: String, _ path: String, nonce: String? = nil, body: String? = nil) async throws -> [UInt8] {
        var request = HTTPClientRequest(url: admin + path)
        request.method = .RAW(value: method)
        request.headers.add(name: "X-apikey", value: apiKey)
        if let nonce { request.headers.add(name: "X-nonce", value: nonce) }
        if let body {
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(ByteBuffer(string: body))
        }
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(10))
        let bytes = Array(try await response.body.collect(upTo: 1 << 20).readableBytesView)
        guard response.status == .ok else { throw BenchError("\(method) \(path): \(response.status) \(String(decoding: bytes, as: UTF8.self))") }
        return bytes
    }

    func stop() {
        for process in [serve, secondFactor] {
            process.terminate()
            process.waitUntilExit()
        }
        try? FileManager.default.removeItem(at: folder)
    }

    private static func waitUntilReady(_ admin: String, _ folder: URL) async throws {
        for _ in 0..<1_200 {
            if (try? await call(admin, "GET", "/ready?for=logins")) != nil { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw BenchError("the servers did not become ready; their log is in \(folder.path)")
    }

    /// Starts one that ends with this process, however that ends.
    private static func start(
        _ binary: String, _ arguments: [String], _ environment: [String: String], under emulator: Emulator?, counts: URL
    ) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: binary)
        process.arguments = arguments + ["--end-with-parent"]
        // Its other end is ours as long as `process` is.
        process.standardInput = Pipe()
        process.environment = environment.merging(["OSTIARY_LOG_LEVEL": "error"]) { given, _ in given }
        emulator?.run(process, counts: counts)
        try process.runUnblocked()
        return process
    }
}

struct BenchError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
