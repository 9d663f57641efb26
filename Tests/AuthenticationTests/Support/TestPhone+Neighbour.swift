import Authentication
import OstiaryProtocol
import OstiaryTesting

extension TestPhone {
    /// An account at the neighbouring server with the keys of this phone, as if the person had enrolled there too.
    func atNeighbour() async throws -> TestPhone {
        let own = try present(try await world.account(try present(account)))
        let twin = Account(
            id: AccountID(using: world.random), server: world.neighbour.server, userID: own.userID, displayName: own.displayName, device: own.device,
            app: own.app, deviceKey: own.deviceKey, instance: own.instance, createdAt: own.createdAt, otpReference: 99, otpKey: own.otpKey,
            state: .active)
        try await world.store.write { rows in try rows.save(twin) }
        var other = self
        other.account = twin.id
        return other
    }
}

extension DomainFixture {
    /// Why the neighbouring server refuses a message.
    func refusalAtNeighbour(of message: Outgoing) async throws -> Refusal {
        try await refusal { _ = try await self.deliver(message, at: self.neighbour.server) }
    }
}
