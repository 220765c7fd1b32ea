extension [UInt8] {
    /// The bytes as hexadecimal digits.
    var hexadecimal: String {
        let digits = Array<UInt8>("0123456789abcdef".utf8)
        return String(
            decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] },
            as: UTF8.self
        )
    }

    /// The bytes in base64.
    ///
    /// Source: RFC 4648, 4.
    var base64: String {
        let digits = Array<UInt8>(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8
        )
        var result: [UInt8] = []
        result.reserveCapacity((count + 2) / 3 * 4)
        for start in stride(from: 0, to: count, by: 3) {
            let bytes = self[start..<Swift.min(start + 3, count)]
            let group = bytes.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - bytes.count))
            for place in 0..<4 {
                result.append(
                    place <= bytes.count
                        ? digits[group >> (18 - 6 * place) & 63] : UInt8(ascii: "=")
                )
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
