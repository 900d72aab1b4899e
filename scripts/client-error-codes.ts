// Writes client/src/error-codes.ts: the codes of the service, and what `details` holds for each.

import { readFileSync } from 'node:fs';
import { errorCodes } from '../server/src/domain/errors.ts';

export function clientErrorCodesText(): string {
  const source = new URL('../server/src/domain/errors/error-details.ts', import.meta.url);
  const details = readFileSync(source, 'utf8')
    .replace(/^\/\/.*\n\n/, '')
    .trim();
  return `// Generated from the errors of the service by \`npm run generate\`. Do not edit.

/** The codes of the service. */
export type ErrorCode = ${errorCodes.map((code) => `'${code}'`).join(' | ')};

${details}

/** What \`details\` of an error with this code holds. */
export type DetailsOf<C extends string> = C extends keyof ErrorDetails ? ErrorDetails[C] : unknown;
`;
}
