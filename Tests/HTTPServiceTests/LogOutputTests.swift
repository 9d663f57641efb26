import Dispatch
import Foundation
import HTTPService
import Logging
import OstiaryTesting
import Testing

@Suite("Where log lines go")
struct LogOutputTests {
    @Test("What finds no room is lost, counted and told in its place; the order stays")
    func lost() throws {
        let folder = try TemporaryFolder()
        let pipe = try FullPipe(in: folder)
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: pipe.path))
        defer { try? file.close() }
        let output = LogOutput(descriptor: file.fileDescriptor, limit: 30)
        for number in 0..<5 { output.write("line    \(number)\n") }
        // It would find room, but not its place.
        output.write("5\n")
        output.finish(within: .milliseconds(1))
        pipe.makeRoom()
        #expect((0..<3).map { _ in pipe.line() } == (0..<3).map { "line    \($0)" })
        let told = pipe.line()
        #expect(told.contains("warning ostiary.log: lost=3 ") && told.hasSuffix("lines are missing here"), "\(told)")
        output.write("line    6\n")
        #expect(pipe.line() == "line    6")
        // Nothing is under way any more: waits for nobody.
        output.finish(within: .seconds(3600))
    }

    @Test("A log whose disk is full has every line that found room in the queue when there is room again, and tells how many did not")
    func full() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write([UInt8](), to: "log")
        let full = try FileHandle(forWritingTo: URL(fileURLWithPath: "/dev/full"))
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        defer {
            try? full.close()
            try? file.close()
        }
        let failed = DispatchSemaphore(value: 0)
        let output = LogOutput(descriptor: full.fileDescriptor, limit: 30) {
            failed.signal()
            usleep(10_000)
        }
        for number in 0..<5 { output.write("line    \(number)\n") }
        // Tried again, and nothing is given up by it.
        for _ in 0..<3 { failed.wait() }
        #expect(dup2(file.fileDescriptor, full.fileDescriptor) >= 0)
        output.finish(within: .seconds(3600))
        output.write("line    5\n")
        output.finish(within: .seconds(3600))
        let lines = try String(contentsOfFile: path, encoding: .utf8).components(separatedBy: "\n")
        try #require(lines.count == 6, "\(lines)")
        #expect(Array(lines[..<3]) == ["line    0", "line    1", "line    2"])
        #expect(lines[3].contains("warning ostiary.log: lost=2 ") && lines[3].hasSuffix("lines are missing here"), "\(lines)")
        #expect(Array(lines[4...]) == ["line    5", ""])
    }

    @Test("A line that was cut where the disk became full ends there and comes again as a whole")
    func cut() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write([UInt8](), to: "log")
        let pipe = Pipe()
        let (reading, writing) = (pipe.fileHandleForReading, pipe.fileHandleForWriting)
        let full = try FileHandle(forWritingTo: URL(fileURLWithPath: "/dev/full"))
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        defer { for handle in [writing, full, file] { try? handle.close() } }
        // A pipe takes what it has room for of a line; then it becomes a full disk, and then a file.
        #expect(fcntl(writing.fileDescriptor, F_SETFL, O_NONBLOCK) == 0)
        let failed = DispatchSemaphore(value: 0)
        let output = LogOutput(descriptor: writing.fileDescriptor) {
            failed.signal()
            usleep(10_000)
        }
        let long = String(repeating: "x", count: 1_000_000)
        output.write(long + "\n")
        output.write("next\n")
        var isFull = pollfd(fd: writing.fileDescriptor, events: Int16(POLLOUT), revents: 0)
        while poll(&isFull, 1, 0) == 1 { usleep(1_000) }
        #expect(dup2(full.fileDescriptor, writing.fileDescriptor) >= 0)
        try reading.close()
        failed.wait()
        #expect(dup2(file.fileDescriptor, writing.fileDescriptor) >= 0)
        output.finish(within: .seconds(3600))
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text == "\n" + long + "\nnext\n", "\(text.count) characters")
    }

    @Test("A logger of a service writes what the framework's own would, and the end waits for it")
    func format() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write([UInt8](), to: "log")
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        defer { try? file.close() }
        let output = LogOutput(descriptor: file.fileDescriptor)
        let logger = Logger(label: "ostiary.serve") { StreamLogHandler(label: $0, stream: output) }
        for number in 0..<1000 { logger.line(.notice, "it runs", [.rows: "\(number)"]) }
        output.finish(within: .seconds(3600))
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        #expect(lines.count == 1000)
        for (number, line) in lines.enumerated() {
            #expect(line.hasSuffix(" notice ostiary.serve: rows=\(number) [HTTPServiceTests] it runs"), "\(line)")
        }
    }
}
