import Foundation

/// Three programs, of which one machine seldom has two: `service`, `backend` and `app HOME`. Each is a folder here, and none uses anything of another's.
@main
struct Program {
    static func main() async {
        // A sentence: an error that leaves `main` is a crash with a trace, in which nobody finds what was forgotten.
        do { try await run() } catch {
            FileHandle.standardError.write(Data("That did not go on: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func run() async throws {
        let variables = Variables(ProcessInfo.processInfo.environment)
        let words = Array(CommandLine.arguments.dropFirst())
        switch (words.first, words.count) {
        case ("service", 1): try await serveTokens(variables)
        case ("backend", 1): try await servePayroll(variables)
        case ("app", 2): try await App(home: words[1], variables).run()
        default:
            FileHandle.standardError.write(Data("usage: TokenService service | backend | app HOME\n".utf8))
            exit(64)
        }
    }
}
