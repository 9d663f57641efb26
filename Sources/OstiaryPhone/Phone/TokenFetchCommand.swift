import ArgumentParser
import Foundation
import OstiaryMobile
import OstiaryProgram

/// `ostiary phone token fetch`: `getToken` of the documents, at a server that has a token service behind it.
struct TokenFetchCommand: PhoneSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "fetch", abstract: "Log in to the app itself, and get what the token service behind the server answers, byte for byte.",
        discussion: """
            The operator says where that service is: ostiary admin token-service. What it gives need not be text: --output writes it to a file as it is. \
            The login goes on, and so may the token.
            """)

    @OptionGroup var options: PhoneOptions
    @OptionGroup(visibility: .hidden) var page: PhonePageFlag
    @OptionGroup var biometrics: BiometricOptions
    @Option(help: ArgumentHelp("Write the bytes to this file, which is this user's only, instead of printing them.", valueName: "file"))
    var output: String?

    func perform(_ output: PhoneOutput) async throws -> PhoneExit {
        let file = try self.output.map { try AnswerFile($0) }
        let ostiary = try PhoneHome.open(options, biometrics: biometrics)
        var answers = PhoneAnswers(yes: true, pinsAreLines: options.pinStdin)
        answers.usesBiometrics = biometrics.simulatedBiometrics != nil
        let exit = await PhoneConversation(ostiary, output: output, answers: answers).run { $0.startAppLogin() }
        guard exit == .done else { return exit }
        guard let session = ostiary.appLoginSession else { throw OstiaryError.sessionOver }
        let token = try await Self.token(for: session, of: ostiary)
        try tell(token, file, output)
        return .done
    }

    /// - Throws: what the SDK tells instead of a token; a server that cannot be reached it tries for a while.
    private static func token(for session: Session, of ostiary: Ostiary) async throws -> Token {
        let events = ostiary.events
        ostiary.getToken(for: session)
        for await event in events {
            switch event {
            case .token(let token, let told) where told.id == session.id: return token
            case .error(let error, let told?) where told.id == session.id: throw error
            case .sessionStop(let told) where told.id == session.id: throw OstiaryError.sessionOver
            default: continue
            }
        }
        throw OstiaryError.cancelled
    }

    private func tell(_ token: Token, _ file: AnswerFile?, _ output: PhoneOutput) throws {
        guard let file else { return try output.tell(token) }
        try file.write(token.bytes, advice: "make room, and fetch another")
        output.tell(nothing: "tokenWritten", "\(ours: "\(token.bytes.count)") bytes")
    }
}

extension PhoneOutput {
    /// To a script as base64, and as text where it is text; to a person as a line.
    func tell(_ token: Token) throws(OutputFailure) { try tell(token.bytes, of: "serviceToken", in: "token") }
}
