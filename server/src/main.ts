import { runCommand } from './cli/commands.ts';

const exitCode = await runCommand(process.argv.slice(2));
if (exitCode !== undefined) process.exitCode = exitCode;
