/// Why a session is over, as far as a website can tell it: from what `getSession` said last, says now, and the time.
enum SessionEnd: String, Sendable, Equatable {
    /// The phone did not answer in time.
    case phoneGone
    /// A newer login with the same browser took its place.
    case replaced
    /// On the phone, or by whoever runs the server.
    case elsewhere

    /// - Parameters:
    ///   - last: what was said when somebody was logged in.
    ///   - now: what is said now, at `time` in Unix seconds.
    /// - Returns: nil when nothing has ended.
    static func found(last: DemoBackend.Status, now: DemoBackend.Status, at time: UInt64) -> SessionEnd? {
        guard last.loggedin else { return nil }
        if now.loggedin { return now.logintime == last.logintime ? nil : .replaced }
        if now.state != nil { return .replaced }
        if let end = last.expiresat, time >= end { return .phoneGone }
        return .elsewhere
    }

    /// For the person at the website.
    var sentence: String {
        switch self {
        case .phoneGone: "You are out, because your phone has not answered for five minutes: it is off, away or without a network."
        case .replaced: "You are out here, because a newer login took the place of this one."
        case .elsewhere: "You are out, because the session was ended on your phone, or by whoever runs the server."
        }
    }
}
