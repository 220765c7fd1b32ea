import BLE
import BLEDBus
import BLETesting
import Testing

@testable import BlueZ

/// The adapter's values under any order of events, thousands of seeds each; see Docs/Testing.md,
/// Schedules.
@Suite struct ValueScheduleTests {
    private static let seeds: ClosedRange<UInt64> = 1...2_000

    @Test("A discovery is begun once, ended once, and is what is wanted when nothing is under way")
    func discovery() {
        for seed in Self.seeds {
            var dice = SeededGenerator(seed: seed)
            var discovery = Discovery()
            /// Calls without a reply yet, also those of before a loss; and what bluetoothd has.
            var calls: [Discovery.Action] = []
            var isOn = false
            var pauseCount = 0
            var steps = dice.number(in: 5...60)
            while true {
                steps -= 1
                let isOver = steps < 0
                if isOver, calls.isEmpty { break }
                switch isOver ? 0 : dice.number(in: 0...9) {
                case 0...3:
                    guard !calls.isEmpty else { break }
                    // Replies come in the order of the calls.
                    switch calls.removeFirst() {
                    case .start(let epoch):
                        let succeeds = isOver || dice.chance(80)
                        if succeeds { isOn = true }
                        if discovery.didStart(succeeds, epoch: epoch), !succeeds {
                            discovery.isWanted = false
                        }
                    case .stop(let epoch):
                        isOn = false
                        _ = discovery.didStop(epoch: epoch)
                    }
                case 4, 5: discovery.isWanted = true
                case 6: discovery.isWanted = false
                case 7:
                    discovery.pause()
                    pauseCount += 1
                case 8:
                    guard pauseCount > 0 else { break }
                    discovery.resume()
                    pauseCount -= 1
                default:
                    // Calls of before are answered still, or never; nothing is on.
                    guard dice.chance(20) else { break }
                    discovery.end()
                    isOn = false
                    calls = []
                }
                if let action = discovery.next() {
                    #expect(calls.isEmpty, "seed \(seed): two calls at once")
                    calls.append(action)
                }
                #expect(!(discovery.isRunning && discovery.isStopped), "seed \(seed)")
            }
            #expect(discovery.isRunning == isOn, "seed \(seed)")
            #expect(isOn == (discovery.isWanted && pauseCount == 0), "seed \(seed)")
        }
    }

    @Test("Of each characteristic one request is under way, in order; each ends once")
    func requests() throws {
        let message = try Message.methodCall(to: "org.bluez", at: .root, "org.bluez.X", "Y")
        let paths: [ObjectPath] = ["/a", "/b"]
        for seed in Self.seeds {
            var dice = SeededGenerator(seed: seed)
            var queue = RequestQueue()
            var sent: [ObjectPath: RequestQueue.Request] = [:]
            var waiting: [ObjectPath: [RequestQueue.Request]] = [:]
            var ended: Set<Int> = []
            func end(_ request: RequestQueue.Request) {
                #expect(
                    ended.insert(request.id).inserted,
                    "seed \(seed): \(request.id) ended twice"
                )
            }
            var count = 0
            for _ in 0..<dice.number(in: 5...60) {
                let path = dice.element(of: paths) ?? "/a"
                switch dice.number(in: 0...9) {
                case 0...4:
                    let (request, isNext) = queue.add(message, at: path)
                    count += 1
                    #expect(isNext == (sent[path] == nil), "seed \(seed)")
                    if isNext {
                        sent[path] = request
                    } else {
                        waiting[path, default: []].append(request)
                    }
                case 5...7:
                    guard let request = sent.removeValue(forKey: path) else { break }
                    end(request)
                    let next = queue.didReply(to: request)
                    #expect(next?.id == waiting[path]?.first?.id, "seed \(seed): out of order")
                    if let next {
                        sent[path] = next
                        waiting[path]?.removeFirst()
                    }
                    // A reply of before a loss changes nothing.
                    #expect(queue.didReply(to: request) == nil, "seed \(seed)")
                case 8:
                    guard let request = dice.element(of: waiting[path] ?? []) else { break }
                    queue.takeBack(request)
                    waiting[path]?.removeAll { $0.id == request.id }
                    end(request)
                default:
                    for request in queue.removeAll(within: path) { end(request) }
                    sent[path] = nil
                    waiting[path] = nil
                }
            }
            for request in queue.removeAll() { end(request) }
            #expect(ended.count == count, "seed \(seed): \(count - ended.count) never ended")
        }
    }

    @Test("Each value that is notified is delivered once, in order; what is read is not")
    func notifications() {
        let path: ObjectPath = "/a"
        for seed in Self.seeds {
            var dice = SeededGenerator(seed: seed)
            var gate = NotificationGate()
            gate.subscribe(path)
            gate.confirm(path)
            var told: [[UInt8]] = []
            var delivered: [[UInt8]] = []
            var isReading = false
            var value: UInt8 = 0
            for _ in 0..<dice.number(in: 5...40) {
                switch dice.number(in: 0...5) {
                case 0...2:
                    // The peer notifies; all values differ.
                    value += 1
                    told.append([value])
                    if gate.admits([value], at: path) { delivered.append([value]) }
                case 3:
                    guard !isReading else { break }
                    isReading = true
                    gate.beginRead(at: path)
                default:
                    guard isReading else { break }
                    isReading = false
                    // bluetoothd shows what was read, then replies; or the read fails.
                    let read: [UInt8]? = dice.chance(80) ? [200, value] : nil
                    if let read, gate.admits(read, at: path) { delivered.append(read) }
                    delivered += gate.endRead(at: path, read)
                }
            }
            if isReading { delivered += gate.endRead(at: path, nil) }
            #expect(delivered == told, "seed \(seed)")
            gate.unsubscribe(path)
            #expect(!gate.admits([1], at: path) && gate.subscribed.isEmpty, "seed \(seed)")
        }
    }

    @Test("A value is told once, in order, and after the replies to the writes before it")
    func updates() {
        let path: ObjectPath = "/a"
        for seed in Self.seeds {
            var dice = SeededGenerator(seed: seed)
            var queue = UpdateQueue()
            var (received, replied) = (0, 0)
            var expected: [(value: [UInt8], writeCount: Int)] = []
            var told: [[UInt8]] = []
            func tell(_ value: [UInt8]) {
                guard told.count < expected.count else { return }
                #expect(expected[told.count].value == value, "seed \(seed): out of order")
                #expect(expected[told.count].writeCount <= replied, "seed \(seed): too early")
                told.append(value)
            }
            var steps = dice.number(in: 5...40)
            while true {
                steps -= 1
                let isOver = steps < 0
                if isOver, replied == received { break }
                switch isOver ? 5 : dice.number(in: 0...5) {
                case 0, 1:
                    received += 1
                    queue.didReceiveWrite()
                case 2, 3:
                    let value = [UInt8(expected.count)]
                    expected.append((value, received))
                    if queue.admits(value, at: path) { tell(value) }
                default:
                    guard replied < received else { break }
                    replied += 1
                    for update in queue.didReply() { tell(update.value) }
                }
            }
            #expect(told.count == expected.count, "seed \(seed): some were never told")
        }
    }
}
