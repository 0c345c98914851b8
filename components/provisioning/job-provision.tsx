import type { JobProvision as Provision } from '@/lib/contract/jobs'
import { plainText } from '../jobs/output/ansi/ansi-parse'
import { Badge } from '../ui/badge'
import { Panel } from '../ui/panel'
import type { Tone } from '../ui/tones'

const states = {
  starting: { tone: 'info', text: 'starting' },
  up: { tone: 'success', text: 'running' },
  ending: { tone: 'info', text: 'stopping' },
  ended: { tone: 'neutral', text: 'stopped' },
} as const satisfies Record<Provision['status'], { tone: Tone; text: string }>

/** The nodes that were started for this job, and the output of the commands that started them. */
export function JobProvision({ provision: { status, problem, output } }: { provision: Provision }) {
  const { tone, text } = states[status]
  return (
    <Panel className="p-4">
      <details open={status === 'starting' || problem !== null}>
        <summary className="cursor-pointer text-sm">
          Dedicated nodes <Badge tone={tone}>{text}</Badge>
        </summary>
        <pre className="mt-3 max-h-64 overflow-auto whitespace-pre-wrap break-words rounded-lg border bg-sunken p-3 font-mono text-xs">
          {output === '' ? 'No output yet.' : output.split('\n').map(plainText).join('\n')}
        </pre>
      </details>
    </Panel>
  )
}
