/// The modules of a symbol; those that are `true` are dark.
struct Grid: Hashable, Sendable {
    let size: Int
    private(set) var modules: [Bool]

    /// Creates a light one.
    init(size: Int) {
        self.size = size
        modules = [Bool](repeating: false, count: size * size)
    }

    /// A module, in its column from the left and its row from the top.
    subscript(x: Int, y: Int) -> Bool {
        get {
            precondition(contains(x, y), "a module is in the symbol")
            return modules[y * size + x]
        }
        set {
            precondition(contains(x, y), "a module is in the symbol")
            modules[y * size + x] = newValue
        }
    }

    func contains(_ x: Int, _ y: Int) -> Bool {
        0..<size ~= x && 0..<size ~= y
    }
}
