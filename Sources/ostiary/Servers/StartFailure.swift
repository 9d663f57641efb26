import ArgumentParser
import Database
import HTTPService
import OstiaryProtocol

/// A server that cannot start, or has to end, says so in one line on standard error and ends with 1.
enum StartFailure {
    /// Runs a server's command. Its last lines are written before it returns, if anybody reads them.
    static func told(by program: String, _ body: () async throws -> Void) async throws {
        defer { LogOutput.standardError.finish() }
        do {
            try await body()
        } catch let exit as ExitCode {
            throw exit
        } catch {
            LogOutput.standardError.write("\(program): \(oneLine(error))\n")
            throw ExitCode.failure
        }
    }

    /// Our errors are one line by themselves; those of other libraries are made one.
    static func oneLine(_ error: any Error) -> String {
        if error is UnwrapError {
            return "the keys in the database cannot be read with this key file: name the key file that belongs to the database"
        }
        return "\(error)".split(whereSeparator: \.isNewline).map { $0.trimmingPrefix { $0 == " " } }.joined(separator: " ")
    }
}
