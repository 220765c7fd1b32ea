extension SocketError {
    /// Bytes that are no frame.
    init(_ malformation: GeotabFrameReader.Malformation, _ byteCount: Int) {
        let reason =
            switch malformation {
            case .garbage(let byte): "no frame begins with \(Self.hexadecimal(byte))"
            case .tooLong(let count): "a frame of \(count) bytes is longer than is taken"
            case .checksum(let expected, let received):
                "the checksum of a frame is \(Self.hexadecimal(received)), not "
                    + Self.hexadecimal(expected)
            case .noEnd(let byte): "a frame ends with \(Self.hexadecimal(byte)), not 03"
            case .incomplete: "the rest of a frame did not come in time"
            }
        self.init(.malformedData, "\(byteCount) bytes were left out: \(reason)")
    }

    /// A frame that has another number of bytes than its kind needs.
    init(misshapen frame: GeotabFrame) {
        self.init(
            .malformedData,
            "a frame of kind \(frame.kind) was left out: its body has \(frame.body.count) bytes"
        )
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16, uppercase: true)
        return digits.count < 2 ? "0" + digits : digits
    }

    private static func hexadecimal(_ checksum: GeotabChecksum) -> String {
        "\(hexadecimal(checksum.first)) \(hexadecimal(checksum.second))"
    }
}
