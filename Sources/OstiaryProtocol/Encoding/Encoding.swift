// Encoding: how values become bytes, and bytes or text become values that are allowed.
//
// `ByteWriter` and `ByteReader` write and read fields; a message is a `WireStruct` with a `MessageHeader` and, at its end, `Extensions`. Text that travels
// is `WireText`, and `PlainLine` where people read it on one line. Bytes as text are `Base64URL` and `Hexadecimal`, and `PercentEscape` in addresses and
// forms; each reader takes one meaning or none.
// Leaves to others: which fields a message has (Messages/), and whatever is signed or sealed (Keys/, Exchange/).
// Start reading at WireStruct.swift, then ByteReader.swift.
