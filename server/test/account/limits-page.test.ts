// Compares docs/limits.md with the service: its tables, every example, and the client's loop.

import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { beforeAll, describe, expect, it } from 'vitest';
import { settings } from '../../src/config.ts';
import { plans } from '../../src/domain/plan.ts';
import { type NewWorkspace, newWorkspace } from '../operations/account/new-workspace.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { NINE, stopClock } from './still-clock.ts';
import { VirtualWait } from './virtual-wait.ts';

const PAGE = readFileSync(new URL('../../../docs/limits.md', import.meta.url), 'utf8');
const KEY_ID = '3ZrHIxYjJZft';
const TEN = Date.parse('2026-11-15T10:00:00Z');

type Send = (url: string, init?: RequestInit) => Promise<Response>;
type Lane = (apiKey: string, wait: (milliseconds: number) => Promise<unknown>) => Send;

function blocksOf(language: string): string[] {
  const fences = PAGE.matchAll(/^```(\w+)\n(.*?)^```$/gms);
  return [...fences].flatMap(([, found, text]) => (found === language ? [text!] : []));
}

interface Example {
  method: string;
  path: string;
  hasKey: boolean;
  status: number;
  headers: [name: string, value: string][];
  body: unknown;
}

function exampleOf(block: string): Example {
  const [request = '', answer = '', ...body] = block.split('\n\n');
  const [method = '', path = ''] = request.split('\n')[0]!.split(' ');
  const [statusLine = '', ...lines] = answer.trim().split('\n');
  return {
    method,
    path,
    hasKey: request.includes('Authorization: Bearer <API_KEY>'),
    status: Number(statusLine.split(' ')[1]),
    headers: lines.map((line) => line.split(/: (.*)/s).slice(0, 2) as [string, string]),
    body: body.length === 0 ? undefined : JSON.parse(body.join('\n')),
  };
}

describe('the examples', () => {
  let app: TestApp;
  let own: NewWorkspace;
  beforeAll(async () => {
    app = await testApp({ environment: { PETSTORE_ADDRESS_PER_MINUTE: '60' } });
    stopClock(app);
    own = await newWorkspace(app);
  });

  async function check(example: Example) {
    const key = example.hasKey ? own.key : null;
    const answer = await app.call(example.method, example.path, { key });
    expect(answer.status).toBe(example.status);
    for (const [name, value] of example.headers) expect(answer.headers.get(name), name).toBe(value);
    if (example.body === undefined) return;
    const shown = JSON.parse(answer.text.replaceAll(own.keyId, KEY_ID));
    expect({ ...shown, requestId: '' }).toEqual({ ...(example.body as object), requestId: '' });
  }

  async function spendAtOnce(count: number, status: number) {
    const answers = await Promise.all(Array.from({ length: count }, () => own.ask('/v1/pets')));
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([status]));
  }

  it('are what the service answers, one after the other', async () => {
    const examples = blocksOf('http').map(exampleOf);
    const [first, anonymous, refused, banned, dayIsOver, ...reports] = examples;
    await check(first!);
    await check(anonymous!);
    await spendAtOnce(59, 200);
    app.clock.advance(12_345);
    await check(refused!);
    await spendAtOnce(29, 429);
    await check(banned!);
    app.clock.advance(TEN - NINE - 12_345);
    for (let left = 940; left > 0; left -= 60) {
      await spendAtOnce(Math.min(left, 60), 200);
      app.clock.advance(60_000);
    }
    await check(dayIsOver!);
    expect(reports.length).toBe(2);
    for (const report of reports) await check(report);
  });
});

describe('the tables', () => {
  it('show the plans as they are', () => {
    const shown = plans.flatMap(({ name, limits }) => {
      const number = (value: number) => value.toLocaleString('en-GB');
      const cells = limits && [number(limits.perMinute), number(limits.perDay)];
      return `| ${name} | ${(cells ?? Array(2).fill('agreed individually')).join(' | ')} |`;
    });
    expect(PAGE).toContain(shown.join('\n'));
  });

  it('show the ladder and the number of refusals as they are set by default', () => {
    expect(settings.PETSTORE_BAN_LADDER_SECONDS.default).toBe('60,300,1800,7200,86400');
    expect(PAGE).toContain('| lasts | 1 min | 5 min | 30 min | 2 h | 24 h |');
    expect(PAGE).toContain(`**${settings.PETSTORE_BAN_AFTER.default} refusals of one key`);
  });
});

describe('the client’s loop', () => {
  let app: TestApp;
  let lane: Lane;
  beforeAll(async () => {
    app = await testApp();
    const [code = ''] = blocksOf('ts');
    const script = stripTypeScriptTypes(code);
    ({ lane } = await import(`data:text/javascript,${encodeURIComponent(script)}`));
  });

  it.each([
    ['Free, over the end of the day', 10, 107, { perMinute: 60, perDay: 1_000 }],
    ['a minute far too small for its lanes', 10, 4, { perMinute: 3, perDay: 1_000 }],
    ['a day that admits one request', 3, 2, { perMinute: 60, perDay: 1 }],
  ])('gets everything through on %s, and is never banned', async (_, lanes, each, limits) => {
    stopClock(app);
    const own = await newWorkspace(app, { plan: 'enterprise', limits });
    const virtual = new VirtualWait(app.clock, lanes);
    const statuses: number[] = [];
    const work = Array.from({ length: lanes }, async () => {
      const send = lane(own.key, virtual.wait);
      const url = `${app.address}/v1/pets`;
      const answers = await Promise.all(Array.from({ length: each }, () => send(url)));
      statuses.push(...answers.map(({ status }) => status));
      virtual.leave();
    });
    await Promise.all([...work, virtual.run()]);
    expect(statuses).toEqual(Array(lanes * each).fill(200));
    const { history, bans } = (await own.ask('/v1/usage')).body;
    expect(bans).toEqual([]);
    const refused = history.reduce((sum: number, day: { refused: number }) => sum + day.refused, 0);
    expect(refused).toBeGreaterThan(0);
    expect(virtual.waits).toBe(refused);
  });
});
