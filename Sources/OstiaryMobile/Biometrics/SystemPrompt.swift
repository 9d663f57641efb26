#if canImport(LocalAuthentication)
import LocalAuthentication
import Synchronization

/// The context of one input. Its prompt comes up at the first use; later uses of the same context ask nobody.
final class SystemPrompt: Sendable {
    private let context: Mutex<LAContext>

    init(reason: String, cancelTitle: String?) {
        let context = LAContext()
        context.localizedReason = reason
        context.localizedCancelTitle = cancelTitle
        // No "enter password": the PIN pad is the app's.
        context.localizedFallbackTitle = ""
        self.context = Mutex(context)
    }

    /// Away from the caller's actor, because the prompt keeps its thread until it is closed.
    @concurrent
    func use<Value: Sendable, Failure: Error>(
        _ body: @Sendable (LAContext) throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try context.withLock { (context) throws(Failure) in try body(context) }
    }
}
#endif
