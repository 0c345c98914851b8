import { useQuery } from '@tanstack/react-query'
import { ChevronDown, ChevronUp, X } from 'lucide-react'
import { useState } from 'react'
import { Loaded } from '../../shell/load-failure'
import { IconButton } from '../../ui/icon-button'
import { Panel, PanelHeader } from '../../ui/panel'
import { Skeleton } from '../../ui/skeleton'
import { entrySourceQuery } from '../queries'
import { FocusedGroup } from './focused-group'
import { MarkedProgram } from './marked-program'
import { formatShare, type SimilarPair } from './similar-pair'

interface ProgramPairProps {
  pair: SimilarPair
  onClose: () => void
}

/** Two programs beside each other, with the parts that are alike. */
export function ProgramPair({ pair: { a, b, share, matches }, onClose }: ProgramPairProps) {
  const [active, setActive] = useState(0)
  const step = (by: number) => setActive((at) => (at + by + matches.length) % matches.length)
  const match = matches[active]
  return (
    <FocusedGroup label={`Programs of ${a.team} and ${b.team}`}>
      <Panel>
        <PanelHeader
          title={`${a.team} and ${b.team}`}
          description={`${formatShare(share)} of the smaller program is alike. Names, numbers, texts and comments are not compared.`}
          actions={
            <>
              {match ? (
                <span role="status" className="text-muted text-sm tabular-nums">
                  Part {active + 1} of {matches.length}
                  <span className="sr-only">
                    , lines {match.a.join(' to ')} of {a.team}, lines {match.b.join(' to ')} of {b.team}
                  </span>
                </span>
              ) : null}
              <IconButton icon={ChevronUp} label="Previous part" onClick={() => step(-1)} />
              <IconButton icon={ChevronDown} label="Next part" onClick={() => step(1)} />
              <IconButton icon={X} label="Close the comparison" onClick={onClose} />
            </>
          }
        />
        <div className="grid min-w-0 lg:grid-cols-2 lg:divide-x max-lg:divide-y">
          <Program program={a} ranges={matches.map((one) => one.a)} active={active} />
          <Program program={b} ranges={matches.map((one) => one.b)} active={active} />
        </div>
      </Panel>
    </FocusedGroup>
  )
}

interface ProgramProps {
  program: SimilarPair['a']
  ranges: readonly (readonly [number, number])[]
  active: number
}

function Program({ program: { entry_id, team }, ranges, active }: ProgramProps) {
  const query = useQuery(entrySourceQuery(entry_id))
  return (
    <section className="flex min-w-0 flex-col">
      <h3 className="wrap-anywhere border-b bg-sunken px-4 py-1.5 font-medium text-xs">{team}</h3>
      <Loaded query={query} placeholder={<Skeleton className="m-4 h-64" />} failureClass="m-4">
        {(text) => <MarkedProgram label={`Program of ${team}`} text={text} ranges={ranges} active={active} />}
      </Loaded>
    </section>
  )
}
