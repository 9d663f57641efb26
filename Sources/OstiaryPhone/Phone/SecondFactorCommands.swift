import ArgumentParser
import OstiaryMobile

/// A command that changes the second factor itself: of the server whose account is named, or of the only one.
protocol SecondFactorChangeCommand: PhoneSubcommand {
    var biometrics: BiometricOptions { get }
    var server: ServerOption { get }
    func begin(_ ostiary: Ostiary, _ account: Account?)
}

/// Which server, named by an account there.
struct ServerOption: ParsableArguments, Sendable {
    @Option(help: ArgumentHelp("An account at the server that is meant; may be left out when there is only one server.", valueName: "account"))
    var account: String?
}

extension SecondFactorChangeCommand {
    func perform(_ output: PhoneOutput) async throws -> PhoneExit {
        var answers = PhoneAnswers(yes: true, pinsAreLines: options.pinStdin)
        answers.account = server.account
        answers.usesBiometrics = biometrics.simulatedBiometrics != nil
        let ostiary = try PhoneHome.open(options, biometrics: biometrics)
        let chosen = try answers.managed(among: PhoneHome.accounts(of: ostiary))
        return await PhoneConversation(ostiary, output: output, answers: answers).run { self.begin($0, chosen) }
    }
}

/// `ostiary phone change-pin`.
struct ChangePINCommand: SecondFactorChangeCommand {
    static let configuration = CommandConfiguration(
        commandName: "change-pin", abstract: "Change the PIN of a server: the one so far, then the new one.",
        discussion: "One PIN is for all accounts at a server. With --pin-stdin the first line is the PIN so far, the second the new one.")

    @OptionGroup var options: PhoneOptions
    @OptionGroup(visibility: .hidden) var page: PhonePageFlag
    @OptionGroup var biometrics: BiometricOptions
    @OptionGroup var server: ServerOption

    func begin(_ ostiary: Ostiary, _ account: Account?) { ostiary.changePIN(for: account) }
}

/// `ostiary phone add-biometrics`.
struct AddBiometricsCommand: SecondFactorChangeCommand {
    static let configuration = CommandConfiguration(
        commandName: "add-biometrics", abstract: "Add biometrics at a server: the feature, then the PIN.",
        discussion: "A terminal has no sensor: --simulated-biometrics is needed.")

    @OptionGroup var options: PhoneOptions
    @OptionGroup(visibility: .hidden) var page: PhonePageFlag
    @OptionGroup var biometrics: BiometricOptions
    @OptionGroup var server: ServerOption

    func begin(_ ostiary: Ostiary, _ account: Account?) { ostiary.addBiometrics(for: account) }
}

/// `ostiary phone remove-biometrics`.
struct RemoveBiometricsCommand: SecondFactorChangeCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove-biometrics", abstract: "Remove biometrics at a server, by the PIN or the feature.")

    @OptionGroup var options: PhoneOptions
    @OptionGroup(visibility: .hidden) var page: PhonePageFlag
    @OptionGroup var biometrics: BiometricOptions
    @OptionGroup var server: ServerOption

    func begin(_ ostiary: Ostiary, _ account: Account?) { ostiary.removeBiometrics(for: account) }
}
