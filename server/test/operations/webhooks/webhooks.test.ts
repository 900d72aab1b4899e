import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { TestApp } from '../../support/app.ts';
import { expectError } from '../../support/contract.ts';
import { createCategory, receiverTests, TestReceiver, WAIT } from './receiver-app.ts';

let app: TestApp;
let receiver: TestReceiver;
let key: string;

const { call, get, create, verified } = receiverTests((test) => {
  ({ app, receiver, key } = test);
});

describe('createWebhook', () => {
  it('shows the secret once, pings the URL, and then delivers what happens, signed with it', async () => {
    const webhook = await create({ description: 'till', types: ['category.*'] });
    expect(webhook).toMatchObject({
      url: receiver.url,
      types: ['category.*'],
      description: 'till',
      state: 'unverified',
      batchMax: 1,
      perSecondMax: 20,
      parked: 0,
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    });
    expect(webhook.secretHint).toBe(webhook.secret.slice(0, 10));
    await expect.poll(async () => (await get(webhook.id)).state, WAIT).toBe('enabled');
    await createCategory(app, 'Zoë 🐕', key);
    await expect.poll(() => receiver.types(), WAIT).toEqual(['ping', 'category.created']);
    for (const { body, headers } of receiver.received) {
      expect(new Webhook(webhook.secret).verify(body, headers as never)).toEqual(JSON.parse(body));
    }
    const { body: events } = await call('GET', '/events');
    const delivered = JSON.parse(receiver.received[1]!.body);
    expect(delivered).toEqual(events.at(-1));
    expect(receiver.received[1]!.headers['webhook-id']).toBe(delivered.id);
    const { secret: _, ...shown } = await get(webhook.id);
    expect(shown).not.toHaveProperty('secret');
    await expect.poll(async () => (await get(webhook.id)).behind, WAIT).toBe(0);
  });

  it('begins behind the newest event, or where `after` says', async () => {
    await createCategory(app, 'before', key);
    const { cursor: latest } = await create();
    const { cursor: all } = await create({ after: '0' });
    const { body: events } = await call('GET', '/events');
    const { cursor: exact } = await create({ after: events[0].id });
    expect([latest, all, exact]).toEqual([String(events.length), '0', '1']);
    expectError(
      await call('POST', '/webhooks', { url: receiver.url, after: '99' }),
      'cursor_unknown',
    );
    const foreign = { url: receiver.url, after: 'evt_1_1_abc' };
    expectError(await call('POST', '/webhooks', foreign), 'invalid_request');
  });

  it('takes a secret of 24 to 64 bytes and refuses others', async () => {
    const secretOf = (bytes: number) => `whsec_${randomBytes(bytes).toString('base64')}`;
    for (const bytes of [24, 64]) {
      const secret = secretOf(bytes);
      expect((await create({ secret })).secret).toBe(secret);
    }
    for (const secret of [secretOf(23), secretOf(65), 'whsec_', 'secret', '']) {
      const answer = await call('POST', '/webhooks', { url: receiver.url, secret });
      expectError(answer, 'invalid_request');
      expect(answer.body.details[0].field).toBe('secret');
      if (secret.length > 20) expect(answer.text).not.toContain(secret.slice(6, 20));
    }
  });

  it('refuses URLs that deliveries may not go to, naming the field, and creates nothing', async () => {
    const urls = [
      'http://hooks.example/',
      'https://10.0.0.1/',
      'https://[::1]/',
      'https://169.254.169.254/',
      'https://user@8.8.8.8/',
      'https://8.8.8.8/#x',
      'https://8.8.8.8:22/',
      'https://no-such-host.invalid/',
      'ftp://8.8.8.8/',
      'nonsense',
    ];
    for (const url of urls) {
      const answer = await call('POST', '/webhooks', { url });
      expectError(answer, 'invalid_request');
      expect(answer.body.details[0].field, url).toBe('url');
    }
    expect((await call('GET', '/webhooks')).body).toEqual([]);
  });

  it('refuses types that there are not', async () => {
    for (const types of [['pet.sold'], ['pets.*'], [], ['*', '*'], ['pet.*', '']]) {
      expectError(await call('POST', '/webhooks', { url: receiver.url, types }), 'invalid_request');
    }
  });

  it('allows as many as the plan does, also when they are created at once', async () => {
    const free = await app.call('POST', '/v1/admin/workspaces', { body: { name: 'free' } });
    const { key: own } = free.body.key;
    const body = { url: receiver.url };
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => app.call('POST', '/v1/webhooks', { body, key: own })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409, 409]);
    const refused = answers.find(({ status }) => status === 409)!;
    expectError(refused, 'webhook_limit_reached');
    expect(refused.body.details).toEqual({ max: 2 });
  });
});

