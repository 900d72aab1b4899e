// Sends requests made from the OpenAPI document over several connections and checks every answer with the oracles. A
// failure is shrunk to the smallest request that still fails.

import fc from 'fast-check';
import { brokenBytes } from './broken-bytes.ts';
import { Contract } from './document.ts';
import { Health } from './health.ts';
import { invalidRequests } from './invalid-requests.ts';
import { faultsOf } from './oracles.ts';
import { type Case, requestBytes } from './request.ts';
import { Shop, type Target } from './shop.ts';
import { validRequests } from './valid-requests.ts';
import { type Answer, exchange, NoAnswer } from './wire.ts';

export interface FuzzOptions {
  requests: number;
  seed: number;
  /** Connections, each with its own workspace. */
  lanes?: number;
  /** An answer that takes longer is a fault. */
  slowMs?: number;
  onProgress?: (done: number) => void;
  /** Called with every answer. */
  onAnswer?: (answer: Answer) => void;
}

export interface FuzzReport {
  requests: number;
  byKind: Record<string, number>;
  byStatus: Record<string, number>;
  accepted: Record<string, number>;
  failures: string[];
  residentMaxMiB: number;
  waitMaxMs: number;
  isAlive: boolean;
  seconds: number;
}

const ROUND = 500;
/** For one in this many invalid requests, the store is compared before and after. */
const LOOK_EVERY = 8;
/** Two looks at a shop and the request between them take less than this. */
const LOOKS_MS = 10_000;
const FAILURES_MAX = 10;
const RE_READ = new Set(['animals', 'categories', 'inventory', 'orders']);
const KEPT_EQUAL = ['content-length', 'etag', 'link', 'content-type', 'x-stability'];

export async function fuzz(target: Target, options: FuzzOptions): Promise<FuzzReport> {
  const startedAt = performance.now();
  const fuzzer = new Fuzzer(target, options);
  const report = await fuzzer.run();
  return { ...report, seconds: Math.round((performance.now() - startedAt) / 100) / 10 };
}

