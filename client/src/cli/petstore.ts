#!/usr/bin/env node

// The command line of the published client: everything over the API, nothing on this machine.

import { handleBrokenOutput } from './broken-output.ts';
import { processTerminal, runApiCommand } from './main.ts';

handleBrokenOutput(process);
process.exitCode = await runApiCommand(process.argv.slice(2), processTerminal());