describe('updateWebhook', () => {
  it('changes settings, and null clears the description', async () => {
    const { id } = await create({ description: 'till' });
    const patch = { types: ['order.*'], description: null, batchMax: 100, perSecondMax: 1 };
    const { body } = await call('PATCH', `/webhooks/${id}`, patch);
    expect(body).toMatchObject({ types: ['order.*'], batchMax: 100, perSecondMax: 1 });
    expect(body).not.toHaveProperty('description');
    expect((await call('PATCH', `/webhooks/${id}`, {})).status).toBe(200);
    for (const wrong of [
      { after: '0' },
      { secret: 'x' },
      { state: 'failing' },
      { batchMax: 101 },
    ]) {
      expectError(await call('PATCH', `/webhooks/${id}`, wrong), 'invalid_request');
    }
  });

  it('has a new URL verified before anything is delivered to it', async () => {
    const { id } = await verified();
    const other = await new TestReceiver().listen();
    onTestFinished(() => other.close());
    other.status = 500;
    const { body } = await call('PATCH', `/webhooks/${id}`, { url: other.url });
    expect(body.state).toBe('unverified');
    await createCategory(app, 'held back', key);
    await expect.poll(() => other.types(), WAIT).toContain('ping');
    expect(new Set(other.types())).toEqual(new Set(['ping']));
    other.status = 200;
    await call('PATCH', `/webhooks/${id}`, { state: 'enabled' });
    await expect.poll(() => other.types().at(-1), WAIT).toBe('category.created');
    expect(receiver.types()).toEqual(['ping']);
    expectError(
      await call('PATCH', `/webhooks/${id}`, { url: 'https://10.0.0.1/' }),
      'invalid_request',
    );
  });

  it('disables and enables: nothing is sent meanwhile and nothing is missed', async () => {
    const { id } = await verified();
    const { body } = await call('PATCH', `/webhooks/${id}`, { state: 'disabled' });
    expect(body).toMatchObject({ state: 'disabled', stateReason: 'by_owner' });
    await createCategory(app, 'meanwhile', key);
    expect(receiver.types()).toEqual(['ping']);
    const enabled = await call('PATCH', `/webhooks/${id}`, { state: 'enabled' });
    expect(enabled.body.state).toBe('enabled');
    expect(enabled.body).not.toHaveProperty('stateReason');
    await expect.poll(() => receiver.types(), WAIT).toEqual(['ping', 'category.created']);
    const { body: events } = await call('GET', '/events?type=webhook.*');
    expect(events).toMatchObject([
      { type: 'webhook.disabled', data: { reason: 'by_owner', webhook: { id } } },
    ]);
  });

  it('shows no instant for a retry that it makes due at once', async () => {
    const { id } = await verified();
    receiver.status = 503;
    await createCategory(app, 'a', key);
    await expect.poll(async () => (await get(id)).nextAttemptAt, WAIT).toBeTruthy();
    const { body } = await call('PATCH', `/webhooks/${id}`, { state: 'enabled' });
    expect(body.failingSince).toBeTruthy();
    expect(body).not.toHaveProperty('nextAttemptAt');
  });

  it('does not let an unverified URL in by disabling and enabling it', async () => {
    receiver.status = 500;
    const { id } = await create();
    await call('PATCH', `/webhooks/${id}`, { state: 'disabled' });
    const { body } = await call('PATCH', `/webhooks/${id}`, { state: 'enabled' });
    expect(body.state).toBe('unverified');
  });

  it('asks for a replay when the events behind the cursor are no longer kept', async () => {
    const { id } = await verified();
    await call('PATCH', `/webhooks/${id}`, { state: 'disabled' });
    for (const name of ['a', 'b', 'c']) await createCategory(app, name, key);
    const { body: workspace } = await call('GET', '/workspace');
    await app.transact((tx) => tx.events.numberArrivals(workspace.id));
    await app.transact((tx) => tx.events.deleteOld(workspace.id, Date.now() + 60_000));
    await createCategory(app, 'd', key);
    expectError(await call('PATCH', `/webhooks/${id}`, { state: 'enabled' }), 'replay_required');
    expectError(await call('POST', `/webhooks/${id}/replay`, { after: '1' }), 'events_expired');
    const { body } = await call('POST', `/webhooks/${id}/replay`, { after: 'latest' });
    expect(body).toMatchObject({ state: 'disabled', behind: 0 });
    expect((await call('PATCH', `/webhooks/${id}`, { state: 'enabled' })).body.state).toBe(
      'enabled',
    );
  });
});

