/// What a server says of a request (protocol §2).
package enum Status: UInt16, Error, CaseIterable, Sendable {
    /// Done; for an M1: evaluated.
    case ok = 0
    case clock = 1
    case replayed = 2
    case refused = 3
    case sessionUnknown = 4
    case sessionTaken = 5
    case sessionOver = 6
    /// The code is of another moment: too old, or not good yet; the phone is not told which.
    case linkOld = 7
    case accountUnknown = 8
    case accountBlocked = 9
    case accountPending = 10
    case accountDeleted = 11
    case enrolUsed = 12
    case secondFactorNeeded = 13
    case penalised = 14
    case blocked = 15
    case pinRequired = 16
    case wrongEpoch = 17
    case busy = 18
    case secondFactorUnavailable = 19
    case secondFactorUnknown = 20
    case tooMany = 21
    /// Second-factor server to authentication server only: the sequence number is behind.
    case sequence = 22
    /// Second-factor server to authentication server only: the instance is closed.
    case closed = 23
    /// What is asked is another meanwhile: send L1 again.
    case changed = 24
    /// The number that the client shows was not typed, or another one. The third ends the login.
    case numberWrong = 25
    /// This virtual server does not have what is asked for: no operator has set it up.
    case notOffered = 26
    /// The service behind the server did not answer in time, or cannot answer now.
    case serviceUnavailable = 27
    /// The service behind the server says no.
    case serviceRefused = 28
    /// The service behind the server answered what is none: too long, empty, another address.
    case serviceAnswer = 29
    /// The account has no second factor, and can do nothing but ask for data.
    case headless = 30
}
