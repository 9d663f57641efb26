import Authentication
import Database
import OstiaryProtocol
import OstiaryTesting
import Synchronization

@testable import AuthServer

/// What eight readers are told of logins in memory while a writer changes every row that a view is made of, step by step in an order that a seed
/// draws: a reader may stand still between its look and its read, or between that and keeping it, while transactions come and go; and readers go on
/// inside of transactions, between their writes, and between a commit and the word of it. Some transactions are taken back by their body, and of some the
/// system refuses to write the commit.
///
/// Each answer has to be what the rows said at some moment between its question and it, by the clock of the answer. That is more than that nobody
/// hears of a login after its end was told: nor does anybody hear of it after somebody else has read that it ended.
final class ViewHistory: Sendable {
    /// What might be wrong with a memory like this.
    enum Fault: CaseIterable {
        case dropsAfterItWasTold, dropsAfterTheCommit, keepsOutTooShort, fillsWithoutGeneration, ignoresTime
        case hearsOfNoAccount, hearsOfNoNonce, hearsOfNoSession
        /// Is filled by whoever writes, and not emptied where the commit fails.
        case keepsWhatFailed
    }

    /// What was seen of it all.
    struct Found: Sendable {
        /// Answers that were never true.
        var lies: [String] = []
        /// How many came out of memory.
        var known = 0
        /// How many commits failed.
        var failed = 0
    }

    /// What becomes of a transaction.
    private enum Ending {
        case kept, takenBack, refused

        static func random(using random: inout SplitMix) -> Ending {
            switch Int.random(in: 0..<12, using: &random) {
            case 0, 1: .takenBack
            case 2, 3: .refused
            default: .kept
            }
        }
    }

    private struct Reader {
        enum Stage {
            case idle
            case looked(UInt64)
            case read(UInt64, SessionView?)
        }

        var stage = Stage.idle
        var nonce = 0
        /// The newest state of the rows when it began.
        var since = 0
    }

    private struct State {
        var random: SplitMix
        var now = Sample.now
        var readers = [Reader](repeating: Reader(), count: 8)
        /// The views of all nonces after each commit.
        var history: [[SessionView?]] = []
        var keptAt: [Int: Instant] = [:]
        var found = Found()
    }

    private let database: any Database
    private let fault: Fault?
    private let views = SessionViews()
    private let state: Mutex<State>
    private let key = KeyEncryptionKey.random()

    init(on database: any Database, seed: UInt64, fault: Fault?) {
        self.database = database
        self.fault = fault
        state = Mutex(State(random: SplitMix(seed: seed)))
    }

    /// Lets it all happen.
    func run(writes: Int) async throws -> Found {
        noteRows()
        // First of all, so that it knows what can be read before the memory hears of it; and last, for steps behind that.
        let (before, after) = (WatchingSteps(self, notes: true), WatchingSteps(self, notes: false))
        let faulty = FaultyWatcher(views, fault)
        _ = try await database.watch(SessionViews.watched, by: before)
        _ = try await database.watch(SessionViews.watched.filter { $0.table != fault?.unheard }, by: faulty)
        _ = try await database.watch(SessionViews.watched, by: after)
        let log = try RefusingFile(database.place + "-wal")
        for _ in 0..<writes {
            try await write(log, faulty)
            steps()
            faulty.tell()
            steps()
        }
        // Nobody else keeps them.
        withExtendedLifetime((before, after)) {}
        return state.withLock(\.found)
    }

    private func write(_ log: RefusingFile, _ faulty: FaultyWatcher) async throws {
        let (changes, ending) = state.withLock { state in
            if state.random.chance(2) { state.now = state.now + UInt64.random(in: 0..<30, using: &state.random) }
            let count = Int.random(in: 1...3, using: &state.random)
            return ((0..<count).map { _ in ViewChange.random(at: state.now, using: &state.random) }, Ending.random(using: &state.random))
        }
        let (key, salt) = (key, WrapSalt())
        faulty.note([])
        if ending == .refused { try log.refuse() }
        do {
            try await database.transaction { connection in
                for change in changes {
                    self.steps()
                    try change.make(in: SQLRows(connection, key: key, salt: salt))
                }
                self.steps()
                if ending == .takenBack { throw TakenBack() }
                let rows = SQLRows(connection, key: key, salt: salt)
                faulty.note(try (0..<ViewChange.nonces).map { try rows.view(nonceHash: ViewChange.hash(of: $0), of: Sample.server) })
            }
        } catch is TakenBack {
        } catch is SQLError where ending == .refused {
            state.withLock { $0.found.failed += 1 }
        }
        if ending == .refused { try log.allow() }
    }

    private struct TakenBack: Error {}

    /// What can be read from now on.
    fileprivate func noteRows() {
        let all = (0..<ViewChange.nonces).map(read)
        state.withLock { $0.history.append(all) }
    }

    private func read(_ nonce: Int) -> SessionView? {
        SQLRows.viewAtOnce(nonceHash: ViewChange.hash(of: nonce), of: Sample.server, in: database)
    }

    /// Some steps of some readers.
    fileprivate func steps() {
        state.withLock { state in
            for _ in 0..<Int.random(in: 0...5, using: &state.random) {
                let index = Int.random(in: state.readers.indices, using: &state.random)
                var reader = state.readers[index]
                step(&reader, &state)
                state.readers[index] = reader
            }
        }
    }

    private func step(_ reader: inout Reader, _ state: inout State) {
        let hash = ViewChange.hash(of: reader.nonce)
        switch reader.stage {
        case .idle:
            reader.nonce = Int.random(in: 0..<ViewChange.nonces, using: &state.random)
            reader.since = state.history.count - 1
            switch views.look(nonceHash: ViewChange.hash(of: reader.nonce), of: Sample.server) {
            case .known(let view):
                state.found.known += 1
                let time = fault == .ignoresTime ? state.keptAt[reader.nonce] ?? state.now : state.now
                judge(view, at: time, reader, &state)
            case .unknown(let generation): reader.stage = .looked(generation)
            }
        case .looked(let generation): reader.stage = .read(generation, read(reader.nonce))
        case .read(var generation, let view):
            if fault == .fillsWithoutGeneration, case .unknown(let now) = views.look(nonceHash: hash, of: Sample.server) { generation = now }
            let seen = view.map { views.keep($0, nonceHash: hash, of: Sample.server, since: generation) }
            if seen != nil { state.keptAt[reader.nonce] = state.now }
            judge(seen, at: state.now, reader, &state)
            reader.stage = .idle
        }
    }

    private func judge(_ view: SeenView?, at time: Instant, _ reader: Reader, _ state: inout State) {
        let told = OneView(view: view).told(at: time)
        let now = state.now
        let found = state.history[reader.since...].map { TrueStatus(of: $0[reader.nonce], at: now) }
        if !found.contains(told) { state.found.lies.append("of nonce \(reader.nonce): \(told), and not \(found)") }
    }
}

/// Has readers go on where the database tells of changes.
private final class WatchingSteps: RowWatcher {
    private let history: ViewHistory
    private let notes: Bool

    init(_ history: ViewHistory, notes: Bool) {
        self.history = history
        self.notes = notes
    }

    func rowChanges(_ name: [UInt8], in table: String) { history.steps() }

    func changesEnded() {
        if notes { history.noteRows() }
        history.steps()
    }

    func watchEnded() {}
}
