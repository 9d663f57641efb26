import ArgumentParser
import OstiaryMobile

/// A command of the phone: its failures become an event or a line, and an exit code.
protocol PhoneSubcommand: AsyncParsableCommand {
    var options: PhoneOptions { get }
    var page: PhonePageFlag { get }
    /// Throws a `ValidationError` when its own options do not go together.
    func check() throws
    func perform(_ output: PhoneOutput) async throws -> PhoneExit
}

extension PhoneSubcommand {
    func check() throws {}

    /// Here and not where it runs, so that the usage beside the error is its own.
    func validate() throws {
        guard !page.ui else { throw ValidationError("--ui takes no command: what the phone does is chosen on its page") }
        try check()
    }

    func run() async throws {
        let output = PhoneOutput(isJSON: options.json)
        let exit: PhoneExit
        do {
            exit = try await perform(output)
        } catch let error as OstiaryError {
            output.tell(error)
            exit = error.exit
        } catch let error as TokenError {
            output.tell(error)
            exit = error.exit
        } catch let error as LinkInputError {
            output.failure(error.description)
            exit = .usage
        } catch let error as PhoneInputError {
            output.failure(error.description)
            exit = .usage
        } catch let error as AnswerFileError {
            output.failure(error.description)
            exit = error.exit
        }
        if exit != .done { throw exit.code }
    }
}

/// `ostiary phone enrol`.
struct EnrolCommand: PhoneSubcommand {
    static let configuration = CommandConfiguration(commandName: "enrol", abstract: "Make an account on this phone, with an enrol code.")

    @OptionGroup var options: PhoneOptions
    @OptionGroup(visibility: .hidden) var page: PhonePageFlag
    @OptionGroup var refusal: DenyOptions
    @OptionGroup var staying: HoldOption
    @OptionGroup var network: NetworkOption
    @Argument(help: "The enrol code: a link, a file, or -.")
    var code: String

    func perform(_ output: PhoneOutput) async throws -> PhoneExit {
        let answers = try PhoneAnswers(options, refusal)
        let input = try LinkInput.resolve(code, for: .enrolment, isInputTaken: options.pinStdin)
        let ostiary = try PhoneHome.open(options, isWatching: staying.hold > 0, offlineAfter: network.offlineAfter)
        return await PhoneConversation(ostiary, output: output, answers: answers, hold: staying.hold).run { $0.start(input) }
    }
}

/// `ostiary phone login`.
struct LoginCommand: PhoneSubcommand {
    static let configuration = CommandConfiguration(commandName: "login", abstract: "Log a browser or a device in, with a login code.")

    @OptionGroup var options: PhoneOptions
    @OptionGroup(visibility: .hidden) var page: PhonePageFlag
    @OptionGroup var refusal: DenyOptions
    @OptionGroup var biometrics: BiometricOptions
    @Option(help: ArgumentHelp("Id or user name of the account; with --yes and no account, the oldest that the login accepts.", valueName: "account"))
    var account: String?
    @Option(help: ArgumentHelp("Text that reaches the website's backend with the login.", valueName: "text"))
    var userInput: String?
    @Flag(help: "Make a one-time code when the server cannot be reached, where it takes those: type it into the page.")
    var otp = false
    @OptionGroup var staying: HoldOption
    @OptionGroup var network: NetworkOption
    @Argument(help: "The login code: a link, a file, or -; or the address that a device shows.")
    var code: String

    func perform(_ output: PhoneOutput) async throws -> PhoneExit {
        var answers = try PhoneAnswers(options, refusal)
        answers.account = account
        answers.userInput = userInput
        answers.takesCode = otp
        let input = try LinkInput.resolve(code, for: .login, isInputTaken: options.pinStdin)
        answers.usesBiometrics = biometrics.simulatedBiometrics != nil
        let ostiary = try PhoneHome.open(options, isWatching: staying.hold > 0, biometrics: biometrics, offlineAfter: network.offlineAfter)
        return await PhoneConversation(ostiary, output: output, answers: answers, hold: staying.hold).run { $0.start(input) }
    }
}

/// `ostiary phone app-login`.
struct AppLoginCommand: PhoneSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "app-login", abstract: "Log in to the app itself, with the one account on this phone; gives the webNonce for a backend.")

    @OptionGroup var options: PhoneOptions
    @OptionGroup(visibility: .hidden) var page: PhonePageFlag
    @OptionGroup var biometrics: BiometricOptions
    @OptionGroup var staying: HoldOption
    @OptionGroup var network: NetworkOption

    func perform(_ output: PhoneOutput) async throws -> PhoneExit {
        let ostiary = try PhoneHome.open(options, isWatching: staying.hold > 0, biometrics: biometrics, offlineAfter: network.offlineAfter)
        var answers = PhoneAnswers(yes: true, pinsAreLines: options.pinStdin)
        answers.usesBiometrics = biometrics.simulatedBiometrics != nil
        return await PhoneConversation(ostiary, output: output, answers: answers, hold: staying.hold).run { $0.startAppLogin() }
    }
}

extension PhoneAnswers {
    /// - Throws: `PhoneInputError.needsAnswer` when a confirmation would have to be read from where the PINs come from.
    init(_ options: PhoneOptions, _ refusal: DenyOptions) throws(PhoneInputError) {
        self.init(yes: options.yes, deny: refusal.deny, notMe: refusal.notMe, pinsAreLines: options.pinStdin)
        guard !pinsAreLines || yes || deny || notMe else { throw .needsAnswer }
    }
}

extension Ostiary {
    func start(_ input: LinkInput.Found) {
        switch input {
        case .scanned(let bytes): start(with: bytes)
        case .link(let text): start(link: text)
        }
    }
}
