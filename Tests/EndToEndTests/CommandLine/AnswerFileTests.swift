import Foundation
import OstiaryTesting
import Testing

@testable import OstiaryPhone

@Suite("The file that an answer is written to")
struct AnswerFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func content(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: folder.file(name)))) }

    private func permissions(_ name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: folder.file(name))[.posixPermissions] as? Int
    }

    @Test("A file that was there keeps what it had until the answer has come, then it has that alone and is this user's only")
    func replaced() throws {
        let path = try folder.write(Array("something longer".utf8), to: "old")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        let file = try AnswerFile(path)
        #expect(try content("old") == Array("something longer".utf8))
        try file.write([0, 0xFF, 10], advice: "")
        #expect(try content("old") == [0, 0xFF, 10] && permissions("old") == 0o600)
    }

    @Test("A new file is this user's only, also for an answer without a byte; where no answer came there is none")
    func new() throws {
        try AnswerFile(folder.file("new")).write([], advice: "")
        #expect(try content("new") == [] && permissions("new") == 0o600)
        _ = try AnswerFile(folder.file("none"))
        #expect(!FileManager.default.fileExists(atPath: folder.file("none")))
    }

    @Test("What is no file stays what it is and has the answer: a pipe, and where a link leads")
    func otherKinds() throws {
        let pipe = folder.file("pipe")
        try #require(mkfifo(pipe, 0o600) == 0)
        let reader = FileHandle(fileDescriptor: open(pipe, O_RDONLY | O_NONBLOCK), closeOnDealloc: true)
        try AnswerFile(pipe).write([1, 2], advice: "")
        #expect(try reader.readToEnd() == Data([1, 2]))
        #expect(try FileManager.default.attributesOfItem(atPath: pipe)[.type] as? FileAttributeType != .typeRegular)

        let target = try folder.write([9, 9, 9], to: "target")
        try FileManager.default.createSymbolicLink(atPath: folder.file("link"), withDestinationPath: target)
        try AnswerFile(folder.file("link")).write([3], advice: "")
        #expect(try content("target") == [3])
        #expect(try FileManager.default.attributesOfItem(atPath: folder.file("link"))[.type] as? FileAttributeType == .typeSymbolicLink)
    }

    @Test("What cannot be written is told before anything is asked, and is no answer's place")
    func cannotOpen() throws {
        for path in [folder.file("no/such"), folder.path] {
            #expect(throws: AnswerFileError.cannotOpen(path)) { try AnswerFile(path) }
        }
        #expect(AnswerFileError.cannotOpen("x").exit == .usage)
    }

    #if os(Linux)
    @Test("A full disk is told with what to do, and not as an answer that was written")
    func full() throws {
        let file = try AnswerFile("/dev/full")
        #expect(throws: AnswerFileError.noRoom("/dev/full", advice: "ask again")) { try file.write([1], advice: "ask again") }
        #expect(AnswerFileError.noRoom("x", advice: "ask again").exit == .other)
    }
    #endif
}
