import OstiaryMobile
import OstiaryProtocol
import Synchronization

/// The clock of a test, of servers and of phones. It stands until the test moves it, and who waits for longer than between two tries waits for that.
package final class TestClock: DeviceClock {
    /// What a pause between two tries comes to.
    package enum Pauses: Sendable {
        /// It is over at once and has moved the clock, which one phone has alone.
        case move
        /// It is over in a moment, and the clock stands: servers and other phones have it too.
        case pass

        /// The most seconds that are a pause.
        fileprivate var longest: Double { self == .move ? 60 : 15 }
    }

    private struct Sleeper {
        let until: Double
        let wake: CheckedContinuation<Void, Never>
    }

    private struct State {
        var wall: Double
        var monotonic: Double
        var sleepers: [Int: Sleeper] = [:]
        var next = 0
        var waits: [Double] = []

        /// - Returns: whose wait is over.
        mutating func pass(_ seconds: Double) -> [Sleeper] {
            wall += seconds
            monotonic += seconds
            let names = sleepers.filter { $0.value.until <= monotonic }.map(\.key)
            return names.compactMap { sleepers.removeValue(forKey: $0) }
        }
    }

    private let pauses: Pauses
    /// What goes on by itself; then the rest is how far the test has moved it.
    private let system: SystemClock?
    private let state: Mutex<State>

    /// - Parameter uptime: what the clock shows that nobody sets, in seconds.
    package init(_ start: Instant = Instant(1_800_000_000), uptime: UInt64 = 5_000, pauses: Pauses = .move) {
        self.pauses = pauses
        system = nil
        state = Mutex(State(wall: Double(start.seconds), monotonic: Double(uptime)))
    }

    /// One for servers and phones together.
    package static func shared(at start: Instant) -> TestClock { TestClock(start, uptime: start.seconds, pauses: .pass) }

    /// That of the system, over real processes: only a pause between two tries is over in a moment.
    package static func hurried() -> TestClock { TestClock(over: SystemClock()) }

    private init(over system: SystemClock) {
        pauses = .pass
        self.system = system
        state = Mutex(State(wall: 0, monotonic: 0))
    }

    /// A clock that shows what another shows now, and on which nobody waits.
    package init(copying other: TestClock) {
        let (wall, monotonic) = other.state.withLock { ($0.wall, $0.monotonic) }
        pauses = other.pauses
        system = other.system
        state = Mutex(State(wall: wall, monotonic: monotonic))
    }

    package var now: Instant { Instant(wall) }
    package var wall: UInt64 { Self.shown(state.withLock { $0.wall }, over: system?.wall) }
    package var monotonic: UInt64 { Self.shown(state.withLock { $0.monotonic }, over: system?.monotonic) }
    /// Every wait that was asked for, in seconds.
    package var waits: [Double] { state.withLock { $0.waits } }
    /// How many tasks wait for the test to move the clock.
    package var sleeping: Int { state.withLock { $0.sleepers.count } }

    /// Never before its beginning, however far it was set back.
    private static func shown(_ moved: Double, over system: UInt64?) -> UInt64 { UInt64(max(0, Double(system ?? 0) + moved)) }

    /// Time passes.
    package func advance(_ seconds: UInt64) {
        for sleeper in state.withLock({ $0.pass(Double(seconds)) }) { sleeper.wake.resume() }
    }

    /// Somebody sets the wall clock back.
    package func setBack(_ seconds: UInt64) { state.withLock { $0.wall -= Double(seconds) } }
    /// Somebody sets the wall clock, forth or back.
    package func setWall(by seconds: Int64) { state.withLock { $0.wall += Double(seconds) } }
    /// Time passes, or somebody sets the wall clock back.
    package func jump(_ seconds: Int64) { seconds < 0 ? setBack(seconds.magnitude) : advance(seconds.magnitude) }
    /// The device was restarted: its monotonic clock begins again.
    package func restartDevice(uptime: UInt64) { state.withLock { $0.monotonic = Double(uptime) } }
}

extension TestClock {
    package func sleep(seconds: Double) async {
        let name = state.withLock { state in
            state.waits.append(seconds)
            state.next += 1
            return state.next
        }
        if seconds <= pauses.longest {
            await pause(seconds)
        } else if let system {
            await system.sleep(seconds: seconds)
        } else {
            await waitToBeMoved(seconds, as: name)
        }
    }

    private func pause(_ seconds: Double) async {
        switch pauses {
        case .move:
            state.withLock { state in
                state.wall += seconds
                state.monotonic += seconds
            }
            await Task.yield()
        case .pass: try? await Task.sleep(for: .milliseconds(5))
        }
    }

    private func waitToBeMoved(_ seconds: Double, as name: Int) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { wake in
                let isOver = state.withLock { state in
                    guard !Task.isCancelled else { return true }
                    state.sleepers[name] = Sleeper(until: state.monotonic + seconds, wake: wake)
                    return false
                }
                if isOver { wake.resume() }
            }
        } onCancel: {
            state.withLock { $0.sleepers.removeValue(forKey: name) }?.wake.resume()
        }
    }
}
