import fc from 'fast-check';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { accessLogTo } from '../../src/telemetry/access-log.ts';

it('writes the line that pino would write, whatever the path', () => {
  const name = fc.stringMatching(/^[\w.:/+=@-]{1,40}$/);
  const optional = fc.option(name, { nil: undefined });
  const request = fc.record({
    requestId: name,
    method: fc.constantFrom('GET', 'POST', 'M-SEARCH'),
    path: fc.string({ unit: 'binary' }),
    operation: optional,
    status: fc.integer({ min: 100, max: 599 }),
    code: optional,
    keyId: optional,
    durationMs: fc.double({ min: 0, max: 1e7, noNaN: true }),
  });
  fc.assert(
    fc.property(request, (logged) => {
      const lines: string[] = [];
      const output = { write: (line: string) => void lines.push(line) };
      const { durationMs, ...fields } = logged;
      pino({ base: null }, output).info({ ...fields, ms: Math.round(durationMs * 1000) / 1000 });
      accessLogTo(output)(logged);
      const [expected, written] = lines.map((line) => line.replace(/"time":\d+/, '"time":0'));
      expect(written).toBe(expected);
    }),
  );
});
