import Foundation
import OstiaryProtocol
import OstiaryTokens
import Synchronization

/// Calls to one provider, over TLS: what is asked and answered, the nonces that it wants in proofs, and how far its clock is from this device's.
final class ProviderLine: Sendable {
    /// What it said last, in the fields of its answers.
    private struct Heard {
        var nonce: String?
        /// Seconds that its clock is ahead of this device's.
        var ahead: Int64?
    }

    struct Answer: Sendable {
        let status: Int
        let body: [UInt8]
        /// Whether it came with the moment at which it was made.
        let isDated: Bool

        /// `error` of RFC 6749 §5.2; nil for what is no such answer.
        var error: String? {
            guard (400...499).contains(status), let object = try? JSONReader.object(body) else { return nil }
            return object["error"]?.string
        }
    }

    /// Seconds for one call.
    private static let timeout = 15.0
    private static let told: Set<String> = ["dpop-nonce", "date"]

    private let transport: any Transport
    private let clock: any DeviceClock
    private let heard: Mutex<Heard>

    init(transport: any Transport, clock: any DeviceClock) {
        self.transport = transport
        self.clock = clock
        heard = Mutex(Heard())
    }

    /// The provider's time, in Unix seconds, as far as it is known.
    var now: UInt64 {
        let ahead = heard.withLock { $0.ahead } ?? 0
        return ahead < 0 ? clock.wall - min(clock.wall, ahead.magnitude) : clock.wall + UInt64(ahead)
    }

    /// What somebody else heard of its clock, who is believed as long as it said nothing itself.
    func note(ahead: Int64) {
        heard.withLock { heard in if heard.ahead == nil { heard.ahead = ahead } }
    }

    /// What is there, JSON or nothing.
    func get(_ url: URL, patience: Double) async throws(TokenError) -> [UInt8] {
        let answer = try await trying(for: patience) { () async throws(TokenError) in
            try await self.send(
                TransportRequest(url: url, body: nil, timeout: Self.timeout, fields: ["accept": "application/json"], answerFields: Self.told))
        }
        guard answer.status == 200 else { throw .serverAnswer }
        return answer.body
    }

    /// Posts a form, again as long as nothing but the way fails. For what can be said twice.
    func post(
        _ form: [(name: String, value: String)], to url: URL, proof: DeviceProof?, patience: Double
    ) async throws(TokenError) -> Answer {
        try await trying(for: patience) { () async throws(TokenError) in try await self.postOnce(form, to: url, proof: proof) }
    }

    /// Posts a form as `post` does, as long as it is still wanted, which each try looks at.
    /// - Returns: nil where it is wanted no more.
    func post(
        _ form: [(name: String, value: String)], to url: URL, proof: DeviceProof?, patience: Double,
        while isWanted: @escaping @Sendable () throws(TokenError) -> Bool
    ) async throws(TokenError) -> Answer? {
        try await trying(for: patience) { () async throws(TokenError) -> Answer? in
            guard try isWanted() else { return nil }
            return try await self.postOnce(form, to: url, proof: proof)
        }
    }

    /// Posts a form once: with another proof where the first was refused for its nonce or its time, which is before anything else is looked at.
    /// - Throws: `serverConnection` where it may have arrived or not; `serverBusy` for 429 and all of 500 to 599.
    func postOnce(_ form: [(name: String, value: String)], to url: URL, proof: DeviceProof?) async throws(TokenError) -> Answer {
        var answer = try await postAsItIs(form, to: url, proof: proof)
        guard proof != nil else { return answer }
        // One for a nonce, one for the clock.
        for _ in 0..<2 {
            guard let error = answer.error, ["use_dpop_nonce", TokenRefusalCode.invalidDPoPProof.rawValue].contains(error) else { return answer }
            guard error == "use_dpop_nonce" || answer.isDated else { throw .clockWrong }
            answer = try await postAsItIs(form, to: url, proof: proof)
        }
        return answer
    }

    private func postAsItIs(_ form: [(name: String, value: String)], to url: URL, proof: DeviceProof?) async throws(TokenError) -> Answer {
        var fields = ["accept": "application/json", "content-type": "application/x-www-form-urlencoded"]
        if let proof { fields["dpop"] = try proof.text(method: "POST", url: url, nonce: heard.withLock { $0.nonce }) }
        return try await send(
            TransportRequest(url: url, body: Array(PercentEscape.form(form).utf8), timeout: Self.timeout, fields: fields, answerFields: Self.told))
    }

    private func send(_ request: TransportRequest) async throws(TokenError) -> Answer {
        let response: TransportResponse
        do { response = try await transport.send(request) } catch { throw TokenError(error) }
        let moment = response.fields["date"].flatMap(HTTPDate.seconds)
        let wall = clock.wall
        heard.withLock { heard in
            if let nonce = response.fields["dpop-nonce"] { heard.nonce = nonce }
            if let moment { heard.ahead = Int64(clamping: moment) - Int64(clamping: wall) }
        }
        guard response.status != 429, !(500...599).contains(response.status) else { throw .serverBusy }
        return Answer(status: response.status, body: response.body, isDated: moment != nil)
    }

    /// Seconds that a call took: as long as one may take at most, because of an app that was suspended in it nobody waited for the rest.
    private func taken(since begun: UInt64) -> Double {
        let now = clock.monotonic
        return now > begun ? min(Double(now - begun), Self.timeout) : 0
    }

    /// Does it again while the provider is away, in growing intervals. One that takes a call and says nothing is away as well: what the calls took counts too, so
    /// that nobody waits for longer than their patience and one call.
    private func trying<Value: Sendable>(
        for patience: Double, _ call: @Sendable () async throws(TokenError) -> Value
    ) async throws(TokenError) -> Value {
        var backoff = Backoff(limit: patience)
        while true {
            let begun = clock.monotonic
            let failure: TokenError
            do { return try await call() } catch { failure = error }
            guard failure == .serverConnection || failure == .serverBusy else { throw failure }
            guard let delay = backoff.delay(after: taken(since: begun)) else { throw failure }
            await clock.sleep(seconds: delay)
            if Task.isCancelled { throw .cancelled }
        }
    }
}

extension ProviderLine.Answer {
    /// What the token endpoint gave, or why not.
    /// - Throws: `loginOver` for `invalid_grant`; `refused` for every other word of RFC 6749 §5.2; `serverAnswer` for anything else.
    func token(asked scope: String, isBound: Bool) throws(TokenError) -> TokenAnswer {
        if status == 200 { return try TokenAnswer(body, asked: scope, isBound: isBound) }
        throw refusal
    }

    var refusal: TokenError {
        guard let error else { return .serverAnswer }
        return error == "invalid_grant" ? .loginOver : .refused(TokenRefusalCode(rawValue: error) ?? .other)
    }
}

extension TokenError {
    init(_ error: TransportError) {
        self =
            switch error {
            case .unreachable: .serverConnection
            case .untrusted: .certificateUntrusted
            case .tooLong, .encoded: .serverAnswer
            case .addressRefused: .metadata(.endpoint)
            case .cancelled: .cancelled
            }
    }
}
