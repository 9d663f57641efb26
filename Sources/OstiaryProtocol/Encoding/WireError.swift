/// Why bytes are not what they claim to be. A decoder throws this and yields no partial value.
package enum WireError: Error, Equatable, Sendable {
    /// The bytes end before the value does.
    case truncated
    /// Bytes follow after the end of the value.
    case trailingBytes
    /// A length is above the cap, or not one of the lengths that the field allows.
    case badLength
    /// A version other than 1.
    case badVersion
    /// A message of another type than the one expected.
    case badType
    /// A suite that this program does not speak.
    case badSuite
    /// An enumeration value that does not exist, or one that does not go with another.
    case badValue
    /// Text that is not valid UTF-8 or holds control or direction characters (protocol §2).
    case badText
    /// Extensions out of order, twice, or critical and unknown.
    case badExtension
}
