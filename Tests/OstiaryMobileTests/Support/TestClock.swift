import OstiaryMobile
import Synchronization

/// A clock that stands still. Short waits (back-off) pass at once and move it; longer ones (pings) end when the test moves it that far.
final class TestClock: DeviceClock {
    private struct Sleeper {
        let until: Double
        let wake: CheckedContinuation<Void, Never>
    }

    private struct State {
        var wall: Double = 1_800_000_000
        var monotonic: Double = 5_000
        var sleepers: [Int: Sleeper] = [:]
        var next = 0
        var waits: [Double] = []
    }

    private static let longestPassing = 60.0
    private let state: Mutex<State>

    init() { state = Mutex(State()) }

    /// A clock that shows what another shows now, and on which nobody waits.
    init(copying other: TestClock) {
        let (wall, monotonic) = other.state.withLock { ($0.wall, $0.monotonic) }
        state = Mutex(State(wall: wall, monotonic: monotonic))
    }

    var wall: UInt64 { state.withLock { UInt64($0.wall) } }
    var monotonic: UInt64 { state.withLock { UInt64($0.monotonic) } }
    /// Every wait that was asked for, in seconds.
    var waits: [Double] { state.withLock { $0.waits } }
    /// How many tasks wait for the test to move the clock.
    var sleeping: Int { state.withLock { $0.sleepers.count } }

    func sleep(seconds: Double) async {
        let name = state.withLock { state in
            state.waits.append(seconds)
            state.next += 1
            return state.next
        }
        guard seconds > Self.longestPassing else {
            state.withLock { state in
                state.wall += seconds
                state.monotonic += seconds
            }
            return await Task.yield()
        }
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

    /// Time passes, for both clocks.
    func advance(_ seconds: Double) {
        let due = state.withLock { state in
            state.wall += seconds
            state.monotonic += seconds
            let names = state.sleepers.filter { $0.value.until <= state.monotonic }.map(\.key)
            return names.compactMap { state.sleepers.removeValue(forKey: $0) }
        }
        for sleeper in due { sleeper.wake.resume() }
    }

    /// Somebody sets the wall clock.
    func setWall(by seconds: Double) { state.withLock { $0.wall += seconds } }

    /// The device was restarted: its monotonic clock begins again.
    func restartDevice(uptime: Double) { state.withLock { $0.monotonic = uptime } }
}
