import { useMutation } from '@tanstack/react-query'
import { Ban, Download, Ellipsis, ExternalLink, Gavel, Info, ScrollText, Star, StarOff } from 'lucide-react'
import { useMemo, useState } from 'react'
import type { CompetitionDetail, Phase } from '@/lib/competitions/contract'
import type { Entry } from '@/lib/competitions/contract-entries'
import { TextWithCode } from '../../jobs/text-with-code'
import { Badge } from '../../ui/badge'
import { ConfirmDialog } from '../../ui/confirm-dialog'
import { DropdownMenu, MenuItem } from '../../ui/dropdown-menu'
import { IconButton } from '../../ui/icon-button'
import { RelativeTime } from '../../ui/relative-time'
import { type Column, DataTable } from '../../ui/table'
import { toast, toastError } from '../../ui/toaster'
import { chooseEntry, disqualifyEntry, entrySourceUrl, isUnfinished, withdrawEntry } from '../queries'
import { DisqualifyDialog } from './disqualify-dialog'
import { EntryDetails } from './entry-details'
import { EntryLog } from './entry-log'
import { EntryStatus } from './entry-status'
import { entryTitle } from './entry-title'

interface EntryTableProps {
  entries: readonly Entry[]
  phase: Phase
  /** Those that the viewer may see. */
  columns: CompetitionDetail['columns']
  /** How many entries of other teams are before a waiting one, by its id. */
  ahead?: ReadonlyMap<string, number>
  /** For the staff: shows teams instead of what a team does with its entries. */
  staff?: { mayDisqualify: boolean }
}

type Opened = { entry: Entry; dialog: 'log' | 'details' | 'withdraw' | 'disqualify' | 'qualify' }

/** Entries with their states and scores, and what can be done with them. */
export function EntryTable({ entries, phase, columns, ahead, staff }: EntryTableProps) {
  const [opened, setOpened] = useState<Opened | null>(null)
  const shown = useMemo<readonly Column<Entry>[]>(
    () => [
      {
        label: 'Entry',
        kind: 'title',
        cell: (entry) => <EntryName entry={entry} phase={phase} withTeam={staff !== undefined} />,
      },
      { label: 'State', cell: (entry) => <EntryState entry={entry} ahead={ahead?.get(entry.id)} /> },
      ...columns.map(
        ({ name }): Column<Entry> => ({
          label: name,
          align: 'end',
          cell: ({ scores }) => scores[name] ?? '–',
        }),
      ),
      {
        label: 'Received',
        cell: ({ received_at }) => <RelativeTime at={received_at} className="text-muted" />,
      },
      {
        label: 'Actions',
        kind: 'actions',
        cell: (entry) => (
          <EntryActions
            entry={entry}
            phase={phase}
            staff={staff}
            onOpen={(dialog) => setOpened({ entry, dialog })}
          />
        ),
      },
    ],
    [phase, columns, ahead, staff],
  )
  return (
    <>
      <DataTable caption="Entries" columns={shown} items={entries} keyOf={({ id }) => id} />
      {opened ? <OpenedDialog {...opened} onClose={() => setOpened(null)} /> : null}
    </>
  )
}

interface EntryNameProps {
  entry: Entry
  phase: Phase
  withTeam: boolean
}

function EntryName({ entry, phase, withTeam }: EntryNameProps) {
  const { kind, chosen, disqualified, team, user_id, received_at } = entry
  // It counts for grades, and never for the leaderboard. An extension decides whether its grade is late.
  const isAfterEnd = kind === 'entry' && Date.parse(received_at) >= Date.parse(phase.ends_at)
  return (
    <span className="flex min-w-0 flex-col">
      <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <span className="wrap-anywhere font-medium">{entryTitle(entry)}</span>
        {kind === 'entry' ? null : <Badge>{kind}</Badge>}
        {isAfterEnd ? <Badge tone="warning">after the end</Badge> : null}
        {chosen ? <Badge tone="accent">chosen</Badge> : null}
        {disqualified === null ? null : <Badge tone="danger">disqualified</Badge>}
      </span>
      <span className="wrap-anywhere text-subtle text-xs">
        {withTeam && team !== user_id ? `${team} · ${user_id}` : user_id}
      </span>
    </span>
  )
}

