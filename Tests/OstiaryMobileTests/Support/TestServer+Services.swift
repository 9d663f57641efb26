import OstiaryProtocol

/// The services behind the server.
extension TestServer {
    func serviceToken(_ opened: OpenedRequest) async throws -> (Status, [UInt8]) {
        let message = try Encoded<GetToken>(decoding: opened.message)
        guard let session = sessions[message.value.sessionID], session.outcome != nil, let account = session.claimedBy
        else { return (.sessionUnknown, []) }
        try message.verify(by: try key(self.account(account).deviceKey), freshness: opened.freshness)
        guard session.stop == nil else { return (.sessionOver, []) }
        // The rules of the real one; that a stop meanwhile has no token is shown there.
        await beforeToken?()
        guard let serviceToken else { return (.notOffered, []) }
        tokenCalls.append(message.value.callID)
        guard let token = ServiceToken(token: serviceToken) else { return (.serviceAnswer, []) }
        return (.ok, token.encoded)
    }

    func serviceData(_ opened: OpenedRequest) async throws -> (Status, [UInt8]) {
        let message = try Encoded<GetData>(decoding: opened.message)
        try message.verify(by: try key(account(message.value.accountID).deviceKey), freshness: opened.freshness)
        guard let dataService else { return (.notOffered, []) }
        dataCalls.append(message.value)
        guard let data = ServiceData(data: await dataService(message.value.payload)) else { return (.serviceAnswer, []) }
        return (.ok, data.encoded)
    }
}
