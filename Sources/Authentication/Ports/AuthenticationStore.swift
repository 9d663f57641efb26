/// Where the authentication server keeps what it knows.
///
/// A body is plain code over the rows of one transaction: it loads values, runs a machine of this domain on them and saves what came out.
/// Writing bodies run as if one after the other, so a question that a body asked stays answered until it ends; if a body throws, nothing that it
/// did remains. A body may run twice, and has no effect but through its rows.
package protocol AuthenticationStore: Sendable {
    func read<Value: Sendable>(_ body: @Sendable @escaping (any AuthenticationRows) throws -> Value) async throws -> Value
    @discardableResult
    func write<Value: Sendable>(_ body: @Sendable @escaping (any AuthenticationRows) throws -> Value) async throws -> Value
}

/// Every feature's questions to the store, in one transaction.
package protocol AuthenticationRows: ServerRows, SessionRows, AccountRows, InstanceRows, EnrolmentRows, CloseRows, LeaveRows, ReplayRows, AuditRows,
    ExpiryRows, ClockRows
{}
