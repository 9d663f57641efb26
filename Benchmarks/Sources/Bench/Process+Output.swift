import Foundation

extension Process {
    /// What a program writes to standard output, without the white space around it.
    /// - Parameter errors: where its standard error goes.
    /// - Throws: ``BenchError`` where it fails; what `run()` does.
    static func output(of program: String, _ arguments: [String], errors: FileHandle = .standardError) throws -> String {
        let (process, pipe) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.standardOutput = pipe
        process.standardError = errors
        try process.runUnblocked()
        let bytes = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw BenchError("\(program) ended with \(process.terminationStatus)") }
        return String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
