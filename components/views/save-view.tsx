import { useMutation, useQuery } from '@tanstack/react-query'
import { Bookmark, BookmarkCheck, Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { createView, deleteView, renameView, viewsQuery } from '@/components/views/queries'
import type { SavedView } from '@/lib/views/contract'
import { updateSearchParams } from '../shell/update-search-params'
import { Button } from '../ui/button'
import { Callout } from '../ui/callout'
import { ConfirmDialog } from '../ui/confirm-dialog'
import { Dialog } from '../ui/dialog'
import { DropdownMenu, MenuItem } from '../ui/dropdown-menu'
import { Input } from '../ui/input'
import { loadPart } from '../ui/missing-part'
import { isShown, viewParams } from './view-address'

interface SaveViewProps {
  /** What the list shows. */
  list: Pick<SavedView, 'all' | 'q' | 'sort' | 'columns'>
  /** The columns that a new view keeps; null: the default ones. */
  columns: string | null
}

type Asking = 'save' | 'rename' | 'delete' | null

/** Saves the search of the list under a name. For a saved one, renames and deletes it. */
export function SaveView({ list, columns }: SaveViewProps) {
  const { data: views = [] } = useQuery(viewsQuery())
  const { mutateAsync: create } = useMutation(createView)
  const { mutateAsync: rename } = useMutation(renameView)
  const { mutateAsync: remove } = useMutation(deleteView)
  const [asking, setAsking] = useState<Asking>(null)
  const close = () => setAsking(null)
  const saved = views.find((view) => isShown(view, list))
  if (!saved) {
    if (!list.q && !list.sort && !list.columns) return null
    return (
      <>
        <Button icon={Bookmark} className="max-sm:flex-1" onClick={() => setAsking('save')}>
          Save view
        </Button>
        {asking === 'save' ? (
          <NameDialog
            title="Save view"
            description="The view has this search, its order and its columns. It appears under Jobs in the navigation."
            action="Save view"
            onName={async (name) => {
              const view = await create({ ...list, name, columns: list.columns ?? columns })
              // The list then shows the view, with its columns in the address.
              updateSearchParams(viewParams(view), 'replace')
            }}
            onClose={close}
          />
        ) : null}
      </>
    )
  }
  return (
    <>
      <DropdownMenu
        trigger={
          <Button icon={BookmarkCheck} className="max-w-48 max-sm:flex-1">
            <span className="truncate">{saved.name}</span>
          </Button>
        }
      >
        <MenuItem icon={Pencil} onSelect={() => setAsking('rename')}>
          Rename view
        </MenuItem>
        <MenuItem icon={Trash2} tone="danger" onSelect={() => setAsking('delete')}>
          Delete view
        </MenuItem>
      </DropdownMenu>
      {asking === 'rename' ? (
        <NameDialog
          title="Rename view"
          action="Rename"
          name={saved.name}
          onName={(name) => rename({ id: saved.view_id, name })}
          onClose={close}
        />
      ) : null}
      {asking === 'delete' ? (
        <ConfirmDialog
          title={`Delete the view “${saved.name}”?`}
          description="The jobs stay. Only the saved search is deleted."
          confirmLabel="Delete view"
          onConfirm={() => remove(saved.view_id)}
          onClose={close}
        />
      ) : null}
    </>
  )
}

interface NameDialogProps {
  title: string
  description?: string
  action: string
  name?: string
  onName: (name: string) => Promise<unknown>
  onClose: () => void
}

function NameDialog({ title, description, action, name = '', onName, onClose }: NameDialogProps) {
  const [text, setText] = useState(name)
  const [saving, setSaving] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const submit = async () => {
    setSaving(true)
    try {
      const { viewNameSchema } = await loadPart(() => import('@/lib/views/contract'))
      const parsed = viewNameSchema.safeParse(text)
      if (!parsed.success) return setProblem(`A name ${parsed.error.issues[0]?.message}.`)
      await onName(parsed.data)
      onClose()
    } catch (error) {
      setProblem(error instanceof Error ? error.message : 'The request failed. Try again.')
    } finally {
      setSaving(false)
    }
  }
  return (
    <Dialog title={title} {...(description ? { description } : {})} onClose={onClose}>
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          if (!saving) void submit()
        }}
      >
        <Input
          autoFocus
          aria-label="Name of the view"
          placeholder="Failed baselines"
          autoComplete="off"
          value={text}
          onChange={({ target }) => {
            setText(target.value)
            setProblem(null)
          }}
        />
        <div aria-live="polite">{problem ? <Callout tone="danger">{problem}</Callout> : null}</div>
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" loading={saving}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
