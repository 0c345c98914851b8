import { useQuery } from '@tanstack/react-query'
import { jobSourceQuery } from '@/components/queries/queries'
import { LoadFailure } from '../../shell/load-failure'
import { CopyButton } from '../../ui/copy-button'
import { Panel, PanelBody, PanelHeader } from '../../ui/panel'
import { Skeleton } from '../../ui/skeleton'
import { CodeEditor, type CodeLanguage } from '../editor/code-editor'

/** The submitted files without the token. */
export function SourceTab({ id }: { id: string }) {
  const { data, error, isPending, refetch } = useQuery(jobSourceQuery(id))
  if (error && !data) return <LoadFailure error={error} onRetry={() => void refetch()} />
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
      {data && data.command !== null ? (
        <SourceFile name="command" language="shell" text={data.command} />
      ) : (
        <SourceFile name="solution.py" language="python" text={isPending ? null : data.code} />
      )}
      <SourceFile name="config.yaml" language="yaml" text={isPending ? null : data.config} />
    </div>
  )
}

interface SourceFileProps {
  name: string
  language: CodeLanguage
  /** Null while it loads. */
  text: string | null
}

function SourceFile({ name, language, text }: SourceFileProps) {
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
          <CodeEditor label={name} language={language} value={text} readOnly className="h-[56dvh]" />
        )}
      </PanelBody>
    </Panel>
  )
}
