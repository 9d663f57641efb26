/// A value that a test cannot do without.
struct MissingValue: Error {}

func present<Value>(_ value: Value?) throws(MissingValue) -> Value {
    guard let value else { throw MissingValue() }
    return value
}
