// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "magic-eightball",
    products: [
        .library(name: "MagicEightBall", targets: ["MagicEightBall", "BLE", "BlueZ"]),
        .library(name: "BLE", targets: ["BLE"]),
        .library(name: "BlueZ", targets: ["BlueZ", "BLE"]),
        .library(name: "BLETesting", targets: ["BLETesting"]),
        .library(name: "VirtualBlueZ", targets: ["VirtualBlueZ", "DBusTesting"]),
        .executable(name: "eightball-ask", targets: ["eightball-ask"]),
        .executable(name: "eightball-answer", targets: ["eightball-answer"]),
        .executable(name: "virtual-bluez", targets: ["virtual-bluez"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
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
        .target(name: "BLE"),
        .target(
            name: "BlueZ",
            dependencies: ["BLE", "DBus", .product(name: "Logging", package: "swift-log")]
        ),
        .target(name: "BLESession", dependencies: ["BLE"]),
        .target(
            name: "MagicEightBall",
            dependencies: ["BLE", "BLESession", .product(name: "Logging", package: "swift-log")]
        ),
        .target(name: "BLETesting", dependencies: ["BLE"]),
        .target(name: "DBusTesting"),
        .target(name: "VirtualBlueZ", dependencies: ["DBus"]),

        .target(
            name: "EightBallCLI",
            dependencies: [
                "BLE", "BlueZ", "MagicEightBall",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Apps/EightBallCLI"
        ),
        .executableTarget(
            name: "eightball-ask",
            dependencies: [
                "EightBallCLI", "BLE", "BlueZ", "MagicEightBall",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Apps/eightball-ask"
        ),
        .executableTarget(
            name: "eightball-answer",
            dependencies: [
                "EightBallCLI", "BLE", "BlueZ", "MagicEightBall",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Apps/eightball-answer",
            exclude: ["eightball-answer.service"]
        ),
        .executableTarget(
            name: "virtual-bluez",
            dependencies: [
                "VirtualBlueZ", "DBusTesting",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Apps/virtual-bluez"
        ),

        .testTarget(name: "DBusTests", dependencies: ["DBus", "DBusTesting"]),
        .testTarget(name: "BLETests", dependencies: ["BLE"]),
        .testTarget(name: "BLETestingTests", dependencies: ["BLE", "BLETesting"]),
        .testTarget(name: "BLESessionTests", dependencies: ["BLE", "BLESession", "BLETesting"]),
        .testTarget(
            name: "BlueZTests",
            dependencies: [
                "BLETesting", "BlueZ", "VirtualBlueZ", "DBusTesting",
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .testTarget(
            name: "MagicEightBallTests",
            dependencies: [
                "MagicEightBall", "BLE", "BLESession", "BLETesting",
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .testTarget(name: "IsolationTests", dependencies: ["MagicEightBall", "BLE"]),
        .testTarget(
            name: "EightBallCLITests",
            dependencies: ["EightBallCLI", "BLE", "MagicEightBall"]
        ),
        .testTarget(name: "VirtualBlueZTests", dependencies: ["VirtualBlueZ", "DBusTesting"]),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "BLE", "BlueZ", "DBus", "DBusTesting", "MagicEightBall", "VirtualBlueZ",
                "eightball-answer", "eightball-ask", "virtual-bluez",
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)

// The decoders of what comes from outside are fed by a test; and by the fuzzer, whose sanitizer brings
// the main function that they need then, see Scripts/fuzz.
let decoders: [Target.Dependency] = [
    "EightBallCLI", "BLE", "BLETesting", "BlueZ", "DBus", "CDBus", "MagicEightBall", "VirtualBlueZ",
    .product(name: "ArgumentParser", package: "swift-argument-parser"),
]
package.targets.append(
    Context.environment["FUZZING"] == nil
        ? .testTarget(
            name: "FuzzingTests",
            dependencies: decoders,
            path: "Tests/Fuzzing",
            exclude: ["Corpus", "Fuzz.swift"]
        )
        : .executableTarget(
            name: "fuzz",
            dependencies: decoders,
            path: "Tests/Fuzzing",
            exclude: ["Corpus", "Mutations.swift", "ReplayTests.swift"]
        )
)

// Days of use, see Scripts/soak.
if Context.environment["SOAK"] != nil {
    package.targets += [
        .systemLibrary(name: "CSoak", path: "Tests/Soak/CSoak"),
        .executableTarget(
            name: "soak",
            dependencies: [
                "BLE", "BLETesting", "BlueZ", "CSoak", "DBus", "DBusTesting", "MagicEightBall",
                "VirtualBlueZ",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tests/Soak",
            exclude: ["CSoak"]
        ),
    ]
}

for target in package.targets where target.type != .system {
    target.swiftSettings = [.treatAllWarnings(as: .error)]
    // As a new package has it.
    if target.name == "IsolationTests" { continue }
    target.swiftSettings? += [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
    // Others fulfil the protocols of these two, also types of the main actor: see Docs/Architecture.md.
    if ["BLE", "MagicEightBall"].contains(target.name) { continue }
    target.swiftSettings? += [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]
}
