import { expect, it } from 'vitest';
import { testApp } from '../../../server/test/support/app.ts';
import { runPetstore } from '../support/run-petstore.ts';

it('the audit log is listed and exported, with its filters, and without secrets', async () => {
  const app = await testApp({ engine: 'sqlite' });
  const env = { PETSTORE_API_KEY: app.key, PETSTORE_BASE_URL: `${app.address}/v1` };
  const create = ['keys', 'create', '--name', 'Till', '--scopes', 'read', '--json'];
  const { id, key } = JSON.parse((await runPetstore(create, { env })).stdout);
  await runPetstore(['workspaces', 'set', '--low-stock-at', '3'], { env });
  const filter = ['--action', 'key.created'];
  const listed = await runPetstore(['audit', 'list', ...filter, '--json'], { env });
  // Newest first; the first key of the workspace is the last row.
  expect(JSON.parse(listed.stdout)[0]).toMatchObject({
    action: 'key.created',
    target: `key:${id}`,
  });
  const lines = await runPetstore(['audit', 'export'], { env });
  const rows = lines.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).action);
  expect(rows.slice(0, 2)).toEqual(['workspace.updated', 'key.created']);
  const csv = await runPetstore(['audit', 'export', '--format', 'csv', ...filter], { env });
  expect(csv.stdout.trim().split('\n')).toHaveLength(3);
  expect(csv.stdout).toContain(`key:${id}`);
  expect(listed.stdout + lines.stdout + csv.stdout).not.toContain(key);
  expect((await runPetstore(['audit', 'export', '--format', 'pdf'], { env })).code).toBe(2);
});
