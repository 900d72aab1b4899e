// The part of the composition root that exports traces where the variables of OpenTelemetry ask for it.

import type { Logger } from 'pino';
import { InvalidConfig } from './config.ts';
import { API_VERSION } from './contract/version.ts';
import { MINUTE_MS } from './domain/durations.ts';
import { tlsFileFault } from './lib/network/tls-files.ts';
import { validateHeaderName, validateHeaderValue } from './lib/node-http.ts';
import type { Tracing } from './telemetry/tracing.ts';

/** How often a collector that is away is logged. */
const LOG_EVERY_MS = MINUTE_MS;
const EXPORTER = 'OTEL_EXPORTER_OTLP';
const tlsFiles = [
  ['CERTIFICATE', 'certificate'],
  ['CLIENT_CERTIFICATE', 'certificate'],
  ['CLIENT_KEY', 'key'],
] as const;
/** What is said of a variable that OpenTelemetry ignores. */
const IGNORED = 'a variable of OpenTelemetry is ignored';

/**
 * Undefined, and nothing is loaded, unless an endpoint is set. Throws an InvalidConfig for a value with which nothing could be
 * exported. Any other that OpenTelemetry does not know gets its default, and a warning.
 */
export async function configuredTracing(log: Logger): Promise<Tracing | undefined> {
  if (!variable(`${EXPORTER}_TRACES_ENDPOINT`) && !variable(`${EXPORTER}_ENDPOINT`))
    return undefined;
  const onIgnored = (reason: string) => log.warn({ reason }, IGNORED);
  if (isOff(onIgnored)) return undefined;
  const faults = faultsOfVariables();
  if (faults.length > 0) throw new InvalidConfig(faults);
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
  return openTracing({ version: API_VERSION, onFailure, onIgnored });
}

/** An empty variable counts as unset. */
function variable(name: string): string {
  return process.env[name]?.trim() ?? '';
}

function isOff(onIgnored: (reason: string) => void): boolean {
  const disabled = variable('OTEL_SDK_DISABLED').toLowerCase();
  if (disabled === 'true') return true;
  if (!['', 'false'].includes(disabled)) {
    onIgnored(`OTEL_SDK_DISABLED is true or false; ${JSON.stringify(disabled)} counts as false`);
  }
  const exporter = variable('OTEL_TRACES_EXPORTER').toLowerCase();
  if (exporter === 'none') return true;
  if (!['', 'otlp'].includes(exporter)) {
    onIgnored(`OTEL_TRACES_EXPORTER is otlp or none; ${JSON.stringify(exporter)} counts as otlp`);
  }
  for (const name of [`${EXPORTER}_TRACES_PROTOCOL`, `${EXPORTER}_PROTOCOL`]) {
    const protocol = variable(name);
    if (['', 'http/json'].includes(protocol)) continue;
    onIgnored(`${name} is http/json; ${JSON.stringify(protocol)} counts as that`);
  }
  return false;
}

function faultsOfVariables(): string[] {
  const faults: string[] = [];
  const check = (name: string, isValid: (value: string) => boolean, what: string) => {
    const value = variable(name);
    if (value === '' || isValid(value)) return;
    const isSecret = name.endsWith('_HEADERS') || value.includes('@');
    faults.push(`${name} must be ${what}; ${isSecret ? 'it' : JSON.stringify(value)} is not`);
  };
  for (const signal of ['', '_TRACES']) {
    const url = 'a URL like http://collector:4318';
    check(`${EXPORTER}${signal}_ENDPOINT`, isHttpUrl, url);
    const pairs = 'names and values of HTTP headers, such as name=value,name=value';
    check(`${EXPORTER}${signal}_HEADERS`, areHeaders, pairs);
  }
  for (const [name, kind] of tlsFiles) {
    const setting = [`${EXPORTER}_TRACES_${name}`, `${EXPORTER}_${name}`].find(variable);
    const fault = setting && tlsFileFault(setting, variable(setting), kind);
    if (fault) faults.push(fault);
  }
  for (const name of ['MAX_QUEUE_SIZE', 'MAX_EXPORT_BATCH_SIZE', 'EXPORT_TIMEOUT']) {
    check(`OTEL_BSP_${name}`, (value) => !(Number(value) < 1), 'at least 1');
  }
  check('OTEL_BSP_SCHEDULE_DELAY', (value) => !(Number(value) < 0), 'at least 0');
  return faults;
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

/** Percent-encoded, as OpenTelemetry reads them. With one that HTTP does not allow, no request is sent. */
function areHeaders(text: string): boolean {
  return text.split(',').every((pair) => {
    const at = pair.indexOf('=');
    try {
      const name = decodeURIComponent(pair.slice(0, at).trim());
      validateHeaderName(name);
      validateHeaderValue(name, decodeURIComponent(pair.slice(at + 1).trim()));
      return at > 0;
    } catch {
      return pair.trim() === '';
    }
  });
}
