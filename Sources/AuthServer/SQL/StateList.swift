/// States as a condition in SQL names them, `1, 2, 6`: the numbers are those of the column, and stand nowhere else.
func stateList<State: RawRepresentable>(_ states: State...) -> String where State.RawValue == UInt8 {
    states.map { String($0.rawValue) }.joined(separator: ", ")
}
