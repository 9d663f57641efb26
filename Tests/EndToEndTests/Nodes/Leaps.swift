import OstiaryTesting

/// When the clock of which node was wrong.
///
/// To such a node sessions are over whose time has run out by its clock. It says so and is asked again when its clock is right; what it wrote down meanwhile is over for
/// everybody. So what it only said is no word for good (docs/operations.md, Clocks). Nothing else is forgiven: not that it finds somebody logged in who was logged out,
/// and not that another node is wrong about anything.
struct Leaps {
    private var spans: [(node: String, from: Duration, until: Duration)] = []

    mutating func note(_ node: String, from began: Duration, until ended: Duration) { spans.append((node, began, ended)) }

    /// The calls without what a node said from a wrong clock only.
    func sound(_ calls: [AliveUntilStopped.Call]) -> [AliveUntilStopped.Call] { calls.filter { !isFromWrongClock($0) } }

    private func isFromWrongClock(_ call: AliveUntilStopped.Call) -> Bool {
        guard call.action == .read, call.answer == .over, let returned = call.returned else { return false }
        return spans.contains { call.caller.hasSuffix(" at \($0.node)") && call.invoked <= $0.until && returned >= $0.from }
    }
}
