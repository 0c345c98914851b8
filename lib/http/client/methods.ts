import type { z } from 'zod'
import type { ItemOf, JsonOf, Operation } from '../../contract/operations/operation'
import type { operations } from '../../contract/operations/operations'
import { routes } from './routes'
import type { Call, Page, Query, Read, Transport } from './transport'

/** The client's methods, derived from the operations. */

/** What a call needs to know of an operation. */
export interface Route {
  method: Operation['method']
  path: string
  /** The call has a body. */
  body?: true
  /** The call may have a query. */
  query?: true
  /** A list in pages, JSON, nothing, or what the caller reads itself. */
  answer: 'page' | 'json' | 'nothing' | 'stream'
}

/** Reads the JSON of an operation's answer; of a list in pages, the items. */
export type ReadAnswer = (group: string, name: string) => Read<unknown>

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
type Operations = typeof operations
type MethodOf<Op> = Op extends Operation ? Method<Op> : never
export type Methods = {
  [Group in keyof Operations]: {
    [Name in keyof Operations[Group]]: MethodOf<Operations[Group][Name]>
  }
}

/** What a method's arguments ask for. */
export function toCall(route: Route, args: readonly unknown[]): { path: string; call: Call } {
  const left = [...args]
  const path = route.path.replace(/\{\w+\}/g, () => encodeURIComponent(String(left.shift())))
  const body = route.body ? left.shift() : undefined
  const query = route.query ? (left.shift() as Query | undefined) : undefined
  const signal = left.shift() as AbortSignal | undefined
  return { path, call: { method: route.method, body, query, signal } }
}

/** A method for each operation, by groups. */
export function createMethods(transport: Transport, readAnswer: ReadAnswer): Methods {
  const toMethods = ([group, ofGroup]: [string, Record<string, Route>]) => {
    const methods = Object.entries(ofGroup).map(([name, route]) => [
      name,
      (...args: unknown[]) => perform(transport, route, readAnswer(group, name), args),
    ])
    return [group, Object.fromEntries(methods)]
  }
  return Object.fromEntries(Object.entries(routes).map(toMethods))
}

async function perform(
  transport: Transport,
  route: Route,
  read: Read<unknown>,
  args: unknown[],
): Promise<unknown> {
  const { path, call } = toCall(route, args)
  if (route.answer === 'page') return transport.page(path, read as Read<unknown[]>, call)
  if (route.answer === 'json') return transport.json(path, read, call)
  return route.answer === 'nothing' ? transport.done(path, call) : transport.raw(path, call)
}
