// Units of work that are a single statement under a guard, such as an order with an Idempotency-Key. The first round trip
// runs the statements of a group. Each unit then makes its response, and the second stores the responses and commits.

import { OutcomeUnknown } from '../failures.ts';
import { BEGIN } from './command.ts';
import { type SettleUnits, sendGroup, type Unit } from './commit-units.ts';
import { ConnectionLost, MustRunAgain } from './failures.ts';
import { oncePerStatement } from './statement-texts.ts';

// There is one kind of guard, so a statement has one guarded text.
const guardedText = oncePerStatement(({ statement: { ctes, column }, guard }: Unit, first) => {
  const condition = ` AND ${guard!.condition(first)}`;
  return `WITH ${ctes(condition)} SELECT ${column} FROM result`;
});

/**
 * A unit that changed nothing is resolved at once and goes on by itself: the row of its guard exists, or its statement found
 * nothing to change. If the second round trip fails, each of the others runs again by itself.
 */
export const settleGuarded: SettleUnits = async (units, commit) => {
  const { lease, outcomes, deadline, before = [] } = commit;
  const { connection } = lease;
  const commands = units.map((unit) => {
    return { text: guardedText(unit), values: [...unit.values, ...unit.guard!.values] };
  });
  const batch = { ahead: [BEGIN, ...before], commands, behind: [] };
  const { results } = await sendGroup(connection, batch);
  const rest = units.map((unit, at) => {
    const result = results[at];
    return result === undefined ? unit.resolve(undefined) : unit.finish!(result);
  });
  if (rest.every((finishing) => finishing === undefined)) return connection.rollBack();
  try {
    const changes = (await Promise.all(rest)).flatMap((own) => own ?? []);
    await outcomes.commit({ lease, deadline }, (end) => connection.send([...changes, ...end]));
    for (const [at, unit] of units.entries()) unit.resolve(results[at]);
  } catch (err) {
    const isFinal = err instanceof ConnectionLost || err instanceof OutcomeUnknown;
    const failure = isFinal ? err : new MustRunAgain('the group failed', { cause: err });
    for (const unit of units) unit.reject(failure);
    await connection.rollBack();
  }
};
