import ArgumentParser

/// An option that belongs to a command, and stands before the command's name. The reader of a command line takes it for none, and guesses one that is
/// spelled like it: for `--deny` that was `--yes`.
package enum EarlyOptions {
    /// A line about the first such option; nil where there is none.
    /// - Parameters:
    ///   - arguments: of a command line that was refused.
    ///   - program: its first command.
    package static func advice(on arguments: [String], of program: any ParsableCommand.Type) -> String? {
        let words = Array(arguments.prefix { $0 != "--" })
        var (command, path) = (program, [program._commandName])
        var own = CommandOptions(of: command, isWhole: false)
        for (index, word) in words.enumerated() {
            if let next = below(command, word) {
                (command, path) = (next, path + [word])
                own = CommandOptions(of: command, isWhole: false)
            } else if word.hasPrefix("--"), !own.has(word) {
                return advice(on: String(word.prefix { $0 != "=" }), of: command, path, before: words[(index + 1)...])
            }
        }
        return nil
    }

    /// What the reader of the line says, without its guess.
    package static func withoutGuess(_ message: String) -> String { message.replacing(/\. Did you mean '[^']*'\?/, with: "", maxReplacements: 1) }

    private static func advice(
        on option: String, of command: any ParsableCommand.Type, _ path: [String], before words: ArraySlice<String>
    ) -> String? {
        var (last, named) = (command, path)
        for word in words {
            guard let next = below(last, word) else { continue }
            (last, named) = (next, named + [word])
        }
        if named.count > path.count, CommandOptions(of: last, isWhole: true).has(option) {
            return "Hint:  \(option) stands behind the command: \(named.joined(separator: " ")) \(option)"
        }
        let owners = command.configuration.subcommands.filter { CommandOptions(of: $0, isWhole: true).has(option) }.map { $0._commandName }
        guard !owners.isEmpty else { return nil }
        return "Hint:  \(option) belongs to \(owners.joined(separator: ", ")), and stands behind the command"
    }

    private static func below(_ command: any ParsableCommand.Type, _ word: String) -> (any ParsableCommand.Type)? {
        command.configuration.subcommands.first { $0._commandName == word }
    }
}
