import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { archiveLimitsQuery } from '@/components/queries/queries'
import { visibleText } from '@/lib/contract/text/sanitize-text'
import { reportMissingPart } from '../../../ui/missing-part'
import { toast, toastError } from '../../../ui/toaster'
import type { Draft } from '../draft'
import { maxTextBytes, readText } from '../read-files'
import {
  type Directory,
  isLocalLink,
  type LocalFile,
  toLocalFile,
  withEntries,
  withoutEntry,
  withPath,
} from './directory'
import { chosenEntrypoint } from './entrypoint'
import type { DroppedItem } from './read/dropped-items'

/** The limit until the server has named its own. */
const defaultMaxBytes = 4 * 1024 ** 3

/** The directory of the job, and the file of it that is open in the editor. */
export interface DirectoryDraft {
  directory: Directory | null
  /** Has its text. Null: none is open. */
  openFile: LocalFile | null
  /** Files are being read. */
  reading: boolean
  take: (items: readonly DroppedItem[]) => void
  open: (path: string) => void
  close: () => void
  edit: (text: string) => void
  add: (path: string) => void
  rename: (path: string, next: string) => void
  remove: (path: string) => void
  /** Back to the program in the editor. */
  clear: () => void
}

/** The directory on the submit page. `change` changes the rest of the draft. */
export function useDirectory(draft: Draft, change: (change: Partial<Draft>) => void): DirectoryDraft {
  const [directory, setDirectory] = useState<Directory | null>(null)
  const [openPath, setOpenPath] = useState<string | null>(null)
  const [reading, setReading] = useState(false)
  const { data: limits } = useQuery({ ...archiveLimitsQuery(), enabled: directory !== null })
  // Files are read in the background: their result belongs to the latest directory.
  const latest = useRef({ draft, directory })
  useEffect(() => {
    latest.current = { draft, directory }
  })
  const update = (next: (before: Directory) => Directory) =>
    setDirectory((before) => (before === null ? null : next(before)))

  const open = async (path: string) => {
    const entry = latest.current.directory?.entries.find((candidate) => candidate.path === path)
    if (!entry || isLocalLink(entry)) return
    const text = entry.text ?? (entry.content.size > maxTextBytes ? null : await readText(entry.content))
    if (text === null) {
      toast.error(`${visibleText(path, 100)} is not UTF-8 text, or is larger than 1 MiB.`)
      return
    }
    update((before) => withEntries(before, [{ ...entry, text }]))
    setOpenPath(path)
  }
  const take = async (items: readonly DroppedItem[]) => {
    if (items.length === 0) return
    setReading(true)
    try {
      const before = latest.current
      const maxBytes = limits?.max_bytes ?? defaultMaxBytes
      const reader = await import('./read/read-items').catch(() => null)
      if (reader === null) return reportMissingPart()
      const read = await reader.readItems(items, { ...before, maxBytes })
      change(read.change)
      for (const message of read.refused) toast.error(message)
      if (read.droppedToken)
        toast.info('The token was removed from the config. You are signed in and need none.')
      if (read.directory !== null) {
        setDirectory(read.directory)
        setOpenPath(null)
        latest.current = { draft: { ...before.draft, ...read.change }, directory: read.directory }
        const entry = chosenEntrypoint(read.directory, latest.current.draft.config)
        if (entry !== null) await open(entry)
      }
      const undo = () => {
        setDirectory(before.directory)
        change(before.draft)
      }
      showRead(read.accepted, before.directory === null ? null : undo)
    } catch (error) {
      toastError('gpuq could not read this', error)
    } finally {
      setReading(false)
    }
  }
  const openEntry = directory?.entries.find(({ path }) => path === openPath)
  const openFile = openEntry && !isLocalLink(openEntry) && openEntry.text !== undefined ? openEntry : null
  return {
    directory,
    openFile,
    reading,
    take: (items) => void take(items),
    open: (path) => void open(path),
    close: () => setOpenPath(null),
    edit: (text) => {
      if (openFile)
        update((before) => withEntries(before, [{ ...openFile, ...toLocalFile(openFile.path, text) }]))
    },
    add: (path) => {
      update((before) => withEntries(before, [toLocalFile(path, '')]))
      setOpenPath(path)
    },
    rename: (path, next) => {
      const renameNow = async () => {
        const before = latest.current.directory
        if (before) setDirectory(await withPath(before, path, next))
        if (openPath === path) setOpenPath(next)
      }
      void renameNow()
    },
    remove: (path) => update((before) => withoutEntry(before, path)),
    clear: () => {
      setDirectory(null)
      setOpenPath(null)
    },
  }
}

/** Says what was read. `undo` restores a directory that was replaced or changed. */
function showRead(accepted: readonly string[], undo: (() => void) | null): void {
  if (accepted.length === 0) return
  const more = accepted.length > 3 ? ` and ${accepted.length - 3} more` : ''
  const message = `Read ${accepted.slice(0, 3).join(more === '' ? ' and ' : ', ')}${more}`
  const action = undo === null ? {} : { action: { label: 'Undo', onClick: undo } }
  toast.success(visibleText(message, 200), action)
}