class Fuzzer {
  readonly #target: Target;
  readonly #options: FuzzOptions;
  readonly #report = {
    requests: 0,
    byKind: {} as Record<string, number>,
    byStatus: {} as Record<string, number>,
    accepted: {} as Record<string, number>,
    failures: [] as string[],
  };
  #contract!: Contract;

  constructor(target: Target, options: FuzzOptions) {
    this.#target = target;
    this.#options = options;
  }

  async run() {
    const response = await fetch(`http://127.0.0.1:${this.#target.port}/openapi.json`);
    this.#contract = new Contract(await response.json());
    const shops = Array.from({ length: this.#options.lanes ?? 8 }, () => new Shop(this.#target));
    for (const shop of shops) await shop.open();
    for (const [index, shop] of shops.entries()) shop.neighbour = shops.at(index - 1)!;
    const health = new Health(this.#target);
    await Promise.all(shops.map((shop, lane) => this.#runLane(shop, lane)));
    await health.stop();
    for (const shop of shops) shop.wire.close();
    const { residentMaxMiB, waitMaxMs, isAlive } = health;
    return { ...this.#report, residentMaxMiB, waitMaxMs, isAlive };
  }

  async #runLane(shop: Shop, lane: number): Promise<void> {
    const cases = casesOf(this.#contract);
    for (let round = 0; this.#isUnfinished(); round += 1) {
      const seed = this.#options.seed + round * 1_000 + lane;
      const property = fc.asyncProperty(cases, async (input) => {
        if (!this.#isUnfinished()) return;
        const faults = await this.#try(shop, input);
        if (faults.length > 0) throw new Error(faults.join('\n'));
      });
      const details = await fc.check(property, { seed, numRuns: ROUND });
      if (details.failed) this.#report.failures.push(failureText(seed, details.errorInstance));
    }
  }

  #isUnfinished(): boolean {
    const { requests, failures } = this.#report;
    return requests < this.#options.requests && failures.length < FAILURES_MAX;
  }

  /** Sends one request and returns the faults of its answers, followed by the request. */
  async #try(shop: Shop, input: Case): Promise<string[]> {
    const key = shop.keyFor(input.operation, input.credentials);
    const plain = requestBytes(input, shop.fill, key);
    const bytes = input.mutate ? input.mutate(plain) : plain;
    try {
      const { faults, answers } = await this.#send(shop, input, bytes);
      if (faults.length === 0) return faults;
      const shown = answers.map(({ status, text }) => `${status} ${text.slice(0, 400)}`);
      return [...faults, `request: ${show(bytes)}`, ...shown.map((text) => `answer: ${text}`)];
    } catch (err) {
      if (!(err instanceof NoAnswer)) throw err;
      return [`${input.operation.id} (${input.why}): ${err.message}`, `request: ${show(bytes)}`];
    }
  }

  async #send(shop: Shop, input: Case, bytes: Buffer) {
    const isHead = bytes.subarray(0, 5).toString() === 'HEAD ';
    const isWanted = input.kind === 'invalid' && this.#report.requests % LOOK_EVERY === 0;
    const isLookedAt = isWanted && !(await mayChangeByItself(shop));
    const before = isLookedAt ? await stateOf(shop) : '';
    const answers =
      input.kind === 'bytes'
        ? await exchange(this.#target.port, bytes, { isHead })
        : [await shop.wire.ask(bytes, isHead)];
    const isChanged = isLookedAt && (await stateOf(shop)) !== before;
    for (const answer of answers) this.#count(input, answer);
    const faults = answers.flatMap((answer) =>
      faultsOf(this.#contract, input, answer, this.#options.slowMs ?? 1_000),
    );
    if (isChanged) faults.push('was refused and changed the store');
    const [answer] = answers;
    // Broken bytes may still be a valid request.
    if (input.kind !== 'invalid' && answer) await shop.learn(input.operation, answer);
    if (input.kind === 'valid' && answer) {
      faults.push(...(await this.#readAgain(shop, input, answer, bytes)));
    }
    const about = `${input.operation.id} (${input.why}): `;
    return { answers, faults: faults.map((fault) => about + fault) };
  }

  /** A created record reads as it was answered, and HEAD answers with the headers of GET. */
  async #readAgain(shop: Shop, { operation }: Case, answer: Answer, bytes: Buffer) {
    const { location, 'idempotency-replayed': replayed } = answer.headers;
    if (answer.status === 201 && location && !replayed && RE_READ.has(operation.tag)) {
      const again = await shop.read(location.slice('/v1'.length));
      return again.text === answer.text ? [] : [`made ${answer.text} but reads ${again.text}`];
    }
    if (operation.method === 'GET' && answer.status === 200 && RE_READ.has(operation.tag)) {
      const head = Buffer.concat([Buffer.from('HEAD'), bytes.subarray(3)]);
      const other = await shop.wire.ask(head, true);
      return KEPT_EQUAL.filter((name) => other.headers[name] !== answer.headers[name]).map(
        (name) => `HEAD says ${name} ${other.headers[name]}, GET ${answer.headers[name]}`,
      );
    }
    return [];
  }

  #count({ kind, operation }: Case, answer: Answer): void {
    const { byKind, byStatus, accepted } = this.#report;
    this.#report.requests += 1;
    byKind[kind] = (byKind[kind] ?? 0) + 1;
    byStatus[answer.status] = (byStatus[answer.status] ?? 0) + 1;
    if (kind === 'valid' && answer.status < 400) {
      accepted[operation.id] = (accepted[operation.id] ?? 0) + 1;
    }
    this.#options.onAnswer?.(answer);
    this.#options.onProgress?.(this.#report.requests);
  }
}

function casesOf(contract: Contract): fc.Arbitrary<Case> {
  const ofOperation = contract.operations.map((operation) => {
    const valid = validRequests(contract, operation);
    const invalid = invalidRequests(contract, operation, valid);
    const broken = operation.tag === 'admin' ? [] : [{ weight: 2, arbitrary: brokenBytes(valid) }];
    return fc.oneof({ weight: 4, arbitrary: valid }, { weight: 6, arbitrary: invalid }, ...broken);
  });
  return fc.oneof(...ofOperation);
}

/** Whether an order of the shop expires before both looks are over. */
async function mayChangeByItself(shop: Shop): Promise<boolean> {
  const until = new Date(Date.now() + LOOKS_MS).toISOString();
  const { status, text } = await shop.read(`/store/orders?limit=1&expiresBefore=${until}`);
  return status !== 200 || text !== '[]';
}

/** The newest records of a shop, which only its own requests and the expiry of orders change. */
async function stateOf(shop: Shop): Promise<string> {
  const paths = ['/pets', '/categories', '/inventory', '/store/orders'];
  const texts: string[] = [];
  for (const path of paths) {
    const { status, text } = await shop.read(`${path}?limit=100&sort=-id`);
    // A refused list does not show its records.
    texts.push(status === 200 ? text : String(status));
  }
  return texts.join('\n');
}

function failureText(seed: number, err: unknown): string {
  const text = err instanceof Error ? (err.stack ?? err.message) : String(err);
  return `seed ${seed}\n${text.replace(/\n\s+at .*/g, '')}`;
}

function show(bytes: Buffer): string {
  return JSON.stringify(bytes.subarray(0, 3_000).toString('latin1'));
}
