import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { firstKeyOf, startService } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const call = (id: number, name: string, given: object) =>
  JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: given } });

it('loads nothing of MCP before the first message, and answers a call that runs when it stops', async () => {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  const list = join(folder.path, 'modules');
  const hook = join(folder.path, 'hook.mjs');
  writeFileSync(
    hook,
    `import { appendFileSync } from 'node:fs';
     import { registerHooks } from 'node:module';
     registerHooks({ load(url, context, next) {
       appendFileSync(${JSON.stringify(list)}, url + '\\n');
       return next(url, context);
     } });`,
  );
  const service = await startService(folder.path, { NODE_OPTIONS: `--import=${hook}` });
  const modules = () => readFileSync(list, 'utf8');
  expect(modules()).toContain('/server/src/http/mcp/register-mcp.ts');
  expect(modules()).not.toContain('/server/src/mcp/');
  const send = (body: string) =>
    fetch(`${service.address}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${firstKeyOf(service)}`,
        'content-type': 'application/json',
      },
      body,
    });
  expect((await send(call(1, 'listPets', {}))).status).toBe(200);
  expect(modules()).toContain('/server/src/mcp/');

  const waiting = send(call(2, 'listEvents', { after: 'latest', wait: 25 }));
  // A later request that is answered shows that the service has the earlier one.
  await send(call(3, 'listPets', {}));
  service.process.kill('SIGTERM');
  const { id, result } = (await (await waiting).json()) as {
    id: number;
    result: { content: [{ text: string }] };
  };
  expect(id).toBe(2);
  expect(JSON.parse(result.content[0].text).items).toEqual([]);
  expect(await service.exited).toBe(0);
});
