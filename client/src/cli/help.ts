import { commonOptions, type KnownCommand, type Option, type Terminal } from './command.ts';
import { findCommand, knownCommands } from './command-table.ts';

type Row = readonly [left: string, right: string];

const WIDTH_DEFAULT = 100;
const WIDTH_MIN = 40;
const LEFT_MAX = 30;
const GAP = '  ';

/** The help of a command, of a group, or of everything; undefined if these words name none of them. */
export function helpFor(
  words: readonly string[],
  { serverCommands = [], stdout }: Pick<Terminal, 'serverCommands' | 'stdout'>,
): string | undefined {
  const width = Math.max(WIDTH_MIN, stdout.columns || WIDTH_DEFAULT);
  const known = [...knownCommands, ...serverCommands];
  if (words.length === 0) return overview(serverCommands, width);
  const name = words.join(' ');
  const group = known.filter((command) => command.name.startsWith(`${name} `));
  const command = known.find((each) => each.name === name);
  // `usage` and `mcp` are commands and groups.
  if (command) return commandHelp(command, group, width);
  if (group.length > 0) return groupHelp(name, group, width);
  const longer = findCommand(words, known);
  return longer && commandHelp(longer, [], width);
}

/** What `petstore` prints by itself: one line for each noun, then the other commands. */
function overview(serverCommands: readonly KnownCommand[], width: number): string {
  const verbs = verbsOf(knownCommands);
  const nouns = [...verbs].filter(([, each]) => each.some((verb) => verb !== ''));
  const others = knownCommands.filter(({ name }) => verbs.get(name)?.every((verb) => verb === ''));
  const server = [...verbsOf(serverCommands.map(withoutServer))].map(
    ([noun, each]): Row => [`server ${noun}`, each.join(' ')],
  );
  const serverSummaries = server.map(([name, each]): Row => {
    const single = serverCommands.find((command) => command.name === name);
    return [name, single?.summary ?? each];
  });
  const machine =
    server.length === 0
      ? ''
      : `\nOn the machine of the service, on its database:\n\n${rows(serverSummaries, width)}`;
  return `Usage: petstore <command> [options]

Over the API, with a key (petstore login, or PETSTORE_API_KEY):

${rows(
  nouns.map(([noun, each]): Row => [noun, each.filter(Boolean).join(' ')]),
  width,
)}
${rows(
  others.map(({ name, summary }): Row => [name, summary]),
  width,
)}${machine}
Options of every command:

${optionRows(Object.entries(commonOptions), width)}
The help of one command: petstore help orders place
`;
}

function withoutServer(command: KnownCommand): KnownCommand {
  return { ...command, name: command.name.replace('server ', '') };
}

/** The verbs of each noun, in their order; '' for a command that is a single word. */
function verbsOf(commands: readonly KnownCommand[]): Map<string, string[]> {
  const verbs = new Map<string, string[]>();
  for (const { name } of commands) {
    const [noun = '', ...rest] = name.split(' ');
    verbs.set(noun, [...(verbs.get(noun) ?? []), rest.join(' ')]);
  }
  return verbs;
}

function groupHelp(name: string, group: readonly KnownCommand[], width: number): string {
  const examples = group.slice(0, 2).map(({ example }) => `${GAP}${example}\n`);
  return `Usage: petstore ${name} <command> [options]

${commandRows(group, width)}
${examples.length > 1 ? 'Examples' : 'Example'}:
${examples.join('')}
The options of one command: petstore help ${group[0]!.name}
`;
}

function commandHelp(command: KnownCommand, group: readonly KnownCommand[], width: number): string {
  const { usage, summary, options, example } = command;
  const isCommon = (name: string) => options[name] === commonOptions[name];
  const all = Object.entries(options);
  const own = all.filter(([name]) => !isCommon(name));
  const common = all.filter(([name]) => isCommon(name));
  const others = group.length > 0 ? `\nCommands:\n\n${commandRows(group, width)}` : '';
  const ownRows = own.length > 0 ? `\nOptions:\n\n${optionRows(own, width)}` : '';
  const commonRows =
    common.length > 0 ? `\nOptions of every command:\n\n${optionRows(common, width)}` : '';
  return `Usage: petstore ${usage}${all.length > 0 ? ' [options]' : ''}

${summary}.
${others}${ownRows}${commonRows}
Example:
${GAP}${example}
`;
}

function commandRows(commands: readonly KnownCommand[], width: number): string {
  return rows(
    commands.map(({ usage, summary }): Row => [usage, summary]),
    width,
  );
}

function optionRows(options: readonly (readonly [string, Option])[], width: number): string {
  const pairs = options.map(([name, { value, description, choices }]): Row => {
    const short = name === 'output' ? '-o, ' : name === 'quiet' ? '-q, ' : '';
    const choice = choices ? ` One of ${choices.join(', ')}.` : '';
    return [`${short}--${name}${value ? ` ${value}` : ''}`, `${description}${choice}`];
  });
  return rows(pairs, width);
}

/** Two columns. A long left side has a line of its own, and the right side wraps under itself. */
function rows(pairs: readonly Row[], width: number): string {
  const widest = Math.max(0, ...pairs.map(([left]) => left.length));
  const leftWidth = Math.min(widest, LEFT_MAX, Math.floor(width / 2));
  const indent = GAP.length * 2 + leftWidth;
  return pairs
    .map(([left, right]) => {
      const lines = wrapped(right, width - indent).map((line) => `${' '.repeat(indent)}${line}\n`);
      if (left.length > leftWidth) return `${GAP}${left}\n${lines.join('')}`;
      const [first = '\n', ...more] = lines;
      return `${GAP}${left.padEnd(leftWidth)}${first.slice(GAP.length + leftWidth)}${more.join('')}`;
    })
    .join('');
}

function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (longer.length > width && line !== '') {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return line === '' ? lines : [...lines, line];
}
