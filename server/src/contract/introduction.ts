// The introduction of the reference: how to authenticate, page, retry and so on, each with an example that a test runs. It
// is the description of the OpenAPI document and a page of its own (http/pages/html-pages.ts).

import { errorCodes, errorTable } from '../domain/errors.ts';
import { plans } from '../domain/plan.ts';
import { docUrlOf } from './links.ts';

export interface Section {
  /** Its anchor on the page. */
  id: string;
  title: string;
  /** Paragraphs; `code` stands between backquotes. */
  text: readonly string[];
  /** A shell command; $API is the URL of the API, with its version, and $API_KEY a key. */
  command?: string;
  /** Lines of its output; … stands for what is left out. */
  output?: readonly string[];
  table?: { head: readonly string[]; rows: readonly (readonly string[])[] };
}

const AUTHORIZATION = '-H "Authorization: Bearer $API_KEY"';

/** A request with a JSON body, one option per line. */
function sending(body: string, path: string, ...options: string[]): string {
  const lines = [
    ...options,
    "-H 'Content-Type: application/json'",
    `-d '${body}'`,
    `"$API${path}"`,
  ];
  return [`curl -si ${AUTHORIZATION}`, ...lines].join(' \\\n  ');
}

export const SUMMARY =
  'Pets, categories, stock and orders of a store, behind API keys with plans and request limits.';

