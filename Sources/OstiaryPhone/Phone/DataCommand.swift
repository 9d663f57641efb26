import ArgumentParser
import Foundation
import OstiaryMobile
import OstiaryProgram

/// `ostiary phone data`: `getData` of the documents, at a server that has a Data Service behind it.
struct DataCommand: PhoneSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "data", abstract: "Ask the Data Service behind the server as this device, without a PIN, and print its answer.",
        discussion: """
            The operator says where that service is: ostiary admin data-service. It hears which device asks, and that nobody was asked for a second factor. \
            The answer is shown as text; --output has it byte for byte, and so has --json in base64. \
            With --call a question is asked again under the name that it had: a service does once what it is asked by one name.
            """)

    @OptionGroup var options: PhoneOptions
    @OptionGroup(visibility: .hidden) var page: PhonePageFlag
    @Option(help: ArgumentHelp("Id or user name of the account; may be left out when there is only one.", valueName: "account"))
    var account: String?
    @Option(help: ArgumentHelp("Ask for the bytes of this file, or of standard input (-), instead of a text.", valueName: "file"))
    var input: String?
    @Option(help: ArgumentHelp("Write the answer to this file, which is this user's only, instead of printing it.", valueName: "file"))
    var output: String?
    @Option(help: ArgumentHelp("Name of the call, a UUID; default is a new one.", valueName: "uuid"))
    var call: String?
    @Argument(help: "What to ask.")
    var text: String?

    func check() throws {
        guard (text == nil) != (input == nil) else { throw ValidationError("say what to ask: a text or --input, and one of them") }
        guard call.map({ UUID(uuidString: $0) != nil }) ?? true else { throw ValidationError("--call is a UUID") }
    }

    func perform(_ output: PhoneOutput) async throws -> PhoneExit {
        let payload = try self.payload()
        let file = try self.output.map { try AnswerFile($0) }
        let name = call.flatMap { UUID(uuidString: $0) } ?? UUID()
        let ostiary = try PhoneHome.open(options)
        let chosen = try choose(among: try PhoneHome.accounts(of: ostiary))
        let data = try await ostiary.getData(payload, for: chosen, call: name)
        guard let file else {
            try output.tell(data: data)
            return .done
        }
        try file.write(data, advice: "make room, and ask again with --call \(name.uuidString)")
        output.tell(nothing: "dataWritten", "\(ours: "\(data.count)") bytes")
        return .done
    }

    private func payload() throws -> [UInt8] {
        guard let input else { return Array((text ?? "").utf8) }
        guard let file = input == "-" ? FileHandle.standardInput : FileHandle(forReadingAtPath: input) else {
            throw PhoneInputError.unreadable(input)
        }
        var data = Data()
        do {
            // One byte more than may be asked says that it is too long, and more is not read.
            while data.count <= 65_000, let piece = try file.read(upToCount: 65_001 - data.count), !piece.isEmpty { data += piece }
        } catch { throw PhoneInputError.unreadable(input) }
        return Array(data)
    }

    private func choose(among accounts: [Account]) throws(PhoneInputError) -> Account {
        var answers = PhoneAnswers(yes: false)
        answers.account = account
        guard let chosen = try answers.choice(among: accounts) else { throw accounts.isEmpty ? .noAccounts : .severalAccounts }
        return chosen
    }
}

extension PhoneOutput {
    /// To a script as base64, and as text where it is text; to a person as a line.
    func tell(data bytes: [UInt8]) throws(OutputFailure) { try tell(bytes, of: "serviceData", in: "data") }

    /// Bytes that a service behind the server answered.
    func tell(_ bytes: [UInt8], of event: String, in member: String) throws(OutputFailure) {
        let members: [(String, JSONText)] = [
            ("base64", .string(Data(bytes).base64EncodedString())), ("text", .optional(String(validating: bytes, as: UTF8.self))),
        ]
        try deliver(event, member, members.asObject, line: "\(others: String(decoding: bytes, as: UTF8.self))")
    }
}
