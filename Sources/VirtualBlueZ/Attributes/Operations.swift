/// The requests that have not been replied to, numbered in the order in which they came.
struct Operations {
    private var operations: [Int: Operation] = [:]
    private var lastNumber = 0

    subscript(number: Int) -> Operation? {
        get { operations[number] }
        set { operations[number] = newValue }
    }

    var count: Int { operations.count }

    mutating func add(_ operation: Operation) {
        lastNumber += 1
        operations[lastNumber] = operation
    }

    mutating func remove(_ number: Int) -> Operation? {
        operations.removeValue(forKey: number)
    }

    /// The numbers of those that are meant, in order.
    func numbers(where isMeant: (Operation) -> Bool) -> [Int] {
        operations.filter { isMeant($0.value) }.keys.sorted()
    }

    /// The number of the request of a kind that is under way for an attribute.
    func number(of request: ATTCode.Request, for handle: UInt16, of id: DeviceID) -> Int? {
        operations.first { _, operation in
            operation.device == id && operation.handle == handle && operation.request == request
        }?.key
    }

    /// The next request over a link whose turn has come.
    ///
    /// - Parameters:
    ///   - id: the end that sends it.
    ///   - inParallel: whether it need not wait for those before it.
    /// - Returns: its number; `nil` when none is to be sent now.
    func nextToSend(over id: DeviceID, inParallel: Bool) -> Int? {
        let numbers = numbers { $0.device == id }
        let candidates = inParallel ? numbers[...] : numbers.prefix(1)
        return candidates.first { operations[$0]?.isSent == false }
    }
}
