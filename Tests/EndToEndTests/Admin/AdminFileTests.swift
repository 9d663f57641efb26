import ArgumentParser
import AuthServer
import Foundation
import HTTPService
import OstiaryTesting
import OstiaryTokens
import Testing

@testable import ostiary

@Suite("What an operator hands to ostiary admin")
struct AdminFileTests {
    @Test("A pipe is read to its end, as a file is: a shell hands <(…) as one")
    func pipe() async throws {
        let pipe = Pipe()
        let path = "/dev/fd/\(pipe.fileHandleForReading.fileDescriptor)"
        // In two pieces, of which the second comes when the first was written.
        try pipe.fileHandleForWriting.write(contentsOf: Data("kind: web\n".utf8))
        try pipe.fileHandleForWriting.write(contentsOf: Data("client_name: Shop\n".utf8))
        try pipe.fileHandleForWriting.close()
        #expect(try AdminFile.object(path).names == ["kind", "client_name"])
    }

    @Test("What cannot be read, and what is too large, is told by its path")
    func unreadable() throws {
        func problem(_ path: String) -> String? {
            do { _ = try AdminFile.object(path) } catch { return "\(error)" }
            return nil
        }
        #expect(problem("/nowhere/file.yaml") == "/nowhere/file.yaml: cannot be read")
        #expect(problem("/")?.hasPrefix("/: cannot be read") == true)
        // Without an end.
        #expect(problem("/dev/zero")?.hasPrefix("/dev/zero: is larger than") == true)
    }

    @Test("Nothing, and what is taken out of an address on its way, is no name", arguments: ["", ".", ".."])
    func names(name: String) {
        #expect(throws: ValidationError.self) { try RegistryName.checked(name) }
        #expect(throws: (any Error).self) { try RegistryPut<RoleKind>.parse([name, "file.yaml"]) }
        #expect(throws: (any Error).self) { try RegistryDelete<UserKind>.parse([name]) }
        #expect(throws: Never.self) { try RegistryDelete<UserKind>.parse(["..."]) }
    }

    @Test("The file of a key that the command line names is told without the name of a setting")
    func keyFile() {
        let errors: [SettingsError] = [
            .unreadableSecret(.rootAPIKeyFile, path: "/a", reason: "there is no such file"), .openSecret(.rootAPIKeyFile, path: "/a"),
            .weakSecret(.rootAPIKey), .invalid(.rootAPIKeyFile, reason: "is empty"),
        ]
        for error in errors {
            let problem = AdminOptions.problem(of: error)
            #expect(problem != nil && problem?.contains("OSTIARY_") == false, "\(error)")
        }
        #expect(AdminOptions.problem(of: .missing(.rootAPIKey)) == nil)
    }
}
