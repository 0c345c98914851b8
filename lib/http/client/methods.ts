import type { z } from 'zod'
import type { ItemOf, JsonOf, Operation } from '../../contract/operations/operation'
import type { Call, Page, Query, Transport } from './transport'

/** The client's methods, derived from the operations. */

type PathArgs<Path> = Path extends `${string}{${string}}${infer Rest}`
  ? [segment: string | number, ...PathArgs<Rest>]
  : []

type BodyArgs<Op> = Op extends { bodyOptional: true; body: infer Schema extends z.ZodType }
  ? [body?: z.input<Schema>]
  : Op extends { body: infer Schema extends z.ZodType }
    ? [body: z.input<Schema>]
    : Op extends { bytes: string }
      ? [body: Uint8Array | ReadableStream<Uint8Array> | Blob]
      : []

type Optional<Values> = { [Name in keyof Values]?: Values[Name] | null | undefined }
type RequiredNames<Input> = {
  [Name in keyof Input]-?: undefined extends Input[Name] ? never : Name
}[keyof Input]
type QueryOf<Input, Output> = [RequiredNames<Input>] extends [never]
  ? Optional<Output>
  : Pick<Output, RequiredNames<Input> & keyof Output> & Optional<Omit<Output, RequiredNames<Input>>>

type QueryArgs<Op> = Op extends { query: infer Schema extends z.ZodType }
  ? [RequiredNames<z.input<Schema>>] extends [never]
    ? [query?: QueryOf<z.input<Schema>, z.output<Schema>>]
    : [query: QueryOf<z.input<Schema>, z.output<Schema>>]
  : []

type Result<Op> = [ItemOf<Op>] extends [never]
  ? [JsonOf<Op>] extends [never]
    ? Op extends { responses: { 204: unknown } }
      ? Promise<void>
      : Promise<Response>
    : Promise<JsonOf<Op>>
  : Promise<Page<ItemOf<Op>>>

/** The parts of the path in their order, the body, the query: those that the operation has. */
export type Args<Op extends Operation> = [...PathArgs<Op['path']>, ...BodyArgs<Op>, ...QueryArgs<Op>]
type Method<Op extends Operation> = (...args: [...Args<Op>, signal?: AbortSignal]) => Result<Op>
type Groups = Record<string, Record<string, Operation>>
type MethodsOf<Table extends Groups> = {
  [Group in keyof Table]: { [Name in keyof Table[Group]]: Method<Table[Group][Name]> }
}

/** What a method's arguments ask for. */
export function toCall(operation: Operation, args: readonly unknown[]): { path: string; call: Call } {
  const left = [...args]
  const path = operation.path.replace(/\{\w+\}/g, () => encodeURIComponent(String(left.shift())))
  const body = operation.body || operation.bytes ? left.shift() : undefined
  const query = operation.query ? (left.shift() as Query | undefined) : undefined
  const signal = left.shift() as AbortSignal | undefined
  return { path, call: { method: operation.method, body, query, signal } }
}

/** A method for each operation, by groups. */
export function createMethods<const Table extends Groups>(
  transport: Transport,
  table: Table,
): MethodsOf<Table> {
  const toMethod =
    (operation: Operation) =>
    (...args: unknown[]) =>
      perform(transport, operation, args)
  const toMethods = (group: Record<string, Operation>) =>
    Object.fromEntries(Object.entries(group).map(([name, operation]) => [name, toMethod(operation)]))
  const groups = Object.entries(table).map(([name, group]) => [name, toMethods(group)])
  return Object.fromEntries(groups)
}

async function perform(transport: Transport, operation: Operation, args: unknown[]): Promise<unknown> {
  const { path, call } = toCall(operation, args)
  const responses = Object.values(operation.responses)
  const { item, schema } = responses.find((response) => response.schema) ?? {}
  if (item) return transport.page(path, item, call)
  if (schema) return transport.json(path, schema, call)
  return operation.responses[204] ? transport.done(path, call) : transport.raw(path, call)
}
