import OstiaryMobile
import Synchronization

/// Notes in order, from whatever task.
final class Log: OstiaryLog {
    private let content = Mutex<[String]>([])

    var notes: [String] { content.withLock { $0 } }

    func note(_ text: String) { content.withLock { $0.append(text) } }

    func note(_ entry: LogEntry) { note(entry.description) }
}
