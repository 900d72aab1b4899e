import { existsSync } from 'node:fs';

const SETPRIV = '/usr/bin/setpriv';

/** On Linux the process of the command ends with this one, even if this one is killed and cannot clean up. */
export function endingWithParent(
  command: readonly string[],
  signal: NodeJS.Signals,
): [program: string, ...args: string[]] {
  const wrapper = existsSync(SETPRIV) ? [SETPRIV, '--pdeathsig', signal] : [];
  const [program, ...args] = [...wrapper, ...command];
  return [program!, ...args];
}

/** The environment of this process without settings of the service, of tests and of Node. */
export function plainEnvironment(): NodeJS.ProcessEnv {
  const ours = /^(PETSTORE_|VITEST|NODE_OPTIONS$)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !ours.test(name)));
}

/** Lets an interrupted process remove its temporary folders. A signal alone would end it without an `exit` event. */
export function endOnSignals(): void {
  process.once('SIGINT', () => process.exit(130));
  process.once('SIGTERM', () => process.exit(143));
}
