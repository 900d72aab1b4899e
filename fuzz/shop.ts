import type { Operation } from './document.ts';
import type { RecordKind, Slot } from './request.ts';
import { type Answer, Wire } from './wire.ts';

export interface Target {
  port: number;
  pid: number;
  /** A key with every scope. */
  apiKey: string;
}

const LIMITS = { perMinute: 1_000_000_000, perDay: 1_000_000_000 };
const KEPT = 40;
const NEVER = { key: '0'.repeat(12) } as Record<string, string | undefined>;

interface Created {
  id?: number | string;
  key?: { key: string; id: string };
  workspace?: { id: number };
  plan?: string;
  results?: { pet?: { id: number } }[];
}

/** The workspace of one connection, and the records that its requests can name. */
export class Shop {
  readonly wire: Wire;
  readonly #root: string;
  readonly #records = new Map<RecordKind, (number | string)[]>();
  #workspaceId = 0;
  #key = '';
  #readOnlyKey = '';
  /** The store whose records are foreign here. */
  neighbour: Shop | undefined;

  constructor({ port, apiKey }: Target) {
    this.wire = new Wire(port);
    this.#root = apiKey;
  }

  async open(): Promise<void> {
    const input = { name: 'fuzzed', plan: 'enterprise', limits: LIMITS };
    const { workspace, key } = await this.#post('/admin/workspaces', input, this.#root);
    this.#workspaceId = workspace!.id;
    this.#key = key!.key;
    const readOnly = { name: 'reader', scopes: ['read'] };
    this.#readOnlyKey = (await this.#post('/keys', readOnly)).key as unknown as string;
    const categoryId = (await this.#post('/categories', { name: 'first' })).id!;
    this.#keep('category', categoryId);
    for (let index = 0; index < 5; index += 1) {
      const petId = (await this.#post('/pets', { name: `pet ${index}`, categoryId })).id!;
      this.#keep('pet', petId);
      this.#keep('order', (await this.#post('/store/orders', { petId })).id!);
    }
    this.#keep('key', (await this.#post('/keys', { name: 'spare', scopes: ['read'] })).id!);
    const spare = await this.#post('/admin/workspaces', { name: 'spare' }, this.#root);
    this.#keep('workspace', spare.workspace!.id);
  }

  keyFor({ tag }: Operation, credentials: 'own' | 'read-only' | 'none'): string | undefined {
    if (credentials === 'none') return undefined;
    if (credentials === 'read-only') return this.#readOnlyKey;
    return tag === 'admin' ? this.#root : this.#key;
  }

  fill = (slot: Slot): number | string => {
    const shop = slot.isForeign ? this.neighbour! : this;
    const records = shop.#records.get(slot.kind) ?? [];
    return records[slot.index % records.length] ?? NEVER[slot.kind] ?? 424_242;
  };

  /** Remembers created records, and restores the plan when a request has lowered its limits. */
  async learn({ id: operation }: Operation, { status, text }: Answer): Promise<void> {
    if ((status !== 201 && status !== 200) || !text.startsWith('{')) return;
    const made = JSON.parse(text) as Created;
    if (operation === 'createPet') this.#keep('pet', made.id);
    if (operation === 'createCategory') this.#keep('category', made.id);
    if (operation === 'placeOrder') this.#keep('order', made.id);
    if (operation === 'createKey' || operation === 'rotateKey') this.#keep('key', made.id);
    if (operation === 'adminCreateWorkspace') this.#keep('workspace', made.workspace?.id);
    if (operation === 'createPets')
      for (const row of made.results ?? []) this.#keep('pet', row.pet?.id);
    if (operation === 'updateWorkspace' && made.plan !== 'enterprise') {
      const path = `/admin/workspaces/${this.#workspaceId}`;
      await this.#send('PATCH', path, { plan: 'enterprise', limits: LIMITS }, this.#root);
    }
  }

  read(path: string, method = 'GET'): Promise<Answer> {
    return this.#send(method, path, undefined, this.#key);
  }

  #keep(kind: RecordKind, id: number | string | undefined): void {
    if (id === undefined) return;
    const records = this.#records.get(kind) ?? [];
    this.#records.set(kind, [...records, id].slice(-KEPT));
  }

  async #post(path: string, body: unknown, key = this.#key): Promise<Created> {
    const { status, text } = await this.#send('POST', path, body, key);
    if (status !== 201) throw new Error(`setting up a shop: ${status} ${text}`);
    return JSON.parse(text) as Created;
  }

  #send(method: string, path: string, body: unknown, key: string): Promise<Answer> {
    const text = body === undefined ? '' : JSON.stringify(body);
    const type = body === undefined ? '' : 'content-type: application/json\r\n';
    const head = `${method} /v1${path} HTTP/1.1\r\nhost: petstore.test\r\nauthorization: Bearer ${key}\r\n`;
    const length = `content-length: ${Buffer.byteLength(text)}\r\n\r\n`;
    return this.wire.ask(Buffer.from(`${head}${type}${length}${text}`), method === 'HEAD');
  }
}
