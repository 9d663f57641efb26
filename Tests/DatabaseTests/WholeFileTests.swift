import Foundation
import OstiaryTesting
import Testing

@testable import Database

@Suite("A file that is there whole or not at all")
struct WholeFileTests {
    private let folder: TemporaryFolder
    private var path: String { folder.file("word") }

    init() throws { folder = try TemporaryFolder() }

    private func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }
    private func text() throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    @Test("It takes the place of the one before, and nobody else may read it")
    func replaced() throws {
        for word in ["a longer word\n", "word\n"] {
            try WholeFile.put(word, at: path)
            #expect(try text() == word)
        }
        #expect(try names() == ["word"])
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
    }

    @Test("What a killed one has left is taken by the next that writes it, and goes with the file: no other name is ever there")
    func left() throws {
        let part = try folder.write("half of what is much longer", to: "word.part", mode: 0o644)
        let identity = FileIdentity(of: part)
        try WholeFile.put("word\n", at: path)
        #expect(FileIdentity(of: path) == identity)
        #expect(try text() == "word\n" && names() == ["word"])
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        _ = try folder.write("half", to: "word.part")
        try WholeFile.remove(path)
        #expect(try names().isEmpty)
        try WholeFile.remove(path)
    }

    @Test("Where it cannot have its name it leaves nothing, and what is there is as it was")
    func refused() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        _ = try folder.write("theirs", to: "word/file")
        #expect(throws: SQLError.self) { try WholeFile.put("word\n", at: path) }
        #expect(try names() == ["word"])
        #expect(throws: SQLError.self) { try WholeFile.put("word\n", at: folder.file("missing/word")) }
    }

    @Test("The word of a move is such a file")
    func movedFile() throws {
        let identity = FileIdentity(of: try folder.write("half", to: "it.sqlite.moved.part"))
        try MovedFile.leave(beside: folder.file("it.sqlite"), target: "postgresql:///it")
        #expect(FileIdentity(of: folder.file("it.sqlite.moved")) == identity)
        #expect(MovedFile.word(beside: folder.file("it.sqlite"))?.target == "postgresql:///it")
        try MovedFile.remove(beside: folder.file("it.sqlite"))
        #expect(try names().isEmpty)
    }
}
