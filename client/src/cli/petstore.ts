#!/usr/bin/env node

// The command line of the published client: everything over the API, nothing on this machine.

import { processTerminal, runApiCommand } from './main.ts';

process.exitCode = await runApiCommand(process.argv.slice(2), processTerminal());
