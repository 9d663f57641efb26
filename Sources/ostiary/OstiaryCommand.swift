// ostiary: the one executable.
//
// Owns: the command line, the wiring of both servers to settings and signals, a phone in a terminal, and the demonstration.
// Leaves to others: every rule, route and byte; the servers are libraries (AuthServer, SecondFactorServer) and the phone is OstiaryMobile.
// Start reading here, then `ServeCommand`, `PhoneCommand` and `DemoCommand`.

import ArgumentParser

/// `ostiary`: passwordless login by phone.
@main
struct OstiaryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ostiary",
        abstract: "People log in with their phone: a device key and a PIN that a separate server checks.",
        discussion: """
            First look:           ostiary demo
            Run the servers:      ostiary second-factor, ostiary serve (docs/operations.md)
            Say who may log in:   ostiary admin (docs/admin.md)
            Log in from a shell:  ostiary phone --help (docs/phone.md)
            See a phone:          ostiary phone --ui
            """,
        version: "ostiary \(programVersion)",
        subcommands: [ServeCommand.self, SecondFactorCommand.self, AdminCommand.self, PhoneCommand.self, DemoCommand.self])

    static func main() async {
        StandardStreams.fillGaps()
        CrashConduct.settle()
        ThreadRoom.check()
        let arguments = IDArguments.told(in: Array(CommandLine.arguments.dropFirst()))
        do { _ = try parseAsRoot(arguments) } catch {
            if exitCode(for: error) == .validationFailure, let advice = HyphenValues.advice(on: arguments) {
                StandardStreams.printError("\(fullMessage(for: error))\n\(advice)")
                exit(withError: ExitCode.validationFailure)
            }
        }
        await main(arguments)
    }
}
