import ArgumentParser
import AuthServer
import Foundation
import HTTPService
import OstiaryTesting
import OstiaryTokens
import Testing

@testable import OstiaryPhone
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
        #expect(problem("/nowhere/file.yaml") == "/nowhere/file.yaml: cannot be read: there is no such file")
        #expect(problem("/") == "/: cannot be read: it is a folder: name the file in it")
        let file = "/etc/passwd/file.yaml"
        #expect(problem(file) == "\(file): cannot be read: not a directory: /etc/passwd is a file, and a folder is to be there: mend the path")
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

    @Test("What is wrong with the file of a secret is told by its option and its path, and nothing of what is in it")
    func secrets() throws {
        let folder = try TemporaryFolder()
        let good = try folder.write("correct-horse\n", to: "good")
        #expect(try AdminOptions.secret(in: good, of: "--from") == "correct-horse")
        let open = try folder.write("correct-horse", to: "open", mode: 0o644)
        let empty = try folder.write("\n", to: "empty")
        let lines = try folder.write("# gateway\ncorrect-horse\n", to: "lines")
        let long = try folder.write(String(repeating: "correct-horse", count: 400), to: "long")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
        for (path, problem) in [
            (folder.file("none"), "cannot read \(folder.file("none")): there is no such file"),
            (folder.path, "cannot read \(folder.path): it is a folder: name the file in it"),
            (
                open,
                "others can read or write \(open): run chmod o-rwx \(open) or close its folder to others, and change the secret if they may have read it"
            ),
            (empty, "\(empty) is empty"), (lines, "\(lines) has more than one line: leave the secret alone in it"),
            (long, "\(long) has more than 4096 bytes: a secret is one line"),
        ] {
            let error = #expect(throws: ValidationError.self) { try AdminOptions.secret(in: path, of: "--from") }
            #expect(error?.message == "--from: \(problem)")
        }
    }
}
