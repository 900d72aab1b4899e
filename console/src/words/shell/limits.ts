import { count, number } from '../../ui/format.ts';
import { wordsOf } from '../words-of.ts';

export const limitWords = wordsOf({
  plan: (name: string) => `${name} plan`,
  plans: { free: 'Free', pro: 'Pro', business: 'Business', enterprise: 'Enterprise' } as Record<
    string,
    string
  >,
  change: 'Change',
  minute: 'This minute',
  day: 'Today',
  used: (used: number, limit: number) => `${number(used)} of ${number(limit)} used`,
  leftOfMinute: (left: number) => `${count(left, 'request')} left of this minute`,
  resetsIn: (wait: string) => `Resets in ${wait}`,
  resetsAt: (local: string, utc: string) => `Resets at ${local} (${utc} UTC)`,
  consoleUsed: (used: number) => `This console used ${number(used)} of them.`,
  minuteTitle: 'The limit of this minute is used up.',
  minuteText: (plan: string, limit: string, store: string, asOf: string) =>
    `${plan} plan, ${limit} requests a minute, shared by all keys of ${store}. What you see is as of ${asOf}.`,
  keptText: 'Your change is kept and will be sent in',
  goesOn: 'It goes on in',
  dayTitle: 'The limit of this day is used up.',
  dayText: (plan: string, limit: string, resets: string) =>
    `${plan} plan, ${limit} requests a day. It starts anew at ${resets}. Usage, plans and sign-in still work.`,
  banTitle: 'This session is banned for now.',
  banText:
    'Too many requests were refused. Another key of the workspace may still work. Nothing is sent for another',
  banOver: 'The ban is over.',
  goOn: 'Go on',
  otherKey: 'Sign in with another key',
  offlineTitle: 'You are offline.',
  offlineText: (asOf: string) =>
    `What you see is as of ${asOf}. The console continues when the network is back; nothing is lost.`,
  awayTitle: 'The service does not answer.',
  awayText: (asOf: string) =>
    `It may be restarting. What you see is as of ${asOf}; nothing is lost. Trying again in`,
  whoUsed: 'Who used it?',
  seePlans: 'See plans',
  tryNow: 'Try now',
});
