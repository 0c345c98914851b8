import { useQuery } from '@tanstack/react-query'
import { Files } from 'lucide-react'
import { useMemo, useRef, useState } from 'react'
import type { Similar } from '@/lib/competitions/contract-similarity'
import { Loaded } from '../../shell/load-failure'
import { Button } from '../../ui/button'
import { EmptyState } from '../../ui/empty-state'
import { formatCount } from '../../ui/format-number'
import { Panel, PanelHeader } from '../../ui/panel'
import { Select } from '../../ui/select'
import { SkeletonRows } from '../../ui/skeleton'
import { type Column, DataTable } from '../../ui/table'
import { similarQuery } from '../queries'
import { FocusedGroup } from './focused-group'
import { ProgramPair } from './program-pair'
import { formatShare, type SimilarPair } from './similar-pair'

const shares = ['0.1', '0.2', '0.3', '0.5', '0.7', '0.9'] as const
type Share = (typeof shares)[number]

const keyOf = ({ a, b }: SimilarPair) => `${a.entry_id} ${b.entry_id}`

interface SimilarProgramsProps {
  competition: string
  phase: string
}

/** Programs of different teams that resemble each other, for the staff. */
export function SimilarPrograms({ competition, phase }: SimilarProgramsProps) {
  const [share, setShare] = useState<Share>('0.3')
  const [opened, setOpened] = useState<string | null>(null)
  const query = useQuery(similarQuery(competition, phase, Number(share)))
  const opener = useRef<HTMLElement>(null)
  const columns = useMemo(
    () =>
      columnsOf((key, button) => {
        opener.current = button
        setOpened(key)
      }),
    [],
  )
  const close = () => {
    setOpened(null)
    opener.current?.focus()
  }
  const pair = query.data?.pairs.find((one) => keyOf(one) === opened)
  return (
    <>
      <FocusedGroup label="Similar programs">
        <Panel>
          <PanelHeader
            title="Similar programs"
            description="For human judgement: likeness proves nothing, and it changes no result. Read both programs, and ask their teams."
            actions={
              <Select
                aria-label="Share that is alike"
                className="w-40"
                value={share}
                onValueChange={setShare}
                options={shares.map((value) => ({
                  value,
                  label: `At least ${formatShare(Number(value))}`,
                }))}
              />
            }
          />
          <Loaded query={query} placeholder={<SkeletonRows rows={4} />} failureClass="m-4">
            {(similar) => (
              <>
                <p className="border-b px-4 py-2 text-muted text-xs">{describeCompared(similar)}</p>
                {similar.pairs.length > 0 ? (
                  <DataTable
                    caption="Similar programs"
                    columns={columns}
                    items={similar.pairs}
                    keyOf={keyOf}
                  />
                ) : (
                  <EmptyState icon={Files} title="No programs are alike">
                    No two teams share {formatShare(Number(share))} of a program. Choose a smaller share to
                    see more.
                  </EmptyState>
                )}
              </>
            )}
          </Loaded>
        </Panel>
      </FocusedGroup>
      {pair ? <ProgramPair key={opened} pair={pair} onClose={close} /> : null}
    </>
  )
}

function describeCompared({ programs, left_out, templates }: Similar): string {
  return [
    `Compared ${formatCount(programs, 'program')}, one of each team: the one that counts, otherwise the last one.`,
    templates > 0 ? `Lines that ${formatCount(templates, 'baseline')} of the staff has do not count.` : null,
    left_out > 0 ? `Not compared: ${formatCount(left_out, 'program')}, deleted or beyond the limits.` : null,
  ]
    .filter((part) => part !== null)
    .join(' ')
}

function columnsOf(onOpen: (key: string, button: HTMLElement) => void): Column<SimilarPair>[] {
  return [
    {
      label: 'Teams',
      kind: 'title',
      cell: ({ a, b }) => (
        <span className="wrap-anywhere">
          <span className="font-medium">{a.team}</span> and <span className="font-medium">{b.team}</span>
        </span>
      ),
    },
    { label: 'Alike', align: 'end', cell: ({ share }) => formatShare(share) },
    { label: 'Parts', align: 'end', className: 'text-muted', cell: ({ matches }) => matches.length },
    {
      label: 'Lines',
      align: 'end',
      className: 'text-muted',
      cell: ({ a, b }) => `${a.lines} and ${b.lines}`,
    },
    {
      label: 'Actions',
      kind: 'actions',
      cell: (pair) => (
        <Button
          size="sm"
          target={`${pair.a.team} and ${pair.b.team}`}
          onClick={({ currentTarget }) => onOpen(keyOf(pair), currentTarget)}
        >
          Compare
        </Button>
      ),
    },
  ]
}
