import { parseConfig } from '@/lib/contract/config/config'
import type { FieldError } from '@/lib/contract/errors'
import { readConfigText } from '../editor/config-text'
import { withPositions } from './config-keys'
import { commandOf } from './draft'

/** What the page knows besides the config. */
interface ConfigContext {
  /** The signed-in user. */
  handle: string
  /** The existing environments; undefined while they load. */
  environments: readonly string[] | undefined
  /** The draft has a program. */
  hasProgram?: boolean
  /** The mistakes of a config that is not that of one job. */
  findMistakes?: ((text: string) => readonly FieldError[]) | undefined
}

/** Every problem in a config that can be found before submitting, in line order. */
export function findConfigProblems(text: string, context: ConfigContext): FieldError[] {
  const { findMistakes = findJobMistakes } = context
  const ownProblems = withPositions(text, findMistakes(text))
  const contextProblems = findContextProblems(text, context).filter(
    ({ path }) => !ownProblems.some((problem) => problem.path === path),
  )
  return [...ownProblems, ...withPositions(text, contextProblems)].toSorted(
    (one, other) => (one.line ?? 0) - (other.line ?? 0),
  )
}

function findJobMistakes(text: string): readonly FieldError[] {
  const parsed = parseConfig(text)
  return parsed.ok ? [] : parsed.errors
}

/** Problems that depend on the user, the environments and the program. */
function findContextProblems(
  text: string,
  { handle, environments, hasProgram = false }: ConfigContext,
): FieldError[] {
  const config = readConfigText(text)
  const read = (key: string) => {
    const reading = config?.read(key)
    return reading?.kind === 'value' && typeof reading.value === 'string' ? reading.value : null
  }
  const [userId, environment] = [read('user_id'), read('environment')]
  const problems: FieldError[] = []
  if (userId !== null && userId.toLowerCase() !== handle.toLowerCase()) {
    problems.push({ path: 'user_id', message: `you are signed in as \`${handle}\`: remove user_id` })
  }
  if (environment !== null && environments && !environments.includes(environment)) {
    problems.push({
      path: 'environment',
      message: `this environment does not exist: ${choices(environments)}`,
    })
  }
  if (hasProgram && commandOf(text) !== null) {
    const message =
      'a job runs either a command or a program: remove this key, or clear solution.py. For a command with files, choose their folder'
    problems.push({ path: 'command', message })
  }
  return problems
}

function choices(environments: readonly string[]): string {
  return environments.length === 0 ? 'ask an admin to create one' : `use ${environments.join(' or ')}`
}
