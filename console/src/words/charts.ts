import { count, number } from '../ui/format.ts';
import { wordsOf } from './words-of.ts';

interface Counts {
  admitted: number;
  refused: number;
}

const sum = (minutes: readonly Counts[], name: keyof Counts) =>
  minutes.reduce((total, each) => total + each[name], 0);

export const chartWords = wordsOf({
  requests: 'Requests',
  units: 'Units',
  now: 'now',
  today: 'today',
  minute: 'Minute',
  day: 'Day (UTC)',
  dayOf: (zone: string) => `Day (${zone})`,
  when: 'When',
  admitted: 'Admitted',
  refused: 'Refused',
  onHand: 'On hand',
  reserved: 'Reserved',
  limit: (limit: number) => `Limit ${number(limit)} a minute`,
  minutes: (minutes: readonly Counts[], limit: number) =>
    `Requests per minute over ${count(minutes.length, 'minute')}: ${number(sum(minutes, 'admitted'))} admitted, ${number(sum(minutes, 'refused'))} refused, limit ${number(limit)} a minute.`,
  dayLimit: (limit: number) => `Limit ${number(limit)} a day`,
  quarter: '15 minutes',
  quarters: (quarters: readonly Counts[]) =>
    `Requests per 15 minutes over a day: ${number(sum(quarters, 'admitted'))} admitted, ${number(sum(quarters, 'refused'))} refused.`,
  days: (days: readonly Counts[], limit: number) =>
    `Requests per UTC day over ${count(days.length, 'day')}: ${number(sum(days, 'admitted'))} admitted, ${number(sum(days, 'refused'))} refused, limit ${number(limit)} a day.`,
  minuteReading: (at: string, admitted: number, refused: number) =>
    `${at}: ${number(admitted)} admitted, ${number(refused)} refused`,
  dayReading: (date: string, text: string) => `${date}: ${text}`,
  stock: (steps: number, quantity: number, reserved: number) =>
    `Stock, last 30 days, in ${count(steps, 'step')}; now ${number(quantity)} on hand, ${number(reserved)} reserved.`,
  stockReading: (at: string, quantity: number, reserved: number) =>
    `${at}: ${number(quantity)} on hand, ${number(reserved)} reserved`,
});
