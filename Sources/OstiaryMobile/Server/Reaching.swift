import OstiaryProtocol

/// Trying again while no answer of a server arrives.
extension Engine {
    /// Does something that needs the server, again and again: the app hears `serverConnection` at the first failure, and gets the last one thrown
    /// when the patience is over, which is as long as the configuration says where none is given.
    /// - Parameter isQuiet: whether the app hears of the last failure only.
    func reaching<Value>(
        for id: Session.ID?, patience: Double? = nil, isQuiet: Bool = false, _ body: () async throws(OstiaryError) -> Value
    ) async throws(OstiaryError) -> Value {
        var backoff = Backoff(limit: patience ?? configuration.connectionPatience.inSeconds)
        var isFirst = true
        while true {
            do throws(OstiaryError) {
                let value = try await body()
                if !isFirst { note(connectionError: false, of: id) }
                return value
            } catch {
                guard error.isLostAnswer, let delay = backoff.delay() else { throw error }
                if isFirst, !isQuiet {
                    note(connectionError: true, of: id)
                    emit(.error(.serverConnection, session: id.flatMap { session($0)?.shown }))
                }
                isFirst = false
                await ports.clock.sleep(seconds: delay)
                if Task.isCancelled { throw .cancelled }
            }
        }
    }

    func note(connectionError: Bool, of id: Session.ID?) {
        guard let id, session(id)?.shown.connectionError != connectionError else { return }
        update(id) { $0.connectionError = connectionError }
    }
}
