// The generated texts: the contract, the list of operations, the tables of errors, of settings and of
// event types.

import { type Setting, settings } from '../server/src/config.ts';
import { docUrlOf } from '../server/src/contract/links.ts';
import { openApiDocument } from '../server/src/contract/openapi.ts';
import { errorCodes, errorTable } from '../server/src/domain/errors.ts';
import { eventTypeNames, eventTypes } from '../server/src/domain/event.ts';
import type { Operation } from '../server/src/operations/operation.ts';
import { operations } from '../server/src/operations/operations.ts';
import { codeSamplesOf } from './code-samples.ts';

export const SETTINGS_BEGIN = '<!-- settings: `npm run generate` writes this table -->';
export const SETTINGS_END = '<!-- settings: end -->';
export const TYPES_BEGIN = '<!-- types: `npm run generate` writes this table -->';
export const TYPES_END = '<!-- types: end -->';

export function contractText(): string {
  // Those of this run: the file in server/src may be older.
  const samples = Object.fromEntries(operations.map((each) => [each.id, codeSamplesOf(each)]));
  return `${JSON.stringify(openApiDocument(operations, samples), null, 2)}\n`;
}

export function operationsText(): string {
  const rows = [['id', 'method', 'path', 'scope', 'stability'], ...operations.map(operationRow)];
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const lines = rows.map((row) =>
    row.map((cell, column) => cell.padEnd(widths[column]!)).join('  '),
  );
  return `${lines.map((line) => line.trimEnd()).join('\n')}\n`;
}

function operationRow(operation: Operation): string[] {
  const { id, method, path, scope, stability = 'stable', deprecation } = operation;
  const state = deprecation ? `${stability}, deprecated, sunset ${deprecation.sunset}` : stability;
  return [id, method, path, scope, state];
}

export function errorsText(): string {
  const rows = errorCodes.map((code) => {
    const { status, message, remedy } = errorTable[code];
    return [`\`${code}\``, String(status), message, remedy];
  });
  return `${ERRORS_INTRODUCTION}\n${markdownTable(['code', 'status', 'what happened', 'what to do'], rows)}`;
}

const ERRORS_INTRODUCTION = `# Errors

<!-- \`npm run generate\` writes this file from server/src/domain/errors/error-table.ts -->

Every error is one flat JSON object:

\`\`\`json
${JSON.stringify(
  {
    code: 'invalid_request',
    message: 'name is required.',
    status: 400,
    requestId: 'yPc2vVqDk1Ws-2f',
    docUrl: docUrlOf('invalid_request'),
    details: [{ field: 'name', message: 'is required' }],
  },
  null,
  2,
)}
\`\`\`

- \`code\` is for programs: it keeps its meaning. New codes may be added, so treat an unknown one by its status.
- \`message\` is for people and may be reworded at any time.
- \`status\` repeats the HTTP status.
- \`requestId\` is also in the \`X-Request-Id\` header and in the logs of the service: quote it when you ask about
  a request. A client may send an \`X-Request-Id\` of its own.
- \`docUrl\` is the path of the code's entry in the reference, on the same host.
- \`details\` is there when there is more to say: a list of \`{field, message}\`, one for each of the first 50 fields at fault,
  or an object with the facts of a conflict or a limit, such as \`available\` or \`until\`.

429 and 503 carry \`Retry-After\` in seconds, 401 carries \`WWW-Authenticate\`, 405 carries \`Allow\`.

A 503 changed nothing, with one exception: if its \`details\` are \`{"outcome": "unknown"}\`, storage was asked to commit the
change and did not say in time whether it did. The change may have been made, or may be made a moment later. The
same holds for a 500 and for a response that does not arrive. Send the request again with the same \`Idempotency-Key\`: it then takes
effect once.
`;

export function settingsText(): string {
  const rows = Object.entries(settings as Record<string, Setting>).map(([name, setting]) => [
    `\`${name}\``,
    setting.default === '' ? 'unset' : `\`${setting.default}\``,
    setting.description,
  ]);
  return markdownTable(['setting', 'default', 'meaning'], rows);
}

/** Every type of event, when it is emitted, by which operations, and what it carries. */
export function eventTypesText(): string {
  const rows = eventTypeNames.map((type) => {
    const { when, data, optional = [] } = eventTypes[type];
    const by = operations.filter(({ events }) => events?.includes(type)).map(({ id }) => id);
    const fields = data.map((name) => `\`${name}\`${optional.includes(name) ? ' (if known)' : ''}`);
    return [`\`${type}\``, when, fields.join(', '), by.join(', ')];
  });
  return markdownTable(['type', 'emitted when', 'data', 'by'], rows);
}

function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`;
  return line(head) + line(head.map(() => '---')) + rows.map(line).join('');
}