function EntryState({ entry, ahead }: { entry: Entry; ahead: number | undefined }) {
  return (
    <span className="flex min-w-0 flex-col @max-2xl:items-end @max-2xl:text-right">
      <EntryStatus entry={entry} />
      <span className="wrap-anywhere text-muted text-xs">
        <TextWithCode text={entry.message} />
        {ahead === undefined ? null : ` ${describeAhead(ahead)}`}
      </span>
    </span>
  )
}

function describeAhead(ahead: number): string {
  if (ahead === 0) return 'It is the next one.'
  return ahead === 1
    ? '1 entry of another team is before it.'
    : `${ahead} entries of other teams are before it.`
}

interface EntryActionsProps extends Pick<EntryTableProps, 'phase' | 'staff'> {
  entry: Entry
  onOpen: (dialog: Opened['dialog']) => void
}

function EntryActions({ entry, phase, staff, onOpen }: EntryActionsProps) {
  const { mutate } = useMutation(chooseEntry)
  const { id, kind, state, chosen, disqualified } = entry
  const mayChoose = !staff && phase.select === 'chosen' && kind === 'entry' && state === 'scored'
  const choose = () =>
    mutate(
      { id, chosen: !chosen },
      {
        onError: (error) =>
          toastError(chosen ? 'The entry is still chosen' : 'The entry was not chosen', error),
      },
    )
  return (
    <DropdownMenu trigger={<IconButton icon={Ellipsis} label={`Actions of ${entryTitle(entry)}`} />}>
      {mayChoose ? (
        <MenuItem icon={chosen ? StarOff : Star} onSelect={choose}>
          {chosen ? 'Do not choose' : 'Choose for the final results'}
        </MenuItem>
      ) : null}
      {entry.log ? (
        <MenuItem icon={ScrollText} onSelect={() => onOpen('log')}>
          Output
        </MenuItem>
      ) : null}
      <MenuItem icon={Download} href={entrySourceUrl(id)} download>
        Program
      </MenuItem>
      {entry.provenance === null ? null : (
        <MenuItem icon={Info} onSelect={() => onOpen('details')}>
          What it ran with
        </MenuItem>
      )}
      {entry.job_id === null ? null : (
        <MenuItem icon={ExternalLink} href={`/jobs/${entry.job_id}`}>
          Job
        </MenuItem>
      )}
      {!staff && isUnfinished(entry) ? (
        <MenuItem icon={Ban} tone="danger" onSelect={() => onOpen('withdraw')}>
          Withdraw
        </MenuItem>
      ) : null}
      {staff?.mayDisqualify && kind === 'entry' ? (
        <MenuItem
          icon={Gavel}
          tone="danger"
          onSelect={() => onOpen(disqualified === null ? 'disqualify' : 'qualify')}
        >
          {disqualified === null ? 'Disqualify' : 'Take the disqualification back'}
        </MenuItem>
      ) : null}
    </DropdownMenu>
  )
}

function OpenedDialog({ entry, dialog, onClose }: Opened & { onClose: () => void }) {
  const withdraw = useMutation(withdrawEntry)
  const disqualify = useMutation(disqualifyEntry)
  switch (dialog) {
    case 'log':
      return <EntryLog entry={entry} onClose={onClose} />
    case 'details':
      return <EntryDetails entry={entry} onClose={onClose} />
    case 'disqualify':
      return <DisqualifyDialog entry={entry} onClose={onClose} />
    case 'withdraw':
      return (
        <ConfirmDialog
          title={`Withdraw ${entryTitle(entry)}?`}
          description="It stops and gets no score. This cannot be undone."
          confirmLabel="Withdraw"
          onClose={onClose}
          onConfirm={async () => {
            await withdraw.mutateAsync(entry.id)
            toast.success('The entry was withdrawn')
          }}
        />
      )
    case 'qualify':
      return (
        <ConfirmDialog
          title={`Take the disqualification of ${entryTitle(entry)} back?`}
          description="It counts on the leaderboard again, if it has a score."
          confirmLabel="Take back"
          tone="primary"
          onClose={onClose}
          onConfirm={() => disqualify.mutateAsync({ id: entry.id, reason: null })}
        />
      )
  }
}
