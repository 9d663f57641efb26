/// The app's own state, as far as the SDK has something to do about it.
extension Engine {
    func watch(_ isWatching: Bool) {
        guard wantsToWatch != isWatching else { return }
        wantsToWatch = isWatching
        for session in live { keepAlive(session.shown.id, atOnce: true) }
    }

    /// Lets go of the question that is kept open; pings go on for as long as the system lets the process run.
    func enterBackground() {
        guard !isInBackground else { return }
        isInBackground = true
        if wantsToWatch { for session in live { keepAlive(session.shown.id) } }
    }

    func enterForeground() {
        isInBackground = false
        resume()
    }
}
