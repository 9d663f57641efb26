extension SQLError {
    /// A fault in our words. What may quote a value of the data is left out.
    /// - Parameters:
    ///   - reads: whether the transaction may not write.
    ///   - place: which database it is, for an operator.
    init(_ fault: PostgreSQLFault, reads: Bool, place: String) {
        switch (fault.state, String(fault.state.prefix(2))) {
        case ("23505", _): self = .uniqueViolation(fault.constraint ?? "unnamed")
        case ("23503", _): self = .foreignKeyViolation
        case ("23502", _): self = .checkViolation("\(fault.table ?? "").\(fault.column ?? "")")
        case (_, "23"): self = .checkViolation(fault.constraint ?? fault.state)
        // A number that is too large, a text that is no number.
        case ("42804", _), (_, "22"): self = .checkViolation("\(fault.state) \(fault.column ?? "")".trimmingSpaces)
        case ("25006", _): self = reads ? .readOnly : .unavailable
        // Waited too long for a lock, or worked too long.
        case ("55P03", _), ("57014", _): self = .busy
        case ("53200", _): self = .noMemory(path: place, reason: fault.message)
        case ("42501", _): self = .notAllowed(path: place, reason: fault.message)
        // Of our own statements none names a table that its schema does not have.
        case ("42P01", _): self = .tableMissing(path: place)
        // Nor does one have a conflict with a key that its schema does not have.
        case ("42P10", _): self = .indexMissing(path: place)
        case (_, "40"): self = .busy
        case ("53100", _): self = .diskFull(path: place)
        case (_, "58"): self = .diskFails(path: place, reason: fault.message)
        case ("XX001", _), ("XX002", _): self = .damaged(path: place, reason: fault.message)
        case (_, "08"), ("57P01", _), ("57P02", _), ("57P03", _), ("57P05", _), ("53300", _): self = .unavailable
        default: self = .fault(code: Int(fault.state, radix: 36) ?? 0, message: "\(fault.state) \(fault.message)")
        }
    }
}

extension String {
    fileprivate var trimmingSpaces: String { String(reversed().drop { $0 == " " }.reversed()) }
}
