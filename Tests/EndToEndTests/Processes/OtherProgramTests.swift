import ArgumentParser
import Foundation
import OstiaryProgram
import OstiaryTesting
import Testing

@testable import OstiaryPhone
@testable import ostiary

/// `ostiary phone` and `ostiary demo`, which another program does.
@Suite("The program that ostiary becomes for a phone", .timeLimit(.minutes(5)))
struct OtherProgramTests {
    /// A folder beside the programs, so that a second name of one of them can stand in it, with `ostiary` alone.
    private final class Folder {
        let url = Binary.folder.appendingPathComponent("alone-\(UUID().uuidString)")
        var program: String { url.appendingPathComponent("ostiary").path }
        var phone: String { url.appendingPathComponent("ostiary-phone").path }

        init() throws {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            try FileManager.default.linkItem(at: Binary.url, to: url.appendingPathComponent("ostiary"))
        }

        deinit { try? FileManager.default.removeItem(at: url) }

        func putPhone(_ script: String, mode: Int = 0o700) throws {
            try Data("#!/bin/sh\n\(script)\n".utf8).write(to: URL(fileURLWithPath: phone))
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: phone)
        }
    }

    @Test(
        "Where it is missing that is said, with its place and how to get it, and nothing else",
        arguments: [["phone", "accounts"], ["demo"], ["help", "phone"]])
    func missing(_ words: [String]) async throws {
        let folder = try Folder()
        let program = try Program(words, executable: folder.program)
        #expect(try await program.end() == 1)
        #expect(program.output.isEmpty && program.complaintLines.count == 1)
        for part in [folder.phone, "not at", "swift build --product ostiary-phone"] {
            #expect(program.complaints.contains(part), "\(program.complaints)")
        }
        // A server has no need of it.
        let server = try Program(["serve", "--help"], executable: folder.program)
        #expect(try await server.end() == 0)
    }

    @Test("It gets the words as they were typed, standard input and the variables, and its exit code is that of the command")
    func words() async throws {
        let folder = try Folder()
        try folder.putPhone("read line; printf '%s|' \"$0\" \"$line\" \"$MARK\" \"$@\"; exit 7")
        let typed = ["phone", "login", "-y", "--json", "-YaRZXWkPS3R6TDgELjPKA", "two words", "--", "-x"]
        let program = try Program(typed, environment: ["MARK": "kept"], executable: folder.program)
        try program.type("274916\n")
        #expect(try await program.end() == 7, "\(program.complaints)")
        #expect(program.output == ([folder.phone, "274916", "kept"] + typed).map { "\($0)|" }.joined())
    }

    @Test("A file there that nobody may run is none, and one of another user is not run")
    func others() async throws {
        let folder = try Folder()
        try folder.putPhone("echo ran", mode: 0o600)
        let program = URL(fileURLWithPath: folder.program)
        #expect(throws: ProgramMissing.notThere(.phone, path: folder.phone)) { try ProgramPlace.find(.phone, beside: program) }
        try folder.putPhone("echo ran")
        #expect(try ProgramPlace.find(.phone, beside: program).path == folder.phone)
        // Only root may give a file away.
        guard geteuid() == 0 else { return }
        try #require(chown(folder.phone, 65_534, 65_534) == 0)
        #expect(throws: ProgramMissing.ofSomebodyElse(path: folder.phone)) { try ProgramPlace.find(.phone, beside: program) }
        try FileManager.default.removeItem(atPath: folder.phone)
        try #require(symlink("/bin/sh", folder.phone) == 0 && lchown(folder.phone, 65_534, 65_534) == 0)
        #expect(throws: ProgramMissing.ofSomebodyElse(path: folder.phone)) { try ProgramPlace.find(.phone, beside: program) }
        let run = try Program(["phone", "-c", "echo ran"], executable: folder.program)
        #expect(try await run.end() == 1)
        #expect(run.output.isEmpty && run.complaints.contains("of another user"), "\(run.complaints)")
    }

    @Test("It is asked for by the first word, or the one behind help, and by no other")
    func asked() {
        for line in [["phone"], ["demo", "--script"], ["help", "phone"], ["help", "demo", "x"], ["phone", "serve"]] {
            #expect(PhoneWords.begin(line))
        }
        for line in [[], ["help"], ["--help"], ["serve", "phone"], ["admin", "phone"], ["phones"], ["Phone"], ["help", "serve", "phone"]] {
            #expect(!PhoneWords.begin(line), "\(line)")
        }
    }

    @Test("The help of ostiary lists both commands in the words of the program that has them")
    func help() {
        let help = OstiaryCommand.helpMessage(columns: 400)
        for command in [PhoneCommand.configuration, DemoCommand.configuration] {
            #expect(help.contains(command.abstract) && help.contains("  \(command.commandName ?? "?") "), "\(help)")
        }
        #expect(OstiaryPhoneCommand.helpMessage(columns: 400).contains("USAGE: ostiary <subcommand>"))
    }
}
