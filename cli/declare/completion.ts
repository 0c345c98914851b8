import type { Command } from 'commander'

export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

interface Node {
  /** The words of the command: empty for the program itself, `tokens create` for a subcommand. */
  path: string
  words: { word: string; message: string }[]
}

/** Lists every command with the words that may follow it, from the declarations of the program. */
function collectWords(command: Command, path: string[] = []): Node[] {
  const commands = command.commands.map((one) => ({ word: one.name(), message: one.description() }))
  const options = command.options
    .filter(({ hidden }) => !hidden)
    .flatMap(({ long, description }) => (long ? [{ word: long, message: description }] : []))
  const help = { word: '--help', message: 'display help for command' }
  const own = { path: path.join(' '), words: [...commands, ...options, help] }
  return [own, ...command.commands.flatMap((one) => collectWords(one, [...path, one.name()]))]
}

/** Returns a completion script for the program's commands and options. */
export function completionScript(program: Command, shell: Shell): string {
  const nodes = collectWords(program)
  if (shell === 'bash') return bashScript(nodes)
  if (shell === 'zsh') return zshScript(nodes)
  return fishScript(nodes)
}

/** Code for bash and zsh: finds the longest known command before the cursor, then runs its `setWords`. */
function selectCommand(
  nodes: Node[],
  { first, cursor, words }: { first: number; cursor: string; words: string },
  setWords: (node: Node) => string,
): string {
  const known = nodes.flatMap(({ path }) => (path === '' ? [] : [quote(path)]))
  return `  local command= word= at
  for ((at = ${first}; at < ${cursor}; at++)); do
    word="\${command:+$command }\${${words}[at]}"
    case "$word" in
    ${known.join(' | ')}) command="$word" ;;
    esac
  done
  case "$command" in
${nodes.map((node) => `    ${quote(node.path)}) ${setWords(node)} ;;`).join('\n')}
  esac`
}

function bashScript(nodes: Node[]): string {
  const setWords = ({ words }: Node) => `words=${quote(words.map(({ word }) => word).join(' '))}`
  return `# gpuq's completion for bash. Put into ~/.bashrc: eval "$(gpuq completion bash)"
_gpuq() {
  local words=
${selectCommand(nodes, { first: 1, cursor: 'COMP_CWORD', words: 'COMP_WORDS' }, setWords)}
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _gpuq gpuq
`
}

function zshScript(nodes: Node[]): string {
  const setWords = ({ words }: Node) => {
    const entries = words.map(({ word, message }) => quote(`${word.replaceAll(':', '\\:')}:${message}`))
    return `entries=(${entries.join(' ')})`
  }
  return `#compdef gpuq
# gpuq's completion for zsh. Put into ~/.zshrc, after compinit: eval "$(gpuq completion zsh)"
_gpuq() {
  local -a entries
${selectCommand(nodes, { first: 2, cursor: 'CURRENT', words: 'words' }, setWords)}
  _describe gpuq entries || _files
}
compdef _gpuq gpuq
`
}

function fishScript(nodes: Node[]): string {
  const lines = nodes.flatMap(({ path, words }) => {
    const seen = path.split(' ').filter(Boolean)
    const under = nodes.filter(
      (node) => node.path.startsWith(path === '' ? '' : `${path} `) && node.path !== path,
    )
    const deeper = under.map((node) => node.path.split(' ')[seen.length] ?? '')
    const conditions = [
      ...seen.map((word) => `__fish_seen_subcommand_from ${word}`),
      ...(deeper.length > 0 ? [`not __fish_seen_subcommand_from ${[...new Set(deeper)].join(' ')}`] : []),
    ]
    const when = quote(conditions.join('; and ') || 'true')
    return words.map(({ word, message }) => {
      const what = word.startsWith('--') ? `-l ${word.slice(2)}` : `-a ${word}`
      return `complete -c gpuq -n ${when} ${what} -d ${quote(message)}`
    })
  })
  return `# gpuq's completion for fish: gpuq completion fish > ~/.config/fish/completions/gpuq.fish\n${lines.join('\n')}\n`
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
