import OstiaryProtocol
import Testing

@Suite("Hosts that are this machine")
struct ThisMachineTests {
    @Test(
        "Its numbers are 127.0.0.0/8 and ::1, with brackets or without",
        arguments: ["127.0.0.1", "127.0.0.0", "127.9.8.7", "127.255.255.255", "::1", "[::1]"])
    func numbers(host: String) { #expect(ThisMachine.isNumber(host) && ThisMachine.isHost(host)) }

    @Test("localhost is its name in any case, and no number", arguments: ["localhost", "LOCALHOST", "Localhost"])
    func name(host: String) { #expect(ThisMachine.isHost(host) && !ThisMachine.isNumber(host)) }

    @Test(
        "Nothing else is, however much it looks like it",
        arguments: [
            "", "127", "127.", "127.0.0", "127.1", "127.0.0.1.", "127.0.0.1.example", "127.db.example", "127.0.0.x", "127.0.0.256", "127.0.0.01",
            "0127.0.0.1", "127.0.0.+1", "127.0..1", "128.0.0.1", "0.0.0.0", "::", "[::]", "::2", "[::1", "::1]", "[[::1]]", "::ffff:127.0.0.1",
            "localhost.", "localhost.example", "my.localhost", "127.0.0.1 ", "١٢٧.0.0.1", "localho\u{17F}t",
        ])
    func others(host: String) { #expect(!ThisMachine.isHost(host)) }
}
