import ArgumentParser
import Foundation
import OstiaryMobile

/// The options that every command of the phone understands, before or after its name.
struct PhoneOptions: ParsableArguments, Sendable {
    @Option(help: ArgumentHelp("Where this phone keeps its keys and accounts.", valueName: "dir"))
    var home: String = "~/.ostiary"

    @Flag(help: "One JSON object for each event on standard output, nothing else.")
    var json = false

    @Flag(help: "Read PINs from standard input, one a line and one line a try. Nothing is asked twice, no penalty is waited out.")
    var pinStdin = false

    @Flag(name: [.long, .customShort("y")], help: "Confirm without asking.")
    var yes = false

    /// The home with `~` resolved, absolute.
    var homeURL: URL { Self.resolved(home) }

    static func resolved(_ home: String) -> URL {
        URL(fileURLWithPath: NSString(string: home).expandingTildeInPath, isDirectory: true).standardizedFileURL
    }
}

/// `--ui`, which is for `ostiary phone` alone. Its commands have it too, hidden, so that it is refused there in words.
struct PhonePageFlag: ParsableArguments, Sendable {
    @Flag(help: "Show the phone as a page in a browser of this machine. It takes no command.")
    var ui = false
}

/// How long a command stays after a login.
struct HoldOption: ParsableArguments, Sendable {
    @Option(help: ArgumentHelp("Stay that long after the login, and answer pings.", valueName: "seconds"))
    var hold = 0

    func validate() throws {
        guard hold >= 0 else { throw ValidationError("--hold is 0 or more") }
    }
}

/// A network that is lost on request.
struct NetworkOption: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp(
            "Lose the network after that many calls of servers, 0 for none at all: for demonstrations and tests.", valueName: "calls"))
    var offlineAfter: Int?

    func validate() throws {
        guard offlineAfter ?? 0 >= 0 else { throw ValidationError("--offline-after is 0 or more") }
    }
}

/// A biometric sensor for demonstrations and scripts; without it the phone has none.
struct BiometricOptions: ParsableArguments, Sendable {
    /// What the person does at the prompt.
    enum Answer: String, ExpressibleByArgument, CaseIterable {
        case confirm, cancel, fail
        /// Another finger was enrolled since: the sensor confirms, and keys that were made before are dead.
        case changed
    }

    @Option(
        help: ArgumentHelp(
            "Pretend to have a biometric sensor, and answer its prompt: confirm, cancel, fail, or changed (the fingers are others now). "
                + "It protects nothing: for demonstrations and tests.", valueName: "answer"))
    var simulatedBiometrics: Answer?

    /// The sensor of a home.
    func sensor(of home: URL) -> SimulatedBiometrics? {
        guard let answer = simulatedBiometrics else { return nil }
        let sensor = SimulatedBiometrics(home: home.path, answer: SimulatedBiometrics.Answer(rawValue: answer.rawValue) ?? .confirm)
        if answer == .changed { sensor.features.insert("finger \(sensor.features.count + 1)") }
        return sensor
    }
}

/// The ways to answer "is that you?" other than yes.
struct DenyOptions: ParsableArguments, Sendable {
    @Flag(help: "Say no to what the server asks.")
    var deny = false

    @Flag(help: "Say no, and that it was not you who started this; the page and the server are told.")
    var notMe = false

    func validate() throws {
        guard !(deny && notMe) else { throw ValidationError("--deny and --not-me exclude each other") }
    }
}
