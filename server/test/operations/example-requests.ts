// One valid request per operation, for the tests that loop over all operations. A new operation needs a row here that
// creates what the request needs and returns its path and body.

import type { Answer, CallOptions, TestApp } from '../support/app.ts';

export interface ExampleRequest {
  path: string;
  body?: unknown;
  /** How the request is sent, where not with the key of the world. */
  options?: CallOptions;
}

/** How an example is sent. With another key, or with none, it is not the request of a session. */
export function optionsFor({ body, options: usual }: ExampleRequest, options: CallOptions = {}) {
  const own = options.key === undefined ? usual : undefined;
  const headers = { ...own?.headers, ...options.headers };
  return { ...(body === undefined ? {} : { body }), ...own, ...options, headers };
}

/** A workspace for the examples. Each method creates a new record and returns its id. */
const SILENT_URL = 'http://127.0.0.1:9/hooks';

export class World {
  readonly app: TestApp;
  readonly key: string;
  static #count = 0;

  constructor(app: TestApp, key: string) {
    this.app = app;
    this.key = key;
  }

  async category(): Promise<number> {
    return (await this.#post('/v1/categories', { name: uniqueName('category') })).id;
  }

  async pet(): Promise<number> {
    const categoryId = await this.category();
    return (await this.#post('/v1/pets', { name: uniqueName('pet'), categoryId })).id;
  }

  async order(): Promise<number> {
    return (await this.#post('/v1/store/orders', { petId: await this.pet() })).id;
  }

  /** The id of a request that wrote. */
  async request(): Promise<string> {
    const body = { name: uniqueName('category') };
    const { headers } = await this.app.call('POST', '/v1/categories', { key: this.key, body });
    return headers.get('x-request-id')!;
  }

  /** The id of a row of the ledger. */
  async adjustment(petId: number): Promise<number> {
    const body = { delta: 2, reason: 'delivery' };
    return (await this.#post(`/v1/inventory/${petId}/adjustments`, body)).id;
  }

  async apiKey(): Promise<string> {
    const input = { name: uniqueName('key'), scopes: ['manage'] };
    return (await this.#post('/v1/keys', input)).id;
  }

  /** What a page of the console sends in place of a key. A new minute begins, since sign-ins have a cap. */
  async session(): Promise<CallOptions> {
    this.startNewMinute();
    const { headers } = await this.app.call('POST', '/v1/session', { key: this.key });
    const [cookie] = headers.get('set-cookie')!.split(';') as [string];
    return { key: null, headers: { cookie, 'sec-fetch-site': 'same-origin' } };
  }

  /** With its first key. */
  otherWorkspace() {
    return this.#postAsOperator({ name: uniqueName('workspace') });
  }

  async workspace(): Promise<number> {
    return (await this.otherWorkspace()).workspace.id;
  }

  /** A workspace has room for 100. */
  async makeRoomForWebhook(): Promise<void> {
    const { body } = await this.app.call('GET', '/v1/webhooks?limit=100', { key: this.app.key });
    const isOwn = this.key === this.app.key;
    if (!isOwn || body.length < 90) return;
    for (const { id } of body) {
      await this.app.call('DELETE', `/v1/webhooks/${id}`, { key: this.key });
    }
  }

  /** Nothing listens at its URL. */
  async webhook(): Promise<number> {
    await this.makeRoomForWebhook();
    const { id } = await this.#post('/v1/webhooks', { url: SILENT_URL, after: '0' });
    return id;
  }

  /** The same, as if its URL had been verified. */
  async verifiedWebhook(): Promise<number> {
    const id = await this.webhook();
    const { body } = await this.app.call('GET', '/v1/workspace', { key: this.key });
    await this.app.transact(async (tx) => {
      const webhook = (await tx.webhooks.findAndLock(body.id, id))!;
      await tx.webhooks.update({ ...webhook, isVerified: true, state: 'enabled' });
    });
    return id;
  }

  /** The id of a key that is banned. */
  async bannedKey(): Promise<string> {
    const limits = { perMinute: 1, perDay: 1 };
    const input = { name: uniqueName('workspace'), plan: 'enterprise', limits };
    const { key } = await this.#postAsOperator(input);
    for (;;) {
      const { body } = await this.app.call('GET', '/v1/pets', { key: key.key });
      if (body.code === 'key_banned') return key.id;
    }
  }

  /** Reading the feed has a cap per minute, which the tests of many operations together would exceed. */
  startNewMinute(): void {
    this.app.clock.advance(61_000);
  }

  static nextNumber(): number {
    World.#count += 1;
    return World.#count;
  }

  async #post(path: string, body: unknown) {
    return expectCreated(await this.app.call('POST', path, { body, key: this.key }));
  }

  async #postAsOperator(body: unknown) {
    return expectCreated(await this.app.call('POST', '/v1/admin/workspaces', { body }));
  }
}

// biome-ignore lint/suspicious/noExplicitAny: a test names the fields it expects.
function expectCreated({ status, body, text }: Answer<any>): any {
  if (status !== 201) throw new Error(`expected 201, got ${status}: ${text}`);
  return body;
}

function uniqueName(kind: string): string {
  return `${kind} ${World.nextNumber()}`;
}

type Example = (world: World) => Promise<ExampleRequest>;

export const exampleRequests: Record<string, Example> = {
  listPets: async (world) => {
    await world.pet();
    return { path: '/pets' };
  },
  createPet: async (world) => {
    const categoryId = await world.category();
    return { path: '/pets', body: { name: 'Rex', categoryId, status: 'pending' } };
  },
  createPets: async (world) => {
    const pets = [{ name: 'Rex', categoryId: await world.category() }];
    return { path: '/pets/batch', body: { pets } };
  },
  putPetByReference: async (world) => ({
    path: `/pets/by-reference/${World.nextNumber()}`,
    body: { name: 'Rex', categoryId: await world.category() },
  }),
  getPet: async (world) => ({ path: `/pets/${await world.pet()}` }),
  updatePet: async (world) => ({ path: `/pets/${await world.pet()}`, body: { name: 'Max' } }),
  deletePet: async (world) => ({ path: `/pets/${await world.pet()}` }),
  listCategories: async (world) => {
    await world.category();
    return { path: '/categories' };
  },
  createCategory: async () => ({
    path: '/categories',
    body: { name: uniqueName('category'), description: 'Loud.' },
  }),
  getCategory: async (world) => ({ path: `/categories/${await world.category()}` }),
  updateCategory: async (world) => ({
    path: `/categories/${await world.category()}`,
    body: { description: 'Quiet.' },
  }),
  deleteCategory: async (world) => ({ path: `/categories/${await world.category()}` }),
  listInventory: async (world) => {
    await world.pet();
    return { path: '/inventory' };
  },
  getInventoryItem: async (world) => ({ path: `/inventory/${await world.pet()}` }),
  updateInventory: async (world) => ({
    path: `/inventory/${await world.pet()}`,
    body: { quantity: 5, reason: 'counted' },
  }),
  setStock: async (world) => ({
    path: '/inventory/batch',
    body: { items: [{ petId: await world.pet(), quantity: 5, reason: 'counted' }] },
  }),
  adjustInventory: async (world) => ({
    path: `/inventory/${await world.pet()}/adjustments`,
    body: { delta: 2, reason: 'delivery' },
  }),
  reverseMovement: async (world) => {
    const pet = await world.pet();
    return { path: `/inventory/${pet}/movements/${await world.adjustment(pet)}/reversal` };
  },
  listMovements: async (world) => ({ path: `/inventory/${await world.pet()}/movements` }),
  listLedger: async (world) => ({ path: `/movements?petId=${await world.pet()}` }),
  listOrders: async (world) => {
    await world.order();
    return { path: '/store/orders' };
  },
  placeOrder: async (world) => ({
    path: '/store/orders',
    body: { petId: await world.pet(), shipDate: '2026-12-24T10:00:00+01:00' },
  }),
  placeOrders: async (world) => ({
    path: '/store/orders/batch',
    body: { orders: [{ petId: await world.pet() }] },
  }),
  getOrder: async (world) => ({ path: `/store/orders/${await world.order()}` }),
  updateOrder: async (world) => ({
    path: `/store/orders/${await world.order()}`,
    body: { shipDate: '2026-12-24T10:00:00Z' },
  }),
  cancelOrder: async (world) => ({ path: `/store/orders/${await world.order()}` }),
  getWorkspace: async () => ({ path: '/workspace' }),
  updateWorkspace: async () => ({ path: '/workspace', body: { name: uniqueName('Paws') } }),
  closeWorkspace: async (world) => {
    const { workspace, key } = await world.otherWorkspace();
    return { path: '/workspace/close', body: { name: workspace.name }, options: { key: key.key } };
  },
  reopenWorkspace: async (world) => {
    const { path, ...closing } = await exampleRequests.closeWorkspace!(world);
    await world.app.call('POST', `/v1${path}`, optionsFor({ path, ...closing }));
    return { path: '/workspace/reopen', options: closing.options! };
  },
  exportWorkspace: async () => ({ path: '/workspace/export' }),
  signUp: async () => ({ path: '/signup', body: { name: 'Happy Paws' } }),
  listKeys: async (world) => {
    await world.apiKey();
    return { path: '/keys' };
  },
  createKey: async () => ({ path: '/keys', body: { name: 'web shop', scopes: ['manage'] } }),
  revokeKey: async (world) => ({ path: `/keys/${await world.apiKey()}` }),
  rotateKey: async (world) => ({
    path: `/keys/${await world.apiKey()}/rotate`,
    body: { overlapSeconds: 60 },
  }),
  createSession: async (world) => {
    world.startNewMinute();
    return { path: '/session' };
  },
  getSession: async (world) => ({ path: '/session', options: await world.session() }),
  deleteSession: async (world) => ({ path: '/session', options: await world.session() }),
  listPlans: async () => ({ path: '/plans' }),
  getUsage: async (world) => {
    await world.pet();
    return { path: '/usage' };
  },
  getUsageAdvice: async (world) => {
    await world.pet();
    return { path: '/usage/advice' };
  },
  getUsageMinutes: async (world) => {
    await world.pet();
    return { path: '/usage/minutes?minutes=2' };
  },
  exportAudit: async () => ({ path: '/audit/export' }),
  listAudit: async () => ({ path: '/audit' }),
  listRequests: async (world) => {
    world.startNewMinute();
    await world.pet();
    return { path: '/requests' };
  },
  getRequest: async (world) => {
    world.startNewMinute();
    return { path: `/requests/${await world.request()}` };
  },
  listEvents: async (world) => {
    await world.pet();
    world.startNewMinute();
    return { path: '/events?after=0' };
  },
  getEvent: async (world) => {
    await world.pet();
    world.startNewMinute();
    const { body } = await world.app.call('GET', '/v1/events?limit=1', { key: world.key });
    return { path: `/events/${body[0].id}` };
  },
  streamEvents: async (world) => {
    world.startNewMinute();
    return { path: '/events/stream' };
  },
  listWebhooks: async (world) => {
    await world.webhook();
    return { path: '/webhooks' };
  },
  createWebhook: async (world) => {
    await world.makeRoomForWebhook();
    return { path: '/webhooks', body: { url: SILENT_URL, types: ['order.*'], batchMax: 10 } };
  },
  getWebhook: async (world) => ({ path: `/webhooks/${await world.webhook()}` }),
  updateWebhook: async (world) => ({
    path: `/webhooks/${await world.webhook()}`,
    body: { state: 'disabled' },
  }),
  deleteWebhook: async (world) => ({ path: `/webhooks/${await world.webhook()}` }),
  rotateWebhookSecret: async (world) => ({
    path: `/webhooks/${await world.webhook()}/rotate`,
    body: { overlapSeconds: 60 },
  }),
  pingWebhook: async (world) => ({ path: `/webhooks/${await world.webhook()}/ping` }),
  replayWebhook: async (world) => ({
    path: `/webhooks/${await world.webhook()}/replay`,
    body: { after: '0' },
  }),
  listAttempts: async (world) => {
    const id = await world.webhook();
    await world.app.call('POST', `/v1/webhooks/${id}/ping`, { key: world.key });
    return { path: `/webhooks/${id}/attempts` };
  },
  listParked: async (world) => ({ path: `/webhooks/${await world.webhook()}/parked` }),
  redeliverEvent: async (world) => {
    await world.pet();
    const path = `/webhooks/${await world.verifiedWebhook()}/deliveries`;
    return { path, body: { eventId: '1' } };
  },
  adminListWorkspaces: async () => ({ path: '/admin/workspaces' }),
  adminCreateWorkspace: async () => ({
    path: '/admin/workspaces',
    body: { name: 'Happy Paws', plan: 'enterprise', limits: { perMinute: 5, perDay: 50 } },
  }),
  adminGetWorkspace: async (world) => ({ path: `/admin/workspaces/${await world.workspace()}` }),
  adminUpdateWorkspace: async (world) => ({
    path: `/admin/workspaces/${await world.workspace()}`,
    body: { plan: 'pro' },
  }),
  adminListKeys: async (world) => ({
    path: `/admin/keys?id=${(await world.apiKey()).slice(0, 8)}`,
  }),
  adminRevokeKey: async (world) => {
    const { key } = await world.otherWorkspace();
    return { path: `/admin/keys/${key.id}` };
  },
  adminAddGrant: async (world) => ({
    path: `/admin/workspaces/${await world.workspace()}/grants`,
    body: { perDay: 5, reason: 'a sale' },
  }),
  adminSuspendWorkspace: async (world) => ({
    path: `/admin/workspaces/${await world.workspace()}/suspend`,
    body: { reason: 'unpaid' },
  }),
  adminResumeWorkspace: async (world) => {
    const { path, body } = await exampleRequests.adminSuspendWorkspace!(world);
    await world.app.call('POST', `/v1${path}`, { body });
    return { path: path.replace('suspend', 'resume') };
  },
  adminCloseWorkspace: async (world) => {
    const { id, name } = (await world.otherWorkspace()).workspace;
    return { path: `/admin/workspaces/${id}/close`, body: { name, graceDays: 365 } };
  },
  adminReopenWorkspace: async (world) => {
    const { path, body } = await exampleRequests.adminCloseWorkspace!(world);
    await world.app.call('POST', `/v1${path}`, { body });
    return { path: path.replace('close', 'reopen') };
  },
  adminExportWorkspace: async (world) => {
    const { id } = (await world.otherWorkspace()).workspace;
    return { path: `/admin/workspaces/${id}/export` };
  },
  adminListBans: async (world) => {
    await world.bannedKey();
    return { path: '/admin/bans' };
  },
  adminExportAudit: async () => ({ path: '/admin/audit/export' }),
  adminListAudit: async () => ({ path: '/admin/audit' }),
  adminListRequests: async (world) => {
    world.startNewMinute();
    return { path: '/admin/requests' };
  },
  adminGetRequest: async (world) => {
    world.startNewMinute();
    return { path: `/admin/requests/${await world.request()}` };
  },
  adminListNodes: async () => ({ path: '/admin/nodes' }),
  adminLiftBan: async (world) => ({ path: `/admin/bans/${await world.bannedKey()}` }),
};
