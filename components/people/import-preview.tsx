import type { ImportedUser, ImportProblem, UserImport } from '@/lib/people/contract'
import { Badge } from '../ui/badge'
import { Button } from '../ui/button'
import { Callout } from '../ui/callout'
import { formatCount } from '../ui/format-number'
import { Panel } from '../ui/panel'
import { type Column, DataTable } from '../ui/table'
import type { Tone } from '../ui/tones'

/** A page with more rows takes seconds to lay out. */
const shownRows = 500

const tones: Record<ImportedUser['action'], Tone> = {
  create: 'success',
  change: 'info',
  unchanged: 'neutral',
}
const labels: Record<ImportedUser['action'], string> = {
  create: 'will be created',
  change: 'will change',
  unchanged: 'exists, unchanged',
}

const userColumns: readonly Column<ImportedUser>[] = [
  { label: 'User', kind: 'title', cell: ({ user_id }) => <span className="wrap-anywhere">{user_id}</span> },
  { label: 'Line', align: 'end', cell: ({ line }) => line },
  { label: 'E-mail', cell: ({ email }) => <span className="min-w-0 wrap-anywhere">{email ?? '–'}</span> },
  { label: 'Name', cell: ({ name }) => <span className="min-w-0 wrap-anywhere">{name ?? '–'}</span> },
  { label: 'Import', cell: ({ action }) => <Badge tone={tones[action]}>{labels[action]}</Badge> },
  {
    label: 'Changes',
    cell: ({ changes }) => <span className="min-w-0 wrap-anywhere">{changes.join(', ') || '–'}</span>,
  },
]

const problemColumns: readonly Column<ImportProblem>[] = [
  {
    label: 'Problem',
    kind: 'title',
    cell: ({ message }) => <span className="wrap-anywhere">{message}</span>,
  },
  { label: 'Line', align: 'end', cell: ({ line }) => line },
  { label: 'Column', cell: ({ column }) => <span className="wrap-anywhere">{column ?? '–'}</span> },
]

interface ImportPreviewProps {
  preview: UserImport
  importing: boolean
  onImport: () => void
}

/** What an import would do: its problems, then each user. */
export function ImportPreview({ preview: { users, problems }, importing, onImport }: ImportPreviewProps) {
  const count = (action: ImportedUser['action']) => users.filter((user) => user.action === action).length
  const [created, changed] = [count('create'), count('change')]
  return (
    <section aria-label="Preview" className="flex flex-col gap-4">
      {problems.length > 0 ? (
        <>
          <Callout tone="danger" title={formatCount(problems.length, 'problem')} announce>
            Correct them in the text or in the file, then preview it again. Nothing was imported.
          </Callout>
          <Panel>
            <DataTable
              caption="Problems"
              columns={problemColumns}
              items={problems.slice(0, shownRows)}
              keyOf={(_, index) => String(index)}
            />
          </Panel>
        </>
      ) : (
        <div className="flex flex-wrap items-center gap-3">
          <p role="status" className="text-sm">
            {formatCount(created, 'user')} will be created, {changed} will change, {count('unchanged')}{' '}
            unchanged.
          </p>
          <Button variant="primary" disabled={created + changed === 0} loading={importing} onClick={onImport}>
            Import
          </Button>
        </div>
      )}
      {users.length > 0 ? (
        <Panel>
          <DataTable
            caption="Users of the file"
            columns={userColumns}
            items={users.slice(0, shownRows)}
            keyOf={({ line }) => String(line)}
          />
        </Panel>
      ) : null}
      {Math.max(users.length, problems.length) > shownRows ? (
        <p className="text-muted text-sm">The first {shownRows} rows are shown.</p>
      ) : null}
    </section>
  )
}
