import ArgumentParser

/// A word that begins with “-” is an option to the reader of a command line, also where somebody meant a value, and what it then says of a missing value
/// helps nobody. This says what to write.
package enum HyphenValues {
    /// A line about the first such word; nil where there is none.
    /// - Parameters:
    ///   - arguments: of a command line that was refused.
    ///   - program: its first command.
    package static func advice(on arguments: [String], of program: any ParsableCommand.Type) -> String? {
        let options = CommandOptions(of: program, isWhole: true)
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
}
