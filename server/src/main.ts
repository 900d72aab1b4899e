#!/usr/bin/env node
import { runCommand } from './cli/commands.ts';

process.umask(0o077);
const exitCode = await runCommand(process.argv.slice(2));
if (exitCode !== undefined) process.exitCode = exitCode;
