import { execFileSync } from 'node:child_process';
import { beforeAll, expect, it } from 'vitest';
import { findOrInstall } from '../../../scripts/test-support/install-packages.ts';
import { temporaryFolder } from '../../../server/test/support/temporary-folder.ts';
import { candidates } from '../../src/cli/completion.ts';
import { installPetstore, onTerminal } from '../support/terminal.ts';

const folder = temporaryFolder();
const env = { PATH: `${folder.path}:${process.env.PATH}`, HOME: folder.path };

beforeAll(() => installPetstore(folder.path));

const shells = [
  {
    name: 'bash',
    start: 'bash --norc --noprofile -i',
    setUp: 'source <(petstore completion bash)',
  },
  {
    name: 'zsh',
    start: 'zsh --no-rcs -i',
    setUp: 'autoload -U compinit && compinit -D && source <(petstore completion zsh)',
  },
];

const completions = [
  // a group, a verb, a flag, a choice, a form of output
  ['petstore or', 'petstore orders '],
  ['petstore orders pl', 'petstore orders place '],
  ['petstore orders list --co', 'petstore orders list --complete '],
  ['petstore pets list --status av', 'petstore pets list --status available '],
  ['petstore pets list -o nd', 'petstore pets list -o ndjson '],
  // a command on this machine, a longer name
  ['petstore server reconcile --re', 'petstore server reconcile --repair '],
  ['petstore pets create-many --mo', 'petstore pets create-many --mode '],
  // words and choices of commands that stand for no operation
  ['petstore profiles us', 'petstore profiles use '],
  ['petstore mcp config --for cl', 'petstore mcp config --for claude '],
] as const;

it.each(shells)('$name completes what is typed', async ({ name, start, setUp }) => {
  findOrInstall([name], [name]);
  const shell = onTerminal(start, { env });
  shell.type(`PS1='ready''> '; ${setUp}\n`);
  await shell.sees('ready> ');
  for (const [typed, completed] of completions) {
    shell.type(`${typed}\t`);
    await shell.sees(typed);
    await shell.sees(completed.slice(typed.length).trimEnd());
    // The line is cleared, and the shell asks for the next one.
    shell.type('\x15\n');
    await shell.sees('ready> ');
  }
  shell.type('exit\n');
  expect((await shell.ended).code).toBe(0);
});

it('bash offers a choice with a * as it is, whatever files there are', () => {
  const script = [
    'source <(petstore completion bash)',
    'touch pet.created',
    "COMP_WORDS=(petstore events list --type 'pet.') COMP_CWORD=4",
    '_petstore',
    `printf '%s\\n' "\${COMPREPLY[@]}"`,
  ].join('; ');
  const shown = execFileSync('bash', ['--norc', '-c', script], { env, cwd: folder.path });
  expect(String(shown).split('\n')).toEqual([
    'pet.*',
    'pet.created',
    'pet.updated',
    'pet.deleted',
    '',
  ]);
});

it.each([
  [
    ['stock', 'take', '--mode', ''],
    ['all', 'each'],
  ],
  [['api', 'PA'], ['PATCH']],
  [
    ['profiles', ''],
    ['list', 'use', 'remove'],
  ],
  // what follows an option that needs a value is no option
  [['pets', 'list', '--profile', ''], []],
  [['orders', 'place', '--data', ''], []],
  [['pets', 'list', '--all', '--li'], ['--limit']],
])('completes %j', (words, found) => {
  const offered = candidates(words);
  expect(offered.filter((word) => words.at(-1) !== '' || !word.startsWith('--'))).toEqual(found);
  if (found.length === 0) expect(offered).toEqual([]);
});
