import ArgumentParser

/// How a command of the phone ends, as the exit code says it (docs/phone.md).
enum PhoneExit: Int32, CaseIterable, Error, Sendable {
    case done = 0
    /// Something that none of the others names.
    case other = 1
    /// The person cancelled, said no, or said "that was not me".
    case cancelledOrDenied = 2
    case secondFactorFailed = 3
    case blockedOrPenalised = 4
    /// The code expired, was used, or another phone took it.
    case codeOver = 5
    /// OstiaryError 70.
    case serverUnreachable = 6
    /// The server is not the one that was pinned.
    case serverIdentity = 7
    /// Wrong options, or input that is no code of ours.
    case usage = 64

    /// What the argument parser ends the process with.
    var code: ExitCode { ExitCode(rawValue) }
}
