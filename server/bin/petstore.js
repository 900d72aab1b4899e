#!/usr/bin/env node
// Loading and compiling is most of what a start costs, so what was compiled is kept for the next one, where
// that can be written. Plain JavaScript, because the first file would otherwise be compiled each time.

import { enableCompileCache, flushCompileCache } from 'node:module';
import { join } from 'node:path';

process.umask(0o077);
enableCompileCache(join(import.meta.dirname, '../../node_modules/.cache/petstore'));
await import('../src/main.ts');
// A service that is killed would never write it.
flushCompileCache();
