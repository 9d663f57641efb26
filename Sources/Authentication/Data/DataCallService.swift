import OstiaryProtocol

/// GetData: the device of an account asks the Data Service behind its virtual server (protocol §10). No session is needed, and none looked at. Here is who may
/// ask, and whether the answer may be handed on; between the two the service is asked, and neither a transaction nor a thread waits for it.
package struct DataCallService: Sendable {
    private let store: any AuthenticationStore
    private let limits: ServiceCallLimits

    package init(
        store: any AuthenticationStore, limits: ServiceCallLimits = ServiceCallLimits(mostInMinute: ServiceCallLimits.mostDataInMinute)
    ) {
        self.store = store
        self.limits = limits
    }

    /// Spends the request, and asks once. Of tries of one call one is under way at a time: who tries again meanwhile is told to come again. The place that the
    /// call has taken is given back whatever `ask` does.
    /// - Parameter ask: calls the service; may take as long as the service may.
    /// - Throws: `Refusal`.
    package func answer(_ request: PhoneRequest, ask: @Sendable (DataServiceCall) async -> ServiceAnswer) async throws -> Reply {
        let message = try decoded(GetData.self, from: request)
        let call = try await admit(message, request)
        try limits.begin(call.account, at: request.server, named: call.id, now: request.now)
        defer { limits.end(call.account, at: request.server, named: call.id) }
        let answer = await ask(call)
        // An account that was blocked or removed while the service was thinking gets nothing, also no word of how that went.
        try await store.read { rows in try rows.living(call.account, at: request.server).checkUsable() }
        switch answer {
        case .trouble(let trouble): throw Refusal.service(trouble)
        case .bytes(let bytes):
            guard let data = ServiceData(data: bytes) else { throw Refusal.service(.answer) }
            return Reply(data)
        }
    }

    private func admit(_ message: Encoded<GetData>, _ request: PhoneRequest) async throws -> DataServiceCall {
        let (id, freshness) = (message.value.accountID, request.opened.freshness)
        try await request.verifyAhead(message, freshness: freshness, in: store) { rows in try rows.account(id)?.deviceKey }
        return try await store.write { rows, former in
            let account = try rows.living(id, at: request.server)
            try request.verify(message, by: account.deviceKey, freshness: freshness)
            try account.checkUsable()
            guard let service = try rows.service(.data, of: request.server) else { throw Refusal.notOffered }
            try request.spend(in: rows, again: former != nil)
            return DataServiceCall(service, message.value, account)
        }
    }
}
