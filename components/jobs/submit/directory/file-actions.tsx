import { Ellipsis, PencilLine, Play, SquarePen, Trash2 } from 'lucide-react'
import { languageOf } from '@/lib/contract/config/program/entrypoint'
import { visibleText } from '@/lib/contract/text/sanitize-text'
import { Badge } from '../../../ui/badge'
import { DropdownMenu, MenuItem } from '../../../ui/dropdown-menu'
import { IconButton } from '../../../ui/icon-button'
import type { TreeFile } from '../../files/build-tree'
import { maxTextBytes } from '../read-files'

export interface FileCommands {
  open: (path: string) => void
  /** Null: the job runs a command. */
  run: ((path: string) => void) | null
  startRename: (path: string) => void
  remove: (path: string) => void
}

interface FileActionsProps {
  file: TreeFile
  /** The job runs it. */
  runs: boolean
  /** It is open in the editor. */
  open: boolean
  commands: FileCommands
}

/** What a user can do with a file of the directory. */
export function FileActions({ file, runs, open, commands }: FileActionsProps) {
  const { path, target, bytes } = file
  const name = visibleText(path, 60)
  const run = !runs && languageOf(path) !== null ? commands.run : null
  return (
    <span className="flex shrink-0 items-center gap-0.5">
      {runs ? <Badge tone="accent">runs</Badge> : null}
      {target === null && bytes <= maxTextBytes ? (
        <IconButton
          icon={SquarePen}
          size="sm"
          label={`Edit ${name}`}
          pressed={open}
          onClick={() => commands.open(path)}
        />
      ) : null}
      <DropdownMenu
        trigger={
          <button
            type="button"
            aria-label={`Actions for ${name}`}
            className="grid size-6 place-items-center rounded-md text-muted hover:bg-hover hover:text-ink"
          >
            <Ellipsis aria-hidden className="size-3.5" />
          </button>
        }
      >
        {run ? (
          <MenuItem icon={Play} onSelect={() => run(path)}>
            Run this file
          </MenuItem>
        ) : null}
        <MenuItem icon={PencilLine} onSelect={() => commands.startRename(path)}>
          Rename…
        </MenuItem>
        <MenuItem icon={Trash2} tone="danger" onSelect={() => commands.remove(path)}>
          Remove
        </MenuItem>
      </DropdownMenu>
    </span>
  )
}
