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
        if let command = await readAlone(arguments, below: program) { return command }
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

    /// A command that is named first and says that it stands below another is read without what stands beside it, and without the question whether somebody
    /// wants its completions: that is two thirds of the reading.
    /// - Returns: nil for every other line, also one that is wrong or asks for help: the first command has the words for that.
    private static func readAlone(_ arguments: [String], below program: any ParsableCommand.Type) async -> (any ParsableCommand)? {
        guard let name = arguments.first, let found = program.configuration.subcommands.first(where: { $0._commandName == name }),
            let command = found as? any AsyncParsableCommand.Type, command.configuration._superCommandName == program._commandName,
            let read = try? await command.asyncParseAsRoot(Array(arguments.dropFirst()))
        else { return nil }
        return ([found] + command.configuration.subcommands).contains { $0 == type(of: read) } ? read : nil
    }
}
