/// Work that is one node's at a time: turns are taken one after the other, and what the holder of an older one still writes is not kept.
package struct FencedTurn: SequentialModel {
    package enum Action: Hashable, Sendable {
        case take(turn: Int)
        case write(turn: Int)
    }
    package enum Answer: Hashable, Sendable { case kept, refused }

    package init() {}

    /// The newest turn.
    package var initial: Int { 0 }

    package func states(after action: Action, answered answer: Answer?, from newest: Int) -> [Int] {
        switch (action, answer) {
        case (.take(let turn), .kept): turn > newest ? [turn] : []
        case (.take(let turn), .refused): turn > newest ? [] : [newest]
        case (.take(let turn), nil): [max(turn, newest)]
        case (.write(let turn), .kept): turn == newest ? [newest] : []
        case (.write(let turn), .refused): turn == newest ? [] : [newest]
        case (.write, nil): [newest]
        }
    }

    package func isRead(_ action: Action) -> Bool { if case .write = action { true } else { false } }

    package func isDispensable(_ action: Action, _ answer: Answer?) -> Bool { isRead(action) }
}
