import { type CheckStatus, countStatus, type NodeCheck } from '@/lib/node-checks/contract'
import { type Colour, paint, type Terminal, withoutControls } from '../console/terminal'

const marks = {
  failure: ['✗', 'red'],
  warning: ['!', 'yellow'],
  ok: ['✓', 'green'],
  not_applicable: ['–', 'dim'],
} as const satisfies Record<CheckStatus, readonly [string, Colour]>

/** Renders checks: one line each, and for problems a second line that says what to do. */
export function renderChecks(
  checks: readonly NodeCheck[],
  { outIsTerminal, coloursWanted }: Pick<Terminal, 'outIsTerminal' | 'coloursWanted'>,
): string {
  const colours = outIsTerminal && coloursWanted
  return checks
    .map(({ status, title, found, action }) => {
      const [mark, colour] = marks[status]
      const line = `  ${paint(mark, colour, colours)} ${withoutControls(title)}: ${withoutControls(found)}`
      return action === null ? `${line}\n` : `${line}\n      What to do: ${withoutControls(action)}\n`
    })
    .join('')
}

/** Counts the problems: "1 failure, 2 warnings", or "no problems". */
export function summarizeChecks(checks: readonly Pick<NodeCheck, 'status'>[]): string {
  const count = (status: CheckStatus, one: string) => {
    const number = countStatus(checks, status)
    return number === 0 ? [] : [`${number} ${one}${number === 1 ? '' : 's'}`]
  }
  const parts = [...count('failure', 'failure'), ...count('warning', 'warning')]
  return parts.length === 0 ? 'no problems' : parts.join(', ')
}
