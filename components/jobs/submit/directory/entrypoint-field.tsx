import { visibleText } from '@/lib/contract/text/sanitize-text'
import { SelectField } from '../../../ui/select'
import type { Directory } from './directory'
import { type Entrypoint, listEntrypoints } from './entrypoint'
import { entrypointId } from './focus-problem'

/** A list of more files is hard to use. The config can name each. */
const mostOptions = 100
const none = ' '

interface EntrypointFieldProps {
  directory: Directory
  entrypoint: Entrypoint
  onChange: (path: string) => void
}

/** The file that the job runs. */
export function EntrypointField({ directory, entrypoint, onChange }: EntrypointFieldProps) {
  if (entrypoint.kind === 'command') {
    return (
      <p className="text-sm">
        The job runs the command of the config:{' '}
        <code className="break-all font-mono text-xs">{visibleText(entrypoint.command, 300)}</code>
      </p>
    )
  }
  const chosen = entrypoint.kind === 'file' ? entrypoint.path : none
  const found = listEntrypoints(directory).slice(0, mostOptions)
  const paths = found.includes(chosen) || chosen === none ? found : [chosen, ...found]
  const choose = { value: none, label: 'Choose a file' }
  return (
    <SelectField
      id={entrypointId}
      label="File to run"
      hint="The config key entrypoint."
      error={
        entrypoint.kind === 'missing' ? `entrypoint: ${visibleText(entrypoint.problem, 500)}` : undefined
      }
      value={chosen}
      onChange={(path) => {
        if (path !== none) onChange(path)
      }}
      options={[
        ...(chosen === none ? [choose] : []),
        ...paths.map((path) => ({ value: path, label: visibleText(path, 200) })),
      ]}
    />
  )
}
