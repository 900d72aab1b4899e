import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const tool = fileURLToPath(new URL('interrupted-tool.ts', import.meta.url));

async function startTool() {
  const child = spawn(process.execPath, [tool], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const end = async (signal: NodeJS.Signals) => {
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  };
  return { ...(JSON.parse(line.toString()) as { path: string; pid: number }), end };
}

it.each(['SIGINT', 'SIGTERM'] as const)(
  '%s leaves no folder and no process behind',
  async (signal) => {
    const { path, pid, end } = await startTool();
    expect([path, `/proc/${pid}`].map(existsSync)).toEqual([true, true]);
    await end(signal);
    expect(existsSync(path)).toBe(false);
    await expect.poll(() => existsSync(`/proc/${pid}`)).toBe(false);
  },
);

it('SIGKILL leaves a folder to the next run, and no process', async () => {
  const { path, pid, end } = await startTool();
  await end('SIGKILL');
  await expect.poll(() => existsSync(`/proc/${pid}`)).toBe(false);
  const next = await startTool();
  expect(existsSync(path)).toBe(false);
  await next.end('SIGTERM');
});
