import { expect, test } from 'vitest';
import { consoleApp, signIn } from '../../support/console.ts';

const app = await consoleApp();

async function newStore(name: string) {
  const { body } = await app.call('POST', '/v1/admin/workspaces', { body: { name } });
  return { id: body.workspace.id as number, key: body.key.key as string };
}

const shown = async (id: number) => (await app.call('GET', `/v1/admin/workspaces/${id}`)).body;

test('the nodes are listed as the service reports them', async () => {
  await expect.poll(async () => (await app.call('GET', '/v1/admin/nodes')).body.length).toBe(1);
  const { page } = await signIn(app, { path: '/service' });
  const [node] = (await app.call('GET', '/v1/admin/nodes')).body;
  const row = page.getByRole('row').filter({ hasText: node.id });
  await row.getByText('Ready').waitFor();
  await expect.poll(() => row.textContent()).toContain(`Version ${node.version}`);
  await expect.poll(() => row.textContent()).toMatch(/\d MB/);
});

test('an operator suspends a workspace with a reason, and resumes it', async () => {
  const { id, key } = await newStore('Happy Paws');
  const { page, open } = await signIn(app, { path: `/workspaces/${id}` });
  await page.getByRole('button', { name: 'Suspend' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Suspend' }).click();
  await dialog.getByText('Enter a reason.').waitFor();
  await dialog.getByLabel('Reason').fill('Invoice 42 is unpaid');
  await dialog.getByRole('button', { name: 'Suspend' }).click();
  await page.getByText('Happy Paws suspended.').waitFor();
  await page.getByText('Invoice 42 is unpaid').waitFor();
  expect((await app.call('GET', '/v1/pets', { key })).body.code).toBe('workspace_suspended');
  await open('/workspaces?state=suspended');
  const row = page.getByRole('row').filter({ hasText: 'Happy Paws' });
  await row.getByText('Suspended').waitFor();
  await expect.poll(() => page.locator('main tbody tr').count()).toBe(1);
  await row.getByRole('link', { name: 'Happy Paws' }).click();
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByText('Happy Paws resumed.').waitFor();
  expect((await app.call('GET', '/v1/pets', { key })).status).toBe(200);
});

test('an operator closes a workspace by its exact name, and reopens it', async () => {
  const { id } = await newStore('Cats only');
  const { page } = await signIn(app, { path: `/workspaces/${id}` });
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Days until its data is deleted').fill('400');
  await dialog.getByText('Enter a whole number from 0 to 365.').waitFor();
  await dialog.getByLabel('Days until its data is deleted').fill('90');
  await dialog.getByLabel(/^Type/).fill('cats only');
  await dialog.locator('footer').getByRole('button', { name: 'Close' }).click();
  await dialog.getByText('Enter “Cats only” exactly.').waitFor();
  expect((await shown(id)).state).toBe('active');
  await dialog.getByLabel(/^Type/).fill('Cats only');
  await dialog.getByLabel('Reason').fill('The contract has ended');
  await dialog.locator('footer').getByRole('button', { name: 'Close' }).click();
  await page.getByText('Cats only closed.').waitFor();
  expect(await shown(id)).toMatchObject({
    state: 'closing',
    closedBy: 'operator',
    stateReason: 'The contract has ended',
  });
  const days = (Date.parse((await shown(id)).eraseAt) - Date.now()) / 86_400_000;
  expect(Math.round(days)).toBe(90);
  await page.getByRole('button', { name: 'Reopen' }).click();
  await page.getByText('Cats only reopened.').waitFor();
  expect((await shown(id)).state).toBe('active');
});

test('an operator adds requests for today, with a reason', async () => {
  const { id, key } = await newStore('Busy Paws');
  const { page } = await signIn(app, { path: `/workspaces/${id}` });
  await page.getByRole('button', { name: 'Add requests' }).click();
  const dialog = page.getByRole('dialog');
  const add = dialog.getByRole('button', { name: 'Add requests' });
  await dialog.getByLabel('Requests to add today').fill('0');
  await add.click();
  await dialog.getByText('Enter a whole number from 1 to 1,000,000,000.').waitFor();
  await dialog.getByText('Enter a reason.').waitFor();
  expect((await shown(id)).grant).toBe(undefined);
  await dialog.getByLabel('Requests to add today').fill('500');
  await dialog.getByLabel('Reason').fill('A sale');
  await add.click();
  await page.getByText('500 requests added for Busy Paws.').waitFor();
  await page.getByText(/^500 requests, until /).waitFor();
  expect((await shown(id)).grant).toMatchObject({ perDay: 500 });
  const { body } = await app.call('GET', '/v1/audit?action=grant.added', { key });
  expect(body).toMatchObject([{ after: { perDay: 500, reason: 'A sale' } }]);
});

test('the workspace of the operator is not suspended, and the screen says why', async () => {
  const { page } = await signIn(app, { path: '/workspaces/1', statuses: [409] });
  await page.getByRole('button', { name: 'Suspend' }).click();
  await page.getByRole('dialog').getByLabel('Reason').fill('x');
  await page.getByRole('dialog').getByRole('button', { name: 'Suspend' }).click();
  await page.getByText('A key of this workspace operates the service').waitFor();
  expect((await shown(1)).state).toBe('active');
});

test('a key without operate sees neither the nodes nor the workspaces', async () => {
  const key = await app.addKey(['read', 'write', 'manage']);
  const { page, requests, open } = await signIn(app, { key });
  expect(await page.getByRole('link', { name: 'Nodes' }).count()).toBe(0);
  await open('/service');
  await page.getByText('It needs the scope “operate”.').waitFor();
  expect(requests.filter((each) => each.includes('/admin/'))).toEqual([]);
});

test('an operator sees the requests and the audit log of a workspace, and an owner only the own', async () => {
  const { id, key } = await newStore('Birds');
  await app.call('POST', '/v1/keys', {
    key,
    body: { name: 'till', scopes: ['read'] },
    headers: { 'x-request-id': 'of-the-birds' },
  });
  const { page } = await signIn(app, { path: `/workspaces/${id}` });
  await page.getByRole('link', { name: 'View requests' }).click();
  await page.getByText(`Only Birds (workspace ${id})`).waitFor();
  await page.getByRole('link', { name: /\/keys/ }).click();
  await page.getByText('of-the-birds', { exact: true }).waitFor();
  await page.goBack();
  await page.goBack();
  await page.getByRole('link', { name: 'View audit log' }).click();
  const row = page.locator('main tbody tr').filter({ hasText: 'Name: till' });
  await row.getByRole('link', { name: 'of-the-birds' }).click();
  await page.getByText('POST /keys').waitFor();
  // Copied into another tab, it leads to the list of that workspace too.
  const back = page.getByRole('link', { name: 'All requests' });
  await expect.poll(() => back.getAttribute('href')).toMatch(`/requests?workspaceId=${id}`);
  // The address alone gives an owner nothing of others.
  const own = await app.addKey(['read', 'manage']);
  const other = await signIn(app, { key: own, path: `/requests?workspaceId=${id}` });
  await other.page.locator('main tbody tr').first().waitFor();
  expect(other.requests.filter((each) => each.includes('/admin/'))).toEqual([]);
});

test('an operator finds the workspace of a key by the beginning of its id, and revokes it', async () => {
  const { id, key } = await newStore('Mice');
  const made = await app.call('POST', '/v1/keys', { key, body: { name: 'bot', scopes: ['read'] } });
  const { page } = await signIn(app, { path: '/all-keys' });
  await page.getByLabel('Key ID').fill(`psk_${made.body.id.slice(0, 8)}`);
  const row = page.getByRole('row').filter({ hasText: made.body.id });
  await row.getByRole('link', { name: 'Mice', exact: true }).waitFor();
  await row.getByText(`Workspace ${id}`).waitFor();
  await expect.poll(() => page.locator('main tbody tr').count()).toBe(1);
  await row.getByRole('button', { name: 'Revoke bot' }).click();
  await page.getByRole('dialog').getByRole('textbox').fill('bot');
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke bot' }).click();
  await page.getByText('Key “bot” revoked.').waitFor();
  expect((await app.call('GET', '/v1/pets', { key: made.body.key })).status).toBe(401);
});
