// The samples of the reference, each run as it is shown, but for its ids and the address of the service.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { operationCommands } from '../../../client/src/cli/commands.ts';
import { Petstore } from '../../../client/src/petstore.ts';
import { codeSamplesOf, SAMPLE_URL } from '../../../scripts/code-samples.ts';
import type { CodeSample } from '../../src/contract/code-samples.ts';
import type { Operation } from '../../src/operations/operation.ts';
import { operations } from '../../src/operations/operations.ts';
import { exampleRequests, World } from '../operations/example-requests.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { contract } from '../support/contract.ts';

const shown = operations.filter(({ tag }) => tag !== 'session');
const each = shown.map((operation) => [operation.id, operation] as const);
/** A stream does not end. */
const ended = each.filter(([, { success }]) => success.kind !== 'stream');

let app: TestApp;
let world: World;
beforeAll(async () => {
  const environment = { PETSTORE_SIGNUP: 'open', PETSTORE_BAN_AFTER: '2' };
  app = await testApp({ environment });
  world = new World(app, app.key);
});

function samplesIn({ path, method }: Operation): CodeSample[] {
  const documented = contract.paths[path]![method.toLowerCase()] as object;
  return (documented as { 'x-codeSamples': CodeSample[] })['x-codeSamples'];
}

/** The sample for records that are there. */
async function sampleOf(operation: Operation, label: string) {
  const { path, body, options } = await exampleRequests[operation.id]!(world);
  const pattern = operation.path.replaceAll(/\{\w+\}/g, '([^/]+)');
  const [, ...params] = new RegExp(`^${pattern}(?:\\?.*)?$`).exec(path)!;
  const values = params.map((param) => (/^\d+$/.test(param) ? Number(param) : param));
  const samples = codeSamplesOf(operation, { params: values, ...(body ? { body } : {}) });
  const { source } = samples.find((sample) => sample.label === label)!;
  return { source, key: options?.key ?? app.key };
}

describe('the reference', () => {
  it.each(each)('shows %s as curl, as TypeScript and as a command', (id, operation) => {
    const samples = samplesIn(operation);
    expect(samples).toEqual(codeSamplesOf(operation));
    const command = operationCommands.find((row) => row.operation === id);
    const labels = ['curl', 'TypeScript', ...(command ? ['Command line'] : [])];
    expect(samples.map(({ label }) => label)).toEqual(labels);
    // The tests of the command line run its examples.
    expect(samples[2]?.source).toBe(command?.example);
  });
});

describe('the sample in curl', () => {
  // One shell for all samples: starting one costs more than a request.
  const shell = spawn('bash', { stdio: ['pipe', 'pipe', 'inherit'] });
  afterAll(() => void shell.stdin.end());

  it.each(ended)('of %s works', async (_, operation) => {
    const { source, key } = await sampleOf(operation, 'curl');
    expect(source).toContain(SAMPLE_URL);
    const line = source.replace(SAMPLE_URL, `${app.address}/v1`);
    const status = `${line} -s -o /dev/null -w '%{http_code}' < /dev/null`;
    shell.stdin.write(`export PETSTORE_API_KEY=${key}\n${status}\n`);
    const [stdout] = await once(shell.stdout, 'data');
    expect(Number(stdout)).toBe(operation.success.status);
  });
});

describe('the sample in TypeScript', () => {
  it.each(ended)('of %s works', async (_, operation) => {
    const { source, key } = await sampleOf(operation, 'TypeScript');
    const [imports, ...code] = source.split('\n');
    expect(imports).toBe("import { Petstore } from '@petstore/client';");
    vi.stubEnv('PETSTORE_API_KEY', key);
    vi.stubEnv('PETSTORE_BASE_URL', app.address);
    onTestFinished(() => void vi.unstubAllEnvs());
    const print = vi.spyOn(console, 'log').mockReturnValue();
    onTestFinished(() => print.mockRestore());
    const Run = (async () => {}).constructor as new (
      ...args: string[]
    ) => (store: unknown) => Promise<void>;
    await new Run('Petstore', code.join('\n'))(Petstore);
    expect(print).toHaveBeenCalledTimes(operation.success.kind === 'empty' ? 0 : 1);
  });
});
