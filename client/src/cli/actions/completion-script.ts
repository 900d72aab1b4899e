import { type Arguments, type Terminal, WrongWords } from '../command.ts';

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

export function completionScript({ words }: Arguments, { stdout }: Terminal): void {
  const [shell = ''] = words;
  if (!Object.hasOwn(scripts, shell)) throw new WrongWords();
  stdout.write(scripts[shell]!);
}
