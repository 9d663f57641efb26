/// Both servers of today on what an earlier program left. To open it is dear, so looks that leave each other alone share it.
struct HeldWorld: Sendable {
    let held: HeldFixture
    let world: ServersFixture

    /// - Parameter name: of the fixture, whose files are unpacked anew for each call.
    static func open(_ name: String, _ body: @Sendable @escaping (HeldWorld) async throws -> Void) async throws {
        let held = try HeldFixture(name)
        try await held.site().open { world in try await body(HeldWorld(held: held, world: world)) }
    }
}
