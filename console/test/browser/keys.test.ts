import { expect, test } from 'vitest';
import { consoleApp, signIn } from '../support/console.ts';
import { everyText } from '../support/every-text.ts';

const app = await consoleApp();

const statusOf = async (key: string) => (await app.call('GET', '/v1/pets', { key })).status;

async function createKey(page: Awaited<ReturnType<typeof signIn>>['page'], name: string) {
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByLabel('Name').fill(name);
  await page.locator('dialog button[type=submit]').click();
  const secret = page.locator('.secret code');
  await secret.waitFor();
  return (await secret.textContent())!;
}

test('a created key is shown once, stays until its button is pressed, and authenticates', async () => {
  const { page } = await signIn(app, {
    path: '/keys',
    context: { permissions: ['clipboard-write'] },
  });
  const key = await createKey(page, 'till');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await page.mouse.click(5, 5);
  await expect.poll(() => page.getByText(key).isVisible()).toBe(true);
  // The button says it for two seconds only.
  const texts = await everyText(page);
  await page.getByRole('button', { name: 'Copy', exact: true }).click();
  await expect.poll(async () => (await texts()).join()).toContain('Copied');
  expect(await statusOf(key)).toBe(200);
  await page.getByRole('button', { name: 'I have stored it' }).click();
  // The policy of the page lets it write the clipboard and not read it, so the copy is pasted.
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByLabel('Name').press('Control+V');
  await expect.poll(() => page.getByLabel('Name').inputValue()).toBe(key);
  await page.getByLabel('Name').fill('');
  await page.reload();
  await page.getByRole('button', { name: 'Revoke till' }).waitFor();
  expect(await page.content()).not.toContain(key);
});

test('a key that is shown once is not left without a question', async () => {
  const { page, open } = await signIn(app);
  await page.getByRole('link', { name: 'API keys' }).click();
  const key = await createKey(page, 'kiosk');
  const question = page.getByRole('dialog', { name: 'Leave without saving?' });
  const ways = [
    () => page.evaluate(() => history.back()),
    async () => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Search' }).fill('ledger');
      await page.keyboard.press('Enter');
    },
  ];
  for (const leave of ways) {
    await leave();
    await question.getByRole('button', { name: 'Stay' }).click();
    await question.waitFor({ state: 'detached' });
    await expect.poll(() => page.getByText(key).isVisible()).toBe(true);
  }
  const asked = page.waitForEvent('dialog');
  await page.evaluate(() => setTimeout(() => location.reload()));
  await (await asked).dismiss();
  await expect.poll(() => page.getByText(key).isVisible()).toBe(true);
  await page.getByRole('button', { name: 'I have stored it' }).click();
  await open('/ledger');
  await page.getByRole('heading', { level: 1, name: 'Ledger' }).waitFor();
});

test('the last key that may manage is not revoked, and the dialog says why', async () => {
  const { page } = await signIn(app, { path: '/keys', statuses: [409] });
  await page.getByRole('button', { name: 'Revoke first key' }).click();
  const action = page.getByRole('dialog').getByRole('button', { name: 'Revoke first key' });
  await expect.poll(() => action.getAttribute('aria-disabled')).toBe('true');
  await page.getByLabel(/^Type/).fill('first key');
  await action.click();
  await page.getByText('This is the last key with the “manage” scope').waitFor();
  expect(await statusOf(app.key)).toBe(200);
});

test('a key that was not used today is revoked without typing its name', async () => {
  const { page } = await signIn(app, { path: '/keys' });
  const key = await createKey(page, 'spare');
  await page.getByRole('button', { name: 'I have stored it' }).click();
  await page.getByRole('button', { name: 'Revoke spare' }).click();
  expect(await page.getByLabel(/^Type/).count()).toBe(0);
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke spare' }).click();
  await page.getByText('Key “spare” revoked.').waitFor();
  expect(await statusOf(key)).toBe(401);
});

