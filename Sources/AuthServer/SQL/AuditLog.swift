import Authentication
import HTTPService
import Logging
import OstiaryProtocol

/// One line for each entry of the audit trail, with the request that caused it.
struct AuditLog: Sendable {
    let logger: Logger

    func write(_ entries: [AuditEntry]) {
        for entry in entries {
            var facts: [LogKey: String] = [.server: entry.server.text]
            facts[.account] = entry.account?.text
            facts[.factors] = entry.methods.map(\.words)
            // An alarm: somebody has to look.
            logger.line(entry.kind == .offlineCodesPaused ? .warning : .info, entry.kind.rawValue, facts)
        }
    }
}
