/// A fault that has ended a start or a command, in the words for whoever began it.
package struct ToldFault: Error, CustomStringConvertible {
    /// One line.
    package let description: String

    /// Nil for what advises nobody.
    package init?(_ error: any Error, to reader: FaultReader) {
        guard let fault = error as? any OperatorFault, fault.remedy != nil else { return nil }
        description = fault.words(for: reader)
    }

    /// Runs what ends with such a fault.
    package static func telling(_ reader: FaultReader, _ work: () async throws -> Void) async throws {
        do { try await work() } catch { throw ToldFault(error, to: reader) ?? error }
    }
}
