import { readFileSync } from 'node:fs';
import type { Target } from './shop.ts';
import { Wire } from './wire.ts';

const EVERY_MS = 250;
const HEALTH = Buffer.from('GET /healthz HTTP/1.1\r\nhost: petstore.test\r\n\r\n');

/** Watches the process from outside: whether it runs and says so, how large it is, how long /healthz takes. */
export class Health {
  residentMaxMiB = 0;
  waitMaxMs = 0;
  isAlive = true;
  readonly #wire: Wire;
  readonly #pid: number;
  readonly #timer: NodeJS.Timeout;
  #looking: Promise<void> | undefined;

  constructor({ port, pid }: Target) {
    this.#wire = new Wire(port);
    this.#pid = pid;
    this.#timer = setInterval(() => {
      this.#looking ??= this.#look().finally(() => {
        this.#looking = undefined;
      });
    }, EVERY_MS);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
    await this.#look();
    this.#wire.close();
  }

  async #look(): Promise<void> {
    try {
      const text = readFileSync(`/proc/${this.#pid}/status`, 'utf8');
      const kiB = Number(/VmRSS:\s+(\d+)/.exec(text)?.[1] ?? 0);
      this.residentMaxMiB = Math.max(this.residentMaxMiB, Math.round(kiB / 1024));
      const { ms, status } = await this.#wire.ask(HEALTH);
      if (status !== 200) this.isAlive = false;
      this.waitMaxMs = Math.max(this.waitMaxMs, Math.round(ms));
    } catch {
      this.isAlive = false;
    }
  }
}
