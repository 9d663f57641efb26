/// Whether two answers of one body are the same, as far as that can be seen: by `==` where a type has one, else part by part. What hides its parts, and
/// objects, count as the same.
func isSame(_ one: Any, _ other: Any) -> Bool {
    guard type(of: one) == type(of: other) else { return false }
    if let one = one as? any Equatable { return isEqual(one, other) }
    // Two dictionaries of the same content have orders of their own.
    if let one = one as? [AnyHashable: Any], let other = other as? [AnyHashable: Any] {
        return one.count == other.count && one.allSatisfy { key, value in other[key].map { isSame(value, $0) } ?? false }
    }
    let (parts, others) = (Mirror(reflecting: one), Mirror(reflecting: other))
    guard parts.displayStyle != .class else { return true }
    guard parts.children.count == others.children.count else { return false }
    // A case without a value has no parts, but another name.
    if parts.children.isEmpty { return parts.displayStyle != .enum || "\(one)" == "\(other)" }
    return zip(parts.children, others.children).allSatisfy { $0.label == $1.label && isSame($0.value, $1.value) }
}

private func isEqual<Value: Equatable>(_ one: Value, _ other: Any) -> Bool { other as? Value == one }
