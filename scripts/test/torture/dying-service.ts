// The service, which ends by itself after a few responses, as one with a bug may do.

import { subscribe } from 'node:diagnostics_channel';
import '../../../torture/overload/narrow-service.ts';

let left = Number(process.env.RESPONSES);
subscribe('http.server.response.finish', () => {
  left -= 1;
  if (left === 0) process.exit(3);
});
