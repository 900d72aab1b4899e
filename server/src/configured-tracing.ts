// The part of the composition root that exports traces where the variables of OpenTelemetry ask for it.

import type { Logger } from 'pino';
import { API_VERSION } from './contract/version.ts';
import { MINUTE_MS } from './domain/durations.ts';
import type { Tracing } from './telemetry/tracing.ts';

/** How often a collector that is away is logged. */
const LOG_EVERY_MS = MINUTE_MS;

/** Undefined, and nothing is loaded, unless an endpoint is set. */
export async function configuredTracing(log: Logger): Promise<Tracing | undefined> {
  const { env } = process;
  const endpoint = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || env.OTEL_EXPORTER_OTLP_ENDPOINT;
  const isOff = env.OTEL_SDK_DISABLED === 'true' || env.OTEL_TRACES_EXPORTER === 'none';
  if (!endpoint || isOff) return undefined;
  const { openTracing } = await import('./telemetry/otel-tracing.ts');
  let silentUntilMs = 0;
  const onFailure = (reason: string) => {
    if (performance.now() < silentUntilMs) return;
    silentUntilMs = performance.now() + LOG_EVERY_MS;
    log.warn(
      { reason },
      'spans are not exported; those that do not fit into the queue are dropped',
    );
  };
  return openTracing({ version: API_VERSION, onFailure });
}
