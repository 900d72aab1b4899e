import { type Arguments, type Terminal, UsageError } from './command.ts';
import { operationCommands } from './commands.ts';
import { otherCommands } from './help.ts';
import { extraFlags } from './run-operation.ts';

const LOCAL = 'serve migrate keys workspaces bans reconcile backup import copy';

/** The words that may follow these: subcommands, flags, or the choices of a flag. */
export function candidates(words: readonly string[]): string[] {
  const current = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  const names = [
    ...operationCommands.map(({ name }) => name),
    ...Object.keys(otherCommands),
    ...LOCAL.split(' '),
  ];
  const command = operationCommands.find(({ name }) => before.join(' ').startsWith(name));
  if (command) {
    const flag = command.flags.find(({ name }) => before.at(-1) === `--${name}`);
    const choices = flag?.choices ?? (flag?.type === 'boolean' ? ['true', 'false'] : []);
    const flags = [...command.flags.map(({ name }) => name), ...Object.keys(extraFlags(command))];
    const all = flag ? choices : flags.map((name) => `--${name}`);
    return all.filter((word) => word.startsWith(current));
  }
  const prefix = before.length > 0 ? `${before.join(' ')} ` : '';
  const next = names
    .filter((name) => name.startsWith(prefix))
    .map((name) => name.slice(prefix.length).split(' ')[0]!);
  return [...new Set(next)].filter((word) => word.startsWith(current));
}

const scripts: Record<string, string> = {
  bash: `_petstore() {
  local IFS=$'\\n'
  COMPREPLY=($(petstore __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -F _petstore petstore
`,
  zsh: `#compdef petstore
_petstore() {
  local -a found
  found=("\${(@f)$(petstore __complete "\${words[@]:1:$((CURRENT-1))}" 2>/dev/null)}")
  compadd -a found
}
compdef _petstore petstore
`,
  fish: `complete -c petstore -f -a '(petstore __complete (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
`,
};

export function completion({ words }: Arguments, { stdout }: Terminal): void {
  const script = scripts[words[0] ?? ''];
  if (!script) throw new UsageError('usage: petstore completion bash|zsh|fish');
  stdout.write(script);
}
