import { useState } from 'react'
import { Segmented } from '@/components/ui/segmented'
import type { FieldError } from '@/lib/contract/errors'
import { CodeEditor } from './code-editor'
import type { EnvironmentChoice } from './config-field'
import { ConfigForm } from './config-form'
import type { Problem } from './problems'

interface ConfigEditorProps {
  value: string
  onChange: (value: string) => void
  /** From the local check and from the server's response. */
  problems: readonly FieldError[]
  environments: readonly EnvironmentChoice[]
}

type Side = 'form' | 'text'

const sides = [
  { value: 'form', label: 'Form' },
  { value: 'text', label: 'YAML' },
] as const

/** The config as a form and as text, always in sync. On narrow screens, one at a time. */
export function ConfigEditor({ value, onChange, problems, environments }: ConfigEditorProps) {
  const [side, setSide] = useState<Side>('form')
  return (
    <div className="@container min-w-0">
      <Segmented
        label="Edit as"
        value={side}
        onValueChange={setSide}
        options={sides}
        className="mb-3 @3xl:hidden"
      />
      <div className="grid grid-cols-1 gap-5 @3xl:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]">
        <div className="@max-3xl:data-[hidden=true]:hidden" data-hidden={side !== 'form'}>
          <ConfigForm value={value} onChange={onChange} problems={problems} environments={environments} />
        </div>
        <div className="@max-3xl:data-[hidden=true]:hidden" data-hidden={side !== 'text'}>
          <CodeEditor
            label="config.yaml"
            language="yaml"
            value={value}
            onChange={onChange}
            problems={inText(problems)}
            className="h-[28rem] @3xl:sticky @3xl:top-4"
          />
        </div>
      </div>
    </div>
  )
}

/** Each problem at its line with the name of its key. A problem without a line goes to the first one. */
function inText(problems: readonly FieldError[]): Problem[] {
  return problems.map(({ path, message, line, column }) => ({
    line: line ?? 1,
    column,
    message: path === 'config_file' ? message : `${path}: ${message}`,
  }))
}
