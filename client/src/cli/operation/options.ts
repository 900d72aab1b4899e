import {
  commonOptions,
  type Flag,
  type OperationCommand,
  type Option,
  type Options,
} from '../command.ts';

export const dueOption: Option = {
  kind: 'value',
  value: 'DAY',
  description: "Open orders that ship on this day of this machine's time zone; late: before today.",
  choices: ['today', 'tomorrow', 'late'],
};

const clearOption: Option = {
  kind: 'values',
  value: 'FIELD',
  description: 'Set this field to null. May be given more than once.',
};

/** The options of a command that are not fields of its operation. */
export function extraOptions(command: OperationCommand): Options {
  const { isList, isWrite, method, hasIfMatch, hasDryRun, hasBody, flags } = command;
  const isNullable = flags.some((flag) => flag.isNullable);
  const own: Record<string, Option | false | undefined> = {
    'no-names': command.names && {
      kind: 'switch',
      description: `Leave out the column ${command.names.as}, and the request for the names.`,
    },
    all: isList && { kind: 'switch', description: 'All pages of the list.' },
    'expires-in': flags.some(({ name }) => name === 'expires-at') && {
      kind: 'value',
      value: 'DURATION',
      description: 'In place of --expires-at: 90s, 15m, 2h or 30d from now.',
    },
    low: flags.some(({ name }) => name === 'low') && {
      kind: 'switch',
      description:
        'Only what is at its threshold of low stock or below it: that of the pet, else of the workspace, else 2.',
    },
    due: flags.some(({ name }) => name === 'ship-date-to') && dueOption,
    data: hasBody && {
      kind: 'value',
      value: 'JSON|@FILE|-',
      description: 'The body as JSON, from a file or from standard input. Other flags win.',
    },
    clear: hasBody && isNullable && clearOption,
    'dry-run': hasDryRun && { kind: 'switch', description: 'Check it, and change nothing.' },
    'if-match': hasIfMatch && {
      kind: 'value',
      value: 'ETAG',
      description: 'Only if the record still has this ETag.',
    },
    'idempotency-key': isWrite && {
      kind: 'value',
      value: 'KEY',
      description: 'Repeat a command with the same key, and it is done once. Default: a new one.',
    },
    yes: method === 'DELETE' && { kind: 'switch', description: 'Do not ask.' },
  };
  const given = Object.entries(own).filter((entry): entry is [string, Option] => Boolean(entry[1]));
  return { ...Object.fromEntries(given), ...commonOptions };
}

/** The fields of an operation as options of its command. */
export function fieldOptions({ flags }: OperationCommand): Options {
  return Object.fromEntries(
    flags.map((flag): [string, Option] => {
      const { name, description, choices, isRequired, isRepeatable } = flag;
      const text = isRequired ? `${description} Required.` : description;
      return [
        name,
        {
          kind: isRepeatable ? 'values' : 'value',
          value: valueText(flag),
          description: text.trim(),
          ...(choices ? { choices } : {}),
          ...(flag.type === 'boolean' ? { choices: ['true', 'false'] } : {}),
        },
      ];
    }),
  );
}

/** The kind of a value, as the help shows it. */
function valueText({ name, type, isList, isTime, choices }: Flag): string {
  if (isTime) return 'TIME';
  if (isList) return 'LIST';
  if (type === 'integer') return name.endsWith('id') ? 'ID' : 'N';
  if (type === 'boolean') return 'BOOLEAN';
  if (type === 'json') return 'JSON|@FILE';
  return choices ? name.toUpperCase().replaceAll('-', '_') : 'TEXT';
}
