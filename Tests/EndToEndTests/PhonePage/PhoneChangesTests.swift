import Testing

@testable import OstiaryPhone

@Suite("Waiting for a change on the phone page", .timeLimit(.minutes(10)))
struct PhoneChangesTests {
    @Test("Whoever knows an older version, or one that never was, waits for nothing")
    func known() async {
        let changes = PhoneChanges()
        let version = changes.version
        changes.note()
        await changes.wait(since: version)
        await changes.wait(since: version + 1_000)
        #expect(changes.version > version)
    }

    @Test("A change wakes all who wait")
    func wakes() async {
        let changes = PhoneChanges()
        let version = changes.version
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<5 { group.addTask { await changes.wait(since: version) } }
            group.addTask { changes.note() }
            await group.waitForAll()
        }
        #expect(changes.version == version + 1)
    }

    @Test("Who is cancelled waits no more")
    func cancelled() async {
        let changes = PhoneChanges()
        let waiting = Task { await changes.wait(since: changes.version) }
        waiting.cancel()
        await waiting.value
    }
}
