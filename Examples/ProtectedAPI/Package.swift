// swift-tools-version: 6.2
import PackageDescription

/// A small API behind OstiaryResource, written as a stranger would write it: against its public interface and nothing else.
let package = Package(
    name: "ProtectedAPI",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "ostiary", path: "../.."),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1"),
    ],
    targets: [
        .executableTarget(
            name: "ProtectedAPI",
            dependencies: [
                .product(name: "OstiaryResource", package: "ostiary"), .product(name: "OstiaryResourceHummingbird", package: "ostiary"),
                .product(name: "Hummingbird", package: "hummingbird"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error), .enableUpcomingFeature("ExistentialAny")])
    ]
)
