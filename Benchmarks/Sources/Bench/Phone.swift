import Foundation
import OstiaryMobile
import OstiaryProtocol

/// What the SDK costs the phone: traffic, memory, and the time until something happens.
struct Phone {
    let person: Person

    /// - Returns: what was measured, by name, in words.
    func measure() async throws -> [String: String] {
        print("\nThe phone")
        var told: [String: String] = [:]
        told["QR login with PIN, after the scan"] = try await traffic { _ = try await person.logIn() }
        told["AppLogin with PIN, and its stop"] = try await traffic { try await person.logInToApp() }
        told.merge(try await freshProcess()) { _, new in new }
        for (name, value) in told.sorted(by: { $0.key < $1.key }) { Self.line(name, value) }
        return told
    }

    private func traffic(_ work: () async throws -> Void) async throws -> String {
        let before = person.transport.traffic
        try await work()
        let used = person.transport.traffic - before
        return "\(used.exchanges) round trips, \(used.sent) bytes sent, \(used.received) received"
    }

    /// The same home in a process of its own, as the system starts an app.
    private func freshProcess() async throws -> [String: String] {
        let process = Process()
        let (input, output) = (Pipe(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["--phone", person.home]
        (process.standardInput, process.standardOutput) = (input, output)
        let code = Base64URL.encode(try await person.loginCode(Person.nonce()))
        let begun = ContinuousClock.now
        try process.runUnblocked()
        _ = output.fileHandleForReading.availableData
        var told = ["cold start: from exec to the list of accounts": "\(milliseconds(ContinuousClock.now - begun)) ms"]
        try input.fileHandleForWriting.write(contentsOf: Data((code + "\n").utf8))
        let rest = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw BenchError("the phone failed") }
        // A name, spaces, and what was measured, as `line` writes it.
        for text in String(decoding: rest, as: UTF8.self).split(separator: "\n") {
            let words = text.trimmingCharacters(in: .whitespaces)
            guard let gap = words.range(of: "  ") else { continue }
            told[String(words[..<gap.lowerBound])] = words[gap.upperBound...].trimmingCharacters(in: .whitespaces)
        }
        return told
    }

    /// What that process does: reads the accounts, says so, logs in with the code that it is given, and prints what that took.
    static func run(home: String) async throws {
        let bare = Memory.now
        let phone = Ostiary(configuration: Person.configuration("fresh"), ports: try Ports.files(in: home))
        guard phone.accounts?.count == 1 else { throw BenchError("one account was expected in \(home)") }
        let started = Memory.now
        print("ready")
        fflush(nil)
        guard let code = readLine().flatMap({ Base64URL.decode($0) }) else { throw BenchError("no code") }
        let events = phone.events
        let begun = ContinuousClock.now
        var first: Duration?
        phone.start(with: code)
        for await event in events {
            switch event {
            case .sessionUpdate: continue
            case .secondFactorStarted:
                first = first ?? ContinuousClock.now - begun
                phone.sfInput(Person.pin())
            case .confirmLogin(let session, let accounts):
                first = first ?? ContinuousClock.now - begun
                phone.setAccount(accounts.first, for: session)
            case .error(let error, _): throw error
            case .sessionLogin:
                line("from the scan to the first question", "\(milliseconds(first ?? .zero)) ms")
                line("from the scan to the login, the PIN's hash included", "\(milliseconds(ContinuousClock.now - begun)) ms")
                line("memory that the SDK adds at its start", "\(started.resident - bare.resident) KiB of \(started.resident)")
                line(
                    "memory that it has added after a login", "\(Memory.now.resident - bare.resident) KiB; at most \(Memory.now.peak - bare.resident)"
                )
                return
            default: continue
            }
        }
    }

    private static func line(_ name: String, _ value: String) {
        print("  \(name)\(String(repeating: " ", count: max(2, 54 - name.count)))\(value)")
    }
}

private func milliseconds(_ duration: Duration) -> Int64 {
    duration.components.seconds * 1_000 + duration.components.attoseconds / 1_000_000_000_000_000
}

/// What the kernel says of this process, in KiB.
private struct Memory {
    let resident: Int
    let peak: Int

    static var now: Memory {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        func value(_ name: String) -> Int {
            status.split(separator: "\n").first { $0.hasPrefix(name) }?.split(separator: " ").compactMap { Int($0) }.first ?? 0
        }
        return Memory(resident: value("VmRSS:"), peak: value("VmHWM:"))
    }
}
