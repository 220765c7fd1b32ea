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
            targets: ["BlueChatAccount", "BlueChatStore", "BLEStorage", "BlueChat", "BLE"]
        ),
        .library(name: "MeshRelay", targets: ["MeshRelay", "BLE"]),
        .library(
            name: "RelayAccount",
            targets: ["RelayAccount", "MeshRelay", "BLEStorage", "BLE"]
        ),
        .library(name: "BLETerminal", targets: ["BLETerminal"]),
        .library(name: "BLETesting", targets: ["BLETesting"]),
        .library(name: "VirtualBlueZ", targets: ["VirtualBlueZ", "BLEDBusTesting"]),
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
            name: "CBLEDBus",
            pkgConfig: "dbus-1",
            providers: [.apt(["libdbus-1-dev"])]
        ),
        .target(name: "BLELocking"),
        .target(
            name: "BLEDBus",
            dependencies: [
                "CBLEDBus", "BLELocking",
                .product(name: "HeapModule", package: "swift-collections"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .target(name: "BLE"),
        .target(
            name: "BlueZ",
            dependencies: [
                "BLE", "BLEDBus", "BLELocking", .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .target(name: "BLESession", dependencies: ["BLE", "BLELocking"]),
        .target(
            name: "MagicEightBall",
            dependencies: ["BLE", "BLESession", .product(name: "Logging", package: "swift-log")]
        ),
        .target(
            name: "BLESocket",
            dependencies: [
                "BLE", "BLESession", "NoiseProtocol",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "DequeModule", package: "swift-collections"),
            ]
        ),
        .target(
            name: "BlueChat",
            dependencies: [
                "BLE", "BLESession", "NoiseProtocol",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .systemLibrary(
            name: "CBLESQLite",
            pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"])]
        ),
        .target(name: "BLESQLite", dependencies: ["CBLESQLite"]),
        .target(name: "BLEStorage", dependencies: ["BLESQLite"]),
        .target(name: "BlueChatStore", dependencies: ["BlueChat", "BLESQLite", "BLEStorage"]),
        .target(
            name: "BlueChatAccount",
            dependencies: [
                "BLE", "BLESession", "BlueChat", "BlueChatStore", "BLEStorage",
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .target(
            name: "MeshRelay",
            dependencies: [
                "BLE", "BLESession", .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .target(
            name: "RelayAccount",
            dependencies: [
                "BLE", "MeshRelay", "BLESQLite", "BLEStorage",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .target(
            name: "RelaySimulation",
            dependencies: [
                "BLETesting", "MeshRelay",
                .product(name: "HeapModule", package: "swift-collections"),
            ]
        ),
        .target(
            name: "NoiseProtocol",
            dependencies: [.product(name: "Crypto", package: "swift-crypto")]
        ),
        .target(name: "BLETerminal", dependencies: ["BLELocking"]),
        .target(name: "BLEQRCode"),
        .target(name: "BLETesting", dependencies: ["BLE"]),
        .target(name: "BLEDBusTesting", dependencies: ["BLELocking"]),
        .target(
            name: "VirtualBlueZ",
            dependencies: [
                "BLEDBus", "BLELocking", .product(name: "HeapModule", package: "swift-collections"),
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
        .target(name: "BlueChatScreen", dependencies: ["BLETerminal"], path: "Apps/BlueChatScreen"),
        .target(
            name: "EightBallCLI",
            dependencies: [
                "BLE", "MagicEightBall", "RadioCLI",
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
                "BLE", "BLELocking", "BLESocket", "BlueZ", "RadioCLI",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            path: "Apps/ble-socket"
        ),
        .executableTarget(
            name: "bluechat",
            dependencies: [
                "BLE", "BLELocking", "BlueChat", "BlueChatAccount", "BlueChatScreen",
                "BlueChatStore", "BlueZ", "BLEQRCode", "RadioCLI", "BLEStorage", "BLETerminal",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Apps/bluechat"
        ),
        .executableTarget(
            name: "virtual-bluez",
            dependencies: [
                "VirtualBlueZ", "BLEDBusTesting",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Apps/virtual-bluez"
        ),

        .executableTarget(
            name: "dim-relay",
            dependencies: [
                "BLE", "BlueZ", "BLEQRCode", "RadioCLI", "MeshRelay", "RelayAccount", "BLEStorage",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Apps/dim-relay",
            exclude: ["dim-relay.service"]
        ),
        .executableTarget(
            name: "relay-sim",
            dependencies: [
                "RadioCLI", "MeshRelay", "RelaySimulation",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Apps/relay-sim"
        ),

        // For the tests of Terminal alone.
        .executableTarget(
            name: "terminal-example",
            dependencies: ["BLETerminal"],
            path: "Tests/TerminalExample"
        ),

        .target(name: "TestThreads", path: "Tests/TestThreads"),
        .testTarget(
            name: "BLEDBusTests",
            dependencies: ["BLEDBus", "BLEDBusTesting", "BLELocking"]
        ),
        .testTarget(name: "BLETests", dependencies: ["BLE", "BLETesting"]),
        .testTarget(name: "BLETestingTests", dependencies: ["BLE", "BLETesting"]),
        .testTarget(
            name: "BLESocketTests",
            dependencies: ["BLE", "BLESocket", "BLETesting", "NoiseProtocol"]
        ),
        .testTarget(
            name: "BlueChatTests",
            dependencies: ["BLE", "BLETesting", "BlueChat", "NoiseProtocol"]
        ),
        .executableTarget(
            name: "chat-store-writer",
            dependencies: ["BLETesting", "BlueChat", "BlueChatStore", "BLEStorage"],
            path: "Tests/ChatStoreWriter"
        ),
        .testTarget(
            name: "BlueChatStoreTests",
            dependencies: [
                "BLETesting", "BlueChat", "BlueChatStore", "BLESQLite", "BLEStorage",
                "chat-store-writer",
            ]
        ),
        .testTarget(
            name: "BlueChatAccountTests",
            dependencies: ["BLE", "BLETesting", "BlueChat", "BlueChatAccount", "BlueChatStore"]
        ),
        .testTarget(
            name: "MeshRelayTests",
            dependencies: [
                "BLE", "BLETesting", "MeshRelay", .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .testTarget(
            name: "RelayAccountTests",
            dependencies: [
                "BLE", "BLETesting", "MeshRelay", "RelayAccount", "BLESQLite", "BLEStorage",
            ]
        ),
        .testTarget(name: "BLEStorageTests", dependencies: ["BLEStorage"]),
        .testTarget(
            name: "RelaySimulationTests",
            dependencies: ["BLETesting", "MeshRelay", "RelaySimulation"]
        ),
        .testTarget(
            name: "NoiseProtocolTests",
            dependencies: [
                "BLETesting", "NoiseProtocol", .product(name: "Crypto", package: "swift-crypto"),
            ],
            exclude: ["Vectors"]
        ),
        .testTarget(name: "BLESessionTests", dependencies: ["BLE", "BLESession", "BLETesting"]),
        .testTarget(
            name: "BlueZTests",
            dependencies: [
                "BLETesting", "BlueZ", "VirtualBlueZ", "BLEDBusTesting",
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .testTarget(
            name: "MagicEightBallTests",
            dependencies: [
                "MagicEightBall", "BLE", "BLESession", "BLETesting", "BLELocking",
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
        .testTarget(name: "BlueChatScreenTests", dependencies: ["BlueChatScreen", "BLETerminal"]),
        .testTarget(name: "VirtualBlueZTests", dependencies: ["VirtualBlueZ", "BLEDBusTesting"]),
        .testTarget(
            name: "BLETerminalTests",
            dependencies: ["BLELocking", "BLETerminal", "terminal-example"]
        ),
        .testTarget(name: "BLEQRCodeTests", dependencies: ["BLEQRCode"], exclude: ["symbols.json"]),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "BLE", "BLEDBus", "BLEDBusTesting", "BLELocking", "BLEQRCode", "BLESocket",
                "BlueChat", "BlueChatAccount", "BlueChatStore", "BlueZ", "MagicEightBall",
                "MeshRelay", "VirtualBlueZ", "ble-socket", "bluechat", "dim-relay",
                "eightball-answer", "eightball-ask", "relay-sim", "virtual-bluez",
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)

// The decoders of what comes from outside are fed by a test; and by the fuzzer, whose sanitizer brings
// the main function that they need then, see Scripts/fuzz.
let decoders: [Target.Dependency] = [
    "EightBallCLI", "BLE", "BLESocket", "BLETesting", "BlueChat", "BlueZ", "BLEDBus", "CBLEDBus",
    "MagicEightBall", "NoiseProtocol", "RadioCLI", "MeshRelay", "BLETerminal", "VirtualBlueZ",
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
                "BLE", "BLETesting", "BlueZ", "CSoak", "BLEDBus", "BLEDBusTesting", "BLELocking",
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
        "bench-crowd": ["BLEDBusTesting", "VirtualBlueZ"],
        "dbus-bench-client": ["BLEDBus"],
        "question-client": ["BlueZ", "MagicEightBall"],
        "scan-client": ["BLE", "BlueZ"],
        "stream-delay": ["BLE", "BLESocket", "BlueZ"],
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
    if target.type == .test { target.dependencies.append("TestThreads") }
    target.swiftSettings? += [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
    // Others fulfil the protocols of these, also types of the main actor: see Docs/Architecture.md.
    if ["BLE", "BLESocket", "BlueChat", "MagicEightBall"].contains(target.name) { continue }
    target.swiftSettings? += [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]
}
