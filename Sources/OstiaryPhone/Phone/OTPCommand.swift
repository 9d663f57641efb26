import ArgumentParser
import OstiaryMobile

/// `ostiary phone otp`.
struct OTPCommand: PhoneSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "otp", abstract: "Make a one-time code for a login code, without asking any server.",
        discussion: "For a phone without a network: the code is typed into the page that shows the login code. It ends the login on this phone.")

    @OptionGroup var options: PhoneOptions
    @OptionGroup(visibility: .hidden) var page: PhonePageFlag
    @Option(help: ArgumentHelp("Id or user name of the account; with --yes and no account, the oldest that the login accepts.", valueName: "account"))
    var account: String?
    @Option(help: ArgumentHelp("Go on for that long, at most 300: each code that takes the place of the last is shown.", valueName: "seconds"))
    var seconds = 0
    @Argument(help: "The login code: a link, a file, or -.")
    var code: String

    func check() throws {
        guard (0...300).contains(seconds) else { throw ValidationError("--seconds is 0 to 300") }
    }

    func perform(_ output: PhoneOutput) async throws -> PhoneExit {
        var answers = PhoneAnswers(yes: options.yes)
        answers.account = account
        let input = try LinkInput.resolve(code, for: .login, isInputTaken: options.pinStdin)
        let ostiary = try PhoneHome.open(options, offlineAfter: 0)
        let events = ostiary.events
        ostiary.start(input)
        var made: (account: Account, code: OneTimeCode)?
        for await event in events {
            if !Self.isOfTheMissingNetwork(event) { output.tell(event) }
            switch event {
            case .otpAvailable(let session, let accounts):
                guard let chosen = try answers.choice(among: accounts) else { throw PhoneInputError.severalAccounts }
                let code = try ostiary.oneTimeCode(for: session, and: chosen)
                output.tell(code, of: chosen, for: session)
                made = (chosen, code)
            case .sessionStop(let session) where session.ending == .otp:
                if let made { try await tellFurtherCodes(of: session, made.account, after: made.code, ostiary, output) }
                return .done
            // No server was asked, so that this is all there is to be said of one that takes no codes.
            case .error(.serverConnection, let session?) where made == nil && !session.otpAvailable: throw OstiaryError.notOffered
            case .error(let error, let session) where session?.isOver ?? true: return error.exit
            default: continue
            }
        }
        return .other
    }

    /// Whether it says that the server was not reached: nobody tried, and no server need be down.
    private static func isOfTheMissingNetwork(_ event: OstiaryEvent) -> Bool {
        if case .error(.serverConnection, _?) = event { true } else { false }
    }

    private func tellFurtherCodes(
        of session: Session, _ account: Account, after first: OneTimeCode, _ ostiary: Ostiary, _ output: PhoneOutput
    ) async throws {
        var (code, left) = (first, seconds)
        while code.changesIn < left {
            try await Task.sleep(for: .seconds(code.changesIn))
            left -= code.changesIn
            code = try ostiary.oneTimeCode(for: session, and: account)
            output.tell(code, of: account, for: session)
        }
    }
}
