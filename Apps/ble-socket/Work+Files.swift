import BLESocket
import Crypto
import Glibc
import RadioCLI

// A file goes, or comes.
extension Work {
    func send(_ path: String) async throws {
        let file = try ByteFile(path, O_RDONLY)
        let size = try file.size()
        guard await connection.isReliable else {
            var transfer = Transfer(console, "sent", of: size)
            try await write(file, size, &transfer)
            try await connection.finish()
            try await waitForTheAir()
            transfer.finish("which the other end does not confirm", false)
            return
        }
        var hash = SHA256()
        while let bytes = try await file.read() { hash.update(data: bytes) }
        let offer = FileOffer(byteCount: size, hash: Array(hash.finalize()))
        try await connection.write(offer.bytes)
        var incoming = IncomingBytes(incoming)
        guard let reply = try await incoming.next(exactly: 8) else { throw Self.noReceiver }
        let offset = UInt64(littleEndian: reply)
        guard offset <= size else { throw Self.noReceiver }
        try file.seek(to: offset)
        var transfer = Transfer(console, "sent", of: size, done: offset)
        try await write(file, size, &transfer)
        try await connection.finish()
        guard let verdict = try await incoming.next(exactly: 1) else { throw Self.noReceiver }
        guard verdict == [0] else {
            throw SocketCommandFailure(
                .data,
                "hash",
                "the other end has other bytes than \(path): it has changed meanwhile, or there"
            )
        }
        // It has the end, too, when it goes.
        while try await incoming.next() != nil {}
        transfer.finish("which the other end has verified", true)
    }

    /// Sends the rest of a file, of which some bytes need not be.
    private func write(_ file: ByteFile, _ size: UInt64, _ transfer: inout Transfer) async throws {
        while transfer.byteCount < size, let bytes = try await file.read() {
            let part = Array(bytes.prefix(Int(size - transfer.byteCount)))
            try await connection.write(part)
            transfer.add(part.count)
        }
        guard transfer.byteCount == size else {
            throw SocketCommandFailure(.noInput, "noInput", "\(file.name) has become shorter")
        }
    }

    private static var noReceiver: SocketCommandFailure {
        SocketCommandFailure(
            .protocol,
            "noReceiver",
            "the other end does not receive files; start it with --receive"
        )
    }

    func receive(_ path: String, byteCount: UInt64?) async throws {
        if await connection.isReliable {
            try await receiveOffered(path, byteCount: byteCount)
        } else {
            try await receiveAll(path, byteCount: byteCount)
        }
    }

    /// Until the other end closes, which nobody can tell from a loss.
    private func receiveAll(_ path: String, byteCount: UInt64?) async throws {
        let file = try ByteFile(path, O_WRONLY | O_CREAT | O_TRUNC)
        var transfer = Transfer(console, "received", of: byteCount)
        var incoming = IncomingBytes(incoming)
        do {
            while let bytes = try await incoming.next() {
                try await file.write(bytes)
                transfer.add(bytes.count)
            }
        } catch let error as SocketError where error.code == .lostConnection {
            // That is how it ends.
        }
        if let error = connection.malformation {
            throw SocketCommandFailure(
                .protocol,
                error.codeName,
                "\(path) may lack something of what was sent: \(error.message)"
            )
        }
        if let byteCount, transfer.byteCount != byteCount {
            throw SocketCommandFailure(
                .protocol,
                "length",
                "\(path) has \(transfer.byteCount) bytes, not \(byteCount): that is what came until the other end left"
            )
        }
        transfer.finish(
            byteCount == nil
                ? "unverified: only a stream tells whether that is all"
                : "as many as there are to be; unverified",
            false
        )
    }

    private func receiveOffered(_ path: String, byteCount: UInt64?) async throws {
        var incoming = IncomingBytes(incoming)
        guard let first = try await incoming.next(exactly: FileOffer.byteCount),
            let offer = FileOffer(first)
        else {
            throw SocketCommandFailure(
                .protocol,
                "noSender",
                "the other end does not send a file; start it with --send"
            )
        }
        guard offer.byteCount <= FileOffer.maximumFileByteCount else {
            throw SocketCommandFailure(
                .protocol,
                "length",
                "the other end offers \(offer.byteCount) bytes, which no file has"
            )
        }
        if let byteCount, offer.byteCount != byteCount {
            throw SocketCommandFailure(
                .data,
                "length",
                "the other end offers \(offer.byteCount) bytes, not \(byteCount)"
            )
        }
        let partial = offer.partialName(of: path)
        let file = try ByteFile(partial, O_RDWR | O_CREAT)
        // Nobody reads what comes who may not read the file; it has to be opened again when it does not come whole.
        try file.takeMode(of: path, adding: S_IRUSR | S_IWUSR)
        var offset = try file.size()
        // What is longer is no beginning of it.
        if offset > offer.byteCount { offset = 0 }
        try file.truncate(to: offset)
        var hash = SHA256()
        var read: UInt64 = 0
        while read < offset, let bytes = try await file.read() {
            let part = bytes.prefix(Int(offset - read))
            hash.update(data: part)
            read += UInt64(part.count)
        }
        try file.seek(to: offset)
        try await connection.write(offset.littleEndianBytes)
        var transfer = Transfer(console, "received", of: offer.byteCount, done: offset)
        while transfer.byteCount < offer.byteCount {
            let rest = Int(clamping: offer.byteCount - transfer.byteCount)
            guard let bytes = try await incoming.next(upTo: rest) else {
                throw SocketCommandFailure(
                    .temporary,
                    "lostConnection",
                    "\(path) has not come whole; the next time it goes on at byte \(transfer.byteCount)"
                )
            }
            hash.update(data: bytes)
            try await file.write(bytes)
            transfer.add(bytes.count)
        }
        let isEqual = Array(hash.finalize()) == offer.hash
        guard isEqual else {
            _ = unlink(partial)
            try await connection.write([1])
            throw SocketCommandFailure(.data, "hash", "\(path) has come with other bytes")
        }
        try file.takeMode(of: path)
        // The other end is told when the file is there; without that, the next time has all but the name.
        guard rename(partial, path) == 0 else {
            throw SocketCommandFailure(
                .cannotCreate,
                "cannotCreate",
                "\(SystemFailure(path)); it has come whole, and is kept as \(partial)"
            )
        }
        try await connection.write([0])
        try await finish(incoming)
        transfer.finish("verified", true)
    }
}
