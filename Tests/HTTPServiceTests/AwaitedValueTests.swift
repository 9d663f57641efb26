import Testing

@testable import HTTPService

@Suite("A value that tasks wait for", .timeLimit(.minutes(10)))
struct AwaitedValueTests {
    @Test("What is enough already is not waited for")
    func enough() async {
        let value = AwaitedValue(3)
        await value.wait { $0 == 3 }
        #expect(value.value == 3)
    }

    @Test("A change wakes those for whom it is enough, and no other")
    func some() async {
        let value = AwaitedValue(0)
        await withTaskGroup(of: Int.self) { group in
            for goal in 1...2 {
                group.addTask {
                    await value.wait { $0 >= goal }
                    return goal
                }
            }
            value.change { $0 = 1 }
            #expect(await group.next() == 1)
            #expect(value.value == 1)
            value.change { $0 = 2 }
            #expect(await group.next() == 2)
        }
    }

    @Test("Who is cancelled waits no more, whatever the value")
    func cancelled() async {
        let value = AwaitedValue(false)
        let waiting = Task { await value.wait { $0 } }
        waiting.cancel()
        await waiting.value
        #expect(!value.value)
    }
}
