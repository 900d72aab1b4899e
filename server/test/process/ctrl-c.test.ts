import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { onTerminal } from '../../../client/test/support/terminal.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

it('Ctrl-C on npm start in a terminal finishes its requests and exits 0', async () => {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  // Nothing is to be installed or built here, so the script that does it is left out.
  const session = onTerminal(`cd '${root}' && npm start --ignore-scripts`, {
    env: { HOME: folder.path, PETSTORE_DATA_DIR: folder.path, PETSTORE_PORT: '0' },
  });
  await session.sees('petstore is ready');
  session.pressInterrupt();
  const { code, screen } = await session.ended;
  expect(screen).toContain('"stopped"');
  expect(screen).not.toContain('at once');
  expect(code).toBe(0);
});
