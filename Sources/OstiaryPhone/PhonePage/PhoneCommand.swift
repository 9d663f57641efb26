import ArgumentParser
import Foundation
import HTTPService
import OstiaryMobile
import OstiaryProgram

/// `ostiary phone`: the mobile SDK in a terminal, or with `--ui` as a page.
struct PhoneCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: PhoneWords.phone.rawValue,
        abstract: PhoneWords.phone.abstract,
        discussion: """
            A code is given as a link, as a file with the bytes of a QR code, or as a picture of a screen (PNG or JPEG); - is standard input.

            ostiary phone --ui shows the phone as a page in a browser of this machine instead, and takes no command. It prints the page's address:
            whoever has the address has the phone, so keep it to yourself. Ctrl-C ends it.

            Exit codes: 0 done, 1 other, 2 cancelled or denied, 3 second factor failed, 4 blocked or penalised, 5 code expired, used or
            taken by another phone, 6 server not reachable, 7 server identity, 64 usage, 128 + n ended by signal n.
            """,
        subcommands: [
            EnrolCommand.self, LoginCommand.self, OTPCommand.self, WaitCommand.self, AppLoginCommand.self, AccountsCommand.self,
            SessionsCommand.self, DeleteAccountCommand.self,
            ChangePINCommand.self, AddBiometricsCommand.self, RemoveBiometricsCommand.self, HistoryCommand.self, WatchCommand.self,
            TokenCommand.self, DataCommand.self,
        ])

    @OptionGroup(title: "The phone as a page") var flag: PhonePageFlag
    @OptionGroup(title: "The phone as a page") var page: PhonePageOptions
    @OptionGroup var options: PhoneOptions

    func validate() throws {
        guard flag.ui else {
            guard !page.isGiven else { throw ValidationError("--beside, --port and --framed-by are for --ui") }
            return
        }
        _ = try page.homes(options)
        guard !options.yes, !options.pinStdin else { throw ValidationError("--yes and --pin-stdin are not for --ui: a person answers on the page") }
    }

    func run() async throws {
        guard flag.ui else { throw CleanExit.helpRequest(self) }
        let output = PhoneOutput(isJSON: options.json)
        do {
            try await serve(output)
        } catch let error as OstiaryError {
            output.tell(error)
            throw error.exit.code
        } catch let error as ServerStartError {
            output.failure(error.description)
            throw PhoneExit.other.code
        }
    }

    private func serve(_ output: PhoneOutput) async throws {
        try await PhonePage.serve(try page.homes(options), port: page.port, framedBy: page.framedBy, stopsOnSignals: true) { shown in
            output.list("page", "address", .string(shown.address), line: "The phone is at \(ours: shown.address)")
            output.remark("Whoever has this address has the phone. Ctrl-C ends it.")
        }
        LogOutput.standardError.finish()
    }
}

/// How the page of `ostiary phone --ui` is served.
struct PhonePageOptions: ParsableArguments, Sendable {
    @Option(help: ArgumentHelp("Show the phone of another home beside it; may be given several times.", valueName: "dir"))
    var beside: [String] = []

    @Option(help: "Listen on this port of 127.0.0.1; 0 takes any free one.")
    var port = 0

    @Option(
        help: ArgumentHelp(
            "Let pages of this origin show the page in a frame; may be given several times. Nobody may unless told.", valueName: "origin"),
        transform: { try PhonePageOptions.origin($0) })
    var framedBy: [PublicURL] = []

    var isGiven: Bool { !beside.isEmpty || port != 0 || !framedBy.isEmpty }

    func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("--port is a number from 0 to 65535") }
    }

    /// Each home with the name that the page gives it: that of its folder, with a number where two are called alike.
    func homes(_ options: PhoneOptions) throws -> [(name: String, path: String)] {
        let paths = [options.homeURL.path] + beside.map { PhoneOptions.resolved($0).path }
        guard Set(paths).count == paths.count else { throw ValidationError("each phone has a home of its own: one is named twice") }
        var seen: [String: Int] = [:]
        return paths.map { path in
            let folder = URL(fileURLWithPath: path).lastPathComponent
            let name = folder.hasPrefix(".") ? "phone" : folder
            seen[name, default: 0] += 1
            return (seen[name] == 1 ? name : "\(name) \(seen[name] ?? 0)", path)
        }
    }

    private static func origin(_ text: String) throws -> PublicURL {
        do throws(PublicURLError) { return try PublicURL(parsing: text) } catch { throw ValidationError("--framed-by: \(error)") }
    }
}
