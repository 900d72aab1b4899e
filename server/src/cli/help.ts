import type { Command, OptionDeclaration } from './command.ts';

const INDENT = '  ';

/** What `petstore` prints by itself: the commands over the API, then those on this machine. */
export function overview(commands: readonly Command[], apiOverview: string): string {
  return `Usage: petstore <command> [options]

${apiOverview}
On this machine, on the configured database:

${table(commands.map((command) => [usageOf(command), command.summary]))}

\`petstore <command> --help\` shows the options of a command and an example.
Settings are environment variables: see docs/running.md.
`;
}

/** What `petstore keys --help` prints. */
export function groupHelp(word: string, commands: readonly Command[]): string {
  return `Usage: petstore ${word} <action> [options]

${table(commands.map((command) => [usageOf(command), command.summary]))}

\`petstore ${word} <action> --help\` shows the options of an action and an example.
`;
}

export function commandHelp(command: Command): string {
  const { summary, options, example } = command;
  const rows = Object.entries(options).map(([name, option]) => [
    optionText(name, option),
    option.description,
  ]);
  const optionsText = rows.length === 0 ? '' : `\n${table(rows)}\n`;
  const optionsHint = rows.length === 0 ? '' : ' [options]';
  return `Usage: petstore ${usageOf(command)}${optionsHint}

${summary[0]!.toUpperCase()}${summary.slice(1)}.
${optionsText}
Example:
${INDENT}${example}
`;
}

/** The command with what it needs. */
function usageOf({ name, argument, options }: Command): string {
  const needed = Object.entries(options).filter(([, { isRequired }]) => isRequired);
  const words = needed.map(([option, declaration]) => optionText(option, declaration));
  return [name, ...(argument ? [argument] : []), ...words].join(' ');
}

function optionText(name: string, { value }: OptionDeclaration): string {
  return value === undefined ? `--${name}` : `--${name} ${value}`;
}

function table(rows: readonly (readonly string[])[]): string {
  const width = Math.max(...rows.map(([left]) => left!.length)) + INDENT.length;
  return rows.map(([left, right]) => `${INDENT}${left!.padEnd(width)}${right}`).join('\n');
}
