import type { SingleStatement, SingleStatementValues } from '../runner.ts';

/** A single statement with its values. */
export interface SingleCall {
  statement: SingleStatement;
  values: SingleStatementValues;
}

/** Makes the text of a single statement once. `first` is the number of the first free parameter. */
export function oncePerStatement<C extends SingleCall>(make: (call: C, first: number) => string) {
  const texts = new WeakMap<SingleStatement, string>();
  return (call: C): string => {
    const known = texts.get(call.statement);
    if (known !== undefined) return known;
    const text = make(call, call.values.length + 1);
    texts.set(call.statement, text);
    return text;
  };
}
