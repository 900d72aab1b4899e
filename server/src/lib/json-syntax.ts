// Finds where a text stops being JSON, and what belongs there. It runs only on a text that JSON.parse has refused: the
// messages of JSON.parse are not documented and do not always have a position.

interface SyntaxFault {
  line: number;
  column: number;
  expected: string;
}

type State = 'value' | 'value or ]' | 'key' | 'key or }' | 'colon' | 'comma or end' | 'nothing';

const SPACES = new Set([' ', '\t', '\n', '\r']);
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

const canClose = new Set<State>(['value or ]', 'key or }', 'comma or end']);

/** Undefined if the text is JSON. */
export function findSyntaxFault(text: string): SyntaxFault | undefined {
  const open: ('{' | '[')[] = [];
  let state: State = 'value';
  let at = afterSpace(text, 0);
  while (at < text.length || state !== 'nothing') {
    const step = next(text, at, state, open);
    if (!step) return { ...positionOf(text, at), expected: expectedAfter(state, open) };
    state = step.state;
    at = afterSpace(text, step.at);
  }
  return undefined;
}

/** Reads one token. Undefined if it does not fit. */
function next(
  text: string,
  at: number,
  state: State,
  open: ('{' | '[')[],
): { at: number; state: State } | undefined {
  const char = text[at];
  const afterValue = (): State => (open.length === 0 ? 'nothing' : 'comma or end');
  if (state === 'colon') return char === ':' ? { at: at + 1, state: 'value' } : undefined;
  if (canClose.has(state) && char !== undefined && char === closerOf(open)) {
    open.pop();
    return { at: at + 1, state: afterValue() };
  }
  if (state === 'comma or end') {
    if (char !== ',') return undefined;
    return { at: at + 1, state: open.at(-1) === '{' ? 'key' : 'value' };
  }
  if (state === 'nothing' || char === undefined) return undefined;
  if (char === '"') {
    const end = skip(STRING, text, at);
    if (end === at) return undefined;
    return { at: end, state: state.startsWith('key') ? 'colon' : afterValue() };
  }
  if (state.startsWith('key')) return undefined;
  if (char === '{' || char === '[') {
    open.push(char);
    return { at: at + 1, state: char === '{' ? 'key or }' : 'value or ]' };
  }
  const end = skip(SCALAR, text, at);
  return end === at ? undefined : { at: end, state: afterValue() };
}

function expectedAfter(state: State, open: readonly string[]): string {
  if (state === 'nothing') return 'the end of the text';
  if (state === 'colon') return 'a colon';
  if (state === 'comma or end') return `a comma or ${closerOf(open)}`;
  if (state.startsWith('key')) return 'a property name in double quotes';
  return 'a value';
}

function closerOf(open: readonly string[]): string | undefined {
  const last = open.at(-1);
  return last && (last === '{' ? '}' : ']');
}

function afterSpace(text: string, from: number): number {
  let at = from;
  while (SPACES.has(text[at]!)) at++;
  return at;
}

function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

function positionOf(text: string, at: number): { line: number; column: number } {
  const before = text.slice(0, at).split('\n');
  return { line: before.length, column: before.at(-1)!.length + 1 };
}