export const introduction: readonly Section[] = [
  {
    id: 'authentication',
    title: 'Authentication',
    text: [
      'The examples use `$API`, the base URL of the API (`http://127.0.0.1:8080/v1` on your machine), and `$API_KEY`, your key.',
      'Send your API key as `Authorization: Bearer <API_KEY>`. `X-API-Key: <API_KEY>` works too. A key in a URL is ignored.',
      'A key belongs to one workspace and has scopes: `read` reads the store, `write` changes pets, categories, stock and orders, `manage` is for keys, webhooks and the workspace, `operate` for the whole service. No scope implies another. The first start of the service prints a key with all scopes.',
    ],
    command: `curl -s ${AUTHORIZATION} "$API/workspace"`,
    output: ['{"id":1,"name":"default","plan":"free",…}'],
  },
  {
    id: 'first-request',
    title: 'A first request',
    text: [
      'Create a category and a pet. The response contains the new record, and `Location` is its path.',
    ],
    command: `${sending('{"name":"Reptiles"}', '/categories')}
${sending('{"name":"Rex","categoryId":1}', '/pets')}`,
    output: ['HTTP/1.1 201 Created', 'location: /v1/pets/1', '{"id":1,"name":"Rex",…}'],
  },
  {
    id: 'paging',
    title: 'Paging',
    text: [
      'A list is a JSON array of up to 20 records; `limit` sets another number, up to 100. If there are more records, the response has a `Link` header with `rel="next"`, a relative reference. Follow it unchanged: its cursor is bound to the filters and the sort.',
      'Pages never repeat or skip a record that exists the whole time. A record whose sort key changes meanwhile may appear twice or not at all.',
    ],
    command: `${sending('{"name":"Ada","categoryId":1}', '/pets')}
curl -si ${AUTHORIZATION} "$API/pets?limit=1"`,
    output: ['link: </v1/pets?limit=1&cursor=…>; rel="next"', '[{"id":1,"name":"Rex",…}]'],
  },
  {
    id: 'errors',
    title: 'Errors',
    text: [
      'Every error is one JSON object. `code` is for programs and keeps its meaning. New codes may be added, so handle an unknown code by its `status`. `message` is for people and may change. `requestId` identifies the request in the logs of the service. `docUrl` is the path of the documentation of the code. `details` lists the invalid fields, or the facts of a conflict or limit.',
    ],
    command: sending('{"nickname":"Rex"}', '/pets'),
    output: [
      'HTTP/1.1 400 Bad Request',
      `{"code":"invalid_request","message":"…","status":400,"requestId":"…","docUrl":"${docUrlOf('invalid_request')}","details":[…]}`,
    ],
    table: {
      head: ['code', 'status', 'what happened', 'what to do'],
      rows: errorCodes.map((code) => {
        const { status, message, remedy } = errorTable[code];
        return [`\`${code}\``, String(status), message, remedy];
      }),
    },
  },
  {
    id: 'limits',
    title: 'Limits',
    text: [
      'The service counts the requests of all keys of a workspace together, per minute and per UTC day. A minute starts with the first counted request. Refused requests cost nothing. `GET /usage`, `/usage/advice`, `/usage/minutes`, `/session`, `/plans`, `/events`, `/events/{eventId}` and `/events/stream` cost no quota.',
      'Every response shows how many requests are left. `X-RateLimit-Limit`, `-Remaining` and `-Reset` describe the window that refused, otherwise the one with the fewest requests left; `RateLimit-Policy` and `RateLimit` describe both. A 429 carries `Retry-After` in seconds. After 30 refusals within a minute, the service bans the key for a time, longer with each ban.',
    ],
    command: `curl -si ${AUTHORIZATION} "$API/pets"`,
    output: [
      'ratelimit-policy: "minute";q=60;w=60, "day";q=1000;w=86400',
      'x-ratelimit-remaining: …',
    ],
    table: {
      head: ['plan', 'requests a minute', 'requests a day'],
      rows: plans.map(({ name, limits }) => [
        name,
        limits ? String(limits.perMinute) : 'custom',
        limits ? String(limits.perDay) : 'custom',
      ]),
    },
  },
  {
    id: 'idempotency',
    title: 'Idempotency',
    text: [
      'To repeat a POST, PATCH or DELETE safely after a lost connection, send it with an `Idempotency-Key` of your choice. For 24 hours, the same request with the same key returns the stored response, with `Idempotency-Replayed: true`, and changes nothing. A different request with the same key is 422.',
    ],
    command: `${sending('{"petId":1}', '/store/orders', "-H 'Idempotency-Key: order-1'")}
${sending('{"petId":1}', '/store/orders', "-H 'Idempotency-Key: order-1'")}`,
    output: ['HTTP/1.1 201 Created', 'idempotency-replayed: true', '{"id":1,"petId":1,…}'],
  },
  {
    id: 'dry-run',
    title: 'Dry run',
    text: [
      'With `dryRun=true`, the service checks a write on pets, categories, inventory, orders or the workspace as usual, but saves nothing: no record, no row in the ledger, no event. The response carries `Dry-Run: true` and no `ETag`. A POST returns 200 with the record as it would be, without `id`. A PATCH or DELETE returns its usual response.',
      'A dry run costs as much as the request itself. It checks `If-Match` and `If-None-Match`, ignores an `Idempotency-Key` and does not use it up. It reserves nothing: another request may come first. Other writes, such as those that create keys, return 400.',
    ],
    command: sending('{"petId":2}', '/store/orders?dryRun=true'),
    output: ['HTTP/1.1 200 OK', 'dry-run: true', '{"petId":2,"quantity":1,"complete":false,…}'],
  },
  {
    id: 'etags',
    title: 'ETags',
    text: [
      'Single records carry a strong `ETag`. Send it as `If-Match` on PATCH, PUT or DELETE: if the record has changed since you read it, the response is 412 and nothing changes. Send it as `If-None-Match` on GET: if the record has not changed, the response is 304 without a body. On a write, `If-None-Match` with the ETag of the record, or with `*` where there is a record, is 412: `PUT /pets/by-reference/{reference}` with `If-None-Match: *` only creates. Responses above 1 kB are compressed for clients that send `Accept-Encoding: br` or `gzip`; the ETag of a compressed response ends in `-br` or `-gzip`, and both headers accept it as well. The ETag of a webhook covers its settings only and does not change when deliveries move its cursor. To see the cursor, read the webhook without `If-None-Match`.',
    ],
    command: sending('{"name":"Max"}', '/pets/1', '-X PATCH', `-H 'If-Match: "stale"'`),
    output: ['HTTP/1.1 412 Precondition Failed', '{"code":"precondition_failed",…}'],
  },
  {
    id: 'deprecation',
    title: 'Deprecation policy',
    text: [
      'Operations are stable unless they are marked: their changes are additive. `X-Stability: beta` or `experimental` marks the others; an experimental operation may change at any time.',
      'A deprecated operation works until its sunset. Every response has `Deprecation` (since when), `Sunset` (until when) and a `Link` to the successor. From the sunset on, the response is 410 `operation_sunset`. `GET /usage` lists the deprecated operations that your keys still call.',
    ],
    command: `curl -si ${AUTHORIZATION} "$API/pets/1"`,
    output: [
      'deprecation: @1767225600',
      'sunset: Thu, 05 Dec 2030 00:00:00 GMT',
      'link: …</v1/pets?id=1>; rel="successor-version"',
    ],
  },
  {
    id: 'changelog',
    title: 'Changelog',
    text: [
      'Version 1.0.0 is the first version. It has pets, categories, stock with a ledger, orders, workspaces, keys, plans, usage, events, webhooks, sessions of the console and administration. `GET /pets/{petId}` is deprecated in favour of `GET /pets?id={petId}`, which reads up to 100 pets in one request.',
      'Every response carries `X-API-Version`. A change that would break clients gets a new path beside `/v1`.',
    ],
    command: `curl -si ${AUTHORIZATION} "$API/plans"`,
    output: ['x-api-version: 1.0.0'],
  },
];

export function introductionMarkdown(): string {
  const parts = introduction.map(({ title, text, command, output, table }) =>
    [
      `## ${title}`,
      ...text,
      ...(command ? [fenced('sh', command)] : []),
      ...(output ? [fenced('text', output.join('\n'))] : []),
      ...(table
        ? [[table.head, table.head.map(() => '---'), ...table.rows].map(row).join('\n')]
        : []),
    ].join('\n\n'),
  );
  return [SUMMARY, ...parts].join('\n\n');
}

function fenced(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}
