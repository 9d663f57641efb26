import Foundation

/// The history, a document of its own: what it holds is for looking at, and nothing depends on it.
struct StoredHistory: Codable, Sendable, Equatable {
    /// How many lines are kept.
    static let most = 200

    var items: [StoredHistoryItem] = []

    /// A damaged history is an empty one.
    init(decoding bytes: [UInt8]?) {
        self = bytes.flatMap { try? JSONDecoder().decode(StoredHistory.self, from: Data($0)) } ?? StoredHistory()
    }

    init() {}

    func encoded() -> [UInt8]? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return (try? encoder.encode(self)).map { Array($0) }
    }

    /// Writes down what became of a session, in place of what was known of it, and lets go of what is too old.
    mutating func note(_ item: StoredHistoryItem, expiry: UInt64) {
        let others = items.filter { $0.id != item.id && !$0.isExpired(expiry, at: item.changedAt) }
        items = Array((others + [item]).suffix(Self.most))
    }

    /// A session counts as logged in only while somebody watches over it: after a crash nobody does.
    func shown(watched: Set<UUID>, expiry: UInt64, at now: UInt64) -> [HistoryItem] {
        items.filter { !$0.isExpired(expiry, at: now) }.map { item in
            HistoryItem(
                id: item.id, status: item.status == .loggedIn && !watched.contains(item.id) ? .loggedOut : item.status, username: item.username,
                serverName: item.serverName, serviceName: item.serviceName, isAppLogin: item.isAppLogin, isEnrolment: item.isEnrolment,
                changedAt: item.changedAt)
        }
    }
}

/// One line of the history.
struct StoredHistoryItem: Codable, Sendable, Equatable {
    let id: UUID
    let status: HistoryItem.Status
    let username: String
    let serverName: String
    let serviceName: String
    let isAppLogin: Bool
    let isEnrolment: Bool
    let changedAt: UInt64

    /// What is from the future was written before the clock was set back: it stays.
    fileprivate func isExpired(_ expiry: UInt64, at now: UInt64) -> Bool { now > changedAt && now - changedAt >= expiry }
}

extension HistoryItem.Status: Codable {}