describe('deleteWebhook', () => {
  it('removes it with all that was kept about it', async () => {
    const { id } = await verified();
    expect((await call('DELETE', `/webhooks/${id}`)).status).toBe(204);
    for (const path of ['', '/attempts', '/parked']) {
      expectError(await call('GET', `/webhooks/${id}${path}`), 'not_found');
    }
    expectError(await call('DELETE', `/webhooks/${id}`), 'not_found');
  });
});

describe('rotateWebhookSecret', () => {
  it('signs with both secrets during the overlap, and with the new one alone after it', async () => {
    const { id, secret: old } = await verified();
    const { body: rotated, status } = await call('POST', `/webhooks/${id}/rotate`, {
      overlapSeconds: 60,
    });
    expect(status).toBe(201);
    expect(rotated.secret).not.toBe(old);
    expect(Date.parse(rotated.previousSecretUntil)).toBeGreaterThan(Date.now());
    receiver.received.length = 0;
    await createCategory(app, 'both', key);
    await expect.poll(() => receiver.received.length, WAIT).toBe(1);
    const { body, headers } = receiver.received[0]!;
    for (const secret of [old, rotated.secret]) {
      expect(new Webhook(secret).verify(body, headers as never)).toBeTruthy();
    }
    app.clock.advance(61_000);
    expect(await get(id)).not.toHaveProperty('previousSecretUntil');
    const { body: listed } = await call('GET', '/webhooks');
    expect(listed[0]).not.toHaveProperty('previousSecretUntil');
    const { body: disabled } = await call('PATCH', `/webhooks/${id}`, { state: 'disabled' });
    expect(disabled).not.toHaveProperty('previousSecretUntil');
    const { body: replayed } = await call('POST', `/webhooks/${id}/replay`, { after: 'latest' });
    expect(replayed).not.toHaveProperty('previousSecretUntil');
    const { body: last } = await call('POST', `/webhooks/${id}/rotate`, { overlapSeconds: 0 });
    expect(last).not.toHaveProperty('previousSecretUntil');
    await call('POST', `/webhooks/${id}/ping`);
    const ping = receiver.received.at(-1)!;
    expect(new Webhook(last.secret).verify(ping.body, ping.headers as never)).toBeTruthy();
    for (const secret of [old, rotated.secret]) {
      expect(() => new Webhook(secret).verify(ping.body, ping.headers as never)).toThrow();
    }
  });
});

