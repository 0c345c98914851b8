import { FilePlus, X } from 'lucide-react'
import { memo, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react'
import { visibleText } from '@/lib/contract/text/sanitize-text'
import { Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { formatBytes, formatCount } from '../../../ui/format-number'
import { Panel, PanelBody, PanelHeader } from '../../../ui/panel'
import { FileTree } from '../../files/file-tree'
import { type Directory, isLocalLink, sumBytes } from './directory'
import { type Entrypoint, withEntrypoint } from './entrypoint'
import { EntrypointField } from './entrypoint-field'
import { ExcludedList } from './excluded-list'
import { FileActions, type FileCommands } from './file-actions'
import { problemsId } from './focus-problem'
import { PathDialog } from './path-dialog'
import type { DirectoryDraft } from './use-directory'

interface DirectoryPanelProps {
  directory: Directory
  files: DirectoryDraft
  entrypoint: Entrypoint
  /** Why it cannot be uploaded. */
  problems: readonly string[]
  config: string
  onConfig: (config: string) => void
}

/** The directory of the job: its files, what is left out, and the file that runs. */
export function DirectoryPanel(props: DirectoryPanelProps) {
  const { directory, files, entrypoint, problems, config, onConfig } = props
  const [renaming, setRenaming] = useState<string | null>(null)
  const run = (path: string) => onConfig(withEntrypoint(config, directory, path))
  const commands = useFileCommands(files, entrypoint.kind === 'command' ? null : run, setRenaming)
  // Deferred, so that the list does not slow down typing in the editor.
  const shownDirectory = useDeferredValue(directory)
  const name = directory.name === null ? '' : ` ${visibleText(directory.name, 100)}`
  const size = `${formatCount(directory.entries.length, 'file')}, ${formatBytes(sumBytes(directory.entries))}`
  return (
    <Panel>
      <PanelHeader
        title={
          <>
            Directory<span className="break-all font-mono">{name}</span>
          </>
        }
        description={`${size}; the job finds them in /work`}
        actions={
          <>
            <PathDialog
              title="New file"
              submitLabel="Add file"
              directory={directory}
              initial=""
              onPath={files.add}
              trigger={
                <Button size="sm" icon={FilePlus}>
                  New file
                </Button>
              }
            />
            <Button size="sm" icon={X} onClick={files.clear}>
              Remove directory
            </Button>
          </>
        }
      />
      <PanelBody className="flex flex-col gap-3">
        {problems.length === 0 ? null : (
          <div id={problemsId} tabIndex={-1}>
            <Callout tone="danger" announce title="This directory cannot be uploaded">
              {problems.map((problem) => (
                <p key={problem}>{problem}</p>
              ))}
            </Callout>
          </div>
        )}
        <EntrypointField directory={directory} entrypoint={entrypoint} onChange={run} />
      </PanelBody>
      <Files
        directory={shownDirectory}
        runs={entrypoint.kind === 'file' ? entrypoint.path : null}
        openPath={files.openFile?.path ?? null}
        commands={commands}
      />
      <ExcludedList directory={directory} />
      {renaming === null ? null : (
        <PathDialog
          key={renaming}
          title={`Rename ${visibleText(renaming, 100)}`}
          submitLabel="Rename"
          directory={directory}
          initial={renaming}
          onPath={(path) => files.rename(renaming, path)}
          onClose={() => setRenaming(null)}
        />
      )}
    </Panel>
  )
}

/** The same object in each rendering, so that the list of files renders only if it changes. */
function useFileCommands(
  files: DirectoryDraft,
  run: ((path: string) => void) | null,
  startRename: (path: string) => void,
): FileCommands {
  const latest = useRef({ files, run })
  useEffect(() => {
    latest.current = { files, run }
  })
  const canRun = run !== null
  return useMemo(
    () => ({
      open: (path) => latest.current.files.open(path),
      run: canRun ? (path) => latest.current.run?.(path) : null,
      startRename,
      remove: (path) => latest.current.files.remove(path),
    }),
    [canRun, startRename],
  )
}

interface FilesProps {
  directory: Directory
  runs: string | null
  openPath: string | null
  commands: FileCommands
}

const Files = memo(function Files({ directory, runs, openPath, commands }: FilesProps) {
  const files = useMemo(
    () =>
      directory.entries.map((entry) => ({
        path: entry.path,
        bytes: isLocalLink(entry) ? 0 : entry.content.size,
        target: isLocalLink(entry) ? entry.target : null,
      })),
    [directory],
  )
  return (
    <div className="max-h-[44dvh] overflow-y-auto border-t py-1">
      <FileTree
        files={files}
        action={(file) => (
          <FileActions
            file={file}
            runs={file.path === runs}
            open={file.path === openPath}
            commands={commands}
          />
        )}
      />
    </div>
  )
})
