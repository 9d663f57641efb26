import ArgumentParser

/// The options of a command, as its help has them.
struct CommandOptions {
    /// All, each as it is written: `--json`, `-y`.
    private var names: Set<String> = []
    /// Those that take a value.
    private(set) var valued: Set<String> = []

    /// - Parameter isWhole: whether those of all commands below it are among them.
    init(of command: any ParsableCommand.Type, isWhole: Bool) {
        var waiting = [command]
        while let command = waiting.popLast() {
            if isWhole { waiting += command.configuration.subcommands }
            // Wide, so that no option is broken from its value.
            for line in command.helpMessage(includeHidden: true, columns: 1_000).split(separator: "\n") where line.hasPrefix("  -") {
                add(line.drop { $0 == " " })
            }
        }
    }

    /// - Parameter line: of a help: the option, and words about it, in which others may be named.
    private mutating func add(_ line: Substring) {
        guard let option = line.prefixMatch(of: /(?:-{1,2}[a-z][a-z-]*(?:, |\/)?)+(?: <)?/)?.output else { return }
        names.formUnion(option.matches(of: /-{1,2}[a-z][a-z-]*/).map { String($0.output) })
        valued.formUnion(option.matches(of: /(--[a-z][a-z-]*) </).map { String($0.output.1) })
    }

    /// Whether it is an option, alone or with its value, or several short ones in one word; a bare “-” is a value that every command takes.
    func has(_ word: String) -> Bool {
        let name = String(word.prefix { $0 != "=" })
        return word == "-" || names.contains(name) || (!word.hasPrefix("--") && word.dropFirst().allSatisfy { names.contains("-\($0)") })
    }
}
