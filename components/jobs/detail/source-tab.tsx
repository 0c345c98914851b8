import { useQuery } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { jobFileTextQuery } from '@/components/queries/job-file'
import { api, jobFilesQuery, jobSourceQuery } from '@/components/queries/queries'
import { visibleText } from '@/lib/contract/text/sanitize-text'
import { LoadFailure } from '../../shell/load-failure'
import { buttonStyles } from '../../ui/button'
import { cn } from '../../ui/class-names'
import { CopyButton } from '../../ui/copy-button'
import { formatBytes, formatCount } from '../../ui/format-number'
import { Panel, PanelBody, PanelHeader } from '../../ui/panel'
import { Skeleton } from '../../ui/skeleton'
import { CodeEditor } from '../editor/code-editor'
import type { CodeLanguage } from '../editor/editor-props'
import { FileTree } from '../files/file-tree'

interface SourceTabProps {
  id: string
  /** The line to show; null: none. */
  at: { file: string; line: number } | null
}

/** The submitted files without the token. */
export function SourceTab({ id, at }: SourceTabProps) {
  const { data, error, isPending, refetch } = useQuery(jobSourceQuery(id))
  if (error && !data) return <LoadFailure error={error} onRetry={() => void refetch()} />
  // Without solution.py and command, a file of the directory runs.
  const hasProgram = isPending || data.code !== '' || data.command !== null
  const inProgram = at?.file === 'solution.py' && !isPending && data.code !== ''
  return (
    <div className="flex flex-col gap-4">
      {at && !inProgram && !isPending ? <LinkedFile id={id} {...at} /> : null}
      <SourceDirectory id={id} />
      <div
        className={cn('grid items-start gap-4', hasProgram && 'lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]')}
      >
        {data && data.command !== null ? (
          <SourceFile name="command" language="shell" text={data.command} />
        ) : hasProgram ? (
          <SourceFile
            name="solution.py"
            language="python"
            text={isPending ? null : data.code}
            line={inProgram ? at.line : undefined}
          />
        ) : null}
        <SourceFile name="config.yaml" language="yaml" text={isPending ? null : data.config} />
      </div>
    </div>
  )
}

/** The files of the uploaded directory; nothing if the job has none. */
function SourceDirectory({ id }: { id: string }) {
  const { data, error, refetch } = useQuery(jobFilesQuery(id))
  if (error && !data) return <LoadFailure error={error} onRetry={() => void refetch()} />
  if (!data || data.files?.length === 0) return null
  const { files } = data
  if (files === null)
    return (
      <Panel>
        <PanelHeader title="Directory" description="It was deleted. Upload it again to run the job again." />
      </Panel>
    )
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  return (
    <Panel>
      <PanelHeader
        title="Directory"
        description={`${formatCount(files.length, 'file')}, ${formatBytes(bytes)}; the job finds them in /work`}
      />
      <div className="max-h-[56dvh] overflow-y-auto py-1">
        <FileTree
          files={files}
          action={({ path, target }) => (target === null ? <DownloadLink id={id} path={path} /> : null)}
        />
      </div>
    </Panel>
  )
}

/** A file of the directory that a link names. */
function LinkedFile({ id, file, line }: { id: string; file: string; line: number }) {
  const { data, error, refetch } = useQuery(jobFileTextQuery(id, file))
  if (error && data === undefined) return <LoadFailure error={error} onRetry={() => void refetch()} />
  return (
    <SourceFile
      name={visibleText(file, 300)}
      language={file.endsWith('.py') ? 'python' : 'text'}
      text={data ?? null}
      line={line}
    />
  )
}

function DownloadLink({ id, path }: { id: string; path: string }) {
  return (
    <a
      href={api.jobs.fileUrl(id, path)}
      download
      aria-label={`Download ${visibleText(path, 60)}`}
      className={buttonStyles({ size: 'sm', variant: 'ghost' })}
    >
      <Download aria-hidden />
    </a>
  )
}

interface SourceFileProps {
  name: string
  language: CodeLanguage
  /** Null while it loads. */
  text: string | null
  /** The line to show. */
  line?: number | undefined
}

function SourceFile({ name, language, text, line }: SourceFileProps) {
  return (
    <Panel>
      <PanelHeader
        title={<span className="font-mono">{name}</span>}
        actions={<CopyButton text={text ?? ''} label={`Copy ${name}`} />}
      />
      <PanelBody>
        {text === null ? (
          <Skeleton className="h-[56dvh] rounded-md" />
        ) : (
          <CodeEditor
            label={name}
            language={language}
            value={text}
            line={line}
            readOnly
            className="h-[56dvh]"
          />
        )}
      </PanelBody>
    </Panel>
  )
}
