import OstiaryMobile

/// The clock of the system, but what pauses between two tries goes on at once.
struct HurriedClock: DeviceClock {
    private let system = SystemClock()

    var wall: UInt64 { system.wall }
    var monotonic: UInt64 { system.monotonic }

    /// What is longer than any pause between two tries waits for the next ping, and does.
    func sleep(seconds: Double) async {
        await system.sleep(seconds: seconds > 15 ? seconds : 0.005)
    }
}

extension FixturePhone {
    /// The SDK in this process over the files of a home, on the network. By default in a hurry: where a server is not able for a while, a program of
    /// ours would wait for it in earnest.
    static func onNetwork(in home: String, clock: any DeviceClock = HurriedClock()) throws -> FixturePhone {
        var configuration = Ostiary.Configuration()
        configuration.watchesSessions = false
        configuration.connectionPatience = .seconds(5)
        return FixturePhone(Ostiary(configuration: configuration, ports: try Ports.files(in: home, clock: clock)))
    }
}
