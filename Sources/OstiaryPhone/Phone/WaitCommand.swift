import ArgumentParser
import OstiaryMobile
import OstiaryProgram
import OstiaryProtocol

/// `ostiary phone wait`.
struct WaitCommand: PhoneSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "wait", abstract: "Answer a login that waits for this phone, the oldest first.",
        discussion: "Somebody began it elsewhere in the person's name. It is confirmed by the number that is shown there.")

    @OptionGroup var options: PhoneOptions
    @OptionGroup(visibility: .hidden) var page: PhonePageFlag
    @OptionGroup var refusal: DenyOptions
    @OptionGroup var biometrics: BiometricOptions
    @Option(help: ArgumentHelp("The number that is shown where the login was begun; asked for unless given.", valueName: "digits"))
    var number: String?
    @Option(help: ArgumentHelp("Look for that long, each second; 0 looks once.", valueName: "seconds"))
    var seconds = 0
    @OptionGroup var staying: HoldOption

    func check() throws {
        guard seconds >= 0 else { throw ValidationError("--seconds is 0 or more") }
        guard number.map(LoginNumber.isOne) ?? true else { throw ValidationError("--number is three digits, the first of which is no 0") }
        let isAnswered = number != nil || refusal.deny || refusal.notMe
        guard isAnswered || !options.pinStdin && !options.yes else {
            throw ValidationError("nothing is a yes without the number that is shown: give --number, --deny or --not-me as well")
        }
    }

    func perform(_ output: PhoneOutput) async throws -> PhoneExit {
        var answers = try PhoneAnswers(options, refusal)
        answers.number = number
        answers.usesBiometrics = biometrics.simulatedBiometrics != nil
        let ostiary = try PhoneHome.open(options, isWatching: staying.hold > 0, biometrics: biometrics)
        guard try await isBegun(ostiary) else {
            output.tell(nothing: "noLoginWaits", "no login waits for this phone")
            return .done
        }
        // The first who reads the events is told what happened before as well.
        return await PhoneConversation(ostiary, output: output, answers: answers, hold: staying.hold).run { _ in }
    }

    private func isBegun(_ ostiary: Ostiary) async throws -> Bool {
        for second in 0...seconds {
            if second > 0 { try await Task.sleep(for: .seconds(1)) }
            if try await ostiary.beginWaitingLogin() != nil { return true }
        }
        return false
    }
}
