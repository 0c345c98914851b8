import { ChevronRight, File, FolderClosed, Link2 } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import { visibleText } from '@/lib/contract/text/sanitize-text'
import { buttonStyles } from '../../ui/button'
import { cn } from '../../ui/class-names'
import { formatBytes, formatCount, formatNumber } from '../../ui/format-number'
import { buildTree, type TreeDirectory, type TreeFile } from './build-tree'

interface FileTreeProps {
  files: readonly TreeFile[]
  /** What a user can do with a file. */
  action: (file: TreeFile) => ReactNode
}

/** Directories and files with their sizes. Directories open on a click. */
export function FileTree({ files, action }: FileTreeProps) {
  const root = useMemo(() => buildTree(files), [files])
  return <Entries directory={root} action={action} />
}

/** The number of rows of a directory at first: it may have thousands of files. */
const firstRows = 100

function Entries({ directory, action }: { directory: TreeDirectory; action: FileTreeProps['action'] }) {
  const [all, setAll] = useState(false)
  const { directories, files } = directory
  const count = directories.length + files.length
  const shown = all ? count : firstRows
  const shownDirectories = directories.slice(0, shown)
  const shownFiles = files.slice(0, Math.max(0, shown - shownDirectories.length))
  return (
    <ul>
      {shownDirectories.map((inner) => (
        <DirectoryRow key={inner.path} directory={inner} action={action} />
      ))}
      {shownFiles.map((file) => (
        <FileRow key={file.path} file={file} action={action} />
      ))}
      {shown < count ? (
        <li className="px-4 py-1.5">
          <button type="button" className={buttonStyles({ size: 'sm' })} onClick={() => setAll(true)}>
            Show all {formatNumber(count)}
          </button>
        </li>
      ) : null}
    </ul>
  )
}

const rowStyles = 'flex min-h-9 items-center gap-2 px-4 py-1'

function DirectoryRow({ directory, action }: { directory: TreeDirectory; action: FileTreeProps['action'] }) {
  const [open, setOpen] = useState(false)
  return (
    <li>
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className={cn(rowStyles, 'w-full rounded-sm text-left text-sm hover:bg-hover')}
      >
        <ChevronRight aria-hidden className={cn('size-4 shrink-0 text-subtle', open && 'rotate-90')} />
        <FolderClosed aria-hidden className="size-4 shrink-0 text-subtle" />
        <bdi className="min-w-0 flex-1 break-all font-mono text-xs">{visibleText(directory.name, 300)}</bdi>
        <span className="shrink-0 text-muted text-xs tabular-nums">
          {formatCount(directory.count, 'file')}, {formatBytes(directory.bytes)}
        </span>
      </button>
      {open ? (
        <div className="ml-5 border-l">
          <Entries directory={directory} action={action} />
        </div>
      ) : null}
    </li>
  )
}

function FileRow({
  file,
  action,
}: {
  file: TreeDirectory['files'][number]
  action: FileTreeProps['action']
}) {
  const Icon = file.target === null ? File : Link2
  return (
    <li className={rowStyles}>
      <span className="size-4 shrink-0" />
      <Icon aria-hidden className="size-4 shrink-0 text-subtle" />
      <bdi className="min-w-0 flex-1 break-all font-mono text-xs">
        {visibleText(file.name, 300)}
        {file.target === null ? null : <span className="text-muted"> → {visibleText(file.target, 300)}</span>}
      </bdi>
      {file.target === null ? (
        <span className="shrink-0 text-muted text-xs tabular-nums">{formatBytes(file.bytes)}</span>
      ) : null}
      {action(file)}
    </li>
  )
}
