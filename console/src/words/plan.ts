import { count, number } from '../ui/format.ts';
import { wordsOf } from './words-of.ts';

export const planWords = wordsOf({
  fits: 'Which plan fits',
  fitsNote: 'Your last 24 hours, replayed against each plan',
  yours: 'Yours',
  fit: 'Fits',
  limits: (perMinute: number, perDay: number) =>
    `${number(perMinute)} a minute, ${number(perDay)} a day`,
  individually: 'Agreed individually',
  refused: (refused: number) => (refused === 0 ? 'none refused' : `${number(refused)} refused`),
  changeTo: (plan: string) => `Change to ${plan}`,
  atOnce: 'Takes effect at once. What was used stays used.',
  planFits: 'Your plan fits: it would have refused none of them.',
  yourLimits: 'Your limits are agreed individually.',
  compare: 'Compare plans',
  changeNote: 'A change takes effect at once; what was used stays used.',
  lead: 'How many requests all keys of the workspace may send together.',
  perMinute: 'a minute',
  perDay: 'a day',
  streams: (streams: number) => `${count(streams, 'event stream')} at once`,
  replayTitle: 'Your last 24 hours',
  replay: (byMinute: number, byDay: number) =>
    `${number(byMinute)} by the minute, ${number(byDay)} by the day`,
  requests: (requests: number, busiest: number, from: string) =>
    `Since ${from} your keys sent ${count(requests, 'request')}, at most ${number(busiest)} in one minute.`,
  enterpriseNote: 'Limits of your own. The operator of this service sets them; ask there.',
  isYours: 'This is your plan',
  dialogTitle: (plan: string) => `Change to ${plan}`,
  dialogLead: (from: string, to: string) =>
    `The workspace goes from ${from} to ${to}, on the next request.`,
  minuteLimit: 'Requests a minute',
  dayLimit: 'Requests a day',
  usedMinute: (used: number, left: number) =>
    `${count(used, 'request of this minute is', 'requests of this minute are')} used, so ${count(left, 'is', 'are')} left of it.`,
  usedDay: (used: number, left: number) =>
    `${count(used, 'request of today is', 'requests of today are')} used, so ${count(left, 'is', 'are')} left of the day.`,
  wouldRefuse: (refused: number) =>
    `In the last 24 hours it would have refused ${count(refused, 'request')}.`,
  losesEnterprise:
    'Your agreed limits are lost. Only the operator of the service can give Enterprise back.',
  costs: 'The change itself is one request of the plan that you have now.',
  changed: (plan: string) => `The workspace is on ${plan} now.`,
});
