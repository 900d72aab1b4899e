import { count, number } from '../ui/format.ts';
import { wordsOf } from './words-of.ts';

export const usageWords = wordsOf({
  lead: 'Looking at this page costs nothing: usage is not counted.',
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
      `All keys, by quarter of an hour. The busiest minute had ${count(busiest, 'request')}; the limit is ${number(limit)}.`,
    month: (_: number, limit: number) =>
      `All keys, by UTC day, against the limit of ${number(limit)} a day`,
  },
  byKey: { today: 'By key, today', month: 'By key, 30 days' },
  byOperation: { today: 'By operation, today', month: 'By operation, 30 days' },
  allKeys: 'All keys',
  columns: {
    key: 'Key',
    operation: 'Operation',
    mostly: 'Mostly',
    admitted: 'Admitted',
    refused: 'Refused',
    failed: 'Failed',
    shareOfDay: 'Share of today’s limit',
    shareOfAll: 'Share of all requests',
  },
  share: (share: string, of: string) => `${share}: ${of.toLowerCase()}`,
  thisConsole: 'this console',
  unknownOperation: 'no such path',
  deprecatedMark: (operation: string) => `${operation} (deprecated)`,
  showNames: 'Show the keys’ names (1 request)',
  noRequests: 'No requests yet',
  noRequestsText: 'As soon as a key sends a request, it appears here. For example:',
  ladder: 'Before a ban',
  ladderNote:
    '30 refusals of one key within a minute ban that key; longer each time, anew after a quiet day.',
  ladderLabel: 'How long each ban lasts',
  ladderSteps: ['1 min', '5 min', '30 min', '2 h', '24 h'] as const,
  ladderStep: (step: number, isLast: boolean) => (isLast ? `From ${step} on` : `Ban ${step}`),
  ladderHint: 'These are the times of a service as delivered; its operator can set others.',
  noBans: 'No key is banned.',
  banned: (name: string) => `${name} is banned`,
  bannedNote: (strikes: number) =>
    `Ban ${number(strikes)}. It ends by itself; your other keys work.`,
  left: (wait: string) => `${wait} left`,
  lift: 'Lift',
  deprecated: 'On its way out',
  deprecatedNote: 'Deprecated operations that your keys still call',
  noDeprecated: 'No key calls a deprecated operation.',
  deprecatedBy: (name: string, calls: number, when: string) =>
    `by ${name}, ${count(calls, 'call')}, last ${when}`,
  sunset: (day: string) => `Answers 410 from ${day} on. Call`,
  instead: 'instead.',
});
