import ArgumentParser

/// How each of our programs begins.
package enum ProgramRun {
    /// What has to be in order before anything is opened or started. To be called first, while there is one thread.
    package static func prepare() {
        StandardStreams.fillGaps()
        CrashConduct.settle()
        ThreadRoom.check()
    }

    /// Runs the command that the words of this process name, and ends the process where they name none or it fails.
    /// - Parameter program: its first command.
    package static func run<Program: AsyncParsableCommand>(_ program: Program.Type) async {
        let arguments = IDArguments.told(in: Array(CommandLine.arguments.dropFirst()))
        do {
            let command = try await parsed(arguments, by: program)
            if var command = command as? any AsyncParsableCommand { return try await command.run() }
            var plain = command
            try plain.run()
        } catch {
            Program.exit(withError: error)
        }
    }

    /// Once, and not to look first: reading the words of a line is a tenth of a start.
    private static func parsed<Program: AsyncParsableCommand>(
        _ arguments: [String], by program: Program.Type
    ) async throws -> any ParsableCommand {
        do { return try await Program.asyncParseAsRoot(arguments) } catch {
            guard Program.exitCode(for: error) == .validationFailure else { throw error }
            let message = Program.fullMessage(for: error)
            if let advice = EarlyOptions.advice(on: arguments, of: program) {
                StandardStreams.printError("\(EarlyOptions.withoutGuess(message))\n\(advice)")
            } else if let advice = HyphenValues.advice(on: arguments, of: program) {
                StandardStreams.printError("\(message)\n\(advice)")
            } else {
                throw error
            }
            throw ExitCode.validationFailure
        }
    }
}
