// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "magic-eightball",
    products: [
        .library(name: "MagicEightBall", targets: ["MagicEightBall", "BLE", "BlueZ"]),
        .library(name: "BLE", targets: ["BLE"]),
        .library(name: "BlueZ", targets: ["BlueZ", "BLE"]),
        .library(name: "BLESocket", targets: ["BLESocket", "BLE"]),
        .library(name: "BlueChat", targets: ["BlueChat", "BLE"]),
        .library(
            name: "BlueChatAccount",
            targets: ["BlueChatAccount", "BlueChatStore", "Storage", "BlueChat", "BLE"]
        ),
        .library(name: "Relay", targets: ["Relay", "BLE"]),
        .library(name: "RelayAccount", targets: ["RelayAccount", "Relay", "Storage", "BLE"]),
        .library(name: "Terminal", targets: ["Terminal"]),
        .library(name: "BLETesting", targets: ["BLETesting"]),
        .library(name: "VirtualBlueZ", targets: ["VirtualBlueZ", "DBusTesting"]),
        .executable(name: "eightball-ask", targets: ["eightball-ask"]),
        .executable(name: "eightball-answer", targets: ["eightball-answer"]),
        .executable(name: "ble-socket", targets: ["ble-socket"]),
        .executable(name: "bluechat", targets: ["bluechat"]),
        .executable(name: "dim-relay", targets: ["dim-relay"]),
        .executable(name: "relay-sim", targets: ["relay-sim"]),
        .executable(name: "virtual-bluez", targets: ["virtual-bluez"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    ],
    targets: [
        .systemLibrary(
            name: "CDBus",
            pkgConfig: "dbus-1",
            providers: [.apt(["libdbus-1-dev"])]
        ),
        .target(name: "Locking"),
        .target(
            name: "DBus",
            dependencies: [
                "CDBus", "Locking", .product(name: "HeapModule", package: "swift-collections"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .target(name: "BLE"),
        .target(
            name: "BlueZ",
            dependencies: [
                "BLE", "DBus", "Locking", .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .target(name: "BLESession", dependencies: ["BLE", "Locking"]),
        .target(
            name: "MagicEightBall",
            dependencies: ["BLE", "BLESession", .product(name: "Logging", package: "swift-log")]
        ),
        .target(
            name: "BLESocket",
            dependencies: [
                "BLE", "BLESession", .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "DequeModule", package: "swift-collections"),
            ]
        ),
        .target(
            name: "BlueChat",
            dependencies: [
                "BLE", "BLESession", "Noise",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .systemLibrary(
            name: "CSQLite",
            pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"])]
        ),
        .target(name: "SQLite", dependencies: ["CSQLite"]),
        .target(name: "Storage", dependencies: ["SQLite"]),
        .target(name: "BlueChatStore", dependencies: ["BlueChat", "SQLite", "Storage"]),
        .target(
            name: "BlueChatAccount",
            dependencies: [
                "BLE", "BLESession", "BlueChat", "BlueChatStore", "Storage",
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .target(
            name: "Relay",
            dependencies: [
                "BLE", "BLESession", .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .target(
            name: "RelayAccount",
            dependencies: [
                "BLE", "Relay", "SQLite", "Storage",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .target(
            name: "RelaySimulation",
            dependencies: [
                "BLETesting", "Relay", .product(name: "HeapModule", package: "swift-collections"),
            ]
        ),
        .target(name: "Noise", dependencies: [.product(name: "Crypto", package: "swift-crypto")]),
        .target(name: "Terminal", dependencies: ["Locking"]),
        .target(name: "QRCode"),
        .target(name: "BLETesting", dependencies: ["BLE"]),
        .target(name: "DBusTesting", dependencies: ["Locking"]),
        .target(
            name: "VirtualBlueZ",
            dependencies: [
                "DBus", "Locking", .product(name: "HeapModule", package: "swift-collections"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),

        .target(
            name: "RadioCLI",
            dependencies: [
                "BLE", "BlueZ",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Apps/RadioCLI"
        ),
        .target(name: "BlueChatScreen", dependencies: ["Terminal"], path: "Apps/BlueChatScreen"),
        .target(
            name: "EightBallCLI",
            dependencies: [
                "MagicEightBall", "RadioCLI",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Apps/EightBallCLI"
        ),
        .executableTarget(
            name: "eightball-ask",
            dependencies: [
                "EightBallCLI", "BLE", "BlueZ", "MagicEightBall", "RadioCLI",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Apps/eightball-ask"
        ),
        .executableTarget(
            name: "eightball-answer",
            dependencies: [
                "EightBallCLI", "BLE", "BlueZ", "MagicEightBall", "RadioCLI",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Apps/eightball-answer",
            exclude: ["eightball-answer.service"]
        ),
        .executableTarget(
            name: "ble-socket",
            dependencies: [
                "BLE", "BLESocket", "BlueZ", "RadioCLI",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            path: "Apps/ble-socket"
        ),
        .executableTarget(
            name: "bluechat",
            dependencies: [
                "BLE", "BlueChat", "BlueChatAccount", "BlueChatScreen", "BlueChatStore", "BlueZ",
                "QRCode", "RadioCLI", "Storage", "Terminal",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Apps/bluechat"
        ),
        .executableTarget(
            name: "virtual-bluez",
            dependencies: [
                "VirtualBlueZ", "DBusTesting",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Apps/virtual-bluez"
        ),

        .executableTarget(
            name: "dim-relay",
            dependencies: [
                "BLE", "BlueZ", "QRCode", "RadioCLI", "Relay", "RelayAccount", "Storage",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Apps/dim-relay",
            exclude: ["dim-relay.service"]
        ),
        .executableTarget(
            name: "relay-sim",
            dependencies: [
                "RadioCLI", "Relay", "RelaySimulation",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Apps/relay-sim"
        ),

        // For the tests of Terminal alone.
        .executableTarget(
            name: "terminal-example",
            dependencies: ["Terminal"],
            path: "Tests/TerminalExample"
        ),

        .testTarget(name: "DBusTests", dependencies: ["DBus", "DBusTesting", "Locking"]),
        .testTarget(name: "BLETests", dependencies: ["BLE", "BLETesting"]),
        .testTarget(name: "BLETestingTests", dependencies: ["BLE", "BLETesting"]),
        .testTarget(
            name: "BLESocketTests",
            dependencies: [
                "BLE", "BLESocket", "BLETesting", .product(name: "Crypto", package: "swift-crypto"),
            ]
        ),
        .testTarget(
            name: "BlueChatTests",
            dependencies: ["BLE", "BLETesting", "BlueChat", "Noise"]
        ),
        .executableTarget(
            name: "chat-store-writer",
            dependencies: ["BLETesting", "BlueChat", "BlueChatStore", "Storage"],
            path: "Tests/ChatStoreWriter"
        ),
        .testTarget(
            name: "BlueChatStoreTests",
            dependencies: [
                "BLETesting", "BlueChat", "BlueChatStore", "SQLite", "Storage", "chat-store-writer",
            ]
        ),
        .testTarget(
            name: "BlueChatAccountTests",
            dependencies: [
                "BLE", "BLETesting", "BlueChat", "BlueChatAccount", "BlueChatStore",
            ]
        ),
        .testTarget(
            name: "RelayTests",
            dependencies: [
                "BLE", "BLETesting", "Relay", .product(name: "Crypto", package: "swift-crypto"),
            ]
        ),
        .testTarget(
            name: "RelayAccountTests",
            dependencies: ["BLE", "BLETesting", "Relay", "RelayAccount", "Storage"]
        ),
        .testTarget(name: "StorageTests", dependencies: ["Storage"]),
        .testTarget(
            name: "RelaySimulationTests",
            dependencies: ["BLETesting", "Relay", "RelaySimulation"]
        ),
        .testTarget(
            name: "NoiseTests",
            dependencies: [
                "BLETesting", "Noise", .product(name: "Crypto", package: "swift-crypto"),
            ],
            exclude: ["vectors.json"]
        ),
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
                "MagicEightBall", "BLE", "BLESession", "BLETesting", "Locking",
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .testTarget(
            name: "IsolationTests",
            dependencies: ["BLE", "BLESocket", "BLETesting", "MagicEightBall"]
        ),
        .testTarget(
            name: "EightBallCLITests",
            dependencies: ["EightBallCLI", "BLE", "MagicEightBall", "RadioCLI"]
        ),
        .testTarget(name: "RadioCLITests", dependencies: ["RadioCLI", "BLE"]),
        .testTarget(name: "BlueChatScreenTests", dependencies: ["BlueChatScreen", "Terminal"]),
        .testTarget(name: "VirtualBlueZTests", dependencies: ["VirtualBlueZ", "DBusTesting"]),
        .testTarget(
            name: "TerminalTests",
            dependencies: ["Locking", "Terminal", "terminal-example"]
        ),
        .testTarget(name: "QRCodeTests", dependencies: ["QRCode"], exclude: ["symbols.json"]),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "BLE", "BLESocket", "BlueChat", "BlueChatAccount", "BlueChatStore", "BlueZ", "DBus",
                "DBusTesting", "Locking", "MagicEightBall", "Relay", "VirtualBlueZ",
                "ble-socket", "bluechat", "dim-relay", "eightball-answer", "eightball-ask",
                "virtual-bluez",
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)

// The decoders of what comes from outside are fed by a test; and by the fuzzer, whose sanitizer brings
// the main function that they need then, see Scripts/fuzz.
let decoders: [Target.Dependency] = [
    "EightBallCLI", "BLE", "BLESocket", "BLETesting", "BlueChat", "BlueZ", "DBus", "CDBus",
    "MagicEightBall", "Noise", "RadioCLI", "Relay", "Terminal", "VirtualBlueZ",
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
                "BLE", "BLETesting", "BlueZ", "CSoak", "DBus", "DBusTesting", "Locking",
                "MagicEightBall",
                "VirtualBlueZ",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tests/Soak",
            exclude: ["CSoak"]
        ),
    ]
}

// What Scripts/bench measures with.
if Context.environment["BENCH"] != nil {
    let programs: KeyValuePairs<String, [Target.Dependency]> = [
        "bench-balls": ["BLE", "BlueZ", "MagicEightBall"],
        "bench-crowd": ["DBusTesting", "VirtualBlueZ"],
        "dbus-bench-client": ["DBus"],
        "question-client": ["BlueZ", "MagicEightBall"],
        "scan-client": ["BLE", "BlueZ"],
    ]
    package.targets.append(.target(name: "Measuring", path: "Benchmarks/Sources/Measuring"))
    for (name, dependencies) in programs {
        package.targets.append(
            .executableTarget(
                name: name,
                dependencies: dependencies + ["Measuring"],
                path: "Benchmarks/Sources/\(name)"
            )
        )
    }
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
    // Others fulfil the protocols of these, also types of the main actor: see Docs/Architecture.md.
    if ["BLE", "BLESocket", "BlueChat", "MagicEightBall"].contains(target.name) { continue }
    target.swiftSettings? += [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]
}
