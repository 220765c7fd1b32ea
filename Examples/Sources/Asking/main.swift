import BlueZ
import MagicEightBall

// Asks the first ball that is heard, and prints its answer.
let central = EightBallCentral(radio: try await Adapter.open("hci0"))
try await central.start()
let ball = try await central.discoverDevice { _ in true }
await central.stopScanning()
print("\(ball.name) says:", try await central.ask(Question("Will it rain?"), of: ball))
await central.stop()
