import HTTPService
import Logging
import OstiaryProtocol
import SecondFactor

/// Writes down what calls were about: one line each, and one a minute of those that nobody trusted has signed, for anybody can send them.
struct CallLog: Sendable {
    let logger: Logger
    private let strangers = LineLimit<String>()

    init(_ logger: Logger) { self.logger = logger }

    func write(_ record: CallRecord) {
        var facts: [LogKey: String] = [.server: record.server.text, .instance: record.instance.text, .outcome: record.outcome]
        facts[.context] = record.context.map { "\($0)" }
        facts[.factors] = record.methods.map(\.words)
        logger.line(record.isNotable ? .notice : .info, record.kind.rawValue, facts)
    }

    func write(_ stranger: CallOutcome.Stranger, root: [UInt8]) {
        let reason =
            switch stranger {
            case .otherRoot: "its identity is not a trusted one"
            case .unsignedProbe: "a probe that it did not sign"
            }
        guard let heldBack = strangers.admit(reason) else { return }
        logger.line(
            .warning, "a server that is not trusted asked",
            [.caller: Base64URL.encode(root), .reason: reason, .heldback: "\(heldBack)"])
    }
}
