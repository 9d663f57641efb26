import Foundation
import OstiaryTesting
import Testing

@testable import OstiaryPhone

#if os(Linux)
/// What is in the process of a server: who has taken it over has all of that at hand (docs/decisions/0064).
@Suite("The image of a server", .timeLimit(.minutes(10)))
struct ServerImageTests {
    /// Of ours and of those whose libraries we stand on: SQLite, libsodium, and what draws a QR code as a picture for backends.
    private static let ours: Set = ["libsqlite3", "libsodium", "libqrencode", "libpng16"]
    private static let systems: Set = [
        "libc", "libm", "libdl", "libpthread", "librt", "libutil", "libresolv", "libatomic", "libgcc_s", "libstdc++", "libz", "ld-linux-x86-64",
        "ld-linux-aarch64",
    ]
    /// None of them when it is linked statically, as it is for release.
    private static let swifts: Set = [
        "libdispatch", "libBlocksRuntime", "libFoundation", "libFoundationEssentials", "libFoundationInternationalization", "lib_FoundationICU",
    ]

    /// Those that a server has no use for.
    private func strange(_ stems: Set<String>) -> Set<String> {
        stems.subtracting(Self.ours).subtracting(Self.systems).subtracting(Self.swifts).filter { !$0.hasPrefix("libswift") }
    }

    @Test("The servers' program links what a server needs, and nothing of the phone, of PostgreSQL or of an HTTP client in C")
    func linked() throws {
        let stems = try LinkedLibraries(of: Binary.url).stems
        #expect(strange(stems).isEmpty)
        #expect(stems.isSuperset(of: Self.ours), "what it must have is seen: \(stems)")
    }

    @Test("The phone's program links its reader of pictures, which is what is looked for in the other one")
    func phone() throws {
        let stems = try LinkedLibraries(of: Binary.phone).stems
        #expect(strange(stems).isSuperset(of: ["libzbar", "libturbojpeg"]), "\(stems)")
    }

    @Test("A file that is no program has no libraries")
    func noProgram() {
        #expect(throws: LinkedLibraries.NoProgram.self) { try LinkedLibraries(of: URL(fileURLWithPath: #filePath)) }
    }

    /// By the beginnings of their names: what a library of ours may bring along, or what is opened later.
    private static let unwanted = [
        "libpq", "libssl", "libcrypto", "libgssapi", "libkrb5", "libldap", "libsasl", "libgnutls", "libcurl", "libFoundationNetworking", "libzbar",
        "libX11", "libv4l", "libdbus", "libturbojpeg", "libjpeg",
    ]

    @Test("Two servers on SQLite that have answered have none of them in their processes, whichever way it would have come")
    func loaded() async throws {
        let pair = try await ProcessesFixture.running()
        for server in [pair.authentication, pair.secondFactor] {
            let stems = try Self.libraries(in: try #require(server.program).id)
            #expect(stems.filter { stem in Self.unwanted.contains { stem.hasPrefix($0) } }.isEmpty)
            #expect(stems.contains("libsqlite3"), "\(stems)")
        }
        try await pair.stop()
    }

    @Test("A server on PostgreSQL has its client library, opened when it was needed", .enabled(if: PostgreSQLCluster.isInstalled))
    func loadedForPostgreSQL() async throws {
        let pair = try await ProcessesFixture.running(on: .postgresql)
        for server in [pair.authentication, pair.secondFactor] {
            #expect(try Self.libraries(in: try #require(server.program).id).contains("libpq"))
        }
        try await pair.stop()
    }

    /// A file of which the system does not say how long it is.
    private static func whole(_ path: String) throws -> [UInt8] {
        let descriptor = open(path, O_RDONLY)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        var (content, piece) = ([UInt8](), [UInt8](repeating: 0, count: 65_536))
        while case let count = read(descriptor, &piece, piece.count), count > 0 { content += piece[..<count] }
        return content
    }

    /// Of which files are mapped there.
    private static func libraries(in process: Int32) throws -> Set<String> {
        let lines = String(decoding: try whole("/proc/\(process)/maps"), as: UTF8.self).split(separator: "\n")
        let files = lines.compactMap { $0.split(separator: "/").last.map(String.init) }.filter { $0.contains(".so") }
        return Set(files.map { $0.components(separatedBy: ".so")[0] })
    }
}
#endif
