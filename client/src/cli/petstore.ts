#!/usr/bin/env node

// The command line of the published client: everything over the API, nothing on this machine.

import { nearest } from './command.ts';
import { apiHelp, firstWords, isApiCommand, runApiCommand } from './main.ts';

const args = process.argv.slice(2);
const [first = 'help'] = args;
const interrupt = new AbortController();
process.once('SIGINT', () => interrupt.abort(new Error('interrupted')));

if (first === 'help' || first === '--help' || first === '-h') {
  process.stdout.write(apiHelp(args.slice(1)));
} else if (isApiCommand(first)) {
  const { stdin, stdout, stderr, env } = process;
  process.exitCode = await runApiCommand(args, {
    stdin,
    stdout,
    stderr,
    env,
    signal: interrupt.signal,
  });
} else {
  const near = nearest(first, firstWords);
  process.stderr.write(
    `petstore: unknown command ${first}${near ? `; did you mean ${near}?` : ''}\n`,
  );
  process.exitCode = 2;
}
