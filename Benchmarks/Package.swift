// swift-tools-version: 6.2

import PackageDescription

// A package of its own, so that users of the SDK resolve and build nothing of it. `DBus` is no
// product of theirs, so its sources are compiled here again, through symbolic links.
let package = Package(
    name: "magic-eightball-benchmarks",
    dependencies: [
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0")
    ],
    targets: [
        .systemLibrary(
            name: "CDBus",
            pkgConfig: "dbus-1",
            providers: [.apt(["libdbus-1-dev"])]
        ),
        .target(
            name: "DBus",
            dependencies: ["CDBus", .product(name: "Logging", package: "swift-log")]
        ),
        .executableTarget(name: "dbus-bench-client", dependencies: ["DBus"]),
        .executableTarget(name: "dbus-bench"),
    ],
    swiftLanguageModes: [.v6]
)

// As in the package that is measured.
for target in package.targets where target.type != .system {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .treatAllWarnings(as: .error),
    ]
}
