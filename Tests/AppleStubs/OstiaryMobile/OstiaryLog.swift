/// Stands for the log, whose entries are about everything else in the SDK.
public protocol OstiaryLog: Sendable {}
