// OstiaryPhone: the program that `ostiary phone` and `ostiary demo` become, `ostiary-phone`, which lies beside it.
//
// Phone/ and PhonePage/ are the SDK in a terminal and as a page, PhoneNetwork/ its way to the servers. Demo/, Witness/, Thief/ and DemoPage/ are the
// demonstration, each above the one before; Processes/ starts its servers, which are processes of `ostiary`. LocalPage/ decides who may speak to either page.
// Terminal/ is what is typed in secret, and JSON for scripts.
// Leaves to others: the phone itself (OstiaryMobile), both servers, and the beginning of a process (OstiaryProgram).
// Start reading here, then `PhoneCommand` and `DemoCommand`.

import ArgumentParser
import OstiaryProgram

/// The command line of `ostiary` as far as it is for a phone; its name stays that which a person typed.
@main
struct OstiaryPhoneCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ostiary",
        abstract: "The phone and the demonstration of Ostiary; ostiary --help lists the rest.",
        version: "ostiary \(programVersion)",
        subcommands: [PhoneCommand.self, DemoCommand.self])

    static func main() async {
        ProgramRun.prepare()
        await ProgramRun.run(OstiaryPhoneCommand.self)
    }
}
