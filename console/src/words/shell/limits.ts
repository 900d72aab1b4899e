import { count, number } from '../../ui/format.ts';
import { wordsOf } from '../words-of.ts';

export const limitWords = wordsOf({
  plan: (name: string) => `${name} plan`,
  plans: { free: 'Free', pro: 'Pro', business: 'Business', enterprise: 'Enterprise' } as Record<
    string,
    string
  >,
  change: 'Change',
  counts: 'Counted towards your limits',
  minute: 'This minute',
  day: 'Today',
  used: (used: number, limit: number) => `${number(used)} of ${number(limit)} used`,
  leftOfMinute: (left: number) => `${count(left, 'request')} left this minute`,
  resetsIn: (wait: string) => `Resets in ${wait}`,
  resetsAt: (local: string, utc: string) => `Resets at ${local} (${utc} UTC)`,
  consoleUsed: (used: number) => `Used by this console: ${number(used)}`,
  minuteTitle: 'Rate limit reached',
  minuteText: (plan: string, limit: string, store: string, asOf: string) =>
    `The ${plan} plan of ${store} allows ${limit} requests per minute for all keys together. Data as of ${asOf}.`,
  keptText: 'Your change will be sent in',
  goesOn: 'Resumes in',
  dayTitle: 'Daily limit reached',
  dayText: (plan: string, limit: string, resets: string) =>
    `The ${plan} plan allows ${limit} requests per day. Resets at ${resets}. Usage, plans and sign-in still work.`,
  banTitle: 'This session is banned for now.',
  banText:
    'Too many requests were refused. Another key of the workspace may still work. Nothing is sent for another',
  banOver: 'The ban is over.',
  goOn: 'Continue',
  otherKey: 'Sign in with another key',
  offlineTitle: 'You are offline.',
  offlineText: (asOf: string) =>
    `Nothing is loaded or saved. What you see is as of ${asOf}; what you typed is still here.`,
  awayTitle: 'The service does not answer.',
  awayText: (asOf: string) =>
    `It may be restarting. What you see is as of ${asOf}; what you typed is still here. Trying again in`,
  whoUsed: 'See usage',
  seePlans: 'See plans',
  tryNow: 'Try now',
});
