internal import BLEDBus

extension ObjectPath {
    /// The path of an object below, by a name that is known to be one.
    func child(_ name: String) -> ObjectPath {
        do {
            return try appending(name)
        } catch {
            preconditionFailure("\(error)")
        }
    }
}
