import { handleBrokenOutput } from '@petstore/client/cli/broken-output';
import { runCommand } from './cli/run-command.ts';

/** How long a failed command waits for what it could not close. */
const LINGER_MS = 2_000;
/** What a shell reports for a process that SIGTERM has ended. */
const EXIT_TERMINATED = 143;

handleBrokenOutput(process);
// PID 1 of a container ignores a signal that it does not handle. A command with a handler of its own decides itself.
process.on('SIGTERM', () => {
  if (process.listenerCount('SIGTERM') === 1) process.exit(EXIT_TERMINATED);
});
const exitCode = await runCommand(process.argv.slice(2));
if (exitCode !== undefined) {
  process.exitCode = exitCode;
  if (exitCode !== 0) setTimeout(() => process.exit(), LINGER_MS).unref();
}
