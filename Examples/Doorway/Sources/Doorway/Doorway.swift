import Foundation
import OstiaryMobile

/// `Doorway HOME`: an app that people log in to with their phone, and with which they log in to websites.
@main
struct Doorway {
    static func main() async throws {
        guard CommandLine.arguments.count == 2 else {
            Screen.show("usage: Doorway HOME")
            exit(64)
        }
        let home = CommandLine.arguments[1]
        var configuration = Ostiary.Configuration()
        configuration.appInfo = "Doorway 1.0"
        configuration.deviceName = "Doorway in a terminal"
        configuration.singleAccount = true
        // Longer than the minute after which a code is shown (OfflineScreen).
        configuration.connectionPatience = .seconds(90)
        // Fifteen minutes without anybody, and the app asks again.
        configuration.appLoginInactivityTimeout = .seconds(900)
        // A PIN that is never typed is forgotten.
        configuration.maxNumberSecondFactorWithoutPIN = 30
        configuration.maxTimeSecondFactorWithoutPIN = .seconds(30 * 86_400)
        Ostiary.default.configure(configuration, ports: try Ports.files(in: home, biometrics: SimulatedBiometrics(home: home)))

        let listener = Task { await Listener(ostiary: .default).run() }
        await Entry.run()
        listener.cancel()
    }
}
