import HTTPTypes
import OstiaryProtocol

/// Between phones and the authentication server (protocol §4).
struct PhoneTap: RelayTap {
    let witness: Witness
    /// Opens a request as its server does; nil for what cannot be opened.
    let open: @Sendable ([UInt8]) async -> [UInt8]?
    /// What the pages of the server show.
    let shown: ShownCode

    func heard(_ method: HTTPRequest.Method, _ path: String, _ body: [UInt8]) async -> AnswerTap? {
        if method == .post, path == "/ap1" { return await request(body) }
        if method == .get, path.hasPrefix("/ap1/bundle/") { return { status, body in if status == 200 { noteBundle(body) } } }
        return nil
    }

    /// Only of a real browser, which says where its requests come from: pages that an attack opens are shown to nobody.
    func watched(_ path: String, _ headers: HTTPFields) -> PartTap? {
        guard path == "/pages/events" || path == "/pages/state", headers[Self.fetchSite] != nil else { return nil }
        return shown.reader(isStream: path == "/pages/events")
    }

    private static let fetchSite = HTTPField.Name("Sec-Fetch-Site")!

    private func request(_ bytes: [UInt8]) async -> AnswerTap {
        witness.record(bytes)
        let message = await open(bytes).flatMap { try? SeenMessage(of: $0) }
        let sealed = MessageType.request
        let opened = message.map { WitnessedMessage($0, from: .phone, to: .authentication, in: sealed.name, bytes: bytes.count) }
        witness.note(
            opened
                ?? WitnessedMessage(
                    from: .phone, to: .authentication, name: sealed.name, bytes: bytes.count, sentence: sealed.sentence, section: sealed.section,
                    fields: [.sealed("ct", bytes, to: .authentication)]))
        let asked = message?.type
        return { status, body in
            switch status {
            case 200: noteAnswer(body, to: asked)
            case 409: noteBundle(body)
            default: break
            }
        }
    }

    /// What is in it nobody sees but the phone; what it may be follows from what was asked.
    private func noteAnswer(_ bytes: [UInt8], to asked: MessageType?) {
        let inside = asked?.answer.map { "It holds the \($0.name), or says why not: only the phone knows." }
        witness.note(
            WitnessedMessage(
                from: .authentication, to: .phone, name: MessageType.answer.name, bytes: bytes.count,
                sentence: inside ?? MessageType.answer.sentence, section: (asked?.answer ?? .answer).section,
                fields: [.sealed(asked?.answer?.name ?? "ct", bytes, to: .phone)]))
    }

    private func noteBundle(_ bytes: [UInt8]) {
        guard let bundle = try? SeenMessage(of: bytes), bundle.type == .bundle else { return }
        witness.note(WitnessedMessage(bundle, from: .authentication, to: .phone, bytes: bytes.count))
    }
}
