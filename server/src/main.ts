import { handleBrokenOutput } from '@petstore/client/cli/broken-output';
import { runCommand } from './cli/run-command.ts';

/** How long a failed command waits for what it could not close. */
const LINGER_MS = 2_000;

handleBrokenOutput(process);
const exitCode = await runCommand(process.argv.slice(2));
if (exitCode !== undefined) {
  process.exitCode = exitCode;
  if (exitCode !== 0) setTimeout(() => process.exit(), LINGER_MS).unref();
}
