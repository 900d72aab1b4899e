import { examine } from '../doctor.ts';
import { systemClock } from '../lib/clock.ts';
import type { Run } from './command.ts';

/** Returns 1 if anything has failed. A warning is no failure. */
export const doctor: Run = async ({ print }) => {
  const findings = await examine(process.env, systemClock);
  const lines = findings.map(
    ({ name, state, message }) => `${state.padEnd(8)} ${name.padEnd(9)} ${message}`,
  );
  print(findings, lines);
  return findings.some(({ state }) => state === 'failed') ? 1 : 0;
};
