import HTTPTypes
import OstiaryProtocol

/// Between the two servers (protocol §7).
struct SecondFactorTap: RelayTap {
    let witness: Witness

    func heard(_ method: HTTPRequest.Method, _ path: String, _ body: [UInt8]) async -> AnswerTap? {
        if method == .post, path == "/sf/call" { return call(body) }
        if method == .get, path == "/sf/identity" { return { status, body in if status == 200 { noteIdentity(body.count) } } }
        return nil
    }

    private func call(_ bytes: [UInt8]) -> AnswerTap? {
        guard let call = try? SecondFactorCall(decoding: bytes), let message = try? SeenMessage(of: call.message) else { return nil }
        let isBackground = message.type == .probe
        witness.note(
            WitnessedMessage(
                message, from: .authentication, to: .secondFactor, in: "SecondFactorCall", bytes: bytes.count,
                with: call.sealed.isEmpty ? [] : [.sealed("sealed", call.sealed, to: .secondFactor)], isBackground: isBackground))
        return { status, body in
            guard status == 200, let answer = try? SeenMessage(of: body) else { return }
            witness.note(
                WitnessedMessage(answer, from: .secondFactor, to: .authentication, bytes: body.count, isBackground: isBackground))
        }
    }

    private func noteIdentity(_ bytes: Int) {
        witness.note(
            WitnessedMessage(
                from: .secondFactor, to: .authentication, name: "SfIdentity", bytes: bytes,
                sentence: "The second-factor server's certificates and prekeys.",
                section: ProtocolSection(page: "identity", anchor: "sfidentity"), fields: [], isBackground: true))
    }
}
