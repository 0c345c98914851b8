import { readProgramCalls, splitOptions } from './shell-commands'

/** Programs that load something from the network, and which of their commands do; null: all. */
const programs: Readonly<Record<string, RegExp | null>> = {
  pip: /^(install|download|wheel)$/,
  uv: null,
  conda: /^(install|create|update|env)$/,
  mamba: /^(install|create|update|env)$/,
  apt: null,
  'apt-get': null,
  git: /^(clone|fetch|pull|submodule|lfs)$/,
  wget: null,
  curl: null,
  'huggingface-cli': null,
  hf: null,
}

/** The programs of a command that need the internet, such as `pip` and `git`. */
export function networkProgramsOf(command: string): string[] {
  const found = readProgramCalls(command).flatMap(({ program, args }) => {
    const name = program.slice(program.lastIndexOf('/') + 1)
    if (!/^python[\d.]*$/.test(name)) return onlineProgram(name, args)
    const { options, operands } = splitOptions(args)
    const [module = '', ...rest] = options.includes('-m') ? operands : []
    return onlineProgram(module, rest)
  })
  return [...new Set(found)]
}

/** The name in a list if the program loads something from the network, otherwise an empty list. */
function onlineProgram(given: string, args: readonly string[]): string[] {
  const name = given.replace(/^pip[\d.]+$/, 'pip')
  if (!Object.hasOwn(programs, name)) return []
  const commands = programs[name] ?? null
  return commands === null || args.some((arg) => commands.test(arg)) ? [name] : []
}

interface Offline {
  /** The environment, which has no internet access. */
  environment: string
  /** The environments that have it. */
  online: readonly string[]
}

/** Says that something runs programs that will fail without the internet, and which environments have it. */
export function hintOffline(
  what: string,
  programs: readonly string[],
  { environment, online }: Offline,
): string {
  const advice =
    online.length === 0
      ? 'No environment of this server has it: use one whose image has what the job needs, or ask an admin'
      : `Use an environment that has it: ${online.map((name) => `"${name}"`).join(', ')}`
  return `${what} runs ${programs.join(', ')}, which needs the internet, but the environment "${environment}" has no internet access. ${advice}.`
}
