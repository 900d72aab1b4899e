import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';

const FILE = 'bench/RESULTS.md';

/** Prints the sections, and puts them into their part of the committed file when they are worth keeping. */
export function writeResults(part: string, sections: readonly string[], isKept: boolean): void {
  const memory = Math.round(totalmem() / 2 ** 30);
  const machine = `${cpus().length} cores (${cpus()[0]?.model.trim()}), ${memory} GiB`;
  const day = new Date().toISOString().slice(0, 10);
  const made = `Measured on ${day}, Node ${process.version}, ${machine}.`;
  const text = [made, ...sections].join('\n\n');
  console.log(text);
  if (!isKept) return;
  const before = existsSync(FILE) ? readFileSync(FILE, 'utf8') : HEAD;
  const [start, end] = [`<!-- ${part} -->`, `<!-- end of ${part} -->`];
  const block = `${start}\n${text}\n${end}`;
  const at = before.indexOf(start);
  const after =
    at < 0
      ? `${before.trimEnd()}\n\n${block}\n`
      : before.slice(0, at) + block + before.slice(before.indexOf(end) + end.length);
  writeFileSync(FILE, after);
}

const HEAD = `# What a request costs

The measure is CPU time (user and system) of the service's process per request, against bare \`node:http\` that sends the
same bytes, both in one run and in turns, median of the rounds. Everything is on: authentication, both windows, all headers,
validation, the log, durable writes. Requests per second and latencies are those of 32 connections that share the machine with the
service; they say more about the machine than the ratio does.

Made by \`npm run bench\`, \`npm run bench -- --scale\` and \`npm run bench -- --peers\`.
`;
