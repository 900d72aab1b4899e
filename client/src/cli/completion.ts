import { actionCommands, actions, wrongUsage } from './actions.ts';
import {
  type Arguments,
  commonFlags,
  type FlagKinds,
  type KnownCommand,
  type Terminal,
} from './command.ts';
import { commands, findCommand } from './command-table.ts';
import { formats } from './output.ts';
import { extraFlags } from './run-operation.ts';

type KnownFlag = KnownCommand['flags'][number];

const groupedCommands: readonly KnownCommand[] = commands.map((command) => ({
  ...command,
  flags: [...command.flags, ...Object.keys(extraFlags(command)).map(extraFlag)],
}));
const otherCommands: readonly KnownCommand[] = actionCommands.map((command) => ({
  ...command,
  flags: [...command.flags, ...Object.keys(commonFlags).map(extraFlag)],
}));
/** Words that are completed like those of a command. */
const words: readonly KnownCommand[] = [
  ...['bash', 'zsh', 'fish'].map((shell) => `completion ${shell}`),
  ...['list', 'use', 'remove'].map((verb) => `profiles ${verb}`),
  ...['GET', 'POST', 'PATCH', 'DELETE'].map((method) => `api ${method}`),
  'help',
].map((name) => ({ name, summary: '', flags: flagsOf(name.split(' ')[0]!) }));

function flagsOf(action: string): KnownCommand['flags'] {
  return otherCommands.find(({ name }) => name === action)?.flags ?? [];
}

function extraFlag(name: string): KnownFlag {
  return { name, type: 'string', ...(name === 'output' ? { choices: formats } : {}) };
}

/** Whether another word has to follow a flag. The flags of an operation take one each. */
function takesValue(command: string, flag: string): boolean {
  const operation = commands.find(({ name }) => name === command);
  // The words of an action belong to its name here.
  const action = actions[command] ?? actions[command.split(' ')[0]!];
  const kinds: FlagKinds = operation ? extraFlags(operation) : { ...commonFlags, ...action?.flags };
  return Object.hasOwn(kinds, flag) ? kinds[flag] !== 'switch' : operation !== undefined;
}

/** The words that may stand in the last place: commands, flags, or the choices of a flag. */
export function candidates(
  typed: readonly string[],
  machineCommands: readonly KnownCommand[] = [],
): string[] {
  const current = typed.at(-1) ?? '';
  const before = typed.slice(0, -1);
  const known = [...groupedCommands, ...otherCommands, ...words, ...machineCommands];
  const command = findCommand(before, known);
  const all = [
    ...nextWords(before[0] === 'help' ? before.slice(1) : before, known),
    ...(command ? afterCommand(command, before.at(-1)!) : []),
  ];
  return [...new Set(all)].filter((word) => word.startsWith(current));
}

function nextWords(before: readonly string[], known: readonly KnownCommand[]): string[] {
  return known.flatMap(({ name }) => {
    const words = name.split(' ');
    const isBehind = words.length > before.length && before.every((word, at) => word === words[at]);
    return isBehind ? [words[before.length]!] : [];
  });
}

function afterCommand({ name: command, flags }: KnownCommand, last: string): string[] {
  const flag = last === '-o' ? extraFlag('output') : flags.find(({ name }) => last === `--${name}`);
  if (flag?.choices) return [...flag.choices];
  if (flag?.type === 'boolean') return ['true', 'false'];
  // What follows would be taken as the value. The shell offers files.
  if (flag && takesValue(command, flag.name)) return [];
  return flags.map(({ name }) => `--${name}`);
}

// Each script passes the words up to the cursor, and a shell's own completion of files stays the last resort.
const scripts: Readonly<Record<string, string>> = {
  // Line by line: an array made of the output would expand a * to the names of files.
  bash: `_petstore() {
  local word
  COMPREPLY=()
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(
    petstore __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null
  )
}
complete -o default -F _petstore petstore
`,
  zsh: `#compdef petstore
_petstore() {
  local -a found
  found=("\${(@f)$(petstore __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if (( \${#found} )) && [[ -n "$found[1]" ]]; then compadd -a found; else _files; fi
}
if (( \${+functions[compdef]} )); then compdef _petstore petstore; else _petstore "$@"; fi
`,
  fish: `complete -c petstore -a '(petstore __complete (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
`,
};

export function completion({ words }: Arguments, { stdout }: Terminal): void {
  const [shell = ''] = words;
  if (!Object.hasOwn(scripts, shell)) throw wrongUsage('completion');
  stdout.write(scripts[shell]!);
}
