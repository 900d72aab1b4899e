// Messages for /mcp, most of them broken, and what must be true of every answer to them.

import fc from 'fast-check';

export interface BrokenMessage {
  body: string;
  headers: Record<string, string>;
}

const METHODS = ['tools/list', 'tools/call', 'server/discover', 'initialize', 'ping', '__proto__'];
const TOOLS = ['listPets', 'placeOrder', 'createPets', 'updatePet', 'createKey', 'toString', ''];
const FIELDS = ['petId', 'id', 'name', 'cursor', 'limit', 'pets', 'dryRun', 'idempotencyKey', '%'];
const VERSIONS = ['2026-07-28', '2025-11-25', '2025-06-18', '2099-01-01', ''];
const LEAKS = /node_modules|\.ts:\d+|SQLITE|\b(TypeError|RangeError)\b|psk_[A-Za-z0-9]{20,}/;

/** Any JSON, with texts that are hard to encode. */
const anything = fc.jsonValue({ stringUnit: 'binary', maxDepth: 3 });
const given = fc.dictionary(fc.constantFrom(...FIELDS), anything, { maxKeys: 4 });
const method = fc.oneof(fc.constantFrom(...METHODS), fc.string());
const params = fc.oneof(
  anything,
  fc.record({
    name: fc.constantFrom<unknown>(...TOOLS, 5, null),
    arguments: fc.oneof(given, anything),
  }),
);

const message = fc.record(
  {
    jsonrpc: fc.constantFrom<unknown>('2.0', '2.0', '2.0', '1.0', 2),
    id: fc.oneof(fc.integer(), fc.string(), anything),
    method: fc.oneof(method, anything),
    params,
    revision: fc.option(fc.constantFrom(...VERSIONS), { nil: undefined }),
    isMirrored: fc.boolean(),
  },
  { requiredKeys: ['jsonrpc', 'isMirrored', 'revision'] },
);

export function brokenMessages(): fc.Arbitrary<BrokenMessage> {
  const cut = fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: undefined, freq: 4 });
  return fc.tuple(message, cut).map(([{ revision, isMirrored, ...parts }, share]) => {
    const envelope = {
      'io.modelcontextprotocol/protocolVersion': revision,
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const isObject = typeof parts.params === 'object' && parts.params !== null;
    const whole =
      revision === undefined || !isObject
        ? parts
        : { ...parts, params: { ...(parts.params as object), _meta: envelope } };
    const text = JSON.stringify(whole);
    const body = share === undefined ? text : text.slice(0, Math.floor(text.length * share));
    return { body, headers: isMirrored ? mirrorOf(parts, revision) : {} };
  });
}

function mirrorOf(parts: { method?: unknown; params?: unknown }, revision: string | undefined) {
  const name = (parts.params as { name?: unknown } | null | undefined)?.name;
  const headers: Record<string, unknown> = {
    'mcp-protocol-version': revision,
    'mcp-method': parts.method,
    'mcp-name': name,
  };
  const sendable = Object.entries(headers).filter(
    ([, value]) => typeof value === 'string' && /^[!-~]+$/.test(value),
  );
  return Object.fromEntries(sendable) as Record<string, string>;
}

/** The faults of an answer, in words. */
export function messageFaults(status: number, headers: Headers, text: string): string[] {
  const missing = ['x-ratelimit-remaining', 'ratelimit', 'x-request-id'].filter(
    (name) => !headers.has(name),
  );
  return [
    ...(status >= 500 ? [`answered ${status}`] : []),
    ...missing.map((name) => `has no ${name}`),
    ...(LEAKS.test(text) ? ['shows the inside of the service'] : []),
    ...(status === 202 ? [] : shapeFaults(status, text)),
  ];
}

function shapeFaults(status: number, text: string): string[] {
  const body = JSON.parse(text) as Record<string, unknown>;
  const isReply = body.jsonrpc === '2.0' && ('result' in body || 'error' in body);
  const isRefused = status >= 400 && typeof body.code === 'string';
  return isReply || isRefused ? [] : [`is neither a reply nor an error: ${text.slice(0, 200)}`];
}
