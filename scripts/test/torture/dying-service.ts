// The service, which ends by itself after a few responses, as one with a bug may do.

import { subscribe } from 'node:diagnostics_channel';
import '../../../torture/narrow-service.ts';

/** Enough to open the store of a workload, and too few for a kill. */
const RESPONSES = 20;
let responses = 0;
subscribe('http.server.response.finish', () => {
  responses += 1;
  if (responses === RESPONSES) process.exit(3);
});
