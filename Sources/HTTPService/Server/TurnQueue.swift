import NIOCore
import Synchronization

/// What one thread answers between two looks at its sockets (docs/decisions/0057): no more than 512 KiB, whoever it is for. Who asks for more waits here for
/// the next turn of its connection (``EarlyTurn``), in the order in which they came.
///
/// NIO's thread looks what is ready, serves one event of each such socket, then does the tasks that are due until none is, and looks again. So of connections
/// that ask at once each is served before the next look, and with it a new connection; and what an event or a task gives to `execute`, or schedules for now, is
/// done before that look, too:
///
/// * A task that an event gave to `execute` runs when all that a look has found is done. There counting begins anew. It is asked for once in 64 KiB, so that an
///   answer costs an addition; what was given before a look takes no more than that from what may be given behind it.
/// * What shall come behind a look has to lie ahead when the thread asks what is due. Turns do: connections that ask on and on would have the thread to
///   themselves otherwise. (Where others' tasks, taken up together with turns, last longer than that, the next turns come before a look.)
final class TurnQueue {
    /// Long enough to lie ahead when the thread asks what is due, short beside what turns take.
    static let pause = TimeAmount.milliseconds(1)

    /// Bytes of answers between two looks.
    static let most = 524_288
    /// Of these, what turns are given: at least one, and none that begins behind so much. The rest is for what comes meanwhile.
    static let mostOfTurns = 393_216
    /// What one piece is given at once while others wait: somebody's few questions. Who asks for more stands behind those that wait.
    static let few = 8192
    /// Behind so much the end of the round is asked for.
    private static let noted = 65_536

    private let eventLoop: any EventLoop
    private var waiting: CircularBuffer<() -> Void> = []
    /// Bytes of answers since the last round, or in this one.
    private var given = 0
    /// A task is on its way, in which counting begins anew.
    private var isScheduled = false

    init(_ eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    /// To be called on its thread, as `turn` will be.
    func add(_ turn: @escaping () -> Void) {
        waiting.append(turn)
        schedule()
    }

    /// Whether of a piece that was just read one more may be answered, before those that wait.
    /// - Parameter answered: bytes of answers to the same piece.
    func hasRoom(behind answered: Int) -> Bool {
        waiting.isEmpty ? given < Self.most : given < Self.most - Self.mostOfTurns && answered < Self.few
    }

    /// Somebody was answered, by a piece or a turn.
    func give(_ bytes: Int) {
        given += bytes
        guard given >= Self.noted, !isScheduled else { return }
        isScheduled = true
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        eventLoop.execute { bound.value.endRound() }
    }

    private func schedule() {
        guard !isScheduled, !waiting.isEmpty else { return }
        isScheduled = true
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        eventLoop.scheduleTask(in: Self.pause) { bound.value.goOn() }
    }

    /// One turn of each, as far as there is room: who has more to ask behind its own comes after the next look, behind the others.
    private func goOn() {
        given = 0
        for _ in 0..<waiting.count {
            guard given < Self.mostOfTurns, let turn = waiting.popFirst() else { break }
            turn()
        }
        endRound()
    }

    /// The thread looks next.
    private func endRound() {
        (given, isScheduled) = (0, false)
        schedule()
    }
}

/// Those of all threads that have connections of a listener.
final class TurnQueues: Sendable {
    private let queues = Mutex<[ObjectIdentifier: NIOLoopBound<TurnQueue>]>([:])

    /// To be called on the thread.
    func queue(of eventLoop: any EventLoop) -> TurnQueue {
        queues.withLock { queues in
            let name = ObjectIdentifier(eventLoop)
            if let known = queues[name] { return known }
            let made = NIOLoopBound(TurnQueue(eventLoop), eventLoop: eventLoop)
            queues[name] = made
            return made
        }.value
    }
}
