/// The calls of an app, each carried out when those before it were.
extension Engine {
    /// Reads the store and clears up after a crash.
    func open() {
        looksForWaiting = { await $0.lookForWaitingLogins() }
        do throws(OstiaryError) { try reread() } catch { emit(.error(error, session: nil)) }
        sweep()
    }

    func carryOut(_ command: Command) async {
        ports.log?.note(LogEntry(command))
        endAppLoginIfDue()
        do throws(OstiaryError) {
            switch command {
            case .start(let source): try begin(source)
            case .startUserInteraction(let id): try goOn(id)
            case .setAccount(let account, let session, let answer): try confirm(account, session, answer)
            case .secondFactor(let input): try take(input)
            case .cancelSecondFactor: try cancelSecondFactor()
            case .deny(let id, let notMe): try deny(id, notMe: notMe)
            case .stop(let id): try stop(id)
            case .stopAppLogin: try stopAppLogin()
            case .deleteAccount(let id): try delete(id)
            case .resume: resume()
            case .fetchWaitingLogins: fetchWaitingLogins()
            case .watch(let isWatching): watch(isWatching)
            case .enterBackground: enterBackground()
            case .enterForeground: enterForeground()
            case .token(let id): try fetchToken(id)
            case .oneTimeCode(let id, let account): await endByCode(id, of: account)
            case .clearHistory: try clearHistory()
            case .reset: try await reset()
            case .manage(let operation, let account): try begin(operation, for: account)
            }
        } catch {
            emit(.error(error, session: command.session.flatMap { session($0)?.shown }))
        }
    }
}
