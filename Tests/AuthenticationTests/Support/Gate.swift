/// Holds its visitors until so many have come, then lets them all go on; for tests that need things to happen at once.
actor Gate {
    private var come = 0
    private var held: [CheckedContinuation<Void, Never>] = []

    func wait(for count: Int) async {
        come += 1
        guard come < count else {
            for visitor in held { visitor.resume() }
            held = []
            return
        }
        await withCheckedContinuation { held.append($0) }
    }
}

extension Sequence where Element: Sendable {
    func asyncFilter(_ isWanted: (Element) async throws -> Bool) async rethrows -> [Element] {
        var wanted: [Element] = []
        for element in self where try await isWanted(element) { wanted.append(element) }
        return wanted
    }
}
