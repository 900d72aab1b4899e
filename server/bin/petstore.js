#!/usr/bin/env node
// Compiling takes most of the time of a start, so compiled code is cached for the next one. This file is plain
// JavaScript, because the cache does not cover the file that enables it.

import { enableCompileCache, flushCompileCache } from 'node:module';
import { join } from 'node:path';

process.umask(0o077);
enableCompileCache(join(import.meta.dirname, '../../node_modules/.cache/petstore'));
await import('../src/main.ts');
// Written now: a service that is killed later would never write it.
flushCompileCache();
