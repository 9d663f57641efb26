// ostiary: the program of the servers and of their operators, and the one name that people type.
//
// Owns: its command line, and the wiring of both servers to settings and signals (Servers/, Admin/).
// Leaves to others: every rule, route and byte; the servers are libraries (AuthServer, SecondFactorServer). The phone and the demonstration are another
// program, OstiaryPhone, that this one becomes when it is asked for them.
// Start reading here, then `ServeCommand`.

import ArgumentParser
import OstiaryProgram

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
        subcommands: [ServeCommand.self, SecondFactorCommand.self, AdminCommand.self, PhoneEntry.self, DemoEntry.self])

    static func main() async {
        PhoneProgram.takeOver(Array(CommandLine.arguments.dropFirst()))
        ProgramRun.prepare()
        await ProgramRun.run(OstiaryCommand.self)
    }
}
