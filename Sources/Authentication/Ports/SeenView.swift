import OstiaryProtocol
import Synchronization

/// A view that was looked up at once. A store that keeps it gives the same one as long as its rows are as they were. So what was said of a login can lie here in
/// place of the rows, which take more room and more time: nothing but time changes it.
package final class SeenView: Sendable {
    /// What is known of it.
    package enum Content: Sendable {
        /// In a place of its own: rows are long, and a text that takes their place shall neither keep their room nor be moved with it.
        indirect case rows(SessionView)
        /// What is said of a login as long as the deadline has not passed.
        case text([UInt8], until: Instant)
    }

    /// Bytes that a text may take here: whoever keeps the view has counted no more.
    let room: Int
    private let content: Mutex<Content>

    /// - Parameter room: bytes that a text may take in place of the rows; none where nobody keeps the view.
    package init(_ view: SessionView, room: Int = 0) {
        self.room = room
        content = Mutex(.rows(view))
    }

    /// For one at a time.
    package func withContent<Value>(_ body: (inout Content) -> Value) -> Value {
        content.withLock { content in body(&content) }
    }
}
