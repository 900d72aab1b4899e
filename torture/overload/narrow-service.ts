// The service with room for few requests at a time, so that one machine can send more than it accepts.

import { pino } from 'pino';
import { startApp } from '../../server/src/app.ts';
import { readConfig } from '../../server/src/config.ts';
import { Workload } from '../../server/src/http/workload.ts';

const workload = new Workload({ runningMax: Number(process.env.RUNNING_MAX) });
const app = await startApp(readConfig(process.env), pino(), { workload });
process.once('SIGTERM', () => void app.stop());
process.stdout.write(`petstore is ready at ${app.url}\n`);
