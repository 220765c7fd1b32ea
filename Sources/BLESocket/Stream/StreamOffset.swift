extension UInt32 {
    /// The offset of a byte as a frame has it.
    init(offset: UInt64) {
        self.init(truncatingIfNeeded: offset)
    }

    /// The offset that is nearest to another one.
    ///
    /// - Returns: `nil` for one before the stream's first byte.
    func offset(near reference: UInt64) -> UInt64? {
        let distance = Int64(Int32(bitPattern: self &- UInt32(offset: reference)))
        guard distance >= 0 || reference >= distance.magnitude else { return nil }
        return distance >= 0 ? reference + distance.magnitude : reference - distance.magnitude
    }
}
