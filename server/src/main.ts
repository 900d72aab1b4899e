import { runCommand } from './cli/run-command.ts';

/** What a failed command could not close keeps its process alive for no longer than this. */
const LINGER_MS = 2_000;

const exitCode = await runCommand(process.argv.slice(2));
if (exitCode !== undefined) {
  process.exitCode = exitCode;
  if (exitCode !== 0) setTimeout(() => process.exit(), LINGER_MS).unref();
}
