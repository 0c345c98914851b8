import type { FieldError } from '@/lib/contract/errors'
import { readConfigText } from '../editor/config-text'
import { type FieldInfos, type FormKey, formKeys } from '../editor/form-fields'

/** The required keys that the user has not filled in yet. A text that is not YAML has none. */
export function unfilledKeys(text: string, infos: FieldInfos): FormKey[] {
  const config = readConfigText(text)
  return formKeys.filter((key) => infos[key].required && config?.read(key).kind === 'absent')
}

/** The same problems with the positions of their keys: the server gives some only the name of the key. */
export function withPositions(text: string, problems: readonly FieldError[]): FieldError[] {
  const config = readConfigText(text)
  return problems.map((problem) => {
    const [key = ''] = problem.path.split('.')
    return problem.line === undefined ? { ...problem, ...config?.positionOf(key) } : problem
  })
}
