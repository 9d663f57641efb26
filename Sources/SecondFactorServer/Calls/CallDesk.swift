import HTTPService
import Logging
import OstiaryProtocol
import SecondFactor

/// What becomes of the body of a call.
enum CallReply: Sendable, Equatable {
    /// Not a call, or with a message that nobody sends here.
    case malformed
    /// From a server whose root is not among the trusted ones.
    case untrusted
    /// A signed SfAnswer, whatever it says.
    case answered([UInt8])
}

/// Answers calls of authentication servers: decode, check, ask the store, sign.
struct CallDesk: Sendable {
    let callers: TrustedCallers
    let store: any SecondFactorStore
    let policy: Policy
    let evaluator: any Evaluator
    /// Whether an attempt could be counted: fails when the disk takes nothing.
    let storage: any ReadinessCheck
    let logger: Logger
    let strangers = LineLimit<String>()

    /// - Throws: faults only: the store, or a key that does not unwrap.
    func answer(_ bytes: [UInt8], as identity: OwnIdentity, at now: Instant) async throws -> CallReply {
        guard let call = try? SecondFactorCall(decoding: bytes), let message = CallMessage(call) else { return .malformed }
        guard let caller = callers.caller(call.caller) else { return untrusted(call.caller.value.root, "its identity is not a trusted one") }
        let desk = Desk(desk: self, caller: caller, identity: identity, now: now)
        let answer: SecondFactorAnswer? =
            switch message {
            case .ticket(let ticket): try await desk.answer(ticket, sealed: call.sealed, receipts: call.receipts)
            case .proof(let proof): try await desk.answer(proof, receipts: call.receipts)
            case .close(let close): try await desk.answer(close)
            case .reset(let reset): try await desk.answer(reset)
            case .probe(let probe): await desk.answer(probe)
            case .leave(let leave): try await desk.answer(leave)
            }
        guard let answer else { return untrusted(call.caller.value.root, "a probe that it did not sign") }
        return .answered(Encoded(answer, signedBy: identity.operatorKey).bytes)
    }

    /// Anybody can send such a call, so it is one line a minute.
    private func untrusted(_ root: Root, _ reason: String) -> CallReply {
        if let heldBack = strangers.admit(reason) {
            logger.line(
                .warning, "a server that is not trusted asked",
                [.caller: Base64URL.encode(root.hash), .reason: reason, .heldback: "\(heldBack)"])
        }
        return .untrusted
    }

    /// One call: who asks, as whom we answer, and when. Each message has its own file.
    struct Desk: Sendable {
        let desk: CallDesk
        let caller: Caller
        let identity: OwnIdentity
        let now: Instant

        var store: any SecondFactorStore { desk.store }
        var policy: Policy { desk.policy }

        /// Whether the order names the server that the call came from, and bears its signature under a certificate that is valid at this time.
        func isSignedByCaller(_ order: Encoded<some SecondFactorOrder>, at time: Instant) -> Bool {
            order.value.serverID == caller.server.id && (try? order.verify(with: caller.keys, at: time)) != nil
        }

        func log(
            _ event: String, _ instance: InstanceID, _ outcome: String, context: SecondFactorContext? = nil, factors: Methods? = nil,
            level: Logger.Level = .info
        ) {
            var facts: [LogKey: String] = [.server: caller.server.id.text, .instance: instance.text, .outcome: outcome]
            facts[.context] = context.map { "\($0)" }
            facts[.factors] = factors.map { $0 == .pin ? "pin" : $0 == .bio ? "bio" : "pin,bio" }
            desk.logger.line(level, event, facts)
        }
    }
}

/// The messages of a call, decoded.
private enum CallMessage {
    case ticket(Encoded<Ticket>)
    case proof(Encoded<Proof>)
    case close(Encoded<Close>)
    case reset(Encoded<Reset>)
    case probe(Encoded<Probe>)
    case leave(Encoded<Leave>)

    init?(_ call: SecondFactorCall) {
        guard let type = try? MessageType(of: call.message) else { return nil }
        let message: CallMessage? =
            switch type {
            case .ticket: (try? Encoded(decoding: call.message)).map(CallMessage.ticket)
            case .proof: (try? Encoded(decoding: call.message)).map(CallMessage.proof)
            case .close: (try? Encoded(decoding: call.message)).map(CallMessage.close)
            case .reset: (try? Encoded(decoding: call.message)).map(CallMessage.reset)
            case .probe: (try? Encoded(decoding: call.message)).map(CallMessage.probe)
            case .leave: (try? Encoded(decoding: call.message)).map(CallMessage.leave)
            default: nil
            }
        guard let message else { return nil }
        self = message
    }
}

extension SecondFactorCall {
    /// The receipts that came along.
    fileprivate var receipts: [Encoded<Receipt>] { [receipt, pinReceipt].compactMap(\.self) }
}
