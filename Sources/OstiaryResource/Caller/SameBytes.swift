extension String {
    /// Byte for byte. `==` takes different spellings of a letter for the same: the Kelvin sign is K to it.
    func hasBytes(of other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
