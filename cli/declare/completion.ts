import type { Command } from 'commander'

export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

interface Node {
  /** The words that lead there: `` for the program itself, `tokens create` for a command of a command. */
  path: string
  words: { word: string; message: string }[]
}

/** Every command with the words that may follow it, read from what the program itself understands. */
function collectWords(command: Command, path: string[] = []): Node[] {
  const commands = command.commands.map((one) => ({ word: one.name(), message: one.description() }))
  const options = command.options
    .filter(({ hidden }) => !hidden)
    .flatMap(({ long, description }) => (long ? [{ word: long, message: description }] : []))
  const help = { word: '--help', message: 'display help for command' }
  const own = { path: path.join(' '), words: [...commands, ...options, help] }
  return [own, ...command.commands.flatMap((one) => collectWords(one, [...path, one.name()]))]
}

/** A script for a shell, made of the program's own commands and options. */
export function completionScript(program: Command, shell: Shell): string {
  const nodes = collectWords(program)
  if (shell === 'bash') return bashScript(nodes)
  if (shell === 'zsh') return zshScript(nodes)
  return fishScript(nodes)
}

/** The longest known path among the words before the cursor decides what may come next. */
function bashScript(nodes: Node[]): string {
  const cases = nodes.map(
    ({ path, words }) => `    ${quote(path)}) words=${quote(words.map(({ word }) => word).join(' '))} ;;`,
  )
  const known = nodes.map(({ path }) => path).filter((path) => path !== '')
  return `# gpuq's completion for bash. Put into ~/.bashrc: eval "$(gpuq completion bash)"
_gpuq() {
  local path= word words= at
  for ((at = 1; at < COMP_CWORD; at++)); do
    word="\${path:+$path }\${COMP_WORDS[at]}"
    case "$word" in
    ${known.map(quote).join(' | ')}) path="$word" ;;
    esac
  done
  case "$path" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _gpuq gpuq
`
}

function zshScript(nodes: Node[]): string {
  const cases = nodes.map(({ path, words }) => {
    const entries = words.map(({ word, message }) => quote(`${word.replaceAll(':', '\\:')}:${message}`))
    return `    ${quote(path)}) entries=(${entries.join(' ')}) ;;`
  })
  const known = nodes.map(({ path }) => path).filter((path) => path !== '')
  return `#compdef gpuq
# gpuq's completion for zsh. Put into ~/.zshrc, after compinit: eval "$(gpuq completion zsh)"
_gpuq() {
  local path_ word at
  local -a entries
  for ((at = 2; at < CURRENT; at++)); do
    word="\${path_:+$path_ }\${words[at]}"
    case "$word" in
    ${known.map(quote).join(' | ')}) path_="$word" ;;
    esac
  done
  case "$path_" in
${cases.join('\n')}
  esac
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
