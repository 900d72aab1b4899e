import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';

const FILE = 'bench/RESULTS.md';

/** Prints the sections. With `isKept` it also replaces their part of bench/RESULTS.md. */
export function writeResults(part: string, sections: readonly string[], isKept: boolean): void {
  const memory = Math.round(totalmem() / 2 ** 30);
  const machine = `${cpus().length} cores (${cpus()[0]?.model.trim()}), ${memory} GiB`;
  const day = new Date().toISOString().slice(0, 10);
  const made = `Measured on ${day}, Node ${process.version}, ${machine}.`;
  if (isKept) writePart(part, [made, ...sections]);
  console.log([made, ...sections].join('\n\n'));
}

/** Replaces one part of bench/RESULTS.md. */
export function writePart(part: string, sections: readonly string[]): void {
  const before = existsSync(FILE) ? readFileSync(FILE, 'utf8') : HEAD;
  const [start, end] = [`<!-- ${part} -->`, `<!-- end of ${part} -->`];
  const block = `${start}\n${sections.join('\n\n')}\n${end}`;
  const at = before.indexOf(start);
  const after =
    at < 0
      ? `${before.trimEnd()}\n\n${block}\n`
      : before.slice(0, at) + block + before.slice(before.indexOf(end) + end.length);
  writeFileSync(FILE, after);
}

const HEAD = `# What a request costs
`;
