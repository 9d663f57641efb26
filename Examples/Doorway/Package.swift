// swift-tools-version: 6.2
import PackageDescription

/// A small app shell, written as a stranger would write it: against the public interface of OstiaryMobile and nothing else.
let package = Package(
    name: "Doorway",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "ostiary", path: "../..")],
    targets: [
        .executableTarget(
            name: "Doorway", dependencies: [.product(name: "OstiaryMobile", package: "ostiary")],
            swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error), .enableUpcomingFeature("ExistentialAny")])
    ]
)
