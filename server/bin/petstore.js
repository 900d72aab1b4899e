#!/usr/bin/env node
// Plain JavaScript that an old Node can load as well, so that it can say what is missing. Compiling takes most of the
// time of a start, so compiled code is cached for the next one; the cache does not cover this file.

import module from 'node:module';
import { fileURLToPath } from 'node:url';

const NODE_MAJOR = 26;

if (Number.parseInt(process.versions.node, 10) < NODE_MAJOR) {
  console.error(
    `petstore: this is Node ${process.versions.node}, and petstore needs Node ${NODE_MAJOR}: in a clone, run \`npm start\` or \`npx petstore\`, which bring it; elsewhere run nvm install ${NODE_MAJOR}, or install it from https://nodejs.org`,
  );
  process.exitCode = 1;
} else {
  process.umask(0o077);
  const cache = new URL('../../node_modules/.cache/petstore', import.meta.url);
  module.enableCompileCache(fileURLToPath(cache));
  // Written now: a service that is killed later would never write it.
  import('../src/main.ts').then(() => module.flushCompileCache());
}
