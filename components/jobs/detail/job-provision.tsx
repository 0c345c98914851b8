'use client'

import type { JobProvision as Provision } from '@/lib/contract/jobs'
import { Badge } from '../../ui/badge'
import { Panel } from '../../ui/panel'
import type { Tone } from '../../ui/tones'
import { plainText } from '../output/ansi/ansi-parse'

const states = {
  starting: { tone: 'info', text: 'being brought up' },
  up: { tone: 'success', text: 'there' },
  ending: { tone: 'info', text: 'being taken down' },
  ended: { tone: 'neutral', text: 'taken down' },
} as const satisfies Record<Provision['status'], { tone: Tone; text: string }>

/** The nodes that were brought up for the job alone, and what the commands that did it have printed. */
export function JobProvision({ provision: { status, problem, output } }: { provision: Provision }) {
  const { tone, text } = states[status]
  return (
    <Panel className="p-4">
      <details open={status === 'starting' || problem !== null}>
        <summary className="cursor-pointer text-sm">
          Nodes of its own <Badge tone={tone}>{text}</Badge>
        </summary>
        <pre className="mt-3 max-h-64 overflow-auto whitespace-pre-wrap break-words rounded-lg border bg-sunken p-3 font-mono text-xs">
          {output === '' ? 'Nothing was printed yet.' : output.split('\n').map(plainText).join('\n')}
        </pre>
      </details>
    </Panel>
  )
}
