import ArgumentParser
import OstiaryProgram

/// The other program, for which this one only keeps the name: thirty libraries that a phone and its reader of pictures need are not in a server's process
/// (docs/decisions/0064).
enum PhoneProgram {
    /// Goes on as the other program where the command line is for it; returns where it is not.
    static func takeOver(_ arguments: [String]) {
        guard PhoneWords.begin(arguments) else { return }
        become()
    }

    static func become() -> Never {
        do throws(ProgramMissing) { try ProgramPlace.become(.phone) } catch {
            StandardStreams.fillGaps()
            StandardStreams.printError("ostiary: \(error)")
            OstiaryCommand.exit(withError: ExitCode.failure)
        }
    }
}

/// `ostiary phone`, as the help of this program lists it.
struct PhoneEntry: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: PhoneWords.phone.rawValue, abstract: PhoneWords.phone.abstract)

    @Argument(parsing: .captureForPassthrough, help: .hidden)
    var words: [String] = []

    func run() { PhoneProgram.become() }
}

/// `ostiary demo`, likewise.
struct DemoEntry: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: PhoneWords.demo.rawValue, abstract: PhoneWords.demo.abstract)

    @Argument(parsing: .captureForPassthrough, help: .hidden)
    var words: [String] = []

    func run() { PhoneProgram.become() }
}
