import { configField } from '@/lib/contract/config/schema'
import { type FieldInfos, formKeys } from './form-fields'

/** Reads what the form says about its fields. For the server: the schema is too large for the page. */
export function readFieldInfos(): FieldInfos {
  return Object.fromEntries(formKeys.map((key) => [key, configField(key)])) as FieldInfos
}
