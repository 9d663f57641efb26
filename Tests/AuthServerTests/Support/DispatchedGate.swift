import Foundation

/// Holds threads of a test until it is opened.
final class DispatchedGate: Sendable {
    private let condition = NSCondition()
    nonisolated(unsafe) private var isOpen = false

    func wait() {
        condition.lock()
        while !isOpen { condition.wait() }
        condition.unlock()
    }

    func open() {
        condition.lock()
        isOpen = true
        condition.broadcast()
        condition.unlock()
    }
}
