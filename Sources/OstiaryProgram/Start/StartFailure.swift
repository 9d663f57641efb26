import ArgumentParser
import HTTPService

/// A program that cannot start, or has to end, says so in one line on standard error and ends with 1.
package enum StartFailure {
    /// Runs a command. Its last lines are written before it returns, if anybody reads them.
    package static func told(by program: String, _ body: () async throws -> Void) async throws {
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
    package static func oneLine(_ error: any Error) -> String {
        if let error = error as? any StartAdvice { return error.startAdvice }
        return HTTPService.oneLine("\(error)")
    }
}

/// An error whose own words are for a log: whoever starts the program is told what to do instead.
package protocol StartAdvice: Error {
    /// One line.
    var startAdvice: String { get }
}
