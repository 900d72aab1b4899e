// Makes the first, second, third … call on the database's files fail while an order is placed and the store is read, until
// no call is left to fail. Each time the order is placed whole or not at all, it is answered with 201 or 503, a read with
// 200 or 503, and the next order and the next reads succeed: at once, or after a restart if the service has ended.

import { check, type Faults } from '../checks/checkers.ts';
import { settle } from '../checks/settle.ts';
import { Client, type Reply } from '../client.ts';
import { History } from '../history.ts';
import { Service } from '../service.ts';
import { faultsInDatabase, readState } from '../state.ts';
import type { Store } from '../store.ts';
import { placeOrder, Workload } from '../workload.ts';
import type { Fault } from './io-faults.ts';
import { IoFaults } from './io-faults.ts';

export interface Plan extends Omit<Fault, 'nth'> {
  /** 3 fails the first call, the fourth, the seventh … instead of each. */
  step?: number;
}

export interface CallsReport {
  /** Calls that were made to fail. */
  failed: number;
  /** How often the service ended by itself. */
  exits: number;
  faults: Faults;
}

const CALLS_MAX = 500;
/** How much of the output a fault shows. */
const SHOWN = 4_000;
const ENDS_BECAUSE = 'the database cannot be written any more';
const READS = ['/v1/inventory', '/v1/store/orders', '/v1/categories', '/v1/pets'];
/** A service that has not ended by then hangs, even on a slow machine. */
const EXIT_MS = 120_000;

export async function failCalls(
  store: Store,
  plans: readonly Plan[],
  onPlan: (done: number) => void = () => undefined,
): Promise<CallsReport> {
  const bench = new Bench(store);
  try {
    await bench.open();
    for (const [at, plan] of plans.entries()) {
      await failEach(bench, plan);
      await bench.inspectDatabase();
      onPlan(at + 1);
    }
    await bench.restart('SIGKILL');
    await bench.inspect('after all of them');
    await bench.inspectDatabase();
    return bench.report;
  } finally {
    await bench.close();
  }
}

async function failEach(bench: Bench, plan: Plan): Promise<void> {
  const { step = 1, ...fault } = plan;
  for (let nth = 1; nth <= CALLS_MAX; nth += step) {
    const name = `${plan.error} ${plan.isOnward ? 'from call' : 'at call'} ${nth}`;
    const { order, reads, fired } = await bench.useDuring({ ...fault, nth });
    if (fired === 0) {
      if (nth === 1) bench.report.faults.push(`${name}: no call was made to fail`);
      return;
    }
    bench.report.failed += 1;
    bench.judge(name, order, 201);
    for (const read of reads) bench.judge(name, read, 200);
    await bench.recover(name);
    await bench.inspect(name);
  }
  bench.report.faults.push(`more than ${CALLS_MAX} calls for one order`);
}

class Bench {
  readonly report: CallsReport = { failed: 0, exits: 0, faults: [] };
  readonly #store: Store;
  readonly #faults: IoFaults;
  readonly #history = new History();
  readonly #client: Client;
  #service!: Service;
  #petId = 0;

  constructor(store: Store) {
    this.#store = store;
    this.#faults = new IoFaults(store.folder);
    this.#client = new Client(() => this.#service.port, store.apiKey);
  }

  async open(): Promise<void> {
    await this.#start();
    const { apiKey } = this.#store;
    await new Workload(this.#history, apiKey, () => this.#service.port, 0).open();
    this.#petId = this.#history.entries[0]!.id!;
    await this.#order();
  }

  async useDuring(fault: Fault): Promise<{ order: Reply; reads: Reply[]; fired: number }> {
    this.#faults.arm(fault);
    const order = await this.#order();
    const reads: Reply[] = [];
    for (const path of READS) reads.push(await this.#client.send({ method: 'GET', path }));
    const { fired } = this.#faults;
    this.#faults.disarm();
    return { order, reads, fired };
  }

  judge(name: string, reply: Reply, success: number): void {
    // A service that ends by itself cuts reads off.
    if (reply.kind !== 'answer' && success === 200) return;
    if (reply.kind !== 'answer') {
      this.report.faults.push(`${name}: no answer (${JSON.stringify(reply)})`);
      return;
    }
    const { status, headers, body } = reply;
    const isRefused = status === 503 && (body as { code: string }).code === 'unavailable';
    if (status === success || (isRefused && headers.has('retry-after'))) return;
    this.report.faults.push(`${name}: answered ${status} ${reply.text}`);
  }

  /** The next order must succeed, after a restart if the service ends. Its exit code must then not be 0. */
  async recover(name: string): Promise<void> {
    if (isPlaced(await this.#order())) return;
    await this.#startAfterExit(name);
    if (!isPlaced(await this.#order()))
      this.report.faults.push(`${name}: no order after a restart`);
  }

  async #startAfterExit(name: string): Promise<void> {
    const exit = await Promise.race([this.#service.exited(), later(EXIT_MS)]);
    if (!exit) {
      this.report.faults.push(
        `${name}: it neither writes nor ends: ${this.#service.output.slice(-SHOWN)}`,
      );
      await this.restart('SIGKILL');
    } else {
      this.report.exits += 1;
      // Only a write that may have been lost ends the service. A failed read does not.
      const isClean =
        exit.signal === null && exit.code !== 0 && this.#service.output.includes(ENDS_BECAUSE);
      if (!isClean) {
        const said = this.#service.output.slice(-SHOWN);
        this.report.faults.push(`${name}: ended with ${JSON.stringify(exit)}: ${said}`);
      }
      await this.#start();
    }
  }

  async inspect(name: string): Promise<void> {
    // The failed call may have been one of the counts that the service writes now and then. It ends a little later then.
    const state = await readState(this.#client).catch(async () => {
      await this.#startAfterExit(name);
      return readState(this.#client);
    });
    this.report.faults.push(...check(this.#history, state).map((fault) => `${name}: ${fault}`));
    settle(this.#history, state);
  }

  async inspectDatabase(): Promise<void> {
    this.report.faults.push(...(await faultsInDatabase(this.#store)));
  }

  async restart(signal: NodeJS.Signals): Promise<void> {
    await this.#service.end(signal);
    await this.#start();
  }

  async close(): Promise<void> {
    this.#client.close();
    await this.#service.end('SIGINT');
    this.#faults.remove();
  }

  async #start(): Promise<void> {
    const environment = { ...this.#store.environment, ...this.#faults.environment };
    this.#client.close();
    this.#service = await Service.start({ environment });
  }

  async #order(): Promise<Reply> {
    const entry = this.#history.begin(placeOrder(this.#petId, 1, false));
    let reply: Reply = { kind: 'refused' };
    await this.#history.attempt(entry, async (request) => {
      reply = await this.#client.send(request);
      return reply;
    });
    return reply;
  }
}

function isPlaced(reply: Reply): boolean {
  return reply.kind === 'answer' && reply.status === 201;
}

function later(milliseconds: number): Promise<undefined> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(undefined), milliseconds).unref();
  });
}
