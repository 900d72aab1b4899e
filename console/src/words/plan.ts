import { count, number } from '../ui/format.ts';
import { wordsOf } from './words-of.ts';

export const planWords = wordsOf({
  fits: 'Which plan fits you',
  fitsNote: 'What each plan would have refused in the last 24 hours',
  yours: 'Current',
  fit: 'Recommended',
  limits: (perMinute: number, perDay: number) =>
    `${number(perMinute)}\u00a0a\u00a0minute, ${number(perDay)}\u00a0a\u00a0day`,
  individually: 'Custom limits',
  refused: (refused: number) => (refused === 0 ? 'none refused' : `${number(refused)} refused`),
  changeTo: (plan: string) => `Change to ${plan}`,
  atOnce: 'Takes effect immediately. Requests already used stay counted.',
  planFits: 'Your plan fits: none of these requests exceeds it.',
  someRefused: 'Some requests were refused. Compare plans to see which one has room for them.',
  yourLimits: 'Your plan has custom limits.',
  compare: 'Compare plans',
  changeNote: 'Changes take effect immediately. Requests already used stay counted.',
  lead: 'How many requests all keys of the workspace can send together.',
  perMinute: 'a minute',
  perDay: 'a day',
  streams: (streams: number) => `${count(streams, 'event stream')} at once`,
  replayTitle: 'Your last 24 hours',
  replay: (byMinute: number, byDay: number) =>
    `${number(byMinute)} by the minute limit, ${number(byDay)} by the day limit`,
  requests: (requests: number, busiest: number, from: string) =>
    `Since ${from} your keys sent ${count(requests, 'request')}, at most ${number(busiest)} in one minute.`,
  enterpriseNote: 'Contact the operator of this service.',
  isYours: 'Your current plan',
  dialogTitle: (plan: string) => `Change to ${plan}`,
  dialogLead: (from: string, to: string) =>
    `The workspace switches from ${from} to ${to} with the next request.`,
  minuteLimit: 'Requests a minute',
  dayLimit: 'Requests a day',
  usedMinute: (used: number, left: number) =>
    `${count(used, 'request', 'requests')} used this minute, ${number(left)} left.`,
  usedDay: (used: number, left: number) =>
    `${count(used, 'request', 'requests')} used today, ${number(left)} left.`,
  wouldRefuse: (refused: number) =>
    `In the last 24 hours it would have refused ${count(refused, 'request')}.`,
  losesEnterprise:
    'You lose your custom limits. Only the operator of the service can restore Enterprise.',
  costs: 'The change itself counts as one request of your current plan.',
  changed: (plan: string) => `You are now on ${plan}.`,
});
