// Words that have a better word in this project. One word has one meaning, and it is the one of the field.

interface Word {
  pattern: RegExp;
  instead: string;
  /** Files in which the word has another meaning. */
  allowedIn?: readonly string[];
}

const words: readonly Word[] = [
  { pattern: /\bwho(m)?ever\b/i, instead: 'name the client, the caller or the process' },
  {
    pattern: /\bnobody\b/i,
    instead: 'no client, no process, or the passive voice',
    // The Unix user.
    allowedIn: ['server/test/support/servers.ts'],
  },
  { pattern: /(?<![\w'])(he|him|his)\b(?!')/i, instead: 'the client, the caller, they' },
  { pattern: /\bwont to\b/i, instead: 'usually' },
  { pattern: /\bmend(s|ed|ing)?\b/i, instead: 'fix, repair, recover' },
  { pattern: /\btold\b/i, instead: 'returned, notified, answered' },
  { pattern: /\bturn(s|ed|ing)?[- ]away\b/i, instead: 'reject, refuse, shed' },
  { pattern: /turnedAway/, instead: 'rejected, refused, shed' },
  { pattern: /\bnone of nothing\b/i, instead: 'nothing' },
  { pattern: /\bby turns\b/i, instead: 'alternately, in turns' },
  { pattern: /\bturns? of the (event )?loop\b/i, instead: 'tick' },
  { pattern: /\bthe books\b/i, instead: 'telemetry' },
  { pattern: /\bsettlements?\b/i, instead: 'single-statement transaction' },
  { pattern: /\bknown answers?\b/i, instead: 'read cache' },
  { pattern: /\b[Ss]urroundings\b/, instead: 'options, environment' },
];

/** One line for each word of a text that has a better word. */
export function findWords(file: string, text: string): string[] {
  const applicable = words.filter(({ allowedIn }) => !allowedIn?.includes(file));
  return text.split('\n').flatMap((line, at) =>
    applicable.flatMap(({ pattern, instead }) => {
      const found = pattern.exec(line)?.[0];
      return found ? [`${file}:${at + 1}: "${found}": write ${instead}`] : [];
    }),
  );
}
