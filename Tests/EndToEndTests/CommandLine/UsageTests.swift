import ArgumentParser
import OstiaryProgram
import Testing

@testable import OstiaryPhone
@testable import ostiary

@Suite("A command line that is refused")
struct UsageTests {
    /// The program that reads a line.
    private func program(of arguments: [String]) -> any ParsableCommand.Type {
        PhoneWords.begin(arguments) ? OstiaryPhoneCommand.self : OstiaryCommand.self
    }

    /// What a person reads; nil where the line is taken.
    private func refusal(_ arguments: [String]) -> String? {
        let program = program(of: arguments)
        do {
            _ = try program.parseAsRoot(arguments)
            return nil
        } catch {
            #expect(program.exitCode(for: error) == .validationFailure)
            return program.fullMessage(for: error)
        }
    }

    @Test("Both servers are read by themselves where a line begins with them: otherwise a start reads all that stands beside them")
    func readAlone() {
        for command in [ServeCommand.configuration, SecondFactorCommand.configuration] {
            #expect(command._superCommandName == OstiaryCommand._commandName)
        }
    }

    @Test(
        "The usage beside an error is that of the command itself, whatever is wrong",
        arguments: [
            ("second-factor reset xx", "ostiary second-factor reset", "an instance is 22 characters of base64url"),
            ("second-factor reset --server x r8CT7p0neoAwpRm2CRS9gA", "ostiary second-factor reset", "a serverid is 22 characters of base64url"),
            ("phone --ui accounts", "ostiary phone accounts", "--ui takes no command"),
            ("phone accounts --ui", "ostiary phone accounts", "--ui takes no command"),
            ("phone --ui watch", "ostiary phone watch", "--ui takes no command"),
            ("phone change-pin --ui", "ostiary phone change-pin", "--ui takes no command"),
            ("phone watch --seconds=-1", "ostiary phone watch", "--seconds is 0 or more"),
            ("phone login --hold=-1 x", "ostiary phone login", "--hold is 0 or more"),
            ("phone login --offline-after=-1 x", "ostiary phone login", "--offline-after is 0 or more"),
            ("phone otp --seconds=301 x", "ostiary phone otp", "--seconds is 0 to 300"),
            ("phone --ui --port=-1", "ostiary phone", "--port is a number from 0 to 65535"),
            ("phone --ui --home x --beside x", "ostiary phone", "each phone has a home of its own"),
            ("phone --port 9", "ostiary phone", "--beside, --port and --framed-by are for --ui"),
        ])
    func ownUsage(_ line: String, _ command: String, _ words: String) throws {
        let told = try #require(refusal(line.split(separator: " ").map(String.init)))
        #expect(told.contains("Error: \(words)"), "\(told)")
        #expect(told.contains("\nUsage: \(command) [") && told.contains("\n  See '\(command) --help'"), "\(told)")
    }

    @Test("--ui is in the help and the usage of `ostiary phone`, and in those of none of its commands")
    func pageInHelp() {
        let phone = PhoneCommand.helpMessage(columns: 400)
        #expect(phone.contains("[--ui]") && phone.contains("\n  --ui "), "\(phone)")
        for command in PhoneCommand.configuration.subcommands {
            #expect(!command.helpMessage(columns: 400).contains("--ui"), "\(command)")
            #expect(command.helpMessage(includeHidden: true, columns: 400).contains("--ui"), "\(command)")
        }
    }

    @Test("A value that begins with “-” is told how it is written, and is taken so")
    func hyphens() throws {
        let values: [(line: [String], word: String, written: [String])] = [
            (["phone", "watch", "--seconds", "-1"], "--seconds=-1", ["phone", "watch", "--seconds=-1"]),
            (["phone", "--ui", "--port", "-1"], "--port=-1", ["phone", "--ui", "--port=-1"]),
            (["phone", "sessions", "--end", "-abc"], "--end=-abc", ["phone", "sessions", "--end=-abc"]),
            (["phone", "login", "--user-input", "--yay", "x"], "--user-input=--yay", ["phone", "login", "--user-input=--yay", "x"]),
            (["phone", "delete-account", "-Nora"], "-- -Nora", ["phone", "delete-account", "--", "-Nora"]),
        ]
        for value in values {
            #expect(refusal(value.line) != nil, "\(value.line)")
            let advice = try #require(HyphenValues.advice(on: value.line, of: program(of: value.line)), "\(value.line)")
            #expect(advice.hasSuffix(value.word) && !advice.contains("\n"), "\(advice)")
            // What is still wrong with it is the value itself, not that there is none.
            #expect(refusal(value.written)?.contains("is 0 or more") ?? true || value.word == "--port=-1", "\(value.written)")
        }
    }

    @Test("An option that stands before its command is told to stand behind it, and no other is guessed")
    func early() throws {
        let lines: [(line: [String], words: String)] = [
            (["phone", "--deny", "enrol", "x"], "--deny stands behind the command: ostiary phone enrol --deny"),
            (["phone", "--json", "--user-input=x", "login", "x"], "--user-input stands behind the command: ostiary phone login --user-input"),
            (["phone", "token", "--bearer", "show"], "--bearer stands behind the command: ostiary phone token show --bearer"),
            (["phone", "--deny"], "--deny belongs to enrol, login, wait, and stands behind the command"),
            (["phone", "--deny", "accounts"], "--deny belongs to enrol, login, wait, and stands behind the command"),
            (["admin", "--api-key-file", "k", "keys", "list"], "--api-key-file stands behind the command: ostiary admin keys list --api-key-file"),
        ]
        for (line, words) in lines {
            let told = try #require(refusal(line), "\(line)")
            #expect(EarlyOptions.advice(on: line, of: program(of: line)) == "Hint:  \(words)", "\(line)")
            #expect(!EarlyOptions.withoutGuess(told).contains("Did you mean") && told.contains("Unknown option"), "\(told)")
        }
        #expect(refusal(["phone", "--deny", "enrol", "x"])?.contains("Did you mean '--yes'?") == true, "what would be guessed is the opposite")
        for line in [["phone", "--bogus", "enrol"], ["phone", "--home", "h", "accounts"], ["phone", "enrol", "--denied", "x"]] {
            #expect(EarlyOptions.advice(on: line, of: program(of: line)) == nil, "\(line)")
        }
    }

    @Test("Options, what stands behind “--”, and a bare “-” are no such value")
    func noHyphens() {
        for line in [
            ["phone", "login", "-y", "-"], ["phone", "login", "--bogus"], ["phone", "watch", "--seconds", "--json"], ["bogus"],
            ["phone", "delete-account", "--", "-Nora"], ["phone", "--home=-x", "accounts", "-hy"], ["phone", "watch", "--seconds=-1"],
        ] {
            #expect(HyphenValues.advice(on: line, of: program(of: line)) == nil, "\(line)")
        }
    }
}
