import BLE
import Glibc
import MeshRelay
import RadioCLI

/// A picture with a contact's link as a QR code, such as a photograph of their screen.
struct LinkPicture {
    let path: String

    /// How long reading a picture may take.
    private static let limit = Duration.seconds(30)

    /// Only QR codes, as text, nothing else.
    private static let command =
        #"command -v zbarimg >/dev/null || exit 127; exec zbarimg --nodbus --quiet --raw -Sdisable -Sqrcode.enable "$PICTURE""#

    /// Reads the link, with zbarimg.
    ///
    /// - Returns: the first text that begins as one.
    /// - Throws: `PictureError`; `RelayError` with `invalidLink` when there is none in the picture; `CancellationError`.
    func link() async throws -> String {
        // A whole path, as what has a colon may be more than a file's name to zbarimg.
        guard let whole = realpath(path, nil) else { throw PictureError.unreadable(path, errno) }
        defer { free(whole) }
        let file = String(cString: whole)
        guard access(file, R_OK) == 0 else { throw PictureError.unreadable(path, errno) }
        let run = try TextCommand(Self.command, input: "", setting: ("PICTURE", file))
        let output: String?
        do {
            output = try await withTimeLimit(Self.limit, on: ContinuousClock()) {
                try await run.output()
            }
        } catch let failure as TextCommand.Failure {
            switch failure.status {
            case 4: throw RelayError(.invalidLink, "no QR code was found in \(path)")
            case 127: throw PictureError.noReader
            default: throw PictureError.failed(path, failure.words ?? "\(failure)")
            }
        }
        guard let output else { throw PictureError.tooSlow(path, Self.limit) }
        let link = output.split(whereSeparator: \.isNewline).first { $0.hasPrefix("dim://") }
        guard let link else {
            throw RelayError(
                .invalidLink,
                "the QR code in \(path) is no link of a contact: dim://…"
            )
        }
        return String(link)
    }
}

/// Why a picture could not be read.
private enum PictureError: CommandFailure, CustomStringConvertible {
    /// With the system's error number.
    case unreadable(String, Int32)
    case noReader
    case failed(String, String)
    case tooSlow(String, Duration)

    var exitStatus: ExitStatus {
        switch self {
        case .unreadable, .failed: .noInput
        case .noReader: .unavailable
        case .tooSlow: .temporary
        }
    }

    var codeName: String {
        switch self {
        case .unreadable, .failed: "unreadable"
        case .noReader: "noReader"
        case .tooSlow: "timedOut"
        }
    }

    var remedy: String? {
        switch self {
        case .noReader: "install zbar-tools, or add the link as text"
        case .unreadable, .failed, .tooSlow: nil
        }
    }

    var description: String {
        switch self {
        case .unreadable(let path, let number):
            "the picture \(path) cannot be read: \(String(cString: strerror(number)))"
        case .noReader: "there is no zbarimg, which reads pictures"
        case .failed(let path, let words): "the picture \(path) cannot be read: \(words)"
        case .tooSlow(let path, let limit):
            "reading the picture \(path) took longer than \(limit.inUnits)"
        }
    }
}
