// swift-tools-version: 6.2

import PackageDescription

// What a program of one's own looks like: a package beside the SDK's, that depends on it. Outside
// this repository the dependency is `.package(url:from:)`.
let package = Package(
    name: "magic-eightball-examples",
    dependencies: [
        .package(name: "magic-eightball", path: "..")
    ],
    targets: [
        .executableTarget(
            name: "Asking",
            dependencies: [.product(name: "MagicEightBall", package: "magic-eightball")]
        ),
        .executableTarget(
            name: "Answering",
            dependencies: [.product(name: "MagicEightBall", package: "magic-eightball")]
        ),
    ],
    swiftLanguageModes: [.v6]
)

// Any service: on the radio alone, without the 8-Ball.
for name in ["BatteryCentral", "BatteryPeripheral", "UARTCentral", "UARTPeripheral"] {
    package.targets.append(
        .executableTarget(
            name: name,
            dependencies: [.product(name: "BlueZ", package: "magic-eightball")]
        )
    )
}
