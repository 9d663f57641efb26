import Authentication
import Database
import Synchronization

@testable import AuthServer

/// Tells views what it hears, or too late, or too much; or puts in what it should not.
final class FaultyWatcher: RowWatcher {
    private let views: SessionViews
    private let fault: ViewHistory.Fault?
    private let waiting = Mutex<[(name: [UInt8], table: String)]>([])
    /// What the transaction at work has written, by nonces.
    private let written = Mutex<[SessionView?]>([])

    init(_ views: SessionViews, _ fault: ViewHistory.Fault?) {
        self.views = views
        self.fault = fault
    }

    func rowChanges(_ name: [UInt8], in table: String) {
        switch fault {
        case .dropsAfterItWasTold, .dropsAfterTheCommit: waiting.withLock { $0.append((name, table)) }
        default:
            views.rowChanges(name, in: table)
            if fault == .keepsOutTooShort { views.changesEnded() }
        }
    }

    func changesEnded() {
        if fault == .dropsAfterItWasTold { return }
        if fault == .dropsAfterTheCommit { return tell() }
        if fault != .keepsOutTooShort { views.changesEnded() }
        if fault == .keepsWhatFailed { keepWritten() }
    }

    func watchEnded() { views.watchEnded() }

    /// What it kept to itself.
    func tell() {
        let changes = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        guard !changes.isEmpty else { return }
        for (name, table) in changes { views.rowChanges(name, in: table) }
        views.changesEnded()
    }

    /// What is to be kept at the end of the transaction, whatever becomes of it there.
    func note(_ found: [SessionView?]) { written.withLock { $0 = found } }

    private func keepWritten() {
        for (nonce, view) in written.withLock(\.self).enumerated() {
            let hash = ViewChange.hash(of: nonce)
            guard let view, case .unknown(let generation) = views.look(nonceHash: hash, of: Sample.server) else { continue }
            views.keep(view, nonceHash: hash, of: Sample.server, since: generation)
        }
    }
}

extension ViewHistory.Fault {
    /// The table of which nothing is heard.
    var unheard: String? {
        switch self {
        case .hearsOfNoAccount: "account"
        case .hearsOfNoNonce: "nonce"
        case .hearsOfNoSession: "session"
        default: nil
        }
    }
}
