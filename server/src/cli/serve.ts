import { writeSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { pino } from 'pino';
import { startApp } from '../app.ts';
import type { Config } from '../config.ts';
import { plans } from '../domain/plan.ts';
import { LogOutput } from '../telemetry/log-output.ts';
import type { Run } from './command.ts';

const STDERR = 2;
/** The exit code after an unforeseen failure. */
const FAILED = 70;
/** How long load balancers have to see that /readyz answers 503 before the service stops listening. */
const NOTICE_MS = 1_000;
/** How long after the first signal another one does not count: on Ctrl-C a terminal sends one, and npm sends it again. */
const SAME_SIGNAL_MS = 2_000;

export const serve: Run = async ({ config }) => {
  await start(config);
  return undefined;
};

/**
 * Serves until a signal or a failure stops it. A signal later in the drain ends the process at once, a failure does not.
 */
async function start(config: Config): Promise<void> {
  const out = new LogOutput(1);
  const log = pino({ level: config.PETSTORE_LOG_LEVEL, base: null }, out);
  const hasConsole = config.PETSTORE_CONSOLE;
  // Before the start, which may wait for a migration: PID 1 of a container ignores a signal that it does not handle.
  let stopOnSignal = (_noticeMs?: number): void => {
    log.info('stopped before it was ready');
    out.closeNow();
    process.exit();
  };
  process.on('SIGTERM', () => stopOnSignal(NOTICE_MS));
  process.on('SIGINT', () => stopOnSignal());
  const app = await startApp(config, log, {
    announceKey: (key, url) => printFirstKey(key, url, hasConsole),
  });
  let isStopping = false;
  let mayEndNow = false;
  let exitCode = 0;
  const drain = async (noticeMs = 0) => {
    isStopping = true;
    log.info('stopping: finishing the requests that have arrived');
    out.flush();
    try {
      app.announceStop();
      await setTimeout(noticeMs);
      await app.stop();
      log.info('stopped');
    } catch (err) {
      log.error({ err }, 'stopping failed');
      exitCode ||= 1;
    }
    await out.close().finally(() => process.exit(exitCode));
  };
  stopOnSignal = (noticeMs) => {
    if (!isStopping) {
      void drain(noticeMs);
      void setTimeout(SAME_SIGNAL_MS).then(() => {
        mayEndNow = true;
        log.info('still finishing requests; another signal ends the service at once');
        out.flush();
      });
      return;
    }
    if (!mayEndNow) return;
    log.error('stopped at once: requests were not finished');
    out.closeNow();
    process.exit(1);
  };
  // An unforeseen failure leaves the process in an unknown state: log it, drain, and let a supervisor restart.
  const stopAfterFailure = (err: unknown) => {
    log.fatal({ err }, 'unexpected failure');
    exitCode = FAILED;
    if (!isStopping) void drain();
  };
  process.on('uncaughtException', stopAfterFailure);
  process.on('unhandledRejection', stopAfterFailure);

  if (!app.isFirstStart) {
    log.info('the database has keys; `petstore server keys create --name NAME` creates another');
  }
  log.info({ url: app.url }, `petstore is ready at ${app.url}`);
  out.flush();
}

const [firstPlan] = plans as readonly [(typeof plans)[number]];

/** Written at once and to standard error: the log on standard output is JSON. Throws if the key cannot be written. */
function printFirstKey(key: string, url: string, hasConsole: boolean): void {
  const curl = `curl -s -H 'Authorization: Bearer ${key}'`;
  writeSync(
    STDERR,
    [
      'This is the first start. Your API key is shown once and only its digest is stored:',
      '',
      key,
      '',
      ...(hasConsole ? [`Open ${url}/console and sign in with it, or try:`] : ['Try it:']),
      '',
      `${curl} ${url}/v1/pets`,
      `npx petstore login --base-url ${url}/v1`,
      '',
      `The plan is ${firstPlan.name}: ${firstPlan.limits!.perMinute} requests a minute. To raise it:`,
      '',
      // Over the API, it works in any folder, whatever the settings of this process are.
      `${curl} -H 'Content-Type: application/json' -X PATCH ${url}/v1/admin/workspaces/1 -d '{"plan":"pro"}'`,
      '',
      '',
    ].join('\n'),
  );
}
