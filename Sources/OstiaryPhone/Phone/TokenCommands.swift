import ArgumentParser
import Foundation
import OstiaryMobile
import OstiaryProgram

/// `ostiary phone token`: the phone as an app that has tokens of the provider.
struct TokenCommand: PhoneSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Get tokens as an app does, show what is in them, call an API with one, and end the login.",
        discussion: """
            The app is one that the operator registered at the provider: native, without a secret. Tokens are bound to a key of this phone unless --bearer
            says otherwise, and what is kept of a login is sealed in the phone's home.
            """,
        subcommands: [
            TokenLoginCommand.self, TokenExchangeCommand.self, TokenFetchCommand.self, TokenShowCommand.self, TokenRevokeCommand.self,
        ])

    @OptionGroup var options: PhoneOptions
    @OptionGroup(visibility: .hidden) var page: PhonePageFlag

    func perform(_ output: PhoneOutput) async throws -> PhoneExit { throw CleanExit.helpRequest(self) }
}

/// Which app it is, and what it asks for.
struct TokenOptions: ParsableArguments, Sendable {
    @Option(help: ArgumentHelp("The provider, as it names itself: https://login.example.", valueName: "url"))
    var issuer: String

    @Option(help: ArgumentHelp("The application, as the operator registered it.", valueName: "id"))
    var clientID: String

    @Option(help: ArgumentHelp("The API that tokens are for.", valueName: "identifier"))
    var audience: String?

    @Option(help: ArgumentHelp("What is asked for, in one word with quotes around it.", valueName: "scopes"))
    var scope = "openid profile email offline_access"

    @Flag(help: "Bind nothing to this phone: whoever has a token can use it.")
    var bearer = false

    /// - Parameter path: of the address by which the browser comes back, which is registered as `http://127.0.0.1` and this.
    func settings(path: String? = nil) -> TokenSettings {
        var settings = TokenSettings(
            issuer: issuer, clientID: clientID, audience: audience, scope: scope, redirectURL: path.flatMap { URL(string: "http://127.0.0.1\($0)") })
        settings.bindsToDevice = !bearer
        settings.patience = .seconds(5)
        return settings
    }
}

/// `ostiary phone token login`.
struct TokenLoginCommand: PhoneSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "login", abstract: "Log in at the provider in a browser of this machine, by a code with PKCE.",
        discussion: "It prints an address to open, and waits until the browser comes back to 127.0.0.1. Ctrl-C gives up.")

    @OptionGroup var options: PhoneOptions
    @OptionGroup(visibility: .hidden) var page: PhonePageFlag
    @OptionGroup var app: TokenOptions
    @Option(help: ArgumentHelp("Where the browser comes back; http://127.0.0.1 and this is registered.", valueName: "path"))
    var redirectPath = "/cb"
    @Flag(help: "Log in anew, also where the browser knows the person.")
    var anew = false

    func check() throws {
        guard redirectPath.hasPrefix("/"), !redirectPath.contains(where: { "?#".contains($0) }) else {
            throw ValidationError("--redirect-path begins with a slash, and has neither ? nor #")
        }
    }

    func perform(_ output: PhoneOutput) async throws -> PhoneExit {
        let client = TokenClient(app.settings(path: redirectPath), ports: try PhoneHome.ports(options))
        let browser = LoopbackBrowser { address in
            output.remark("Open this address in a browser of this machine:")
            // In one piece, so that it can be copied; an address has no blanks, and nothing but ASCII.
            output.list("openBrowser", "address", .string(address.absoluteString), line: "  \(ours: address.absoluteString)")
        }
        output.tell(try await client.logIn(in: browser, asksAnew: anew))
        return .done
    }
}

/// `ostiary phone token exchange`.
struct TokenExchangeCommand: PhoneSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "exchange", abstract: "Log in to the app itself, and exchange the webNonce for a token, without a browser.",
        discussion: "The token is good as long as the login goes on, and is kept nowhere.")

    @OptionGroup var options: PhoneOptions
    @OptionGroup(visibility: .hidden) var page: PhonePageFlag
    @OptionGroup var app: TokenOptions
    @OptionGroup var use: TokenUseOptions
    @OptionGroup var biometrics: BiometricOptions

    func check() throws {
        guard !app.bearer else { throw ValidationError("an exchange always binds its token to the phone: leave --bearer out") }
    }

    func perform(_ output: PhoneOutput) async throws -> PhoneExit {
        let ostiary = try PhoneHome.open(options, biometrics: biometrics, bindsTokens: true)
        var answers = PhoneAnswers(yes: true, pinsAreLines: options.pinStdin)
        answers.usesBiometrics = biometrics.simulatedBiometrics != nil
        let exit = await PhoneConversation(ostiary, output: output, answers: answers).run { $0.startAppLogin() }
        guard exit == .done else { return exit }
        return try await use.use(try ostiary.tokenClient(app.settings()), output)
    }
}

/// `ostiary phone token show`.
struct TokenShowCommand: PhoneSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Print a token that is good now, renewed if need be, or call an API with it.",
        discussion: "Whoever sees a bearer token can use it. One that is bound to this phone opens nothing elsewhere: use --call.")

    @OptionGroup var options: PhoneOptions
    @OptionGroup(visibility: .hidden) var page: PhonePageFlag
    @OptionGroup var app: TokenOptions
    @OptionGroup var use: TokenUseOptions

    func perform(_ output: PhoneOutput) async throws -> PhoneExit {
        try await use.use(TokenClient(app.settings(), ports: try PhoneHome.ports(options)), output)
    }
}

/// `ostiary phone token revoke`.
struct TokenRevokeCommand: PhoneSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "End the login here and at the provider.",
        discussion: "Without a network it is over here all the same (6); the provider is told by the next command of the same app that reaches it.")

    @OptionGroup var options: PhoneOptions
    @OptionGroup(visibility: .hidden) var page: PhonePageFlag
    @OptionGroup var app: TokenOptions

    func perform(_ output: PhoneOutput) async throws -> PhoneExit {
        try await TokenClient(app.settings(), ports: try PhoneHome.ports(options)).revoke()
        output.tell(nothing: "tokensRevoked", "logged out")
        return .done
    }
}
