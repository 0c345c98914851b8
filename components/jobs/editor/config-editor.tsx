import { type Ref, useImperativeHandle, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { Segmented } from '@/components/ui/segmented'
import type { FieldError } from '@/lib/contract/errors'
import { CodeEditor } from './code-editor'
import type { EnvironmentChoice } from './config-field'
import { ConfigForm, type LastJob } from './config-form'
import type { CodeEditorHandle } from './editor-props'
import type { FieldInfos } from './form-fields'
import type { Problem } from './problem'

interface ConfigEditorProps {
  ref?: Ref<CodeEditorHandle>
  value: string
  onChange: (value: string) => void
  infos: FieldInfos
  /** From the local check and from the server's response. */
  problems: readonly FieldError[]
  environments: readonly EnvironmentChoice[]
  /** Keys that this gpuq always refuses; left out: none. */
  refusedKeys?: readonly string[]
  /** Offered as values of a new config. */
  lastJob?: LastJob | null
}

type Side = 'form' | 'text'

const sides = [
  { value: 'form', label: 'Form' },
  { value: 'text', label: 'YAML' },
] as const

/** The config as a form and as text, always in sync. On narrow screens, one at a time. */
export function ConfigEditor(props: ConfigEditorProps) {
  const { value, onChange, problems } = props
  const [side, setSide] = useState<Side>('form')
  const form = useRef<HTMLDivElement>(null)
  const text = useRef<CodeEditorHandle>(null)
  useImperativeHandle(props.ref, () => ({
    focusError: () => {
      // A user who writes YAML stays there.
      if (side === 'text' && text.current?.focusError()) return true
      const field = form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')
      // The hidden side of a narrow screen cannot take the focus.
      flushSync(() => setSide(field ? 'form' : 'text'))
      if (!field) return text.current?.focusError() ?? false
      const group = field.closest('details')
      if (group) group.open = true
      field.scrollIntoView({ block: 'center' })
      field.focus({ preventScroll: true })
      return true
    },
  }))
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
        <div ref={form} className="@max-3xl:data-[hidden=true]:hidden" data-hidden={side !== 'form'}>
          <ConfigForm
            value={value}
            onChange={onChange}
            infos={props.infos}
            problems={problems}
            environments={props.environments}
            refusedKeys={props.refusedKeys ?? []}
            lastJob={props.lastJob ?? null}
          />
        </div>
        <div className="@max-3xl:data-[hidden=true]:hidden" data-hidden={side !== 'text'}>
          <CodeEditor
            ref={text}
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