test('a session is marked as this one, and another one can be signed out', async () => {
  const other = await signIn(app, { statuses: [401] });
  const { page } = await signIn(app, { path: '/keys' });
  const sessions = page.getByRole('region', { name: 'Sessions' });
  await sessions.getByText('This session').waitFor();
  const { keyId } = await other.page.evaluate(() =>
    fetch('/v1/session').then((response) => response.json()),
  );
  await page.getByRole('button', { name: `Sign out session ${keyId}` }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click();
  await page.getByText(`Session ${keyId} signed out.`).waitFor();
  const status = await other.page.evaluate(() =>
    fetch('/v1/pets').then((response) => response.status),
  );
  expect(status).toBe(401);
  await other.context.close();
});

test('the successor of the own key can be stored, although the session ended with the old one', async () => {
  const { body: own } = await app.call('POST', '/v1/keys', {
    body: { name: 'mine', scopes: ['read', 'manage'] },
  });
  const { page } = await signIn(app, { key: own.key, path: '/keys', statuses: [401] });
  await page.getByRole('button', { name: 'Rotate mine' }).click();
  await page.getByText('Your session ends with the old key').waitFor();
  await page.getByRole('radio', { name: 'Expire it now' }).check();
  const ended = page.waitForResponse((response) => response.status() === 401);
  await page.getByRole('button', { name: 'Rotate key' }).click();
  const secret = page.locator('.secret code');
  await secret.waitFor();
  const next = (await secret.textContent())!;
  await ended;
  // A question for a key would be there after two frames.
  await page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  );
  const question = page.getByRole('heading', { name: 'Your session has ended' });
  await expect.poll(() => question.count()).toBe(0);
  await page.getByRole('button', { name: 'I have stored it' }).click();
  await question.waitFor();
  await page.getByLabel('API key', { exact: true }).fill(next);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await question.waitFor({ state: 'detached' });
  await page.getByText('You signed in with this').waitFor();
});

test('a key without manage sees the keys, and the steps on them off, and why', async () => {
  const key = await app.addKey(['read']);
  const { page } = await signIn(app, { key, path: '/keys' });
  const create = page.getByRole('button', { name: 'Create key' });
  await create.waitFor();
  await expect.poll(() => create.getAttribute('title')).toBe('Needs the scope “manage”');
  const steps = await page.getByRole('button', { name: /^(Revoke|Rotate)/ }).all();
  expect(steps.length).toBeGreaterThan(0);
  for (const step of steps) {
    await expect.poll(() => step.getAttribute('aria-disabled')).toBe('true');
    await expect.poll(() => step.getAttribute('title')).toBe('Needs the scope “manage”');
    await step.click({ force: true });
  }
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
});

test('a key without operate gets no Service group, and its addresses say so', async () => {
  const key = await app.addKey(['read', 'write', 'manage']);
  const { page, open } = await signIn(app, { key });
  expect(await page.getByRole('heading', { name: 'Service' }).count()).toBe(0);
  for (const path of ['/workspaces', '/workspaces/1', '/bans']) {
    await open(path);
    await page.getByText('Your key may not do this').waitFor();
  }
});

// Last, because it moves the clock: what was used today may be of yesterday then.
test('a rotated key works until the overlap is over, and its successor goes on', async () => {
  const { page } = await signIn(app, { path: '/keys' });
  const old = await createKey(page, 'scanner');
  await page.getByRole('button', { name: 'I have stored it' }).click();
  await page.getByRole('button', { name: 'Rotate scanner' }).click();
  await page.getByRole('radio', { name: '1 hour' }).check();
  await page.getByRole('button', { name: 'Rotate key' }).click();
  const secret = page.locator('.secret code');
  await secret.waitFor();
  const next = (await secret.textContent())!;
  expect([await statusOf(old), await statusOf(next)]).toEqual([200, 200]);
  app.clock.advance(3_601_000);
  const refused = await app.call('GET', '/v1/pets', { key: old });
  expect([refused.status, refused.body.code]).toEqual([401, 'expired_api_key']);
  expect(await statusOf(next)).toBe(200);
});
