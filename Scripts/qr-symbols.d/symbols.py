"""Prints symbols for Tests/BLEQRCodeTests: some in full, and checksums of one for each version and correction.

The symbols are of qrcode. Where a symbol is full, segno has to make the same one; where it is not, segno 1.6.6 writes a byte
of zeros before the padding that the standard (7.4.10) doesn't have. Which mask has the lowest penalty is segno's word.
"""

import json

import qrcode
import segno
from qrcode import util
from segno import encoder

LEVELS = "LMQH"
ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:"
CORRECTIONS = [
    qrcode.ERROR_CORRECT_L,
    qrcode.ERROR_CORRECT_M,
    qrcode.ERROR_CORRECT_Q,
    qrcode.ERROR_CORRECT_H,
]
TEXTS = [
    ("HELLO WORLD", 1, 2),
    ("It is decidedly so", 2, 1),
    ("https://example.org/a?b=c&d=%C3%A9", 3, 0),
    ("Größe, 漢字 und 🎱", 6, 3),
    ("9F86D081884C7D659A2FEAA0C55AD015A3BF4F1B2B0B822CD15D6C15B0F00A08", 6, 2),
    ("alice 5c1f0e9a77d24b3c8f60e1d2c3b4a5968778695a4b3c2d1e0f00112233445566", 7, 1),
    ("Without a doubt. " * 8, 10, 1),
    ("My sources say no. " * 30, 27, 2),
    ("Reply hazy, try again. " * 40, 32, 0),
    ("Outlook not so good. " * 60, 40, 3),
]


def is_alphanumeric(text):
    return all(character in ALPHABET for character in text)


def made(text, version, correction, mask):
    symbol = qrcode.QRCode(
        version=version, error_correction=CORRECTIONS[correction], mask_pattern=mask, border=0
    )
    mode = util.MODE_ALPHA_NUM if is_alphanumeric(text) else util.MODE_8BIT_BYTE
    symbol.add_data(util.QRData(text.encode(), mode=mode), optimize=0)
    symbol.make(fit=False)
    return [[bool(module) for module in row] for row in symbol.modules]


def penalty(rows):
    rows = tuple(bytearray(row) for row in rows)
    return sum(encoder.mask_scores(rows, len(rows), len(rows)))


def generated(version, correction):
    """The text that fills a symbol: capitals and signs for odd versions, else ASCII that begins with a small letter."""
    length_bits = (9, 11, 13) if version % 2 else (8, 16, 16)
    symbol_bits = encoder.consts.SYMBOL_CAPACITY[version][[1, 0, 3, 2][correction]]
    bits = symbol_bits - 4 - length_bits[(version > 9) + (version > 26)]
    if version % 2:
        count = bits // 11 * 2 + (bits % 11 >= 6)
        return "".join(ALPHABET[(k * k + version) % 45] for k in range(count))
    return "".join(chr(97 if k == 0 else 33 + (k * k + version) % 94) for k in range(bits // 8))


def checksum(rows):
    """FNV-1a of 64 bits over the modules, row by row, a byte each."""
    value = 0xCBF29CE484222325
    for module in (module for row in rows for module in row):
        value = (value ^ module) * 0x100000001B3 % 2**64
    return f"{value:016x}"


def hexadecimal(row):
    """The modules of a row, the left one in the highest bit."""
    return f"{int(''.join(str(int(module)) for module in row), 2):0{(len(row) + 3) // 4}x}"


symbols = []
for text, version, correction in TEXTS:
    choices = [made(text, version, correction, mask) for mask in range(8)]
    mask = min(range(8), key=lambda mask: penalty(choices[mask]))
    rows = [hexadecimal(row) for row in choices[mask]]
    symbols.append(dict(text=text, version=version, correction=correction, mask=mask, rows=rows))

checksums = []
for version in range(1, 41):
    for correction in range(4):
        text, mask = generated(version, correction), (version + correction) % 8
        rows = made(text, version, correction, mask)
        mode = "alphanumeric" if is_alphanumeric(text) else "byte"
        other = segno.make_qr(
            text, error=LEVELS[correction], version=version, mask=mask, mode=mode, boost_error=False
        )
        assert rows == [[bool(module) for module in row] for row in other.matrix]
        checksums.append(
            dict(
                version=version,
                correction=correction,
                mask=mask,
                byteCount=len(text),
                checksum=checksum(rows),
            )
        )

print("{")
print('"symbols": [')
print(",\n".join(json.dumps(symbol, ensure_ascii=False) for symbol in symbols))
print('],\n"checksums": [')
print(",\n".join(json.dumps(checksum) for checksum in checksums))
print("]\n}")