describe('pingWebhook', () => {
  it('sends now, in any state, and shows what became of it', async () => {
    const { id } = await verified();
    await call('PATCH', `/webhooks/${id}`, { state: 'disabled' });
    receiver.status = 418;
    receiver.answer = 'I am a teapot';
    const { body } = await call('POST', `/webhooks/${id}/ping`);
    expect(body).toMatchObject({
      outcome: 'status',
      status: 418,
      excerpt: 'I am a teapot',
      attempt: 1,
    });
    expect(body).not.toHaveProperty('firstSequence');
    const { body: attempts } = await call('GET', `/webhooks/${id}/attempts`);
    expect(attempts[0]).toEqual(body);
    expect((await get(id)).state).toBe('disabled');
  });

  it('verifies the URL when it is answered', async () => {
    receiver.status = 500;
    const { id } = await create();
    receiver.status = 200;
    expect((await call('POST', `/webhooks/${id}/ping`)).body.outcome).toBe('delivered');
    expect((await get(id)).state).toBe('enabled');
  });

  it('is sent ten times a minute at the most, and a refusal says when to come back', async () => {
    const { id } = await create();
    await call('PATCH', `/webhooks/${id}`, { state: 'disabled' });
    const answers = await Promise.all(
      Array.from({ length: 14 }, () => call('POST', `/webhooks/${id}/ping`)),
    );
    const refused = answers.filter(({ status }) => status === 429);
    expect(answers.length - refused.length).toBeLessThanOrEqual(10);
    expect(refused.length).toBeGreaterThanOrEqual(4);
    expectError(refused[0]!, 'rate_limit_exceeded');
    const { headers } = refused[0]!;
    expect(headers.get('ratelimit-policy')).toBe('"minute";q=10;w=60');
    expect(headers.get('x-ratelimit-limit')).toBe('10');
    expect(headers.get('x-ratelimit-remaining')).toBe('0');
    app.clock.advance(61_000);
    expect((await call('POST', `/webhooks/${id}/ping`)).status).toBe(200);
  });

  it('is sent ten times a minute, whatever the verification has sent', async () => {
    receiver.status = 500;
    const { id } = await create();
    await expect.poll(async () => (await get(id)).nextAttemptAt, WAIT).toBeDefined();
    const statuses: number[] = [];
    for (let sent = 0; sent < 11; sent++) {
      statuses.push((await call('POST', `/webhooks/${id}/ping`)).status);
    }
    expect(statuses).toEqual([...Array(10).fill(200), 429]);
    const { body: attempts } = await call('GET', `/webhooks/${id}/attempts`);
    expect(attempts.length).toBeGreaterThan(10);
    for (const attempt of attempts) expect(attempt).not.toHaveProperty('lastSequence');
  });

  it('is sent once under one Idempotency-Key', async () => {
    const { id } = await verified();
    receiver.received.length = 0;
    const headers = { 'idempotency-key': `ping-${id}` };
    const path = `/v1/webhooks/${id}/ping`;
    const first = await app.call('POST', path, { key, headers });
    const second = await app.call('POST', path, { key, headers });
    expect(second.text).toBe(first.text);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(receiver.types()).toEqual(['ping']);
    const other = await app.call('POST', `/v1/webhooks/${id}/replay`, {
      key,
      headers,
      body: { after: '0' },
    });
    expectError(other, 'idempotency_key_reused');
  });
});

describe('replayWebhook', () => {
  it('sends what is behind the given place again, with the same ids', async () => {
    const { id } = await verified({ after: '0' });
    for (const name of ['a', 'b']) await createCategory(app, name, key);
    await expect.poll(async () => (await get(id)).behind, WAIT).toBe(0);
    const idsOf = () => receiver.received.map(({ headers }) => headers['webhook-id']);
    const first = idsOf().filter((name) => !name?.includes('ping'));
    receiver.received.length = 0;
    await call('POST', `/webhooks/${id}/replay`, { after: '0' });
    await expect.poll(() => idsOf(), WAIT).toEqual(first);
    expectError(await call('POST', `/webhooks/${id}/replay`, { after: '999' }), 'cursor_unknown');
    expectError(await call('POST', `/webhooks/${id}/replay`, {}), 'invalid_request');
  });

  it('makes a retry that was waiting due at once', async () => {
    const { id } = await verified();
    receiver.status = 503;
    await createCategory(app, 'a', key);
    await expect.poll(async () => (await get(id)).nextAttemptAt, WAIT).toBeTruthy();
    receiver.status = 200;
    receiver.received.length = 0;
    const { cursor } = await get(id);
    await call('POST', `/webhooks/${id}/replay`, { after: cursor });
    await expect.poll(() => receiver.types(), WAIT).toEqual(['category.created']);
    await expect.poll(async () => (await get(id)).failingSince, WAIT).toBeUndefined();
  });
});
