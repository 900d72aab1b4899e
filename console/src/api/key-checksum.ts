// The last six characters of a key are a checksum, so a mistyped key is found without a request.

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SHAPE = /^psk_[0-9A-Za-z]{50}$/;
const CHECKSUM_LENGTH = 6;

export function isCompleteKey(key: string): boolean {
  if (!SHAPE.test(key)) return false;
  return key.endsWith(checksum(key.slice(0, -CHECKSUM_LENGTH)));
}

function checksum(text: string): string {
  let rest = crc32(text);
  let out = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    out = ALPHABET[rest % ALPHABET.length] + out;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return out;
}

/** CRC-32 as gzip and the service compute it. */
export function crc32(text: string): number {
  let crc = 0xffffffff;
  for (const byte of new TextEncoder().encode(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}
