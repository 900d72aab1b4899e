import { execFileSync, spawnSync } from 'node:child_process';

const INSTALL_MS = 10 * 60_000;

/** Finds a program of the system, or installs it where apt-get can. */
export function needTool(program: string, packages: readonly string[]): string {
  if (isThere(program)) return program;
  if (process.getuid?.() === 0 && isThere('apt-get')) {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    const run = (...args: string[]) => {
      process.stderr.write(`torture: apt-get ${args.join(' ')} (once)\n`);
      execFileSync('apt-get', args, { env, stdio: ['ignore', 2, 2], timeout: INSTALL_MS });
    };
    run('update', '-qq');
    run('install', '-qq', '--yes', '--no-install-recommends', ...packages);
    if (isThere(program)) return program;
  }
  throw new Error(
    `This fault cannot be tested here without ${program}: install it (Debian, Ubuntu: sudo apt-get install ${packages.join(' ')}).`,
  );
}

function isThere(program: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
}
