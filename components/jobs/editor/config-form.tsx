import { ChevronRight } from 'lucide-react'
import { useLayoutEffect, useMemo, useRef } from 'react'
import { Button } from '@/components/ui/button'
import { Callout } from '@/components/ui/callout'
import type { FieldError } from '@/lib/contract/errors'
import { TextWithCode } from '../text-with-code'
import { ConfigField, type EnvironmentChoice } from './config-field'
import { type ConfigText, type FieldValue, readConfigText } from './config-text'
import {
  type FieldInfos,
  type FormField,
  type FormKey,
  formFields,
  formKeys,
  inFormWords,
} from './form-fields'

/** What a user's next job often has in common with the last one. */
export interface LastJob {
  competition_id: string
  project_id: string
}

interface ConfigFormProps {
  /** The text of `config.yaml`. The form is a view of it. */
  value: string
  onChange: (value: string) => void
  infos: FieldInfos
  /** Shown at their fields. */
  problems: readonly FieldError[]
  /** The options for the environment. Without any, the user types the name. */
  environments: readonly EnvironmentChoice[]
  /** Keys that this gpuq always refuses: they have a field only while the text has them. */
  refusedKeys: readonly string[]
  /** Offered while competition and project are empty. */
  lastJob: LastJob | null
}

const groups = [
  { name: 'running', title: 'Running' },
  { name: 'resources', title: 'Resources' },
  { name: 'more', title: 'More' },
] as const

/** The config as a form. A change edits only its part of the text. */
export function ConfigForm(props: ConfigFormProps) {
  const { value, problems } = props
  const text = useMemo(() => readConfigText(value), [value])
  const write = useTextEdits(props)
  const isOffered = (key: FormKey) =>
    !props.refusedKeys.includes(key) || (text !== null && text.read(key).kind !== 'absent')
  const keysOf = (group: FormField['group']) =>
    formKeys.filter((key) => formFields[key].group === group && isOffered(key))
  return (
    <div className="flex flex-col gap-4">
      {text ? null : (
        <Callout tone="warning" title="The form cannot read this YAML">
          Fix the YAML to use the form again.
        </Callout>
      )}
      <OtherProblems problems={problems} />
      {props.lastJob && text && isUnnamed(text) ? (
        <LastJobButton lastJob={props.lastJob} write={write} />
      ) : null}
      <Fields {...props} text={text} write={write} keys={keysOf('main')} />
      {groups.map(({ name, title }) => {
        const keys = keysOf(name)
        const used = keys.some((key) => text?.read(key).kind !== 'absent' || problemOf(problems, key))
        return (
          <details
            key={name}
            open={(text !== null && used) || undefined}
            className="group/details border-t pt-3"
          >
            <summary className="flex min-h-6 list-none items-center gap-1 rounded-sm font-medium text-sm">
              <ChevronRight
                aria-hidden
                className="size-4 text-subtle transition-transform group-open/details:rotate-90"
              />
              {title}
              <span className="ml-1 truncate font-normal text-subtle text-xs group-open/details:hidden">
                {keys.map((key) => formFields[key].label).join(', ')}
              </span>
            </summary>
            <div className="pt-3">
              <Fields {...props} text={text} write={write} keys={keys} />
            </div>
          </details>
        )
      })}
    </div>
  )
}

/** Whether the config names neither a competition nor a project. */
function isUnnamed(text: ConfigText): boolean {
  return (['competition_id', 'project_id'] as const).every((key) => text.read(key).kind === 'absent')
}

/** Fills in the competition and the project of the last job. */
function LastJobButton({ lastJob, write }: { lastJob: LastJob; write: Write }) {
  const { competition_id, project_id } = lastJob
  const fillIn = () => {
    write('competition_id', competition_id)
    write('project_id', project_id)
  }
  return (
    <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-muted text-sm">
      Your last job:
      <Button size="sm" className="max-w-full" onClick={fillIn}>
        <span className="min-w-0 truncate">
          Use {competition_id} · {project_id}
        </span>
      </Button>
    </p>
  )
}

/** Problems that belong to no field of the form, such as an unknown key. */
function OtherProblems({ problems }: Pick<ConfigFormProps, 'problems'>) {
  const others = problems.filter((problem) => !formKeys.some((key) => problemOf([problem], key)))
  if (others.length === 0) return null
  return (
    <Callout tone="danger" title="Problems in the config">
      <ul>
        {others.map(({ line, path, message }) => (
          <li key={`${line} ${path} ${message}`} className="wrap-anywhere">
            {line === undefined ? '' : `Line ${line}: `}
            {path === 'config_file' || message.includes(path) ? '' : `${path}: `}
            <TextWithCode text={inFormWords(message)} />
          </li>
        ))}
      </ul>
    </Callout>
  )
}

type Write = (key: FormKey, value: FieldValue | undefined) => void

/** Two changes may come before the next render: the second must not undo the first. */
function useTextEdits({ value, onChange }: Pick<ConfigFormProps, 'value' | 'onChange'>): Write {
  const latest = useRef(value)
  useLayoutEffect(() => {
    latest.current = value
  }, [value])
  return (key, next) => {
    const text = readConfigText(latest.current)
    if (!text) return
    latest.current = text.write(key, next)
    onChange(latest.current)
  }
}

interface FieldsProps extends Pick<ConfigFormProps, 'infos' | 'problems' | 'environments'> {
  /** Null if the YAML is invalid. */
  text: ConfigText | null
  write: Write
  keys: readonly FormKey[]
}

function Fields({ text, write, infos, problems, environments, keys }: FieldsProps) {
  return (
    <div className="grid grid-cols-[repeat(auto-fill,minmax(min(14rem,100%),1fr))] gap-x-4 gap-y-3">
      {keys.map((key) => (
        <ConfigField
          key={key}
          info={infos[key]}
          field={formFields[key]}
          reading={text?.read(key) ?? { kind: 'absent' }}
          error={problemOf(problems, key)}
          environments={environments}
          disabled={text === null}
          onChange={(next) => write(key, next)}
        />
      ))}
    </div>
  )
}

function problemOf(problems: readonly FieldError[], key: string): string | undefined {
  const found = problems.find(({ path }) => path === key || path.startsWith(`${key}.`))
  if (!found) return undefined
  const part = found.path.slice(key.length + 1)
  // A list has a line for each item.
  const place = /^\d+$/.test(part) ? `line ${Number(part) + 1}` : part
  return `${place && `${place}: `}${inFormWords(found.message)}`
}
