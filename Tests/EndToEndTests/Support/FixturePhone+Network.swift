import OstiaryMobile
import OstiaryTesting

extension FixturePhone {
    /// The SDK in this process over the files of a home, on the network. By default in a hurry: where a server is not able for a while, a program of
    /// ours would wait for it in earnest.
    static func onNetwork(
        in home: String, clock: any DeviceClock = TestClock.hurried(), transport: any Transport = URLSessionTransport(), bindsTokens: Bool = false
    ) throws -> FixturePhone {
        var configuration = Ostiary.Configuration()
        configuration.watchesSessions = false
        configuration.connectionPatience = .seconds(5)
        configuration.bindsTokens = bindsTokens
        return FixturePhone(Ostiary(configuration: configuration, ports: try Ports.files(in: home, transport: transport, clock: clock)))
    }
}
