// Archives in the format ustar, as `tar` writes and reads them: for each file a header of 512 bytes and its content, which is
// filled up to the next 512 bytes. docs/adr/0019-workspace-archives.md says why no library does it.

const BLOCK = 512;
const NAME_BYTES_MAX = 100;
const CHECKSUM_AT = 148;
const CHECKSUM_BYTES = 8;
/** What may follow the end: `tar` fills its last record with zeros. */
const REST_BYTES_MAX = 1024 * 1024;

/** The archive is cut, changed or none of ours. */
export class BrokenArchive extends Error {}

interface TarEntry {
  name: string;
  content: Buffer;
}

/** The bytes of a file in an archive. */
export function tarEntry({ name, content }: TarEntry, modifiedAt: number): Buffer {
  const rest = Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK);
  return Buffer.concat([headerOf(name, content.length, modifiedAt), content, rest]);
}

export const TAR_END: Buffer = Buffer.alloc(2 * BLOCK);

function headerOf(name: string, bytes: number, modifiedAt: number): Buffer {
  const header = Buffer.alloc(BLOCK);
  header.write(name, 0, NAME_BYTES_MAX, 'latin1');
  header.write('0000600\u0000', 100, 'latin1');
  header.write('0000000\u00000000000\u0000', 108, 'latin1');
  header.write(`${octal(bytes, 11)} `, 124, 'latin1');
  header.write(`${octal(Math.floor(modifiedAt / 1000), 11)} `, 136, 'latin1');
  header.write('0', 156, 'latin1');
  header.write('ustar\u000000', 257, 'latin1');
  header.write(`${octal(checksumOf(header), 6)}\u0000 `, CHECKSUM_AT, 'latin1');
  return header;
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, '0');
}

/** The sum of its bytes, with spaces in place of the sum. */
function checksumOf(header: Buffer): number {
  let sum = CHECKSUM_BYTES * 0x20;
  for (let at = 0; at < BLOCK; at++) {
    if (at < CHECKSUM_AT || at >= CHECKSUM_AT + CHECKSUM_BYTES) sum += header[at]!;
  }
  return sum;
}

/**
 * The files of an archive, one at a time in memory. Throws BrokenArchive for all that `tarEntry` does not write: links,
 * folders, longer names, files above the limit, an archive that has no end or goes on behind it.
 */
export async function* readTar(
  chunks: AsyncIterable<Buffer>,
  { entryBytesMax }: { entryBytesMax: number },
): AsyncGenerator<TarEntry> {
  const bytes = new ByteReader(chunks);
  for (;;) {
    const header = await bytes.take(BLOCK);
    if (header.equals(TAR_END.subarray(BLOCK))) break;
    const { name, size } = entryOf(header);
    if (size > entryBytesMax) throw new BrokenArchive(`${name} is larger than any file of ours`);
    const content = await bytes.take(size);
    const rest = await bytes.take((BLOCK - (size % BLOCK)) % BLOCK);
    if (!isZero(rest)) throw new BrokenArchive(`${name} is not filled with zeros`);
    yield { name, content };
  }
  await bytes.takeZeros(REST_BYTES_MAX);
}

function entryOf(header: Buffer): { name: string; size: number } {
  const [size, seconds] = [124, 136].map((at) => header.toString('latin1', at, at + 11));
  if (!/^[0-7]{22}$/.test(`${size}${seconds}`)) throw new BrokenArchive('a header is damaged');
  const [name = ''] = header.toString('latin1', 0, NAME_BYTES_MAX).split('\u0000', 1);
  if (header.toString('latin1', 156, 157) !== '0') throw new BrokenArchive(`${name} is no file`);
  const entry = { name, size: Number.parseInt(size!, 8) };
  const written = headerOf(name, entry.size, Number.parseInt(seconds!, 8) * 1000);
  if (!header.equals(written)) throw new BrokenArchive('a header is damaged');
  return entry;
}

function isZero(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0);
}

class ByteReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #left: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  async take(count: number): Promise<Buffer> {
    const parts = [this.#left];
    for (let have = this.#left.length; have < count; ) {
      const { value, done } = await this.#chunks.next();
      if (done) throw new BrokenArchive('the archive is cut off');
      parts.push(value);
      have += value.length;
    }
    const all = parts.length === 1 ? this.#left : Buffer.concat(parts);
    this.#left = all.subarray(count);
    return all.subarray(0, count);
  }

  /** Takes the second block of zeros and what may follow it. */
  async takeZeros(most: number): Promise<void> {
    let count = 0;
    for (let part: Buffer | undefined = this.#left; part; ) {
      count += part.length;
      if (!isZero(part)) throw new BrokenArchive('the archive goes on behind its end');
      if (count > most) throw new BrokenArchive('the archive does not end');
      const { value, done } = await this.#chunks.next();
      part = done ? undefined : value;
    }
    if (count < BLOCK) throw new BrokenArchive('the archive is cut off');
  }
}
