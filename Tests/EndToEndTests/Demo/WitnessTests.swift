import Foundation
import HTTPTypes
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import OstiaryPhone

/// What the demonstration tells of the traffic between its parties.
@Suite("The witness of the demonstration", .timeLimit(.minutes(10)))
struct WitnessTests {
    private static let secret = [UInt8](repeating: 0xA7, count: 16)
    private static let random = SeededRandom("witness")

    @Test("Every kind of message has the name that docs/protocol has, and its section is where that is laid down")
    func names() throws {
        let docs = try #require(ProtocolPages.docs(near: URL(fileURLWithPath: #filePath)))
        let pages = ProtocolPages(docs: docs)
        #expect(Set(MessageType.allCases.map(\.name)).count == MessageType.allCases.count)
        for type in MessageType.allCases {
            let page = try #require(pages.page(type.section.page), "\(type.name): \(type.section.page)")
            #expect(page.contains("<b id=\"\(type.name.lowercased())\">\(type.name)</b>"), "\(type.name) is not laid down in \(type.section.page)")
            #expect(type.sentence.hasSuffix(".") || type.sentence.hasSuffix("?"))
        }
    }

    @Test("Every status and context is written as docs/protocol writes it")
    func words() throws {
        let docs = try #require(ProtocolPages.docs(near: URL(fileURLWithPath: #filePath)))
        let encoding = try String(contentsOf: docs.appendingPathComponent("protocol/encoding.md"), encoding: .utf8)
        let secondFactor = try String(contentsOf: docs.appendingPathComponent("protocol/second-factor.md"), encoding: .utf8)
        for status in Status.allCases { #expect(encoding.contains("\(status.rawValue) \(ProtocolWord.of(status))"), "\(status)") }
        for context in SecondFactorContext.allCases {
            #expect(secondFactor.contains("\(context.rawValue) \(ProtocolWord.of(context))"), "\(context)")
        }
    }

    @Test("An E1 is told without its secret")
    func enrolSecret() throws {
        let message = E1(
            enrolID: EnrolmentID(using: Self.random), enrolSecret: Self.secret, deviceKey: [UInt8](repeating: 4, count: 65), appInfo: "app 1",
            osInfo: "Nora's phone")
        let seen = try SeenMessage(of: message.encoded)
        #expect(seen.type == .e1 && seen.happenings == [.enrolmentBegan])
        #expect(value("enrolSecret", in: seen) == .secret(bytes: 16))
        #expect(value("osInfo", in: seen) == .text("Nora's phone"))
        expectNoTrace(of: Self.secret, in: seen)
    }

    @Test("A login's cache is told as a secret, whoever opened the message")
    func cache() throws {
        let cache = [UInt8](repeating: 0xA7, count: 32)
        let message = L5(
            sessionID: SessionID(using: Self.random), sessionHash: [UInt8](repeating: 1, count: 32), accountID: AccountID(using: Self.random),
            attemptID: AttemptID(using: Self.random), decision: .accept, method: .cached, cache: cache, userInput: "private words", offer: nil)
        let seen = try SeenMessage(of: message.encoded)
        #expect(value("cache", in: seen) == .secret(bytes: 32))
        expectNoTrace(of: cache, in: seen)
        #expect(!seen.fields.contains { $0.value == .text("private words") })
    }

    @Test("What a phone sealed to the second-factor server stays sealed in M1 and on the way between the servers, and the evaluation on the way back")
    func sealed() throws {
        let attempt = attempt()
        let inner = [UInt8](repeating: 0xA7, count: 120)
        let message = M1(
            accountID: AccountID(using: Self.random), attempt: attempt, payload: [UInt8](repeating: 2, count: 97), sealed: inner)
        let m1 = try SeenMessage(of: message.encoded)
        #expect(value("sealed", in: m1) == .sealed(bytes: 120, to: .secondFactor))
        expectNoTrace(of: inner, in: m1)

        let answer = SecondFactorAnswer(
            attemptID: AttemptID(using: Self.random), status: .ok, highest: 3, epoch: 1, tries: Tries(failed: 2, most: 5, wait: 0, withoutPINLeft: 9),
            sealed: inner)
        let seen = try SeenMessage(of: answer.encoded)
        #expect(value("sealedM2", in: seen) == .sealed(bytes: 120, to: .phone))
        #expect(seen.happenings == [.wrongPIN])
        expectNoTrace(of: inner, in: seen)
    }

    @Test("A first try is no wrong PIN, a second one is, and a penalty is told as such")
    func wrongPIN() throws {
        func happenings(_ status: Status, failed: UInt8) throws -> Set<Happening> {
            let tries = Tries(failed: failed, most: 5, wait: 30, withoutPINLeft: 9)
            let answer = SecondFactorAnswer(attemptID: AttemptID(using: Self.random), status: status, highest: 1, epoch: 1, tries: tries)
            return try SeenMessage(of: answer.encoded).happenings
        }
        #expect(try happenings(.ok, failed: 1).isEmpty)
        #expect(try happenings(.ok, failed: 2) == [.wrongPIN])
        #expect(try happenings(.penalised, failed: 3) == [.wrongPIN, .penalty])
    }

    @Test("A request that its server opens is told as what is in it; its answer stays sealed, and so does a request that nobody opens")
    func phoneTap() async throws {
        let witness = Witness()
        let inside = Ping(sessionID: SessionID(using: Self.random), hold: 25).encoded
        let bytes = [UInt8](repeating: 0xA7, count: 90)
        let tap = PhoneTap(witness: witness, open: { $0 == bytes ? inside : nil }, shown: ShownCode())
        let answered = try #require(await tap.heard(.post, "/ap1", bytes))
        await answered(200, [UInt8](repeating: 0xA7, count: 70))
        _ = await tap.heard(.post, "/ap1", [1, 2, 3])
        let kept = witness.kept
        #expect(kept.map(\.name) == ["Ping", "Ans", "Req"] && kept.map(\.number) == [1, 2, 3])
        #expect(kept[0].wrapping == "Req" && kept[0].bytes == 90 && kept[0].from == .phone && kept[0].to == .authentication)
        #expect(kept[1].fields == [SeenField("PingAnswer", .sealed(bytes: 70, to: .phone))] && kept[1].to == .phone)
        #expect(kept[2].fields == [SeenField("ct", .sealed(bytes: 3, to: .authentication))])
        #expect(await tap.heard(.get, "/login", []) == nil)
    }

    @Test("What is heard while a thief works is told as the thief's, and is no step of the tour")
    func thiefs() async throws {
        let witness = Witness()
        let tap = PhoneTap(witness: witness, open: { $0 }, shown: ShownCode())
        func message() -> [UInt8] {
            E1(
                enrolID: EnrolmentID(using: Self.random), enrolSecret: Self.secret, deviceKey: [UInt8](repeating: 4, count: 65), appInfo: "",
                osInfo: ""
            ).encoded
        }
        let (visitors, thiefs) = (message(), message())
        _ = await tap.heard(.post, "/ap1", visitors)
        await witness.whileThiefWorks {
            _ = await tap.heard(.post, "/ap1", thiefs)
            _ = await tap.heard(.post, "/ap1", visitors)
        }
        // What his phone says when he is done already.
        _ = await tap.heard(.post, "/ap1", thiefs)
        _ = await tap.heard(.post, "/ap1", message())
        #expect(witness.kept.map(\.isThiefs) == [false, true, false, true, false])
        #expect(TourStep.done(by: witness.kept[1]).isEmpty && TourStep.done(by: witness.kept[2]) == [.scan])
    }

    @Test("A tape has the requests of phones byte for byte, from its beginning to its end")
    func tape() async {
        let witness = Witness()
        let tap = PhoneTap(witness: witness, open: { _ in nil }, shown: ShownCode())
        _ = await tap.heard(.post, "/ap1", [1])
        witness.startTape()
        _ = await tap.heard(.post, "/ap1", [2, 3])
        _ = await tap.heard(.get, "/ap1/bundle/x", [])
        #expect(witness.endTape() == [[2, 3]])
        _ = await tap.heard(.post, "/ap1", [4])
        #expect(witness.endTape().isEmpty)
    }

    @Test("Whoever listens late hears what was before, in order, and no more than is kept")
    func late() async {
        let witness = Witness()
        for count in 1...(Witness.most + 5) { witness.note(message(bytes: count)) }
        var heard: [WitnessedMessage] = []
        for await message in witness.messages {
            heard.append(message)
            if heard.count == Witness.most { break }
        }
        #expect(heard.first?.number == 6 && heard.last?.number == Witness.most + 5)
    }

    private func message(bytes: Int) -> WitnessedMessage {
        WitnessedMessage(
            from: .phone, to: .authentication, name: "Ping", bytes: bytes, sentence: "", section: MessageType.ping.section, fields: [])
    }

    private func attempt() -> Encoded<Attempt> {
        Encoded(
            Attempt(
                instanceID: InstanceID(using: Self.random), attemptID: AttemptID(using: Self.random), sessionHash: [UInt8](repeating: 1, count: 32),
                context: .firstSet, epoch: 1, blindedHash: [UInt8](repeating: 2, count: 32), sealedHash: [UInt8](repeating: 3, count: 32),
                ephemeralHash: [UInt8](repeating: 5, count: 32), madeAt: Instant(1_700_000_000)))
    }

    private func value(_ name: String, in message: SeenMessage) -> SeenValue? { message.fields.first { $0.name == name }?.value }

    /// In no text, neither as characters nor as digits.
    private func expectNoTrace(of secret: [UInt8], in message: SeenMessage) {
        for case .text(let text) in message.fields.map(\.value) {
            #expect(!text.contains("a7a7") && !text.contains(Base64URL.encode(Array(secret.prefix(3)))), "\(text)")
        }
    }
}
