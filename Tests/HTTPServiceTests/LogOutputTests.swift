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
