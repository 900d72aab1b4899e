import { count, number } from '../ui/format.ts';
import { wordsOf } from './words-of.ts';

export const usageWords = wordsOf({
  lead: 'Viewing this page does not use any requests.',
  range: 'Period',
  ranges: { hour: 'Hour', day: 'Day', month: '30 days' },
  charts: {
    hour: 'Requests per minute',
    day: 'Requests of the last day',
    month: 'Requests per day',
  },
  chartNotes: {
    hour: (_: number, limit: number) => `All keys, against the limit of ${number(limit)} a minute`,
    day: (busiest: number, limit: number) =>
      `All keys, per 15 minutes. The busiest minute had ${count(busiest, 'request')}; the limit is ${number(limit)}.`,
    month: (_: number, limit: number) =>
      `All keys, by UTC day, against the limit of ${number(limit)} a day`,
  },
  byKey: { today: 'By key, today', month: 'By key, 30 days' },
  byOperation: { today: 'By operation, today', month: 'By operation, 30 days' },
  allKeys: 'All keys',
  columns: {
    key: 'Key',
    operation: 'Operation',
    mostly: 'Most used',
    admitted: 'Admitted',
    refused: 'Refused',
    failed: 'Failed',
    shareOfDay: 'Share of today’s limit',
    shareOfAll: 'Share of all requests',
  },
  share: (share: string, of: string) => `${share}: ${of.toLowerCase()}`,
  unknownOperation: 'unknown path',
  deprecatedMark: (operation: string) => `${operation} (deprecated)`,
  noRequests: 'No requests yet',
  noRequestsText: 'Requests appear here as soon as a key sends one. For example:',
  ladder: 'Bans',
  ladderNote:
    'A key with 30 refused requests in a minute is banned. Each ban is longer than the last; a day without one resets it.',
  ladderLabel: 'How long each ban lasts',
  ladderSteps: ['1 min', '5 min', '30 min', '2 h', '24 h'] as const,
  ladderStep: (step: number, isLast: boolean) => (isLast ? `From ${step} on` : `Ban ${step}`),
  ladderHint: 'These are the defaults. The operator of this service can change them.',
  ownBan: (wait: string) => `This session is banned. ${wait} left.`,
  noBans: 'No key is banned.',
  banned: (name: string) => `${name} is banned`,
  bannedNote: (strikes: number) =>
    `Ban ${number(strikes)}. It ends automatically. Your other keys still work.`,
  left: (wait: string) => `${wait} left`,
  lift: 'Lift',
  deprecated: 'Deprecated',
  deprecatedNote: 'Deprecated operations your keys still use',
  noDeprecated: 'No key uses a deprecated operation.',
  deprecatedBy: (name: string, calls: number, when: string) =>
    `by ${name}, ${count(calls, 'call')}, last ${when}`,
  sunset: (day: string) => `Stops working on ${day}. Use`,
  instead: 'instead.',
});
