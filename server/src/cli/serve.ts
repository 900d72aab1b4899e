import { setTimeout } from 'node:timers/promises';
import { pino } from 'pino';
import { startApp } from '../app.ts';
import type { Config } from '../config.ts';
import { LogOutput } from '../telemetry/log-output.ts';

/** How long a balancer has to see that /readyz says 503 before nothing more is accepted. */
const NOTICE_MS = 1_000;

/** Serves until it is told to stop; a second signal stops at once. */
export async function serve(config: Config): Promise<void> {
  const out = new LogOutput(1);
  const log = pino({ level: config.PETSTORE_LOG_LEVEL, base: null }, out);
  const app = await startApp(config, log);
  let isStopping = false;
  const stop = (exitCode: number, noticeMs = 0) => {
    if (isStopping) process.exit(1);
    isStopping = true;
    log.info('stopping: finishing what was accepted');
    app.announceStop();
    setTimeout(noticeMs)
      .then(() => app.stop())
      .then(() => log.info('stopped'))
      .then(
        () => exitCode,
        (err: unknown) => {
          log.error({ err }, 'stopping failed');
          return exitCode || 1;
        },
      )
      .then((code) => {
        out.close();
        process.exit(code);
      });
  };
  process.on('SIGTERM', () => stop(0, NOTICE_MS));
  process.on('SIGINT', () => stop(0));
  // What nobody foresaw leaves the process in an unknown state: say so, finish, and let it be restarted.
  const lastResort = (err: unknown) => {
    log.fatal({ err }, 'unexpected failure');
    stop(70);
  };
  process.on('uncaughtException', lastResort);
  process.on('unhandledRejection', lastResort);

  // Whoever reads that the service is ready may stop it at once, and it must know how to.
  if (app.firstKey && !config.PETSTORE_BOOTSTRAP_KEY) printFirstKey(app.firstKey, app.address);
  log.info({ address: app.address }, `petstore is ready at ${app.address}`);
  out.flush();
}

function printFirstKey(key: string, address: string): void {
  process.stdout.write(
    [
      'This is the first start. Your API key is shown here once and stored nowhere:',
      '',
      key,
      '',
      'Try it:',
      '',
      `curl -s -H 'Authorization: Bearer ${key}' ${address}/v1/pets`,
      '',
      '',
    ].join('\n'),
  );
}
