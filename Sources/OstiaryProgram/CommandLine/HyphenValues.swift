import ArgumentParser

/// A word that begins with “-” is an option to the reader of a command line, also where somebody meant a value, and what it then says of a missing value
/// helps nobody. This says what to write.
package enum HyphenValues {
    /// A line about the first such word; nil where there is none.
    /// - Parameters:
    ///   - arguments: of a command line that was refused.
    ///   - program: its first command.
    package static func advice(on arguments: [String], of program: any ParsableCommand.Type) -> String? {
        let options = Options(of: program)
        let words = Array(arguments.prefix { $0 != "--" })
        for (index, word) in words.enumerated() where word.hasPrefix("-") && !options.has(word) {
            if index > 0, options.valued.contains(words[index - 1]) {
                return "Hint:  \(word) is read as an option, for it begins with a “-”. As the value of \(words[index - 1]) it is written "
                    + "\(words[index - 1])=\(word)"
            }
            guard !word.hasPrefix("--") else { continue }
            return "Hint:  \(word) is read as an option, for it begins with a “-”. If it is none, it comes last, behind a “--” of its own: -- \(word)"
        }
        return nil
    }

    /// The options of a command and of all below it, as their help has them.
    private struct Options {
        /// All, each as it is written: `--json`, `-y`.
        private var names: Set<String> = []
        /// Those that take a value.
        private(set) var valued: Set<String> = []

        init(of command: any ParsableCommand.Type) {
            var waiting = [command]
            while let command = waiting.popLast() {
                waiting += command.configuration.subcommands
                // Wide, so that no option is broken from its value.
                let help = command.helpMessage(includeHidden: true, columns: 1_000)
                names.formUnion(help.matches(of: /-{1,2}[a-z][a-z-]*/).map { String($0.output) })
                valued.formUnion(help.matches(of: /(--[a-z][a-z-]*) </).map { String($0.output.1) })
            }
        }

        /// Whether it is an option, alone or with its value, or several short ones in one word; a bare “-” is a value that every command takes.
        func has(_ word: String) -> Bool {
            let name = String(word.prefix { $0 != "=" })
            return word == "-" || names.contains(name) || (!word.hasPrefix("--") && word.dropFirst().allSatisfy { names.contains("-\($0)") })
        }
    }
}
