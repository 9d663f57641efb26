import AsyncHTTPClient
import HTTPCalls
import NIOCore
import NIOHTTP1
import NIOSSL

/// Calls over HTTP/1.1: nothing is followed, nothing unpacked, and nobody is waited for longer than was said.
public final class HTTPResourceCalls: ResourceCalls {
    /// Each with connections of its own: questions that a slow provider leaves open hold up no keys.
    private let publications, questions: HTTPClient
    private let patience: Duration

    /// - Parameters:
    ///   - patience: how long an answer may take, to its last byte. A request that has to ask waits as long, at most.
    ///   - trustRoots: a PEM file with the certificates of whom to trust, for a provider with a certificate of one's own; nil for the system's.
    public init(patience: Duration = .seconds(5), trustRoots: String? = nil) {
        var tls: TLSConfiguration?
        if let trustRoots {
            var configuration = TLSConfiguration.makeClientConfiguration()
            configuration.trustRoots = .file(trustRoots)
            tls = configuration
        }
        var configuration = HTTPClient.Configuration.calls(connect: min(.seconds(2), TimeAmount(patience)), tls: tls)
        publications = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        // A client makes eight to one host: the questions beyond would wait behind those that a slow provider has not answered, until their own time is over.
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 2 * ResourceCall.mostQuestions
        questions = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        self.patience = patience
    }

    deinit { for client in [publications, questions] { client.shutdown { _ in } } }

    private func client(for purpose: ResourceCall.Purpose) -> HTTPClient {
        switch purpose {
        case .publication: publications
        case .question: questions
        }
    }

    /// The client's own limits end with the head of an answer, or begin anew with each byte of its body: this one is for the whole call.
    public func answer(to call: ResourceCall) async throws -> CallAnswer {
        let client = client(for: call.purpose)
        return try await withThrowingTaskGroup(of: CallAnswer?.self) { group in
            defer { group.cancelAll() }
            group.addTask { [patience] in
                let deadline = NIODeadline.now() + TimeAmount(patience)
                do {
                    return try await Self.exchange(call, with: client, until: deadline)
                } catch let error where Self.isAboutKeptConnection(error) {
                    return try await Self.exchange(call.anew(), with: client, until: deadline)
                }
            }
            group.addTask { [patience] in
                try await Task.sleep(for: patience)
                return nil
            }
            guard let answer = try await group.next().flatMap({ $0 }) else { throw NoAnswer() }
            return answer
        }
    }

    private static func exchange(_ call: ResourceCall, with client: HTTPClient, until deadline: NIODeadline) async throws -> CallAnswer {
        var request = HTTPClientRequest(url: call.address)
        request.method = call.method == .post ? .POST : .GET
        for field in call.fields { request.headers.add(name: field.name, value: field.value) }
        if let body = call.body { request.body = .bytes(ByteBuffer(bytes: body)) }
        let answer = try await client.execute(request, deadline: deadline)
        do {
            let body = try await answer.body.collect(upTo: call.mostBytes)
            // A call that is given up ends its body too, wherever it is.
            try Task.checkCancellation()
            return CallAnswer(status: Int(answer.status.code), body: Array(buffer: body))
        } catch is NIOTooManyBytesError { throw AnswerTooLarge() }
    }

    /// Whether the connection may have been one of an earlier call, which the provider had closed meanwhile. Then the same question goes out once more,
    /// by another one: every call only asks.
    private static func isAboutKeptConnection(_ error: any Error) -> Bool {
        switch error {
        case let error as HTTPClientError: error == .remoteConnectionClosed
        case is IOError, ChannelError.ioOnClosedChannel, ChannelError.alreadyClosed, ChannelError.eof: true
        default: false
        }
    }
}

/// Nobody answered in time.
private struct NoAnswer: Error {}
