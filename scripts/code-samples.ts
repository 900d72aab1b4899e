// Writes server/src/contract/code-samples.ts: each operation as a line of curl, as a call of the client, and as a command.

import type { CodeSample } from '../server/src/contract/code-samples.ts';
import type { Operation } from '../server/src/operations/operation.ts';
import { operations } from '../server/src/operations/operations.ts';
import { clientCommandsText } from './client-commands.ts';
import { methodName } from './client-contract.ts';

/** Where a service listens that has just been set up. */
export const SAMPLE_URL = 'http://127.0.0.1:8080/v1';

/** What a sample is filled with. Absent: the examples of the contract. */
export interface SampleValues {
  params?: readonly (string | number)[];
  body?: unknown;
}

/** The samples of an operation. Sessions have none: a browser holds them. */
export function codeSamplesOf(operation: Operation, values: SampleValues = {}): CodeSample[] {
  if (operation.tag === 'session') return [];
  const { params = paramsOf(operation), body = operation.requestExample } = values;
  const command = commandExamples().get(operation.id);
  return [
    { lang: 'Shell', label: 'curl', source: curlText(operation, params, body) },
    { lang: 'TypeScript', label: 'TypeScript', source: clientText(operation, params, body) },
    ...(command ? [{ lang: 'Shell', label: 'Command line', source: command }] : []),
  ];
}

export function codeSamplesText(): string {
  const rows = operations.map((operation) => {
    return `  ${operation.id}: ${JSON.stringify(codeSamplesOf(operation))},`;
  });
  return `// Generated from the operations by \`npm run generate\`. Do not edit.

/** How to make a request: the source in one language. */
export interface CodeSample {
  lang: string;
  label: string;
  source: string;
}

export const codeSamples: Readonly<Record<string, readonly CodeSample[]>> = {
${rows.join('\n')}
};
`;
}

function paramsOf({ params = {} }: Operation): (string | number)[] {
  return Object.values(params).map(({ example }) => example as string | number);
}

/** The examples of the commands, from the table that the command line itself is made of. */
function commandExamples(): Map<string, string> {
  const rows = clientCommandsText().match(/^ {2}\{.*\}(?=,$)/gm) ?? [];
  return new Map(
    rows.map((row) => {
      const { operation, example } = JSON.parse(row) as { operation: string; example: string };
      return [operation, example];
    }),
  );
}

function curlText(
  { method, path, scope, success }: Operation,
  params: readonly (string | number)[],
  body: unknown,
): string {
  let at = 0;
  const filled = path.replaceAll(/\{\w+\}/g, () => encodeURIComponent(params[at++]!));
  const isPost = method === 'POST' && body !== undefined;
  const parts = [
    ['curl', ...(success.kind === 'stream' ? ['-N'] : [])],
    // --json alone is a POST.
    ...(method === 'GET' || isPost ? [] : [['-X', method]]),
    [`${SAMPLE_URL}${filled}`],
  ].flat();
  const lines = [
    parts.join(' '),
    ...(scope === 'none' ? [] : ['  -H "Authorization: Bearer $PETSTORE_API_KEY"']),
    ...(body === undefined ? [] : [`  --json '${JSON.stringify(body).replaceAll("'", "'\\''")}'`]),
  ];
  return lines.join(' \\\n');
}

const groups: Partial<Record<Operation['tag'], string>> = { animals: 'pets' };

function clientText(
  operation: Operation,
  params: readonly (string | number)[],
  body: unknown,
): string {
  const { tag, success } = operation;
  const values = [...params, ...(body === undefined ? [] : [body])];
  const args = values.map(literal).join(', ');
  const call = `store.${groups[tag] ?? tag}.${methodName(operation)}(${args})`;
  return `import { Petstore } from '@petstore/client';

const store = new Petstore({ apiKey: process.env.PETSTORE_API_KEY });
${useOf(call, success)}`;
}

function useOf(call: string, success: Operation['success']): string {
  const { kind } = success;
  if (kind === 'empty') return `await ${call};`;
  if (kind === 'stream') return `for await (const event of ${call}) console.log(event);`;
  if (kind === 'download') {
    const isText = !success.types.includes('application/gzip');
    const read = isText ? 'text()' : 'blob()';
    return `console.log(await (await ${call}).${read});`;
  }
  const value = `await ${call}`;
  return `console.log(${kind === 'list' || kind === 'feed' ? `(${value}).items` : value});`;
}

/** A value as TypeScript writes it: names without quotes, texts in single ones. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value).map(([name, field]) => `${name}: ${literal(field)}`);
    return fields.length > 0 ? `{ ${fields.join(', ')} }` : '{}';
  }
  return typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : JSON.stringify(value);
}
